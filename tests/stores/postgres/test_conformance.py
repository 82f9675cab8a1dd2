from collections.abc import AsyncIterator, Callable

import pytest

from remanent.stores.conformance import StoreConformance, VectorsConformance
from remanent.stores.conformance.base import OpenStore
from remanent.stores.postgres import PostgresStore, PostgresVectors
from remanent.stores.store import Store
from remanent.stores.vectors import Vectors


class TestPostgresStore(StoreConformance):
    @pytest.fixture
    def open_store(self, database: Callable[[str], str]) -> OpenStore:
        async def open_store(place: str) -> Store:
            return PostgresStore(database(place))

        return open_store


class TestPostgresVectors(VectorsConformance):
    @pytest.fixture
    async def opened(self, database: Callable[[str], str]) -> AsyncIterator[tuple[Store, Vectors]]:
        store = PostgresStore(database("here"))
        yield store, PostgresVectors(store)
        await store.close()

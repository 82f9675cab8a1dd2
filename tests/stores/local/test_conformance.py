from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.stores.conformance import VectorsConformance
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.sqlite import SqliteStore
from remanent.stores.store import Store
from remanent.stores.vectors import Vectors


class TestLocalVectors(VectorsConformance):
    @pytest.fixture
    async def opened(self, tmp_path: Path) -> AsyncIterator[tuple[Store, Vectors]]:
        store = SqliteStore(tmp_path)
        vectors = LocalVectors(store)
        yield store, vectors
        await vectors.close()
        await store.close()

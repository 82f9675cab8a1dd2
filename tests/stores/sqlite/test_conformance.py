from pathlib import Path

import pytest

from remanent.stores.conformance import StoreConformance
from remanent.stores.conformance.base import OpenStore
from remanent.stores.queries import ErasureDepth
from remanent.stores.sqlite import SqliteStore
from remanent.stores.store import Store


class TestSqliteStore(StoreConformance):
    depth = ErasureDepth.OVERWRITTEN

    @pytest.fixture
    def open_store(self, quick_folder: Path) -> OpenStore:
        async def open_store(place: str) -> Store:
            return SqliteStore(quick_folder / place)

        return open_store

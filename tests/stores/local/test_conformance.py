from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.stores.conformance import VectorsConformance
from remanent.stores.local import LocalVectors
from remanent.stores.sqlite import SqliteStore
from remanent.stores.store import Store
from remanent.stores.vectors import Vectors


class TestLocalVectors(VectorsConformance):
    @pytest.fixture(params=["in memory", "with a folder", "sealed in memory", "sealed in a file"])
    async def opened(self, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Store, Vectors]]:
        store = SqliteStore(tmp_path)
        in_folder = request.param in ("with a folder", "sealed in a file")
        sealed = str(request.param).startswith("sealed")
        vectors = LocalVectors(
            store, store.layout.folder if in_folder else lambda _: None, exact_limit=1 if sealed else 100_000
        )
        yield store, vectors
        await vectors.close()
        await store.close()

"""What every adapter must keep, as test suites: give one fixture, and subclass.

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def open_store(self, tmp_path):
            async def open_store(place: str) -> Store:
                return MyStore(tmp_path / place)

            return open_store

The suites need pytest and pytest-asyncio in auto mode; `conformance.machine` needs hypothesis too.
"""

import pytest

# Before the suites are loaded, so that a failing assert of theirs tells what it compared.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{module}"
        for module in (
            "blobs",
            "cache",
            "commits",
            "erasure",
            "graph",
            "history",
            "journal",
            "machine",
            "places",
            "queue",
            "records",
            "scopes",
            "text",
            "transfer",
            "vectors",
            "vector_rows",
        )
    )
)

from remanent.stores.conformance.blobs import BlobsConformance  # noqa: E402
from remanent.stores.conformance.cache import CacheConformance  # noqa: E402
from remanent.stores.conformance.store import StoreConformance  # noqa: E402
from remanent.stores.conformance.vectors import VectorsConformance  # noqa: E402

__all__ = ["BlobsConformance", "CacheConformance", "StoreConformance", "VectorsConformance"]

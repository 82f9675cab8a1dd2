"""What every adapter must keep, as test suites: give one fixture, and subclass.

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def open_store(self, tmp_path):
            async def open_store(place: str) -> Store:
                return MyStore(tmp_path / place)

            return open_store

The suites need pytest and pytest-asyncio in auto mode; `conformance.machine` needs hypothesis too.
"""

import pkgutil

import pytest

# Before the suites are loaded, so that a failing assert of theirs tells what it compared.
pytest.register_assert_rewrite(*(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)))

from remanent.stores.conformance.agents import ScopesConformance, TransferConformance  # noqa: E402
from remanent.stores.conformance.erasure import ErasureConformance  # noqa: E402
from remanent.stores.conformance.graph import GraphConformance, HistoryConformance  # noqa: E402
from remanent.stores.conformance.journal import CommitsConformance, JournalConformance  # noqa: E402
from remanent.stores.conformance.queue import ClaimingConformance, QueueConformance  # noqa: E402
from remanent.stores.conformance.records import PlacesConformance, RecordsConformance  # noqa: E402
from remanent.stores.conformance.search import MetadataConformance, TextConformance  # noqa: E402
from remanent.stores.conformance.small_ports import (  # noqa: E402
    BlobsConformance,
    CacheConformance,
    ShelfConformance,
)
from remanent.stores.conformance.vectors import VectorRowsConformance, VectorsConformance  # noqa: E402

__all__ = ["BlobsConformance", "CacheConformance", "ShelfConformance", "StoreConformance", "VectorsConformance"]


class StoreConformance(
    CommitsConformance,
    JournalConformance,
    MetadataConformance,
    RecordsConformance,
    HistoryConformance,
    TextConformance,
    VectorRowsConformance,
    GraphConformance,
    PlacesConformance,
    QueueConformance,
    ClaimingConformance,
    ErasureConformance,
    ScopesConformance,
    TransferConformance,
):
    """The promises of `Store`, all parts of its suite in one class; a backend gives `open_store`."""

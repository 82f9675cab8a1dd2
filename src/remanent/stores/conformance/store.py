"""What every store must keep: all parts of the suite in one class."""

from remanent.stores.conformance.commits import CommitsConformance
from remanent.stores.conformance.erasure import ErasureConformance
from remanent.stores.conformance.graph import GraphConformance
from remanent.stores.conformance.history import HistoryConformance
from remanent.stores.conformance.journal import JournalConformance
from remanent.stores.conformance.places import PlacesConformance
from remanent.stores.conformance.queue import QueueConformance
from remanent.stores.conformance.records import RecordsConformance
from remanent.stores.conformance.scopes import ScopesConformance
from remanent.stores.conformance.text import TextConformance
from remanent.stores.conformance.transfer import TransferConformance
from remanent.stores.conformance.vector_rows import VectorRowsConformance


class StoreConformance(
    CommitsConformance,
    JournalConformance,
    RecordsConformance,
    HistoryConformance,
    TextConformance,
    VectorRowsConformance,
    GraphConformance,
    PlacesConformance,
    QueueConformance,
    ErasureConformance,
    ScopesConformance,
    TransferConformance,
):
    """The promises of `Store`; a backend gives `open_store`."""

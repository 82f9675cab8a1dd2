"""Where memory is kept: ports by storage shape, and the adapters that fill them."""

from remanent.stores.blobs import Blobs
from remanent.stores.cache import Cache
from remanent.stores.queries import (
    LIVE,
    ConflictQuery,
    EntryQuery,
    Erased,
    Erasure,
    Health,
    Hit,
    JobQuery,
    LinkQuery,
    Order,
    Place,
    QueueState,
    RecordFilter,
    RecordQuery,
    SessionTerms,
    TermCounts,
    VectorChanges,
)
from remanent.stores.store import Store
from remanent.stores.transaction import NO_LIMIT, Change, Committed, Transaction, search_terms
from remanent.stores.vectors import Vectors

__all__ = [
    "LIVE",
    "NO_LIMIT",
    "Blobs",
    "Cache",
    "Change",
    "Committed",
    "ConflictQuery",
    "EntryQuery",
    "Erased",
    "Erasure",
    "Health",
    "Hit",
    "JobQuery",
    "LinkQuery",
    "Order",
    "Place",
    "QueueState",
    "RecordFilter",
    "RecordQuery",
    "SessionTerms",
    "Store",
    "TermCounts",
    "Transaction",
    "VectorChanges",
    "Vectors",
    "search_terms",
]

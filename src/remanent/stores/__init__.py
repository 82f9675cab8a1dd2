"""Where memory is kept: ports by storage shape, and the adapters that fill them.

- `store.py` is the port of everything that is true: journal, records, links, full text, vectors as data, jobs. What it
  can be asked stands in `queries.py`, what can be changed in `transaction.py`. `sqlite/` is the embedded adapter,
  `postgres/` the one for several servers; `sql.py`, `query_steps.py` and `rows.py` are what both do alike.
- `vectors.py` is the port of nearest-neighbour search. It is never the only copy: `local_vectors.py` follows the store
  and can be thrown away at any moment.
- `blobs.py` and `cache.py` hold a port each, with the adapter that needs nothing but this machine.
- `transfer.py`, `pending_erasures.py` and `idempotency.py` are written against the ports alone: any adapter will do.
- `conformance/` proves an adapter: whoever writes one subclasses the suites and gives a fixture.

Ports follow storage shapes and not features, so that a new feature adds no file to an adapter.
"""

from remanent.stores.cache import Cache
from remanent.stores.queries import (
    LIVE,
    Claims,
    ConflictQuery,
    EntryQuery,
    Erased,
    Erasure,
    ErasureDepth,
    Health,
    Hit,
    JobQuery,
    LatestQuery,
    LinkQuery,
    Order,
    QueueState,
    RecordFilter,
    RecordPosition,
    RecordQuery,
    SessionTerms,
    Standing,
    TermCounts,
    WalkQuery,
)
from remanent.stores.search_terms import is_searched, search_terms
from remanent.stores.store import FileStore, Store, every_entry, every_record
from remanent.stores.transaction import NO_LIMIT, Change, Committed, Transaction, acting_for
from remanent.stores.vectors import Vectors

__all__ = [
    "LIVE",
    "NO_LIMIT",
    "Cache",
    "Change",
    "Claims",
    "Committed",
    "ConflictQuery",
    "EntryQuery",
    "Erased",
    "Erasure",
    "ErasureDepth",
    "FileStore",
    "Health",
    "Hit",
    "JobQuery",
    "LatestQuery",
    "LinkQuery",
    "Order",
    "QueueState",
    "RecordFilter",
    "RecordPosition",
    "RecordQuery",
    "SessionTerms",
    "Standing",
    "Store",
    "TermCounts",
    "Transaction",
    "Vectors",
    "WalkQuery",
    "acting_for",
    "every_entry",
    "every_record",
    "is_searched",
    "search_terms",
]

"""The port of the transactional store: journal, records, links, conflicts, full text, vectors and jobs.

One port and not one per kind of thing, because one commit may hold all of them: a turn, the record made of it, its
search terms and the job that will embed it are there together or not at all. Reads take queries as values
(`queries.py`), so that a new condition changes no signature.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from remanent.model import Conflict, Entry, Job, Kind, Link, Origin, Record, Scope, Tombstone, Version
from remanent.stores.queries import (
    ConflictQuery,
    EntryQuery,
    Erased,
    Erasure,
    Health,
    Hit,
    JobQuery,
    LinkQuery,
    Place,
    QueueState,
    RecordFilter,
    RecordQuery,
    SessionTerms,
    TermCounts,
    VectorChanges,
)
from remanent.stores.transaction import Change, Committed, Transaction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HIDDEN = "."
"""States whose key begins so belong to this place and not to the agent's memory: no export holds them."""

ERASING = f"{HIDDEN}erasing"
"""The state with the ids of what erasures took whose files beside the store may still be there."""

MAX_WAIT = timedelta(days=1)
"""The longest that a job may wait or be leased. What ends later was written by a clock that was set back since, and
nobody would live to see it; far above the longest back-off and lease that settings allow in practice."""

ERASED_MEANWHILE = "something was erased while this ran"
"""The error of a job that ran during an erasure: whatever it fails with later may quote the erased text, so that only
the part of its error before the first colon is kept. It has no colon itself: the next erasure leaves it whole."""


class Store(ABC):
    """Keeps everything that is true. A scope's agent bounds every call; its session and task narrow reads.

    Every method raises `StorageError` and its kin, never an engine's own exception.
    """

    def transaction(self, scope: Scope) -> Transaction:
        """Return a unit of work: what is put into it is committed together at the end of its `async with`."""
        return Transaction(self.commit, scope)

    def visit(self, scope: Scope) -> AbstractContextManager[None]:
        """Say that several calls for one agent follow, so that what they need is kept at hand between them."""
        return nullcontext()

    @abstractmethod
    async def commit(self, scope: Scope, changes: Sequence[Change]) -> Committed:
        """Apply all changes or none; on return they survive any crash."""

    @abstractmethod
    async def load(self, scope: Scope, batches: AsyncIterator[Sequence[Change]]) -> None:
        """Fill an empty scope with all batches or nothing, keeping places and versions; refuse a scope in use."""

    @abstractmethod
    async def entries(self, scope: Scope, query: EntryQuery) -> list[Entry]:
        """Return journal entries, erased ones as stubs."""

    @abstractmethod
    async def records(self, scope: Scope, query: RecordQuery) -> list[Record]:
        """Return records; with `as_of`, as they stood then."""

    @abstractmethod
    async def match(self, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter) -> list[str]:
        """Return those of the ids that pass the filter, in the given order."""

    @abstractmethod
    async def places(
        self,
        scope: Scope,
        record_ids: Sequence[str],
        *,
        record_filter: RecordFilter,
        reach: int = 0,
        neighbours: bool = True,
    ) -> list[Place]:
        """Return where those of the ids stand that pass the filter, in the given order.

        With a `reach`, the turns up to so many entries before and after them follow, as far as they pass too. Without
        `neighbours` nobody wants to know who they are, and the places do not say.
        """

    @abstractmethod
    async def revision(self, scope: Scope) -> int:
        """Return a number that rises whenever anything that can be read is changed, by any process.

        Counters of accesses and the queue do not count; 0 when nothing is stored.
        """

    @abstractmethod
    async def unembedded(self, scope: Scope, *, limit: int) -> list[Record]:
        """Return records of the agent whose content has no vector yet, oldest first; forgotten ones need none."""

    @abstractmethod
    async def versions(self, scope: Scope, record_id: str) -> list[Version]:
        """Return all versions of a record, oldest first, the current one last; empty when unknown."""

    @abstractmethod
    async def past_versions(self, scope: Scope, *, after: tuple[str, int] | None, limit: int) -> list[Version]:
        """Return superseded versions of all records by (record id, number), behind `after`."""

    @abstractmethod
    async def links(self, scope: Scope, query: LinkQuery) -> list[Link]:
        """Return links by (from, to, relation)."""

    @abstractmethod
    async def graph_revision(self, scope: Scope, kind: Kind) -> int:
        """Return a number that rises whenever a record of the kind or a link that leaves one changes, by any process.

        Accesses do not count, scans do; 0 when there never was one.
        """

    @abstractmethod
    async def conflicts(self, scope: Scope, query: ConflictQuery) -> list[Conflict]:
        """Return conflicts, oldest first."""

    @abstractmethod
    async def tombstones(self, scope: Scope, record_ids: Sequence[str] | None = None) -> list[Tombstone]:
        """Return tombstones by record id, all of them when no ids are given."""

    @abstractmethod
    async def states(self, scope: Scope, *, prefix: str = "") -> dict[str, JsonValue]:
        """Return all named values by key, or those whose key begins with a prefix."""

    @abstractmethod
    async def state(self, scope: Scope, key: str) -> JsonValue:
        """Return one named value; `None` when there is none."""

    @abstractmethod
    async def search_text(
        self, scope: Scope, terms: Sequence[str], *, record_filter: RecordFilter, limit: int
    ) -> list[Hit]:
        """Return records that hold any of the terms, by BM25, best first."""

    @abstractmethod
    async def term_counts(self, scope: Scope, terms: Sequence[str], *, most: int) -> TermCounts:
        """Return how many records of the agent hold each of the terms, counting no further than `most`."""

    @abstractmethod
    async def session_terms(
        self,
        scope: Scope,
        sessions: Sequence[str],
        terms: Sequence[str],
        *,
        record_filter: RecordFilter,
        origins: Sequence[Origin] | None = None,
        most: int,
    ) -> dict[str, SessionTerms]:
        """Return how often sessions hold terms, over their `most` latest records that pass and are of the origins.

        What was once true is not counted: a filter with `as_of` gives nothing.
        """

    @abstractmethod
    async def vector_revision(self, scope: Scope) -> int:
        """Return a number that rises whenever any vector is put or removed, by any process."""

    @abstractmethod
    async def vector_changes(self, scope: Scope, model: str, *, since: int) -> VectorChanges:
        """Return what happened to a model's vectors after a revision; 0 asks for all of them."""

    @abstractmethod
    async def vectors(self, scope: Scope, record_ids: Sequence[str], *, model: str) -> "dict[str, NDArray[np.float32]]":
        """Return the vectors that a model gave to those of the records that have one."""

    @abstractmethod
    async def vector_models(self, scope: Scope) -> dict[str, int]:
        """Return the embedding models that have vectors here, each with its dimension."""

    @abstractmethod
    async def vector_counts(self, scope: Scope, *, since: int = 0) -> dict[str, int]:
        """Return how many vectors of each model were put after a revision and are still there."""

    @abstractmethod
    async def claim(self, scope: Scope, *, worker: str, now: datetime, lease: timedelta) -> Job | None:
        """Claim the next job that may run: the first of a lane, due, and not under a live lease.

        A wait or a lease that ends more than `MAX_WAIT` from now is taken as over: the clock was set back since.
        """

    @abstractmethod
    async def renew(self, scope: Scope, *, job_id: str, fence: int, until: datetime) -> None:
        """Prolong a lease; refuse with `LeaseLost` when it was taken over."""

    @abstractmethod
    async def queue(self, scope: Scope) -> QueueState:
        """Return how the agent's queue stands."""

    @abstractmethod
    async def jobs(self, scope: Scope, query: JobQuery) -> list[Job]:
        """Return jobs in queue order."""

    @abstractmethod
    async def erase(self, scope: Scope, erasure: Erasure) -> Erased:
        """Remove texts and vectors, and all that was derived from them, from every byte of every file."""

    @abstractmethod
    async def check(self, scope: Scope) -> Health:
        """Examine every page, index and reference; report, change nothing."""

    @abstractmethod
    async def repair(self, scope: Scope) -> Path:
        """Save what is readable to a new file beside the damaged one, which stays untouched; return the new file."""

    @abstractmethod
    async def scopes(self) -> list[Scope]:
        """Return every agent that has data here, in a stable order."""

    async def latest(self, *, limit: int) -> list[Scope]:
        """Return some agents that have data here, those that were written to last first where that is known."""
        return (await self.scopes())[:limit]

    @abstractmethod
    def on_enqueue(self, notify: Callable[[Scope], None]) -> None:
        """Have `notify` called, on the event loop, after a commit that added or revived jobs."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what is under way and let go of every file."""

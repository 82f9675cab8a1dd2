"""The port of the transactional store: journal, records, links, conflicts, full text, vectors and jobs.

One port and not one per kind of thing, because one commit may hold all of them: a turn, the record made of it, its
search terms and the job that will embed it are there together or not at all.

Calls are data: `commit` takes changes (`transaction.py`), `read` takes questions (`queries.py`), each as many as there
are, so that over a network a piece of work costs as many round trips as it has steps. An adapter has one function for
each type of change and question; every other method here is a short word for a question.

What is asked at the same time is sent together, so that many questions cost one call. Those who ask know nothing of
each other: paths of one recall, probes of one measurement. What all of them ask within one breath of the event loop
goes out as one call, and over a network as one round trip.
"""

import asyncio
import types
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Generator, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import JsonValue

from remanent.model import Conflict, Entry, Job, Kind, Link, Origin, Record, Scope, Tombstone, Version
from remanent.stores import queries as q
from remanent.stores.transaction import Change, Committed, Transaction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


A = TypeVar("A")

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


def erased_mark(caller_id: str | None, user: str) -> int:
    """Return what an erased entry keeps of whose it was: a number from 1.

    When the message is sent again by the same user it is known by it, while another user's message of that id is a new
    one. It is short and mixed with the id, so that it names nobody: one user has another in every entry.
    """
    if caller_id is None:
        return 1
    return 2 + int(sha256(f"{caller_id}\n{user}".encode()).hexdigest()[:7], 16)


def sent_mark(session: str | None, caller_id: str | None, user: str) -> str:
    """Return by what a message that waits to be stored is known as an erased one; `ERASING` holds it as `sent`."""
    return f"{erased_mark(caller_id, user)}:{session or ''}"


K = TypeVar("K", bound=Hashable)
Q = TypeVar("Q")
Send = Callable[[K, Sequence[Q]], Awaitable[Sequence[Any]]]
_Asked = tuple[Q, "asyncio.Future[Any]"]


class Batches(Generic[K, Q]):
    """Gathers questions by a key and sends each group once a turn of the loop has added nothing to it.

    Not at the first turn: whoever asks by way of a task, or of a task's task, comes a turn or two later. Waiting costs
    microseconds while the loop is idle. When a group fails, each question is sent by itself, so that everybody gets
    an answer or an error of their own.
    """

    def __init__(self, send: Send[K, Q]) -> None:
        self._send = send
        self._groups: dict[tuple[asyncio.AbstractEventLoop, K], list[_Asked[Q]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def ask(self, key: K, question: Q) -> "asyncio.Future[Any]":
        """Return the answer to come of a question, which is sent with what else is asked under its key."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        place = loop, key
        group = self._groups.get(place)
        if group is None:
            group = self._groups[place] = []
            task = loop.create_task(self._gather(place, group))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        group.append((question, future))
        return future

    async def _gather(self, place: tuple[asyncio.AbstractEventLoop, K], group: list[_Asked[Q]]) -> None:
        """Send the group as soon as it has not grown since the last turn."""
        try:
            await _grown(group)
        finally:
            del self._groups[place]
        await self._answer(place[1], [asked for asked in group if not asked[1].done()])

    async def _answer(self, key: K, group: list[_Asked[Q]]) -> None:
        """Send questions and hand out what comes back; whoever has gone meanwhile gets nothing."""
        if not group:
            return
        answers: Sequence[Any]
        try:
            answers = await self._send(key, [question for question, _ in group])
        except BaseException as error:  # noqa: BLE001 - border: it goes to whoever asked
            if len(group) > 1 and isinstance(error, Exception):
                for asked in group:
                    await self._answer(key, [asked])
                return
            answers = [error] * len(group)
        for (_, future), answer in zip(group, answers, strict=True):
            settle(future, answer)


def settle(future: "asyncio.Future[Any]", outcome: object) -> None:
    """Hand over what became of something, an error to be raised, unless whoever waited for it has gone."""
    if future.done():
        return
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
        future.exception()  # whoever goes now does not ask
    else:
        future.set_result(outcome)


@types.coroutine
def _grown(group: Sequence[object]) -> Generator[None, None, None]:
    """Let the loop turn until a turn adds nothing; bare, since a `sleep(0)` for each turn is a coroutine more."""
    before = 0
    while len(group) > before:
        before = len(group)
        yield


class StoreReader(ABC):
    """Answers questions: a store as it stands, or a snapshot of it."""

    def __init__(self) -> None:
        self._reads: Batches[Scope, q.Query[Any]] = Batches(self.read)

    @abstractmethod
    async def read(self, scope: Scope, queries: Sequence[q.Query[Any]]) -> list[Any]:
        """Return the answer to each of the questions, in order.

        Each answer is of one moment; that all are of the same one is not promised.
        """

    def ask(self, scope: Scope, query: q.Query[A]) -> "asyncio.Future[A]":
        """Return the answer to come of one question; those that are asked at the same time are read together."""
        return self._reads.ask(scope, query)

    async def standing(self, scope: Scope, *, states: Sequence[str] = ()) -> q.Standing:
        """Return all counters of the agent, and the named values of these keys; sent at once, as a first step is."""
        standing: q.Standing
        [standing] = await self.read(scope, (q.StandingQuery(tuple(states)),))
        return standing

    async def entries(self, scope: Scope, query: q.EntryQuery) -> list[Entry]:
        """Return journal entries, erased ones as stubs."""
        return await self.ask(scope, query)

    async def records(self, scope: Scope, query: q.RecordQuery) -> list[Record]:
        """Return records; with `as_of`, as they stood then."""
        return await self.ask(scope, query)

    async def records_by_id(
        self, scope: Scope, record_ids: Collection[str], *, as_of: datetime | None = None
    ) -> dict[str, Record]:
        """Return the records that have these ids, whatever their status; those that are not there are left out."""
        ids = tuple(dict.fromkeys(record_ids))
        if not ids:
            return {}
        query = q.RecordQuery(filter=q.RecordFilter(statuses=None, as_of=as_of), record_ids=ids, limit=len(ids))
        return {record.id: record for record in await self.records(scope, query)}

    async def entries_by_id(self, scope: Scope, entry_ids: Collection[str]) -> dict[str, Entry]:
        """Return the entries that have these ids, erased ones as stubs."""
        ids = tuple(dict.fromkeys(entry_ids))
        if not ids:
            return {}
        return {entry.id: entry for entry in await self.entries(scope, q.EntryQuery(entry_ids=ids, limit=len(ids)))}

    async def match(self, scope: Scope, record_ids: Sequence[str], record_filter: q.RecordFilter) -> list[str]:
        """Return those of the ids that pass the filter, in the given order."""
        return await self.ask(scope, q.MatchQuery(tuple(record_ids), record_filter))

    async def tally(self, scope: Scope, kinds: Sequence[str], *, flags: Sequence[str] = ()) -> list[q.Tally]:
        """Return how many records of these kinds there are, by kind and status; see `TallyQuery`."""
        return await self.ask(scope, q.TallyQuery(tuple(kinds), tuple(flags)))

    async def places(
        self,
        scope: Scope,
        record_ids: Sequence[str],
        *,
        record_filter: q.RecordFilter,
        reach: int = 0,
        neighbours: bool = True,
    ) -> list[q.RecordPosition]:
        """Return where those of the ids stand that pass the filter, then their neighbours; see `PlaceQuery`."""
        return await self.ask(scope, q.PlaceQuery(tuple(record_ids), record_filter, reach, neighbours))

    async def unembedded(self, scope: Scope, *, limit: int) -> list[Record]:
        """Return records of the agent whose content has no vector yet, oldest first."""
        return await self.ask(scope, q.UnembeddedQuery(limit))

    async def versions(self, scope: Scope, record_id: str) -> list[Version]:
        """Return all versions of a record, oldest first, the current one last; empty when unknown."""
        return await self.ask(scope, q.VersionQuery(record_id))

    async def past_versions(self, scope: Scope, *, after: tuple[str, int] | None, limit: int) -> list[Version]:
        """Return superseded versions of all records by (record id, number), behind `after`."""
        return await self.ask(scope, q.PastVersionQuery(after, limit))

    async def links(self, scope: Scope, query: q.LinkQuery) -> list[Link]:
        """Return links by (from, to, relation)."""
        return await self.ask(scope, query)

    async def graph_revision(self, scope: Scope, kind: Kind) -> int:
        """Return a number that rises whenever a record of the kind or a link that leaves one changes."""
        return (await self.ask(scope, q.StandingQuery())).graphs.get(kind, 0)

    async def conflicts(self, scope: Scope, query: q.ConflictQuery) -> list[Conflict]:
        """Return conflicts, oldest first."""
        return await self.ask(scope, query)

    async def conflicts_among(self, scope: Scope, query: q.ConflictQuery, wanted: q.RecordFilter) -> list[Conflict]:
        """Return the conflicts of which every claim is of a record that passes a filter, oldest first."""
        found = await self.conflicts(scope, query)
        ids = list({claim.record_id for conflict in found for claim in conflict.claims})
        passing = set(await self.match(scope, ids, wanted)) if ids else set()
        return [conflict for conflict in found if all(claim.record_id in passing for claim in conflict.claims)]

    async def tombstones(self, scope: Scope, record_ids: Sequence[str] | None = None) -> list[Tombstone]:
        """Return tombstones by record id, all of them when no ids are given."""
        return await self.ask(scope, q.TombstoneQuery(None if record_ids is None else tuple(record_ids)))

    async def states(self, scope: Scope, *, prefix: str = "") -> dict[str, JsonValue]:
        """Return all named values by key, or those whose key begins with a prefix."""
        return await self.ask(scope, q.StatesQuery(prefix))

    async def state(self, scope: Scope, key: str) -> JsonValue:
        """Return one named value; `None` when there is none."""
        return await self.ask(scope, q.StateQuery(key))

    async def search_text(
        self, scope: Scope, terms: Sequence[str], *, record_filter: q.RecordFilter, limit: int, places: bool = False
    ) -> list[q.Hit]:
        """Return records that hold any of the terms, by BM25, best first."""
        return await self.ask(scope, q.TextQuery(tuple(terms), record_filter, limit, places))

    async def term_counts(self, scope: Scope, terms: Sequence[str], *, most: int) -> q.TermCounts:
        """Return how many records of the agent hold each of the terms, counting no further than `most`."""
        return await self.ask(scope, q.TermCountQuery(tuple(terms), most))

    async def session_terms(
        self,
        scope: Scope,
        sessions: Sequence[str],
        terms: Sequence[str],
        *,
        record_filter: q.RecordFilter,
        origins: Sequence[Origin] | None = None,
        most: int,
    ) -> dict[str, q.SessionTerms]:
        """Return how often sessions hold terms, over their `most` latest records that pass and are of the origins."""
        wanted = None if origins is None else tuple(origins)
        return await self.ask(scope, q.SessionTermQuery(tuple(sessions), tuple(terms), record_filter, most, wanted))

    async def vector_revision(self, scope: Scope) -> int:
        """Return a number that rises whenever any vector is put or removed, by any process."""
        return (await self.ask(scope, q.StandingQuery())).vector_revision

    async def vector_changes(
        self, scope: Scope, model: str, *, since: int, after: int = 0, limit: int = q.VECTORS_AT_ONCE
    ) -> q.VectorChanges:
        """Return one page of what happened to a model's vectors after a revision; see `vector_pages`."""
        return await self.ask(scope, q.VectorChangeQuery(model, since, after, limit))

    async def vectors(self, scope: Scope, record_ids: Sequence[str], *, model: str) -> "dict[str, NDArray[np.float32]]":
        """Return the vectors that a model gave to those of the records that have one."""
        return await self.ask(scope, q.VectorQuery(tuple(record_ids), model))

    async def vector_models(self, scope: Scope) -> dict[str, int]:
        """Return the embedding models that have vectors here, each with its dimension."""
        return await self.ask(scope, q.VectorModelQuery())

    async def vector_counts(self, scope: Scope, *, since: int = 0) -> dict[str, int]:
        """Return how many vectors of each model were put after a revision and are still there."""
        return await self.ask(scope, q.VectorCountQuery(since))

    async def queue(self, scope: Scope) -> q.QueueState:
        """Return how the agent's queue stands."""
        return await self.ask(scope, q.QueueQuery())

    async def jobs(self, scope: Scope, query: q.JobQuery) -> list[Job]:
        """Return jobs in queue order."""
        return await self.ask(scope, query)


class Store(StoreReader):
    """Keeps everything that is true. A scope's agent bounds every call; its session and task narrow reads.

    Every method raises `StorageError` and its kin, never an engine's own exception.
    """

    finds_work: bool = False
    """Whether `claim_any` finds the due jobs of all agents in one look; else a worker says which to look at."""

    # ── what an adapter does ─────────────────────────────────────────────────

    @abstractmethod
    async def commit(self, scope: Scope, changes: Sequence[Change]) -> Committed:
        """Apply all changes or none; on return they survive any crash."""

    @abstractmethod
    def snapshot(self, scope: Scope) -> AbstractAsyncContextManager["StoreReader"]:
        """Give what answers all questions about an agent as of one moment, whatever is written while it is held.

        Nobody waits for whoever holds it. It ends when something of the agent is erased: from then on it answers with
        `StoreBusy`, and before the erasure is acknowledged where that overwrites what it read from.
        """

    @abstractmethod
    async def load(self, scope: Scope, batches: AsyncIterator[Sequence[Change]]) -> None:
        """Fill an empty scope with all batches or nothing, keeping places and versions; refuse a scope in use."""

    @abstractmethod
    async def claim_any(
        self,
        *,
        worker: str,
        limit: int,
        lease: timedelta,
        now: datetime | None = None,
        among: Sequence[Scope] | None = None,
    ) -> q.Claims:
        """Claim up to so many jobs that may run: each the first of its lane, due, and not under a live lease.

        They are taken from the agents given, or from all that there are, the oldest jobs of each agent first. A wait or
        a lease that ends more than `MAX_WAIT` from now is taken as over: the clock was set back since. Without `now` it
        is the time of the database, which all workers share.
        """

    @abstractmethod
    async def renew(
        self, scope: Scope, *, job_id: str, fence: int, lease: timedelta, now: datetime | None = None
    ) -> None:
        """Prolong a lease, from now on; refuse with `LeaseLost` when it was taken over."""

    @abstractmethod
    async def erase(self, scope: Scope, erasure: q.Erasure) -> q.Erased:
        """Remove texts and vectors, and all that was derived from them, and say how deep that reached."""

    @abstractmethod
    async def check(self, scope: Scope, *, quick: bool = False) -> q.Health:
        """Examine every page, index and reference; report, change nothing. `quick` only counts and examines nothing."""

    @abstractmethod
    async def scopes(self) -> list[Scope]:
        """Return every agent that has data here, in a stable order."""

    @abstractmethod
    def on_enqueue(self, notify: Callable[[Scope], None]) -> None:
        """Have `notify` called, on the event loop, after a commit that added or revived jobs."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what is under way and let go of every file."""

    # ── what an adapter may do better ────────────────────────────────────────

    def visit(self, scope: Scope) -> AbstractContextManager[None]:
        """Say that several calls for one agent follow, so that what they need is kept at hand between them."""
        return nullcontext()

    async def latest(self, *, limit: int) -> list[Scope]:
        """Return some agents that have data here, those that were written to last first where that is known."""
        return (await self.scopes())[:limit]

    # ── short words ──────────────────────────────────────────────────────────

    def transaction(self, scope: Scope) -> Transaction:
        """Return a unit of work: what is put into it is committed together at the end of its `async with`."""
        return Transaction(self.commit, scope)


PAGE = 500
"""Rows that are read at a time where all are wanted. Chosen by hand: it bounds the memory of an export, and how long
one reading holds a connection that others wait for."""


async def every_entry(store: StoreReader, scope: Scope, query: q.EntryQuery | None = None) -> AsyncIterator[Entry]:
    """Yield all entries that a query finds, read page by page; its own limit does not count."""
    query = replace(query or q.EntryQuery(), limit=PAGE)
    while True:
        page = await store.entries(scope, query)
        for entry in page:
            yield entry
        if len(page) < PAGE:
            return
        last = page[-1].seq
        query = replace(query, before_seq=last) if query.newest_first else replace(query, after_seq=last)


async def every_record(store: StoreReader, scope: Scope, query: q.RecordQuery) -> AsyncIterator[Record]:
    """Yield all records that a query finds, in the order of their creation and read page by page."""
    query = replace(query, limit=PAGE)
    while True:
        page = await store.records(scope, query)
        for record in page:
            yield record
        if len(page) < PAGE:
            return
        query = replace(query, after_id=page[-1].id)


async def vector_pages(
    store: StoreReader, scope: Scope, model: str, *, since: int = 0, limit: int = q.VECTORS_AT_ONCE
) -> AsyncIterator[q.VectorChanges]:
    """Yield what happened to a model's vectors after a revision, page by page; 0 asks for all of them.

    All pages have the revision of the first: what others write meanwhile may be in the later ones, and is told again to
    whoever asks from there.
    """
    page = await store.vector_changes(scope, model, since=since, limit=limit)
    revision = page.revision
    yield page
    while page.after is not None:
        page = await store.vector_changes(scope, model, since=since, after=page.after, limit=limit)
        yield replace(page, revision=revision)


@runtime_checkable
class FileStore(Protocol):
    """What a store can do besides whose data lies in files of this machine, a folder for each agent."""

    def folder(self, scope: Scope) -> Path:
        """Return the folder of an agent's files, where what belongs to them alone is kept, too."""
        ...

    async def repair(self, scope: Scope) -> Path:
        """Save what is readable to a new file beside the damaged one, which stays untouched; return the new file."""
        ...

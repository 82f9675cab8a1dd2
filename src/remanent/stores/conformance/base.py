"""What the parts of the store's suite share: opening stores, data, reading everything back.

The clock stands still unless a test moves it, and ids repeat from run to run: a failure can be repeated, and no test
waits for time to pass.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from remanent.lightweight import dataclass
from remanent.model import (
    Claim,
    Conflict,
    Entry,
    Job,
    Kind,
    Link,
    Record,
    Scope,
    Source,
    Status,
    Tombstone,
    Version,
    id_source,
)
from remanent.stores.queries import (
    ConflictQuery,
    EntryQuery,
    JobQuery,
    LinkQuery,
    QueueState,
    RecordFilter,
    RecordQuery,
)
from remanent.stores.store import Store, vector_pages
from remanent.stores.transaction import Change, Committed
from remanent.text.terms import query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

START = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
MODEL = "sample-4"
"""The embedding model of sample vectors; they have four dimensions."""


class SetClock:
    """A clock that shows what it was set to until somebody moves it."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the moment it was set to."""
        return self.now

    def advance(self, *, seconds: float) -> datetime:
        """Move on, and return the new moment."""
        self.now += timedelta(seconds=seconds)
        return self.now


class Samples:
    """Makes valid data; every field can be given, every other is filled with something plain."""

    def __init__(self, *, start: datetime = START, seed: int = 7) -> None:
        self.clock = SetClock(start)
        self.new_id = id_source(self.clock, seed=seed)

    def make_scope(self, agent: str = "ada", *, workspace: str = "lab", org: str = "acme", **labels: str) -> Scope:
        """Return a scope; `session` and `task` narrow it."""
        return Scope(org=org, workspace=workspace, agent=agent, **labels)

    def make_entry(self, scope: Scope, text: str = "I moved to Lisbon in May.", **fields: Any) -> Entry:
        """Return an entry that happens now."""
        now = self.clock()
        given: dict[str, Any] = {"id": self.new_id(), "occurred_at": now, "recorded_at": now, **fields}
        return Entry(scope=scope, text=text, **given)

    def make_record(self, scope: Scope, content: str = "She lives in Lisbon.", **fields: Any) -> Record:
        """Return the first version of a record, made now."""
        now = self.clock()
        given: dict[str, Any] = {"id": self.new_id(), "kind": Kind.TURN, **fields}
        given = {"created_at": now, "updated_at": now, "occurred_at": now, **given}
        given.setdefault("data", Kind(given["kind"]).data())
        return Record(scope=scope, content=content, **given)

    def make_record_of(self, entry: Entry, content: str | None = None, **fields: Any) -> Record:
        """Return a record that was derived from an entry."""
        given = {"sources": (Source(entry_id=entry.id),), **fields}
        return self.make_record(entry.scope, entry.text if content is None else content, **given)

    def next_version(self, record: Record, **changes: Any) -> Record:
        """Return the version after this one, written now."""
        return record.replace(**{"version": record.version + 1, "updated_at": self.clock(), **changes})

    def make_link(self, from_id: str, to_id: str, relation: str = "about", **fields: Any) -> Link:
        """Return a link made now."""
        now = self.clock()
        given: dict[str, Any] = {"created_at": now, "updated_at": now, **fields}
        return Link(from_id=from_id, to_id=to_id, relation=relation, **given)

    def make_conflict(self, scope: Scope, records: Sequence[Record], **fields: Any) -> Conflict:
        """Return an open conflict in which each record claims its content."""
        now = self.clock()
        claims = tuple(Claim(record_id=record.id, text=record.content, evidence=record.sources) for record in records)
        given: dict[str, Any] = {"id": self.new_id(), "created_at": now, "updated_at": now, **fields}
        return Conflict(scope=scope, claims=claims, **given)

    def make_tombstone(self, record: Record, **fields: Any) -> Tombstone:
        """Return what is left of a record that is forgotten now."""
        given: dict[str, Any] = {
            "record_id": record.id,
            "scope": record.scope,
            "kind": record.kind,
            "about": record.content[:40],
            "learned_at": record.created_at,
            "forgotten_at": self.clock(),
            "size": len(record.content),
            **fields,
        }
        return Tombstone(**given)

    def make_job(self, scope: Scope, kind: str = "embed", **fields: Any) -> Job:
        """Return a job that is enqueued now."""
        given: dict[str, Any] = {"id": self.new_id(), "enqueued_at": self.clock(), **fields}
        return Job(scope=scope, kind=kind, **given)


def make_vector(*values: float) -> "NDArray[np.float32]":
    """Return a vector of four numbers, the missing ones 0."""
    import numpy as np

    return np.array([*values, *[0.0] * (4 - len(values))], dtype=np.float32)


def vector_bytes(*values: float) -> bytes:
    """Return such a vector as a store keeps it."""
    return make_vector(*values).astype("<f4").tobytes()


OpenStore = Callable[[str], Awaitable[Store]]
"""Opens a store at a named place; the same name is the same data, so that a test can open a store again."""
MANY = 100_000
ANY_STATUS = RecordFilter(statuses=None)


async def claim(store: Store, scope: Scope, *, worker: str, now: datetime, lease: timedelta) -> Job | None:
    """Claim the next job of one agent that may run."""
    claims = await store.claim_any(worker=worker, limit=1, lease=lease, now=now, among=(scope,))
    for error in claims.failed.values():
        raise error
    return claims.jobs[0] if claims.jobs else None


class AgentSuite:
    """The fixtures of every suite over a `store`, which each gives in its way."""

    @pytest.fixture
    def agent(self, store: Store, samples: Samples, scope: Scope) -> "StoredAgent":
        """Return an agent whose memory is in the store."""
        return StoredAgent(store, samples, scope)

    @pytest.fixture
    def samples(self) -> Samples:
        """Return the builder of data."""
        return Samples()

    @pytest.fixture
    def scope(self, samples: Samples) -> Scope:
        """Return whose memory it is."""
        return samples.make_scope()


class StoreSuite(AgentSuite):
    """The fixtures of every part; a backend gives `open_store`."""

    @pytest.fixture
    def open_store(self) -> OpenStore:
        """Return what opens a store at a named place, which is empty at first."""
        raise NotImplementedError

    @pytest.fixture
    async def opened(self, open_store: OpenStore) -> AsyncIterator[OpenStore]:
        """Return what opens a store that is closed after the test."""
        stores: list[Store] = []

        async def opened(place: str) -> Store:
            stores.append(await open_store(place))
            return stores[-1]

        yield opened
        for store in stores:
            await store.close()

    @pytest.fixture
    async def store(self, opened: OpenStore) -> Store:
        """Return an empty store."""
        return await opened("here")


@dataclass(frozen=True)
class Everything:
    """All that a store says about an agent."""

    entries: list[Entry]
    records: list[Record]
    past: list[Version]
    links: list[Link]
    conflicts: list[Conflict]
    tombstones: list[Tombstone]
    states: dict[str, Any]
    vectors: dict[tuple[str, str], bytes]
    jobs: list[Job]
    queue: QueueState

    def __contains__(self, words: str) -> bool:
        """Tell whether the words stand anywhere in it."""
        return words in repr(self)


async def everything(store: Store, scope: Scope) -> Everything:
    """Read back all that a store says about an agent."""
    return Everything(
        entries=await store.entries(scope, EntryQuery(limit=MANY)),
        records=await store.records(scope, RecordQuery(ANY_STATUS, limit=MANY)),
        past=await store.past_versions(scope, after=None, limit=MANY),
        links=await store.links(scope, LinkQuery()),
        conflicts=await store.conflicts(scope, ConflictQuery(limit=MANY)),
        tombstones=await store.tombstones(scope),
        states=await store.states(scope),
        vectors=await vectors_of(store, scope),
        jobs=await store.jobs(scope, JobQuery(limit=MANY)),
        queue=await store.queue(scope),
    )


async def vectors_of(store: Store, scope: Scope) -> dict[tuple[str, str], bytes]:
    """Return every vector by its model and record."""
    held: dict[tuple[str, str], bytes] = {}
    for model in await store.vector_models(scope):
        async for page in vector_pages(store, scope, model):
            for record_id, row in zip(page.record_ids, page.matrix, strict=True):
                held[model, record_id] = row.astype("<f4").tobytes()
    return held


async def put(store: Store, *records: Record) -> list[Record]:
    """Put new records of one agent, and return them."""
    async with store.transaction(records[0].scope) as tx:
        for record in records:
            tx.put(record)
    return [*records]


async def update(store: Store, record: Record) -> Record:
    """Put the next version of a record, and return it."""
    async with store.transaction(record.scope) as tx:
        tx.put(record, expects=record.version - 1)
    return record


async def append(store: Store, *entries: Entry) -> list[Entry]:
    """Append entries of one agent, and return them as they were stored."""
    async with store.transaction(entries[0].scope) as tx:
        for entry in entries:
            tx.append(entry)
    ids = tx.committed.entry_ids
    stored = await store.entries(entries[0].scope.owner, EntryQuery(entry_ids=ids, limit=MANY))
    by_id = {entry.id: entry for entry in stored}
    return [by_id[entry_id] for entry_id in ids]


async def listed(store: Store, scope: Scope, **query: Any) -> list[str]:
    """Return the contents of the records that a filter lets through, in the order they are listed."""
    of_list = {name: query.pop(name) for name in _OF_LIST if name in query}
    found = await store.records(scope, RecordQuery(RecordFilter(**query), **of_list))
    return [record.content for record in found]


_OF_LIST = ("record_ids", "source_entry_ids", "order", "after_id", "limit")


async def current(store: Store, scope: Scope, record_id: str) -> Record:
    """Return a record of any status."""
    [record] = await store.records(scope, RecordQuery(ANY_STATUS, record_ids=(record_id,)))
    return record


async def found(store: Store, scope: Scope, question: str, *, limit: int = 10, **wanted: Any) -> list[str]:
    """Return the ids of the records that a question finds, best first."""
    return await found_by(store, scope, query_terms(question), limit=limit, **wanted)


async def found_by(store: Store, scope: Scope, terms: Sequence[str], *, limit: int = 10, **wanted: Any) -> list[str]:
    """Return the ids of the records that terms find, best first."""
    hits = await store.search_text(scope, terms, record_filter=RecordFilter(**wanted), limit=limit)
    return [hit.record_id for hit in hits]


def told_apart(now: datetime) -> dict[str, dict[str, Any]]:
    """Return the fields of records that differ in what the filters of a search look at, by their names."""
    return {
        "plain": {},
        "note": {"kind": Kind.NOTE},
        "tagged": {"tags": ("red",)},
        "pending": {"status": Status.PENDING},
        "late": {"occurred_at": now.replace(year=2030)},
        "outdated": {"valid_to": now.replace(year=2020)},
        "expired": {"expires_at": now.replace(year=2020)},
    }


async def check_filters(
    records: Mapping[str, Record], now: datetime, found_ids: Callable[..., Awaitable[Sequence[str]]]
) -> None:
    """Hold a search of such records to what each filter means."""

    async def names(**wanted: Any) -> set[str]:
        ids = await found_ids(**wanted)
        return {name for name, record in records.items() if record.id in ids}

    live = set(records) - {"pending"}
    assert await names() == live
    assert await names(kinds=(Kind.NOTE,)) == {"note"}
    assert await names(kinds=(Kind.NOTE, Kind.TURN)) == live
    assert await names(tags=("red",)) == {"tagged"}
    assert await names(statuses=(Status.PENDING,)) == {"pending"}
    assert await names(occurred_from=now.replace(year=2029)) == {"late"}
    assert await names(occurred_before=now.replace(year=2029)) == live - {"late"}
    assert await names(valid_at=now) == live - {"outdated"}
    assert await names(alive_at=now) == live - {"expired"}


class StoredAgent:
    """An agent in a store, with what makes its data: short words for what nearly every test does.

    Whatever the store does for a scope, this does for the agent's own.
    """

    def __init__(self, store: Store, samples: Samples, scope: Scope) -> None:
        self.store, self.samples, self.scope = store, samples, scope
        self.clock, self.next_version = samples.clock, samples.next_version
        self.link, self.record_of = samples.make_link, samples.make_record_of
        self.record, self.entry = partial(samples.make_record, scope), partial(samples.make_entry, scope)
        self.conflict, self.job = partial(samples.make_conflict, scope), partial(samples.make_job, scope)
        self.put, self.update, self.append = partial(put, store), partial(update, store), partial(append, store)
        self.found, self.found_by = partial(found, store, scope), partial(found_by, store, scope)
        self.listed, self.current = partial(listed, store, scope), partial(current, store, scope)
        self.everything, self.vectors = partial(everything, store, scope), partial(vectors_of, store, scope)
        self.transaction = partial(store.transaction, scope)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return what the store does under this name, for this agent."""
        return partial(getattr(self.store, name), self.scope)

    @property
    def do(self) -> "_OneByOne":
        """What a unit of work can do, each as one of its own: `await agent.do.unlink("a", "b")`."""
        return _OneByOne(self)

    async def revision(self) -> int:
        """Return a number that rises whenever anything that can be read is changed."""
        return (await self.store.standing(self.scope)).revision

    async def commit(self, *changes: Change) -> Committed:
        """Commit changes as one unit of work."""
        return await self.store.commit(self.scope, changes)

    async def said(self, **query: Any) -> list[str]:
        """Return the texts of the entries that a query finds."""
        return [entry.text for entry in await self.store.entries(self.scope, EntryQuery(**query))]

    def at(self, scope: Scope) -> "StoredAgent":
        """Return what lies in the same store under another scope."""
        return StoredAgent(self.store, self.samples, scope)

    def within(self, **labels: str | None) -> "StoredAgent":
        """Return what is of one session or task of it."""
        return self.at(self.scope.within(**labels))

    def through(self, store: Store) -> "StoredAgent":
        """Return the same agent, seen through another handle."""
        return StoredAgent(store, self.samples, self.scope)

    async def forget(self, record: Record) -> None:
        """Forget a record now."""
        await self.do.forget(record, at=self.clock())


class _OneByOne:
    def __init__(self, agent: StoredAgent) -> None:
        self._agent = agent

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Committed]]:
        """Return what a unit of work has under this name, which is committed at once."""

        async def do(*given: Any, **named: Any) -> Committed:
            async with self._agent.transaction() as tx:
                getattr(tx, name)(*given, **named)
            return tx.committed

        return do

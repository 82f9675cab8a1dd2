"""What the parts of the store's suite share: opening stores, data, reading everything back."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from remanent.model import Conflict, Entry, Job, Link, Record, Scope, Tombstone, Version
from remanent.stores.conformance.samples import Samples
from remanent.stores.queries import (
    ConflictQuery,
    EntryQuery,
    JobQuery,
    LinkQuery,
    QueueState,
    RecordFilter,
    RecordQuery,
)
from remanent.stores.store import Store
from remanent.text.terms import query_terms

OpenStore = Callable[[str], Awaitable[Store]]
"""Opens a store at a named place; the same name is the same data."""
MANY = 100_000
ANY_STATUS = RecordFilter(statuses=None)


class StoreSuite:
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

    @pytest.fixture
    def samples(self) -> Samples:
        """Return the builder of data."""
        return Samples()

    @pytest.fixture
    def scope(self, samples: Samples) -> Scope:
        """Return whose memory it is."""
        return samples.make_scope()


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
        found = await store.vector_changes(scope, model, since=0)
        for record_id, row in zip(found.record_ids, found.matrix, strict=True):
            held[model, record_id] = row.astype("<f4").tobytes()
    return held


async def put(store: Store, *records: Record) -> None:
    """Put new records of one agent."""
    async with store.transaction(records[0].scope) as tx:
        for record in records:
            tx.put(record)


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

"""The one door to the journal: whatever is appended or erased comes through here.

Appending asks for the index and tells the disciplines in the unit of work that appends, so that nothing is in the
journal that recall cannot find later; erasing has everybody let go of what was erased.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any, Protocol

from remanent.context import Sessions
from remanent.embedding import Embedders
from remanent.model import Attachment, Clock, Entry, Message, NewId, Receipt, Scope, read_messages, to_instant
from remanent.model.chat import STAMPS, Messages
from remanent.recall import EMBED, TURNS, Echoes, Indexing, Recall
from remanent.recall.indexing import MAX_STREAM_WAIT
from remanent.stores import (
    NO_LIMIT,
    Change,
    Committed,
    EntryQuery,
    Erased,
    Erasure,
    ErasureDepth,
    RecordFilter,
    RecordQuery,
    Store,
    Transaction,
    Vectors,
)
from remanent.stores.blobs import Blobs
from remanent.stores.store import ERASING
from remanent.stores.transaction import AppendEntry
from remanent.text.dates import said_at

MADE_AT_ONCE = 50
"""Entries that are made before other work gets a turn: a thousand would keep everybody waiting for 0.17 s."""
WithinTransaction = Callable[[Transaction, Sequence[Entry]], None]
"""Does something more in the unit of work that keeps entries."""


def _dated(message: Message, now: datetime) -> Message:
    """Return a message with the moment that its metadata tell, if it has none of its own: logs keep it there."""
    if message.occurred_at is not None or not message.metadata:
        return message
    told = (said_at(message.metadata[name], now=now) for name in STAMPS if name in message.metadata)
    moment = next((moment for moment in told if moment is not None), None)
    return message if moment is None else message.replace(occurred_at=moment)


class JournalListener(Protocol):
    """Who is told of what is appended and erased: the disciplines that are at work."""

    async def on_append(self, tx: Transaction, entries: Sequence[Entry], *, by: str) -> None:
        """Do what follows from entries, inside of the unit of work that appends them."""

    async def before_erase(self, scope: Scope, erasure: Erasure) -> Erasure:
        """Destroy what lies outside of the store; return what is to be erased, with what hangs on it."""

    async def on_erase(self, scope: Scope, erased: Erased) -> None:
        """Let go of what was erased."""


class _Writing:
    """A unit of work that goes before indexing. Every write passes here: a generator would take twice as long."""

    __slots__ = ("_attend", "_indexing", "_tx")

    def __init__(self, indexing: Indexing, tx: Transaction, *, attend: Callable[[Scope], None]) -> None:
        self._indexing = indexing
        self._tx = tx
        self._attend = attend

    async def __aenter__(self) -> Transaction:
        await self._indexing.follow_models(self._tx.scope)
        self._indexing.writing.begin(self._tx.scope.owner)
        return self._tx

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._tx.__aexit__(kind, error, trace)
        finally:
            self._indexing.writing.end()
        if kind is None:
            # What was stored before may still wait for its index: an earlier process may have ended too soon.
            self._attend(self._tx.scope)


class Journal:
    """Appends, keeps and erases for everybody."""

    def __init__(
        self,
        store: Store,
        vectors: Vectors,
        indexing: Indexing,
        *,
        blobs: Blobs,
        echoes: Echoes,
        embedders: Embedders | None,
        longest: int,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._store = store
        self._vectors = vectors
        self._indexing = indexing
        self._blobs = blobs
        self._echoes = echoes
        self._jobs = (TURNS,) if embedders is None else (TURNS, EMBED)
        self._longest = longest
        self._clock = clock
        self._new_id = new_id
        self.sessions: Sessions | None = None
        """The sessions that are kept open by what is said; set once they are there."""
        self.listener: JournalListener | None = None
        """The disciplines; set once they are open."""
        self.recall: Recall | None = None
        """The read path, which keeps answers; set once it is put together."""
        self.watch: Callable[[Scope], None] = lambda _: None
        """Has the worker look at an agent's queue; set once there is a worker."""
        self.attend: Callable[[Scope], None] = lambda _: None
        """Has the worker look at an agent's queue unless it does so already; set once there is a worker."""
        self.rest: Callable[[Scope], None] = lambda _: None
        """Has the worker leave an agent's queue alone until it is watched again; set once there is a worker."""
        self.erase_noted: Callable[[Scope, Erasure], Awaitable[Erased]] = self.erase
        """Erases with the files beside the store, written down before it begins, so that one cut short by a crash is
        carried to its end; set once the memory is put together."""

    async def keep(
        self,
        scope: Scope,
        messages: Messages,
        *,
        session: str | None = None,
        task: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        user: str | None = None,
        also: WithinTransaction | None = None,
    ) -> Receipt:
        """Keep messages for good, with whatever is asked for in the same unit of work.

        `metadata` and `tags` are for all of them; what a message says itself comes first. `user` is whose they are.
        """
        scope = scope.within(session=session, task=task)
        read = read_messages(messages, longest=self._longest, metadata=metadata, tags=tags, user=user)
        if any(one.files for one in read):
            read = [await self._with_files_kept(scope, one) for one in read]
        now = to_instant(self._clock())
        async with self.writing(scope) as tx:
            entries: list[Entry] = []
            for number, message in enumerate(read, start=1):
                entries.append(_dated(message, now).entry(self._new_id(), scope=scope, recorded_at=now))
                if number % MADE_AT_ONCE == 0:
                    await asyncio.sleep(0)
            await self.append(tx, entries)
            if also is not None:
                also(tx, entries)
        done = tx.committed
        return Receipt.checked(
            entry_ids=done.entry_ids, last_seq=done.last_seq, repeated=done.repeated, recorded_at=now
        )

    async def _with_files_kept(self, scope: Scope, message: Message) -> Message:
        """Keep the bytes that came within a message, and return it with references to them."""
        kept = []
        for file in message.files:
            digest = await self._blobs.put(scope, content := file.content)
            about = {"media_type": file.media_type, "name": file.name, "size": len(content)}
            kept.append(Attachment.model_validate({"attachment_id": digest, "digest": digest, **about}))
        return message.replace(files=(), attachments=(*message.attachments, *kept)) if kept else message

    def writing(self, scope: Scope) -> "_Writing":
        """Lend a unit of work that goes before indexing, and have the worker look at what it asks for."""
        return _Writing(self._indexing, self._store.transaction(scope), attend=self.attend)

    async def lull(self, scope: Scope) -> None:
        """Wait until a stream of writes to the agent pauses, but not for ever: for work that can wait."""
        await self._indexing.writing.wait(scope.owner, most=MAX_STREAM_WAIT)

    def hurried(self) -> AbstractContextManager[None]:
        """Have no background work wait for a lull: somebody waits for it."""
        return self._indexing.writing.waived()

    async def append(self, tx: Transaction, entries: Sequence[Entry], *, by: str = "") -> None:
        """Append entries in a unit of work, ask for their index and tell the disciplines, but not the one they are of.

        Whoever does so outside of `writing` has the worker look at the agent's queue by `watch` afterwards.
        """
        for entry in entries:
            tx.append(entry)
        await self._follow(tx, entries, by=by)

    async def commit(self, scope: Scope, changes: Sequence[Change], *, by: str = "") -> Committed:
        """Commit changes that somebody has gathered, with what follows from the entries among them."""
        entries = [change.entry for change in changes if isinstance(change, AppendEntry)]
        if not entries:
            return await self._store.commit(scope, changes)
        async with self.writing(scope) as tx:
            tx.changes.extend(changes)
            await self._follow(tx, entries, by=by)
        return tx.committed

    async def _follow(self, tx: Transaction, entries: Sequence[Entry], *, by: str) -> None:
        """Do what follows from entries inside of the unit of work that appends them.

        Echoes are marked, indexing is requested, sessions and disciplines are told. After the commit a crash could come
        first, and what was acknowledged would stay unindexed without anybody noticing.
        """
        await self._echoes.keep(tx)
        self._indexing.request(tx)
        if self.sessions is not None and not by:  # a discipline's own notes are nothing that was said
            self.sessions.heard(tx, entries)
        if self.listener is not None:
            await self.listener.on_append(tx, entries, by=by)

    def index(self, tx: Transaction) -> None:
        """Ask for the index of records that are put in this unit of work, however much waits."""
        for kind in self._jobs:
            tx.request(kind, job_id=self._new_id(), at=self._clock(), key=kind)

    async def embed_few(self, scope: Scope) -> bool:
        """Have a handful of records found by their meaning at once; tell whether there were none."""
        return await self._indexing.embed_few(scope)

    async def reach(self, scope: Scope, *, entry_ids: tuple[str, ...], record_ids: tuple[str, ...]) -> Erased:
        """Return what erasing these would take from the store; what a discipline adds to it is not known before."""
        entries = [
            entry.id
            for query in (
                EntryQuery(entry_ids=entry_ids, limit=NO_LIMIT),
                EntryQuery(source_of=record_ids, limit=NO_LIMIT),
            )
            for entry in await self._store.entries(scope, query)
            if not entry.erased
        ]
        every = RecordFilter(statuses=None)
        records = [
            record.id
            for query in (
                RecordQuery(filter=every, record_ids=record_ids, limit=NO_LIMIT),
                RecordQuery(filter=every, source_entry_ids=tuple(entries), limit=NO_LIMIT),
            )
            for record in await self._store.records(scope, query)
        ]
        return Erased(tuple(dict.fromkeys(entries)), tuple(dict.fromkeys(records)))

    async def erase(self, scope: Scope, erasure: Erasure) -> Erased:
        """Destroy what is named and all that came from it, and have everybody let go of it."""
        if self.listener is not None:
            erasure = await self.listener.before_erase(scope, erasure)
        erased = await self._store.erase(scope, erasure)
        note = await self._store.state(scope, ERASING)
        # After a crash the rows are gone already, and only the store's note tells which they were.
        went: dict[str, Any] = note if isinstance(note, dict) else {"records": erased.record_ids}
        await self._vectors.erased(scope.owner, None if went.get("everything") else tuple(went.get("records", ())))
        try:
            if self.listener is not None:
                await self.listener.on_erase(scope, erased)
        finally:
            if self.recall is not None:
                await self.recall.erased(scope.owner)
        beside = self._vectors.depth
        return erased if beside is ErasureDepth.OVERWRITTEN else replace(erased, depth=beside)


Append = Callable[[Transaction, Sequence[Entry]], Awaitable[None]]
"""Appends entries in a unit of work; `Journal.append`, or less where there is no more than a store."""

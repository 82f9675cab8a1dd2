"""Making what was said findable as itself: a `turn` record per entry, then its vector.

A turn stands by itself as soon as it has its words, so that those come first and for all that waits; vectors take far
longer and follow. Each job does a bounded piece and asks for the next one, so that a crash repeats little, writers go
first, and a question never waits for a whole import.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from pydantic import JsonValue

from remanent.embedding import Embedders, KnownEmbedders
from remanent.errors import BusyError, LanguageError, StorageError
from remanent.fairness import in_thread, rested
from remanent.model import (
    Clock,
    Entry,
    Job,
    JsonObject,
    Kind,
    NewId,
    Record,
    Scope,
    Source,
    Status,
    TurnData,
)
from remanent.recall.echoes import Echo, Echoes
from remanent.recall.windows import FINER, PAGE, PARTS, FinerReading, as_read, vector_name, vector_names
from remanent.stores import (
    NO_LIMIT,
    EntryQuery,
    RecordFilter,
    RecordQuery,
    Standing,
    Store,
    Transaction,
)
from remanent.stores.search_terms import is_searched, reply_terms, search_terms, talk_of

TURNS = "turns"
"""The job that makes turn records, and its lane; the state that says how far the journal is covered."""

EMBED = "embed"
"""The job that gives records their vectors, and its lane."""

EMBEDDED = "embedded"
"""The state that says how far the turns of the journal had their vectors; missing where that was never noted."""

REEMBED = "reembed"
"""The job that brings all vectors to the models in force, and its lane."""

MODELS = "embedding"
"""The state that names the models, and their names for parts, which every record has its vectors of."""

MAX_WRITER_WAIT = 0.25
"""Seconds that indexing waits for a lull among writers before each step: long beside a commit, short beside how
soon people expect to be understood, and one client writes about as much in it as is searched word by word (`TAIL`)."""

STREAM_GAP = 0.05
"""Seconds between two writes of an agent within which they are one stream, as an import or a busy server gives. Indexed
one by one, each message of a stream took ten times the work of writing it: 110 were written in a second, where 1,400
could be. Chosen by hand: far above what a write takes, far below how fast people type."""
MAX_STREAM_WAIT = 2.0
"""Seconds that work behind the index waits for a pause in a stream: learning takes that of several writes a message and
measuring for the gate that of hundreds, and nobody misses them for two seconds. Chosen by hand."""
_MAX_STREAMS = 10_000
"""Agents whose last writes are known; with so many of them it begins anew, and a stream is seen a write later."""

LOOK_BACK = 32
"""How many entries before a batch are searched for what its first ones reply to."""

# What one job takes at a time: large enough that a commit's cost does not count, small enough that a crash repeats
# little and that others get their turn in between. A batch of vectors takes longer, hence fewer.
ENTRY_BATCH = 256
CROWD = 8
"""Writers at once beyond which a batch is a quarter of that: all of them wait for its commit, 15 to 40 ms."""
RECORD_BATCH = 64
HANDFUL = 8
"""Records that somebody who asks waits for: an edited note has one or two that changed, some 20 ms each."""
_AT_ONCE = 16
"""Entries that are prepared at once, some 3 ms; between, others go first."""
_MAX_SEEN = 100_000
"""Agents whose models are known to be looked at: some ten megabytes."""


OnTurns = Callable[[Transaction, Sequence[Entry]], Awaitable[None]]
"""Does what follows from entries that recall finds from now on, inside of the unit of work that makes their turns."""


class IsDue(Protocol):
    """Tells whether a job that follows indexing should run."""

    async def __call__(self, scope: Scope, *, seq: int) -> bool:
        """Return whether it should, now that the journal is indexed up to a place."""


async def indexed_through(store: Store, scope: Scope, *, standing: Standing | None = None) -> int:
    """Return the place in the journal up to which every entry has its turn record."""
    seq = await store.state(scope, TURNS) if standing is None else standing.states.get(TURNS)
    return seq if isinstance(seq, int) else 0


async def embedded_through(store: Store, scope: Scope, *, standing: Standing | None = None) -> int:
    """Return the place in the journal up to which every turn had its vectors when that was last noted.

    What lies behind it is searched word by word as well, so that what was just said is found before its vectors are
    made.
    """
    indexed = await indexed_through(store, scope, standing=standing)
    seq = await store.state(scope, EMBEDDED) if standing is None else standing.states.get(EMBEDDED)
    return min(seq, indexed) if isinstance(seq, int) else indexed


def turn_of(entry: Entry) -> Record:
    """Return an entry as a record; it keeps the entry's id, so that making it again makes nothing new."""
    return Record(
        id=entry.id,
        scope=entry.scope,
        kind=Kind.TURN,
        content=entry.text,
        tags=entry.tags,
        created_at=entry.recorded_at,
        updated_at=entry.recorded_at,
        occurred_at=entry.occurred_at,
        sources=(Source(entry_id=entry.id, end=len(entry.text)),),
        trust=entry.origin,
        data=TurnData(role=entry.role),
    )


class WriterPriority:
    """Lets writes go first: what is being said is taken down before what was said is indexed.

    A single message is indexed at once. Of a stream, what has come is indexed together: when it pauses, when somebody
    waits for the index, or when it has gone on for long enough.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._writers = 0
        self._lull = asyncio.Event()
        self.take: Callable[[int], None] = lambda _: None
        """Takes a job's place, or gives it back: agents at rest must not wait for those that write. Set once there is a
        worker."""
        self._waived = 0
        self._hurry = asyncio.Event()
        self._streams: dict[Scope, tuple[float, bool]] = {}
        """When each agent was last written to, and whether that was right behind the write before."""

    def begin(self, owner: Scope) -> None:
        """Begin a write."""
        self._writers += 1
        self._lull.clear()
        now = self._now()
        last = self._streams.get(owner)
        if last is None and len(self._streams) >= _MAX_STREAMS:
            self._streams.clear()
        self._streams[owner] = now, last is not None and now - last[0] < STREAM_GAP

    @property
    def batch(self) -> int:
        """How many entries are indexed at a time."""
        return ENTRY_BATCH // 4 if self._writers > CROWD and not self._waived else ENTRY_BATCH

    def end(self) -> None:
        """End a write."""
        self._writers -= 1
        if not self._writers:
            self._lull.set()

    @contextmanager
    def waived(self) -> Iterator[None]:
        """Have no stream waited for: somebody waits for what is behind it."""
        self._waived += 1
        self._hurry.set()
        try:
            yield
        finally:
            self._waived -= 1
            if not self._waived:
                self._hurry.clear()

    async def wait(self, owner: Scope, *, most: float = MAX_WRITER_WAIT) -> None:
        """Wait within a job until nobody writes and the agent's stream, if any, has paused; but not for ever."""
        begun = self._now()
        self.take(-1)
        try:
            await self._wait(owner, ends=begun + most)
        finally:
            self.take(1)
            rested(self._now() - begun)

    async def _wait(self, owner: Scope, *, ends: float) -> None:
        if self._writers:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._lull.wait(), MAX_WRITER_WAIT)
        while not self._waived:
            written_at, is_stream = self._streams.get(owner, (0.0, False))
            if not is_stream or (pause := min(written_at + STREAM_GAP, ends) - self._now()) <= 0:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), pause)


class Indexing:
    """The jobs that stand between the journal and recall."""

    def __init__(
        self,
        store: Store,
        embedders: Embedders | None,
        *,
        clock: Clock,
        new_id: NewId,
        queue_limit: int,
        echoes: Echoes | None = None,
        known: KnownEmbedders | None = None,
    ) -> None:
        self._store = store
        self._embedders = embedders
        self._clock = clock
        self._new_id = new_id
        self._queue_limit = queue_limit
        self.writing = WriterPriority()
        self._echoes = echoes
        self._known = known
        self._finer = None if embedders is None or not embedders.finer else FinerReading(store, embedders)
        self._followers: dict[str, IsDue] = {}
        self.on_turns: OnTurns | None = None
        """Told of entries whose turns are made; set once the disciplines are open."""
        self._seen: set[Scope] = set()
        """Agents whose models were looked at; with `_MAX_SEEN` of them it begins anew, at the cost of a look each."""

    def followed_by(self, kind: str, is_due: IsDue) -> None:
        """Have a job of a kind asked for when all is indexed and it is due at that place in the journal."""
        self._followers[kind] = is_due

    async def _ask_followers(self, scope: Scope, tx: Transaction, *, seq: int | None = None) -> None:
        at = await indexed_through(self._store, scope) if seq is None else seq
        for kind, is_due in self._followers.items():
            if await is_due(scope, seq=at):
                self._go_on(tx, kind)

    def request(self, tx: Transaction, kind: str = TURNS) -> None:
        """Ask for indexing as part of a unit of work; one request covers everything that waits."""
        self._enqueue(tx, kind, limit=self._queue_limit)

    def _go_on(self, tx: Transaction, kind: str, *, payload: JsonObject | None = None) -> None:
        """Have a job done behind the one that runs, however many wait."""
        self._enqueue(tx, kind, limit=NO_LIMIT, payload=payload)

    def _enqueue(self, tx: Transaction, kind: str, *, limit: int, payload: JsonObject | None = None) -> None:
        tx.request(kind, job_id=self._new_id(), at=self._clock(), key=kind, payload=payload, limit=limit)

    async def make_turns(self, job: Job, tx: Transaction) -> None:
        """Give the next entries of the journal their turn records.

        The place in the journal is noted in the same unit of work as the records: made again after a crash, they
        replace themselves, since a turn has the id of its entry.
        """
        await self.writing.wait(job.scope.owner)
        done = await indexed_through(self._store, job.scope)
        entries = await self._store.entries(job.scope, EntryQuery(after_seq=done, limit=(batch := self.writing.batch)))
        if not entries:
            return
        earlier = EntryQuery(after_seq=max(0, done - LOOK_BACK), limit=LOOK_BACK)
        before = [entry for entry in await self._store.entries(job.scope, earlier) if entry.seq <= done]
        echoes = {} if self._echoes is None else await self._echoes.find(job.scope, entries)
        last = {talk_of(entry): entry for entry in before if entry.text}
        for start in range(0, len(entries), _AT_ONCE):
            some = entries[start : start + _AT_ONCE]
            for record, terms in await in_thread(_prepare, last, some, echoes):
                tx.put(record, terms=terms)
        tx.state(TURNS, entries[-1].seq)
        if self.on_turns is not None:
            await self.on_turns(tx, entries)
        if self._embedders is not None:
            self._go_on(tx, EMBED)
        if len(entries) == batch:
            self._go_on(tx, TURNS)
        elif self._embedders is None:
            await self._ask_followers(job.scope, tx, seq=entries[-1].seq)

    async def embed(self, job: Job, tx: Transaction) -> None:
        """Give the next records without a vector theirs; when all have one, those of the finer model.

        Few records are read by both models in one job: general model, second reading and its end as three jobs took 78
        calls of the store for thirty messages where 60 are promised, and take 54 so.
        """
        if self._embedders is None:
            return
        # Asked together, and thus of one moment: what is made meanwhile is left to the next job.
        through, records, models = await asyncio.gather(
            indexed_through(self._store, job.scope),
            self._store.unembedded(job.scope, limit=RECORD_BATCH),
            self._models_of(job.scope),
        )
        if len(records) < RECORD_BATCH:
            tx.state(EMBEDDED, through)
        if not models and records:
            tx.state(MODELS, list(vector_names(*self._embedders.model_ids)))
        if not await (self._read_once(tx, records) if records else self._read_finer(tx)):
            self._go_on(tx, EMBED)
        else:
            await self._ask_followers(job.scope, tx)

    async def _read_once(self, tx: Transaction, records: Sequence[Record]) -> bool:
        """Have the general model read records, or every model where they are few; tell whether nothing is left."""
        if self._finer is None:
            await self._put_vectors(tx, records)
            return len(records) < RECORD_BATCH
        state = await self._finer.state(tx.scope)
        finer = sum(self._finer.reads(record) for record in records)
        if len(records) <= PAGE and not state.left:
            await self._put_vectors(tx, records)
            tx.state(FINER, list(state._replace(held=state.held + finer)))
            return True
        await self._put_vectors(tx, records, among=vector_names(self._finer.general))
        state = state.waiting(finer)
        tx.state(FINER, list(state))
        return len(records) < RECORD_BATCH and not state.left

    async def _read_finer(self, tx: Transaction) -> bool:
        """Have the finer model read what the general one has read before; tell whether it has read all."""
        if self._finer is None or not (state := await self._finer.state(tx.scope)).left:
            return True
        records, through = await self._finer.next(tx.scope, state.through)
        if not records and through == state.through:
            tx.state(FINER, list(state.ended(await self._finer.held(tx.scope))))
            return True
        await self._put_vectors(tx, records, among=vector_names(self._finer.model_id))
        tx.state(FINER, list(state.read(len(records))._replace(through=through)))
        return False

    async def embed_few(self, scope: Scope) -> bool:
        """Give a handful of records that wait for their vectors theirs at once; more than that is left to the job.

        Tell whether nothing had to be done, so that whoever asks again need not look again.
        """
        if self._embedders is None:
            return True
        waiting = await self._store.unembedded(scope, limit=HANDFUL + 1)
        if 0 < len(waiting) <= HANDFUL:
            # A model that is out of order or a disk that is full: the job will tell, and whoever asks gets the rest.
            with suppress(LanguageError, StorageError, BusyError):
                async with self._store.transaction(scope) as tx:
                    await self._put_vectors(tx, waiting)
        return not waiting

    # ── changing the models ──────────────────────────────────────────────────

    async def follow_models(self, scope: Scope) -> None:
        """At an agent's first use, ask for new vectors if those it has are not of the models in force."""
        owner = scope.owner
        if self._embedders is None or owner in self._seen:
            return
        known = await self._models_of(owner)
        if known and known != set(vector_names(*self._embedders.model_ids)):
            async with self._store.transaction(owner) as tx:
                self._go_on(tx, REEMBED)
        elif known:
            await self._note_models()
        if len(self._seen) >= _MAX_SEEN:
            self._seen.clear()
        self._seen.add(owner)

    async def reembed(self, job: Job, tx: Transaction) -> None:
        """Give the next records the vectors they lack; after the last of them, drop those of models not in force.

        Each step is committed with the next one's beginning, so a crash repeats one step at most.
        """
        if self._embedders is None:
            return
        wanted = vector_names(*self._embedders.model_ids)
        lacking: list[JsonValue] = [*sorted(set(wanted) - await self._models_of(job.scope))]
        # Settings may have changed since the walk began: it begins anew then.
        after = job.payload.get("after") if job.payload.get("models") == lacking else None
        records = await self._walk(job.scope, after) if lacking else []
        # Asked after the walk's records were read: one that has no vector at all must get all of them at once.
        waiting = await self._store.unembedded(job.scope, limit=RECORD_BATCH)
        if waiting:
            await self._put_vectors(tx, waiting)
            self._go_on(tx, REEMBED, payload={"models": lacking, "after": after})
            return
        alive = [record for record in records if record.status is not Status.FORGOTTEN and is_searched(record)]
        await self._put_vectors(tx, alive, among=[str(model) for model in lacking])
        if len(records) == RECORD_BATCH:
            self._go_on(tx, REEMBED, payload={"models": lacking, "after": records[-1].id})
            return
        for model in await self._store.vector_models(job.scope):
            if model not in wanted:
                tx.drop_vectors(model)
        tx.state(MODELS, list(wanted))
        await self._ask_followers(job.scope, tx)

    async def _walk(self, scope: Scope, after: JsonValue) -> list[Record]:
        """Return the next records behind one, or the first when that one was erased since."""
        every = RecordFilter(statuses=None)
        if isinstance(after, str) and await self._store.records(scope, RecordQuery(filter=every, record_ids=(after,))):
            return await self._store.records(scope, RecordQuery(filter=every, after_id=after, limit=RECORD_BATCH))
        return await self._store.records(scope, RecordQuery(filter=every, limit=RECORD_BATCH))

    async def _models_of(self, scope: Scope) -> set[str]:
        """Return the models whose vectors every record has; of an agent that never noted them, those in the store."""
        noted = await self._store.state(scope, MODELS)
        if isinstance(noted, list):
            return {str(model) for model in noted}
        return set(await self._store.vector_models(scope))

    async def _note_models(self) -> None:
        """Have it noted how the models in force are opened, before there is any vector that only they can search."""
        if self._known is not None:
            await asyncio.to_thread(self._known.note)

    async def _put_vectors(
        self, tx: Transaction, records: Sequence[Record], *, among: Sequence[str] | None = None
    ) -> None:
        """Put all vectors of a record into one unit of work: it counts as embedded from its first one."""
        if self._embedders is None or not records:
            return
        await self._note_models()
        model_ids = self._embedders.model_ids
        wanted = frozenset(vector_names(*model_ids) if among is None else among)
        read = [
            (record, part, text)
            for record in records
            for part, text in enumerate(as_read(record))
            if any(vector_name(model_id, part) in wanted for model_id in model_ids)
        ]
        models = [model_id for model_id in model_ids if not wanted.isdisjoint(vector_names(model_id))]
        found = await self._embedders.embed([text for *_, text in read], among=models)
        if any(part for _, part, _ in read):
            tx.state(PARTS, True)
        for (record, part, _), vectors in zip(read, found, strict=True):
            for model_id, values in vectors.items():
                if (name := vector_name(model_id, part)) in wanted:
                    tx.vector(record.id, model=name, values=values, expects=record.version)


def _prepare(
    last: dict[tuple[str | None, str], Entry], entries: Sequence[Entry], echoes: Mapping[str, Echo]
) -> list[tuple[Record, str]]:
    """Return the turn of every entry with its search terms; what was said last in each talk gives context."""
    prepared: list[tuple[Record, str]] = []
    for entry in entries:
        if not entry.text or entry.erased:
            continue
        record = turn_of(entry)
        if entry.id in echoes:
            record = _without_echo(record, echoes[entry.id])
            if record.status is Status.SUPERSEDED:
                prepared.append((record, ""))
                continue
        terms = (search_terms(record), reply_terms(entry, last.get(talk_of(entry))))
        prepared.append((record, " ".join(one for one in terms if one)))
        last[talk_of(entry)] = entry
    return prepared


def _without_echo(record: Record, echo: Echo) -> Record:
    """Return the turn as far as it says something new; one that does not stays as it is and answers no question."""
    (source,) = record.sources
    data = TurnData(role=record.data.role if isinstance(record.data, TurnData) else "", repeats=echo.repeats)
    if not echo.rest:
        return record.replace(status=Status.SUPERSEDED, data=data)
    spans = tuple(Source(entry_id=source.entry_id, start=span.start, end=span.end) for span in echo.rest)
    return record.replace(content="\n".join(span.of(record.content) for span in echo.rest), sources=spans, data=data)

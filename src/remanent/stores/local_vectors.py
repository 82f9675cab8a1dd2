"""Vectors searched inside the process: the embedded default.

The life of an index: at the first search it is loaded from the store, and brought up to date with what the store says
has changed since. Every search asks the store for its revision first. Beyond the memory budget the index that was not
used for longest is let go; it costs only time to load it again. Every vector is compared, so that nothing is missed,
and none lies in a file of its own, so that what is erased has to be overwritten in memory only.

Why not an HNSW library? Measured against usearch 2.26 (f32, its default connectivity, one thread, clustered vectors of
384 dimensions, CPU time, ten nearest of 200 questions): 40,000 vectors take 101 s to build, and 97.0 % of the nearest
are found in 1.5 ms, 98.9 % in 4.6 ms; with 200,000 it was given up after 135 s of building. Here 100,000 are loaded
in a second, and all of the nearest are found in some 10 ms, of a million in some 70. And more speaks against a graph:

- Erasure to the last byte. `remove` marks a key; its vector stays in the memory of the graph and in every file that is
  saved from it, and links of other nodes were chosen because of it. Only building the graph anew is sure to leave
  nothing, and that takes minutes on a small machine for what must be done before an erasure is acknowledged.
- Exactness. A graph cannot promise the nearest; a filter that passes little makes it worse.
- Vectors come in while an agent talks. Adding one to a graph costs some milliseconds, adding it to our rows a copy.
"""

import asyncio
import itertools
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from remanent.errors import InvalidInput, StoreClosed
from remanent.lightweight import dataclass
from remanent.model import Kind, Scope
from remanent.stores.queries import (
    ErasureDepth,
    Hit,
    MatchQuery,
    PlaceQuery,
    RecordFilter,
    RecordPosition,
    VectorChanges,
)
from remanent.stores.store import Store, vector_pages
from remanent.stores.vector_rows import ProductPool, Rows, normalise
from remanent.stores.vectors import Vectors, VectorSearch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_T = TypeVar("_T")
_MEMORY_BUDGET = 2**30
"""Bytes that all indexes together may take: some 500,000 vectors of 384 dimensions with their codes and ids."""
_SPARE = 16
"""Candidates fetched first beyond the limit, since the filter drops some."""
_WIDER, _WIDEST = 4, 64
"""How much further the next look goes, at least and at most; chosen by hand, since most searches need one look."""
_SLOT_COST = 2_000
"""Bytes that an index takes before it holds anything."""
_DIGITS = 6
"""Decimals of a score. What lies beyond is rounding of the machine; equal scores are put in order by id."""
_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _LoadedIndex:
    """One model's vectors of one agent, and who is at them."""

    owner: Scope
    model: str
    rows: Rows | None = None
    revision: int = 0
    """Of the store, up to which everything is here."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: bool = False
    users: int = 0
    size: int = 0
    """In bytes, as far as `_make_room` has counted it."""

    def let_go(self) -> None:
        """Overwrite all of it, and begin anew."""
        if self.rows is not None:
            self.rows.wipe()
        self.rows, self.revision = None, 0

    def apply(self, changes: VectorChanges) -> None:
        """Take in what happened in the store; what is gone or replaced is overwritten."""
        if changes.reset or (
            self.rows is not None and changes.record_ids and changes.matrix.shape[1] != self.rows.dimension
        ):
            self.let_go()
        if changes.record_ids and self.rows is None:
            self.rows = Rows(changes.matrix.shape[1])
        if self.rows is not None:
            self.rows.remove(changes.removed)
            self.rows.put(changes.record_ids, changes.kinds, changes.matrix)
        if changes.after is None:  # until all of it is here, it is as old as before
            self.revision = changes.revision

    def near(self, products: ProductPool, running: "_Running") -> tuple[list[tuple[str, float]], bool]:
        """Return the ids nearest to a question with their cosines, best first, and whether there are no more."""
        if self.rows is None:
            return [], True
        if len(running.question) != self.rows.dimension:
            raise InvalidInput(
                f"the question has {len(running.question)} dimensions, but the vectors of {self.model} have "
                f"{self.rows.dimension}; embed the question with the same model"
            )
        count = running.count
        rows, scores, everything = self.rows.near(
            products, running.question, kinds=running.search.filter.kinds, count=count
        )
        if count < len(scores):
            best = np.argpartition(scores, len(scores) - count)[-count:]
            rows, scores = rows[best], scores[best]
        return _ranked(self.rows.ids_at(rows), scores), everything


_Passing = dict[str, RecordPosition | None]
"""Where records stand that pass a filter, `None` for those that do not."""
_PASSES = RecordPosition("", Kind.TURN, None, datetime.min.replace(tzinfo=UTC))
"""Stands for a place that nobody asked for."""


@dataclass(slots=True)
class _Running:
    """A search under way."""

    search: VectorSearch
    question: "NDArray[np.float32]"
    count: int
    """How many neighbours the next look takes."""
    some: list[tuple[str, float]] = field(default_factory=list)
    """What the last look found."""
    hits: list[Hit] = field(default_factory=list)

    def is_done(self, *, all_there_is: bool) -> bool:
        """Return whether the hits are what was asked for; if not, the next look goes further."""
        limit, hits = self.search.limit, len(self.hits)
        if all_there_is or hits >= limit:
            return True
        self.count = int(self.count * min(_WIDEST, max(_WIDER, 2 * limit / max(hits, 0.5))))
        return False


class LocalVectors(Vectors):
    """Keeps one index per agent and model in memory.

    The store is asked at every search whether anything changed, so that writes of other processes are seen. Work on
    an index is done one piece at a time, each on several threads, and the event loop is free meanwhile. Beyond
    `memory_budget` bytes the indexes that were not used for longest are let go.
    """

    depth = ErasureDepth.OVERWRITTEN

    def __init__(self, store: Store, *, memory_budget: int = _MEMORY_BUDGET) -> None:
        super().__init__()
        self._store = store
        self._memory_budget = memory_budget
        self._products = ProductPool()
        self._slots: OrderedDict[tuple[Scope, str], _LoadedIndex] = OrderedDict()
        self._size = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def search_all(self, scope: Scope, searches: Sequence[VectorSearch]) -> list[list[Hit]]:
        """Return the nearest records of each search, those of one model looked for together."""
        self._refuse_when_closed()
        running = [_Running(search, unit_question(search), count=search.limit + _SPARE) for search in searches]
        by_model: dict[str, list[_Running]] = {}
        for one in running:
            if one.search.limit > 0:
                by_model.setdefault(one.search.model, []).append(one)
        groups = [(self._loaded(scope.owner, model), group) for model, group in by_model.items()]
        for slot, _ in groups:
            slot.users += 1
        try:
            await self._search(scope, groups)
        finally:
            for slot, _ in groups:
                slot.users -= 1
        for slot, _ in groups:
            self._make_room(slot)
        return [one.hits[: max(0, one.search.limit)] for one in running]

    async def prepare(self, scope: Scope, *, model: str) -> None:
        """Load an index unless those that are loaded take all the memory they may: none is driven out for it."""
        self._refuse_when_closed()
        if self._size >= self._memory_budget:
            return
        slot = self._loaded(scope.owner, model)
        slot.users += 1
        try:
            await asyncio.shield(self._begin(self._refresh(slot, await self._store.vector_revision(slot.owner))))
        finally:
            slot.users -= 1
        self._make_room(slot)

    def loading(self, scope: Scope, *, model: str) -> bool:
        """Return whether the index is being loaded; that goes on when the search which began it is given up."""
        slot = self._slots.get((scope.owner, model))
        return slot is not None and not slot.opened

    async def erased(self, scope: Scope, record_ids: tuple[str, ...] | None) -> None:
        """Remove every byte of these records' vectors from memory, before an erasure is acknowledged."""
        self._refuse_when_closed()
        if record_ids == ():
            return
        slots = [slot for slot in self._slots.values() if slot.owner == scope.owner]
        everything = record_ids is None
        forgetting = [self._forget(slot, everything=everything) for slot in slots]
        await asyncio.gather(*(asyncio.shield(self._begin(work)) for work in forgetting))

    async def settle(self) -> None:
        """Wait until nothing is being loaded in the background."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def close(self) -> None:
        """Let go of memory."""
        self._closed = True
        await self.settle()
        self._slots.clear()
        self._products.close()

    # ── searching ────────────────────────────────────────────────────────────

    async def _search(self, scope: Scope, groups: list[tuple[_LoadedIndex, list[_Running]]]) -> None:
        """Look ever further, in an index for each group, until enough pass the filter, or nothing is left to look at.

        The index knows only kinds; whether a record passes the rest of the filter is asked of the store. The first look
        takes somewhat more than the limit, because most filters let most pass; if too few do, the next look is widened
        by what the share of those that passed calls for. What several indexes found, as those of texts and of their
        parts mostly do, is asked for once.
        """
        passing: dict[RecordFilter, _Passing] = {}
        while groups:
            looks = [self._near(slot, group) for slot, group in groups]
            ends = [await looks[0]] if len(looks) == 1 else await asyncio.gather(*looks)
            searches = [one for _, group in groups for one in group]
            for one in searches:
                one.hits.clear()
            await _look_up(self._store, scope, searches, passing)
            left = [
                (slot, [one for one, end in zip(group, over, strict=True) if not one.is_done(all_there_is=end)])
                for (slot, group), over in zip(groups, ends, strict=True)
            ]
            groups = [(slot, group) for slot, group in left if group]

    async def _near(self, slot: _LoadedIndex, group: list[_Running]) -> list[bool]:
        """Look once, and return which searches have seen all there is.

        It is done at the newest revision: a search sees every vector that was committed before it began.
        """
        self._refuse_when_closed()
        known = [one.search.revision for one in group if one.search.revision is not None]
        revision = max(known) if len(known) == len(group) else (await self._store.standing(slot.owner)).vector_revision
        if not slot.opened or slot.revision != revision:
            await asyncio.shield(self._begin(self._refresh(slot, revision)))

        async def look() -> list[bool]:
            async with slot.lock:  # one piece of work per index at a time
                nears = await self._run(lambda: [slot.near(self._products, one) for one in group])
            for one, (found, _) in zip(group, nears, strict=True):
                one.some = found
            return [everything for _, everything in nears]

        return await asyncio.shield(self._begin(look()))

    # ── following the store ──────────────────────────────────────────────────

    async def _refresh(self, slot: _LoadedIndex, revision: int) -> None:
        """Bring an index to a revision of the store, or to a later one."""
        async with slot.lock:
            if slot.opened and slot.revision >= revision:
                if slot.revision <= max(revision, await self._store.vector_revision(slot.owner)):
                    return
                _logger.info("loading the vectors of %s anew: the store is older than the index", slot.owner)
                slot.revision = 0  # somebody put an older database in the store's place
            await self._follow(slot)
            slot.opened = True

    async def _follow(self, slot: _LoadedIndex) -> None:
        if not slot.revision:
            await self._run(slot.let_go)  # what an earlier load that was broken off had got may be gone since
        async for changes in vector_pages(self._store, slot.owner, slot.model, since=slot.revision):
            await self._run(slot.apply, changes)

    async def _forget(self, slot: _LoadedIndex, *, everything: bool) -> None:
        """Take out what the store no longer has."""
        async with slot.lock:
            if slot.opened:
                slot.revision = 0 if everything else slot.revision
                await self._follow(slot)

    # ── what the rest stands on ──────────────────────────────────────────────

    def _loaded(self, owner: Scope, model: str) -> _LoadedIndex:
        """Return the index of an agent and model, in the order of last use; it may not be opened yet."""
        self._refuse_when_closed()
        key = owner, model
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = _LoadedIndex(owner, model)
        self._slots.move_to_end(key)
        return slot

    def _make_room(self, used: _LoadedIndex) -> None:
        """Let go of the indexes that were not used for longest, when all together take too much."""
        if self._slots.get((used.owner, used.model)) is not used:
            return
        takes = (used.rows.nbytes if used.rows is not None else 0) + _SLOT_COST
        self._size += takes - used.size
        used.size = takes
        for key, slot in list(self._slots.items()) if self._size > self._memory_budget else []:
            if self._size <= self._memory_budget:
                return
            if slot is not used and not slot.users and not slot.lock.locked():
                self._size -= self._slots.pop(key).size

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the vector index was closed")

    def _begin(self, work: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        """Start work that goes on to its end even when nobody waits for it any more."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waits has it; nobody else needs to hear of it

    async def _run(self, work: Callable[..., _T], *arguments: Any) -> _T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._products.pool, work, *arguments)


def _ranked(ids: list[str], scores: "NDArray[np.float32]") -> list[tuple[str, float]]:
    """Return ids with their rounded scores, the best first and equal ones by id."""
    rounded = np.round(np.clip(scores.astype(np.float64), -1, 1), _DIGITS)
    order = np.argsort(-rounded, kind="stable")
    ranked = [(ids[place], score) for place, score in zip(order.tolist(), rounded[order].tolist(), strict=True)]
    bounds = np.flatnonzero(np.diff(rounded[order], prepend=np.nan, append=np.nan))
    for start, end in itertools.pairwise(bounds.tolist()):
        if end - start > 1:
            ranked[start:end] = sorted(ranked[start:end])
    return ranked


async def _look_up(store: Store, scope: Scope, group: list[_Running], passing: dict[RecordFilter, _Passing]) -> None:
    """Add those that pass among what was looked at last to the hits of each search."""
    unknown: dict[RecordFilter, dict[str, None]] = {}
    for one in group:
        known = passing.setdefault(one.search.filter, {})
        lacking = dict.fromkeys([record_id for record_id, _ in one.some if record_id not in known])
        if lacking:
            unknown.setdefault(one.search.filter, {}).update(lacking)
    # Sent at once: what could come along was gathered before the search began.
    if unknown and any(one.search.places for one in group):
        queries = [PlaceQuery(tuple(ids), wanted, neighbours=False) for wanted, ids in unknown.items()]
        for wanted, places in zip(unknown, await store.read(scope, queries), strict=True):
            passing[wanted].update(zip([place.record_id for place in places], places, strict=True))
    elif unknown:
        matches = [MatchQuery(tuple(ids), wanted) for wanted, ids in unknown.items()]
        for wanted, some in zip(unknown, await store.read(scope, matches), strict=True):
            passing[wanted].update(dict.fromkeys(some, _PASSES))
    for one in group:
        known = passing[one.search.filter]
        with_place = one.search.places
        for record_id, score in one.some:
            if (place := known.setdefault(record_id, None)) is not None:
                one.hits.append(Hit(record_id, score, place if with_place else None))


def unit_question(search: VectorSearch) -> "NDArray[np.float32]":
    """Return the vector of a search at length one; anything but one row of finite numbers is refused."""
    question = np.array(search.vector, dtype=np.float32)
    if question.ndim != 1 or not len(question) or not np.isfinite(question).all():
        raise InvalidInput("a question is one vector of finite numbers")
    return normalise(question.reshape(1, -1)).reshape(-1)

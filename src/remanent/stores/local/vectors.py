"""Nearest-neighbour search inside the process, over the vectors that a store keeps.

The life of an index: at the first search it is opened, from its file if there is a sound one, and brought up to date
with what the store says has changed since. Every search asks the store for its revision first. Beyond `exact_limit`
vectors the index is sealed into cells in the background. Beyond the memory budget, or the number of files that may be
open, the index that was not used for longest is let go; it costs only time to open it again.

Whatever is wrong with a file (damage, another agent's file, one from before a restored backup) ends the same way: it is
dropped and built anew from the store. No answer is ever taken from a file that does not check out.
"""

import asyncio
import logging
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from remanent.errors import InvalidInput, RemanentError, StorageError, StoreBusy, StoreClosed
from remanent.model import Kind, Scope
from remanent.stores.local import files
from remanent.stores.local.cells import Cells, Damaged
from remanent.stores.local.clustering import IndexSnapshot, MemorySink, SealingCancelled, seal
from remanent.stores.local.files import CellsWriter
from remanent.stores.local.index import Index, Neighbours
from remanent.stores.local.products import ProductPool, normalise
from remanent.stores.queries import ErasureDepth, Hit, MatchQuery, PlaceQuery, RecordFilter, RecordPosition
from remanent.stores.store import Store, vector_pages
from remanent.stores.vectors import Vectors, VectorSearch
from remanent.values import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EXACT_LIMIT = 100_000
"""Vectors up to which every one is compared, unless it is said otherwise: nothing can be missed among them."""
_MAX_OPEN_FILES = 128
"""Index files that are open at a time, unless it is said otherwise; each takes two descriptors."""
_FILE_TIMEOUT = 60.0
"""Seconds that a search waits until another lets go of its file."""
_MEMORY_BUDGET = 2**30
"""Bytes that all indexes together may take: some 500,000 vectors of 384 dimensions with their codes and ids."""
_SPARE = 16
"""Candidates fetched first beyond the limit (in cells, beyond twice the limit), since the filter drops some."""
_WIDER, _WIDEST = 4, 64
"""How much further the next look goes, at least and at most; chosen by hand, since most searches need one look."""
_ENOUGH = 0.7
"""How much of the effort that a filter calls for will do."""
_SAMPLE = 32
"""Ids of a file that are looked up when it is opened: enough to tell another agent's file, at the cost of one query."""
_SLOT_COST = 2_000
"""Bytes that an index takes before it holds anything."""
_EXAMINED = 1024
"""Ids of a file that are looked up when it is examined: they tell another agent's file, and one query takes them."""
_STALE = 3600.0
"""Seconds after which an unfinished file is taken for one that a crash left behind."""
_ANY_STATUS = RecordFilter(statuses=None)
_logger = logging.getLogger(__name__)
_T = TypeVar("_T")


@dataclass(slots=True)
class _LoadedIndex:
    """One index and who is at it."""

    owner: Scope
    index: Index
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: bool = False
    users: int = 0
    sealing: bool = False
    wants_sealing: bool = False
    size: int = 0
    """In bytes, as far as `_make_room` has counted it."""
    grown_to: int = 0
    opens_file: bool = False

    @property
    def has_file(self) -> bool:
        """Whether it holds an index file open, or is about to."""
        return self.opens_file or self.index.has_file


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
    effort: float = 1.0
    some: list[tuple[str, float]] = field(default_factory=list)
    """What is to be looked up of the last look."""
    hits: list[Hit] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with an effort that grows with what is wanted."""
        self.effort = max(1.0, (self.search.limit / 10) ** 0.25)

    def is_done(self, near: Neighbours) -> bool:
        """Return whether the hits are what was asked for; if not, the next look goes further."""
        limit, hits = self.search.limit, len(self.hits)
        if near.all_there_is:
            return True
        if hits >= limit:
            # The fewer pass, the more rows it takes to find the nearest of them.
            called_for = (len(near.found) / hits) ** 0.5
            if near.exact or self.effort >= _ENOUGH * called_for:
                return True
        wider = min(_WIDEST, max(_WIDER, 2 * limit / max(hits, 0.5)))
        self.count, self.effort = int(self.count * wider), self.effort * wider**0.5
        return False


class LocalVectors(Vectors):
    """Keeps one index per agent and model: exact up to `exact_limit` vectors, by cells beyond.

    The store is asked at every search whether anything changed, so that writes of other processes are seen. Work on
    an index is done one piece at a time, each on several threads, and the event loop is free meanwhile. An agent with
    more than `exact_limit` vectors has a file beside its database, which saves loading all of them; `directory_of`
    names the folder, `None` keeps everything in memory. Beyond `memory_budget` bytes the indexes that were not used
    for longest are let go; a mapped file is not counted, it is the system's to keep or drop.
    """

    depth = ErasureDepth.OVERWRITTEN

    def __init__(
        self,
        store: Store,
        directory_of: Callable[[Scope], Path | None],
        *,
        exact_limit: int = _EXACT_LIMIT,
        memory_budget: int = _MEMORY_BUDGET,
        max_files: int = _MAX_OPEN_FILES,
    ) -> None:
        super().__init__()
        self._store = store
        self._directory_of = directory_of
        self._exact_limit = exact_limit
        self._memory_budget = memory_budget
        self._max_files = max_files
        self._released = asyncio.Event()
        self._products = ProductPool()
        self._sealer = ThreadPoolExecutor(1, thread_name_prefix="vectors-seal")
        self._slots: OrderedDict[tuple[Scope, str], _LoadedIndex] = OrderedDict()
        self._size = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def search_all(self, scope: Scope, searches: Sequence[VectorSearch]) -> list[list[Hit]]:
        """Return the nearest records of each search, those of one model looked for together."""
        self._refuse_when_closed()
        running = [_Running(search, _question(search.vector), count=2 * search.limit + _SPARE) for search in searches]
        by_model: dict[str, list[_Running]] = {}
        for one in running:
            if one.search.limit > 0:
                by_model.setdefault(one.search.model, []).append(one)
        models = [self._search_model(scope, model, group) for model, group in by_model.items()]
        await (models[0] if len(models) == 1 else asyncio.gather(*models))
        return [one.hits[: max(0, one.search.limit)] for one in running]

    async def _search_model(self, scope: Scope, model: str, group: list[_Running]) -> None:
        """Search one model's index; whoever came last begins to seal it where it has grown past the limit."""
        slot = self._loaded(scope.owner, model)
        slot.users += 1
        try:
            await self._search(slot, scope, group)
        finally:
            self._leave(slot)
        if slot.wants_sealing and not slot.sealing and not self._closed:
            slot.sealing = True
            slot.users += 1
            self._begin(self._seal(slot))
        self._make_room(slot)

    async def prepare(self, scope: Scope, *, model: str) -> None:
        """Load an index unless those that are loaded take all the memory they may: none is driven out for it."""
        self._refuse_when_closed()
        if self._size >= self._memory_budget:
            return
        slot = self._loaded(scope.owner, model)
        slot.users += 1
        try:
            await asyncio.shield(self._begin(self._refresh(slot, await self._store.vector_revision(slot.owner))))
            slot.grown_to = slot.index.nbytes
        finally:
            self._leave(slot)
        self._make_room(slot)

    def loading(self, scope: Scope, *, model: str) -> bool:
        """Return whether the index is being loaded; that goes on when the search which began it is given up."""
        slot = self._slots.get((scope.owner, model))
        return slot is not None and not slot.opened

    async def erased(self, scope: Scope, record_ids: tuple[str, ...] | None) -> None:
        """Remove every byte of these records' vectors from memory and files, before an erasure is acknowledged."""
        self._refuse_when_closed()
        if record_ids == ():
            return
        owner = scope.owner
        # Zeros may stand for what the store no longer has, never for a vector that it has again.
        again = record_ids is None or bool(await self._store.match(owner, record_ids, _ANY_STATUS))
        slots = [slot for slot in self._slots.values() if slot.owner == owner]
        await asyncio.gather(*(asyncio.shield(self._begin(self._forget(slot, everything=again))) for slot in slots))
        folder = self._directory_of(owner)
        if folder is None:
            return
        try:
            await self._run(files.remove_all if again else files.erase, folder, record_ids or ())
        except OSError as error:
            raise StorageError(f"cannot erase vectors from the index files in {folder}; free or remove them") from error

    async def check(self, scope: Scope) -> tuple[str, ...]:
        """Examine every byte of the agent's index files, and whether they are of this store; change nothing."""
        self._refuse_when_closed()
        owner, problems = scope.owner, list[str]()
        folder = self._directory_of(owner)
        if folder is None:
            return ()
        for model in await self._store.vector_models(owner):
            path = folder / files.file_name(model)
            try:
                revision, ids = await self._run(files.examine, path, model, _EXAMINED)
                await _check_origin(self._store, owner, model, revision=revision, ids=ids)
            except FileNotFoundError:
                continue  # there is none unless an agent has many vectors
            except (Damaged, OSError) as error:
                problems.append(f"{path.name}: {error}")
        return tuple(problems)

    async def settle(self) -> None:
        """Wait until nothing is being written or sorted in the background."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def close(self) -> None:
        """Let go of memory and files."""
        self._closed = True
        for slot in self._slots.values():
            slot.index.stop()
        await self.settle()
        for slot in self._slots.values():
            slot.index.release()
        self._slots.clear()
        self._products.close()
        self._sealer.shutdown(wait=False)

    # ── searching ────────────────────────────────────────────────────────────

    async def _search(self, slot: _LoadedIndex, scope: Scope, group: list[_Running]) -> None:
        """Look ever further until enough pass the filter, or nothing is left to look at.

        The index knows only kinds; whether a record passes the rest of the filter is asked of the store. The first look
        takes somewhat more than the limit, because most filters let most pass; if too few do, the next look is widened
        by what the share of those that passed calls for.
        """
        if slot.opened and slot.index.compares_all:
            for one in group:
                one.count = one.search.limit + _SPARE
        passing: dict[RecordFilter, _Passing] = {}
        while group:
            nears = list(zip(group, await self._near(slot, group), strict=True))
            # Most pass as a rule, so of exact finds not all need be looked up; how far cells have to be searched
            # follows from how many pass.
            for one, near in nears:
                one.hits.clear()
                one.some = near.found[: one.search.limit + _SPARE] if near.exact else near.found
            await _look_up(self._store, scope, group, passing)
            for one, near in nears:
                lacking = len(one.hits) < one.search.limit
                one.some = near.found[len(one.some) :] if lacking else []
            if any(one.some for one in group):
                await _look_up(self._store, scope, [one for one in group if one.some], passing)
            group = [one for one, near in nears if not one.is_done(near)]

    async def _near(self, slot: _LoadedIndex, group: list[_Running]) -> list[Neighbours]:
        """Look once, at the newest revision: a search sees every vector that was committed before it began."""
        self._refuse_when_closed()
        known = [one.search.revision for one in group if one.search.revision is not None]
        revision = max(known) if len(known) == len(group) else (await self._store.standing(slot.owner)).vector_revision
        if not slot.opened or slot.index.revision != revision:
            await asyncio.shield(self._begin(self._refresh(slot, revision)))

        def look() -> list[Neighbours]:
            return [
                slot.index.near(
                    self._products, one.question, kinds=one.search.filter.kinds, count=one.count, effort=one.effort
                )
                for one in group
            ]

        return await asyncio.shield(self._begin(self._look(slot, look)))

    async def _look(self, slot: _LoadedIndex, look: Callable[[], list[Neighbours]]) -> list[Neighbours]:
        """Search on a thread, one piece of work per index at a time; on damage, load anew and search again."""
        async with slot.lock:
            try:
                near = await self._run(look)
            except Damaged as damage:
                await self._load_anew(slot, damage)
                near = await self._run(look)
            slot.wants_sealing, slot.grown_to = slot.index.wants_sealing, slot.index.nbytes
            return near

    # ── following the store ──────────────────────────────────────────────────

    async def _refresh(self, slot: _LoadedIndex, revision: int) -> None:
        """Bring an index to a revision of the store, or to a later one."""
        async with slot.lock:
            if slot.opened and slot.index.revision >= revision:
                if slot.index.revision > max(revision, await self._store.vector_revision(slot.owner)):
                    # The store has gone back in time: somebody put an older database in its place.
                    await self._load_anew(slot, "the store is older than the index")
                return
            try:
                if slot.opened:
                    await self._follow(slot)
                else:
                    await self._open(slot)
            except (Damaged, OSError) as error:
                await self._load_anew(slot, error)

    async def _open(self, slot: _LoadedIndex) -> None:
        """Take over the file of an earlier time if it fits the store, then follow what has happened since."""
        try:
            await self._wait_for_file(slot)
            await self._run(slot.index.open)
        finally:
            slot.opens_file = False
        if slot.index.revision > await self._store.vector_revision(slot.owner):
            raise Damaged("the file is newer than the store")
        await self._follow(slot)
        sample = await self._run(slot.index.sample, _SAMPLE)
        if sample and len(await self._store.match(slot.owner, sample, _ANY_STATUS)) < len(sample):
            raise Damaged("the file names records that the store does not know")
        slot.opened = True

    async def _follow(self, slot: _LoadedIndex) -> None:
        index = slot.index
        async for changes in vector_pages(self._store, slot.owner, index.model, since=index.revision):
            await self._run(index.apply, changes)

    async def _load_anew(self, slot: _LoadedIndex, reason: object) -> None:
        """Forget the index and its file, and fill it from the store, which has all of it."""
        _logger.info("loading the vectors of %s anew: %s", slot.owner, reason)
        index = slot.index
        try:
            await self._run(index.clear)
        except OSError as error:
            _logger.warning("cannot remove the vector index %s, going on without it: %s", index.path, error)
            index.path = None
        slot.opened = True
        await self._follow(slot)

    async def _forget(self, slot: _LoadedIndex, *, everything: bool) -> None:
        """Take out what the store no longer has."""
        async with slot.lock:
            if not slot.opened:
                return
            if everything:
                await self._load_anew(slot, "erased records were put again")
                return
            try:
                await self._follow(slot)
            except (Damaged, OSError) as error:
                await self._load_anew(slot, error)

    # ── upkeep ───────────────────────────────────────────────────────────────

    async def _seal(self, slot: _LoadedIndex) -> None:
        """Sort what an index holds into new cells, in the background."""
        try:
            writer = await self._run(_new_writer, slot.index.path)
            snapshot = await self._hold(slot, writer)
            if snapshot is None:
                return
            cells = await self._sealed(snapshot, writer)
            async with slot.lock:
                try:
                    await self._run(slot.index.finish_sealing, snapshot, cells, writer)
                except (Damaged, OSError) as error:
                    await self._load_anew(slot, error)
            if cells is None:
                slot.index.put_off_sealing()
            elif slot.index.path is not None:
                await self._tidy(slot.owner, slot.index.path.parent)
        except (Damaged, OSError, RemanentError) as error:
            _logger.warning("could not sort the vectors of %s into a file: %s", slot.owner, error)
            slot.index.put_off_sealing()
        finally:
            slot.sealing = False
            self._leave(slot)
            self._close_files(self._max_files)

    async def _hold(self, slot: _LoadedIndex, writer: CellsWriter | None) -> IndexSnapshot | None:
        """Return what is to be sealed, read from the store after the file was begun: see `files.erase`."""
        snapshot = None
        try:
            async with slot.lock:
                await self._follow(slot)
                if slot.index.wants_sealing:
                    snapshot = slot.index.start_sealing()
                return snapshot
        finally:
            if snapshot is None and writer is not None:
                await self._run(writer.abandon)

    async def _sealed(self, snapshot: IndexSnapshot, writer: CellsWriter | None) -> Cells | None:
        """Return new cells, or nothing when sealing was cancelled or failed: the old cells go on answering."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._sealer, _seal, snapshot, writer)
        except (SealingCancelled, Damaged, OSError) as error:
            _logger.info("vectors were not sorted into cells: %s", error)
            return None
        except asyncio.CancelledError:
            snapshot.stop.set()  # the thread ends by itself, and leaves nothing behind
            raise

    async def _tidy(self, owner: Scope, folder: Path) -> None:
        """Remove files of models that are no longer in use, and what crashes left behind."""
        in_use = {files.file_name(model) for model in await self._store.vector_models(owner)}
        stale = time.time() - _STALE
        await self._run(files.tidy, folder, in_use, stale)

    # ── what the rest stands on ──────────────────────────────────────────────

    def _loaded(self, owner: Scope, model: str) -> _LoadedIndex:
        """Return the index of an agent and model, in the order of last use; it may not be opened yet."""
        self._refuse_when_closed()
        key = owner, model
        slot = self._slots.get(key)
        if slot is None:
            folder = self._directory_of(owner)
            path = None if folder is None else folder / files.file_name(model)
            slot = self._slots[key] = _LoadedIndex(owner, Index(model, path=path, exact_limit=self._exact_limit))
        self._slots.move_to_end(key)
        return slot

    def _release(self, key: tuple[Scope, str]) -> None:
        """Let go of an index and of what it holds in memory; it is read again when somebody searches it."""
        slot = self._slots.pop(key)
        self._size -= slot.size
        slot.index.release()
        slot.opened = False

    def _leave(self, slot: _LoadedIndex) -> None:
        """Note that somebody is done with an index."""
        slot.users -= 1
        if not slot.users:
            self._released.set()

    async def _wait_for_file(self, slot: _LoadedIndex) -> None:
        """Wait until another index file may be opened, closing those that were not used for longest."""
        if slot.index.path is None or not await self._run(slot.index.path.exists):
            return
        ends = time.monotonic() + _FILE_TIMEOUT
        while self._close_files(self._max_files - 1) >= self._max_files:
            self._released.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._released.wait(), max(0.0, ends - time.monotonic()))
            if time.monotonic() >= ends:
                raise StoreBusy("every index file that may be open is in use; try again")
        slot.opens_file = True

    def _close_files(self, most: int) -> int:
        """Let go of index files beyond so many, as far as nobody uses them; return how many stay open."""
        holding = [key for key, slot in self._slots.items() if slot.has_file]
        unused = [key for key in holding if not self._slots[key].users and not self._slots[key].lock.locked()]
        closed = unused[: max(0, len(holding) - most)]
        for key in closed:
            self._release(key)
        return len(holding) - len(closed)

    def _make_room(self, used: _LoadedIndex) -> None:
        """Let go of the indexes that were not used for longest, when all together take too much."""
        if self._slots.get((used.owner, used.index.model)) is not used:
            return
        takes = used.grown_to + _SLOT_COST
        self._size += takes - used.size
        used.size = takes
        for key, slot in list(self._slots.items()) if self._size > self._memory_budget else []:
            if self._size <= self._memory_budget:
                return
            if slot is not used and not slot.users and not slot.lock.locked():
                self._release(key)

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


def _new_writer(path: Path | None) -> CellsWriter | None:
    """Begin a file beside the one in use; its name is of this process, so that two that seal at once do not meet."""
    return None if path is None else CellsWriter(path, token=f"{os.getpid()}-{secrets.token_hex(4)}")


def _seal(snapshot: IndexSnapshot, writer: CellsWriter | None) -> Cells:
    """Run sealing on its own thread, and leave no unfinished file when it ends early."""
    try:
        return seal(snapshot, writer or MemorySink())
    except BaseException:
        if writer is not None:
            writer.abandon()  # here, since only this thread knows that nobody writes any more
        raise


async def _look_up(store: Store, scope: Scope, group: list[_Running], passing: dict[RecordFilter, _Passing]) -> None:
    """Add those that pass among what was looked at last to the hits of each search."""
    unknown: dict[RecordFilter, dict[str, None]] = {}
    for one in group:
        known = passing.setdefault(one.search.filter, {})
        lacking = dict.fromkeys(record_id for record_id, _ in one.some if record_id not in known)
        if lacking:
            unknown.setdefault(one.search.filter, {}).update(lacking)
    # Sent at once: what could come along was gathered before the search began.
    found: list[dict[str, RecordPosition]] = []
    if unknown and any(one.search.places for one in group):
        places = [PlaceQuery(tuple(ids), wanted, neighbours=False) for wanted, ids in unknown.items()]
        found = [{place.record_id: place for place in some} for some in await store.read(scope, places)]
    elif unknown:
        matches = [MatchQuery(tuple(ids), wanted) for wanted, ids in unknown.items()]
        found = [dict.fromkeys(some, _PASSES) for some in await store.read(scope, matches)]
    for (wanted, ids), passed in zip(unknown.items(), found, strict=True):
        passing[wanted].update({**dict.fromkeys(ids), **passed})
    for one in group:
        known = passing[one.search.filter]
        for record_id, score in one.some:
            place = known[record_id]
            if place is not None:
                one.hits.append(Hit(record_id, score, place if one.search.places else None))


async def _check_origin(store: Store, owner: Scope, model: str, *, revision: int, ids: list[str]) -> None:
    """Raise `Damaged` when a file with this revision and these ids cannot come from the store."""
    changes = await store.vector_changes(owner, model, since=revision)
    if revision > changes.revision:
        raise Damaged("the file is newer than the store")
    held = sorted({*ids}.difference(changes.removed))
    unknown = len(held) - len(await store.match(owner, held, _ANY_STATUS))
    # The store does not remember for ever what it removed: an old file may name some of that.
    if unknown > (len(held) // 2 if changes.reset else 0):
        raise Damaged("the file names records that the store does not know")


def _question(vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return a question as a vector of unit length; anything but one row of finite numbers is refused."""
    question = np.array(vector, dtype=np.float32)
    if question.ndim != 1 or not np.isfinite(question).all():
        raise InvalidInput("a question is one vector of finite numbers")
    return normalise(question.reshape(1, -1)).reshape(-1)

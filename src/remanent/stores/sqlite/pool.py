"""The open databases of a store: checked out by whoever calls, closed when others need their place.

There may be a hundred thousand agents and only some hundred descriptors. So a database is opened on first use, stays
open while there is room, and is closed, the one that was used longest ago first, when a call for another agent waits.
Workers ask for the queues of all agents again and again; so that this opens nothing, the state of a queue is remembered
when its database is closed, for as long as the files do not change.
"""

import asyncio
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

from remanent.errors import StoreBusy, StoreClosed
from remanent.fairness import FairThreads
from remanent.lightweight import dataclass
from remanent.model import Scope
from remanent.stores.queries import QueueState
from remanent.stores.sqlite.connection import DescriptorBudget, for_want_of_descriptors, translated
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.folders import FileStamp, Layout
from remanent.stores.sqlite.reads import queue_state

T = TypeVar("T")
Key = tuple[str, str, str]

OPENERS = 2
"""Threads that open and close: both wait for the disk, and reading goes on beside them. Chosen by hand."""
CHECKOUT_TIMEOUT = 60.0
"""Seconds that a call waits for a place. Opening, one commit and closing take some 20 ms, so that thousands of agents
get their turn in this time even where a place is all there is."""
VISIT_TIMEOUT = 1.0
"""Seconds after which an agent that is being visited, but not used at this moment, is closed for one that waits: most
visits are far shorter, and one that waits for a slow model opens its agent again."""
CLOSED_QUEUE_TTL = 3600.0
"""Seconds for which the queue of a closed agent is taken to be as it was left while its files have not changed. What
another process commits in the very moment of the closing is noticed after that."""
MAX_CLOSED_QUEUES = 100_000
"""Closed agents whose queue is remembered: some 50 MB."""


@dataclass(slots=True)
class PooledDatabase:
    """An agent's database with how many calls use it; `None` until it is opened.

    It is in the table from the moment it is to be opened until it is closed, because it takes descriptors all that
    time.
    """

    database: Database | None = None
    users: int = 0
    opening: "asyncio.Task[None] | None" = None
    closing: "asyncio.Task[None] | None" = None

    @property
    def is_idle(self) -> bool:
        """Whether it is open and nobody uses it."""
        return self.users == 0 and self.database is not None and self.closing is None


@dataclass(slots=True)
class _Waiters:
    """The callers of one agent, who wait together until there is room for it."""

    come: "asyncio.Future[None]"
    callers: int = 0


@dataclass(frozen=True, slots=True)
class _ClosedQueue:
    """How an agent's queue stood when its files were closed."""

    stamp: FileStamp
    state: QueueState
    at: float


class DatabasePool:
    """Opens databases on first use, and closes the one that was used longest ago when another needs its place.

    A call has its database for itself to be open: it is never closed under anybody's hands. Calls beyond the number of
    places wait in order. No call that has a place waits for another, except imports and exports, and those never take
    all of them: so that somebody always goes on.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        descriptor_budget: DescriptorBudget,
        busy_timeout: float,
        migrations: Sequence[str],
        executor: FairThreads,
    ) -> None:
        self._layout = layout
        self._places = descriptor_budget.databases
        self._busy_timeout = busy_timeout
        self._migrations = migrations
        self._executor = executor
        self._openers = ThreadPoolExecutor(OPENERS, thread_name_prefix="remanent-opener")
        self._spare = threading.Semaphore(descriptor_budget.readers)
        self._databases: OrderedDict[Key, PooledDatabase] = OrderedDict()
        self._visits: Counter[Key] = Counter()
        self._waiting: OrderedDict[Key, _Waiters] = OrderedDict()
        """Agents that wait for a place, in order of coming, and those who call them."""
        self._promised: dict[Key, _Waiters] = {}
        """Agents whose turn has come and whose callers have not taken the place yet."""
        self._closed_queues: OrderedDict[Key, _ClosedQueue] = OrderedDict()
        self._imports = asyncio.Semaphore(max(1, self._places // 4))
        self.exports = asyncio.Semaphore(max(1, self._places // 4))
        """Entered before a database is lent for as long as somebody takes what is read from it.

        Each has a connection of its own beside those that are counted: two descriptors.
        """
        self._closed = False

    def __contains__(self, scope: Scope) -> bool:
        """Return whether the agent's database is open or about to be."""
        return _key(scope) in self._databases

    def __len__(self) -> int:
        """Return how many databases are open, or being opened or closed."""
        return len(self._databases)

    def check_out(self, scope: Scope) -> "_Checkout":
        """Lend the scope's database, opening it first if need be."""
        return _Checkout(self, scope)

    @asynccontextmanager
    async def check_out_for_import(self, scope: Scope) -> AsyncIterator[Database]:
        """Lend a database for as long as an import takes, which may itself wait for another agent."""
        async with self._imports, self.check_out(scope) as database:
            yield database

    def visit(self, scope: Scope) -> "_Visit":
        """Keep an agent open between the calls of one piece of work, while there is a choice."""
        return _Visit(self, _key(scope))

    def stay(self, key: Key, many: int) -> None:
        """Count visits that begin, or that end."""
        self._visits[key] += many
        if not self._visits[key]:
            del self._visits[key]
            self._make_room()

    # ── lending ──────────────────────────────────────────────────────────────

    def acquire_open(self, scope: Scope) -> PooledDatabase | None:
        """Return a database that is open already, or `None`: most reads need not wait for anything."""
        key = _key(scope)
        slot = self._databases.get(key)
        if slot is None or slot.database is None or slot.closing is not None or self._closed:
            return None
        self._databases.move_to_end(key)
        slot.users += 1
        return slot

    async def acquire(self, scope: Scope) -> PooledDatabase:
        """Return the place of a scope's database, which stays open until it is given back.

        Opening is shielded: whoever waits for it may be cancelled while others wait for the same file.
        """
        key = _key(scope)
        slot = self._databases.get(key)
        if slot is None or slot.closing is not None or self._closed:
            slot = await self._enter(key)
        self._databases.move_to_end(key)
        slot.users += 1
        try:
            while slot.database is None:
                if slot.opening is None:
                    slot.opening = asyncio.create_task(self._open(scope, slot))
                    slot.opening.add_done_callback(_retrieve_exception)
                await asyncio.shield(slot.opening)
        except BaseException:
            self.release(scope, slot)
            raise
        return slot

    def release(self, scope: Scope, slot: PooledDatabase) -> None:
        """Take back what was borrowed."""
        slot.users -= 1
        if slot.users == 0:
            if slot.database is None and slot.opening is None:
                self._remove(_key(scope), slot)
            elif self._waiting:
                self._make_room()

    async def _enter(self, key: Key) -> PooledDatabase:
        """Return the place of an agent, a new one as soon as there is room."""
        while True:
            self.refuse_when_closed()
            slot = self._databases.get(key)
            if slot is None and (key in self._promised or (not self._waiting and self._has_room())):
                self._promised.pop(key, None)
                slot = self._databases[key] = PooledDatabase()
            if slot is None:
                await self._wait_for_room(key)
            elif slot.closing is not None:
                await asyncio.wait({slot.closing})
            else:
                return slot

    async def _wait_for_room(self, key: Key) -> None:
        """Wait until it is the agent's turn; `StoreBusy` when that takes too long.

        All callers of one agent wait in one place of the line, or an agent with many callers would come before the
        others. Visitors, who hold a place without working, are asked to leave only after a moment.
        """
        turn = self._waiting.get(key)
        if turn is None:
            turn = self._waiting[key] = _Waiters(asyncio.get_running_loop().create_future())
        turn.callers += 1
        self._make_room()
        ends = time.monotonic() + CHECKOUT_TIMEOUT
        try:
            while not turn.come.done():
                await asyncio.wait({turn.come}, timeout=VISIT_TIMEOUT)
                if not turn.come.done():
                    if time.monotonic() > ends:
                        raise StoreBusy(
                            "as many agents as may be open at once are in use; nothing was written: try again"
                        )
                    self._make_room(visited=True)
        except BaseException:
            turn.callers -= 1
            if not turn.callers:
                for turns in (self._waiting, self._promised):
                    if turns.get(key) is turn:
                        del turns[key]
                self._make_room()
            raise
        turn.callers -= 1

    def _has_room(self) -> bool:
        return len(self._databases) + len(self._promised) < self._places

    def _make_room(self, *, visited: bool = False) -> None:
        """Give free places to those who wait, and close what nobody uses for the others."""
        if not self._waiting:
            return
        while self._waiting and (self._has_room() or self._closed):
            key, turn = self._waiting.popitem(last=False)
            self._promised[key] = turn
            turn.come.set_result(None)
        wanted = len(self._waiting) - sum(slot.closing is not None for slot in self._databases.values())
        if wanted > 0:
            idle = [
                key for key, slot in self._databases.items() if slot.is_idle and (visited or key not in self._visits)
            ]
            for key in idle[:wanted]:
                self._begin_to_close(key)

    # ── opening and closing ──────────────────────────────────────────────────

    async def _open(self, scope: Scope, slot: PooledDatabase) -> None:
        """Open a database, however many callers wait for it or give up waiting."""
        database = Database(
            self._layout.database(scope),
            busy_timeout=self._busy_timeout,
            on_thread=self._executor.of(scope.org),
            spare=self._spare,
        )

        def prepare() -> None:
            with translated():
                self._layout.prepare(scope)
            database.open(migrations=self._migrations)
            with translated():
                self._layout.note(scope)

        try:
            try:
                await self._blocking(prepare)
            except StoreBusy as error:
                if not for_want_of_descriptors(error) or not await self._close_all_idle():
                    raise
                # Something else in this process has taken more than its share: what can be closed is closed.
                await self._blocking(prepare)
            slot.database = database
            self._closed_queues.pop(_key(scope), None)
        finally:
            slot.opening = None
            if slot.users == 0:
                if slot.database is None:
                    self._remove(_key(scope), slot)
                self._make_room()

    async def _close_all_idle(self) -> bool:
        """Close everything that nobody uses; return whether there was anything."""
        tasks = [self._begin_to_close(key) for key in [key for key, slot in self._databases.items() if slot.is_idle]]
        tasks += [slot.closing for slot in self._databases.values() if slot.closing is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
        return bool(tasks)

    def _begin_to_close(self, key: Key) -> "asyncio.Task[None]":
        """Close a database in the background; whoever asks for it meanwhile waits for the end of that."""
        slot = self._databases[key]
        slot.closing = asyncio.create_task(self._close(key, slot))
        slot.closing.add_done_callback(_retrieve_exception)
        return slot.closing

    async def _close(self, key: Key, slot: PooledDatabase) -> None:
        """Close a database in the background, and remember how its queue stood."""
        database = slot.database
        assert database is not None
        try:
            left = await self._blocking(self._retire, key, database)
            if left is not None:
                self._closed_queues[key] = left
                if len(self._closed_queues) > MAX_CLOSED_QUEUES:
                    self._closed_queues.popitem(last=False)
        finally:
            self._remove(key, slot)

    def _retire(self, key: Key, database: Database) -> _ClosedQueue | None:
        """Close a database; return how its queue stands, if that is certain."""
        try:
            state = database.peek(queue_state)
        except Exception:  # noqa: BLE001 - border: whatever is wrong is found again by whoever opens it next
            state = None
        database.close()
        stamp = self._layout.stamp(Scope(org=key[0], workspace=key[1], agent=key[2]))
        # With a log beside it, another process has it open and may have written since the look.
        if state is None or stamp is None or stamp.log is not None:
            return None
        return _ClosedQueue(stamp, state, time.monotonic())

    def _remove(self, key: Key, slot: PooledDatabase) -> None:
        if self._databases.get(key) is slot:
            del self._databases[key]
        self._make_room()

    async def queue_when_closed(self, scope: Scope) -> QueueState | None:
        """Return how a closed agent's queue stands without opening it, or `None` when that is not known."""
        self.refuse_when_closed()
        key = _key(scope)
        left = self._closed_queues.get(key)
        if left is None or key in self._databases:
            return None
        if (
            time.monotonic() - left.at > CLOSED_QUEUE_TTL
            or await self._blocking(self._layout.stamp, scope) != left.stamp
        ):
            self._closed_queues.pop(key, None)
            return None
        return left.state if key not in self._databases else None

    async def close(self) -> None:
        """Finish what is under way and let go of every file.

        In a loop, because somebody who was let in before may open another one while these are closed.
        """
        self._closed = True
        self._make_room()
        while self._databases:
            for slot in list(self._databases.values()):
                if slot.opening is not None:
                    await asyncio.gather(slot.opening, return_exceptions=True)
            tasks = [
                slot.closing or self._begin_to_close(key)
                for key, slot in list(self._databases.items())
                if slot.database is not None
            ]
            await asyncio.gather(*tasks)
            if not tasks:
                await asyncio.sleep(0)
        self._openers.shutdown(wait=True)

    def refuse_when_closed(self) -> None:
        """Raise `StoreClosed` once the store is closed."""
        if self._closed:
            raise StoreClosed("the store is closed; open it again")

    async def _blocking(self, work: Callable[..., T], *arguments: object) -> T:
        """Run work that waits for the disk off the event loop; once begun it is not abandoned half-way."""
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._openers, work, *arguments))


class _Visit:
    """An agent that is kept open. Every write makes one: a generator would take three times as long."""

    __slots__ = ("_key", "_pool")

    def __init__(self, pool: DatabasePool, key: Key) -> None:
        self._pool = pool
        self._key = key

    def __enter__(self) -> None:
        self._pool.stay(self._key, 1)

    def __exit__(self, *_: object) -> None:
        self._pool.stay(self._key, -1)


class _Checkout:
    """A database that is open for as long as it is in use."""

    __slots__ = ("_pool", "_scope", "_slot")

    def __init__(self, pool: DatabasePool, scope: Scope) -> None:
        self._pool = pool
        self._scope = scope

    async def __aenter__(self) -> Database:
        self._slot = self._pool.acquire_open(self._scope) or await self._pool.acquire(self._scope)
        assert self._slot.database is not None
        return self._slot.database

    async def __aexit__(self, *_: object) -> None:
        self._pool.release(self._scope, self._slot)


def _retrieve_exception(task: "asyncio.Task[None]") -> None:
    """Take note of how a task ended: whoever waited for it was told, and nobody else needs to be."""
    if not task.cancelled():
        task.exception()


def _key(scope: Scope) -> Key:
    return scope.org, scope.workspace, scope.agent

"""Few databases are open however many agents there are, and nobody who uses one notices."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from remanent.errors import StoreBusy, StoreClosed
from remanent.model import Entry, Job, Scope
from remanent.stores import EntryQuery, Erasure
from remanent.stores.conformance.base import claim
from remanent.stores.sqlite import SqliteStore, pool
from remanent.stores.sqlite.connection import PER_DATABASE, PER_READER, descriptor_budget
from remanent.stores.transfer import export_lines, import_lines
from tests.chaos.support.places import fast_folder
from tests.descriptors import needs_proc, open_agents, open_under

pytestmark = needs_proc
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def agent(number: int) -> Scope:
    return Scope(org="org", workspace="lab", agent=f"agent{number}")


def entry(scope: Scope, number: int) -> Entry:
    return Entry(id=f"e{number}", scope=scope, text=f"saffron {number}", occurred_at=NOW, recorded_at=NOW)


async def say(store: SqliteStore, scope: Scope, number: int) -> None:
    async with store.transaction(scope) as tx:
        tx.append(entry(scope, number))


async def said(store: SqliteStore, scope: Scope) -> list[str]:
    return [found.id for found in await store.entries(scope, EntryQuery())]


@pytest.fixture
def folder() -> Iterator[Path]:
    with fast_folder() as folder:
        yield folder.resolve()


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(folder, max_open=3)
    yield store
    await store.close()


@pytest.mark.spec("USE-06")
async def test_agents_in_turn_keep_few_files_open_and_come_back_by_themselves(store: SqliteStore, folder: Path) -> None:
    for number in range(20):
        await say(store, agent(number), number)
        assert await said(store, agent(number)) == [f"e{number}"]
        assert len(open_agents(folder)) <= 3
        assert len(open_under(folder)) <= 3 * PER_DATABASE
    assert open_agents(folder) == {"agent17", "agent18", "agent19"}
    for number in range(20):
        assert await said(store, agent(number)) == [f"e{number}"]


async def test_writer_threads_go_with_their_databases(store: SqliteStore) -> None:
    for number in range(12):
        await say(store, agent(number), number)
    assert sum(thread.name.startswith("remanent-writer-agent") for thread in threading.enumerate()) <= 3


@pytest.mark.spec("USE-06")
async def test_hundreds_at_once_wait_for_each_other_and_none_fails(store: SqliteStore, folder: Path) -> None:
    most = 0

    async def work(number: int) -> list[str]:
        nonlocal most
        await say(store, agent(number), number)
        most = max(most, len(open_agents(folder)))
        return await said(store, agent(number))

    done = await asyncio.gather(*(work(number) for number in range(200)))
    assert done == [[f"e{number}"] for number in range(200)]
    assert most <= 3


async def test_imports_that_read_from_other_agents_leave_room_for_them(store: SqliteStore) -> None:
    """An import holds its place while it waits for the agent that it reads from: all at once must not lock up."""
    for number in range(8):
        await say(store, agent(number), number)

    async def copy(number: int) -> None:
        lines = [line async for line in export_lines(store, agent(number))]
        await import_lines(store, agent(100 + number), lines)

    async def straight(number: int) -> None:
        async def batches() -> AsyncIterator[list[object]]:
            await said(store, agent(number))
            yield []

        await store.load(agent(200 + number), batches())  # type: ignore[arg-type]

    await asyncio.wait_for(asyncio.gather(*map(copy, range(8)), *map(straight, range(8))), 120)
    assert await said(store, agent(107)) == ["e7"]


async def test_who_is_visited_stays_open_while_others_can_be_closed(store: SqliteStore, folder: Path) -> None:
    with store.visit(agent(0)):
        for number in range(10):
            await say(store, agent(number), number)
        assert "agent0" in open_agents(folder)
    for number in range(10, 14):
        await say(store, agent(number), number)
    assert "agent0" not in open_agents(folder)


async def test_visits_give_way_when_there_is_no_other_choice(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "VISIT_TIMEOUT", 0.001)
    with ExitStack() as visits:
        for number in range(6):
            visits.enter_context(store.visit(agent(number)))
            await say(store, agent(number), number)
        assert await said(store, agent(0)) == ["e0"]


async def test_a_call_that_waits_too_long_is_told_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(folder, max_open=2)
    for number in range(3):
        await say(store, agent(number), number)
    gate = threading.Event()
    held = [asyncio.create_task(hold(store, agent(number), gate)) for number in (0, 1)]
    await reading(store, 2)
    with monkeypatch.context() as impatient:
        impatient.setattr(pool, "VISIT_TIMEOUT", 0.001)
        impatient.setattr(pool, "CHECKOUT_TIMEOUT", 0.002)
        with pytest.raises(StoreBusy, match="in use"):
            await say(store, agent(2), 3)
    gate.set()
    await asyncio.gather(*held)
    await say(store, agent(2), 3)
    await store.close()


async def test_who_gives_up_waiting_passes_the_place_on(folder: Path) -> None:
    store = SqliteStore(folder, max_open=2)
    for number in range(4):
        await say(store, agent(number), number)
    gate = threading.Event()
    held = [asyncio.create_task(hold(store, agent(number), gate)) for number in (0, 1)]
    await reading(store, 2)
    gone, stays = (asyncio.create_task(said(store, agent(number))) for number in (2, 3))
    await asyncio.sleep(0)
    gone.cancel()
    gate.set()
    assert await stays == ["e3"]
    await asyncio.gather(*held)
    await store.close()


async def test_a_database_is_not_closed_under_a_reader_whose_caller_has_gone(folder: Path) -> None:
    """Otherwise the next to open the file would look at it by a plain handle, which drops the reader's locks."""
    store = SqliteStore(folder, max_open=2)
    for number in range(2):
        await say(store, agent(number), number)
    gate = threading.Event()
    gone = asyncio.create_task(hold(store, agent(0), gate))
    await reading(store, 1)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    others = asyncio.gather(*(say(store, agent(number), number) for number in (2, 3, 4)))
    back = asyncio.create_task(said(store, agent(0)))
    await asyncio.sleep(0)
    await until(lambda: any(slot.closing is not None for slot in store._pool._databases.values()))
    assert "agent0" in open_agents(folder)
    gate.set()
    await others
    assert await back == ["e0"]
    await store.close()


async def hold(store: SqliteStore, scope: Scope, gate: threading.Event) -> None:
    """Read until told to stop."""

    def read(_: apsw.Connection) -> None:
        gate.wait()

    async with store._pool.check_out(scope) as database:
        await database.read(read)


async def reading(store: SqliteStore, many: int) -> None:
    """Return when so many databases are being read."""

    def at_work() -> int:
        return sum(slot.database is not None and slot.database._reading > 0 for slot in store._pool._databases.values())

    await until(lambda: at_work() >= many)


async def until(come: Callable[[], bool]) -> None:
    """Return when something is so that other threads bring about."""
    for _ in range(1_000_000):
        if come():
            return
        await asyncio.sleep(0)
    raise AssertionError("it did not come to that")


async def test_the_queue_of_a_closed_agent_is_known_without_opening_it(store: SqliteStore, folder: Path) -> None:
    scope, due = agent(0), NOW + timedelta(minutes=10)
    job = Job(id="j", scope=scope, kind="k", lane="l", enqueued_at=NOW, not_before=due)
    async with store.transaction(scope) as tx:
        tx.enqueue(job, limit=10)
    before = await store.queue(scope)
    for number in range(1, 5):
        await say(store, agent(number), number)
    assert "agent0" not in open_agents(folder)
    assert await store.queue(scope) == before
    assert before.wake_at == due
    assert await claim(store, scope, worker="w", now=NOW, lease=timedelta(minutes=1)) is None
    assert "agent0" not in open_agents(folder)
    claimed = await claim(store, scope, worker="w", now=due, lease=timedelta(minutes=1))
    assert claimed is not None
    assert claimed.id == "j"


async def test_what_another_process_enqueues_for_a_closed_agent_is_seen(store: SqliteStore, folder: Path) -> None:
    scope = agent(0)
    for number in range(5):
        await say(store, agent(number), number)
    assert "agent0" not in open_agents(folder)
    assert (await store.queue(scope)).pending == 0
    other = SqliteStore(folder)
    async with other.transaction(scope) as tx:
        tx.enqueue(Job(id="j", scope=scope, kind="k", lane="l", enqueued_at=NOW), limit=10)
    assert (await store.queue(scope)).pending == 1
    await other.close()
    assert (await store.queue(scope)).pending == 1


@pytest.mark.parametrize("open_elsewhere", [False, True])
async def test_a_closed_agent_is_erased_to_the_last_byte(
    store: SqliteStore, folder: Path, open_elsewhere: bool
) -> None:
    for number in range(6):
        await say(store, agent(number), number)
    assert "agent0" not in open_agents(folder)
    other = SqliteStore(folder)
    if open_elsewhere:
        assert await said(other, agent(0)) == ["e0"]
    await store.erase(agent(0), Erasure(everything=True))
    await other.close()
    for number in range(6, 10):
        await say(store, agent(number), number)
    texts = b"".join(path.read_bytes() for path in store.layout.folder(agent(0)).rglob("*") if path.is_file())
    assert b"saffron" not in texts


async def test_closing_lets_go_of_everything_and_wakes_who_waits(folder: Path) -> None:
    store = SqliteStore(folder, max_open=2)
    work = [asyncio.create_task(say(store, agent(number), number)) for number in range(30)]
    await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    await store.close()
    done = await asyncio.gather(*work, return_exceptions=True)
    assert {type(one) for one in done} == {type(None), StoreClosed}
    assert open_under(folder) == []
    with pytest.raises(StoreClosed):
        await said(store, agent(0))
    again = SqliteStore(folder)
    for number, outcome in enumerate(done):
        assert outcome is not None or await said(again, agent(number)) == [f"e{number}"]
    await again.close()


Step = tuple[int, str]
STEPS = st.lists(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["say", "read", "visit", "leave", "give up", "queue"]))),
    max_size=8,
)


@examples(max_examples=25)
@given(turns=STEPS)
def test_whatever_is_done_at_once_everybody_sees_all_that_was_said(turns: list[list[Step]]) -> None:
    with fast_folder() as folder:
        asyncio.run(play(folder.resolve(), turns))


async def play(folder: Path, turns: list[list[Step]]) -> None:  # noqa: C901 - one branch for each kind of step
    """Do the steps of each turn at the same time; what was acknowledged is seen by every later read."""
    store = SqliteStore(folder, max_open=2)
    kept: dict[int, set[str]] = {number: set() for number in range(6)}
    tried: dict[int, set[str]] = {number: set() for number in range(6)}
    visits: dict[int, ExitStack] = {}  # at most one: with both places visited each step would wait out the patience
    count = iter(range(10_000))

    def leave() -> None:
        while visits:
            visits.popitem()[1].close()

    async def step(number: int, what: str) -> None:
        scope, before = agent(number), set(kept[number])
        if what == "say":
            new = next(count)
            tried[number].add(f"e{new}")
            await say(store, scope, new)
            kept[number].add(f"e{new}")
        elif what == "visit":
            leave()
            visits[number] = ExitStack()
            visits[number].enter_context(store.visit(scope))
        elif what == "leave":
            leave()
        elif what == "give up":
            gone = asyncio.create_task(said(store, scope))
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        elif what == "queue":
            assert (await store.queue(scope)).pending == 0
        else:
            found = await said(store, scope)
            assert before <= set(found) <= tried[number]
            assert len(found) == len(set(found))

    for turn in turns:
        await asyncio.gather(*(step(number, what) for number, what in turn))
        assert len(open_agents(folder)) <= 2
    leave()
    for number in range(6):
        assert set(await said(store, agent(number))) == kept[number] == tried[number]
    await store.close()
    assert open_under(folder) == []


@given(limit=st.integers(64, 2**20), most=st.integers(1, 10_000))
def test_under_any_limit_half_of_the_descriptors_stays_for_the_rest(limit: int, most: int) -> None:
    allowed = descriptor_budget(most, limit=limit)
    store = allowed.databases * PER_DATABASE + allowed.readers * PER_READER
    assert store <= limit // 2
    assert 2 <= allowed.databases <= max(2, most)


def test_at_a_limit_of_256_there_is_room_for_nineteen_agents() -> None:
    assert descriptor_budget(256, limit=256).databases == 19
    assert descriptor_budget(256, limit=2**20).databases == 256


_CROWDED = """
import asyncio, os, resource, sys
from pathlib import Path
from remanent.errors import StoreBusy
from remanent.stores.sqlite import SqliteStore
from tests.stores.sqlite.test_pool import agent, hold, reading, said, say

resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    for number in range(6):
        await say(store, agent(number), number)
        await said(store, agent(number))
    taken = []
    try:
        while True:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass
    await say(store, agent(6), 6)
    print(await said(store, agent(6)), await said(store, agent(0)))
    while True:
        try:
            taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            break
    for number in (0, 6):
        async with store._pool.check_out(agent(number)):
            pass
    async with store._pool.check_out(agent(0)), store._pool.check_out(agent(6)):
        try:
            await say(store, agent(7), 7)
        except StoreBusy as error:
            print(error)
    for descriptor in taken:
        os.close(descriptor)
    await say(store, agent(7), 7)
    print(await said(store, agent(7)))
    await store.close()

asyncio.run(main())
"""


def test_where_others_took_the_descriptors_idle_agents_are_closed_and_a_refusal_says_why(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CROWDED, str(folder)], capture_output=True, text=True, check=False, cwd=os.getcwd()
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "['e6'] ['e0']"
    assert "too many files open" in lines[1]
    assert lines[2] == "['e7']"

import asyncio
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import remanent
from remanent._portal import Portal
from remanent.errors import StoreClosed


@pytest.fixture
def portal() -> Iterator[Portal]:
    portal = Portal()
    yield portal
    portal.close()


async def add(first: int, *, second: int) -> int:
    await asyncio.sleep(0)
    return first + second


async def refuse() -> None:
    raise LookupError("not here")


class Countdown:
    """Yields start..1 and remembers which tasks ran it and whether it was closed."""

    def __init__(self, start: int, *, fail_at: int | None = None) -> None:
        self.start = start
        self.fail_at = fail_at
        self.tasks: set[asyncio.Task[object] | None] = set()
        self.produced = 0
        self.closed = False

    async def items(self) -> AsyncIterator[int]:
        try:
            for number in range(self.start, 0, -1):
                self.tasks.add(asyncio.current_task())
                if number == self.fail_at:
                    raise LookupError("ran dry")
                await asyncio.sleep(0)
                self.produced += 1
                yield number
        finally:
            self.tasks.add(asyncio.current_task())
            self.closed = True


def test_a_call_awaits_the_coroutine_and_gives_its_result(portal: Portal) -> None:
    assert portal.call(add, 1, second=2) == 3


def test_what_the_coroutine_raises_reaches_the_caller(portal: Portal) -> None:
    with pytest.raises(LookupError, match="not here"):
        portal.call(refuse)


def test_wrong_arguments_fail_the_call_and_not_the_loop(portal: Portal) -> None:
    with pytest.raises(TypeError):
        portal.call(add, 1)  # type: ignore[call-arg]
    assert portal.call(add, 1, second=2) == 3


def test_a_program_that_exits_inside_a_call_ends_the_loop_and_says_so_afterwards() -> None:
    portal = Portal()
    with pytest.raises(SystemExit):
        portal.run(sys.exit, 3)
    portal._thread.join(10)
    with pytest.raises(StoreClosed, match="has ended"):
        portal.call(add, 1, second=2)
    portal.close()


def test_a_plain_function_runs_on_the_thread_of_the_loop(portal: Portal) -> None:
    assert portal.run(threading.current_thread).name == "remanent-loop"


def test_calls_from_many_threads_share_one_loop(portal: Portal) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def note() -> None:
        loops.append(asyncio.get_running_loop())

    threads = [threading.Thread(target=portal.call, args=(note,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loops) == 8
    assert len(set(loops)) == 1


def test_the_loop_thread_does_not_keep_a_program_alive(portal: Portal) -> None:
    assert portal.run(threading.current_thread).daemon


def test_a_call_after_close_says_that_the_memory_is_closed() -> None:
    portal = Portal()
    portal.close()
    assert portal.closed
    with pytest.raises(StoreClosed, match="open it again"):
        portal.call(add, 1, second=2)


def test_closing_twice_is_harmless() -> None:
    portal = Portal()
    portal.close()
    portal.close()


def test_closing_ends_a_call_that_another_thread_waits_for() -> None:
    portal = Portal()
    entered = threading.Event()
    outcome: list[str] = []

    async def wait_for_ever() -> None:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            outcome.append("cleaned up")

    def wait() -> None:
        try:
            portal.call(wait_for_ever)
        except StoreClosed as error:
            outcome.append(str(error))

    waiter = threading.Thread(target=wait)
    waiter.start()
    assert entered.wait(10)
    portal.close()
    waiter.join(10)
    assert outcome == ["cleaned up", "the memory was closed while this call was running"]


def test_a_call_from_inside_the_loop_is_refused_instead_of_waiting_for_itself(portal: Portal) -> None:
    with pytest.raises(RuntimeError, match="async face"):
        portal.run(portal.call, add, 1, second=2)


def test_a_portal_outlives_its_opening_block_but_not_a_failure_in_it() -> None:
    with Portal.opening() as kept:
        pass
    assert kept.call(add, 1, second=1) == 2
    kept.close()
    lost: list[Portal] = []
    with pytest.raises(LookupError):
        _fail_while_opening(lost)
    assert lost[0].closed


def test_an_asynchronous_iterator_is_walked_in_order(portal: Portal) -> None:
    source = Countdown(4)
    assert list(portal.iterate(source.items())) == [4, 3, 2, 1]
    assert source.closed


def test_one_task_runs_an_iterator_from_its_first_line_to_its_last(portal: Portal) -> None:
    source = Countdown(3)
    list(portal.iterate(source.items()))
    assert len(source.tasks) == 1


def test_nothing_is_produced_before_it_is_asked_for(portal: Portal) -> None:
    source = Countdown(3)
    walk = portal.iterate(source.items())
    assert source.produced == 0
    assert next(walk) == 3
    assert source.produced == 1


def test_leaving_an_iterator_early_closes_it(portal: Portal) -> None:
    source = Countdown(3)
    for _ in portal.iterate(source.items()):
        break
    assert source.closed
    assert source.produced == 1


def test_an_iterator_that_fails_gives_what_it_had_and_then_raises(portal: Portal) -> None:
    source = Countdown(3, fail_at=1)
    walk = portal.iterate(source.items())
    assert [next(walk), next(walk)] == [3, 2]
    with pytest.raises(LookupError, match="ran dry"):
        next(walk)


def test_closing_the_portal_ends_an_iteration_with_a_typed_error() -> None:
    portal = Portal()
    source = Countdown(3)
    walk = portal.iterate(source.items())
    assert next(walk) == 3
    portal.close()
    assert source.closed
    with pytest.raises(StoreClosed):
        next(walk)


def test_an_iterator_that_is_no_generator_is_walked_too(portal: Portal) -> None:
    class Twice:
        def __init__(self) -> None:
            self.left = 2

        def __aiter__(self) -> "Twice":
            return self

        async def __anext__(self) -> int:
            if not self.left:
                raise StopAsyncIteration
            self.left -= 1
            return self.left

    assert list(portal.iterate(Twice())) == [1, 0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_is_told_to_open_its_own_memory() -> None:
    program = """
        import os, sys, warnings
        warnings.simplefilter("ignore")
        from remanent._portal import Portal
        from remanent.errors import StoreClosed

        async def one(): return 1

        portal = Portal()
        child = os.fork()
        if child == 0:
            try:
                portal.call(one)
            except StoreClosed as error:
                portal.close()
                os._exit(0 if "forked" in str(error) else 1)
            os._exit(2)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert portal.call(one) == 1
        portal.close()
        sys.exit(status)
    """
    assert _run(program).returncode == 0


def test_an_interrupt_cancels_the_call_and_lets_it_unwind_before_it_is_raised() -> None:
    program = """
        import asyncio, signal, threading
        from remanent._portal import Portal

        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
        events = []

        async def work():
            try:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                events.append("unwound")

        async def one(): return 1

        portal = Portal()
        try:
            portal.call(work)
        except KeyboardInterrupt:
            events.append("interrupted")
        assert events == ["unwound", "interrupted"], events
        assert portal.call(one) == 1, "the portal serves on"
        portal.close()
    """
    assert _run(program).returncode == 0


def test_a_program_that_never_closes_its_portal_still_ends() -> None:
    program = """
        from remanent._portal import Portal
        portal = Portal()
    """
    assert _run(program).returncode == 0


def _fail_while_opening(opened: list[Portal]) -> None:
    with Portal.opening() as portal:
        opened.append(portal)
        portal.call(refuse)


def _run(program: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program)], timeout=60, check=False)


FORGETFUL = """
import sys, remanent
memory = remanent.open(sys.argv[1], embedder="none")
memory.agent("ada").remember([f"message {number} about herons" for number in range(300)])
"""


def test_a_program_that_forgets_to_close_ends_quietly_and_loses_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FORGETFUL, str(tmp_path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    with remanent.open(tmp_path, embedder="none") as memory:
        assert len(memory.agent("ada").entries(limit=1000)) == 300


def test_what_is_open_says_whose_it_is(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada", workspace="lab")
        assert repr(ada) == "<Agent default/lab/ada>"
        assert repr(ada.admin) == "<AgentAdmin default/lab/ada>"
        assert repr(memory) == f"<Memory {tmp_path}>"
    with remanent.connect("http://127.0.0.1:9", key="rmn_secret") as remote:
        assert repr(remote.agent("ada")) == "<RemoteAgent default/default/ada on http://127.0.0.1:9>"
        assert "secret" not in repr(remote)

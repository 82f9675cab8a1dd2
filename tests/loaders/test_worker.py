"""The process that reads files: what becomes of a file that kills it, and of the files after that."""

import asyncio
import os
from collections.abc import Iterator

import pytest

from remanent.errors import UnreadableFile
from remanent.loaders.document import LoadLimits, Reading
from remanent.loaders.readers import ReaderProcess
from remanent.loaders.types import HTML, PDF
from tests.loaders.pdfs import pdf

# A child in which reading a page of HTML does what its text says.
PROGRAM = """
import os, signal, time
from remanent.loaders import readers
from remanent.loaders.document import assemble
def hostile(data, reading):
    match data:
        case b"abort": os.abort()
        case b"exit": os._exit(3)
        case b"print": print("noise" * 1000, flush=True)
        case b"loop":
            while True: pass
        case b"block":
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
            while True: time.sleep(1)
        case b"memory": bytes(10**10)
        case b"rest": readers._IDLE_SECONDS = 0
        case b"recursion": hostile_forever()
    return assemble(f"{os.getpid()} {sorted(os.environ)}", "text/html")
def hostile_forever(): hostile_forever()
readers._READERS["text/html"] = hostile
readers._FILES_PER_CHILD = 4
readers.main()
"""


@pytest.fixture
def worker() -> Iterator[ReaderProcess]:
    made = ReaderProcess(PROGRAM)
    yield made
    made.close()


async def ask(worker: ReaderProcess, what: str, *, seconds: float = 60.0) -> str:
    return (await worker.read(what.encode(), Reading("a.html", HTML, LoadLimits(seconds=seconds)))).text


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("abort", "crashed"),
        ("exit", "crashed"),
        ("loop", "too_slow"),
        ("block", "too_slow"),
        ("memory", "too_large"),
        ("recursion", "damaged"),
    ],
)
async def test_a_file_that_breaks_its_reader_is_refused_and_the_next_is_read(
    worker: ReaderProcess, what: str, reason: str
) -> None:
    with pytest.raises(UnreadableFile) as refused:
        await ask(worker, what, seconds=0.5 if reason == "too_slow" else 60)
    assert refused.value.reason == reason
    assert (await worker.read(pdf("The bridge."), Reading("a.pdf", PDF))).text == "The bridge."


async def test_one_child_serves_many_files_and_is_replaced_after_some(worker: ReaderProcess) -> None:
    served = [(await ask(worker, "fine")).split()[0] for _ in range(6)]
    assert len(set(served[:4])) == len(set(served[4:])) == 1
    assert served[0] != served[4]


async def test_a_child_of_a_large_process_is_not_taken_for_large(worker: ReaderProcess) -> None:
    # What a process holds at most is inherited when it is started: 1.2 GB here, once.
    held = bytearray(1_200_000_000)
    held[::4096] = b"x" * len(held[::4096])
    del held
    assert (await ask(worker, "fine")).split()[0] == (await ask(worker, "fine")).split()[0]


async def test_a_child_that_went_to_rest_is_replaced_without_a_word(worker: ReaderProcess) -> None:
    first = (await ask(worker, "rest")).split()[0]
    child = worker._child
    assert child is not None
    assert child._process.wait() == 0
    assert (await ask(worker, "fine")).split()[0] != first


async def test_what_a_parser_prints_does_not_reach_the_frames(worker: ReaderProcess) -> None:
    assert "HOME" in await ask(worker, "print")


async def test_no_key_of_ours_reaches_the_child(worker: ReaderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert "OPENAI_API_KEY" not in await ask(worker, "fine")


async def test_who_stops_waiting_ends_the_child_and_the_next_file_is_read(worker: ReaderProcess) -> None:
    await ask(worker, "fine")
    child = worker._child
    assert child is not None
    waiting = asyncio.create_task(ask(worker, "loop", seconds=300))
    while worker._current is None:  # noqa: ASYNC110 - set by a thread
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (await ask(worker, "fine")).split()[0] != str(child._process.pid)
    assert child._process.returncode != 0


async def test_nothing_runs_on_when_the_worker_is_closed(worker: ReaderProcess) -> None:
    process = int((await ask(worker, "fine")).split()[0])
    worker.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_many_files_at_once_are_all_read(worker: ReaderProcess) -> None:
    assert len(await asyncio.gather(*(ask(worker, "fine") for _ in range(20)))) == 20

"""What the C library is told of memory, how connections are taken, and whose the signals of a process are."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from remanent.operations import Target
from remanent.server.serving import ACCEPTED_AT_ONCE, MAX_ARENAS, _config, _listen, tune_allocator
from remanent.settings import ServerSettings
from tests.server.rest.conftest import running

_POOLS = """
import sys, threading
from remanent.server.serving import tune_allocator
told = tune_allocator(cores=2) if sys.argv[1] == "tamed" else True
gate = threading.Barrier(13)

def hold():
    bytearray(50_000)
    gate.wait()
    gate.wait()

threads = [threading.Thread(target=hold) for _ in range(12)]
for thread in threads:
    thread.start()
gate.wait()
import ctypes
libc = ctypes.CDLL("libc.so.6")
libc.fopen.restype = ctypes.c_void_p
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
libc.fclose.argtypes = [ctypes.c_void_p]
file = libc.fopen(b"/dev/stdout", b"w")
libc.malloc_info(0, file)
libc.fclose(file)
gate.wait()
assert told
"""


@pytest.mark.skipif(not tune_allocator(cores=MAX_ARENAS), reason="this C library has no pools to share")
def test_threads_share_the_pools_of_memory() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC", "GLIBC"))}

    def pools(how: str) -> int:
        command = [sys.executable, "-c", _POOLS, how]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        return done.stdout.count("<heap nr=")

    assert pools("tamed") <= 2 < pools("left alone")


def test_small_answers_are_sent_at_once() -> None:
    # asyncio turns off waiting for fuller packets only where a socket, and so what it accepts, names its protocol.
    with _listen("127.0.0.1", 0) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.proto == socket.IPPROTO_TCP


@pytest.mark.spec("SAFE-02")
def test_a_burst_of_connections_is_taken_a_few_at_a_time() -> None:
    # asyncio takes as many connections as this says before it does anything else.
    assert _config(None, ServerSettings()).backlog == ACCEPTED_AT_ONCE <= 16


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
async def test_a_signal_to_a_process_that_embeds_a_server_does_not_close_the_memory_under_it(tmp_path: Path) -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    try:
        async with running(tmp_path) as served:
            os.kill(os.getpid(), signal.SIGTERM)
            place = Target(org="acme", workspace="lab", agent="ada")
            # Each is answered after the last: a server that were ending would be gone by then.
            for number in range(20):
                await served.service.perform("remember", {"messages": [f"thing {number}"]}, place=place)
                assert (await served.http.get("/readyz")).status_code == 200
    finally:
        signal.signal(signal.SIGTERM, before)
    assert told == [signal.SIGTERM]


async def test_a_server_with_nothing_under_way_ends_without_delay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        asked.append(seconds)
        await sleep(seconds)

    async with running(tmp_path) as served:
        assert (await served.http.get("/livez")).status_code == 200  # and its connection is kept
        monkeypatch.setattr(asyncio, "sleep", noted)
    assert sum(asked) < 0.05

"""Serving: listen, announce it, and on a signal let requests in progress finish.

Here is the life of the process: its allocator and its logs, the socket, the order in which things are opened, and the
reverse order in which they are closed. uvicorn does the rest, except for signals, which it would raise again before the
memory is closed.
"""

import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, closing, contextmanager
from itertools import count

import uvicorn

from remanent.errors import InvalidSettings
from remanent.memory import aopen
from remanent.operations import CATALOGUE, Catalogue, Service
from remanent.operations.access.keys import open_keys
from remanent.server.app import JsonLines, ServerPart, create_app
from remanent.server.connections import MAX_HEAD, timed_protocol
from remanent.server.hosts import is_loopback
from remanent.server.telemetry import Warmup
from remanent.settings import ServerSettings, Settings
from remanent.stores.registry import open_shelf

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
"""As glibc's malloc.h numbers them."""
_LARGE = 1 << 20
"""Bytes from which a block comes from the system directly, and goes back there when it is freed."""
MAX_ARENAS = 8
"""As many as a large machine gets: more only keep what others could use (chosen by hand)."""


def tune_allocator(*, cores: int | None = None) -> bool:
    """Have glibc share its pools among threads and give large blocks back; return whether it was told.

    Left alone, it makes up to eight pools a core, none of which uses what is free in another, and keeps blocks of up to
    32 MB for itself once it has seen some: a server of twenty threads grows for hours although it holds no more than
    before. Call it before threads are started. Elsewhere than on Linux with glibc there is nothing to tell.
    """
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL("libc.so.6").mallopt
        arenas = max(2, min(MAX_ARENAS, cores or os.cpu_count() or 2))
        return all(
            mallopt(option, value) == 1
            for option, value in ((_ARENA_MAX, arenas), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, 2 * _LARGE))
        )
    return False


_SWITCH_INTERVAL = 0.0005
"""Seconds that a thread may keep the interpreter from others. Those that read the store need it often and briefly; by
the usual 5 ms, which the event loop takes whenever it is busy, they would wait longer than they work."""


def tune_interpreter() -> None:
    """Have threads take turns often, and leave what was loaded by now out of garbage collections.

    A full collection looks at everything that is there, and no thread runs meanwhile: with what the imports leave
    behind, of which nothing is ever freed, that was 0.15 s.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()


ACCEPTED_AT_ONCE = 8
"""Connections that are taken before anything else is done: each takes half a millisecond until it is set up."""
_BACKLOG = 2048
"""Connections that wait at the system to be taken."""

MakeParts = Callable[[Service], Sequence[ServerPart]]
Ready = Callable[[Service, str], None]


def check_address(settings: Settings) -> bool:
    """Return whether callers on this machine need no key; refuse an address of others where nobody has one.

    This is for who starts the server to read: who is let in is judged again at every request.
    """
    with closing(open_shelf(settings)) as shelf:
        was_ever_used = open_keys(shelf, settings).was_ever_used
    if not was_ever_used and not is_loopback(settings.server.host):
        raise InvalidSettings(
            f"{settings.server.host} can be reached from other machines, but no key exists; create "
            "one first: remanent keys create NAME --permission admin"
        )
    return not was_ever_used


async def serve(
    settings: Settings,
    *,
    catalogue: Catalogue = CATALOGUE,
    parts: MakeParts = lambda _: (),
    ready: Ready = lambda _, __: None,
    until: asyncio.Event | None = None,
) -> None:
    """Serve until a signal ends it, or `until` where that is given; `ready` is told when requests are taken, and where.

    Whoever gives `until` has a process of its own to look after: its signals stay its own. Otherwise what ends that
    process would close the memory under everything in it that goes on.
    """
    check_address(settings)
    drain = settings.server.drain_timeout
    within = settings.model_copy(update={"jobs": settings.jobs.model_copy(update={"drain_timeout": drain})})
    listener = _listen(settings.server.host, settings.server.port)
    async with AsyncExitStack() as stack:
        stack.callback(listener.close)
        memory = await stack.enter_async_context(aopen(settings=within))
        service = await stack.enter_async_context(Service(memory, catalogue=catalogue))
        made = parts(service)
        for part in made:
            await stack.enter_async_context(part.running())
        warming = Warmup(memory, agents=settings.server.warm_agents)
        server = GracefulServer(
            _config(create_app(service, parts=made, warming=warming), settings.server),
            begun=lambda: ready(service, _address(listener, settings.server.host)),
            ending=service.runs.close,
        )
        with _signals(server) if until is None else _watching(until, server):
            async with warming.running():
                await server.serve(sockets=[listener])


class GracefulServer(uvicorn.Server):
    """Says when it has begun; ends long work first, whose followers would else never go, and then without delay."""

    def __init__(
        self, config: uvicorn.Config, *, begun: Callable[[], None], ending: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(config)
        self._begun = begun
        self._ending = ending
        self._asked_to_end = asyncio.Event()

    def end(self) -> None:
        """Take no more requests, and end when those under way are answered."""
        self.should_exit = True
        self._asked_to_end.set()

    async def main_loop(self) -> None:
        """Wake once a second for the date in answers, and at once to end; uvicorn's own wakes every tenth of one."""
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._asked_to_end.wait(), timeout=1.0)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)  # asyncio gave the system the same small number that it takes at once
        self._begun()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, and wait for those that are being answered."""
        await self._ending()
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            await asyncio.wait_for(self._answered(), self.config.timeout_graceful_shutdown)
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()

    async def _answered(self) -> None:
        """Wait until every request that was begun is answered, or the server is told to end at once."""
        # Soon at first: most connections are idle and gone at once, and uvicorn's own always waits a tenth of a second.
        for tries in count():
            if self.force_exit or not (self.server_state.connections or self.server_state.tasks):
                return
            await asyncio.sleep(min(0.001 * 2**tries, 0.1))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: uvicorn would raise them again before the memory is closed."""
        yield


@contextmanager
def _signals(server: GracefulServer) -> Iterator[None]:
    """Let a first signal end the server gently, and a second one at once."""
    loop = asyncio.get_running_loop()
    names = (signal.SIGINT, signal.SIGTERM)

    def end() -> None:
        server.force_exit = server.should_exit
        server.end()

    is_main = threading.current_thread() is threading.main_thread()
    for name in names if is_main else ():
        loop.add_signal_handler(name, end)
    try:
        yield
    finally:
        for name in names if is_main else ():
            loop.remove_signal_handler(name)


@contextmanager
def _watching(until: asyncio.Event, server: GracefulServer) -> Iterator[None]:
    """End the server when an event is set: what tests and programs that embed it use in place of a signal."""

    async def watch() -> None:
        await until.wait()
        server.end()

    task = asyncio.create_task(watch(), name="remanent serve: until")
    try:
        yield
    finally:
        task.cancel()


def _config(app: object, settings: ServerSettings) -> uvicorn.Config:
    """Return uvicorn's settings. Headers of proxies are not believed, and logs are ours alone."""
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        http=timed_protocol(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        backlog=ACCEPTED_AT_ONCE,
        h11_max_incomplete_event_size=2 * MAX_HEAD,
        timeout_keep_alive=settings.idle_timeout,
        timeout_graceful_shutdown=int(settings.drain_timeout),
    )


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; made before anything is opened, so that a taken port costs nothing."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named because asyncio sends small pieces at once only on sockets that name it; on others an answer
    # of two pieces waits 40 ms for the client's acknowledgement of the first.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise InvalidSettings(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another port: --port, or REMANENT_SERVER__PORT"
        ) from error
    return listener


def _address(listener: socket.socket, host: str) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"


def log_to_stderr() -> None:
    """Write logs as JSON lines to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("remanent", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO if name == "remanent" else logging.WARNING)
        logger.propagate = False

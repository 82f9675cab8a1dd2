"""The bridge between plain threads and the event loop, on which the generated blocking API is built.

One `Portal` owns one event loop in one daemon thread. A daemon, because a program that forgets to close its memory
must still be able to end: whatever was acknowledged is on disk already.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures.thread  # noqa: F401 - it registers its own end, which ours must go before
import inspect
import os
import threading
import weakref
from collections.abc import AsyncGenerator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypeVar

from remanent.errors import StoreClosed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

_open: weakref.WeakSet[Portal] = weakref.WeakSet()


def _close_all() -> None:
    """End what a program forgot to close, while the threads that it works on are still there.

    Else its background work would fail on them and complain, although nothing is lost.
    """
    for portal in list(_open):
        portal.close(timeout=_UNWIND_SECONDS)


# Python ends the threads of executors before any `atexit` function is called; what is registered here goes before that,
# because it was registered later. The function is not public; where it is missing, a forgotten memory may complain.
getattr(threading, "_register_atexit", atexit.register)(_close_all)

P = ParamSpec("P")
T = TypeVar("T")

# How long an interrupted call may take to unwind before Ctrl-C is let through all the same.
_UNWIND_SECONDS: Final = 5.0


class Portal:
    """Run coroutines of one private event loop from any thread."""

    def __init__(self) -> None:
        ready: Future[asyncio.AbstractEventLoop] = Future()
        self._pid = os.getpid()
        self._closed = False
        self._gate = threading.Lock()
        self._thread = threading.Thread(target=_serve, args=(ready,), name="remanent-loop", daemon=True)
        self._thread.start()
        self._loop = ready.result()
        _open.add(self)

    @classmethod
    @contextmanager
    def opening(cls) -> Iterator[Portal]:
        """Give a new portal that stays open on success and is closed if the block fails."""
        portal = cls()
        with portal.closed_on_failure():
            yield portal

    @contextmanager
    def closed_on_failure(self) -> Iterator[None]:
        """Close the portal if the block fails: nobody is left who would."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def call(self, function: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Await the coroutine function on the loop and give its result.

        An interrupt cancels the coroutine and waits for it to unwind, so that Ctrl-C leaves no work half done behind.
        """
        work = _Work(lambda: function(*args, **kwargs))
        try:  # an interrupt may come as soon as the work runs, before it is waited for
            self._start(work)
            return work.result()
        except CancelledError as error:
            raise StoreClosed("the memory was closed while this call was running") from error
        except KeyboardInterrupt:
            if work.queued:
                self._loop.call_soon_threadsafe(work.cancel)
                work.wait(_UNWIND_SECONDS)
            raise

    def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call the plain function on the loop's thread, where asyncio objects may be touched, and give its result."""

        async def plain() -> T:
            return function(*args, **kwargs)

        return self.call(plain)

    def iterate(self, source: AsyncIterator[T]) -> Iterator[T]:
        """Walk an asynchronous iterator from here, one item at a time; leaving early closes it."""
        pump = _Pump(source)
        serving = _Work(pump.serve)
        self._start(serving)
        try:
            while item := self.call(pump.ask):
                yield item[0]
            serving.result()  # raises what ended the source, if anything did
        finally:
            if not serving.future.done() and not self._closed:
                self.call(pump.stop)

    def close(self, *, timeout: float | None = None) -> None:
        """Cancel what still runs, end the loop and its thread, waiting so long at most; a second call does nothing."""
        with self._gate:
            first, self._closed = not self._closed, True
            if not first or self._pid != os.getpid():
                return  # in a forked child there is no loop thread to end: it stayed with the parent
            with suppress(RuntimeError):  # ended already
                self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout)

    def _start(self, work: _Work[T]) -> None:
        if self._pid != os.getpid():
            raise StoreClosed("this memory was opened before the process forked; open it again in the child process")
        if threading.current_thread() is self._thread:
            raise RuntimeError("called from the memory's own event loop; use the async face there")
        with self._gate:  # nothing can be queued behind the stop of the loop, where it would wait for ever
            if self._closed:
                raise StoreClosed("this memory is closed; open it again")
            try:
                work.queued = True
                self._loop.call_soon_threadsafe(work.begin)
            except RuntimeError as error:  # a SystemExit raised on the loop ends it
                raise StoreClosed("the event loop of this memory has ended; open it again") from error


class _Work(Generic[T]):
    """One coroutine on the loop; its future is done when the coroutine has ended, never while it still unwinds."""

    def __init__(self, function: Callable[[], Awaitable[T]]) -> None:
        self.future: Future[T] = Future()
        self.queued = False
        # A plain lock, held until the end. An interrupt inside a future's own waiting can leave the future locked, and
        # the loop would then wait for it for ever.
        self._running = threading.Lock()
        self._running.acquire()
        self._function = function
        self._task: asyncio.Task[T] | None = None

    def begin(self) -> None:
        """Start the coroutine; called on the loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(self._finish)

    def cancel(self) -> None:
        """Cancel the coroutine; called on the loop."""
        if self._task is not None:
            self._task.cancel()

    def wait(self, timeout: float = -1) -> bool:
        """Wait for the end of the coroutine, so many seconds at most; tell whether it has ended."""
        if self._running.acquire(timeout=timeout):
            self._running.release()
            return True
        return False

    def result(self) -> T:
        """Wait for the end of the coroutine, and give what it returned or raise what it raised."""
        self.wait()
        return self.future.result()

    async def _run(self) -> T:
        # Called in here, a function that refuses its arguments fails this task and not the loop.
        return await self._function()

    def _finish(self, task: asyncio.Task[T]) -> None:
        if task.cancelled():
            self.future.cancel()
            self.future.set_running_or_notify_cancel()
        elif error := task.exception():
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result())
        self._running.release()


class _Pump(Generic[T]):
    """Drive one asynchronous iterator inside one task: what it enters before a `yield` must be left in that task."""

    def __init__(self, source: AsyncIterator[T]) -> None:
        self._source = source
        self._requests: asyncio.Queue[asyncio.Future[tuple[T, ...]]] = asyncio.Queue()
        self._task: asyncio.Task[object] | None = None
        self._ended = asyncio.Event()

    async def serve(self) -> None:
        """Answer each request with the next item, until the source ends, fails or is stopped."""
        self._task = asyncio.current_task()
        slot: asyncio.Future[tuple[T, ...]] | None = None
        try:
            slot = await self._requests.get()
            async for item in self._source:
                if not slot.done():
                    slot.set_result((item,))
                slot = await self._requests.get()
        finally:
            try:
                if isinstance(self._source, AsyncGenerator):
                    await self._source.aclose()
            finally:
                self._ended.set()
                if slot is not None and not slot.done():
                    slot.set_result(())

    async def ask(self) -> tuple[T, ...]:
        """Give the next item alone in a tuple, or an empty tuple when there is none."""
        if self._ended.is_set():
            return ()
        slot: asyncio.Future[tuple[T, ...]] = asyncio.get_running_loop().create_future()
        self._requests.put_nowait(slot)
        return await slot

    async def stop(self) -> None:
        """End the source before it is exhausted and wait until it has unwound."""
        if self._task is not None:
            self._task.cancel()
            await self._ended.wait()


def _serve(ready: Future[asyncio.AbstractEventLoop]) -> None:
    try:
        # A SystemExit raised by a coroutine ends the loop; it is raised again in the thread that waits for the result.
        with suppress(SystemExit), asyncio.Runner() as runner:  # leaving cancels what still runs
            loop = runner.get_loop()
            ready.set_result(loop)
            loop.run_forever()
    except OSError as error:  # no descriptors left for a loop: the opener is waiting to hear of it
        if ready.done():
            raise
        ready.set_exception(error)


class PlainFace:
    """What a discipline of another distribution gives, for plain threads: its methods block until they are done."""

    __slots__ = ("_portal", "_wrapped")

    def __init__(self, portal: Portal, wrapped: object) -> None:
        self._portal = portal
        self._wrapped = wrapped

    def __getattr__(self, name: str) -> Any:
        """Return a value, or what calls a method on the loop's thread."""
        found = getattr(self._wrapped, name)
        if not callable(found):
            return found
        if inspect.isasyncgenfunction(found):
            return lambda *args, **named: self._portal.iterate(found(*args, **named))
        if inspect.iscoroutinefunction(found):
            return lambda *args, **named: self._portal.call(found, *args, **named)
        return lambda *args, **named: self._portal.run(found, *args, **named)

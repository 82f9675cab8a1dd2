"""Long work: started, followed by its progress, cancelled, fetched."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import JsonValue, TypeAdapter

from remanent.errors import NotFound, NotPermitted, QueueFull, RemanentError
from remanent.model import Clock, Word, system_clock
from remanent.model.clock import Instant
from remanent.model.ids import Id
from remanent.operations.access.principal import LOCAL, Permission, Place, Principal
from remanent.operations.call import Report, Step
from remanent.operations.operation import Operation

MOST_RUNNING = 32
MOST_KEPT = 1000
"""Finished runs whose results can still be fetched; the oldest are let go first."""


class RunState(StrEnum):
    """How long work stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Run(Word):
    """Long work as it stands."""

    run_id: Id
    operation: str
    state: RunState = RunState.RUNNING
    started_at: Instant
    ended_at: Instant | None = None
    step: Step = Step()
    response: JsonValue = None
    """The operation's answer, once it is done."""
    error: str | None = None
    """The name of the error that it failed with."""
    message: str = ""


@dataclass(slots=True)
class _Kept:
    run: Run
    place: Place
    permission: Permission
    task: asyncio.Task[None] | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)


def _reaches(kept: _Kept, principal: Principal, org: str | None) -> bool:
    return org in {None, kept.place.org} and principal.reach.covers(kept.place)


Work = Callable[[Report], Awaitable[Any]]


class Runs:
    """The long work of one process; it ends with the process, and so does what can be fetched."""

    def __init__(self, *, clock: Clock = system_clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def start(self, operation: Operation[Any, Any], work: Work, *, place: Place) -> Run:
        """Begin work and return at once."""
        if sum(kept.run.state is RunState.RUNNING for kept in self._kept.values()) >= MOST_RUNNING:
            raise QueueFull(f"{MOST_RUNNING} long operations run already; wait for one to end or cancel it")
        # Not a time-ordered id: nobody shall guess another's.
        run = Run(run_id=secrets.token_hex(16), operation=operation.name, started_at=self._clock())
        kept = _Kept(run, place, operation.permission)
        self._kept[run.run_id] = kept
        kept.task = asyncio.create_task(self._do(kept, operation, work), name=f"remanent run: {operation.name}")
        # A task that is cancelled before its first step never comes to its own `except`.
        kept.task.add_done_callback(lambda _: self._ended(kept))
        while len(self._kept) > MOST_KEPT:
            oldest = next((key for key, one in self._kept.items() if one.run.state is not RunState.RUNNING), None)
            if oldest is None:
                break
            del self._kept[oldest]
        return run

    def get(self, run_id: str, *, principal: Principal = LOCAL, org: str | None = None) -> Run:
        """Return how a run stands."""
        return self._of(run_id, principal, org).run

    def list(self, *, principal: Principal = LOCAL, org: str | None = None) -> list[Run]:
        """Return the runs within reach, oldest first."""
        return [kept.run for kept in self._kept.values() if _reaches(kept, principal, org)]

    async def follow(self, run_id: str, *, principal: Principal = LOCAL, org: str | None = None) -> AsyncIterator[Run]:
        """Yield a run whenever it has changed, until it has ended."""
        kept = self._of(run_id, principal, org)
        while True:
            run, kept.changed = kept.run, asyncio.Event()
            yield run
            if run.state is not RunState.RUNNING:
                return
            if kept.run is run:
                await kept.changed.wait()

    async def cancel(self, run_id: str, *, principal: Principal = LOCAL, org: str | None = None) -> Run:
        """Stop a run and wait until it has unwound; one that has ended stays as it is."""
        kept = self._of(run_id, principal, org)
        if not principal.may(kept.permission):
            raise NotPermitted(f"this key does not allow to {kept.permission} here")
        if kept.task is not None and not kept.task.done():
            kept.task.cancel()
            await asyncio.gather(kept.task, return_exceptions=True)
        return kept.run

    async def close(self) -> None:
        """Stop everything that runs."""
        tasks = [kept.task for kept in self._kept.values() if kept.task is not None and not kept.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _of(self, run_id: str, principal: Principal, org: str | None) -> _Kept:
        kept = self._kept.get(run_id)
        if kept is None or not _reaches(kept, principal, org):
            raise NotFound(f"no run {run_id} here; what a server ran before it was started again is gone")
        return kept

    async def _do(self, kept: _Kept, operation: Operation[Any, Any], work: Work) -> None:
        def report(step: Step) -> None:
            self._change(kept, step=step)

        try:
            answer = await work(report)
        except RemanentError as error:
            self._change(
                kept, state=RunState.FAILED, ended_at=self._clock(), error=type(error).__name__, message=str(error)
            )
        except Exception as error:  # noqa: BLE001 - the border of the run: whoever fetches it must see that it failed
            self._change(kept, state=RunState.FAILED, ended_at=self._clock(), error=type(error).__name__)
        else:
            response = TypeAdapter(operation.response).dump_python(answer, mode="json")
            self._change(kept, state=RunState.DONE, ended_at=self._clock(), response=response)

    def _ended(self, kept: _Kept) -> None:
        kept.task = None  # it holds on to all that it worked with
        if kept.run.state is RunState.RUNNING:
            self._change(kept, state=RunState.CANCELLED, ended_at=self._clock())

    def _change(self, kept: _Kept, **changes: Any) -> None:
        kept.run = kept.run.replace(**changes)
        kept.changed.set()

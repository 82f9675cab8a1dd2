"""Long work: started, followed by its progress, cancelled, fetched; what it came to is known after a restart, too.

Two things are written down, apart from each other. How a run stands is a document on the shelf, without a word of what
it is about. Its answer is a note in the agent's own store, so that erasing there erases it. A run whose process is
gone, which its hold tells, was interrupted.
"""

import asyncio
import json
import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, JsonValue, TypeAdapter

from remanent.discipline.operation import Operation
from remanent.discipline.port import ProgressStep, Report
from remanent.discipline.shapes import Done
from remanent.errors import InvalidInput, NotFound, NotPermitted, QueueFull, RemanentError, StorageError
from remanent.jobs.runner import describe_failure
from remanent.lightweight import dataclass
from remanent.model import Clock, Model, system_clock
from remanent.model.clock import Instant
from remanent.model.ids import Id
from remanent.operations.access.keys import FOLDER, LOCAL, Permission, Principal, Target
from remanent.stores.notes import NotedAnswer, NotedAnswers
from remanent.stores.shelf import Hold, Shelf, as_shelf


class RunState(StrEnum):
    """How long work stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """The process that did it ended before it was done."""


class Run(Model):
    """Long work as it stands."""

    run_id: Id
    operation: str
    workspace: str | None = None
    agent: str | None = None
    """Whose memory it works on, so that a list of the whole organisation can tell; `None` where it works on more."""
    state: RunState = RunState.RUNNING
    started_at: Instant
    ended_at: Instant | None = None
    step: ProgressStep = ProgressStep()
    response: JsonValue = None
    """The operation's answer, once it is done."""
    error: str | None = None
    """The name of the error that it failed with."""
    message: str = ""


_TIDY_EVERY = 100
"""Writes after which old runs are looked for: listing the folder for each would cost more than the run."""


class RunFile(Model):
    """A run as it is written down: without its answer and without its words."""

    run: Run
    place: Target
    permission: Permission
    process: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


_RUNS = f"{FOLDER}/runs"


class RunFiles:
    """A document for each run on the shelf, and a hold for each process that has some.

    A run that stands as running although nobody holds the name of its process was interrupted.
    """

    def __init__(self, place: Path | Shelf, *, most: int) -> None:
        self.process = secrets.token_hex(8)
        self._shelf = as_shelf(place)
        self._most = most
        self._hold: Hold | None = None
        self._written = 0

    def write(self, run: Run, *, place: Target, permission: Permission) -> None:
        """Write down how a run stands; on return that survives a power cut."""
        told = run.replace(response=None, message="", step=run.step.replace(note=""))
        content = RunFile(run=told, place=place, permission=permission, process=self.process).to_json().encode()
        try:
            if self._hold is None or self._hold.is_lost:
                self._hold = self._shelf.hold(_lock_of(self.process))
            self._shelf.write(f"{_RUNS}/{run.run_id}.json", content)
            self._written += 1
            if self._written % _TIDY_EVERY == 1:
                for name in self._shelf.names(_RUNS)[: -self._most]:
                    self._shelf.remove(name)
        except OSError as error:
            raise StorageError(f"nothing can be written to {_RUNS}: {error.strerror}") from error

    def read(self, run_id: str) -> RunFile | None:
        """Return a run as it was last written down."""
        if not (run_id.isascii() and run_id.isalnum()):
            return None
        try:
            return _run_of(self._shelf.read(f"{_RUNS}/{run_id}.json"))
        except OSError:
            return None

    def all(self) -> Iterator[RunFile]:
        """Yield every run that is written down, oldest first."""
        for _, content in self._shelf.documents(_RUNS):
            found = _run_of(content)
            if found is not None:
                yield found

    def is_alive(self, process: str) -> bool:
        """Return whether a process that wrote runs down is still there."""
        return process == self.process or self._shelf.is_held(_lock_of(process))

    def close(self) -> None:
        """Say that this process is gone."""
        if self._hold is not None:
            self._hold.release()
            self._hold = None


def _lock_of(process: str) -> str:
    return f"{_RUNS}/{process}.lock"


def _run_of(content: bytes | None) -> RunFile | None:
    """Return a run as it was written, or nothing where it cannot be read.

    A damaged file costs the knowledge of one run; refusing it would keep a server from listing the others.
    """
    try:
        return None if content is None else RunFile.from_json(content)
    except InvalidInput:
        return None


MAX_RUNNING = 32
"""Runs at a time of all organisations. Chosen by hand."""
MAX_RUNNING_PER_ORG = 8
"""Runs of one organisation: a quarter of all."""
KEPT_FREE = 8
"""Places that only organisations take that run nothing: whatever the others do, a first run begins."""
MAX_KEPT = 1000
"""Finished runs that are still known; the oldest are let go first."""
MAX_KEPT_BYTES = 16 * 2**20
"""Of their answers in memory."""

INTERRUPTED = "the server ended before this was done; start it again"
_ANSWER_GONE = "its answer is no longer there; start it again"
_LOOK_EVERY = 1.0
"""Seconds after which a run of another process is looked at again."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _RunState:
    """What this process knows of a run beside what people see of it."""

    run: Run
    place: Target
    permission: Permission
    is_written: bool
    """Whether it is known after a restart."""
    is_durable: bool
    """Whether its answer is, too."""
    is_noted: bool = False
    """Whether that was noted: then it is given for as long as the note has it."""
    task: asyncio.Task[None] | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    size: int = 0


def _reaches(place: Target, principal: Principal, org: str | None) -> bool:
    return org in {None, place.org} and principal.reach.covers(place)


def _may_see(run: "_RunState | RunFile", principal: Principal) -> bool:
    """Whether somebody may know what a run came to: who may read, or who may do such work."""
    return principal.may(Permission.READ) or principal.may(run.permission)


Work = Callable[[Report], Awaitable[Any]]


class Runs:
    """The long work of one process, and what is written down of that of others.

    How a run stands is a document on the shelf, without anything that was said. The answer of one that changes
    something is noted in the agent's own store, and goes when something of the agent is erased.
    """

    def __init__(self, files: RunFiles, notes: NotedAnswers, *, clock: Clock = system_clock) -> None:
        self._files = files
        self._notes = notes
        self._clock = clock
        self._kept: OrderedDict[str, _RunState] = OrderedDict()
        self._bytes = 0
        self._closing = False

    async def start(self, operation: Operation[Any, Any], work: Work, *, place: Target) -> Run:
        """Begin work, and return when it is known that it was begun."""
        self._check_room(place.org)
        # Not a time-ordered id: nobody shall guess another's.
        run = Run(
            run_id=secrets.token_hex(16),
            operation=operation.name,
            workspace=place.workspace,
            agent=place.agent,
            started_at=self._clock(),
        )
        # Waiting has no answer: who waited for a server that is gone waits again.
        is_written = operation.changes or operation.response is not Done
        kept = _RunState(run, place, operation.permission, is_written, operation.changes)
        self._kept[run.run_id] = kept
        try:
            await asyncio.to_thread(self._write, kept, run)
        except BaseException:
            del self._kept[run.run_id]
            raise
        kept.task = asyncio.create_task(self._do(kept, operation, work), name=f"remanent run: {operation.name}")
        # A task that is cancelled before its first step never comes to its own `except`.
        kept.task.add_done_callback(lambda _: self._ended(kept))
        self._make_room()
        return run

    async def get(self, run_id: str, *, principal: Principal = LOCAL, org: str | None = None) -> Run:
        """Return how a run stands, also one of an earlier process."""
        kept = self._kept.get(run_id)
        found = await asyncio.to_thread(self._files.read, run_id) if kept is None else kept
        if found is None or not _reaches(found.place, principal, org):
            raise NotFound(f"there is no run {run_id} here")
        if not _may_see(found, principal):
            raise NotPermitted("this key has no read permission here")
        return await (self._recalled(found) if isinstance(found, RunFile) else self._still(found))

    async def list(self, *, principal: Principal = LOCAL, org: str | None = None) -> list[Run]:
        """Return the runs within reach, oldest first, those of earlier processes without their answers."""
        written = await asyncio.to_thread(lambda: list(self._files.all()))

        def is_shown(one: _RunState | RunFile) -> bool:
            return _reaches(one.place, principal, org) and _may_see(one, principal)

        earlier = [one for one in written if one.run.run_id not in self._kept and is_shown(one)]
        found = [await asyncio.to_thread(self._standing, one) for one in earlier]
        found += [await self._still(kept) for kept in list(self._kept.values()) if is_shown(kept)]
        return sorted(found, key=lambda run: run.started_at)

    async def follow(self, run_id: str, *, principal: Principal = LOCAL, org: str | None = None) -> AsyncIterator[Run]:
        """Yield a run whenever it has changed, until it has ended."""
        run = await self.get(run_id, principal=principal, org=org)
        kept = self._kept.get(run_id)
        while kept is not None:
            run, kept.changed = kept.run, asyncio.Event()
            yield run
            if run.state is not RunState.RUNNING:
                return
            if kept.run is run:
                await kept.changed.wait()
        yield run
        while run.state is RunState.RUNNING:  # another process is at it
            await asyncio.sleep(_LOOK_EVERY)
            last, run = run, await self.get(run_id, principal=principal, org=org)
            if run != last:
                yield run

    async def cancel(self, run_id: str, *, principal: Principal = LOCAL, org: str | None = None) -> Run:
        """Stop a run and wait until it has unwound; one that has ended stays as it is."""
        run = await self.get(run_id, principal=principal, org=org)
        kept = self._kept.get(run_id)
        if kept is None:
            if run.state is RunState.RUNNING:
                raise NotPermitted("this run belongs to another process of the server; ask that one")
            return run
        if not principal.may(kept.permission):
            raise NotPermitted(f"this key has no {kept.permission} permission here")
        await self._stop(kept)
        return kept.run

    async def close(self) -> None:
        """Stop everything that runs; it is known further on that it was interrupted."""
        self._closing = True
        await asyncio.gather(*(self._stop(kept) for kept in list(self._kept.values())))
        self._files.close()

    def _check_room(self, org: str) -> None:
        """Refuse a run beyond what the server, or one organisation, may have at once; a few places are kept for those
        that have none.
        """
        running = [kept.place.org for kept in self._kept.values() if kept.run.state is RunState.RUNNING]
        own = running.count(org)
        if own >= MAX_RUNNING_PER_ORG:
            raise QueueFull(
                f"this organisation already has {own} long operations running; wait for one to finish, or cancel one"
            )
        if len(running) >= (MAX_RUNNING - KEPT_FREE if own else MAX_RUNNING):
            raise QueueFull(f"{len(running)} long operations are already running; wait for one to finish")

    # ── one run ──────────────────────────────────────────────────────────────

    async def _do(self, kept: _RunState, operation: Operation[Any, Any], work: Work) -> None:
        """Do the work and note how it ended, before anybody is told."""

        def report(step: ProgressStep) -> None:
            self._change(kept, kept.run.replace(step=step))

        try:
            answer = await work(report)
            response = TypeAdapter(operation.response).dump_python(answer, mode="json")
            outcome: dict[str, Any] = {"state": RunState.DONE, "response": response}
        except RemanentError as error:
            outcome = {"state": RunState.FAILED, "error": type(error).__name__, "message": str(error)}
        except Exception as error:  # noqa: BLE001 - the border of the run: whoever fetches it must see that it failed
            said = describe_failure(error)  # without the message, which may hold what somebody said
            _logger.error("run %s (%s) failed: %s", kept.run.run_id, operation.name, said)  # noqa: TRY400
            outcome = {"state": RunState.FAILED, "error": type(error).__name__}
        ended = kept.run.replace(ended_at=self._clock(), **outcome)
        # Written down before anybody is told: who was told finds it there after a restart.
        try:
            await self._note(kept, ended)
        except RemanentError as error:
            _logger.warning("the end of a run is not written down: %s", type(error).__name__)
        self._change(kept, ended)

    async def _stop(self, kept: _RunState) -> None:
        if kept.task is not None and not kept.task.done():
            kept.task.cancel()
            await asyncio.gather(kept.task, return_exceptions=True)

    def _ended(self, kept: _RunState) -> None:
        """Clean up after a run, also one that was cancelled and so could not note its own end."""
        kept.task = None  # it holds on to all that it worked with
        if kept.run.state is RunState.RUNNING:
            state = RunState.INTERRUPTED if self._closing else RunState.CANCELLED
            message = INTERRUPTED if self._closing else ""
            ended = kept.run.replace(state=state, ended_at=self._clock(), message=message)
            try:
                self._write(kept, ended)
            except RemanentError as error:
                _logger.warning("the end of a run is not written down: %s", type(error).__name__)
            self._change(kept, ended)
        kept.size = len(json.dumps(kept.run.response))
        self._bytes += kept.size
        self._make_room()

    def _change(self, kept: _RunState, run: Run) -> None:
        kept.run = run
        kept.changed.set()

    def _make_room(self) -> None:
        """Let go of the oldest that have ended, when there are too many or too large ones."""
        for run_id, kept in list(self._kept.items()):
            if len(self._kept) <= MAX_KEPT and self._bytes <= MAX_KEPT_BYTES:
                return
            if kept.task is None and kept.run.state is not RunState.RUNNING:
                del self._kept[run_id]
                self._bytes -= kept.size

    # ── what is written down ─────────────────────────────────────────────────

    def _write(self, kept: _RunState, run: Run) -> None:
        if kept.is_written:
            self._files.write(run, place=kept.place, permission=kept.permission)

    async def _note(self, kept: _RunState, ended: Run) -> None:
        """Write down the answer in the agent's own store, where erasing finds it, and the state in a file."""
        scope = kept.place.scope
        if kept.is_durable and scope is not None:
            said = {"response": ended.response, "message": ended.message}
            note = NotedAnswer(fingerprint="", at=self._clock(), status=0, content=json.dumps(said, ensure_ascii=False))
            await self._notes.keep(scope, _name(ended.run_id), note)
            kept.is_noted = True
        await asyncio.to_thread(self._write, kept, ended)

    async def _still(self, kept: _RunState) -> Run:
        """Return a run of this process without an answer that was erased since, by whatever process."""
        scope = kept.place.scope
        if kept.is_noted and scope is not None and (kept.run.response is not None or kept.run.message):
            note = await self._notes.find(scope, _name(kept.run.run_id))
            if note is None or note.content is None:
                kept.is_noted = False
                kept.run = kept.run.replace(response=None, message=_ANSWER_GONE)
        return kept.run

    def _standing(self, written: RunFile) -> Run:
        """Return a run as it stands: one whose process is gone was interrupted, whatever its file says."""
        run = written.run
        if run.state is RunState.RUNNING and not self._files.is_alive(written.process):
            return run.replace(state=RunState.INTERRUPTED, message=INTERRUPTED)
        return run

    async def _recalled(self, written: RunFile) -> Run:
        """Return a run of an earlier process with its answer, as far as that is still there."""
        run = await asyncio.to_thread(self._standing, written)
        if run.state not in {RunState.DONE, RunState.FAILED}:
            return run.replace(message=INTERRUPTED) if run.state is RunState.INTERRUPTED else run
        scope = written.place.scope
        note = None if scope is None else await self._notes.find(scope, _name(run.run_id))
        if note is None or note.content is None:
            return run.replace(message=_ANSWER_GONE)
        said = json.loads(note.content)
        return run.replace(response=said["response"], message=said["message"])


def _name(run_id: str) -> str:
    return f"run {run_id}"

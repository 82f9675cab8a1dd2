"""The audit log: who did what to whose memory. A chain of lines for each organisation, which sees its own only.

Writes of one organisation that come together share one sync. A line that could not be written is owed and comes before
the next one; while the log cannot be written, nothing that it should tell of is done.
"""

import asyncio
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path

from remanent.durability import NO_ROOM
from remanent.errors import InvalidSettings, RemanentError, StorageError, StorageFull
from remanent.lightweight import BoundedDict, dataclass
from remanent.model import Clock, system_clock
from remanent.operations.access.chain import (
    MAX_BATCH,
    Anchors,
    AuditEvent,
    AuditLine,
    AuditVerification,
    Chain,
    SharedAnchors,
    file_stem,
    org_of,
)
from remanent.operations.access.keys import FOLDER
from remanent.settings import SECRETS_FOLDER, Settings
from remanent.stores.shelf import DAMAGED, Shelf, as_shelf

_LOGS = f"{FOLDER}/audit"
"""A log for each organisation."""

_WRITERS = 4
"""Organisations that are synced at a time; each has its own files, so that none waits for another's."""
_MOST_OWED = 1000
_MOST_SEEN = 10_000
"""Lines that wait for a log which cannot be written, the newest; and organisations the end of whose log is known."""
_MOST_LOOKED_AT = 50
"""Organisations whose log is looked at for `/readyz`: those written to last."""

_NEXT = ".next"
"""Stands for an organisation that has no log yet: no organisation has such a name."""
_TRIED_FOR = 1.0
"""Seconds that `/readyz` waits for logs that could not be written: those who ask often give up after so long."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Queue:
    """What waits to be noted for one organisation; `None` waits until it is known that something could be."""

    waiting: list[tuple[AuditEvent | None, asyncio.Future[None]]] = field(default_factory=list)
    owed: list[AuditEvent] = field(default_factory=list)
    """Done and not noted, because the disk failed in between: noted before anything else is done."""
    task: asyncio.Task[None] | None = None


@dataclass(frozen=True, slots=True)
class AuditStatus:
    """How the logs stand, in numbers of organisations."""

    damaged: int = 0
    """Logs that lost lines, and were set aside or are about to be; what is done is noted further on."""
    failing: int = 0
    """Nothing can be noted, and so nothing is changed."""
    problem: str = ""
    """Why, of one of these."""


class AuditLog:
    """The logs of one home folder, or of one database; several processes may write them.

    `secrets` is the folder of the key and of what the logs are held against, `.secrets` of a home folder unless given;
    `seal_key` is the key itself where no file shall hold it.
    """

    def __init__(
        self,
        place: Path | Shelf,
        *,
        secrets: Path | None = None,
        seal_key: str | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self._shelf = as_shelf(place)
        folder = place / SECRETS_FOLDER if secrets is None and isinstance(place, Path) else secrets
        if folder is None:
            raise InvalidSettings("the audit log of a database needs a secrets folder on this machine")
        self._anchors = (
            SharedAnchors(self._shelf, folder, key=seal_key) if self._shelf.is_shared else Anchors(folder, key=seal_key)
        )
        self._clock = clock
        self._queues: dict[str, _Queue] = {}
        self._seen = BoundedDict[str, tuple[int, ...] | None](_MOST_SEEN)
        self._failing: dict[str, str] = {}
        """Whose last line could not be written, and why."""
        self._writers: ThreadPoolExecutor | None = None

    # ── writing ──────────────────────────────────────────────────────────────

    async def note(self, deed: AuditEvent, *, org: str | None = None) -> None:
        """Write a line, into the log of another organisation if one is named; on return it survives any crash.

        Lines that come together share one sync.
        """
        await self._enter(deed.org if org is None else org, deed)

    async def require(self, org: str) -> None:
        """Refuse what could not be noted: asked before anything is done, because afterwards it is too late."""
        queue = self._queues.get(org)
        if org not in self._failing and (queue is not None or await self._shelf.call(self._is_as_left, org)):
            return
        try:
            await self._enter(org, None)
        except RemanentError as error:
            raise type(error)(f"{error}; nothing was changed") from error

    def _is_as_left(self, org: str) -> bool:
        """Whether nobody has touched the file since it was last written here, and there is room."""
        if org not in self._seen:
            return False
        chain = self._chain(org)
        try:
            chain.require_writable()
            return chain.state() == self._seen.get(org)
        except (OSError, RemanentError):
            return False

    async def try_again(self) -> None:
        """Write what is owed, for a moment: a server that says it is not ready is sent nothing that would do so."""
        waiting = [self._enter(org, None) for org in list(self._failing)[:_MOST_LOOKED_AT]]
        if waiting:
            await asyncio.wait(waiting, timeout=_TRIED_FOR)

    def _enter(self, org: str, deed: AuditEvent | None) -> asyncio.Future[None]:
        """Return what is done once an event is written. Those that wait meanwhile share one write and one sync."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue = self._queues.setdefault(org, _Queue())
        queue.waiting.append((deed, done))
        if queue.task is None:
            queue.task = asyncio.create_task(self._flush(org, queue), name="remanent audit")
        return done

    async def _flush(self, org: str, queue: _Queue) -> None:
        """Note what waits until nothing does; however a write ends, nobody is left waiting for it."""
        try:
            while queue.waiting:
                batch, queue.waiting = queue.waiting[:MAX_BATCH], queue.waiting[MAX_BATCH:]
                failure: BaseException | None = asyncio.CancelledError()
                try:
                    failure = await self._write(org, queue, [deed for deed, _ in batch if deed is not None])
                finally:
                    for _, done in batch:
                        if not done.done():
                            if failure is None:
                                done.set_result(None)
                            elif isinstance(failure, asyncio.CancelledError):
                                done.cancel()
                            else:
                                done.set_exception(failure)
                                done.exception()  # whoever waits is told; nobody need wait
        finally:
            queue.task = None
            for _, done in queue.waiting:
                done.cancel()
            if not queue.owed:
                self._queues.pop(org, None)

    async def _write(self, org: str, queue: _Queue, deeds: list[AuditEvent]) -> RemanentError | None:
        """Write lines; return why that failed. What was not written is owed."""
        if self._writers is None:
            self._writers = ThreadPoolExecutor(_WRITERS, thread_name_prefix="remanent-audit")
        queue.owed = [*queue.owed, *deeds][-_MOST_OWED:]
        try:
            while True:
                some = queue.owed[:MAX_BATCH]
                state = await asyncio.get_running_loop().run_in_executor(self._writers, self._append, org, some)
                queue.owed = queue.owed[len(some) :]
                if not queue.owed:
                    break
        except Exception as error:  # noqa: BLE001 - the border of the log: whatever it was, the callers are answered
            failure = _typed(error)
            if org not in self._failing:
                _logger.error("the audit log cannot be written, so nothing is changed for now: %s", failure)  # noqa: TRY400 - typed
            self._failing[org] = str(failure)
            self._seen.pop(org, None)
            return failure
        self._failing.pop(org, None)
        self._seen[org] = state
        return None

    def _append(self, org: str, deeds: list[AuditEvent]) -> tuple[int, ...] | None:
        chain = self._chain(org)
        chain.append(deeds)
        return chain.state()

    async def close(self) -> None:
        """Finish what is under way, and note what is owed if that is possible by now."""
        await self.try_again()
        tasks = [queue.task for queue in self._queues.values() if queue.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._writers is not None:
            self._writers.shutdown()
            self._writers = None

    # ── reading ──────────────────────────────────────────────────────────────

    def read(self, org: str) -> Iterator[AuditLine]:
        """Yield an organisation's lines that can be read, oldest first."""
        with _reading():
            yield from self._chain(org).read()

    def verify(self, org: str) -> AuditVerification:
        """Walk along an organisation's whole chain and say whether every line is there, and as it was written."""
        with _reading():
            return self._chain(org).verify()

    def orgs(self) -> list[str]:
        """Return every organisation of which there is, or was, a log."""
        with _reading():
            names = [name.rpartition("/")[2] for name in self._shelf.logs(_LOGS)]
            logs = {org_of(name.removesuffix(".jsonl")) for name in names if name.endswith(".jsonl")}
            return sorted({*logs, *self._anchors.orgs()})

    def standing(self) -> AuditStatus:
        """Return how the logs stand, as far as can be told at once; `verify` looks at every line."""
        try:
            names = [name.rpartition("/")[2] for name in self._shelf.logs(_LOGS)]
            orgs = list(self._anchors.orgs())
            if not self._shelf.is_shared:  # else they come in this order, and asking for each would take long
                orgs.sort(key=self._written_at)
        except (OSError, RemanentError) as error:
            return AuditStatus(failing=1, problem=str(_typed(error)))
        damaged = {org_of(name.rsplit(".", 2)[0]) for name in names if name.endswith(DAMAGED)}
        failing = dict(self._failing)
        for org in (_NEXT, *orgs[: -_MOST_LOOKED_AT - 1 : -1]):
            chain = self._chain(org)
            try:
                chain.require_writable()
                if not chain.is_sound():
                    damaged.add(org)
            except (OSError, RemanentError) as error:
                failing.setdefault(org, str(_typed(error)))
        if len(failing) > 1:
            failing.pop(_NEXT, None)  # what keeps the others from their logs
        return AuditStatus(len(damaged), len(failing), next(iter(failing.values()), ""))

    def _written_at(self, org: str) -> int:
        state = self._chain(org).state()
        return 0 if state is None else state[2]

    def _chain(self, org: str) -> Chain:
        """Return an organisation's chain; it is cheap to make and keeps no file open."""
        log = self._shelf.log(f"{_LOGS}/{file_stem(org)}.jsonl")
        return Chain(log, org=org, anchors=self._anchors, clock=self._clock)


def open_audit(shelf: Shelf, settings: Settings, *, clock: Clock = system_clock) -> AuditLog:
    """Return the audit log of a memory, with the secrets of this machine."""
    key = None if settings.seal_key is None else settings.seal_key.get_secret_value()
    return AuditLog(shelf, secrets=settings.secrets_folder, seal_key=key, clock=clock)


@contextmanager
def _reading() -> Iterator[None]:
    """Say of a log that cannot be read no more than that."""
    try:
        yield
    except OSError as error:
        why = f"{error.strerror}; it may be intact: make it readable for the user who runs Remanent, then try again"
        raise StorageError(f"the audit log cannot be read: {why}") from error


def _typed(error: Exception) -> RemanentError:
    """Return an error that callers understand, for whatever went wrong at the log."""
    if isinstance(error, RemanentError):
        return error
    if isinstance(error, OSError):
        kind = StorageFull if error.errno in NO_ROOM else StorageError
        return kind(f"the audit log cannot be written: {error.strerror}; check its disk, then try again")
    _logger.error("the audit log cannot be written", exc_info=error)
    return StorageError(f"the audit log cannot be written ({type(error).__name__}); see the server's log for details")

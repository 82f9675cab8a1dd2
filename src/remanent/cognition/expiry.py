"""How short-term memories end: promoted when they are used or confirmed, expired when they are not."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from remanent.cognition.model import JUMP, SHORT_TERM, CleanReport
from remanent.cognition.settings import CognitionSettings
from remanent.model import Clock, Kind, MemoryData, Record, Scope, SemanticData, Status, system_clock
from remanent.stores import NO_LIMIT, RecordFilter, RecordQuery, Store, Transaction

_logger = logging.getLogger(__name__)
_SWEEP_EVERY = timedelta(minutes=10)
"""How often an agent's memories are looked through for what ended; recall leaves out what is over at once."""


def _passed() -> float:
    """Return seconds that pass also while the machine sleeps, where the system counts those."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class SteadyClock:
    """The time by which memories end: the wall clock, as long as it agrees with the time that really passed.

    A wall clock that jumps ahead by more than an hour in a running process is wrong until it is proved right: nothing
    ends by the jump, and a warning tells of it. Time during which no process ran is real. A clock that was given by the
    caller is believed, since nothing is known of how it passes.
    """

    def __init__(self, wall: Clock, passed: Callable[[], float] | None = None) -> None:
        self._wall = wall
        self._passed = passed if passed is not None else (_passed if wall is system_clock else None)
        self._began = (wall(), self._passed() if self._passed else 0.0)
        self._warned = False

    def __call__(self) -> datetime:
        """Return the time by which memories end."""
        now = self._wall()
        if self._passed is None:
            return now
        steady = self._began[0] + timedelta(seconds=self._passed() - self._began[1])
        if now - steady <= JUMP:
            self._warned = False
            return now
        if not self._warned:
            self._warned = True
            _logger.warning("the clock jumped ahead by %s; no memory expires by that", now - steady)
        return steady


def promoted(record: Record, *, now: datetime) -> Record:
    """Return a short-term memory as a long-term one."""
    about = record.memory.model_dump(include=set(MemoryData.model_fields))
    preference = record.kind is Kind.PREFERENCE
    return record.replace(
        kind=Kind.SEMANTIC,
        data=SemanticData(
            **about,
            category="user_preference" if preference else "project" if record.kind is not Kind.MOOD else "profile",
            first_observed=record.occurred_at,
            last_confirmed=now,
        ),
        expires_at=None,
        status=Status.ACTIVE,
        version=record.version + 1,
        updated_at=now,
    )


def score(record: Record) -> float:
    """Return where a short-term memory stands among others: seconds and importance, as the design has it."""
    return record.occurred_at.timestamp() + record.importance


class Lifecycle:
    """Counts how often memories are recalled, and sees to their ends."""

    def __init__(self, store: Store, settings: CognitionSettings, *, clock: Clock) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self.steady = SteadyClock(clock)
        self._reads: dict[Scope, Counter[str]] = {}
        self._swept: dict[Scope, datetime] = {}

    def count(self, scope: Scope, record_ids: Sequence[str]) -> None:
        """Note that memories were given out; it is written with the next job, since a recall writes nothing."""
        if record_ids:
            self._reads.setdefault(scope.owner, Counter()).update(record_ids)

    async def flush(self, scope: Scope) -> None:
        """Write the counts, and promote what was recalled often enough."""
        counts = self._reads.pop(scope.owner, None)
        if not counts:
            return
        async with self._store.transaction(scope.owner) as tx:
            for times in set(counts.values()):
                tx.touch([record_id for record_id, count in counts.items() if count == times], accessed=times)
        query = RecordQuery(filter=RecordFilter(kinds=SHORT_TERM), record_ids=tuple(counts), limit=len(counts))
        due = [one for one in await self._store.records(scope.owner, query) if self._is_used(one)]
        if due:
            async with self._store.transaction(scope.owner) as tx:
                for record in due:
                    tx.put(promoted(record, now=self._clock()), expects=record.version)

    async def flush_all(self) -> None:
        """Write all counts, before the store is closed."""
        for scope in list(self._reads):
            await self.flush(scope)

    def _is_used(self, record: Record) -> bool:
        return record.access_count >= self._settings.promote_after

    async def sweep_now_and_then(self, scope: Scope, tx: Transaction) -> None:
        """Sweep within a job, unless that was done a moment ago."""
        now = self._clock()
        last = self._swept.get(scope)
        if last is None or not timedelta() <= now - last < _SWEEP_EVERY:
            self._swept[scope] = now
            await self.sweep(scope, tx)

    async def sweep(self, scope: Scope, tx: Transaction, *, all_expired: bool = False) -> CleanReport:
        """End what is over: never read, it goes; read once or twice, it is set aside; read more often, it stays.

        With `all_expired`, what was set aside goes as well.
        """
        now, ends = self._clock(), self.steady()
        wanted = RecordFilter(kinds=SHORT_TERM, statuses=(Status.ACTIVE, Status.EXPIRED))
        removed, expired, kept = list[str](), list[str](), list[str]()
        for record in await self._store.records(scope.owner, RecordQuery(filter=wanted, limit=NO_LIMIT)):
            if record.memory.pinned:
                continue
            if record.status is Status.EXPIRED:
                if all_expired:
                    tx.drop(record.id)
                    removed.append(record.id)
            elif self._is_used(record):
                tx.put(promoted(record, now=now), expects=record.version)
                kept.append(record.id)
            elif record.expires_at is not None and record.expires_at <= ends:
                if record.access_count:
                    gone = record.replace(status=Status.EXPIRED, version=record.version + 1, updated_at=now)
                    tx.put(gone, expects=record.version)
                    expired.append(record.id)
                else:
                    tx.drop(record.id)
                    removed.append(record.id)
        return CleanReport(dry_run=False, removed=tuple(removed), expired=tuple(expired), promoted=tuple(kept))

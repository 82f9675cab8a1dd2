"""Asking the paths: beside each other, each within its time, and without those that keep failing.

A path gives a bounded number of candidates. Where one session fills more than its share of them, the path is asked
again without it, so that nothing is pushed out by how much a single source says.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from remanent.errors import InvalidInput, ModelUnavailable
from remanent.model import Clock, Entry, Kind, LeftOut, Record, Scope, Status
from remanent.recall.diversity import share_of
from remanent.recall.indexing import turn_of
from remanent.recall.path import Candidate, RecallPath
from remanent.recall.question import Question
from remanent.recall.recipe import PathUse, Recipe
from remanent.settings import RecallSettings
from remanent.stores import EntryQuery, Place, RecordFilter, RecordQuery, Store


class Allowance:
    """A time-out that waits for loading first: `seconds` for the path itself, and before it up to `loading`.

    A model or an index that is loaded for the first question would else be left out of its answer, although nothing is
    wrong with it. Raises `TimeoutError` like `asyncio.timeout`.
    """

    __slots__ = ("_loading", "_path", "_question", "_seconds", "_timeout", "_timer", "_until")

    def __init__(self, path: RecallPath, question: Question, *, seconds: float, loading: float) -> None:
        self._path = path
        self._question = question
        self._seconds = seconds
        self._loading = loading
        self._timeout = asyncio.timeout(None)

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        loop = asyncio.get_running_loop()
        self._until = loop.time() + self._loading
        self._timer = loop.call_later(self._seconds, self._look)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        await self._timeout.__aexit__(kind, error, trace)

    def _look(self) -> None:
        """Give the path its time anew while it loads, else end it."""
        loop = asyncio.get_running_loop()
        left = self._until - loop.time()
        if left > 0 and self._path.preparing(self._question):
            self._timer = loop.call_later(min(self._seconds, left), self._look)
        else:
            self._timeout.reschedule(loop.time())


SEEDS = 20
"""How many of what was found first is handed to the paths that follow."""

ROUNDS = 3
"""How often a path is asked again without sessions that fill more than their share; each round may show another."""

SessionsOf = Callable[[Question, Sequence[str]], Awaitable[Mapping[str, str | None]]]
"""Tells the sessions of candidates."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Gathered:
    """What the paths said."""

    found: dict[str, list[Candidate]] = field(default_factory=dict)
    """By path, best first."""
    weights: dict[str, float] = field(default_factory=dict)
    adding: set[str] = field(default_factory=set)
    """The records that a path found whose finds are answers by themselves."""
    left_out: list[LeftOut] = field(default_factory=list)


@dataclass(slots=True)
class _Trouble:
    failures: int = 0
    rests_until: datetime | None = None


class Gathering:
    """Asks all paths of a recipe; one that fails or is late is left out, and what was gathered says so.

    A path whose model does not answer is left alone for a while, so that not every question waits for it: at once when
    it was late, after `recall.failures` in a row when it failed in time. One that makes itself ready is waited for, up
    to `recall.load_timeout`; when that was not enough, the next questions ask it again without waiting as long.
    """

    def __init__(
        self,
        paths: Sequence[RecallPath],
        settings: RecallSettings,
        *,
        clock: Clock,
        sessions_of: SessionsOf | None = None,
    ) -> None:
        self.paths = list(paths)
        self._sessions_of = sessions_of
        self._settings = settings
        self._clock = clock
        self._troubles: dict[str, _Trouble] = {}
        self._slow: set[str] = set()
        """The paths that were not ready after all the time that loading may take."""

    async def gather(self, question: Question, recipe: Recipe, *, width: int, share: float = 1.0) -> Gathered:
        """Ask the paths that need nothing but the question, then those that follow what these found.

        No session gives more than its share of a path's candidates while others have any.
        """
        gathered = Gathered()
        await self._ask_all(question, recipe, gathered, width=width, share=share, follow=False)
        self._give_way(gathered)
        if any(path.follows for path in self.paths):
            # Fusion comes later: for a start, the best of each path in turn.
            best = dict.fromkeys(
                candidates[rank].record_id
                for rank in range(SEEDS)
                for candidates in gathered.found.values()
                if rank < len(candidates) and candidates[rank].record_id in gathered.adding
            )
            following = question.following(tuple(best)[:SEEDS])
            await self._ask_all(following, recipe, gathered, width=width, share=share, follow=True)
        return gathered

    async def _ask_all(
        self, question: Question, recipe: Recipe, gathered: Gathered, *, width: int, share: float, follow: bool
    ) -> None:
        uses: list[tuple[RecallPath, PathUse]] = []
        for path in self.paths:
            use = recipe.use_of(path.family)
            weight = 0.0 if use is None else use.weight_in(question.language) * path.share(question)
            if path.follows is follow and use is not None and weight > 0 and await path.needed(question):
                gathered.weights[path.name] = weight
                uses.append((path, use))
        # A recipe that bounds its candidates tightly is obeyed, a generous one is widened for long answers.
        answers = await asyncio.gather(
            *(
                self._ask_fairly(
                    path, question, limit=use.limit if recipe.strict else max(use.limit, width), share=share
                )
                for path, use in uses
            )
        )
        for (path, _), answer in zip(uses, answers, strict=True):
            if isinstance(answer, LeftOut):
                gathered.left_out.append(answer)
                continue
            gathered.found[path.name] = answer
            if path.adds:
                gathered.adding.update(candidate.record_id for candidate in answer)

    def _give_way(self, gathered: Gathered) -> None:
        """Take from paths that yield what others of their family found."""
        for path in self.paths:
            own = gathered.found.get(path.name)
            if not path.yields or not own:
                continue
            taken = {
                candidate.record_id
                for other in self.paths
                if other.family == path.family and not other.yields
                for candidate in gathered.found.get(other.name, ())
            }
            gathered.found[path.name] = [candidate for candidate in own if candidate.record_id not in taken]

    async def _ask_fairly(
        self, path: RecallPath, question: Question, *, limit: int, share: float
    ) -> list[Candidate] | LeftOut:
        """Ask a path; where a session fills more than its share of the answer, ask again for what stands behind it."""
        answer = await self._ask(path, question, limit=limit)
        if isinstance(answer, LeftOut) or len(answer) < limit or share >= 1 or self._sessions_of is None:
            return answer
        most = share_of(limit, share)
        kept, surplus, further = list[Candidate](), list[Candidate](), answer
        counts: Counter[str] = Counter()
        crowded: set[str] = set()
        for _ in range(ROUNDS):
            sessions = await self._sessions_of(question, [one.record_id for one in further])
            for one in further:
                session = sessions.get(one.record_id)
                if session is None or counts[session] < most:
                    kept.append(one)
                else:
                    surplus.append(one)
                    crowded.add(session)
                if session is not None:
                    counts[session] += 1
            if len(kept) >= limit or not crowded:
                break
            # Those at their share are left out as well: they have had what they may give.
            full = {*question.record_filter.not_sessions, *(one for one, count in counts.items() if count >= most)}
            rest = replace(question, record_filter=replace(question.record_filter, not_sessions=tuple(sorted(full))))
            again = await self._ask(path, rest, limit=limit - len(kept))
            known = {one.record_id for one in (*kept, *surplus)}
            further = [] if isinstance(again, LeftOut) else [one for one in again if one.record_id not in known]
            if not further:
                break
        chosen = [*kept, *surplus][:limit]
        return sorted(chosen, key=lambda one: -one.score) if crowded else answer

    async def _ask(self, path: RecallPath, question: Question, *, limit: int) -> list[Candidate] | LeftOut:
        trouble = self._troubles.get(path.name)
        if trouble is not None and trouble.rests_until is not None and self._clock() < trouble.rests_until:
            return LeftOut(path=path.name, reason="left alone for a while after it failed")
        settings = self._settings
        loading = 0.0 if path.name in self._slow else settings.load_timeout
        try:
            async with Allowance(path, question, seconds=settings.path_timeout, loading=loading):
                found = await path.find(question, limit=limit)
        except InvalidInput:
            raise
        except TimeoutError:
            if path.preparing(question):
                self._slow.add(path.name)
                return LeftOut(path=path.name, reason="still being loaded; ask again in a moment")
            self._note(path, at_once=True)
            return LeftOut(path=path.name, reason=f"no answer within {settings.path_timeout:g} s")
        except ModelUnavailable as error:
            self._note(path)
            return _failed(path, error)
        except Exception as error:  # noqa: BLE001 - border: whatever a path raises, the others answer
            return _failed(path, error)
        self._troubles.pop(path.name, None)
        self._slow.discard(path.name)
        return found[:limit] if len(found) > limit else found

    def _note(self, path: RecallPath, *, at_once: bool = False) -> None:
        trouble = self._troubles.setdefault(path.name, _Trouble())
        trouble.failures += 1
        if at_once or trouble.failures >= self._settings.failures:
            trouble.rests_until = self._clock() + timedelta(seconds=self._settings.rest)


def _failed(path: RecallPath, error: Exception) -> LeftOut:
    _logger.warning("recall path %s failed: %s", path.name, type(error).__name__)
    return LeftOut(path=path.name, reason=f"{type(error).__name__}: {error}")


class Reading:
    """Looks up places, records and entries; an entry that is not indexed yet stands for its turn."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def places(self, question: Question, record_ids: Sequence[str], *, reach: int) -> dict[str, Place]:
        """Return where candidates and their neighbours stand; what does not pass the filter is missing."""
        places = await self._places(question, record_ids, reach=reach)
        missing = [record_id for record_id in record_ids if record_id not in places]
        if missing:
            fresh = await self._unindexed(question, missing)
            for entry in fresh:
                places[entry.id] = Place(
                    entry.id,
                    Kind.TURN,
                    entry.scope.session,
                    entry.occurred_at,
                    entry.origin,
                    entry.seq,
                    role=entry.role,
                    recorded_at=entry.recorded_at,
                )
            # What is neither there nor fresh did not pass, or was indexed a moment ago: a second look tells which.
            places |= await self._places(question, [one for one in missing if one not in places], reach=reach)
        return places

    async def _places(self, question: Question, record_ids: Sequence[str], *, reach: int) -> dict[str, Place]:
        if not record_ids:
            return {}
        found = await self._store.places(
            question.scope, record_ids, record_filter=question.record_filter, reach=reach, neighbours=reach > 0
        )
        return {place.record_id: place for place in found}

    async def sessions(self, question: Question, record_ids: Sequence[str]) -> dict[str, str | None]:
        """Return the sessions of candidates."""
        return {one: place.session for one, place in (await self.places(question, record_ids, reach=0)).items()}

    async def records(self, question: Question, record_ids: Sequence[str]) -> dict[str, Record]:
        """Return the records of the ids as the question sees them."""
        records = await self._records(question, record_ids)
        missing = [record_id for record_id in record_ids if record_id not in records]
        if missing:
            records |= {entry.id: turn_of(entry) for entry in await self._unindexed(question, missing)}
            records |= await self._records(question, [one for one in missing if one not in records])
        return {record_id: record for record_id, record in records.items() if record.status is not Status.FORGOTTEN}

    async def _records(self, question: Question, record_ids: Sequence[str]) -> dict[str, Record]:
        if not record_ids:
            return {}
        wanted = RecordFilter(statuses=None, as_of=question.record_filter.as_of)
        query = RecordQuery(filter=wanted, record_ids=tuple(record_ids), limit=len(record_ids))
        return {record.id: record for record in await self._store.records(question.scope, query)}

    async def entries(self, scope: Scope, entry_ids: Sequence[str]) -> dict[str, Entry]:
        """Return the entries of the ids, without the erased."""
        wanted = tuple(dict.fromkeys(entry_ids))
        if not wanted:
            return {}
        entries = await self._store.entries(scope.owner, EntryQuery(entry_ids=wanted, limit=len(wanted)))
        return {entry.id: entry for entry in entries if not entry.erased}

    async def session(self, scope: Scope, session: str, *, most: int) -> list[Entry]:
        """Return what was said in a session, in order."""
        entries = await self._store.entries(scope.owner.within(session=session), EntryQuery(limit=most))
        return [entry for entry in entries if entry.text and not entry.erased]

    async def _unindexed(self, question: Question, record_ids: Sequence[str]) -> list[Entry]:
        """Return those of the ids that are entries without any record; a record that was filtered out stays out."""
        if not record_ids or question.record_filter.as_of is not None:
            return []
        every = replace(question.record_filter, kinds=None, statuses=None, tags=(), alive_at=None, valid_at=None)
        every = replace(every, occurred_from=None, occurred_before=None)
        known = set(await self._store.match(question.scope.owner, record_ids, every))
        fresh = tuple(record_id for record_id in record_ids if record_id not in known)
        if not fresh:
            return []
        entries = await self._store.entries(question.scope, EntryQuery(entry_ids=fresh, limit=len(fresh)))
        return [entry for entry in entries if entry.text and not entry.erased]

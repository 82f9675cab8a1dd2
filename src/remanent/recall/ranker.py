"""From a question to an order of candidates: the one way, whatever is searched.

A recipe says which paths are asked and how they are joined. `Recall` answers from it out of a store; disciplines rank
by it what only they hold, such as a graph in memory, and go on from there.

Paths are asked beside each other, each within its time, and without those that keep failing. A path gives a bounded
number of candidates. Where one session fills more than its share of them, the path is asked again without it, so that
nothing is pushed out by how much a single source says.

A recall is a chain of awaits, and every link of it costs: the paths run as tasks that one loop waits for, and where
all of their candidates stand is read once, for the shares of sessions and for ranking alike.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from remanent.errors import InvalidInput, ModelUnavailable
from remanent.lightweight import dataclass
from remanent.model import Clock, Grain, ItemOrder, LeftOut, Origin
from remanent.recall import scoring
from remanent.recall.indexing import EMBEDDED, TURNS
from remanent.recall.paths import Candidate, RecallPath, placeless
from remanent.recall.question import Question
from remanent.recall.recipe import Recipe
from remanent.recall.scoring import Gathered, RankedCandidate, limited_per_source, share_of
from remanent.recall.windows import FINER, PARTS
from remanent.settings import RecallSettings
from remanent.stores import RecordPosition

_SEEDS = 20
"""How many of what was found first is handed to the paths that follow; more than links lead on from (8)."""

_DEFECTS = (InvalidInput, TypeError, ValueError, AttributeError, LookupError, NameError, AssertionError)
"""What only a wrong call or a wrong program raises: an answer without that path would hide it."""


_ROUNDS = 3
"""How often a path is asked again without sessions that fill more than their share; each round may show another.
Chosen by hand: each round costs as much as asking the path anew."""

PlacesOf = Callable[[Question, Sequence[str]], Awaitable[dict[str, RecordPosition]]]
"""Tells where candidates stand; those that do not pass the question's filter are missing."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _PathFailures:
    """What is known of a path that failed lately."""

    count: int = 0
    rests_until: datetime | None = None


_SHORTLIST_FACTOR = 2
"""How many times the wanted number is read whole, to be boosted, compared and chosen from: twins and the surplus of
one session are replaced from there. Chosen by hand."""
_MIN_SHORTLIST = 40
"""Below that a single answer would be chosen from next to nothing."""
_CONSIDERED_FACTOR = 10
"""How many times the wanted number is looked up, the best by what the paths say. Chosen by hand."""
_MIN_CONSIDERED = 200
"""Records that are looked up at the least, however few are wanted. Chosen by hand."""
_OWN = frozenset({Origin.USER, Origin.AGENT})
"""Whose words are the conversation itself: however much of it one session holds, it floods nobody."""


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """Everything but the question itself that decides an answer."""

    recipe: Recipe
    limit: int
    depth: int
    """How many items there are in all: those beyond the limit are for the text."""
    grain: Grain = "item"
    order: ItemOrder = "relevance"
    source_share: float | None = None
    """In place of the recipe's."""
    gated: bool = True
    """Whether a question that nothing answers gets an empty answer."""

    @property
    def cache_key(self) -> str:
        """What a cached answer depends on beside the question and the state of the store."""
        chosen = f"{self.limit} {self.depth} {self.grain} {self.order} {self.source_share} {self.gated}"
        return f"{self.recipe.cache_key} {chosen}"

    def share(self, question: Question) -> float:
        """How much one session may fill of the answer; all, where just one is asked."""
        if question.scope.session is not None:
            return 1.0
        return self.source_share if self.source_share is not None else self.recipe.source_share

    def flood_share(self, question: Question) -> float:
        """How much a flood may fill of the answer, and any session of the candidates."""
        share = self.share(question)
        return share if share < 1 or question.scope.session is not None else self.recipe.flood_share

    def bounded(self, question: Question, places: Mapping[str, RecordPosition]) -> Callable[[str], str | None]:
        """Return what tells the session of a record, where that session's share of the answer is bounded."""
        if self.share(question) < 1:
            return lambda one: places[one].session
        if not any(place.trust in _OWN for place in places.values()):
            return lambda one: None
        return lambda one: None if places[one].trust in _OWN else places[one].session

    @property
    def considered(self) -> int | None:
        """How many candidates are looked up, so that who said them, when and where can count; a session needs all."""
        return None if self.grain == "session" else max(_MIN_CONSIDERED, _CONSIDERED_FACTOR * self.depth)

    @property
    def shortlist(self) -> int:
        """How many candidates are read whole."""
        read = self.recipe.rerank.candidates if self.recipe.rerank is not None else 0
        return max(_MIN_SHORTLIST, _SHORTLIST_FACTOR * self.depth, read)


class Ranked(NamedTuple):
    """What the paths of a recipe found, in its order, and which of them did not answer."""

    candidates: list[RankedCandidate]
    left_out: tuple[LeftOut, ...]


class Ranker:
    """Asks all paths of a recipe, joins what they found and puts it in order.

    A path that fails or is late is left out, and what was gathered says so.

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
        places_of: PlacesOf | None = None,
    ) -> None:
        """Take what tells where candidates stand, if recipes will ask for it."""
        self.paths = list(paths)
        self._places_of = places_of or _anywhere
        self._settings = settings
        self._clock = clock
        self._failures: dict[str, _PathFailures] = {}
        self._slow: set[str] = set()
        """The paths that were not ready after all the time that loading may take."""

    async def gather(self, question: Question, recipe: Recipe, *, width: int, share: float = 1.0) -> Gathered:
        """Ask the paths that need nothing but the question.

        No session gives more than its share of a path's candidates while others have any.
        """
        gathered = Gathered()
        await self._ask_all(question, recipe, gathered, width=width, share=share, follow=False)
        self._give_way(gathered)
        return gathered

    async def follow(
        self, question: Question, recipe: Recipe, gathered: Gathered, *, width: int, share: float = 1.0
    ) -> bool:
        """Ask the paths that follow what the others found, and add what they find; return whether that is anything.

        Without any seed there is nothing to follow; that it found nothing saves ranking everything anew.
        """
        if not any(path.follows for path in self.paths):
            return False
        # Fusion comes later: for a start, the best of each path in turn.
        best = dict.fromkeys(
            candidates[rank].record_id
            for rank in range(_SEEDS)
            for candidates in gathered.found.values()
            if rank < len(candidates) and candidates[rank].record_id in gathered.adding
        )
        before = set(gathered.found)
        following = question.amended(seeds=tuple(best)[:_SEEDS])
        await self._ask_all(following, recipe, gathered, width=width, share=share, follow=True)
        return any(gathered.found[name] for name in gathered.found.keys() - before)

    async def _ask_all(
        self, question: Question, recipe: Recipe, gathered: Gathered, *, width: int, share: float, follow: bool
    ) -> None:
        """Ask the paths that the recipe uses, those that follow others after them.

        Where candidates stand is told by the searches themselves as far as they can; only the rest is looked up, in one
        call for all paths. Sessions that fill more than their share are known only then, so that a crowded path is
        asked again at the end.
        """
        limits: dict[RecallPath, int] = {}
        for path in self.paths:
            use = recipe.use_of(path.family)
            if path.follows is not follow or use is None:
                continue
            weight = use.weight_in(question.language) * path.share(question)
            if weight > 0 and (not path.dispensable or await path.needed(question)):
                gathered.weights[path.name] = weight
                # A recipe that bounds its candidates tightly is obeyed, a generous one is widened for long answers.
                limits[path] = use.limit if recipe.strict else max(use.limit, width)
        answers: dict[RecallPath, list[Candidate]] = {}
        for path, answer in (await self._ask(question, limits)).items():
            if isinstance(answer, LeftOut):
                gathered.left_out.append(answer)
            else:
                answers[path] = answer
        gathered.places |= {
            one.record_id: one.place for answer in answers.values() for one in answer if one.place is not None
        }
        unplaced = _unplaced(gathered, *answers.values())
        if unplaced:
            gathered.places |= await self._places_of(question, unplaced)
        crowded = [
            path
            for path, answer in answers.items()
            if share < 1
            and len(answer) >= limits[path]
            and _is_crowded(answer, gathered.places, most=share_of(limits[path], share))
        ]
        if crowded:
            again = await asyncio.gather(
                *(
                    self._ask_behind(path, question, gathered, answers[path], limit=limits[path], share=share)
                    for path in crowded
                )
            )
            answers.update(zip(crowded, again, strict=True))
        _rate(question, answers)
        for path, candidates in answers.items():
            gathered.found[path.name] = candidates
            if path.adds:
                gathered.adding.update(candidate.record_id for candidate in candidates)

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

    async def _ask_behind(
        self,
        path: RecallPath,
        question: Question,
        gathered: Gathered,
        answer: list[Candidate],
        *,
        limit: int,
        share: float,
    ) -> list[Candidate]:
        """Ask a path again for what stands behind the sessions that fill more than their share of its answer."""
        most = share_of(limit, share)
        kept, surplus, further = list[Candidate](), list[Candidate](), answer
        counts: Counter[str] = Counter()
        for _ in range(_ROUNDS):
            for one in further:
                place = gathered.places.get(one.record_id)
                session = None if place is None else place.session
                if session is None or counts[session] < most:
                    kept.append(one)
                else:
                    surplus.append(one)
                if session is not None:
                    counts[session] += 1
            if len(kept) >= limit:
                break
            # Those at their share are left out as well: they have had what they may give.
            full = {*question.record_filter.not_sessions, *(one for one, count in counts.items() if count >= most)}
            rest = question.amended(record_filter=replace(question.record_filter, not_sessions=tuple(sorted(full))))
            again = (await self._ask(rest, {path: limit - len(kept)}))[path]
            known = {one.record_id for one in (*kept, *surplus)}
            further = [] if isinstance(again, LeftOut) else [one for one in again if one.record_id not in known]
            if not further:
                break
            gathered.places |= {one.record_id: one.place for one in further if one.place is not None}
            gathered.places |= await self._places_of(question, _unplaced(gathered, further))
        return sorted([*kept, *surplus][:limit], key=lambda one: -one.score)

    # ── time and trouble ─────────────────────────────────────────────────────

    async def _ask(
        self, question: Question, limits: dict[RecallPath, int]
    ) -> dict[RecallPath, list[Candidate] | LeftOut]:
        """Ask paths beside each other, and return what each found, or why it did not answer.

        A path has `recall.path_timeout`; while it loads a model or an index, it gets the same time anew, up to
        `recall.load_timeout`. Else it would be missing from the first answer although nothing is wrong with it. None
        has longer than whoever asks waits.
        """
        loop = asyncio.get_running_loop()
        tasks = {
            path: loop.create_task(path.find(question, limit=limit))
            for path, limit in limits.items()
            if not self._rests(path)
        }
        running = set(tasks.values())
        loading_ends = loop.time() + min(self._settings.load_timeout, question.seconds_left())
        seconds = min(self._settings.path_timeout, question.seconds_left())
        try:
            while running:
                _, running = await asyncio.wait(running, timeout=seconds)
                left = loading_ends - loop.time()
                for path, task in tasks.items():
                    is_loading = left > 0 and path.name not in self._slow
                    if task in running and not (is_loading and path.preparing(question)):
                        task.cancel()
                if left > 0:
                    seconds = min(self._settings.path_timeout, left)
        finally:
            if running:  # the question itself was cancelled
                for task in running:
                    task.cancel()
                await asyncio.wait(running)
        errors = [task.exception() for task in tasks.values() if not task.cancelled()]
        defect = next((error for error in errors if isinstance(error, _DEFECTS)), None)
        if defect is not None:
            raise defect
        return {path: self._outcome(path, tasks.get(path), question, limit=limit) for path, limit in limits.items()}

    def _outcome(
        self, path: RecallPath, task: "asyncio.Task[list[Candidate]] | None", question: Question, *, limit: int
    ) -> list[Candidate] | LeftOut:
        """Return what an ended task found, at most `limit`; whatever a path raised, the others answer.

        One that makes itself ready is no failure: it is named as loading and asked again next time. One that is late
        for another reason rests at once, because the next question would wait for it, too.
        """
        if task is None:
            return LeftOut(path=path.name, reason="paused for a while after it failed")
        error = TimeoutError() if task.cancelled() else task.exception()
        if error is None:
            self._failures.pop(path.name, None)
            self._slow.discard(path.name)
            found = task.result()
            return found[:limit] if len(found) > limit else found
        if isinstance(error, TimeoutError):
            if not question.seconds_left():
                return LeftOut(path=path.name, reason="no answer within the given time")
            if path.preparing(question):
                self._slow.add(path.name)
                return LeftOut(path=path.name, reason="still being loaded; ask again in a moment")
            self._note_failure(path, at_once=True)
            return LeftOut(path=path.name, reason=f"no answer within {self._settings.path_timeout:g} s")
        if isinstance(error, ModelUnavailable):
            self._note_failure(path)
        _logger.warning("recall path %s failed: %s", path.name, type(error).__name__)
        return LeftOut(path=path.name, reason=f"{type(error).__name__}: {error}")

    def _rests(self, path: RecallPath) -> bool:
        failures = self._failures.get(path.name)
        return failures is not None and failures.rests_until is not None and self._clock() < failures.rests_until

    def _note_failure(self, path: RecallPath, *, at_once: bool = False) -> None:
        failures = self._failures.setdefault(path.name, _PathFailures())
        failures.count += 1
        if at_once or failures.count >= self._settings.failures:
            failures.rests_until = self._clock() + timedelta(seconds=self._settings.rest)

    # ── the order ──

    async def rank(self, question: Question, options: AnswerOptions, *, all_of_them: bool = False) -> Ranked:
        """Return the best candidates, best first: more of them than are wanted, or all."""
        width, share = 2 * options.depth, options.flood_share(question)
        gathered = await self.gather(question, options.recipe, width=width, share=share)
        await self.follow(question, options.recipe, gathered, width=width, share=share)
        best = self.order(question, options, gathered, all_of_them=all_of_them)
        return Ranked(best, tuple(gathered.left_out))

    def order(
        self, question: Question, options: AnswerOptions, gathered: Gathered, *, all_of_them: bool = False
    ) -> list[RankedCandidate]:
        """Rank the best by what the paths say, none of them beyond its session's share: as many as are read, or all.

        Candidates beyond the shortlist are only worked out where whole sessions are ranked: most are never looked at
        again.
        """
        fused, share = scoring.fuse(gathered, options.recipe), options.flood_share(question)
        places = {one: gathered.places[one] for one in fused if one in gathered.places}
        most = None if all_of_them else options.considered
        if most is not None and len(fused) > most:
            kept = limited_per_source(places, lambda one: places[one].session, share=share, limit=most)
            places = {one: places[one] for one in kept}
        return scoring.weigh(
            question,
            gathered,
            places,
            fused,
            options.recipe,
            now=question.asked_at or self._clock(),
            most=None if options.grain == "session" or all_of_them else options.shortlist,
            share=share,
            source_of=options.bounded(question, places),
        )


async def _anywhere(question: Question, record_ids: Sequence[str]) -> dict[str, RecordPosition]:
    return {one: placeless(one) for one in record_ids}


def _rate(question: Question, answers: dict[RecallPath, list[Candidate]]) -> None:
    """Have paths that can tell score what only others found: else it would count as far from the question."""
    rating = [path for path in answers if path.rates]
    if not rating or len(answers) < 2:
        return
    every = dict.fromkeys(one.record_id for answer in answers.values() for one in answer)
    for path in rating:
        known = {one.record_id for one in answers[path]}
        answers[path] = [*answers[path], *path.rate(question, [one for one in every if one not in known])]


def _unplaced(gathered: Gathered, *answers: Sequence[Candidate]) -> list[str]:
    """Return the candidates of which it is not known yet where they stand."""
    ids = dict.fromkeys(one.record_id for answer in answers for one in answer)
    return [record_id for record_id in ids if record_id not in gathered.places]


def _is_crowded(answer: Sequence[Candidate], places: Mapping[str, RecordPosition], *, most: int) -> bool:
    """Tell whether one session has more than `most` of the candidates."""
    counts = Counter([place.session for one in answer if (place := places.get(one.record_id)) is not None])
    del counts[None]  # what was said in no session is of no source
    return max(counts.values(), default=0) > most


STATES = (TURNS, EMBEDDED, PARTS, FINER)
"""The named values that a path goes by before it asks, read with the counters of an agent."""
PATIENT = RecallSettings(path_timeout=60.0)
"""For searches of what a discipline holds: who asks waits for it, and there are few paths to go by without one."""

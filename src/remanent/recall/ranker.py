"""From a question to an order of candidates: the one way, whatever is searched.

A recipe says which paths are asked and how they are joined. `Recall` answers from it out of a store; disciplines rank
by it what only they hold, such as a graph in memory, and go on from there.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from remanent.model import Grain, ItemOrder, LeftOut, Origin
from remanent.recall import scoring
from remanent.recall.diversity import limited_per_source
from remanent.recall.finer import FINER
from remanent.recall.gathering import Gathered, Gathering
from remanent.recall.indexing import EMBEDDED, TURNS
from remanent.recall.question import Question
from remanent.recall.recipe import Recipe
from remanent.recall.scoring import RankedCandidate
from remanent.recall.windows import PARTS
from remanent.settings import RecallSettings
from remanent.stores import RecordPosition
from remanent.values import dataclass

STATES = (TURNS, EMBEDDED, PARTS, FINER)
"""The named values that a path goes by before it asks, read with the counters of an agent."""
PATIENT = RecallSettings(path_timeout=60.0)
"""For searches of what a discipline holds: who asks waits for it, and there are few paths to go by without one."""
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


class Ranker(Gathering):
    """Asks the paths of a recipe, joins what they found and puts it in order."""

    async def rank(self, question: Question, options: AnswerOptions, *, all_of_them: bool = False) -> Ranked:
        """Return the best candidates, best first: more of them than are wanted, or all."""
        width, share = 2 * options.depth, options.flood_share(question)
        gathered = await self.gather(question, options.recipe, width=width, share=share)
        await self.follow(question, options.recipe, gathered, width=width, share=share)
        best = self.order(question, options, gathered, all_of_them=all_of_them)
        return Ranked(best, tuple(gathered.left_out))

    def considered(
        self, question: Question, options: AnswerOptions, gathered: Gathered, *, all_of_them: bool = False
    ) -> dict[str, float]:
        """Return the best by what the paths say, none of them beyond its session's share, with their fused scores."""
        fused, places = scoring.fuse(gathered, options.recipe), gathered.places
        limit = None if all_of_them else options.considered
        if limit is None or len(fused) <= limit:
            return fused
        known = (one for one in fused if one in places)
        kept = set(
            limited_per_source(known, lambda one: places[one].session, share=options.flood_share(question), limit=limit)
        )
        return {one: score for one, score in fused.items() if one in kept}

    def order(
        self,
        question: Question,
        options: AnswerOptions,
        gathered: Gathered,
        *,
        around: Mapping[str, RecordPosition] | None = None,
        all_of_them: bool = False,
    ) -> list[RankedCandidate]:
        """Rank what was gathered, best first: as many as are read, or all.

        Candidates beyond the shortlist are only worked out where whole sessions are ranked: most are never looked at
        again.
        """
        fused = self.considered(question, options, gathered, all_of_them=all_of_them)
        places = {one: gathered.places[one] for one in fused if one in gathered.places} | dict(around or {})
        return scoring.weigh(
            question,
            gathered,
            places,
            fused,
            options.recipe,
            now=question.asked_at or self._clock(),
            most=None if options.grain == "session" or all_of_them else options.shortlist,
            share=options.flood_share(question),
            source_of=options.bounded(question, places),
        )

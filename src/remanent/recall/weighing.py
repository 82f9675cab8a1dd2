"""From what the paths found to one order: fusion, surroundings, boosts, and the cross-encoder where it is asked for."""

import asyncio
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from remanent.embedding.port import Reranker
from remanent.errors import RemanentError
from remanent.model import LeftOut, PathRank, Record
from remanent.recall.boosts import Factor, PlaceBoosts, boosts_for, boosts_of_record, product
from remanent.recall.diversity import spread
from remanent.recall.fusion import min_max, reciprocal_rank, weighted_scores
from remanent.recall.gathering import Gathered
from remanent.recall.path import Candidate
from remanent.recall.question import Question
from remanent.recall.recipe import Recipe, Rerank
from remanent.recall.surroundings import context_of
from remanent.recall.turns import as_spoken
from remanent.stores import Place

READ_TOGETHER = 800
"""Characters of a turn that the cross-encoder reads; its time grows with them."""
_LEAST = 1e-9
"""Keeps the odds of a score of 0 or 1 finite."""


@dataclass(slots=True)
class Weighed:
    """A candidate on its way to its place, with all that moved it."""

    place: Place
    fused: float = 0.0
    context: float = 0.0
    boosts: tuple[Factor, ...] = ()
    reranked: float | None = None
    score: float = 0.0
    found: list[tuple[str, int, Candidate]] = field(default_factory=list)
    """Which path found it, and at which rank."""

    @property
    def ranks(self) -> tuple[PathRank, ...]:
        """The same in the words of the answer."""
        return tuple(
            PathRank(path=path, rank=rank, score=one.score, reason=one.reason) for path, rank, one in self.found
        )

    @property
    def own(self) -> float:
        """Its score without what its surroundings gave it."""
        return self.fused * product(self.boosts)

    @property
    def record_id(self) -> str:
        """Whose candidate it is."""
        return self.place.record_id


def fuse(gathered: Gathered, recipe: Recipe) -> dict[str, float]:
    """Return the fused scores of what belongs in the answer, best first."""
    if recipe.fusion == "rrf":
        rankings = {name: [one.record_id for one in found] for name, found in gathered.found.items()}
        fused = reciprocal_rank(rankings, weights=gathered.weights, k=recipe.k)
    else:
        scores = {name: {one.record_id: one.score for one in found} for name, found in gathered.found.items()}
        fused = weighted_scores(scores, weights=gathered.weights)
    return {record_id: score for record_id, score in fused.items() if record_id in gathered.adding}


def weigh(
    question: Question,
    gathered: Gathered,
    places: Mapping[str, Place],
    fused: Mapping[str, float],
    recipe: Recipe,
    *,
    now: datetime | None,
    most: int | None = None,
    share: float = 1.0,
) -> list[Weighed]:
    """Return the candidates and the neighbours that they speak for, best first: all of them, or the `most` best.

    Of these no session has more than its share while others have any left.

    Boosts count before surroundings do: a turn speaks for those around it as far as it counts itself.
    """
    boosts = PlaceBoosts(
        boosts_for(recipe.boosts, for_a_fact=question.asks_for_a_fact),
        now=now,
        agent_is_asked=question.asks_the_agent,
        person=question.person_among({place.role for place in places.values()}),
        times=question.times,
    )
    own = {one: score * boosts.product(places[one]) for one, score in fused.items() if one in places}
    context = context_of(own, places, recipe.surroundings)
    # In the order of `order`.
    ranked = sorted(
        (-(own.get(one, 0.0) + around), -fused.get(one, 0.0), one)
        for one, around in context.items()
        if one in own or around > 0
    )
    best = ranked
    if most is not None and len(ranked) > most:
        chosen = set(spread((one for *_, one in ranked), lambda one: places[one].session, share=share, limit=most))
        best = [one for one in ranked if one[-1] in chosen]
    found = _found(gathered, {record_id for _, _, record_id in best})
    return [
        Weighed(
            place=places[record_id],
            fused=fused.get(record_id, 0.0),
            context=context[record_id],
            boosts=boosts.factors(places[record_id]),
            score=-less,
            found=found.get(record_id, []),
        )
        for less, _, record_id in best
    ]


def boost(weighed: list[Weighed], records: Mapping[str, Record], recipe: Recipe) -> None:
    """Weigh in what only the records themselves tell, and put the candidates in order."""
    for one in weighed:
        one.boosts += boosts_of_record(records[one.record_id], recipe.boosts)
        one.score = one.own + one.context
    weighed.sort(key=order)


async def rerank(
    question: Question,
    weighed: list[Weighed],
    records: Mapping[str, Record],
    *,
    rerank: Rerank,
    reranker: Reranker | None,
    timeout: float,
    load_timeout: float,
) -> LeftOut | None:
    """Have the cross-encoder read the best candidates; without it they stay as they are, and the answer says why."""
    if reranker is None:
        return LeftOut(path="reranker", reason="there is no cross-encoder here; set recall.reranker")
    if not reranker.knows(question.language):
        return LeftOut(path="reranker", reason="the cross-encoder does not know the question's language")
    best = weighed[: rerank.candidates]
    try:
        async with asyncio.timeout(load_timeout):
            await reranker.prepare()
        async with asyncio.timeout(timeout):
            texts = [as_spoken(records[one.record_id], most=READ_TOGETHER) for one in best]
            judged = await reranker.score(question.asked, texts)
    except (RemanentError, TimeoutError) as error:
        return LeftOut(path="reranker", reason=f"{type(error).__name__}: {error}" if str(error) else "not in time")
    for one, score in zip(best, judged, strict=True):
        one.reranked = score
    _blend(best, weighed[len(best) :], share=rerank.share)
    weighed.sort(key=order)
    return None


def _blend(best: Sequence[Weighed], rest: Sequence[Weighed], *, share: float) -> None:
    """Give each read candidate a score between the cross-encoder's and its own; the unread stay behind them all."""
    before = min_max({one.record_id: one.score for one in best})
    odds = min_max({one.record_id: _odds(one.reranked or 0.0) for one in best})
    lead = max((one.score for one in rest), default=0.0) or 1.0
    for one in best:
        # From 1 to 2, so that all of the rest fit between 0 and 1.
        one.score = 1 + share * odds[one.record_id] + (1 - share) * before[one.record_id]
    for one in rest:
        one.score /= lead


def _odds(score: float) -> float:
    bounded = min(max(score, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))


def order(one: Weighed) -> tuple[float, float, str]:
    """Return what candidates are sorted by; chance has no part in it."""
    return -one.score, -one.fused, one.place.record_id


def _found(gathered: Gathered, wanted: Collection[str]) -> dict[str, list[tuple[str, int, Candidate]]]:
    found: dict[str, list[tuple[str, int, Candidate]]] = {}
    for name, candidates in gathered.found.items():
        for rank, one in enumerate(candidates, start=1):
            if one.record_id in wanted:
                found.setdefault(one.record_id, []).append((name, rank, one))
    return found

"""From what the paths found to one order: fusion, boosts, surroundings, and the cross-encoder where it is asked for.

A boost is a bounded factor, 1 where nothing is known: it can move a candidate past its like, never past what fits the
question far better. All but the cross-encoder is pure mathematics.
"""

import asyncio
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from heapq import nlargest
from typing import NamedTuple

from remanent.embedding.port import Reranker
from remanent.errors import RemanentError
from remanent.model import Kind, LeftOut, Origin, PathRank, Record, is_ahead
from remanent.recall.diversity import limited_per_source
from remanent.recall.fusion import Scored, above_last, min_max, reciprocal_rank, shares_of_best, summed, weighted_scores
from remanent.recall.gathering import Gathered
from remanent.recall.path import BY_WORDS_ALONE, Candidate
from remanent.recall.question import Question
from remanent.recall.recipe import Boosts, PathUse, Recipe, Rerank, Surroundings
from remanent.recall.windows import as_spoken
from remanent.stores import RecordPosition
from remanent.text.talk import LONGEST_ASKING, asks_what_was_asked, is_small_talk, is_standing_instruction, share_asked
from remanent.values import dataclass

_DAY = 86_400.0
_BESIDE = {"vector:bge-small-en-v1.5": (0.41, 0.65)}
"""By which cosine the model for English would likely answer where only the one for every language has read a record:
a start and a share of the other's cosine. Drawn through what both say of strangers and of 12 answers in English."""
_ENOUGH_USE = 3.0
"""Accesses after which half of the boost for use is given. Chosen by hand."""
# How far each origin is from a person's own word. What was imported may be anybody's: nothing is known of it. A role
# that is not known is mostly a person's name: enough to give way to a user who fits as well, and, as in a chat among
# named people all have it, without a say in their order.
_DISTANCE = {
    Origin.USER: 0.0,
    Origin.IMPORT: 0.0,
    Origin.TOOL: 0.0,
    Origin.UNTRUSTED: 0.2,
    Origin.AGENT: 1.0,
    Origin.WEB: 1.0,
}


class Factor(NamedTuple):
    """What moves a score, and by how much; plain, because every candidate of every question has some."""

    name: str
    factor: float


def trust(origin: Origin, boosts: Boosts, *, agent_is_asked: bool = False) -> float:
    """Return the factor for who said it; where the question asks what the agent said, its word counts in full."""
    if agent_is_asked and origin is Origin.AGENT:
        return 1.0
    return 1 - boosts.trust * _DISTANCE[origin]


class PlaceBoosts:
    """The factors of what a record's place tells: who said it, when, and what kind it is.

    `person` is the one speaker whom the question names, if it names just one; `times` are those that it speaks of.
    Origins and kinds are few: theirs are worked out once. Of the hundreds of candidates that a question has, most need
    but the product.
    """

    def __init__(
        self,
        boosts: Boosts,
        *,
        now: datetime | None,
        agent_is_asked: bool = False,
        person: str | None = None,
        times: Sequence[tuple[datetime, datetime]] = (),
    ) -> None:
        self._boosts = boosts
        self._now = now
        self._of_origin = {origin: trust(origin, boosts, agent_is_asked=agent_is_asked) for origin in Origin}
        self._person = person
        self._times = times

    def product(self, place: RecordPosition) -> float:
        """Return all factors multiplied."""
        factor = self._of_origin[place.trust]
        if self._person is not None and place.role == self._person:
            factor *= 1 + self._boosts.speaker
        if self._times:
            factor *= self._time(place)
        return (
            factor * _recency(_moment_of(place), self._boosts, now=self._now) * self._boosts.kinds.get(place.kind, 1.0)
        )

    def factors(self, place: RecordPosition) -> tuple[Factor, ...]:
        """Return the factors that change a score, each with its name."""
        return _factors(
            trust=self._of_origin[place.trust],
            speaker=1 + self._boosts.speaker if self._person is not None and place.role == self._person else 1.0,
            time=self._time(place),
            recency=_recency(_moment_of(place), self._boosts, now=self._now),
            kind=self._boosts.kinds.get(place.kind, 1.0),
        )

    def _time(self, place: RecordPosition) -> float:
        within = any(begin <= place.occurred_at < finish for begin, finish in self._times)
        return 1 + self._boosts.time if within else 1.0


def _boosts_for(boosts: Boosts, *, for_a_fact: bool) -> Boosts:
    """Return the boosts for a question for a fact, or for a message that goes on talking.

    Who goes on talking means what was talked about of late; who asks for a fact means whenever it was told.
    """
    if for_a_fact or boosts.recency_in_talk is None:
        return boosts
    return boosts.replace(recency=boosts.recency_in_talk)


def boosts_of_record(record: Record, boosts: Boosts) -> tuple[Factor, ...]:
    """Return the factors of what only the record itself tells: how sure it is, and how often it was used."""
    return _factors(
        confidence=1 - boosts.confidence * (1 - record.confidence),
        usage=1 + boosts.usage * record.access_count / (record.access_count + _ENOUGH_USE),
    )


def _moment_of(place: RecordPosition) -> datetime:
    """Return when a record counts as having happened: what was dated into the future, when it was told."""
    recorded_at = place.recorded_at
    if recorded_at is not None and is_ahead(place.occurred_at, recorded_at=recorded_at):
        return recorded_at
    return place.occurred_at


def _recency(occurred_at: datetime, boosts: Boosts, *, now: datetime | None) -> float:
    """Return the factor for being new: it halves towards 1 with every half-life."""
    if now is None or not boosts.recency:
        return 1.0
    age = max(0.0, (now - occurred_at).total_seconds()) / _DAY
    return 1 + boosts.recency * math.exp2(-age / boosts.half_life_days)


def product(factors: tuple[Factor, ...]) -> float:
    """Return all factors multiplied."""
    if len(factors) == 1:
        return factors[0].factor
    return math.prod([boost.factor for boost in factors])


def _factors(**factors: float) -> tuple[Factor, ...]:
    return tuple(Factor(name, factor) for name, factor in factors.items() if factor != 1.0)


def context_of(
    scores: Mapping[str, float],
    places: Mapping[str, RecordPosition],
    surroundings: Surroundings,
    *,
    agent_share: float = 1.0,
) -> dict[str, float]:
    """Return what each placed record gets in addition to its own score, 0 or more.

    A record that nobody found may get something from its neighbours, but nothing from its session alone.

    `agent_share` is what an agent's word counts of a person's. Where that is less, its turns get no more than this
    share of their session's evidence, and add nothing to it: an agent repeats what it was told before it answers, so
    that one remark of a user would count twice, and its echo would stand before what others said.

    About half of the 26 misses on LongMemEval's pool were beaten by other turns of one session, half of those by the
    assistant's repetition of what it had been told. Only turns are echoes: a memory has the agent as its origin as
    well, and speaks for its session.
    """
    evidence: dict[str, float] = {}
    echoes = frozenset[str]()
    if agent_share < 1:
        echoes = frozenset(
            one for one, place in places.items() if place.trust is Origin.AGENT and place.kind is Kind.TURN
        )
    if surroundings.session:
        told = {one: score for one, score in scores.items() if one not in echoes} if echoes else scores
        evidence = session_evidence(
            told, places, discount=surroundings.discount, depth=surroundings.depth, with_agent=surroundings.with_agent
        )
    context: dict[str, float] = {}
    of_neighbours, of_session = surroundings.neighbours, surroundings.session
    for record_id, place in places.items():
        near = 0.0
        if of_neighbours:
            around = (other for other in (place.before_id, place.after_id) if other is not None)
            near = of_neighbours * sum(scores.get(other, 0.0) for other in around)
        session = place.session
        if session is None and place.kind is Kind.TURN:  # what was said in no session is one of its own
            near += of_session * scores.get(record_id, 0.0) * (agent_share if record_id in echoes else 1.0)
        elif session is not None and (near or record_id in scores):
            near += of_session * evidence.get(session, 0.0) * (agent_share if record_id in echoes else 1.0)
        context[record_id] = near
    return context


def session_evidence(
    scores: Mapping[str, float],
    places: Mapping[str, RecordPosition],
    *,
    discount: float,
    depth: int,
    with_agent: int | None = None,
) -> dict[str, float]:
    """Return how much evidence each session holds: its turns' scores, each further one counting less.

    Of a session, `depth` turns count; `with_agent` of one in which an agent speaks.
    """
    answered = {place.session for place in places.values() if place.trust is Origin.AGENT and place.kind is Kind.TURN}
    by_session: dict[str, list[float]] = {}
    for record_id, score in scores.items():
        place = places.get(record_id)
        if place is not None and place.session is not None:
            by_session.setdefault(place.session, []).append(score)
    return {
        session: held[0]
        if len(held) == 1
        else discounted(held, discount=discount, depth=with_agent if with_agent and session in answered else depth)
        for session, held in by_session.items()
    }


def discounted(scores: Iterable[float], *, discount: float, depth: int) -> float:
    """Return the sum of the best scores, each further one counting `discount` of what the one before does."""
    return sum(score * discount**place for place, score in enumerate(nlargest(depth, scores)))


_READ_TOGETHER = 800
"""Characters of a turn that the cross-encoder reads; its time grows with them, and what a turn is about shows early."""
_ENOUGH_WORDS = 30
"""Different words from which on a turn is not short; chosen with `brevity`."""
_LEAST = 1e-9
"""Keeps the odds of a score of 0 or 1 finite."""


@dataclass(slots=True)
class RankedCandidate:
    """A candidate on its way to its place, with all that moved it."""

    place: RecordPosition
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
    """Return the fused scores of what belongs in the answer, best first.

    What was said a moment ago has no vector yet. It stands level with the best that vectors found if it holds most of
    the question's words: else what is near in meaning to anything at all would stand before it.

    Until the job of vectors came round, some seconds on a busy machine, every older record had the scores of one or two
    models beside its words, however low, and stood before a new one; the gate, which judges by the best, then refused
    questions whose answer had just been told. Of ten facts told and asked for at once none was among the first five
    without this, and nine are with it.
    """
    new = [one.record_id for one in gathered.found.get("keyword", ()) if one.reason == BY_WORDS_ALONE]
    every = {name: _with_unread(name, gathered, recipe) for name in gathered.found}
    if recipe.fusion == "rrf":
        rankings = {name: [one.record_id for one in found] for name, found in every.items()}
        for name, ranking in rankings.items():
            if new and ranking and name.partition(":")[0] == "vector":
                ranking[:0] = [one for one in new if one not in ranking]
        fused = reciprocal_rank(rankings, weights=gathered.weights, k=recipe.k)
    else:
        scores = {name: {one.record_id: one.score for one in found} for name, found in every.items()}
        for name, known in scores.items():
            if new and known and name.partition(":")[0] == "vector":
                best = max(known.values())
                known.update((one, best) for one in new if one not in known)
        if recipe.fusion == "hybrid":
            fused = weighted_scores(scores, weights=gathered.weights)
        else:
            scaled = {name: _scaled(known, recipe.use_of(name.partition(":")[0])) for name, known in scores.items()}
            fused = summed(scaled, weights=gathered.weights)
    return {record_id: score for record_id, score in fused.items() if record_id in gathered.adding}


def _with_unread(name: str, gathered: Gathered, recipe: Recipe) -> Sequence[Candidate]:
    """Return what a path found and, if that is a model for one language, what it cannot read, as near as it likely is.

    Else whatever is in that language would stand before an answer in another. Of a full list nobody knows whether what
    is missing was not read, or is just farther from the question.

    Of 24 English questions whose answer was told in Chinese beside English lines, half of them held out, the answer
    came first for 4 without this and for 20 with it; English answers came first for 12 of 12 either way. Stores in one
    language are not touched: the other model is not asked there.
    """
    found, use = gathered.found[name], recipe.use_of("vector")
    if name not in _BESIDE or not found or use is None or len(found) >= use.limit:
        return found
    start, share = _BESIDE[name]
    read = {one.record_id for one in found}
    unread = [one for one in gathered.found.get("vector", ()) if one.record_id not in read]
    both = [*found, *(Candidate(one.record_id, start + share * one.score) for one in unread)]
    return sorted(both, key=lambda one: (-one.score, one.record_id))


def _scaled(scores: Scored, use: PathUse | None) -> Scored:
    if use is None or use.scale == "plain":
        return scores
    return shares_of_best(scores) if use.scale == "best" else above_last(scores, limit=use.limit)


def weigh(
    question: Question,
    gathered: Gathered,
    places: Mapping[str, RecordPosition],
    fused: Mapping[str, float],
    recipe: Recipe,
    *,
    now: datetime | None,
    most: int | None = None,
    share: float = 1.0,
    source_of: Callable[[str], str | None] = lambda _: None,
) -> list[RankedCandidate]:
    """Return the candidates and the neighbours that they speak for, best first: all of them, or the `most` best.

    Of these no source has more than its share while others have any left.

    Boosts count before surroundings do: a turn speaks for those around it as far as it counts itself.
    """
    if recipe.by_scores_alone:
        own = {one: score for one, score in fused.items() if one in places}
        context, boosts = dict.fromkeys(own, 0.0), None
    else:
        own, context, boosts = _moved(question, places, fused, recipe, now=now)
    # In the order of `_order`.
    ranked = sorted(
        (-(own.get(one, 0.0) + around), -fused.get(one, 0.0), one)
        for one, around in context.items()
        if one in own or around > 0
    )
    best = ranked
    if most is not None and len(ranked) > most:
        chosen = set(limited_per_source((one for *_, one in ranked), source_of, share=share, limit=most))
        best = [one for one in ranked if one[-1] in chosen]
    found = _found(gathered, {record_id for _, _, record_id in best})
    return [
        RankedCandidate(
            place=places[record_id],
            fused=fused.get(record_id, 0.0),
            context=context[record_id],
            boosts=() if boosts is None else boosts.factors(places[record_id]),
            score=-less,
            found=found.get(record_id, []),
        )
        for less, _, record_id in best
    ]


def _moved(
    question: Question,
    places: Mapping[str, RecordPosition],
    fused: Mapping[str, float],
    recipe: Recipe,
    *,
    now: datetime | None,
) -> tuple[dict[str, float], dict[str, float], PlaceBoosts]:
    """Return what candidates count by themselves, what stands around them adds, and the boosts of their places.

    These are what a recipe by scores alone does not have, which is why they are worked out apart: disciplines that
    search their own records pay for none of it.
    """
    boosts = PlaceBoosts(
        _boosts_for(recipe.boosts, for_a_fact=question.asks_for_a_fact),
        now=now,
        agent_is_asked=question.asks_the_agent,
        person=question.person_among({place.role for place in places.values()}),
        times=question.times,
    )
    own = {one: score * boosts.product(places[one]) for one, score in fused.items() if one in places}
    agent_share = trust(Origin.AGENT, recipe.boosts, agent_is_asked=question.asks_the_agent)
    return own, context_of(own, places, recipe.surroundings, agent_share=agent_share), boosts


def boost(
    question: Question,
    weighed: list[RankedCandidate],
    records: Mapping[str, Record],
    recipe: Recipe,
    *,
    size_of: Callable[[str], int],
) -> None:
    """Weigh in what only the records themselves tell, and put the candidates in order; `size_of` counts their words.

    A question speaks for the turn that answers it. An agent is asked for other reasons than to tell of itself, and ends
    its answers with questions out of courtesy: this holds among people.
    """
    boosts, reply = recipe.boosts, recipe.surroundings.reply
    if asks_what_was_asked(question.read):
        boosts, reply = boosts.replace(asking=0.0), 0.0
    replies: dict[tuple[str | None, int], tuple[str, float]] = {}
    for one in weighed:
        record = records[one.record_id]
        is_turn = record.kind is Kind.TURN
        asked = share_asked(record.content) if is_turn and (boosts.asking or reply) else 0.0
        if asked and reply and len(record.content) <= LONGEST_ASKING and one.place.trust is not Origin.AGENT:
            replies[one.place.session, one.place.seq + 1] = one.place.role, reply * one.own
        one.boosts += boosts_of_record(record, boosts)
        if is_turn:
            brevity = 1 - min(1.0, size_of(one.record_id) / _ENOUGH_WORDS)
            if boosts.asking and (asked == 1 or is_small_talk(record.content)):
                # Behind all that tells something, in their own order.
                one.boosts, one.context = (Factor("asking", 0.0),), 0.0
                continue
            if boosts.instruction and one.place.trust is Origin.USER and is_standing_instruction(record.content):
                one.boosts += _factors(instruction=1 + boosts.instruction)
                continue
            one.boosts += _factors(asking=1 - boosts.asking * asked, brevity=1 - boosts.brevity * brevity)
    for one in weighed:
        asker, given = replies.get((one.place.session, one.place.seq), ("", 0.0))
        if given and one.own and asker != one.place.role and one.place.trust is not Origin.AGENT:
            one.context += given
        one.score = one.own + one.context
    weighed.sort(key=_order)


async def rerank(
    question: Question,
    weighed: list[RankedCandidate],
    records: Mapping[str, Record],
    *,
    rerank: Rerank,
    reranker: Reranker | None,
    timeout: float,
    load_timeout: float,
) -> LeftOut | None:
    """Have the cross-encoder read the best candidates; without it they stay as they are, and the answer says why.

    It reads a shortlist only, because it takes some milliseconds a pair; and a reranker that is missing, does not know
    the language or is late costs its own say and nothing else, since the order before it is an answer already.
    """
    if reranker is None:
        return LeftOut(path="reranker", reason="there is no cross-encoder here; set recall.reranker")
    if not reranker.knows(question.language):
        return LeftOut(path="reranker", reason="the cross-encoder does not know the question's language")
    best = weighed[: rerank.candidates]
    try:
        async with asyncio.timeout(load_timeout):
            await reranker.prepare()
        async with asyncio.timeout(timeout):
            texts = [as_spoken(records[one.record_id], most=_READ_TOGETHER) for one in best]
            judged = await reranker.score(question.asked, texts)
    except (RemanentError, TimeoutError) as error:
        return LeftOut(path="reranker", reason=f"{type(error).__name__}: {error}" if str(error) else "not in time")
    for one, score in zip(best, judged, strict=True):
        one.reranked = score
    _blend(best, weighed[len(best) :], share=rerank.share)
    weighed.sort(key=_order)
    return None


def _blend(best: Sequence[RankedCandidate], rest: Sequence[RankedCandidate], *, share: float) -> None:
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


def _order(one: RankedCandidate) -> tuple[float, float, str]:
    """Return what candidates are sorted by; chance has no part in it."""
    return -one.score, -one.fused, one.place.record_id


def _found(gathered: Gathered, wanted: Collection[str]) -> dict[str, list[tuple[str, int, Candidate]]]:
    found: dict[str, list[tuple[str, int, Candidate]]] = {}
    for name, candidates in gathered.found.items():
        for rank, one in enumerate(candidates, start=1):
            if one.record_id in wanted:
                found.setdefault(one.record_id, []).append((name, rank, one))
    return found

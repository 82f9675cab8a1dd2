"""From what the paths found to one order: fusion, boosts, and what stands around a candidate; pure mathematics.

A boost is a bounded factor, 1 where nothing is known: it can move a candidate past its like, never past what fits the
question far better.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from heapq import nlargest
from typing import NamedTuple

from remanent.lightweight import dataclass
from remanent.model import Kind, LeftOut, Origin, PathRank, Record, is_ahead
from remanent.recall.paths import BY_WORDS_ALONE, Candidate
from remanent.recall.question import Question
from remanent.recall.recipe import RRF_K, Boosts, PathUse, Recipe, Surroundings
from remanent.stores import RecordPosition
from remanent.text.talk import LONGEST_ASKING, asks_what_was_asked, is_small_talk, is_standing_instruction, share_asked

Scored = Mapping[str, float]
"""What one path found: ids with its own scores, best first."""


def reciprocal_rank(
    rankings: Mapping[str, Sequence[str]], *, weights: Mapping[str, float], k: int = RRF_K
) -> dict[str, float]:
    """Return each id's fused score, best first: the sum over paths of weight / (k + rank), ranks from 1.

    Equal scores are ordered by the best single rank, then by id, so that the outcome never depends on chance.
    """
    scores: dict[str, float] = {}
    best: dict[str, int] = {}
    for path in sorted(rankings):
        weight = weights.get(path, 1.0)
        for rank, found_id in enumerate(rankings[path], start=1):
            scores[found_id] = scores.get(found_id, 0.0) + weight / (k + rank)
            best[found_id] = min(best.get(found_id, rank), rank)
    return _ordered(scores, best)


def min_max(scores: Scored) -> dict[str, float]:
    """Bring scores to [0, 1]: the best becomes 1, the worst 0; when all are equal, each becomes 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    # Halves are compared, because the difference of two very large numbers has no float.
    spread = high / 2 - low / 2
    if spread <= 0:
        return dict.fromkeys(scores, 1.0)
    least = low / 2
    return {found_id: (score / 2 - least) / spread for found_id, score in scores.items()}


def weighted_scores(found: Mapping[str, Scored], *, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weighted mean of all paths' scores, best first, each path brought to [0, 1] first.

    With two paths of weight alpha and 1 - alpha this is the alpha hybrid: `alpha * words + (1 - alpha) * meaning`. What
    a path did not find counts 0 there. A path that found nothing keeps its weight, so that a score means the same
    whatever the others found.
    """
    return summed({path: min_max(scores) for path, scores in found.items()}, weights=shared_weights(weights, found))


def shared_weights(weights: Mapping[str, float], paths: Iterable[str]) -> dict[str, float]:
    """Return the weights of paths as shares of the whole."""
    own = {path: weights.get(path, 1.0) for path in paths}
    total = sum(own.values())
    return {path: weight / total if total > 0 else 0.0 for path, weight in own.items()}


def shares_of_best(scores: Scored) -> dict[str, float]:
    """Return scores divided by the best; where that is nothing, each becomes 1."""
    best = max(scores.values(), default=0.0)
    return {found_id: score / best if best > 0 else 1.0 for found_id, score in scores.items()}


def above_last(scores: Scored, *, limit: int) -> dict[str, float]:
    """Return how far scores lie above the last of a list of so many, or above 0 where the list is not full."""
    last = min(scores.values()) if len(scores) >= limit else 0.0
    return {found_id: max(0.0, score - last) for found_id, score in scores.items()}


def against_all(scores: Scored, use: PathUse | None) -> dict[str, float]:
    """Bring scores to [0, 1] as they stand among all that was searched, whether it was found or not.

    What a list that is not full lacks scored nothing: two messages that hold a word alike would stand as far apart as
    one that holds it and one that does not, if the worse of them counted nothing. Of 393 questions to stores of 1 to 30
    messages the first answer was right for .827 in place of .802.
    """
    if use is None or use.scale != "rise":
        return min_max(scores)
    return shares_of_best(above_last(scores, limit=use.limit))


def summed(found: Mapping[str, Scored], *, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weighted sum of all paths' scores as they are, best first."""
    scores: dict[str, float] = {}
    best: dict[str, int] = {}
    for path in sorted(found):
        weight = weights.get(path, 1.0)
        ordered = sorted([(-score, found_id) for found_id, score in found[path].items()])
        for rank, (less, found_id) in enumerate(ordered, start=1):
            scores[found_id] = scores.get(found_id, 0.0) - weight * less
            known = best.get(found_id)
            if known is None or rank < known:
                best[found_id] = rank
    return _ordered(scores, best)


def _ordered(scores: Mapping[str, float], best: Mapping[str, int]) -> dict[str, float]:
    ordered = sorted([(-score, best[found_id], found_id) for found_id, score in scores.items()])
    return {found_id: scores[found_id] for _, _, found_id in ordered}


ROUNDING = 1e-9
"""What a product of floats may be off by; nothing near a whole number is meant by it."""


def limited_per_source(
    ranked: Iterable[str],
    source_of: Callable[[str], Hashable | None],
    *,
    share: float,
    limit: int,
    crowd_of: Callable[[str], Hashable | None] | None = None,
) -> list[str]:
    """Return up to `limit` ids, best first, of which no source has more than its share while others have any left.

    The same bound holds for a crowd of near-duplicates, wherever they come from. What has no source and stands in no
    crowd is never held back. A share always leaves room for one.
    """
    most = share_of(limit, share)
    of_source: dict[Hashable, int] = {}
    of_crowd: dict[Hashable, int] = {}
    chosen: list[str] = []
    waiting: list[str] = []
    for record_id in ranked:
        source = source_of(record_id)
        crowd = None if crowd_of is None else crowd_of(record_id)
        from_source = 0 if source is None else of_source.get(source, 0)
        from_crowd = 0 if crowd is None else of_crowd.get(crowd, 0)
        if from_source >= most or from_crowd >= most:
            waiting.append(record_id)
            continue
        if source is not None:
            of_source[source] = from_source + 1
        if crowd is not None:
            of_crowd[crowd] = from_crowd + 1
        chosen.append(record_id)
        if len(chosen) == limit:
            break
    return chosen + waiting[: limit - len(chosen)]


def share_of(limit: int, share: float) -> int:
    """Return how many of `limit` a source may have; at least one."""
    return max(1, math.floor(share * limit + ROUNDING))


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
        self._for_being_new, self._half_life = boosts.recency, boosts.half_life_days
        self._kinds = boosts.kinds
        self._person = person
        self._times = times

    def product(self, place: RecordPosition) -> float:
        """Return all factors multiplied."""
        factor = self._of_origin[place.trust]
        if self._person is not None and place.role == self._person:
            factor *= 1 + self._boosts.speaker
        if self._times:
            factor *= self._time(place)
        return factor * self._recency(place) * self._kinds.get(place.kind, 1.0)

    def factors(self, place: RecordPosition) -> tuple[Factor, ...]:
        """Return the factors that change a score, each with its name."""
        return _factors(
            trust=self._of_origin[place.trust],
            speaker=1 + self._boosts.speaker if self._person is not None and place.role == self._person else 1.0,
            time=self._time(place),
            recency=self._recency(place),
            kind=self._kinds.get(place.kind, 1.0),
        )

    def _recency(self, place: RecordPosition) -> float:
        """Return the factor for being new: it halves towards 1 with every half-life."""
        if self._now is None or not self._for_being_new:
            return 1.0
        # What was dated into the future counts from when it was told.
        moment, recorded_at = place.occurred_at, place.recorded_at
        if recorded_at is not None and moment > recorded_at and is_ahead(moment, recorded_at=recorded_at):
            moment = recorded_at
        seconds = (self._now - moment).total_seconds()
        age = seconds / _DAY if seconds > 0 else 0.0
        return 1 + self._for_being_new * math.exp2(-age / self._half_life)

    def _time(self, place: RecordPosition) -> float:
        within = any(begin <= place.occurred_at < finish for begin, finish in self._times)
        return 1 + self._boosts.time if within else 1.0


def boosts_of_record(record: Record, boosts: Boosts) -> tuple[Factor, ...]:
    """Return the factors of what only the record itself tells: how sure it is, and how often it was used."""
    return _factors(
        confidence=1 - boosts.confidence * (1 - record.confidence),
        usage=1 + boosts.usage * record.access_count / (record.access_count + _ENOUGH_USE),
    )


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
    context = dict.fromkeys(places, 0.0)
    for record_id, score in scores.items():
        place = places[record_id]
        if place.session is not None:
            held = evidence.get(place.session, 0.0)
        else:  # what was said in no session is one of its own
            held = score if place.kind is Kind.TURN else 0.0
        context[record_id] = surroundings.session * held * (agent_share if record_id in echoes else 1.0)
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


_ENOUGH_WORDS = 30
"""Different words from which on a turn is not short; chosen with `brevity`."""


@dataclass(slots=True)
class RankedCandidate:
    """A candidate on its way to its place, with all that moved it; the words for it are found for those shown alone."""

    place: RecordPosition
    fused: float = 0.0
    factor: float = 1.0
    """All its boosts multiplied."""
    context: float = 0.0
    reranked: float | None = None
    score: float = 0.0
    found: list[tuple[str, int, Candidate]] = field(default_factory=list)
    """Which path found it, and at which rank."""
    place_boosts: PlaceBoosts | None = None
    """What tells the factors of its place."""
    moved: tuple[Factor, ...] = ()
    """The factors of its record."""

    @property
    def boosts(self) -> tuple[Factor, ...]:
        """What its boosts are made of."""
        return self.moved if self.place_boosts is None else (*self.place_boosts.factors(self.place), *self.moved)

    @property
    def ranks(self) -> tuple[PathRank, ...]:
        """The paths that found it in the words of the answer."""
        return tuple(
            PathRank.checked(path=path, rank=rank, score=float(one.score), reason=one.reason)
            for path, rank, one in self.found
        )

    @property
    def own(self) -> float:
        """Its score without what its surroundings gave it."""
        return self.fused * self.factor

    @property
    def record_id(self) -> str:
        """Whose candidate it is."""
        return self.place.record_id

    def boost(self, *factors: Factor) -> None:
        """Move it by factors of its record."""
        self.moved += factors
        for one in factors:
            self.factor *= one.factor


@dataclass(slots=True)
class Gathered:
    """What the paths said."""

    found: dict[str, list[Candidate]] = field(default_factory=dict)
    """By path, best first."""
    weights: dict[str, float] = field(default_factory=dict)
    adding: set[str] = field(default_factory=set)
    """The records that a path found whose finds are answers by themselves."""
    places: dict[str, RecordPosition] = field(default_factory=dict)
    """Where those stand; what does not pass the question's filter is missing."""
    left_out: list[LeftOut] = field(default_factory=list)


def fuse(gathered: Gathered, recipe: Recipe) -> dict[str, float]:
    """Return the fused scores of what belongs in the answer, best first.

    What was said a moment ago has no vector yet. It stands level with the best that vectors found if it holds most of
    the question's words: else what is near in meaning to anything at all would stand before it.

    Until the job of vectors came round, some seconds on a busy machine, every older record had the scores of one or two
    models beside its words, however low, and stood before a new one; the gate, which judges by the best, then refused
    questions whose answer had just been told. Of ten facts told and asked for at once none was among the first five
    without this, and nine are with it.
    """
    every = {name: _with_new(name, _with_unread(name, gathered, recipe), gathered) for name in gathered.found}
    if recipe.fusion == "rrf":
        rankings = {name: [one.record_id for one in found] for name, found in every.items()}
        fused = reciprocal_rank(rankings, weights=gathered.weights, k=recipe.k)
    else:
        scores = {name: {one.record_id: one.score for one in found} for name, found in every.items()}
        if recipe.fusion == "hybrid":
            known = {name: against_all(own, recipe.use_of(name.partition(":")[0])) for name, own in scores.items()}
            fused = summed(known, weights=shared_weights(gathered.weights, known))
        else:
            scaled = {name: _scaled(known, recipe.use_of(name.partition(":")[0])) for name, known in scores.items()}
            fused = summed(scaled, weights=gathered.weights)
    return {record_id: score for record_id, score in fused.items() if record_id in gathered.adding}


def _with_new(name: str, found: Sequence[Candidate], gathered: Gathered) -> Sequence[Candidate]:
    """Return what a path by vectors found, behind what it could not find yet."""
    new = [one.record_id for one in gathered.found.get("keyword", ()) if one.reason == BY_WORDS_ALONE]
    if not new or not found or name.partition(":")[0] != "vector":
        return found
    known, best = {one.record_id for one in found}, max(one.score for one in found)
    return [*(Candidate(one, best) for one in new if one not in known), *found]


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
    """Return candidates in their order, best first: all of them, or the `most` best.

    Of these no source has more than its share while others have any left.

    Boosts count before surroundings do: a turn speaks for those around it as far as it counts itself.
    """
    boosts, factors = None, dict.fromkeys(places, 1.0)
    context = dict.fromkeys(places, 0.0)
    if not recipe.by_scores_alone:  # disciplines that search their own records pay for none of it
        boosts = _place_boosts(question, places, recipe, now=now)
        factors = {one: boosts.product(place) for one, place in places.items()}
        own = {one: score * factors[one] for one, score in fused.items() if one in places}
        agent_share = trust(Origin.AGENT, recipe.boosts, agent_is_asked=question.asks_the_agent)
        context = context_of(own, places, recipe.surroundings, agent_share=agent_share)
    # In the order of `sort_key`.
    ranked = sorted([(-(fused[one] * factors[one] + context[one]), -fused[one], one) for one in places])
    if most is not None and len(ranked) > most:
        chosen = set(limited_per_source((one for _, _, one in ranked), source_of, share=share, limit=most))
        ranked = [one for one in ranked if one[2] in chosen]
    candidates = {
        one: RankedCandidate(places[one], -less_fused, factors[one], context[one], None, -less, [], boosts)
        for less, less_fused, one in ranked
    }
    for name, found in gathered.found.items():
        for rank, found_one in enumerate(found, start=1):
            if (candidate := candidates.get(found_one.record_id)) is not None:
                candidate.found.append((name, rank, found_one))
    return list(candidates.values())


def _place_boosts(
    question: Question, places: Mapping[str, RecordPosition], recipe: Recipe, *, now: datetime | None
) -> PlaceBoosts:
    """Return the boosts of places for a question for a fact, or for a message that goes on talking.

    Who goes on talking means what was talked about of late; who asks for a fact means whenever it was told.
    """
    boosts = recipe.boosts
    if boosts.recency_in_talk is not None and not question.asks_for_a_fact:
        boosts = boosts.replace(recency=boosts.recency_in_talk)
    return PlaceBoosts(
        boosts,
        now=now,
        agent_is_asked=question.asks_the_agent,
        person=question.person_among({place.role for place in places.values()}),
        times=question.times,
    )


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
        one.boost(*boosts_of_record(record, boosts))
        if is_turn:
            brevity = 1 - min(1.0, size_of(one.record_id) / _ENOUGH_WORDS)
            if boosts.asking and (asked == 1 or is_small_talk(record.content)):
                # Behind all that tells something, in their own order.
                one.place_boosts, one.moved, one.factor, one.context = None, (Factor("asking", 0.0),), 0.0, 0.0
                continue
            if boosts.instruction and one.place.trust is Origin.USER and is_standing_instruction(record.content):
                one.boost(*_factors(instruction=1 + boosts.instruction))
                continue
            one.boost(*_factors(asking=1 - boosts.asking * asked, brevity=1 - boosts.brevity * brevity))
    for one in weighed:
        asker, given = replies.get((one.place.session, one.place.seq), ("", 0.0))
        if given and one.own and asker != one.place.role and one.place.trust is not Origin.AGENT:
            one.context += given
        one.score = one.own + one.context
    weighed.sort(key=sort_key)


def sort_key(one: RankedCandidate) -> tuple[float, float, str]:
    """Return what candidates are sorted by; chance has no part in it."""
    return -one.score, -one.fused, one.place.record_id

"""Asking questions whose answers are known, and measuring how well they are answered.

The measures are pure mathematics; the benches use them as well, so that a user's figures can be held against ours.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model import Clock, Evaluation, Found, FoundItem, GateReason, Probe, Probed, Scope, to_instant
from remanent.recall.question import Question
from remanent.recall.recall import Recall
from remanent.stores import RecordFilter

_DRAWS, _SEED = 1000, 7
"""How often a sample is drawn anew for a confidence interval; the usual number, good for two digits."""


def any_at(ranking: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Return 1 when at least one of the wanted is among the first k, else 0."""
    return float(not set(wanted).isdisjoint(ranking[:k]))


def all_at(ranking: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Return 1 when every one of the wanted is among the first k, else 0; of nothing wanted nothing is found."""
    return float(bool(wanted) and set(wanted) <= set(ranking[:k]))


def reciprocal_rank_of(ranking: Sequence[str], wanted: Collection[str]) -> float:
    """Return one over the place of the first that is wanted, 0 when none is there."""
    return next((1 / place for place, found in enumerate(ranking, start=1) if found in wanted), 0.0)


def ndcg_at(ranking: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Return the discounted gain of the first k, as a share of what the best order would give."""
    distinct = set(wanted)
    if not distinct:
        return 0.0
    seen: set[str] = set()
    gain = 0.0
    for place, found in enumerate(ranking[:k], start=1):
        if found in distinct and found not in seen:
            seen.add(found)
            gain += 1 / math.log2(place + 1)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(distinct)) + 1))
    return gain / best


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95% confidence interval of the mean, by drawing the sample anew many times."""
    import numpy as np

    if not values:
        return 0.0, 0.0
    source, sample = np.random.default_rng(_SEED), np.asarray(values)
    means = [float(source.choice(sample, len(sample)).mean()) for _ in range(_DRAWS)]
    return percentile(means, 0.025), percentile(means, 0.975)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return how often a positive scores above a negative, ties half; 0.5 when either is missing."""
    if not positive or not negative:
        return 0.5
    ordered = sorted([(score, True) for score in positive] + [(score, False) for score in negative])
    ranks = 0.0
    place = 0
    while place < len(ordered):
        end = place
        while end < len(ordered) and ordered[end][0] == ordered[place][0]:
            end += 1
        ranks += sum(is_positive for _, is_positive in ordered[place:end]) * (place + 1 + end) / 2
        place = end
    count = len(positive)
    return (ranks - count * (count + 1) / 2) / (count * len(negative))


def coverage(positive: Sequence[float], negative: Sequence[float], *, false_share: float = 0.05) -> float:
    """Return which share of the positives passes the threshold that lets through at most a share of the negatives."""
    if not positive:
        return 0.0
    allowed = int(false_share * len(negative))
    ordered = sorted(negative, reverse=True)
    # What scores no higher than the first negative that must be kept out stays out with it.
    bound = ordered[allowed] if allowed < len(ordered) else -math.inf
    return sum(score > bound for score in positive) / len(positive)


_DEPTH = 10
"""Items of an answer that are looked at: any@10 and nDCG@10 are the deepest measures."""
_MAX_QUESTIONS = 10_000
"""Bounds the time of one call: every question is asked twice."""


class AskProbe(Protocol):
    """Asks a question, and is told whether answering nothing is allowed."""

    def __call__(self, probe: Probe, /, *, gated: bool) -> Awaitable[Found]:
        """Return what was found."""


@dataclass(frozen=True, slots=True)
class _ProbeResult:
    wanted: tuple[str, ...]
    hits: list[list[str]]
    """Which of the wanted each item answers, best item first."""
    seconds: float | None
    """How long it took; `None` where the answer was kept from before."""
    evidence: float
    answered: bool
    lacks: bool
    first: FoundItem | None
    question: str

    def within(self, k: int) -> list[str]:
        """Return what of the wanted is among the first k items."""
        return [one for hits in self.hits[:k] for one in hits]

    @property
    def ranking(self) -> list[str]:
        """The items by one label each: the first of the wanted that it answers, or its place."""
        return [hits[0] if hits else f"item {place}" for place, hits in enumerate(self.hits)]


async def evaluate_recall(
    recall: Recall,
    scope: Scope,
    questions: Sequence[Probe | Mapping[str, Any]],
    *,
    recipe: str | None,
    clock: Clock,
    advance: Callable[[int], None],
) -> Evaluation:
    """Ask the read path itself: what is found here was given to nobody, and is no echo when somebody says it."""

    async def ask(probe: Probe, *, gated: bool) -> Found:
        now = clock()
        asked_at = to_instant(probe.asked_at or now)
        question = Question(probe.question, scope, RecordFilter(alive_at=now), asked_at=asked_at)
        return await recall.find(question, limit=_DEPTH, recipe=recipe, order="relevance", gated=gated)

    probes = [one if isinstance(one, Probe) else Probe.model_validate(one) for one in questions]
    return await evaluate(ask, probes, advance=advance)


async def evaluate(
    ask: AskProbe, probes: Sequence[Probe], *, advance: Callable[[int], None] = lambda _: None
) -> Evaluation:
    """Ask every question twice, for the order of what is found and for whether it is answered at all."""
    if not 1 <= len(probes) <= _MAX_QUESTIONS:
        raise InvalidInput(f"give between 1 and {_MAX_QUESTIONS} questions, not {len(probes)}")
    asked = []
    for number, probe in enumerate(probes, start=1):
        asked.append(await _asked(ask, probe))
        advance(number)
    return await asyncio.to_thread(_measured, asked)  # the interval is drawn for 50 ms


async def _asked(ask: AskProbe, probe: Probe) -> _ProbeResult:
    """Ask one question twice: without the gate for ranks and time, and with it for whether it would be answered."""
    begin = time.perf_counter()
    found = await ask(probe, gated=False)
    seconds = time.perf_counter() - begin
    judged = await ask(probe, gated=True)
    gate = judged.gate
    if gate is None or gate.reason is GateReason.EMPTY:
        evidence = math.inf if judged.items else -math.inf
    else:
        evidence = gate.score - gate.threshold
    return _ProbeResult(
        wanted=_wanted(probe),
        hits=[_answers(item, probe) for item in found.items[:_DEPTH]],
        seconds=None if found.cached else seconds,
        evidence=evidence,
        answered=bool(judged.items),
        lacks=bool(found.left_out),
        first=found.items[0] if found.items else None,
        question=probe.question,
    )


def _wanted(probe: Probe) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(f"id {one}" for one in probe.ids), *(f"text {one}" for one in probe.texts)]))


def _answers(item: FoundItem, probe: Probe) -> list[str]:
    ids = {item.record_id, *(name for one in item.sources for name in (one.entry_id, one.caller_id) if name)}
    said = item.text.casefold()
    hits = [f"id {one}" for one in probe.ids if one in ids]
    return list(dict.fromkeys([*hits, *(f"text {one}" for one in probe.texts if one.casefold() in said)]))


def _measured(asked: Sequence[_ProbeResult]) -> Evaluation:
    """Return the figures over all questions; those that nothing answers tell how often that is seen."""
    known = [one for one in asked if one.wanted]
    strange = [one for one in asked if not one.wanted]
    waits = [one.seconds for one in asked if one.seconds is not None]
    any_5 = [any_at(one.within(5), one.wanted, _DEPTH * len(one.wanted)) for one in known]
    return Evaluation(
        questions=len(asked),
        answerable=len(known),
        any_at_1=mean([any_at(one.ranking, one.wanted, 1) for one in known]),
        any_at_5=mean(any_5),
        any_at_10=mean([any_at(one.within(_DEPTH), one.wanted, _DEPTH * len(one.wanted)) for one in known]),
        all_at_5=mean([all_at(one.within(5), one.wanted, _DEPTH * len(one.wanted)) for one in known]),
        mrr=mean([reciprocal_rank_of(one.ranking, one.wanted) for one in known]),
        ndcg_at_10=mean([ndcg_at(one.ranking, one.wanted, _DEPTH) for one in known]),
        any_at_5_between=interval(any_5),
        answered=mean([float(one.answered) for one in known]),
        unanswerable=len(strange),
        refused=mean([float(not one.answered) for one in strange]),
        auroc=auroc([one.evidence for one in known], [one.evidence for one in strange]) if known and strange else None,
        ms_p50=round(1000 * percentile(waits, 0.5), 1) if waits else 0.0,
        ms_p95=round(1000 * percentile(waits, 0.95), 1) if waits else 0.0,
        lacking=sum(one.lacks for one in asked),
        results=tuple(_told(one) for one in asked),
    )


def _told(one: _ProbeResult) -> Probed:
    """Return what came of one question, as it is kept and compared with later runs."""
    return Probed(
        question=one.question,
        rank=next((place for place, hits in enumerate(one.hits, start=1) if hits), None),
        found=len(set(one.within(_DEPTH))),
        wanted=len(one.wanted),
        answered=one.answered,
        first_id=None if one.first is None else one.first.record_id,
        first_text="" if one.first is None else one.first.text,
        ms=round(1000 * (one.seconds or 0.0), 1),
    )

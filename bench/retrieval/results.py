"""From answers to figures: shares with their confidence intervals, beside the goals and the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bench.figures import Figure
from bench.retrieval.comparing import OURS
from bench.retrieval.product import Asked
from bench.retrieval.sets import NONSENSE
from bench.retrieval.studies import Goal, Study
from remanent.recall.evaluation import auroc, coverage, interval, mean, ndcg_at, percentile, reciprocal_rank_of


@dataclass(frozen=True, slots=True)
class Share:
    """A measured share and its 95% confidence interval."""

    value: float
    low: float
    high: float
    count: int


class Abstention(NamedTuple):
    """How well the questions that nothing answers are told from the others."""

    auroc: float
    covered: float
    """Which share of the answerable is answered when at most 5% of the others are."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one searcher reached in one study."""

    name: str
    whole: Mapping[str, Share]
    """By the name of the measure."""
    held_out: Mapping[str, Share]
    """The same on the half of the questions that is meant for reporting, not for choosing parameters."""
    reciprocal_rank: float
    ndcg: float
    tokens: float
    usual: float
    """Milliseconds that half of the questions took at most."""
    slow: float
    """Milliseconds that 95 of 100 took at most."""
    processor: float
    """Milliseconds of processor time, the mean."""
    by_type: Mapping[str, Mapping[str, Share]]
    abstention: Abstention | None = None


class Lead(NamedTuple):
    """How far we are ahead of the best other in one measure, question by question."""

    measure: str
    other: str
    reached: float
    ours: float
    low: float
    high: float


def row_of(name: str, study: Study, answers: Sequence[Asked]) -> Row:
    """Return what one searcher reached; questions that cannot be answered do not count."""
    counted = [asked for asked in answers if study.wanted(asked.question)]
    meant = [asked for asked in answers if asked.question.type != NONSENSE and asked.question.text.strip()]
    types = sorted({asked.question.type for asked in counted})
    usual = [goal for goal in study.measures if goal.type is None]
    ranked = [(study.ranking(one.question, one.ranking), study.wanted(one.question)) for one in counted]
    return Row(
        name=name,
        whole=_shares(study, study.measures, counted),
        held_out=_shares(study, study.measures, [asked for asked in counted if asked.question.half]),
        reciprocal_rank=mean([reciprocal_rank_of(ranking, wanted) for ranking, wanted in ranked]),
        ndcg=mean([ndcg_at(ranking, wanted, 10) for ranking, wanted in ranked]),
        tokens=mean([float(one.tokens) for one in counted]),
        usual=1000 * percentile([one.seconds for one in meant], 0.5) if meant else 0.0,
        slow=1000 * percentile([one.seconds for one in meant], 0.95) if meant else 0.0,
        processor=1000 * mean([one.processor for one in meant]),
        by_type={
            kind: _shares(study, usual, [asked for asked in counted if asked.question.type == kind]) for kind in types
        },
        abstention=abstention_of(answers),
    )


def leads_of(study: Study, answers: Mapping[str, Sequence[Asked]]) -> list[Lead]:
    """Return, for each measure, how far we are ahead of the best of the others; below 0 we are behind."""
    leads = []
    for goal in study.measures:
        values = {name: _values(study, goal, given) for name, given in answers.items()}
        others = {name: mean(given) for name, given in values.items() if not name.startswith(OURS)}
        if not others or not values[OURS]:
            continue
        best = max(others, key=lambda name: others[name])
        apart = [ours - theirs for ours, theirs in zip(values[OURS], values[best], strict=True)]
        leads.append(Lead(goal.name, best, others[best], mean(values[OURS]), *interval(apart)))
    return leads


def figures_of(study: Study, answers: Mapping[str, Sequence[Asked]]) -> list[Figure]:
    """Return our figures beside the goals, and whether we are ahead of everyone else."""
    leads = {lead.measure: lead for lead in leads_of(study, answers)}
    figures = []
    for goal in study.measures:
        value = mean(_values(study, goal, answers[OURS]))
        name = f"{study.name}, {goal.name}"
        if goal.least is not None:
            figures.append(Figure(name, round(value, 3), "", f"≥ {goal.least:g}", round(value, 3) >= goal.least))
        if goal.name in leads:
            lead = leads[goal.name]
            ahead = round(lead.reached, 3) <= round(value, 3)
            figures.append(
                Figure(f"{name}, best other: {lead.other}", round(lead.reached, 3), "", f"≤ {value:.3f}", ahead)
            )
    return figures


def abstention_of(answers: Sequence[Asked]) -> Abstention | None:
    """Return how well questions that nothing answers are told from others; None where that was not asked."""
    positive, negative = _evidence(answers, answerable=True), _evidence(answers, answerable=False)
    if not positive or not negative:
        return None
    return Abstention(auroc(positive, negative), coverage(positive, negative))


def abstention_figures(name: str, answers: Sequence[Asked]) -> list[Figure]:
    """Return how well questions that nothing answers are told from others, and whether nonsense gets no answer."""
    figures = []
    found = abstention_of(answers)
    if found is not None:
        count = len(_evidence(answers, answerable=False))
        figures.append(Figure(f"{name}, unanswerable (n = {count}), AUROC", round(found.auroc, 3), ""))
        figures.append(Figure(f"{name}, coverage at 5% false injection", round(found.covered, 3), ""))
    judged = [asked for asked in answers if asked.evidence is not None]
    answerable = [float(one.passed) for one in judged if one.question.answerable]
    if answerable:
        figures.append(Figure(f"{name}, answerable questions that are answered", round(mean(answerable), 3), ""))
    nonsense = [asked for asked in answers if asked.question.type == NONSENSE]
    if nonsense:
        empty = sum(not asked.passed for asked in nonsense)
        figures.append(
            Figure(f"{name}, nonsense answered with nothing", empty, "", f"= {len(nonsense)}", empty == len(nonsense))
        )
    return figures


def lacking_figures(name: str, answers: Mapping[str, Sequence[Asked]]) -> list[Figure]:
    """Return how many of our answers lack a path: there must be none, or the machine was too busy to measure."""
    figures = []
    for who, given in answers.items():
        if who.startswith(OURS):
            count = sum(asked.lacking for asked in given)
            figures.append(Figure(f"{name}, answers that lack a path, {who}", count, "", "= 0", count == 0))
        if unread := sum(asked.unread for asked in given):
            figures.append(Figure(f"{name}, answers that no cross-encoder read, {who}", unread, ""))
    return figures


def _evidence(answers: Sequence[Asked], *, answerable: bool) -> list[float]:
    return [
        asked.evidence
        for asked in answers
        if asked.evidence is not None and asked.question.type != NONSENSE and asked.question.answerable is answerable
    ]


def _shares(study: Study, measures: Sequence[Goal], answers: Sequence[Asked]) -> dict[str, Share]:
    return {goal.name: _share(_values(study, goal, answers)) for goal in measures}


def _values(study: Study, goal: Goal, answers: Sequence[Asked]) -> list[float]:
    return [
        goal.of(study.ranking(one.question, one.ranking), wanted)
        for one in answers
        if goal.counts(one.question) and (wanted := study.wanted(one.question))
    ]


def _share(values: Sequence[float]) -> Share:
    low, high = interval(values)
    return Share(mean(values), low, high, len(values))

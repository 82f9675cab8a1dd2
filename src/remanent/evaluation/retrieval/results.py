"""From answers to figures: shares with their confidence intervals, beside the goals and the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remanent.evaluation.corpus import percentile
from remanent.evaluation.figures import Figure
from remanent.evaluation.retrieval.comparing import OURS
from remanent.evaluation.retrieval.measures import (
    auroc,
    coverage,
    interval,
    mean,
    ndcg_at,
    reciprocal_rank_of,
)
from remanent.evaluation.retrieval.product import Asked
from remanent.evaluation.retrieval.sets import NONSENSE
from remanent.evaluation.retrieval.studies import Goal, Study


@dataclass(frozen=True, slots=True)
class Share:
    """A measured share and its 95% confidence interval."""

    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class Row:
    """What one searcher reached in one study."""

    name: str
    goals: tuple[Share, ...]
    """In the order of the study's goals."""
    held_out: tuple[float, ...]
    """The same on the half of the questions that no parameter was chosen on."""
    reciprocal_rank: float
    ndcg: float
    tokens: float
    milliseconds: float
    """What 95 of 100 questions took at most."""
    by_type: Mapping[str, tuple[float, ...]]


def row_of(name: str, study: Study, answers: Sequence[Asked]) -> Row:
    """Return what one searcher reached; questions that cannot be answered do not count."""
    counted = [asked for asked in answers if study.wanted(asked.question)]
    types = sorted({asked.question.type for asked in counted})
    return Row(
        name=name,
        goals=tuple(_share(_values(study, goal, counted)) for goal in study.goals),
        held_out=tuple(
            mean(_values(study, goal, [asked for asked in counted if asked.question.half])) for goal in study.goals
        ),
        reciprocal_rank=mean([reciprocal_rank_of(one.ranking, study.wanted(one.question)) for one in counted]),
        ndcg=mean([ndcg_at(one.ranking, study.wanted(one.question), 10) for one in counted]),
        tokens=mean([float(one.tokens) for one in counted]),
        milliseconds=1000 * percentile([one.seconds for one in answers], 0.95) if answers else 0.0,
        by_type={
            kind: tuple(
                mean(_values(study, goal, [asked for asked in counted if asked.question.type == kind]))
                for goal in study.goals
                if goal.type is None
            )
            for kind in types
        },
    )


def figures_of(study: Study, rows: Sequence[Row]) -> list[Figure]:
    """Return our figures beside the goals, and whether we are ahead of everyone else."""
    (ours,) = (row for row in rows if row.name == OURS)
    figures = []
    for place, goal in enumerate(study.goals):
        value = ours.goals[place].value
        name = f"{study.name}, {goal.name}"
        figures.append(Figure(name, round(value, 3), "", f"≥ {goal.least:g}", round(value, 3) >= goal.least))
        others = [row for row in rows if not row.name.startswith(OURS)]
        if others:
            best = max(others, key=lambda row, place=place: row.goals[place].value)  # type: ignore[misc]
            reached = best.goals[place].value
            figures.append(
                Figure(f"{name}, best other: {best.name}", round(reached, 3), "", f"< {value:.3f}", reached <= value)
            )
    return figures


def abstention_figures(name: str, answers: Sequence[Asked]) -> list[Figure]:
    """Return how well questions that nothing answers are told from others, and whether nonsense gets no answer."""
    nonsense = [asked for asked in answers if asked.question.type == NONSENSE]
    meant = [asked for asked in answers if asked.question.type != NONSENSE and asked.evidence is not None]
    positive = [asked.evidence or 0.0 for asked in meant if asked.question.answerable]
    negative = [asked.evidence or 0.0 for asked in meant if not asked.question.answerable]
    figures = []
    if positive and negative:
        figures.append(Figure(f"{name}, unanswerable, AUROC", round(auroc(positive, negative), 3), ""))
        covered = coverage(positive, negative)
        figures.append(Figure(f"{name}, coverage at 5% false injection", round(covered, 3), ""))
    if positive:
        kept = mean([float(asked.passed) for asked in meant if asked.question.answerable])
        figures.append(Figure(f"{name}, answerable questions that are answered", round(kept, 3), ""))
    if nonsense:
        empty = sum(not asked.passed for asked in nonsense)
        figures.append(
            Figure(f"{name}, nonsense answered with nothing", empty, "", f"= {len(nonsense)}", empty == len(nonsense))
        )
    return figures


def _values(study: Study, goal: Goal, answers: Sequence[Asked]) -> list[float]:
    return [goal.of(one.ranking, study.wanted(one.question)) for one in answers if goal.counts(one.question)]


def _share(values: Sequence[float]) -> Share:
    low, high = interval(values)
    return Share(mean(values), low, high, len(values))

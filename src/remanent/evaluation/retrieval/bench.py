"""The measurement of recall: public sets, everyone beside each other, abstention, speed."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remanent.errors import InvalidInput
from remanent.evaluation.figures import Figure, Report
from remanent.evaluation.retrieval.comparing import OURS, Meter, compare
from remanent.evaluation.retrieval.reporting import write_report
from remanent.evaluation.retrieval.results import Row, abstention_figures, figures_of, row_of
from remanent.evaluation.retrieval.rivals import RIVALS
from remanent.evaluation.retrieval.sets import load_set, sampled, with_nonsense
from remanent.evaluation.retrieval.speed import measure_speed
from remanent.evaluation.retrieval.studies import SETS, STUDIES, Study

EVERY_SET = "all"
SPEED = "speed"
NONSENSE_QUESTIONS = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: which sets of a folder, how many questions of each, beside whom."""

    data: Path
    sets: tuple[str, ...]
    questions: int = 1_000_000
    embedder: str = "auto"
    quality: bool = False
    rivals: bool = True
    home: Path | None = None
    """Where what was remembered is kept for the next run; without it, nowhere."""


def sets_of(name: str) -> tuple[str, ...]:
    """Return what is measured under a name: one set, speed, or all of them."""
    known = (*SETS, SPEED)
    if name != EVERY_SET and name not in known:
        raise InvalidInput(f"there is no set {name!r}; it is one of {', '.join((*known, EVERY_SET))}")
    return known if name == EVERY_SET else (name,)


def run_recall_bench(
    plan: Plan,
    report: Report = lambda _: None,
    *,
    folder: Path | None = None,
    meter: Meter = lambda _name, _total: lambda _done: None,
) -> list[Figure]:
    """Measure; with a folder, the report is left there: `recall.md` and a drawing per study."""
    return asyncio.run(_measure(plan, report, folder, meter))


async def _measure(plan: Plan, report: Report, folder: Path | None, meter: Meter) -> list[Figure]:
    results: dict[Study, list[Row]] = {}
    absent: dict[str, str] = {}
    figures: list[Figure] = []
    further: list[Figure] = []
    for name in (name for name in plan.sets if name != SPEED):
        studies = [study for study in STUDIES if study.data == name]
        results |= await _measure_set(plan, name, studies, absent=absent, further=further, report=report, meter=meter)
        for study in studies:
            figures += figures_of(study, results[study])
    if SPEED in plan.sets:
        with tempfile.TemporaryDirectory(prefix="remanent-bench-") as place:
            further += await measure_speed(Path(place), report=report)
    if folder is not None:
        write_report(folder, results, absent, further)
    for name, reason in absent.items():
        report(f"{name} took no part: {reason}")
    return figures + further


async def _measure_set(
    plan: Plan,
    name: str,
    studies: Sequence[Study],
    *,
    absent: dict[str, str],
    further: list[Figure],
    report: Report,
    meter: Meter,
) -> dict[Study, list[Row]]:
    """Return everyone's rows; who took no part, and figures that belong to no study, are added to what is given."""
    conversations = sampled(load_set(plan.data, name), most=plan.questions)
    judged = any(not question.answerable for one in conversations for question in one.questions)
    if judged:
        conversations = with_nonsense(conversations, count=NONSENSE_QUESTIONS)
    comparison = await compare(
        name,
        conversations,
        studies,
        home=plan.home,
        embedder=plan.embedder,
        quality=plan.quality,
        judged=judged,
        rivals=RIVALS if plan.rivals else (),
        report=report,
        meter=meter,
    )
    absent |= comparison.absent
    if judged:
        further += abstention_figures(name, comparison.answers[studies[0].grain][OURS])
    return {
        study: [row_of(who, study, answers) for who, answers in comparison.answers[study.grain].items()]
        for study in studies
    }

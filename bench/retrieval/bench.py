"""The measurement of recall: public sets, everyone beside each other, abstention, speed."""

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.figures import Figure, Report
from bench.retrieval.comparing import OURS, Contest, Field, Meter
from bench.retrieval.reporting import Findings, Measured, write_report
from bench.retrieval.results import abstention_figures, figures_of, lacking_figures, leads_of, row_of
from bench.retrieval.rivals import RIVALS
from bench.retrieval.sets import load_set, sampled, with_nonsense
from bench.retrieval.speed import measure_speed
from bench.retrieval.studies import SETS, STUDIES
from remanent.errors import InvalidInput, NotFound

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
    """Where what was remembered and answered is kept for the next run; without it, nowhere."""


def sets_of(name: str) -> tuple[str, ...]:
    """Return what is measured under a name: one set, speed, or all of them."""
    known = (*SETS, SPEED)
    if name != EVERY_SET and name not in known:
        raise InvalidInput(f"unknown set {name!r}; choose one of {', '.join((*known, EVERY_SET))}")
    return known if name == EVERY_SET else (name,)


def run_recall_bench(
    plan: Plan,
    report: Report = lambda _: None,
    *,
    folder: Path | None = None,
    meter: Meter = lambda _name, _total: lambda _done: None,
    field: Callable[[Report], Field] = lambda report: Field(RIVALS, report),
) -> list[Figure]:
    """Measure; with a folder, the report is left there, after every set: `recall.md` and drawings."""
    return asyncio.run(_Run(plan, report, folder, meter, field(report) if plan.rivals else Field(())).measure())


@dataclass(slots=True)
class _Run:
    plan: Plan
    report: Report
    folder: Path | None
    meter: Meter
    rivals: Field
    findings: Findings = field(default_factory=Findings)

    async def measure(self) -> list[Figure]:
        figures: list[Figure] = []
        for name in self.plan.sets:
            if name == SPEED:
                with tempfile.TemporaryDirectory(prefix="remanent-bench-") as place:
                    self.findings.further += await measure_speed(Path(place), report=self.report)
            else:
                figures += await self._measure_set(name)
            self.findings.absent |= self.rivals.absent
            if self.folder is not None:
                write_report(self.folder, self.findings)
        for name, reason in self.findings.absent.items():
            self.report(f"{name} took no part: {reason}")
        return figures + self.findings.further

    async def _measure_set(self, name: str) -> list[Figure]:
        """Return our figures beside the goals and the others; everything goes into the findings."""
        try:
            everything = load_set(self.plan.data, name)
        except NotFound as error:
            if len(self.plan.sets) == 1:
                raise
            self.findings.absent[name] = str(error)
            return []
        chosen = sampled(everything, most=self.plan.questions)
        total, asked = (sum(len(one.questions) for one in some) for some in (everything, chosen))
        studies = [study for study in STUDIES if study.data == name]
        comparison = await Contest(
            name,
            with_nonsense(chosen, count=NONSENSE_QUESTIONS),
            list(dict.fromkeys(study.grain for study in studies)),
            self.rivals,
            home=self.plan.home,
            embedder=self.plan.embedder,
            quality=self.plan.quality,
            report=self.report,
            meter=self.meter,
        ).compare()
        figures = []
        for study in studies:
            answers = comparison.answers[study.grain]
            rows = [row_of(who, study, given) for who, given in answers.items()]
            self.findings.studies[study] = Measured(
                rows, leads_of(study, answers), asked, total, comparison.embedding, comparison.moments
            )
            figures += figures_of(study, answers)
            self.findings.further += lacking_figures(study.name, answers)
        self.findings.further += abstention_figures(name, comparison.answers[studies[0].grain][OURS])
        return figures

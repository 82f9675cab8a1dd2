"""The report of a run: tables as Markdown, an overview and a drawing per study as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bench.charts import bars, dots
from bench.figures import Figure
from bench.retrieval.comparing import OURS
from bench.retrieval.results import Lead, Row, Share
from bench.retrieval.studies import USUAL, Study
from remanent.recall.windows import SPOKEN_CHARACTERS

OVERVIEW = "recall-overview.svg"

_ABOUT = f"""# Recall on public sets

No language model. Everyone is asked the same questions over the same texts (a turn, after the name of who spoke where
it has one), and searches by the same vectors where it searches by vectors: those of the first {SPOKEN_CHARACTERS}
characters, as Remanent makes them. BM25 ranks whole sessions where sessions are asked for; the others' sessions stand
where their best turn does. Each share has its 95% confidence interval, by drawing the questions anew a thousand times.

Parameters of Remanent are to be chosen on one half of the questions; the other half is shown apart. Which half a
question belongs to follows from its id. The built-in weights were chosen with an eye on both halves of these sets, so
that the other half is no proof by itself; nothing was tuned for the others, who run as they come. Quality mode lets a
cross-encoder read the best again.

mem0 keeps texts as they are (infer=False), with a vector store in memory; as installed it searches by vectors only.
MemPalace mixes vectors and BM25. Our times include embedding the question, the others' do not; processor time hardly
depends on what else the machine does. Tokens are those of the first five, the same for everyone who finds the same.
AUROC and coverage tell how well a searcher's own score (ours: the gate's) parts questions that have an answer from
those that have none; coverage is the share of answerable questions that still pass when 5% of the others do."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What everyone reached in one study, and of how many questions."""

    rows: Sequence[Row]
    leads: Sequence[Lead] = ()
    asked: int = 0
    total: int = 0
    embedding: float = 0.0
    """Seconds that embedding one question takes."""
    moments: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(slots=True)
class Findings:
    """All that a run found out."""

    studies: dict[Study, Measured] = field(default_factory=dict)
    further: list[Figure] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)


def write_report(folder: Path, findings: Findings) -> None:
    """Leave `recall.md`, an overview and one drawing per study in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for study, measured in findings.studies.items():
        groups = {goal.name: {row.name: row.whole[goal.name].value for row in measured.rows} for goal in study.measures}
        marks = {goal.name: goal.least for goal in study.goals if goal.least is not None}
        (folder / _drawing(study)).write_text(bars(groups, marks=marks), encoding="utf-8")
    (folder / OVERVIEW).write_text(overview(findings.studies), encoding="utf-8")
    (folder / "recall.md").write_text(as_markdown(findings), encoding="utf-8")


def overview(studies: Mapping[Study, Measured]) -> str:
    """Return one drawing of all studies: the measure that each is first promised for, everyone as a dot."""
    rows, spans, marks = {}, {}, {}
    for study, measured in studies.items():
        goal = study.goals[0]
        title = f"{study.name}, {goal.name}"
        rows[title] = {row.name: row.whole[goal.name].value for row in measured.rows}
        ours = measured.rows[0].whole[goal.name]
        spans[title] = (ours.low, ours.high)
        if goal.least is not None:
            marks[title] = goal.least
    return dots(rows, spans=spans, marks=marks)


def as_markdown(findings: Findings) -> str:
    """Return the tables."""
    lines = [_ABOUT]
    if findings.studies:
        lines += [
            "",
            "## Side by side",
            "",
            f"{_usual()}, all questions.",
            "",
            *_beside(findings.studies, held_out=False),
        ]
        lines += ["", "The same on the other half.", "", *_beside(findings.studies, held_out=True)]
        lines += ["", f"![the first measure of each set; the bar is our interval, the stroke the goal]({OVERVIEW})"]
        lines += ["", *_behind(findings.studies)]
    for study, measured in findings.studies.items():
        lines += ["", f"## {study.name}", "", *_scope(measured)]
        lines += ["", *_table(study, measured.rows), "", *_held_out(study, measured.rows)]
        lines += ["", *_leads(measured.leads), "", *_types(measured.rows), f"![{study.name}]({_drawing(study)})"]
    if findings.further:
        lines += ["", "## Further figures", "", "| figure | measured | promised | kept |", "|---|---:|---:|---|"]
        signs = {True: "yes", False: "no", None: ""}
        lines += [
            f"| {one.name} | {one.value:g} {one.unit} | {one.promise} | {signs[one.kept]} |" for one in findings.further
        ]
    if findings.absent:
        lines += ["", "## Who could not take part", ""]
        lines += [f"- {name}: {reason}" for name, reason in findings.absent.items()]
    return "\n".join([*lines, ""])


def _beside(studies: Mapping[Study, Measured], *, held_out: bool) -> list[str]:
    names = list(dict.fromkeys(row.name for measured in studies.values() for row in measured.rows))
    lines = [f"| | n | {' | '.join(names)} |", "|---" * (2 + len(names)) + "|"]
    for study, measured in studies.items():
        rows = {row.name: row.held_out if held_out else row.whole for row in measured.rows}
        shown = [goal.name for goal in study.measures if goal.type is None]
        extra = "" if len(shown) == len(USUAL) else f"; {', '.join(shown[len(USUAL) :])}"
        cells = [_cell([rows[name][measure] for measure in shown]) if name in rows else "–" for name in names]
        count = max(shares[shown[0]].count for shares in rows.values())
        lines.append(f"| {study.name}{extra} | {count} | {' | '.join(cells)} |")
    return lines


def _cell(shares: Sequence[Share]) -> str:
    usual = " / ".join(_short(share.value) for share in shares[: len(USUAL)])
    return "; ".join([usual, *(_short(share.value) for share in shares[len(USUAL) :])])


def _short(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")


def _usual() -> str:
    return " / ".join(goal.name for goal in USUAL)


def _behind(studies: Mapping[Study, Measured]) -> list[str]:
    behind = [
        f"- {study.name}, {lead.measure}: {lead.other} {_short(lead.reached)}, {OURS} {_short(lead.ours)}"
        for study, measured in studies.items()
        for lead in measured.leads
        if round(lead.reached, 3) > round(lead.ours, 3)
    ]
    return [f"{OURS} is behind in:", "", *behind] if behind else [f"{OURS} is behind nobody in any of these."]


def _scope(measured: Measured) -> list[str]:
    sample = "All" if measured.asked == measured.total else f"{measured.asked} of"
    spread = "" if measured.asked == measured.total else ", spread evenly over the set"
    lines = [f"{sample} {measured.total} questions{spread}."]
    if measured.embedding:
        lines[0] += f" Embedding one takes {1000 * measured.embedding:.1f} ms, which the others' times do not include."
    if measured.moments:
        days = ", ".join(f"{name} {moment:%Y-%m-%d %H:%M}" for name, moment in measured.moments.items())
        lines.append(f"Answered (UTC): {days}.")
    return lines


def _table(study: Study, rows: Sequence[Row]) -> list[str]:
    names = [f"{goal.name} (≥ {goal.least:g})" if goal.least is not None else goal.name for goal in study.measures]
    titles = [*names, "MRR", "nDCG@10", "tokens", "p50 ms", "p95 ms", "processor ms", "AUROC", "coverage"]
    lines = [f"| all | {' | '.join(titles)} |", "|---" * (1 + len(titles)) + "|"]
    for row in rows:
        apart = ["", ""]
        if row.abstention is not None:
            apart = [f"{row.abstention.auroc:.3f}", f"{row.abstention.covered:.3f}"]
        cells = [_interval(row.whole[goal.name]) for goal in study.measures]
        cells += [f"{row.reciprocal_rank:.3f}", f"{row.ndcg:.3f}", f"{row.tokens:.0f}"]
        cells += [f"{row.usual:.1f}", f"{row.slow:.1f}", f"{row.processor:.1f}", *apart]
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    return lines


def _held_out(study: Study, rows: Sequence[Row]) -> list[str]:
    count = max((share.count for share in rows[0].held_out.values()), default=0) if rows else 0
    names = [goal.name for goal in study.measures]
    lines = [f"| other half ({count}) | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
    return lines + [f"| {row.name} | {' | '.join(_interval(row.held_out[name]) for name in names)} |" for row in rows]


def _interval(share: Share) -> str:
    return f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"


def _leads(leads: Sequence[Lead]) -> list[str]:
    if not leads:
        return []
    lines = ["| measure | best other | it | we | ahead by |", "|---|---|---:|---:|---:|"]
    return lines + [
        f"| {lead.measure} | {lead.other} | {lead.reached:.3f} | {lead.ours:.3f} "
        f"| {lead.ours - lead.reached:+.3f} [{lead.low:+.3f}, {lead.high:+.3f}] |"
        for lead in leads
    ]


def _types(rows: Sequence[Row]) -> list[str]:
    """Return one table by type, everyone beside each other; nothing when there is one type only."""
    kinds = rows[0].by_type if rows else {}
    if len(kinds) < 2:
        return []
    lines = [f"| {_usual()} | questions | {' | '.join(row.name for row in rows)} |", "|---" * (2 + len(rows)) + "|"]
    for kind, shares in kinds.items():
        count = max(share.count for share in shares.values())
        lines.append(f"| {kind} | {count} | {' | '.join(_cell(list(row.by_type[kind].values())) for row in rows)} |")
    return [*lines, ""]


def _drawing(study: Study) -> str:
    return f"recall-{study.data}-{study.grain}{'-text' if study.by_text else ''}.svg"

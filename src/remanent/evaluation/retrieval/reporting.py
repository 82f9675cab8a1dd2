"""The report of a run: tables as Markdown, a drawing per study as SVG."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from remanent.evaluation.charts import bars
from remanent.evaluation.figures import Figure
from remanent.evaluation.retrieval.results import Row
from remanent.evaluation.retrieval.studies import Study


def write_report(
    folder: Path, results: Mapping[Study, Sequence[Row]], absent: Mapping[str, str], further: Sequence[Figure] = ()
) -> None:
    """Leave `recall.md` and one drawing per study in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for study, rows in results.items():
        groups = {
            goal.name: {row.name: row.goals[place].value for row in rows} for place, goal in enumerate(study.goals)
        }
        marks = {goal.name: goal.least for goal in study.goals}
        (folder / _drawing(study)).write_text(bars(groups, marks=marks), encoding="utf-8")
    (folder / "recall.md").write_text(as_markdown(results, absent, further), encoding="utf-8")


def as_markdown(
    results: Mapping[Study, Sequence[Row]], absent: Mapping[str, str], further: Sequence[Figure] = ()
) -> str:
    """Return the tables."""
    lines = [
        "# Recall on public sets",
        "",
        "No language model. Every share with its 95% confidence interval; then the same on the half of the questions",
        "that no parameter was chosen on. Others search the same texts, by the same vectors where they search by",
        "vectors. BM25 ranks whole sessions where sessions are asked for; the others' sessions stand where their best",
        "turn does.",
    ]
    for study, rows in results.items():
        lines += ["", f"## {study.name}", "", *_table(study, rows), "", f"![{study.name}]({_drawing(study)})"]
        lines += ["", *_types(study, rows[0])]
    if further:
        lines += ["", "## Further figures", "", "| figure | measured | promised | kept |", "|---|---:|---:|---|"]
        signs = {True: "yes", False: "no", None: ""}
        lines += [f"| {one.name} | {one.value:g} {one.unit} | {one.promise} | {signs[one.kept]} |" for one in further]
    if absent:
        lines += ["", "## Who could not take part", ""]
        lines += [f"- {name}: {reason}" for name, reason in absent.items()]
    return "\n".join([*lines, ""])


def _table(study: Study, rows: Sequence[Row]) -> list[str]:
    names = " | ".join(f"{goal.name} (≥ {goal.least:g}) | held out" for goal in study.goals)
    lines = [f"| | {names} | MRR | nDCG@10 | tokens | p95 ms |", "|---" * (1 + 2 * len(study.goals) + 4) + "|"]
    for row in rows:
        cells = [
            f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}] | {held:.3f}"
            for share, held in zip(row.goals, row.held_out, strict=True)
        ]
        tokens = f"{row.tokens:.0f}" if row.tokens else ""
        lines.append(
            f"| {row.name} | {' | '.join(cells)} | {row.reciprocal_rank:.3f} | {row.ndcg:.3f} | {tokens} "
            f"| {row.milliseconds:.1f} |"
        )
    return lines


def _types(study: Study, ours: Row) -> list[str]:
    goals = [goal for goal in study.goals if goal.type is None]
    if len(ours.by_type) < 2:
        return []
    lines = [f"| {ours.name}, by type | {' | '.join(goal.name for goal in goals)} |", "|---" * (1 + len(goals)) + "|"]
    return lines + [
        f"| {kind} | {' | '.join(f'{value:.3f}' for value in values)} |" for kind, values in ours.by_type.items()
    ]


def _drawing(study: Study) -> str:
    return f"recall-{study.data}-{study.grain}.svg"

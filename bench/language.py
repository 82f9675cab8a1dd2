"""How well language work goes without a model; each figure beside what was promised."""

from collections.abc import Sequence
from pathlib import Path

from bench.charts import precision_recall
from bench.conflicts import (
    LEAST_PRECISION,
    MemoryStudy,
    PairStudy,
    Point,
    load_pairs,
    study_memories,
    study_pairs,
)
from bench.figures import Figure, Report, at_least, at_most
from bench.pairs import PairKind

PAIR_FILES = {"English pairs": "nli-en.pairs.jsonl.gz", "Chinese pairs": "nli-zh.pairs.jsonl.gz"}
LEAST_F1 = 0.85


def run_language_bench(
    data: Path | None, report: Report = lambda _: None, *, folder: Path | None = None
) -> list[Figure]:
    """Measure the judgement of conflicts; with a data folder on its sentence pairs, too.

    With a folder to write to, the report is left there: `conflicts.md` and the curve, `conflicts.svg`.
    """
    report("conflicts between generated memories")
    memories = study_memories()
    studies: list[PairStudy] = []
    for name, file in PAIR_FILES.items():
        if data is not None and (data / file).exists():
            report(f"contradictions in {name}")
            studies.append(study_pairs(name, load_pairs(data / file)))
    if folder is not None:
        write_report(folder, memories, studies)
    return memory_figures(memories) + [figure for study in studies for figure in pair_figures(study)]


def memory_figures(study: MemoryStudy) -> list[Figure]:
    """Return the figures of generated memories beside the promises."""
    paraphrases = sum(count for (_, kind), (_, count) in study.called.items() if kind is PairKind.PARAPHRASE)
    return [
        at_least("conflicts, generated memories, F1", study.point.f1, "", LEAST_F1),
        Figure("conflicts, generated memories, precision", round(study.point.precision, 3), ""),
        Figure("conflicts, generated memories, recall", round(study.point.recall, 3), ""),
        at_most(f"paraphrases called conflicts, of {paraphrases}", study.called_paraphrases, "", 0),
    ]


def pair_figures(study: PairStudy) -> list[Figure]:
    """Return the figures of one file of sentence pairs beside the promise."""
    shipped, chosen = study.shipped, study.chosen
    return [
        at_least(f"contradiction, {study.name}, precision", shipped.precision, "", LEAST_PRECISION),
        Figure(f"contradiction, {study.name}, recall", round(shipped.recall, 3), ""),
        Figure(f"contradiction, {study.name}, F1", round(shipped.f1, 3), ""),
        Figure(f"contradiction, {study.name}, precision at the lowest threshold", round(chosen.precision, 3), ""),
        Figure(f"contradiction, {study.name}, recall at the lowest threshold", round(chosen.recall, 3), ""),
    ]


def write_report(folder: Path, memories: MemoryStudy, studies: Sequence[PairStudy]) -> None:
    """Leave the report in a folder: tables as Markdown, the curve as SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    curves = {"generated memories": [(point.recall, point.precision) for point in memories.curve]}
    curves |= {study.name: [(point.recall, point.precision) for point in study.curve] for study in studies}
    (folder / "conflicts.svg").write_text(precision_recall(curves, least=LEAST_PRECISION), encoding="utf-8")
    (folder / "conflicts.md").write_text(as_markdown(memories, studies), encoding="utf-8")


def as_markdown(memories: MemoryStudy, studies: Sequence[PairStudy]) -> str:
    """Return the tables of the report."""
    point = memories.point
    lines = [
        "# Judging conflicts without a model",
        "",
        "## Generated memories",
        "",
        _line_of(point),
        "",
        "| language | kind | conflict? | called conflicts | of |",
        "|---|---|---|---:|---:|",
    ]
    for (language, kind), (called, count) in memories.called.items():
        lines.append(f"| {language} | {kind} | {'yes' if kind.is_conflict else 'no'} | {called} | {count} |")
    if studies:
        lines += [
            "",
            "## Sentence pairs",
            "",
            "Thresholds were chosen on every other pair; the figures are of the rest.",
            "",
            "| pairs | threshold | precision | recall | F1 | called | of |",
            "|---|---:|---:|---:|---:|---:|---:|",
        ]
    for study in studies:
        for label, at in ((f"{study.name}, as shipped", study.shipped), (f"{study.name}, lowest", study.chosen)):
            lines.append(
                f"| {label} | {at.threshold:.2f} | {at.precision:.3f} | {at.recall:.3f} | {at.f1:.3f} | {at.called} "
                f"| {study.pairs} |"
            )
    return "\n".join([*lines, "", "![precision over recall](conflicts.svg)", ""])


def _line_of(point: Point) -> str:
    reached = f"precision {point.precision:.3f}, recall {point.recall:.3f}, F1 {point.f1:.3f}"
    return f"At the threshold that ships, {point.threshold:g}: {reached}."

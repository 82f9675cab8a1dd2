import gzip
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.charts import precision_recall
from bench.conflicts import (
    LabelledPair,
    Point,
    Scored,
    curve,
    load_pairs,
    point_at,
    study_memories,
    study_pairs,
)
from bench.language import as_markdown, memory_figures, pair_figures, run_language_bench, write_report
from bench.pairs import PairKind, memory_pairs
from remanent.errors import InvalidInput
from remanent.language.offline.judgement import CONFLICT

PAIRS = [
    LabelledPair("Sam drinks tea.", "Sam does not drink tea.", is_contradiction=True),
    LabelledPair("Ada lives in Rome.", "Ada lives in Oslo.", is_contradiction=True),
    LabelledPair("A man is sleeping.", "A man is running.", is_contradiction=True),
    LabelledPair("Ada lives in Rome.", "Ada has a cat.", is_contradiction=False),
    LabelledPair("It rains.", "It rains a lot.", is_contradiction=False),
    LabelledPair("Sam drinks tea.", "Sam drinks hot tea.", is_contradiction=False),
] * 2


def test_precision_and_recall_are_counted_from_the_threshold_on() -> None:
    scored = [Scored(0.9, True), Scored(0.7, False), Scored(0.6, True), Scored(0.1, True), Scored(0.0, False)]
    assert point_at(scored, 0.6) == Point(0.6, precision=2 / 3, recall=2 / 3, called=3)
    assert point_at(scored, 0.95) == Point(0.95, precision=0.0, recall=0.0, called=0)
    assert point_at(scored, 0.6).f1 == pytest.approx(2 / 3)


def test_the_curve_has_a_point_for_every_threshold_that_makes_a_difference() -> None:
    scored = [Scored(0.9, True), Scored(0.6, False), Scored(0.6, True), Scored(0.0, True)]
    points = curve(scored)
    assert [point.threshold for point in points] == [0.9, 0.6]
    assert [point.recall for point in points] == sorted(point.recall for point in points)


def test_pairs_are_read_from_lines_of_json(tmp_path: Path) -> None:
    rows = [{"a": "x", "b": "y", "label": "contradiction"}, {"a": "x", "b": "z", "label": "neutral"}]
    text = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "pairs.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "pairs.jsonl").write_text(text, encoding="utf-8")
    for name in ("pairs.jsonl.gz", "pairs.jsonl"):
        assert [pair.is_contradiction for pair in load_pairs(tmp_path / name)] == [True, False]


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"text": "x"}', encoding="utf-8")
    with pytest.raises(InvalidInput, match="a, b and label"):
        load_pairs(tmp_path / "other.jsonl")


def test_a_threshold_is_chosen_on_one_half_and_measured_on_the_other() -> None:
    study = study_pairs("few", PAIRS)
    assert study.pairs == len(PAIRS) // 2
    assert study.shipped.threshold == CONFLICT
    assert study.chosen.recall >= study.shipped.recall
    assert [figure.kept for figure in pair_figures(study)].count(False) == 0


def test_generated_conflicts_are_told_from_what_only_looks_like_one() -> None:
    study = study_memories()
    assert study.point.f1 >= 0.85
    assert study.point.precision >= 0.95
    assert study.called_paraphrases == 0
    assert all(figure.kept is not False for figure in memory_figures(study))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_pairs_of_the_same_generator_are_judged_no_worse(seed: int) -> None:
    study = study_memories(memory_pairs(seed=seed))
    assert study.point.f1 >= 0.85
    assert study.called_paraphrases == 0


def test_the_report_is_tables_and_a_curve(tmp_path: Path) -> None:
    memories = study_memories()
    pairs = study_pairs("few", PAIRS)
    write_report(tmp_path / "report", memories, [pairs])
    text = (tmp_path / "report" / "conflicts.md").read_text(encoding="utf-8")
    assert f"| zh | {PairKind.PARAPHRASE} | no | 0 | 50 |" in text
    assert "| few, as shipped | 0.60 |" in text
    drawing = ET.fromstring((tmp_path / "report" / "conflicts.svg").read_text(encoding="utf-8"))
    assert len(drawing.findall("{http://www.w3.org/2000/svg}polyline")) == 2
    assert "Sentence pairs" not in as_markdown(memories, [])


def test_a_curve_with_a_name_of_strange_signs_is_still_a_drawing() -> None:
    ET.fromstring(precision_recall({"<a & b>": [(0.1, 0.9), (0.5, 0.6)], "none": []}, least=0.7))


def test_the_bench_measures_what_data_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"a": pair.one, "b": pair.other, "label": "contradiction" if pair.is_contradiction else "neutral"}
        for pair in PAIRS
    ]
    (tmp_path / "nli-en.pairs.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    told: list[str] = []
    figures = run_language_bench(tmp_path, told.append, folder=tmp_path / "report")
    assert {figure.name for figure in figures} >= {
        "conflicts, generated memories, F1",
        "paraphrases called conflicts, of 100",
        "contradiction, English pairs, precision",
    }
    assert "contradictions in English pairs" in told
    assert (tmp_path / "report" / "conflicts.svg").exists()
    assert len(run_language_bench(None)) < len(figures)

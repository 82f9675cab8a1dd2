"""The whole measurement on a tiny generated set: remember, recall, compare, report."""

import gzip
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from remanent.errors import InvalidInput, MissingDependency
from remanent.evaluation.charts import bars
from remanent.evaluation.retrieval.baselines import Bm25, nearest
from remanent.evaluation.retrieval.bench import Plan, run_recall_bench, sets_of
from remanent.evaluation.retrieval.product import Asked
from remanent.evaluation.retrieval.results import figures_of, row_of
from remanent.evaluation.retrieval.rivals import Material, Rival, ask
from remanent.evaluation.retrieval.sets import Question
from remanent.evaluation.retrieval.studies import STUDIES, Goal, Study

_FACTS = {
    "Ada": ["I moved to Lisbon in May.", "My cat is called Bruno.", "I play the cello on Sundays."],
    "Ben": ["I work as a baker.", "The marathon was hard for me.", "I painted the fence green."],
}


def _write_set(folder: Path, name: str, *, before: str | None = None) -> None:
    sessions = [
        {
            "session": f"{who}-{place}",
            "date": f"{place + 1} {'May' if who == 'Ada' else 'June'}, 2023",
            "turns": [{"turn": f"{who}-{place}-0", "role": who, "text": text}],
        }
        for who, texts in _FACTS.items()
        for place, text in enumerate(texts)
    ]
    asked = [
        ("Where did Ada move to?", "Ada-0"),
        ("What is the cat of Ada called?", "Ada-1"),
        ("Who is a baker?", "Ben-0"),
    ]
    questions: list[dict[str, Any]] = [
        {
            "store": "tiny",
            "id": f"q{place}",
            "type": "single-hop" if place else "multi-hop",
            "question": text,
            "date": "",
            "answerable": True,
            "evidence_sessions": [session],
            "evidence_turns": [f"{session}-0"],
            "before_session": before,
        }
        for place, (text, session) in enumerate(asked)
    ]
    nobody: dict[str, Any] = {
        "id": "q9",
        "type": "adversarial",
        "answerable": False,
        "evidence_sessions": [],
        "evidence_turns": [],
    }
    questions.append({**questions[0], **nobody, "question": "Which zeppelin did Carl steer?"})
    for kind, lines in (("stores", [{"store": "tiny", "sessions": sessions}]), ("questions", questions)):
        with gzip.open(folder / f"{name}.{kind}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


def test_a_set_is_measured_and_reported(tmp_path: Path) -> None:
    _write_set(tmp_path, "locomo")
    plan = Plan(tmp_path, ("locomo",), embedder="none", rivals=False)
    figures = run_recall_bench(plan, folder=tmp_path / "report")
    ours = {figure.name: figure.value for figure in figures if "best other" not in figure.name}
    assert ours["locomo, turn, any@5"] == ours["locomo, session, any@5"] == 1
    report = (tmp_path / "report" / "recall.md").read_text(encoding="utf-8")
    assert "BM25 alone" in report
    measured = {figure.name: figure for figure in figures}
    assert measured["locomo, nonsense answered with nothing"].value == 100
    assert measured["locomo, unanswerable, AUROC"].value == 1
    for drawing in re.findall(r"\((recall-.*?\.svg)\)", report):
        ET.fromstring((tmp_path / "report" / drawing).read_text(encoding="utf-8"))


def test_what_was_remembered_is_kept_for_the_next_run(tmp_path: Path) -> None:
    _write_set(tmp_path, "cmrc")
    plan = Plan(tmp_path, ("cmrc",), embedder="none", rivals=False, home=tmp_path / "home")
    first = run_recall_bench(plan)
    steps: list[float] = []
    second = run_recall_bench(plan, meter=lambda _name, _total: steps.append)
    assert second == first
    assert sum(steps) == 104  # the questions, nonsense among them, and no turn again


def test_what_had_not_happened_yet_is_not_found(tmp_path: Path) -> None:
    _write_set(tmp_path, "realmem", before="Ada-1")
    figures = run_recall_bench(Plan(tmp_path, ("realmem",), embedder="none", rivals=False))
    (ours,) = (figure.value for figure in figures if figure.name == "realmem, session, any@5")
    assert ours == pytest.approx(1 / 3, abs=0.001)


def test_an_unknown_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="locomo"):
        sets_of("nothing")
    assert sets_of("all")[-1] == "speed"


def test_every_study_has_goals_within_reach() -> None:
    assert all(0 < goal.least <= 1 and goal.k >= 1 for study in STUDIES for goal in study.goals)


def test_a_row_counts_each_type_and_leaves_out_what_has_no_answer() -> None:
    study = Study("x", "turn", (Goal("any", 1, 0.5), Goal("all", 2, 0.5, "b")))
    asked = [
        Asked(_question("1", "a", {"t1"}), ["t1"], 0.1),
        Asked(_question("2", "b", {"t1", "t2"}), ["t2", "t1"], 0.2),
        Asked(_question("3", "b", {"t3"}), ["t1"], 0.3),
        Asked(_question("4", "b", set()), ["t1"], 0.4),
    ]
    row = row_of("Remanent", study, asked)
    assert [share.value for share in row.goals] == [pytest.approx(2 / 3), 0.5]
    assert row.goals[1].count == 2
    assert row.by_type == {"a": (1.0,), "b": (0.5,)}


def test_a_figure_says_who_is_ahead() -> None:
    study = Study("x", "turn", (Goal("any", 1, 0.5),))
    wanted = _question("1", "a", {"t1"})
    rows = [
        row_of("Remanent", study, [Asked(wanted, ["t2"], 0.1)]),
        row_of("other", study, [Asked(wanted, ["t1"], 0.1)]),
    ]
    missed, ahead = figures_of(study, rows)
    assert (missed.value, missed.kept) == (0, False)
    assert (ahead.value, ahead.kept) == (1, False)


def test_bm25_prefers_rare_words_and_finds_nothing_for_strange_ones() -> None:
    index = Bm25(["the cat sat", "the dog sat", "the cat ran to the dog"])
    assert next(iter(index.ranking("cat ran")))[0] == 2
    assert index.ranking("zebra") == []


def test_the_nearest_vector_comes_first() -> None:
    import numpy as np

    vectors = np.eye(3, dtype=np.float32)
    assert nearest(vectors, vectors[1])[0] == (1, 1.0)


def test_a_rival_that_cannot_run_says_why(tmp_path: Path) -> None:
    import sys

    import numpy as np

    material = Material(["a"], ["text"], ["question"], [1], np.zeros((2, 2), np.float32))
    broken = Rival("Broken", ("nothing",), "raise SystemExit('no disk')")
    with pytest.raises(MissingDependency, match="no disk"):
        ask(broken, [material], python=Path(sys.executable))
    echo = Rival("Echo", ("numpy",), "run(lambda place, ids, texts: lambda question, limit: ids[:limit])")
    ((answer,),) = ask(echo, [material], python=Path(sys.executable))
    assert answer.ids == ["a"]


def test_bars_draw_every_name_and_escape_it() -> None:
    drawing = bars({"any@5": {"a < b": 0.5, "c": 1.0}}, marks={"any@5": 0.7})
    texts = [node.text for node in ET.fromstring(drawing).iter() if node.text and node.text.strip()]
    assert {"a < b", "c", "0.500", "1.000"} <= set(texts)


def _question(question_id: str, kind: str, turns: set[str]) -> Question:
    return Question(question_id, kind, "?", answerable=True, sessions=frozenset(), turns=frozenset(turns))

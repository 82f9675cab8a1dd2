import gzip
import json
from dataclasses import replace
from pathlib import Path

from bench.bank_texts import BUDGET, by_bm25, holds, is_right, read_tasks, run_text_bench

ROW = {
    "set": "hotpotqa",
    "question": "In which county is the birthplace of Ada Kern?",
    "answer": "Harl",
    "documents": [
        {"title": "Ada Kern", "text": "Ada Kern was a painter. She was born in Dunmoor."},
        {"title": "Dunmoor", "text": "Dunmoor is a town in Harl County. It has a mill."},
        {"title": "Oslo", "text": "Oslo is a city."},
    ],
    "evidence": ["She was born in Dunmoor.", "Dunmoor is a town in Harl County."],
}


def _data(tmp_path: Path) -> Path:
    with gzip.open(tmp_path / "multihop.tasks.jsonl.gz", "wt", encoding="utf-8") as rows:
        rows.write(json.dumps(ROW) + "\n")
    return tmp_path


def test_evidence_must_be_there_whole(tmp_path: Path) -> None:
    (task,) = read_tasks(_data(tmp_path))["hotpotqa"]
    assert holds("&quot;She was born in Dunmoor.&quot; Dunmoor is a town in Harl County!", task)
    assert not holds("She was born in Dunmoor.", task)


def test_bm25_packs_whole_paragraphs_under_the_budget() -> None:
    long = "Dunmoor " + "mill " * BUDGET
    assert by_bm25("Where is Dunmoor?", [long, "Dunmoor is a town."]) == "Dunmoor is a town."


def test_the_measures_of_real_tasks_are_reported_with_their_number(tmp_path: Path) -> None:
    figures = {figure.name: figure for figure in run_text_bench(_data(tmp_path), lambda _: None)}
    assert figures["hotpotqa: all evidence in 800 tokens (n=1)"].value == 100
    assert figures["tasks with a false conflict (n=1)"].kept
    assert "hotpotqa, 5 tasks joined: all evidence in 800 tokens (n=1)" in figures
    assert figures["hotpotqa (n=1): gold in an answer of at most 200 characters"].value == 100
    assert figures["hotpotqa (n=1): called unanswerable, the evidence taken away"].value == 100


def test_an_answer_is_right_that_holds_the_gold_one_and_is_short(tmp_path: Path) -> None:
    (task,) = read_tasks(_data(tmp_path))["hotpotqa"]
    assert is_right("Dunmoor is a town in Harl County.", task)
    assert not is_right("Dunmoor is a town in Harl County. " * 10, task)
    yes = replace(task, answer="yes")
    assert is_right("Yes: both are.", yes)
    assert not is_right("No: yes is wrong.", yes)

"""`evaluate` over a file of questions."""

import json
from pathlib import Path

from remanent.cli.exits import Exit
from tests.cli.conftest import Cli


def test_recall_is_measured_over_a_file_of_questions(cli: Cli, tmp_path: Path) -> None:
    (entry_id,) = cli.told("I moved to Lisbon in May.")
    file = tmp_path / "questions.jsonl"
    lines = [
        {"question": "Where did I move?", "ids": [entry_id]},
        {"question": "Where did I move?", "texts": ["Porto"]},
    ]
    file.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    said = cli("evaluate", file)
    assert said.code == 0, said.err
    assert "0.500 / 0.500 / 0.500" in said.out
    assert "Not among the first ten: Where did I move?" in said.err
    found = cli("evaluate", file, "--recipe", "words", "--json").json
    assert (found["answerable"], found["any_at_5"]) == (2, 0.5)
    assert [one["rank"] for one in found["results"]] == [1, None]


def test_a_build_fails_when_answers_are_missing_or_change(cli: Cli, tmp_path: Path) -> None:
    cli.told("I moved to Lisbon in May.")
    file, before = tmp_path / "questions.jsonl", tmp_path / "before.json"
    lines = [{"question": "Where did I move?", "texts": ["Lisbon"]}, {"question": "What is my boat called?"}]
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    assert cli("evaluate", file, "--min", "1", "--save", before).code == 0
    same = cli("evaluate", file, "--against", before)
    assert (same.code, same.err) == (0, "")
    cli("erase", "--session", "s1", "--yes")
    cli.told("I moved to Porto, I moved in June.", session="s2")
    other = cli("evaluate", file, "--against", before)
    assert other.code == Exit.NO
    assert "Answered differently: Where did I move?" in other.err
    assert "before: I moved to Lisbon in May. (1/1)" in other.err
    assert "now: I moved to Porto, I moved in June. (0/1)" in other.err
    assert "my boat" not in other.err
    few = cli("evaluate", file, "--min", "0.5", "--json")
    assert (few.code, few.json["any_at_5"]) == (Exit.NO, 0.0)
    assert "any@5 is 0.000" in few.err
    assert cli("evaluate", file, "--against", file).code == Exit.BAD_INPUT


def test_a_line_that_is_no_question_is_named(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "where?"}\n{"query": "where?"}\n', encoding="utf-8")
    said = cli("evaluate", file)
    assert said.code == Exit.BAD_INPUT
    assert "line 2" in said.err
    file.write_text("\n", encoding="utf-8")
    assert "no question" in cli("evaluate", file).err

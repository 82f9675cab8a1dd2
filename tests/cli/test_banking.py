from pathlib import Path

from remanent.cli.exits import Exit
from tests.cli.conftest import Cli

TEXT = "Mount Kelt is 3,412 metres high. Mount Kelt stands in the Sorran range."
QUESTION = "How high is Mount Kelt?"


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_run_answers_and_says_what_the_answer_rests_on(cli: Cli, tmp_path: Path) -> None:
    said = cli("bank", "run", "--task", QUESTION, "--context", written(tmp_path, "a.txt", TEXT))
    assert said.code == Exit.OK
    assert "3,412" in said.out
    assert "Round 1" in said.err
    assert "Rests on" in said.err


def test_a_run_in_json_gives_the_answer_with_its_nodes_entries_and_contradictions(cli: Cli, tmp_path: Path) -> None:
    other = "A newer page. Mount Kelt is 3,298 metres high. Mount Kelt has snow all year and Mount Kelt has two huts."
    files: list[str | Path] = [
        "--context",
        written(tmp_path, "a.txt", TEXT),
        "--image",
        written(tmp_path, "b.txt", other),
    ]
    export = tmp_path / "bank.json"
    said = cli("bank", "run", "--task", QUESTION, *files, "--json", "--export", export)
    found = said.json
    assert found["answer"]
    assert found["nodes"][0]["entries"]
    assert [conflict["state"] for conflict in found["conflicts"]] == ["unresolved"]
    shown = cli("bank", "show", export, "--json").json
    assert shown["insight"]["goal"] == QUESTION
    assert Path(shown["svg"]).read_text(encoding="utf-8").startswith("<svg")


def test_an_exported_bank_is_drawn_and_its_trees_are_printed(cli: Cli, tmp_path: Path) -> None:
    export = tmp_path / "bank.json"
    cli("bank", "run", "--task", QUESTION, "--context", written(tmp_path, "a.txt", TEXT), "--export", export)
    said = cli("bank", "show", export, "--svg", tmp_path / "graph.svg")
    assert said.code == Exit.OK
    assert "context: Mount Kelt is 3,412" in said.out
    assert QUESTION in said.out
    assert (tmp_path / "graph.svg").exists()


def test_what_is_no_bank_and_a_missing_task_are_refused(cli: Cli, tmp_path: Path) -> None:
    assert cli("bank", "show", written(tmp_path, "x.json", "{}")).code != Exit.OK
    assert cli("bank", "run", "--task", " ").code == Exit.USAGE

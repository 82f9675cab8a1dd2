import os
import pty
import re
import subprocess
import sys
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
    assert "Based on" in said.err


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


def test_a_kept_bank_is_moved_looked_at_settled_and_cleared(cli: Cli, tmp_path: Path) -> None:
    export = tmp_path / "bank.json"
    cli("bank", "run", "--task", QUESTION, "--context", written(tmp_path, "a.txt", TEXT), "--export", export)
    assert cli("bank", "import", export, "kelt", "--json").json["goal"] == QUESTION
    state = cli("bank", "get", "kelt", "--json").json
    assert state["insight"]["goal"] == QUESTION
    taken = cli("bank", "observe", "kelt", "The Sorran range has nine peaks.", "--json")
    assert taken.code == Exit.OK, taken.err
    found = cli("bank", "search", "kelt", "Sorran", "range", "--json").json
    assert found
    node_id = state["nodes"][0]["node_id"]
    assert "3,412" in cli("bank", "deep-retrieval", "kelt", node_id).out
    assert "3,412" in cli("deep-retrieval", node_id, "--json").out
    again = tmp_path / "again.json"
    assert cli("bank", "export", again, "kelt").code == Exit.OK
    assert "nine peaks" in again.read_text(encoding="utf-8")
    assert cli("bank", "clear", "kelt", "--yes").code == Exit.OK
    assert cli("bank", "get", "kelt", "--json").error["error"] == "NotFound"


def test_a_scratchpad_is_written_and_read_by_commands(cli: Cli) -> None:
    assert cli("scratchpad", "write", "plan", "先看报告").code == Exit.OK
    assert cli("scratchpad", "read", "--json").json == {"plan": "先看报告"}
    assert "先看报告" in cli("scratchpad", "read").out
    cli("scratchpad", "write", "next", "compare")
    assert cli("scratchpad", "read", "plan", "--json").json == {"plan": "先看报告"}


def on_a_terminal(home: Path, *arguments: object) -> tuple[int, str]:
    """Run a command whose every stream is a terminal; return how it ended and all that it wrote there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "110", "LINES": "40"}
    environment |= {"REMANENT_HOME": str(home), "REMANENT_EMBEDDER": "none", "REMANENT_LANGUAGE": "en"}
    command = [sys.executable, "-c", "from remanent.cli import main; main()", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = bytearray()
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # Linux says so when the last one on the other side has gone
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode("utf-8", errors="replace")


def test_on_a_terminal_a_picture_shows_the_task_at_hand_what_is_done_the_graph_and_its_contradictions(
    tmp_path: Path,
) -> None:
    other = "A newer page. Mount Kelt is 3,298 metres high. Mount Kelt has snow all year and Mount Kelt has two huts."
    code, shown = on_a_terminal(
        tmp_path / "home",
        *("bank", "run", "--task", QUESTION),
        *("--context", written(tmp_path, "a.txt", TEXT)),
        *("--image", written(tmp_path, "b.txt", other)),
    )
    assert code == Exit.OK, shown
    pictures, answer = plain(shown).rsplit("╯", 1)
    assert "▶ Recognise" in pictures
    assert "Graph: 1 nodes" in pictures
    assert "Graph: 2 nodes, 0 edges, 1 contradictions (1 open)" in pictures
    last = pictures.rsplit("╭", 1)[1]
    assert "✓ Recognise" in last
    assert f"✓ {QUESTION}" in last
    assert "⚡ " in last
    assert "▶" not in last
    assert "Mount Kelt is 3," in answer
    assert "Based on" in answer


def plain(shown: str) -> str:
    """Return what a terminal was sent without the signs that move its cursor and colour it."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)

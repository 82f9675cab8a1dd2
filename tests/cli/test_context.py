"""`context shrink`: a conversation in a file made to fit, in both languages, and what was saved by what."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.context.dialogues import dialogue


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(dialogue("en", messages=60, tokens=15_000)), encoding="utf-8")
    return path


@pytest.mark.spec("COG-17")
@pytest.mark.parametrize(("language", "words"), [("en", ["tool results", "total"]), ("zh", ["工具结果", "合计"])])
def test_the_report_is_a_table_of_what_each_strategy_saved(
    cli: Cli, file: Path, language: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMANENT_LANGUAGE", language)
    said = cli("context", "shrink", file, "--level", "2", "--report")
    assert said.code == 0
    for word in words:
        assert word in said.out
    view = cli("context", "shrink", file, "--level", "2", "--json").json
    total = f"{view['tokens_before']:,}", f"{view['tokens']:,}"
    assert any(all(figure in line for figure in total) for line in said.out.splitlines()[-2:])
    assert {one["strategy"] for one in view["report"]} >= {"tool results", "summaries"}


def test_without_a_report_the_messages_are_printed_for_the_next_program(cli: Cli, file: Path) -> None:
    said = cli("context", "shrink", file, "--budget", "4000")
    messages = json.loads(said.out)
    assert 1 < len(messages) < 60
    assert all("role" in message for message in messages)
    lines = "\n".join(json.dumps(one) for one in json.loads(file.read_text(encoding="utf-8")))
    assert json.loads(cli("context", "shrink", "-", "--budget", "4000", given=lines).out) == messages


@pytest.mark.parametrize("text", ["", "no json", "{}", '[{"role": "nobody", "content": "x"}]', "[1]"])
def test_a_file_that_holds_no_messages_is_refused_with_what_to_give(cli: Cli, tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text, encoding="utf-8")
    said = cli("context", "shrink", tmp_path / "bad.json")
    assert said.code != 0
    assert "messages" in said.err or "message 1" in said.err


def test_sessions_are_begun_listed_and_ended_from_the_command_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("The boat is red.", session="harbour")
    assert cli("session", "begin", "quay").code == 0
    assert [(one["session"], one["is_open"]) for one in cli("session", "list", "--json").json] == [
        ("quay", True),
        ("harbour", True),
    ]
    assert cli("session", "end", "harbour", "--json").json["reason"] == "call"
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    shown = cli("session", "list").out
    assert "已结束" in shown
    assert "进行中" in shown
    assert cli("session", "state", "quay", "--json").json["version"] == 0
    assert cli("session", "end", "nowhere").code != 0

"""Transcripts of coding agents: only what people and models said is kept, once, and nothing of it is lost."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.cli import hook_run
from remanent.cli.hook_run import HookNotes
from tests.cli.conftest import Cli
from tests.cli.test_hooks import run

# Lines as Claude Code 2 writes them, and as Codex does.
MARKED = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
SUMMARY = "This session is being continued from a previous conversation that ran out of context. I live in Nowhere."
REMINDER = "<system-reminder>I live in Remindertown.</system-reminder>"


def claude(content: object, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"type": role, "message": {"role": role, "content": content}, **more}


def codex(*texts: str, role: str = "user", **more: Any) -> dict[str, Any]:
    blocks = [{"type": "input_text", "text": text} for text in texts]
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": blocks, **more}}


def blocks(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


def write(file: Path, *lines: dict[str, Any]) -> Path:
    with file.open("a", encoding="utf-8") as opened:
        opened.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return file


def read(home: Path, file: Path) -> list[str]:
    pieces = hook_run.pieces_of(str(file), HookNotes(home, "ada"))
    return [one.text for piece in pieces for one in piece]


@pytest.mark.parametrize(
    "line",
    [
        *(claude("I live in Nowhere.", uuid="u0") | {mark: True} for mark in MARKED),
        claude(SUMMARY),
        claude("[Request interrupted by user]"),
        claude(blocks("[Request interrupted by user for tool use]")),
        claude("<command-name>/model</command-name>\n<command-args>opus</command-args>"),
        claude("<local-command-stdout>I live in Nowhere.</local-command-stdout>"),
        claude("<task-notification><result>I live in Nowhere.</result></task-notification>"),
        claude([{"type": "tool_result", "content": "ok"}, *blocks("Tool loaded.")]),
        {"message": {"role": "assistant", "model": "<synthetic>", "content": blocks("No response requested.")}},
        codex("<environment_context>\n<cwd>/tmp</cwd>\n</environment_context>"),
        codex("# AGENTS.md instructions for /home/u\n\n<INSTRUCTIONS>I live in Nowhere.</INSTRUCTIONS>"),
        codex("<permissions instructions>I live in Nowhere.</permissions instructions>"),
        codex("<turn_aborted>The user interrupted.</turn_aborted>"),
        codex("Another language model started to solve this problem and produced a summary. I live in Nowhere."),
        codex("I live in Nowhere.", role="developer"),
        {"type": "compacted", "payload": {"message": "", "replacement_history": [{"role": "user", "content": "x"}]}},
    ],
    ids=lambda line: json.dumps(line)[:90],
)
def test_what_a_tool_writes_in_the_name_of_the_user_is_not_said(tmp_path: Path, line: dict[str, Any]) -> None:
    assert read(tmp_path, write(tmp_path / "t.jsonl", line, claude("Go on."))) == ["Go on."]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (claude(blocks(REMINDER, "I live in Ghent.")), "I live in Ghent."),
        (claude(f"I live in Ghent.\n\n{REMINDER}"), "I live in Ghent."),
        (claude(f"{REMINDER}I live in Ghent."), "I live in Ghent."),
        (claude([{"type": "image", "source": {"data": "A" * 999}}, *blocks("我住在根特。")]), "我住在根特。"),
        (claude(blocks("[Request interrupted by user]", "Use tabs.")), "Use tabs."),
        (codex("<environment_context>x</environment_context>", "# AGENTS.md instructions for /x", "Why?"), "Why?"),
        (claude("<div>is not closed, why?"), "<div>is not closed, why?"),
        (claude('<a href="x">this</a> is blue'), '<a href="x">this</a> is blue'),
        (
            claude("The log has [Request interrupted by user] in it."),
            "The log has [Request interrupted by user] in it.",
        ),
        (claude("<system-reminder> is a tag.", "assistant"), "<system-reminder> is a tag."),
    ],
)
def test_what_the_user_wrote_beside_it_is_said(tmp_path: Path, line: dict[str, Any], said: str) -> None:
    assert read(tmp_path, write(tmp_path / "t.jsonl", line)) == [said]


def test_a_resumed_session_does_not_say_again_what_its_lines_tell_of_the_one_before(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(session: str, file: Path) -> None:
        run(cli, "stop", {"session_id": session, "transcript_path": str(file)}, monkeypatch, capsys)

    told = [claude("My sister Nora lives in Turin.", uuid="u1"), claude("Noted.", "assistant", uuid="u2")]
    forked = codex("Ben lives in Lyon.", id="msg_1")
    stop("first", write(tmp_path / "1.jsonl", *told, forked))
    stop("second", write(tmp_path / "2.jsonl", *told, forked, claude("Noted.", "assistant", uuid="u3")))
    with remanent.open(cli.home) as memory:
        said = [(entry.scope.session, entry.text) for entry in memory.agent("ada").entries()]
    if os.name == "posix":
        assert {file.stat().st_mode & 0o777 for file in cli.home.glob(".hooks-*")} == {0o600}
    first = [("first", one) for one in ("My sister Nora lives in Turin.", "Noted.", "Ben lives in Lyon.")]
    assert said == [*first, ("second", "Noted.")]


def test_a_transcript_is_read_on_in_pieces_and_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "t.jsonl"
    picture = claude([{"type": "tool_result", "content": "A" * 100_000}])
    for number in range(60):
        write(file, claude(f"Door {number}."), picture)
    monkeypatch.setattr(hook_run, "_PIECE", 7)
    pieces = list(hook_run.pieces_of(str(file), HookNotes(tmp_path, "ada")))
    assert max(map(len, pieces)) == 7
    assert [one.text for piece in pieces for one in piece] == [f"Door {number}." for number in range(60)]
    assert read(tmp_path, file) == []
    with file.open("a", encoding="utf-8") as opened:
        opened.write('{"message": {"role": "user", "content": "half')
    assert read(tmp_path, file) == []
    with file.open("a", encoding="utf-8") as opened:
        opened.write(' a line"}}\n')
    assert read(tmp_path, file) == ["half a line"]
    file.write_text(json.dumps(claude("Another file.")), encoding="utf-8")
    assert read(tmp_path, file) == ["Another file."]
    assert read(tmp_path, write(file, claude("More."))) == ["More."]


def test_what_there_was_no_time_for_is_read_at_the_next_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "t.jsonl", *(claude(f"Door {number}.") for number in range(5)))
    monkeypatch.setattr(hook_run, "_SECONDS", -1.0)
    assert [read(tmp_path, file) for _ in range(6)] == [*([f"Door {number}."] for number in range(5)), []]


def test_what_could_not_be_kept_is_read_again(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "t.jsonl", claude("The boat is red."))
    kept: list[list[dict[str, Any]]] = []

    def outcome(does: Callable[..., Any]) -> None:
        monkeypatch.setattr(hook_run._HookMemory, "do", does)
        run(cli, "stop", {"session_id": "s", "transcript_path": str(file)}, monkeypatch, capsys)

    def fails(*_: object, **__: object) -> None:
        raise OSError

    def keeps(_: object, method: str, *, messages: list[dict[str, Any]], session: str) -> None:
        assert (method, session) == ("remember", "s")
        kept.append(messages)

    cli.home.mkdir(exist_ok=True)
    outcome(fails)
    outcome(keeps)
    outcome(keeps)
    assert [[one["content"] for one in messages] for messages in kept] == [["The boat is red."]]


def test_a_line_that_is_longer_than_any_message_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_run, "_LONGEST_LINE", 100)
    assert read(tmp_path, write(tmp_path / "t.jsonl", claude("A" * 1000), claude("Go on."))) == ["Go on."]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_transcript(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read(tmp_path, tmp_path / "pipe") == read(tmp_path, tmp_path) == read(tmp_path, tmp_path / "none") == []


@pytest.mark.parametrize("path", ["/tmp/a\0b", "~nobody-of-this-name/t.jsonl"])
def test_what_is_no_path_is_no_transcript(tmp_path: Path, path: str) -> None:
    assert not list(hook_run.pieces_of(path, HookNotes(tmp_path)))

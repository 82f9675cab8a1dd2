"""Hooks of coding agents: put into their settings without harm, taken out exactly, quick, and never in the way."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanent
from remanent.cli import hook_run
from remanent.cli.integrations import AGENTS, install_hooks, remove_hooks
from remanent.errors import InvalidInput
from tests.cli.conftest import Cli
from tests.cli.test_running_server import note
from tests.client.serving import serving
from tests.server.rest.conftest import Served

COMMAND = ["/usr/bin/python3", "-m", "remanent"]
CLAUDE, CODEX = AGENTS["claude-code"], AGENTS["codex"]
THEIRS = {"type": "command", "command": "~/bin/notify.sh"}
SETTINGS = """{
    "model": "opus",
    "permissions": {"allow": ["Bash(npm run test:*)"]},
    "hooks": {
        "Stop": [{"matcher": "", "hooks": [{"type": "command", "command": "~/bin/notify.sh"}]}],
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}]
    }
}
"""


# ── settings ─────────────────────────────────────────────────────────────────


def test_installing_keeps_everything_and_adds_a_hook_for_each_moment(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(SETTINGS, encoding="utf-8")
    assert install_hooks(CLAUDE, COMMAND, ["--agent", "ada"], file=file).changed
    now, before = json.loads(file.read_text(encoding="utf-8")), json.loads(SETTINGS)
    assert {**now, "hooks": None} == {**before, "hooks": None}
    assert now["hooks"]["PreToolUse"] == before["hooks"]["PreToolUse"]
    assert now["hooks"]["Stop"][0] == before["hooks"]["Stop"][0]
    added = {event: groups[-1]["hooks"][0]["command"] for event, groups in now["hooks"].items()}
    assert {event for event, command in added.items() if "hook run" in command} == {
        *("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd")
    }
    assert added["Stop"] == "/usr/bin/python3 -m remanent hook run stop --agent ada"
    assert not install_hooks(CLAUDE, COMMAND, ["--agent", "ada"], file=file).changed


@pytest.mark.parametrize("text", [SETTINGS, "{}", "", None, '{"hooks": {}}', '{"hooks": {"Stop": []}}\r\n'])
def test_removing_brings_the_very_bytes_back(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / ".claude" / "settings.json"
    if text is not None:
        file.parent.mkdir()
        file.write_bytes(text.encode())
    install_hooks(CLAUDE, COMMAND, file=file)
    install_hooks(CLAUDE, [*COMMAND, "-X"], file=file)
    assert remove_hooks(file=file).changed
    assert (file.read_bytes() if file.exists() else None) == (None if text is None else text.encode())
    assert [one.name for one in file.parent.iterdir()] == ([] if text is None else ["settings.json"])


JSON = st.recursive(st.none() | st.booleans() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one))
GROUPS = st.lists(st.fixed_dictionaries({"hooks": st.lists(st.just(THEIRS), max_size=2)}), max_size=2)
EVENTS = st.dictionaries(st.sampled_from(["Stop", "SessionStart", "PreToolUse"]), GROUPS)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text().filter(lambda key: key != "hooks"), JSON), st.none() | EVENTS, JSON)
def test_what_a_person_changes_between_survives_removing(
    tmp_path_factory: pytest.TempPathFactory, rest: dict[str, Any], theirs: dict[str, Any] | None, later: Any
) -> None:
    file = tmp_path_factory.mktemp("hooks") / "settings.json"
    whole = {**rest, **({} if theirs is None else {"hooks": theirs})}
    file.write_text(json.dumps(whole), encoding="utf-8")
    install_hooks(CLAUDE, COMMAND, file=file)
    edited = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**edited, "added later": later}), encoding="utf-8")
    remove_hooks(file=file)
    assert json.loads(file.read_text(encoding="utf-8")) == {**whole, "added later": later}


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', "// comment\n{}", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}']
)
def test_a_file_that_cannot_be_read_exactly_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput):
        install_hooks(CLAUDE, COMMAND, file=file)
    assert file.read_text(encoding="utf-8") == text


def test_a_dry_run_shows_and_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "hooks.json"
    said = cli("hook", "install", "--for", "codex", "--file", file, "--dry-run")
    assert set(said.json["hooks"]) == {"SessionStart", "UserPromptSubmit", "PreCompact", "Stop"}
    assert not file.exists()
    assert "hook run stop" in cli("hook", "install", "--for", "generic").json["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert cli("hook", "install", "--for", "codex", "--file", file).code == 0
    assert cli("hook", "remove", "--for", "codex", "--file", file, "--agent", "ada").code == 0
    assert not file.exists()
    assert cli("hook", "install", "--for", "emacs").code != 0


# ── running ──────────────────────────────────────────────────────────────────

# As Claude Code 2 and Codex 0.12x send them; fields that no hook of ours reads are kept to show that they do no harm.
CLAUDE_COMMON = {
    "session_id": "7c1e4b0e-53d1-4d4f-a5c0-1f2b7b1c7f53",
    "cwd": "/home/u/parser",
    "permission_mode": "default",
}
CODEX_COMMON = {"session_id": "019a3f2e-8a71-7d20-9d43-6f1f9f7f2a11", "cwd": "/home/u/parser", "model": "gpt-5.2-codex"}


def lines(*messages: dict[str, Any]) -> str:
    return "\n".join(json.dumps(message, ensure_ascii=False) for message in messages) + "\n"


CLAUDE_TRANSCRIPT = lines(
    {"type": "summary", "summary": "Parser work", "leafUuid": "x"},
    {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "Use LL(1) for the parser."}},
    {"type": "user", "uuid": "u2", "isMeta": True, "message": {"role": "user", "content": "Caveat: local commands"}},
    {
        "type": "assistant",
        "uuid": "a1",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "The parser is LL(1) now."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest"}},
            ],
        },
    },
    {"type": "user", "uuid": "u3", "message": {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]}},
)
CODEX_TRANSCRIPT = lines(
    {"timestamp": "2026-05-01T10:00:00Z", "type": "session_meta", "payload": {"id": "019a", "cwd": "/home/u/parser"}},
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context>…</environment_context>"}],
        },
    },
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Use LL(1) for the parser."}],
        },
    },
    {"type": "response_item", "payload": {"type": "reasoning", "summary": []}},
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "The parser is LL(1) now."}],
        },
    },
)
TOOLS = pytest.mark.parametrize(
    ("common", "transcript"),
    [(CLAUDE_COMMON, CLAUDE_TRANSCRIPT), (CODEX_COMMON, CODEX_TRANSCRIPT)],
    ids=["claude", "codex"],
)


@pytest.fixture
def served(cli: Cli, tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path / "served") as served:
        served.service.local_token = "a word that only this start of the server knows"
        note(cli.home, served.url)
        yield served


def run(cli: Cli, event: str, sent: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    data = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert hook_run.main([event, "--home", str(cli.home), "--agent", "ada"]) == 0
    return capsys.readouterr().out


@TOOLS
def test_a_session_of_a_coding_agent_is_kept_once_reminded_of_and_ended(
    cli: Cli,
    served: Served,
    tmp_path: Path,
    *,
    common: dict[str, Any],
    transcript: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "transcript.jsonl"
    file.write_text(transcript, encoding="utf-8")
    common = {**common, "transcript_path": str(file)}

    def hook(event: str, name: str, **more: Any) -> str:
        return run(cli, event, {**common, "hook_event_name": name, **more}, monkeypatch, capsys)

    with remanent.connect(served.url) as memory:
        ada = memory.agent("ada")
        hook("session-start", "SessionStart", source="startup")
        [begun] = ada.sessions()
        assert (begun.session, begun.is_open) == (common["session_id"], True)
        assert hook("prompt-submit", "UserPromptSubmit", prompt="Use LL(1) for the parser.") == ""
        last = "The parser is LL(1) now."
        hook("stop", "Stop", stop_hook_active=False, last_assistant_message=last)
        hook("pre-compact", "PreCompact", trigger="auto", custom_instructions="")
        said = [(entry.role, entry.text) for entry in ada.entries()]
        assert said == [("user", "Use LL(1) for the parser."), ("assistant", last)]
        ada.settle()
        question = "Which kind of parser is it, LL(1)?"
        assert hook("prompt-submit", "UserPromptSubmit", prompt=question) == "", "this session said it itself"
        ada.remember("The old parser was LL(1), too.", session="last year")
        ada.settle()
        reminded = json.loads(hook("prompt-submit", "UserPromptSubmit", prompt=question))
        assert last not in reminded["hookSpecificOutput"]["additionalContext"]
        assert reminded["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
        assert "LL(1)" in reminded["hookSpecificOutput"]["additionalContext"]
        ada.update_session(common["session_id"], current_goal="port the <parser>")
        told = json.loads(hook("session-start", "SessionStart", source="compact"))["hookSpecificOutput"]
        assert "current_goal: port the ‹parser>" in told["additionalContext"]
        hook("session-end", "SessionEnd", reason="exit")
        [ended] = ada.sessions(is_open=False)
        assert (ended.is_open, ended.reason) == (False, "hook")


@pytest.mark.parametrize("event", [*hook_run.EVENTS, "nonsense", ""])
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"no json",
        b"[1]",
        {"session_id": 7},
        {"session_id": "../../etc", "prompt": 3, "transcript_path": "/nowhere"},
    ],
    ids=["nothing", "no json", "a list", "a number", "strange"],
)
def test_whatever_is_sent_a_hook_ends_well_and_says_nothing(
    cli: Cli, event: str, sent: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    note(cli.home, "http://127.0.0.1:1")  # nobody listens there
    monkeypatch.setattr(hook_run._HookMemory, "_opened_agent", _fails)
    assert run(cli, event, sent, monkeypatch, capsys) == ""


def _fails(*_: object, **__: object) -> Any:
    raise MemoryError


def test_a_prompt_is_kept_although_recalling_fails(
    cli: Cli, served: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = hook_run._HookMemory.do

    def do(memory: hook_run._HookMemory, method: str, **given: Any) -> Any:
        return _fails() if method == "recall" else real(memory, method, **given)

    monkeypatch.setattr(hook_run._HookMemory, "do", do)
    assert run(cli, "prompt-submit", {"session": "s1", "prompt": "The boat is red."}, monkeypatch, capsys) == ""
    with remanent.connect(served.url) as memory:
        assert [entry.text for entry in memory.agent("ada").entries()] == ["The boat is red."]


def test_without_a_server_the_hook_does_its_work_itself(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = {"session": "s1", "messages": [{"role": "user", "content": "The boat is red."}]}
    assert run(cli, "stop", sent, monkeypatch, capsys) == ""
    assert [entry["text"] for entry in cli("entries", "--json").json] == ["The boat is red."]


def test_a_hook_loads_nothing_heavy_and_exits_with_zero(cli: Cli, tmp_path: Path) -> None:
    program = (
        "import sys\nsys.argv = ['remanent', 'hook', 'run', 'stop']\n"
        "from remanent.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    code = end.code\n"
        "heavy = {'typer', 'rich', 'pydantic', 'numpy', 'apsw', 'httpx'} & set(sys.modules)\nprint(code, sorted(heavy))"
    )
    environment = {**os.environ, "REMANENT_HOME": str(tmp_path), "PYTHONPATH": str(Path(remanent.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", program], input=b"{}", capture_output=True, env=environment, check=True, timeout=60
    )
    assert done.stdout.decode().strip() == "0 []"


def test_every_moment_has_a_name_in_every_tool() -> None:
    assert set(hook_run.EVENTS) == {"session-start", "prompt-submit", "pre-compact", "stop", "session-end"}
    assert all(set(agent.events) <= set(hook_run.EVENTS) for agent in AGENTS.values())


def test_what_a_transcript_tells_is_kept_with_the_time_when_it_was_said(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "transcript.jsonl"
    lines = [
        {"message": {"role": "user", "content": "We never ship on Fridays."}, "timestamp": "2025-03-01T09:30:00.000Z"},
        {"message": {"role": "user", "content": "We ship with make."}, "timestamp": "last week"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    run(cli, "stop", {"session_id": "s1", "transcript_path": str(file)}, monkeypatch, capsys)
    with remanent.open(cli.home) as memory:
        first, second = memory.agent("ada").entries()
    assert first.occurred_at == datetime(2025, 3, 1, 9, 30, tzinfo=UTC)
    assert second.occurred_at == second.recorded_at


@pytest.mark.parametrize("is_served", [True, False], ids=["served", "local"])
def test_a_session_is_told_of_the_last_talk_and_nothing_twice(
    cli: Cli,
    request: pytest.FixtureRequest,
    *,
    is_served: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if is_served:
        request.getfixturevalue("served")

    def hook(event: str, session: str, **more: Any) -> str:
        return run(cli, event, {"session": session, "cwd": "/home/u/shop", **more}, monkeypatch, capsys)

    said = "We use pnpm, not npm, in this repo."
    hook("session-start", "monday")
    hook("stop", "monday", messages=[{"role": "user", "content": said}])
    assert said in hook("session-start", "tuesday"), "it was not ended, and is not summed up yet"
    question = "Do we use pnpm or npm in this repo?"
    assert hook("prompt-submit", "tuesday", prompt=question) == "", "it was told at the start"
    assert said in hook("prompt-submit", "wednesday", prompt=question)
    assert said not in hook("prompt-submit", "wednesday", prompt=f"{question} Tell me.")
    hook("pre-compact", "wednesday")
    assert said in hook("prompt-submit", "wednesday", prompt=question), "the model no longer has it"
    assert hook("session-start", "tuesday", source="resume") == "", "the conversation holds what was told"
    assert said not in hook("prompt-submit", "tuesday", prompt=question)

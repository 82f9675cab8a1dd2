"""`serve`, and the keys and the audit log that belong to it."""

import json
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from remanent.cli.screen import Terminal
from remanent.cli.serving import _announce
from remanent.settings import load_settings
from tests.cli.conftest import Cli
from tests.cli.test_app import program, run_program


@contextmanager
def server(*arguments: str) -> Iterator[tuple[dict[str, Any], "subprocess.Popen[str]"]]:
    """Run the real program and give what it says when it takes requests."""
    command = program("serve", "--port", "0", "--json", *arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        try:
            assert running.stdout is not None
            yield json.loads(running.stdout.readline()), running
        finally:
            running.kill()


def ask(url: str, path: str, body: dict[str, Any] | None = None, **headers: str) -> Any:
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(url + path, data, {"content-type": "application/json", **headers})
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)


def test_a_sample_is_served_and_a_signal_ends_it_with_everything_on_disk(cli: Cli) -> None:
    agent = "/v1/orgs/default/workspaces/sample/agents/ada"
    with server("--sample") as (told, running):
        receipt = ask(told["url"], f"{agent}/entries", {"messages": ["The heron fishes at dawn."]})
        found = ask(told["url"], f"{agent}/recall", {"query": "heron", "limit": 1})
        assert found["items"][0]["sources"][0]["entry_id"] == receipt["entry_ids"][0]
        running.send_signal(signal.SIGTERM)
        assert running.wait(timeout=60) == 0
    shown = cli("entries", "--workspace", "sample", "--limit", "1000", "--json").json
    assert receipt["entry_ids"][0] in {entry["id"] for entry in shown}
    # The signal came while the sample was being filled; what was told of it by then was told once.
    filled = [entry["text"] for entry in shown if entry["text"] and not entry["scope"].get("task")]
    assert len(set(filled)) == len(filled)


def test_other_addresses_are_refused_without_a_key(cli: Cli) -> None:
    said = run_program("serve", "--host", "0.0.0.0", "--port", "0")
    assert said.returncode == 78
    assert "remanent keys create" in said.stderr


def test_a_port_in_use_is_a_matter_of_configuration(cli: Cli) -> None:
    with server() as (told, _):
        port = told["url"].rpartition(":")[2]
        assert run_program("serve", "--port", port).returncode == 78


def test_keys_are_made_listed_rotated_and_revoked(cli: Cli) -> None:
    made = cli("keys", "create", "my agent", "--permission", "read", "--within-workspace", "lab")
    assert made.code == 0
    token = made.out.strip()
    assert token.startswith("rmn_")
    (key,) = cli("keys", "list", "--json").json
    assert (key["name"], key["permissions"]) == ("my agent", ["read"])
    assert key["reach"] == {"org": "default", "workspace": "lab", "agent": None}
    rotated = cli("keys", "rotate", key["key_id"], "--json").json
    assert rotated["token"] != token
    assert cli("keys", "revoke", key["key_id"]).code == 0
    assert cli("keys", "revoke", key["key_id"]).code == 3
    assert key["key_id"] in cli("keys", "list").out
    assert token.rpartition("_")[2] not in cli("keys", "list", "--json").out


def test_a_key_of_the_command_line_opens_the_server(cli: Cli) -> None:
    token = cli("keys", "create", "k").out.strip()
    with server() as (told, _):
        assert told["keys"] is True
        path = "/v1/orgs/default/workspaces/default/agents/ada/entries"
        assert ask(told["url"], path, authorization=f"Bearer {token}")["items"] == []
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(told["url"], path)


@pytest.mark.spec("SAFE-01")
def test_the_first_key_says_what_changes_from_now_on_in_both_languages(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = cli("keys", "create", "k")
    assert "From now on, a server on this memory refuses every request without a key" in " ".join(first.err.split())
    assert "From now on" not in cli("keys", "create", "l").err
    monkeypatch.setenv("REMANENT_HOME", str(cli.home.with_name("other")))
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    assert "不再接受任何无密钥的请求" in "".join(cli("keys", "create", "k").err.split())


@pytest.mark.spec("SAFE-01")
def test_the_command_line_makes_a_key_where_none_is_left_or_their_file_is_damaged(cli: Cli) -> None:
    file = cli.home / ".access" / "keys.json"
    cli("keys", "create", "k")
    file.write_text("{", encoding="utf-8")
    listed = cli("keys", "list")
    assert listed.code == 5
    assert "remanent keys create" in listed.err
    made = cli("keys", "create", "again")
    assert made.code == 0, made.err
    assert "set aside" in made.err
    file.unlink()
    assert cli("keys", "create", "once more", "--permission", "admin").code == 0
    assert [key["name"] for key in cli("keys", "list", "--json").json] == ["once more"]


def test_the_audit_log_tells_what_was_done_and_that_it_is_intact(cli: Cli) -> None:
    cli.told("The heron fishes.")
    listed = cli("audit", "list", "--json").json
    assert [line["deed"]["what"] for line in listed] == ["remember"]
    assert cli("audit", "verify", "--json").json["intact"] is True
    (file,) = (cli.home / ".access" / "audit").glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"remember", b"recalled"))
    assert cli("audit", "verify").code == 5


@pytest.mark.parametrize("command", ["records", "tombstones", "jobs", "conflicts list", "agents", "queue", "check"])
def test_what_has_no_words_of_its_own_is_shown_plainly(cli: Cli, command: str) -> None:
    cli.told("The heron fishes.")
    said = cli(*command.split())
    assert said.code == 0, said.err
    assert said.out or said.err
    assert cli(*command.split(), "--json").code == 0


def test_a_file_is_attached_and_given_back(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(b"plain bytes")
    reference = cli("attach", file, "--name", "x.bin", "--json").json
    assert cli("attachment", reference["digest"]).out == "plain bytes"


def test_the_entry_for_a_client_is_shown_and_names_this_memory(cli: Cli) -> None:
    said = cli("mcp", "install", "--for", "vscode", "--agent", "bob")
    assert said.code == 0
    entry = json.loads(said.out)["servers"]["remanent"]
    assert entry["type"] == "stdio"
    assert entry["args"][:3] == ["-m", "remanent", "mcp"]
    assert entry["args"][entry["args"].index("--home") + 1] == str(cli.home)
    assert entry["args"][-2:] == ["--agent", "bob"]
    assert "Visual Studio Code" in said.err
    assert not (cli.home.parent / "user").exists()


def test_the_entry_is_written_once_and_the_old_file_kept(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"other": {"command": "x"}}}')
    command = ("mcp", "install", "--for", "cursor", "--write", "--file", file, "--json")
    first, second = cli(*command).json, cli(*command).json
    assert (first["changed"], second["changed"]) == (True, False)
    assert json.loads(Path(first["backup"]).read_text()) == {"mcpServers": {"other": {"command": "x"}}}
    assert set(json.loads(file.read_text())["mcpServers"]) == {"other", "remanent"}


def test_a_client_nobody_knows_is_refused_with_those_that_are_known(cli: Cli) -> None:
    said = cli("mcp", "install", "--for", "emacs")
    assert said.code != 0
    assert "claude-desktop" in said.err


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_told_is_in_the_users_language(cli: Cli, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    monkeypatch.setenv("REMANENT_LANGUAGE", language)
    said = cli("mcp", "install", "--for", "windsurf")
    assert ("重新启动" in said.err) is (language == "zh")


@pytest.mark.parametrize("sample", [True, False])
def test_what_to_try_first_has_an_answer_and_can_be_copied_from_a_narrow_screen(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, sample: bool
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    screen = Terminal(as_json=False, language="en")
    assert screen.out.is_terminal
    _announce(screen, load_settings(home=cli.home), "http://127.0.0.1:8765", is_open=True, sample=sample)
    said = capsys.readouterr().out
    agent = "workspaces/sample/agents/ada" if sample else "workspaces/default/agents/me"
    place = f"  curl -s http://127.0.0.1:8765/v1/orgs/default/{agent}"
    steps = ["recall"] if sample else ["entries", "recall"]
    assert [line for line in said.splitlines() if "curl" in line] == [f"{place}/{step} \\" for step in steps]
    assert ("My sister Clara lives in" in said) is not sample


@pytest.mark.parametrize("address", [None, "http://127.0.0.1:9/v1"])
def test_serving_tells_which_model_is_behind_the_proxy_or_how_to_set_one(
    cli: Cli, capsys: pytest.CaptureFixture[str], address: str | None
) -> None:
    settings = load_settings(home=cli.home, proxy={"base_url": address} if address else {})
    _announce(Terminal(as_json=False, language="en"), settings, "http://127.0.0.1:8765", is_open=True, sample=False)
    told = capsys.readouterr().out
    assert ("set proxy.base_url" in told) == (address is None)
    assert address is None or address in told

"""Commands go through a running server of the same home, where there is one and the caller may."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import remanent
from remanent.cli.options import CommonOptions
from remanent.cli.running_server import NOTE, Server, find_server
from remanent.cli.serving import _ServerNote
from remanent.errors import NotAuthenticated
from remanent.operations import LOCAL
from tests.cli.conftest import Cli
from tests.client.serving import serving
from tests.server.rest.conftest import Served

WORD = "a word that only this start of the server knows"


def note(home: Path, url: str, *, mode: int = 0o600) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / NOTE).write_text(json.dumps({"url": url, "token": WORD}), encoding="utf-8")
    (home / NOTE).chmod(mode)


@pytest.fixture
def served(cli: Cli, tmp_path: Path) -> Iterator[Served]:
    """A server whose memory lies elsewhere, so that it shows who did the work, noted in the user's home."""
    with serving(tmp_path / "served") as served:
        served.service.local_token = WORD
        note(cli.home, served.url)
        yield served


@pytest.mark.spec("USE-07")
def test_remembering_and_recalling_go_through_the_server(cli: Cli, served: Served) -> None:
    said = cli("remember", "I moved to Lisbon in May.", "--session", "monday")
    assert (said.code, "Remembered 1" in said.err) == (0, True)
    found = cli("recall", "Lisbon")
    assert found.out.startswith("1. I moved to Lisbon in May.")
    assert "session monday" in found.out
    assert cli("recall", "Lisbon", "--json").json["items"][0]["text"] == "I moved to Lisbon in May."
    nothing = cli("recall", "quantum chromodynamics")
    assert (nothing.code, "Nothing found" in nothing.err) == (1, True)
    assert cli("entries", "--json").json == [], "what other commands see is the home itself"


def test_a_server_with_keys_still_serves_its_own_machines_user(cli: Cli, served: Served) -> None:
    with remanent.connect(served.url) as memory:
        memory.agent("ada").remember("Something.")
    service = served.service
    service.keys.create("somebody", reach=LOCAL.reach, permissions=tuple(LOCAL.permissions))
    assert cli("recall", "Something").code == 0
    assert asyncio.run(service.authenticate(WORD, is_local=True)) == LOCAL
    with pytest.raises(NotAuthenticated):
        asyncio.run(service.authenticate(WORD, is_local=False))
    with pytest.raises(NotAuthenticated):
        asyncio.run(service.authenticate("another word", is_local=True))


def test_errors_of_the_server_are_the_errors_of_the_command(cli: Cli, served: Served) -> None:
    assert cli("remember", " ").code == 65
    assert "text is empty" in cli("remember", " ").err


def test_where_nobody_answers_the_command_does_it_itself(cli: Cli) -> None:
    note(cli.home, "http://127.0.0.1:9")
    assert cli("remember", "I moved to Lisbon in May.").code == 0
    assert cli("recall", "Lisbon", "--json").json["items"]


RECEIPT = {"entry_ids": ["e1"], "recorded_at": "2026-05-31T18:30:00Z", "repeated": 0, "last_seq": 1}


@contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """A server that reads each request and answers with bytes, or hangs up where there are none."""

    def answer() -> None:
        for content in answers:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(30)
                connection.recv(65536)
                connection.sendall(content)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(timeout=30)
        assert not thread.is_alive(), "the command sent fewer requests"


def http(status: int, body: str) -> bytes:
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(body.encode())}\r\n\r\n{body}".encode()


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
        http(200, "no JSON"),
        http(502, "<html>"),
        http(500, "[]"),
    ],
    ids=["hangs up", "half an answer", "another answer", "a gateway's answer", "a list"],
)
def test_what_a_server_may_have_stored_is_not_stored_a_second_time(cli: Cli, answer: bytes) -> None:
    with answering(answer) as url:
        note(cli.home, url)
        said = cli("remember", "I moved to Lisbon in May.")
    assert said.code == 69
    assert "may have been stored" in said.err
    assert "remanent entries" in said.err
    assert cli("entries", "--json").json == []


def test_a_lost_answer_is_told_in_chinese_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    with answering(b"") as url:
        note(cli.home, url)
        assert "可能已经保存" in cli("remember", "我五月搬到了里斯本。").err


@pytest.mark.spec("SAFE-06")
def test_what_was_stored_is_not_stored_again_when_the_server_goes_while_it_indexes(cli: Cli) -> None:
    with answering(http(200, json.dumps(RECEIPT)), b"") as url:
        note(cli.home, url)
        assert cli("remember", "I moved to Lisbon in May.", "--wait").code == 0
    assert cli("entries", "--json").json == []


@pytest.mark.parametrize("answer", [http(429, "{}"), http(503, "{}"), http(421, '{"type": "about:blank"}')])
def test_what_a_server_refused_to_do_the_command_does_itself(cli: Cli, answer: bytes) -> None:
    with answering(answer) as url:
        note(cli.home, url)
        assert cli("remember", "I moved to Lisbon in May.").code == 0
    assert len(cli("entries", "--json").json) == 1


def test_a_question_whose_answer_got_lost_is_asked_here(cli: Cli) -> None:
    with answering(b"") as url:
        note(cli.home, url)
        assert cli("recall", "Lisbon").code == 1


@pytest.mark.parametrize(
    ("url", "mode"),
    [("http://127.0.0.1:9", 0o644), ("http://192.0.2.1:80", 0o600), ("nonsense", 0o600)],
    ids=["readable by others", "another machine", "nonsense"],
)
def test_a_note_that_others_may_have_written_is_not_followed(cli: Cli, url: str, mode: int) -> None:
    note(cli.home, url, mode=mode)
    assert find_server(CommonOptions()) is None


def test_a_configuration_file_and_the_users_own_wish_are_respected(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    note(cli.home, "http://127.0.0.1:9")
    assert find_server(CommonOptions()) == Server("127.0.0.1", 9, WORD)
    monkeypatch.setenv("REMANENT_DIRECT", "1")
    assert find_server(CommonOptions()) is None
    monkeypatch.delenv("REMANENT_DIRECT")
    Path("remanent.yaml").write_text("language: zh\n", encoding="utf-8")
    assert find_server(CommonOptions()) is None


LOADED = """
import sys
from remanent.cli.app import app
app(sys.argv[1:], standalone_mode=False)
heavy = {"numpy", "onnxruntime", "remanent.memory", "remanent.operations", "remanent.settings"}
print(sorted(heavy & sys.modules.keys()))
"""


def test_a_command_through_a_server_loads_neither_a_store_nor_a_model(cli: Cli, served: Served) -> None:
    for words in (["remember", "I moved to Lisbon in May."], ["recall", "Lisbon"]):
        done = subprocess.run(
            [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True, timeout=120
        )
        assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_a_server_takes_away_its_own_note_and_no_others(tmp_path: Path) -> None:
    first, second = _ServerNote(tmp_path), _ServerNote(tmp_path)
    words = [first.write("http://127.0.0.1:1"), second.write("http://127.0.0.1:2")]
    assert len(set(words)) == 2
    assert (tmp_path / NOTE).stat().st_mode & 0o777 == 0o600
    first.remove()
    assert json.loads((tmp_path / NOTE).read_text())["url"] == "http://127.0.0.1:2"
    second.remove()
    assert not (tmp_path / NOTE).exists()

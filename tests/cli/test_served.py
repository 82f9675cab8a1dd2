"""Commands go through a running server of the same home, where there is one and the caller may."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import remanent
from remanent.cli.options import CommonOptions
from remanent.cli.served import NOTE, Server, find_server
from remanent.cli.serving import _ServerNote
from remanent.errors import NotAuthenticated
from remanent.operations import LOCAL
from tests.cli.conftest import Cli
from tests.client.test_remote import serving
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
    assert service.authenticate(WORD, is_local=True) == LOCAL
    with pytest.raises(NotAuthenticated):
        service.authenticate(WORD, is_local=False)
    with pytest.raises(NotAuthenticated):
        service.authenticate("another word", is_local=True)


def test_errors_of_the_server_are_the_errors_of_the_command(cli: Cli, served: Served) -> None:
    assert cli("remember", " ").code == 65
    assert "text is empty" in cli("remember", " ").err


def test_where_nobody_answers_the_command_does_it_itself(cli: Cli) -> None:
    note(cli.home, "http://127.0.0.1:9")
    assert cli("remember", "I moved to Lisbon in May.").code == 0
    assert cli("recall", "Lisbon", "--json").json["items"]


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

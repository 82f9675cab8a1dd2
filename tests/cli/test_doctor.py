from pathlib import Path
from typing import Any, NamedTuple

import pytest

from remanent._sync import Agent
from remanent.cli import doctor
from remanent.errors import IntegrityError
from remanent.model import Job, Scope, system_clock
from remanent.stores import QueueState
from tests.cli.conftest import Cli


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def by_check(answer: Any) -> dict[str, Any]:
    return {finding["check"]: finding for finding in answer["findings"]}


def damage(database: Path) -> None:
    content = bytearray(database.read_bytes())
    for position in range(len(content) // 3, len(content) // 3 + 9000):
        content[position] ^= 0x5A
    database.write_bytes(bytes(content))


def test_a_sound_installation_passes_every_check(cli: Cli) -> None:
    cli.told("heron", "train")
    said = cli("doctor")
    assert said.code == 0, said.out + said.err
    assert "✗" not in said.out
    assert "SQLite" in said.out
    assert "WAL-reset" in said.out
    assert "integrity of default/default/ada" in said.out
    assert said.err == "All is well.\n"


def test_the_findings_are_given_as_json(cli: Cli) -> None:
    cli.told("heron", "train")
    said = cli("doctor", "--json")
    answer = said.json
    assert (said.code, answer["ok"], answer["repaired"]) == (0, True, {})
    found = by_check(answer)
    expected = "remanent python settings sqlite checksums home disk embedder engine audit integrity queue"
    assert list(found) == expected.split()
    assert found["integrity"]["agent"] == "default/default/ada"
    assert "2 entries, 2 records" in found["integrity"]["detail"]
    assert "embedder" in found["settings"]["detail"]
    assert "the environment" in found["settings"]["detail"]
    assert found["embedder"]["ok"] is None


def test_without_an_agent_the_agents_of_the_workspace_are_examined(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REMANENT_AGENT")
    assert by_check(cli("doctor", "--json").json)["agents"]["ok"] is None
    assert not cli.home.exists()
    for agent, workspace in (("ada", "default"), ("bob", "default"), ("eve", "lab")):
        cli("remember", "x", "--agent", agent, "--workspace", workspace)
    near = {finding["agent"] for finding in cli("doctor", "--json").json["findings"]}
    assert near == {"", "default/default/ada", "default/default/bob"}
    every = {finding["agent"] for finding in cli("doctor", "--json", "--all-agents").json["findings"]}
    assert every == near | {"default/lab/eve"}


@pytest.mark.spec("SAFE-03")
def test_an_audit_log_that_was_cut_is_told_with_whose_it_is(cli: Cli) -> None:
    cli.told("heron", "train")
    assert "1 organisations" in by_check(cli("doctor", "--json").json)["audit"]["detail"]
    (cli.home / ".access" / "audit" / "default.jsonl").write_bytes(b"")
    said = cli("doctor", "--json")
    found = by_check(said.json)["audit"]
    assert (said.code != 0, found["ok"]) == (True, False)
    assert found["detail"].startswith("default: lines 1 to ")


def test_an_agent_that_does_not_exist_is_not_found(cli: Cli) -> None:
    assert cli("doctor", "--agent", "nobody").code == 3


def test_damage_is_found_and_the_file_is_left_alone(cli: Cli) -> None:
    cli.told(*(f"heron {number} {'x' * 500}" for number in range(100)))
    damage(cli.database)
    before = cli.database.read_bytes()
    said = cli("doctor")
    assert said.code == 5
    assert "✗" in said.out
    assert "doctor --repair" in said.err
    assert cli.database.read_bytes() == before


def test_repairing_saves_what_is_readable_beside_the_damaged_file_and_says_how_to_use_it(cli: Cli) -> None:
    cli.told(*(f"heron {number} {'x' * 500}" for number in range(100)))
    damage(cli.database)
    before = cli.database.read_bytes()
    said = cli("doctor", "--repair", "--json")
    assert said.code == 5
    copy = Path(said.json["repaired"]["default/default/ada"])
    assert copy.parent == cli.database.parent
    assert cli.database.read_bytes() == before
    assert "rename memory.repaired-1.db to memory.db" in said.err
    for file in cli.database.parent.glob("memory.db*"):
        file.unlink()
    copy.rename(cli.database)
    assert cli("doctor").code == 0
    assert 0 < len(cli("entries", "--json").json) <= 100


def test_what_cannot_be_repaired_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told(*(f"heron {number} {'x' * 500}" for number in range(100)))
    damage(cli.database)

    def fails(_: Agent) -> Path:
        raise IntegrityError("not one page")

    monkeypatch.setattr(Agent, "repair", fails)
    said = cli("doctor", "--repair")
    assert said.code == 5
    assert "not one page" in said.err


def test_an_engine_with_the_wal_reset_bug_fails_the_check(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("x")
    monkeypatch.setattr(doctor, "engine_version", lambda: (3, 51, 2))
    said = cli("doctor", "--json")
    assert said.code == 1
    finding = by_check(said.json)["sqlite"]
    assert finding["ok"] is False
    assert "3.51.2" in finding["detail"]
    assert "3.51.3" in finding["detail"]


def test_a_disk_that_is_nearly_full_fails_the_check(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("x")
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(10**12, 10**12 - 10**6, 10**6))
    said = cli("doctor")
    assert said.code == 1
    assert "only 1 MB of 1 TB" in said.out


def test_dead_letters_fail_the_check_and_waiting_work_does_not(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("x")
    now = system_clock()
    job = Job(
        id="j", scope=Scope(org="o", workspace="w", agent="a"), kind="k", enqueued_at=now, error="gave up: no model"
    )
    monkeypatch.setattr(Agent, "queue", lambda _: QueueState(pending=2, oldest=now))
    assert cli("doctor").code == 0
    monkeypatch.setattr(Agent, "queue", lambda _: QueueState(dead=3))
    monkeypatch.setattr(Agent, "dead_letters", lambda _: [job])
    said = cli("doctor", "--json")
    assert said.code == 1
    assert "3 dead letters; the last: gave up: no model" in by_check(said.json)["queue"]["detail"]


def test_an_embedder_that_cannot_be_loaded_fails_the_check(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str, *, embedding: object) -> None:
        raise IntegrityError("the model file is damaged")

    cli.told("x")
    monkeypatch.setattr(doctor, "open_embedder", fails)
    said = cli("doctor", "--json")
    assert said.code == 1
    assert by_check(said.json)["embedder"]["detail"] == "the model file is damaged"


def test_the_bundled_embedder_is_loaded_and_timed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("x")
    monkeypatch.setenv("REMANENT_EMBEDDER", "multilingual")
    finding = by_check(cli("doctor", "--json").json)["embedder"]
    assert finding["ok"] is True
    assert "512 dimensions" in finding["detail"]
    assert "sentences/s" in finding["detail"]

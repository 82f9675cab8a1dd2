from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest
from pydantic import SecretStr

from remanent._sync import AgentAdmin
from remanent._sync import open as open_memory
from remanent.cli import maintenance
from remanent.cli.exits import Exit
from remanent.cli.screen import Terminal
from remanent.errors import IntegrityError, StoreBusy
from remanent.model import Job, Scope, system_clock
from remanent.settings import Settings
from remanent.stores import Erasure, QueueState
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.notes import PendingErasures
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import MIGRATIONS, connect
from tests.chaos.support.power import NEXT_STEP
from tests.cli.conftest import Cli

DEFAULTS = SqliteStore.__init__.__kwdefaults__ or {}


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


@pytest.mark.parametrize(("taken", "is_sound"), [(0, True), (1, False), (2, True)])
def test_of_a_database_the_tables_are_looked_at_and_not_the_engine_of_files(
    monkeypatch: pytest.MonkeyPatch, *, taken: int, is_sound: bool
) -> None:
    async def steps(settings: Settings, *, dry_run: bool) -> tuple[int, int]:
        assert dry_run, "nothing is changed by looking"
        return taken, 2

    monkeypatch.setattr(maintenance, "migrate_store", steps)
    screen = Terminal(as_json=False, language="en")
    [finding] = maintenance._store(screen, Settings(store=SecretStr("postgresql://db.internal/remanent")))
    assert (finding.check, finding.ok) == ("tables", is_sound)
    assert ("remanent migrate" in finding.detail) is not is_sound


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


@pytest.mark.spec("SAFE-06")
def test_every_agent_of_the_home_is_examined_whoever_the_environment_names(cli: Cli) -> None:
    assert by_check(cli("doctor", "--json").json)["agents"]["ok"] is None
    assert not cli.home.exists()
    for agent, workspace in (("ada", "default"), ("bob", "default"), ("eve", "lab")):
        cli("remember", "x", "--agent", agent, "--workspace", workspace)

    def examined(*options: str) -> set[str]:
        return {finding["agent"] for finding in cli("doctor", "--json", *options).json["findings"]} - {""}

    assert examined() == {"default/default/ada", "default/default/bob", "default/lab/eve"}
    assert examined("--workspace", "default") == {"default/default/ada", "default/default/bob"}
    assert examined("--agent", "bob") == {"default/default/bob"}
    assert examined("--org", "elsewhere") == set()


@pytest.mark.spec("SAFE-06")
def test_damage_of_any_agent_of_the_home_fails_the_check(cli: Cli) -> None:
    cli.told("x")
    cli("remember", *(f"heron {number} {'x' * 500}" for number in range(100)), "--agent", "eve", "--workspace", "lab")
    damage(cli.home / "default" / "lab" / "eve" / "memory.db")
    said = cli("doctor", "--json")
    assert said.code == 5
    assert [finding["agent"] for finding in said.json["findings"] if finding["ok"] is False] == ["default/lab/eve"]


@pytest.mark.spec("SAFE-03")
def test_an_audit_log_that_was_cut_is_told_with_whose_it_is(cli: Cli) -> None:
    cli.told("heron", "train")
    assert "1 organisations" in by_check(cli("doctor", "--json").json)["audit"]["detail"]
    (cli.home / ".access" / "audit" / "default.jsonl").write_bytes(b"")
    said = cli("doctor", "--json")
    found = by_check(said.json)["audit"]
    assert (said.code != 0, found["ok"]) == (True, False)
    assert found["detail"].startswith("default: lines 1 to ")


@pytest.mark.spec("SAFE-03")
def test_an_audit_log_that_cannot_be_read_is_told_and_not_called_damaged(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.told("heron")
    log = cli.home / ".access" / "audit" / "default.jsonl"
    log.rename(cli.home / "away")
    log.mkdir()
    said = cli("doctor", "--json")
    found = by_check(said.json)["audit"]
    assert (said.code, found["ok"]) == (1, False)
    assert found["detail"].startswith("default: the audit log cannot be read: Is a directory; it may be intact")
    assert "set aside" not in found["detail"]
    assert cli("audit", "verify").code == 69
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    assert "无法读取审计日志" in by_check(cli("doctor", "--json").json)["audit"]["detail"]


@pytest.mark.spec("SAFE-03")
def test_an_audit_log_that_cannot_be_written_is_told(cli: Cli) -> None:
    cli.told("heron")
    head = cli.home / ".secrets" / "audit" / "elsewhere.head"
    (cli.home / ".access" / "audit").rename(cli.home / "away")
    (cli.home / ".access" / "audit").write_text("in the way")
    details = [one["detail"] for one in cli("doctor", "--json").json["findings"] if one["check"] == "audit"]
    assert any("the audit log cannot be written: Not a directory" in detail for detail in details), details
    assert not head.exists()


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

    def fails(_: AgentAdmin) -> Path:
        raise IntegrityError("not one page")

    monkeypatch.setattr(AgentAdmin, "repair", fails)
    said = cli("doctor", "--repair")
    assert said.code == 5
    assert "not one page" in said.err


def test_an_engine_with_the_wal_reset_bug_fails_the_check(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("x")
    monkeypatch.setattr(maintenance, "engine_version", lambda: (3, 51, 2))
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
    monkeypatch.setattr(AgentAdmin, "queue", lambda _: QueueState(pending=2, oldest=now))
    assert cli("doctor").code == 0
    waits = job.replace(not_before=now, error="segmentation waits for its model: down")
    monkeypatch.setattr(AgentAdmin, "jobs", lambda *_, **__: [waits])
    said = cli("doctor", "--json")
    assert said.code == 0
    assert "segmentation waits for its model: down" in by_check(said.json)["queue"]["detail"]
    monkeypatch.setattr(AgentAdmin, "queue", lambda _: QueueState(dead=3))
    monkeypatch.setattr(AgentAdmin, "dead_letters", lambda _: [job])
    said = cli("doctor", "--json")
    assert said.code == 1
    assert "3 dead letters; the last: gave up: no model" in by_check(said.json)["queue"]["detail"]


def test_an_embedder_that_cannot_be_loaded_fails_the_check(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str, *, embedding: object) -> None:
        raise IntegrityError("the model file is damaged")

    cli.told("x")
    monkeypatch.setattr(maintenance, "open_embedder", fails)
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


# ── each kind of damage, by its name and with what to do ──


def failing(said: Any) -> list[tuple[str, str]]:
    return [(finding["check"], finding["agent"]) for finding in said.json["findings"] if finding["ok"] is False]


@pytest.mark.spec("SAFE-06")
def test_a_missing_database_is_named_with_the_ways_forward(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("heron")
    backup = cli.database.with_name("memory.db.backup-1")
    backup.write_bytes(cli.database.read_bytes())
    cli.database.unlink()
    said = cli("doctor", "--json")
    assert said.code == 5
    assert failing(said) == [("database", "default/default/ada")]
    detail = by_check(said.json)["database"]["detail"]
    assert str(cli.database.parent) in detail
    assert "memory.db.backup-1" in detail
    assert "import an export" in detail
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    assert "memory.db 缺失" in by_check(cli("doctor", "--agent", "ada", "--json").json)["database"]["detail"]
    assert "✗" in cli("doctor").out
    for command in (("remember", "egret"), ("recall", "heron"), ("entries",), ("erase", "--everything", "--yes")):
        told = cli(*command, "--json")
        assert (told.code, told.error["error"]) == (5, "DatabaseMissing"), command
    assert not cli.database.exists(), "nothing was made in its place"
    backup.rename(cli.database)
    assert cli("doctor").code == 0
    assert len(cli("entries", "--json").json) == 1


@pytest.mark.spec("SAFE-06")
def test_a_log_that_was_cut_is_named(cli: Cli) -> None:
    cli.told(*(f"heron {number} {'x' * 500}" for number in range(40)))
    folder = cli.database.parent
    with closing(apsw.Connection(str(cli.database))) as reader:  # who keeps the log from being moved at the end
        assert reader.execute("SELECT count(*) FROM entries").get == 40
        cli.told("the last word")
        kept = {path.name: path.read_bytes() for path in folder.glob("memory.db*")}
    for name, content in kept.items():
        (folder / name).write_bytes(content)
    log = folder / "memory.db-wal"
    log.write_bytes(log.read_bytes()[:-1])
    before = {path.name: path.read_bytes() for path in folder.glob("memory.db*")}
    said = cli("doctor", "--json")
    assert said.code == 5
    assert failing(said) == [("integrity", "default/default/ada")]
    assert "write-ahead log" in by_check(said.json)["integrity"]["detail"]
    assert {path.name: path.read_bytes() for path in folder.glob("memory.db*")} == before


@pytest.mark.spec("SAFE-06")
def test_an_erasure_that_was_cut_short_is_named_and_carried_to_its_end(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.told("heron", "egret")
    assert "erasure" not in by_check(cli("doctor", "--json").json)
    ada = Scope(org="default", workspace="default", agent="ada")
    # As a crash leaves it: written down, nothing done, and nobody who holds it.
    PendingErasures(cli.home).begin(ada, Erasure(everything=True), last_seq=1).release()
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    said = cli("doctor", "--json")
    assert said.code == 0
    found = by_check(said.json)["erasure"]
    assert (found["ok"], found["agent"]) == (None, "default/default/ada")
    assert "抹除曾被中断" in found["detail"]
    monkeypatch.setenv("REMANENT_LANGUAGE", "en")
    again = cli("doctor", "--json")
    assert "erasure" not in by_check(again.json)
    assert [entry["text"] for entry in cli("entries", "--json").json if entry["text"]] == ["egret"]


@pytest.mark.spec("SAFE-06")
def test_an_erasure_under_way_in_another_process_is_no_finding(cli: Cli) -> None:
    cli.told("heron")
    ada = Scope(org="default", workspace="default", agent="ada")
    begun = PendingErasures(cli.home).begin(ada, Erasure(everything=True), last_seq=1)
    assert "erasure" not in by_check(cli("doctor", "--json").json)
    begun.end()


@pytest.mark.spec("SAFE-06")
def test_a_database_of_a_newer_release_is_named_and_never_repaired(cli: Cli) -> None:
    cli.told("heron")
    with closing(connect(cli.database, busy_timeout=1)) as connection:
        connection.execute("PRAGMA user_version=99")
    said = cli("doctor", "--repair", "--json")
    assert said.code == 1
    assert failing(said) == [("schema", "default/default/ada")]
    assert "upgrade Remanent" in by_check(said.json)["schema"]["detail"]
    assert said.json["repaired"] == {}
    assert not list(cli.database.parent.glob("memory.repaired-*"))


@pytest.mark.spec("SAFE-06")
def test_a_database_of_an_older_release_is_brought_up_to_date_and_both_are_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.told("heron")
    newer = (*MIGRATIONS, NEXT_STEP)
    monkeypatch.setattr(SqliteStore.__init__, "__kwdefaults__", {**DEFAULTS, "migrations": newer})
    said = cli("doctor", "--json")
    assert said.code == 0
    found = by_check(said.json)
    assert found["schema"]["ok"] is None
    now = len(MIGRATIONS)
    assert f"was {now}, is now {now + 1}" in found["schema"]["detail"]
    assert str(cli.database.with_name(f"memory.db.backup-{now}")) in found["schema"]["detail"]
    assert f"memory.db.backup-{now}" in found["copies"]["detail"]
    again = by_check(cli("doctor", "--json").json)
    assert "schema" not in again
    assert f"memory.db.backup-{now}" in again["copies"]["detail"]


@pytest.mark.spec("SAFE-06")
@pytest.mark.spec("SAFE-06")
def test_a_damaged_vector_index_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    async def harmed(*_: Any) -> tuple[str, ...]:
        return ("vectors-3.idx: a row is not as it was written",)

    cli.told("heron")
    monkeypatch.setattr(LocalVectors, "check", harmed)
    said = cli("doctor", "--json")
    found = by_check(said.json)["vectors"]
    assert (said.code, found["ok"], found["agent"]) == (Exit.DAMAGED, False, "default/default/ada")
    assert "vectors-3.idx" in found["detail"]


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize(("set_back", "is_named"), [(timedelta(days=40), True), (timedelta(minutes=1), False)])
def test_a_clock_that_was_set_back_is_named_and_is_no_damage(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, set_back: timedelta, is_named: bool
) -> None:
    cli.told("heron")
    monkeypatch.setattr(maintenance, "system_clock", lambda: system_clock() - set_back)
    said = cli("doctor", "--json")
    assert said.code == 0
    found = by_check(said.json).get("clock")
    assert (found is not None) == is_named
    if found is not None:
        assert found["ok"] is None
        assert found["detail"].startswith("1 of the newest entries")


def test_a_damaged_attachment_is_named(cli: Cli) -> None:
    cli.told("heron")
    with open_memory(cli.home, embedder="none") as memory:
        kept = memory.agent("ada").attach(b"a picture of a heron")
    assert kept.digest is not None
    assert cli("doctor").code == 0
    (cli.database.parent / "blobs" / kept.digest[:2] / kept.digest).write_bytes(b"a picture of an egret")
    said = cli("doctor", "--json")
    assert said.code == 5
    assert failing(said) == [("attachments", "default/default/ada")]
    assert kept.digest in by_check(said.json)["attachments"]["detail"]


@pytest.mark.spec("SAFE-06")
def test_a_home_that_is_a_file_is_named_and_nothing_is_opened(cli: Cli) -> None:
    cli.home.write_text("not a folder")
    said = cli("doctor", "--json")
    assert said.code == 1
    assert failing(said) == [("home", "")]
    assert "is a file" in by_check(said.json)["home"]["detail"]
    told = cli("remember", "x", "--json")
    assert (told.code, told.error["error"]) == (78, "InvalidSettings")


def test_an_agent_that_another_process_holds_is_told_apart_from_a_damaged_one(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.told("heron")

    def held(_: AgentAdmin) -> None:
        raise StoreBusy("another process is using the database; nothing was written: try again")

    monkeypatch.setattr(AgentAdmin, "check", held)
    said = cli("doctor", "--json")
    assert (said.code, failing(said)) == (1, [("access", "default/default/ada")])

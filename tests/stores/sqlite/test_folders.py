"""Where an agent's files lie, and that no name leads anywhere else."""

import errno
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from remanent.errors import DatabaseMissing, InvalidScope, InvalidSettings, StorageFull
from remanent.model import Scope
from remanent.stores import EntryQuery, Erasure
from remanent.stores.conformance.base import Samples
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite import connection as opening
from remanent.stores.sqlite.folders import Layout


def scope_of(agent: str) -> Scope:
    return Scope(org="acme", workspace="lab", agent=agent)


async def remember(home: Path, scope: Scope, text: str) -> None:
    store = SqliteStore(home)
    try:
        async with store.transaction(scope) as tx:
            tx.append(Samples().make_entry(scope, text))
    finally:
        await store.close()


async def texts(home: Path, scope: Scope) -> list[str]:
    store = SqliteStore(home)
    try:
        return [entry.text for entry in await store.entries(scope, EntryQuery())]
    finally:
        await store.close()


@pytest.mark.spec("ASSOC-01")
async def test_every_agent_has_a_folder_of_its_own_with_a_note_of_whose_it_is(tmp_path: Path) -> None:
    for agent in ("ada", "智能体A", "user:42"):
        await remember(tmp_path, scope_of(agent), agent)
    folders = sorted(path.name for path in (tmp_path / "acme" / "lab").iterdir())
    assert folders == ["ada", "user%3A42", "智能体A"]
    meta = json.loads((tmp_path / "acme" / "lab" / "user%3A42" / "meta.json").read_text())
    assert meta["agent"] == "user:42"
    store = SqliteStore(tmp_path)
    assert {scope.agent for scope in await store.scopes()} == {"ada", "智能体A", "user:42"}
    await store.close()


@pytest.mark.spec("ASSOC-01")
async def test_a_folder_can_be_copied_away_and_opened_elsewhere(tmp_path: Path) -> None:
    await remember(tmp_path / "here", scope_of("ada"), "hello")
    shutil.copytree(tmp_path / "here" / "acme" / "lab" / "ada", tmp_path / "there" / "other" / "place" / "ada")
    elsewhere = Scope(org="other", workspace="place", agent="ada")
    assert await texts(tmp_path / "there", elsewhere) == ["hello"]
    assert await texts(tmp_path / "here", scope_of("ada")) == ["hello"]


async def test_a_name_that_differs_only_in_case_does_not_get_anothers_folder(tmp_path: Path) -> None:
    await remember(tmp_path, scope_of("ada"), "hello")
    # What a file system that ignores case would do.
    (tmp_path / "acme" / "lab" / "ada").rename(tmp_path / "acme" / "lab" / "Ada")
    with pytest.raises(InvalidScope, match="case"):
        await texts(tmp_path, scope_of("Ada"))


@pytest.mark.parametrize("part", ["acme", "acme/lab", "acme/lab/ada"])
async def test_a_folder_behind_a_link_is_refused(tmp_path: Path, part: str) -> None:
    await remember(tmp_path / "outside", scope_of("ada"), "of somebody else")
    link = tmp_path / "home" / part
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "outside" / part)
    with pytest.raises(InvalidScope, match="link"):
        await texts(tmp_path / "home", scope_of("ada"))
    with pytest.raises(InvalidScope, match="link"):
        await remember(tmp_path / "home", scope_of("ada"), "intruder")
    assert await texts(tmp_path / "outside", scope_of("ada")) == ["of somebody else"]


def test_a_folder_name_is_legal_everywhere_and_stays_readable(tmp_path: Path) -> None:
    assert Layout(tmp_path).folder(scope_of("a:b")).name == "a%3Ab"
    assert Layout(tmp_path).folder(scope_of("数据-1")).name == "数据-1"


async def test_only_the_owner_may_look_into_the_folder(tmp_path: Path) -> None:
    await remember(tmp_path, scope_of("ada"), "private")
    assert (tmp_path / "acme" / "lab" / "ada").stat().st_mode & 0o077 == 0


# ── a database that is gone ──


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize("left", ["meta.json", "memory.db-wal"])
async def test_an_agent_whose_database_is_gone_is_never_taken_for_an_empty_one(tmp_path: Path, left: str) -> None:
    ada = scope_of("ada")
    await remember(tmp_path, ada, "hello")
    folder = Layout(tmp_path).folder(ada)
    for path in folder.iterdir():
        path.unlink()
    (folder / left).write_bytes(b"{}")
    store = SqliteStore(tmp_path)
    for attempt in (
        lambda: store.entries(ada, EntryQuery()),
        lambda: store.commit(ada, []),
        lambda: store.check(ada),
        lambda: store.erase(ada, Erasure(everything=True)),
    ):
        with pytest.raises(DatabaseMissing, match=r"put memory\.db back from a backup") as told:
            await attempt()
        assert str(folder) in str(told.value)
    assert await store.scopes() == []
    assert list(store.layout.lost_scopes()) == [ada]
    await store.close()
    assert [path.name for path in folder.iterdir()] == [left], "nothing was made in its place"
    shutil.rmtree(folder)
    await remember(tmp_path, ada, "anew")
    assert await texts(tmp_path, ada) == ["anew"]


async def test_a_first_write_that_fails_leaves_no_sign_of_a_lost_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageFull("no room left")

    with monkeypatch.context() as patched:
        patched.setattr(opening, "create", full)
        with pytest.raises(StorageFull):
            await remember(tmp_path, scope_of("ada"), "hello")
    assert await texts(tmp_path, scope_of("ada")) == []
    await remember(tmp_path, scope_of("ada"), "hello")
    assert await texts(tmp_path, scope_of("ada")) == ["hello"]


async def test_a_database_that_another_process_makes_meanwhile_is_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = scope_of("ada")
    layout = Layout(tmp_path)
    await remember(tmp_path, ada, "hello")
    away = layout.database(ada).rename(tmp_path / "not yet")
    is_noted = Layout._is_noted

    def made_just_now(database: Path) -> bool:
        away.rename(database)
        return is_noted(database)

    monkeypatch.setattr(Layout, "_is_noted", staticmethod(made_just_now))
    assert layout.is_stored(ada)


# ── a home that cannot be one ──


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize("below", ["", "home", "deep/er"])
def test_a_file_is_no_home_and_neither_is_a_path_below_one(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidSettings, match="is a file"):
        Layout(tmp_path / "file" / below).require_writable()
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.spec("SAFE-06")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder where even root makes nothing")
def test_a_folder_where_even_root_makes_nothing_is_no_home() -> None:
    with pytest.raises(InvalidSettings, match="cannot be written to"):
        Layout(Path("/proc/remanent")).require_writable()


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EPERM])
def test_a_folder_that_the_system_refuses_to_write_to_is_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(**_: object) -> str:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(InvalidSettings, match=os.strerror(number)):
        Layout(tmp_path).require_writable()


def test_a_full_disk_is_no_reason_not_to_open_what_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> str:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    Layout(tmp_path).require_writable()


def test_looking_whether_a_home_can_be_written_to_leaves_nothing_behind(tmp_path: Path) -> None:
    Layout(tmp_path).require_writable()
    Layout(tmp_path / "not" / "yet").require_writable()
    assert list(tmp_path.iterdir()) == []

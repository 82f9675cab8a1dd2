"""Where an agent's files lie, and that no name leads anywhere else."""

import json
import shutil
from pathlib import Path

import pytest

from remanent.errors import InvalidScope
from remanent.model import Scope
from remanent.stores import EntryQuery
from remanent.stores.conformance.samples import Samples
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.layout import Layout


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

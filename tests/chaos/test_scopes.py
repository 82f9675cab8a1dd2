"""Hostile names are refused at every door, nothing outside the home is touched, and nobody reads another's memory."""

import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from remanent.errors import InvalidScope, StorageError
from remanent.memory import aopen
from remanent.model import Scope
from remanent.stores import ConflictQuery, EntryQuery, Erasure, Health, JobQuery, LinkQuery, RecordQuery
from remanent.stores.blobs import FileBlobs
from remanent.stores.sqlite import SqliteStore
from remanent.text.terms import index_terms
from tests.chaos.support.places import run
from tests.chaos.support.units import ANY, COMMON, MODEL, commit_unit, read_contents, scope_of, unit_of

pytestmark = pytest.mark.chaos

ADA, BEA = scope_of("ada"), scope_of("bea")


def test_hostile_names_are_refused_at_every_door_and_touch_nothing_outside(tmp_path: Path) -> None:
    report = json.loads(run("attack", tmp_path))
    assert report["accepted"] == []
    assert report["strange"] == []
    assert report["outside"] == []
    assert report["touched"] > 5, "the watch saw nothing"
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


@pytest.mark.parametrize(
    "other",
    [
        BEA,
        scope_of("shared"),
        scope_of("ad"),
        scope_of("ada1"),
        Scope(org="org", workspace="lab2", agent="ada"),
        Scope(org="org2", workspace="lab", agent="ada"),
    ],
    ids=str,
)
async def test_nobody_reads_what_another_agent_remembers(tmp_path: Path, other: Scope) -> None:
    store = SqliteStore(tmp_path)
    await commit_unit(store, ADA, 1)
    await commit_unit(store, other, 2)
    mine = unit_of(ADA, 1)
    names = tuple(record.id for record in mine.records)
    assert (await read_contents(store, other)).numbers() == {2}
    assert await store.entries(other, EntryQuery(entry_ids=tuple(entry.id for entry in mine.entries))) == []
    assert await store.entries(other, EntryQuery(caller_ids=("caller-1-0", "caller-1-1"))) == []
    assert await store.records(other, RecordQuery(filter=ANY, record_ids=names)) == []
    assert await store.records(other, RecordQuery(filter=ANY, source_entry_ids=("e1-0", "e1-1"))) == []
    assert await store.match(other, names, ANY) == []
    assert [await store.versions(other, name) for name in names] == [[], [], []]
    assert await store.links(other, LinkQuery(from_ids=names)) == []
    assert await store.conflicts(other, ConflictQuery(record_id=names[0])) == []
    assert [job.id for job in await store.jobs(other, JobQuery())] == ["j2"]
    hits = await store.search_text(other, index_terms(COMMON), record_filter=ANY, limit=10)
    assert {hit.record_id for hit in hits} == {"r2-0", "r2-1", "r2-2"}
    assert set((await store.vector_changes(other, MODEL, since=0)).record_ids) == {"r2-0", "r2-1", "r2-2"}
    await store.erase(other, Erasure(entry_ids=("e1-0", "e1-1"), record_ids=names))
    await store.erase(other, Erasure(everything=True))
    assert (await read_contents(store, ADA)).numbers() == {1}
    await store.close()


async def _with_a_foreign_folder(tmp_path: Path, *, level: str) -> Path:
    """Make a home in which one folder of Bea's path is a link to where another home keeps Ada."""
    store = SqliteStore(tmp_path / "elsewhere")
    await commit_unit(store, BEA, 1)
    await store.close()
    store = SqliteStore(tmp_path / "home")
    await commit_unit(store, scope_of("ada"), 2)
    await store.close()
    parts = {"org": "org2", "workspace": "org/lab2", "agent": "org/lab/bea"}
    targets = {"org": "org", "workspace": "org/lab", "agent": "org/lab/bea"}
    (tmp_path / "home" / parts[level]).symlink_to(tmp_path / "elsewhere" / targets[level])
    return tmp_path / "home"


def _doors(store: SqliteStore, scope: Scope) -> dict[str, Callable[[], Awaitable[object]]]:
    blobs = FileBlobs(store.layout.own_folder)
    return {
        "read": lambda: store.entries(scope, EntryQuery()),
        "search": lambda: store.search_text(scope, index_terms(COMMON), record_filter=ANY, limit=5),
        "write": lambda: commit_unit(store, scope, 3),
        "erase": lambda: store.erase(scope, Erasure(everything=True)),
        "check": lambda: store.check(scope),
        "repair": lambda: store.repair(scope),
        "keep a file": lambda: blobs.put(scope, b"file"),
        "list files": lambda: blobs.digests(scope),
    }


@pytest.mark.parametrize("door", list(_doors(SqliteStore(Path("/nowhere")), ADA)))
@pytest.mark.parametrize(
    ("level", "scope"),
    [
        ("org", Scope(org="org2", workspace="lab", agent="bea")),
        ("workspace", Scope(org="org", workspace="lab2", agent="bea")),
        ("agent", BEA),
    ],
    ids=["org", "workspace", "agent"],
)
async def test_a_folder_that_leads_elsewhere_is_refused(tmp_path: Path, level: str, scope: Scope, door: str) -> None:
    home = await _with_a_foreign_folder(tmp_path, level=level)
    before = _state(tmp_path / "elsewhere")
    store = SqliteStore(home)
    with pytest.raises(InvalidScope):
        await _doors(store, scope)[door]()
    await store.close()
    assert _state(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("door", ["read", "search", "write", "check", "repair"])
async def test_a_database_that_is_a_link_to_anothers_is_refused(tmp_path: Path, door: str) -> None:
    store = SqliteStore(tmp_path)
    await commit_unit(store, ADA, 1)
    await commit_unit(store, BEA, 2)
    await store.close()
    database = tmp_path / "org/lab/bea/memory.db"
    database.unlink()
    database.symlink_to(tmp_path / "org/lab/ada/memory.db")
    before = _state(tmp_path / "org/lab/ada")
    store = SqliteStore(tmp_path)
    with pytest.raises(InvalidScope):
        await _doors(store, BEA)[door]()
    await store.close()
    assert _state(tmp_path / "org/lab/ada") == before


async def test_a_folder_of_files_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    async with aopen(tmp_path / "home", embedder="none") as memory:
        agent = memory.agent("ada", workspace="lab", org="org")
        await agent.remember("hello")
        (tmp_path / "home/org/lab/ada/blobs").symlink_to(outside)
        with pytest.raises(StorageError):
            await agent.attach(b"file")
    assert list(outside.iterdir()) == []


async def test_asking_about_an_agent_that_never_was_makes_nothing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await store.entries(ADA, EntryQuery())
    await store.erase(ADA, Erasure(everything=True))
    assert await store.check(ADA) == Health()
    await store.close()
    assert os.listdir(tmp_path) == []


def _state(folder: Path) -> dict[str, bytes]:
    return {os.fspath(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

"""The files as records: found by words and meaning, brought up to date in steps, identity kept."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from remanent import _sync
from remanent.discipline.journal import Journal
from remanent.errors import InvalidInput
from remanent.memory import AsyncAgent
from remanent.model import Found, Kind
from remanent.workspace import scanning
from remanent.workspace.index import SearchMode, passages_of
from remanent.workspace.scanning import FolderScan, FolderWatch, is_local, scan
from tests.workspace.world import NOON, agent_in

NOTE = """---
tags: [travel, "家庭"]
---
# Lisbon

We fly on 3 June from gate 12. See [[Packing list|the list]] and [[人/老王]].

## Hotel

The hotel is called Avenida Palace.
"""


def write(folder: Path, name: str, text: str, *, second: int = 0) -> None:
    """Write a file with a time of change that differs from that of every other second."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    os.utime(path, (NOON.timestamp() + second, NOON.timestamp() + second))


async def vault_of(agent: AsyncAgent, folder: Path) -> None:
    await agent.workspace.init(vault=str(folder))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    write(folder, "trips/Lisbon.md", NOTE)
    write(folder, "Packing list.md", "# Packing\r\n\r\nTake the umbrella.\r\n\r\n## 药品\r\n\r\n带上感冒药。\r\n")
    write(folder, "人/老王.md", "# 老王\n\n老王喜欢喝龙井茶。\n")
    write(folder, ".obsidian/hidden.md", "umbrella hidden")
    write(folder, "web/node_modules/umbrella/README.md", "umbrella package")
    return folder


@pytest.mark.spec("WORK-06")
def test_passages_go_by_headings_and_know_their_lines_and_tags() -> None:
    passages, tags = passages_of(NOTE.replace("\n", "\r\n"))
    assert tags == ("travel", "家庭")
    assert [(one.heading, one.line, one.end_line) for one in passages] == [("Lisbon", 4, 6), ("Lisbon › Hotel", 8, 10)]
    assert passages[0].links == ("Packing list", "人/老王")
    lines = NOTE.splitlines()
    assert passages[1].text.splitlines()[0] == lines[passages[1].line - 1]
    long, _ = passages_of("# A\n\n" + "\n\n".join(f"Paragraph {number} " + "word " * 40 for number in range(20)))
    assert len(long) > 2
    assert all(len(one.text) <= 1200 and one.heading == "A" for one in long)


def test_patterns_name_files_and_hidden_folders_and_links_out_are_left_out(notes: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside.md", "x")
    (notes / "out.md").symlink_to(tmp_path / "outside.md")
    (notes / "loop").symlink_to(notes)
    assert sorted(scan(notes, "**/*.md")) == ["Packing list.md", "trips/Lisbon.md", "人/老王.md"]
    assert sorted(scan(notes, "*.md, 人/*.md, none/*.md")) == ["Packing list.md", "人/老王.md"]
    assert sorted(scan(notes, "**/trips/L*.md, */老?.md")) == ["trips/Lisbon.md", "人/老王.md"]


def test_names_are_read_again_only_where_a_folder_has_changed(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []
    read = os.scandir

    def counted(folder: str | int) -> Any:
        if not isinstance(folder, int):  # whoever removes a tree meanwhile has it open
            listed.append(Path(folder).name)
        return read(folder)

    monkeypatch.setattr(os, "scandir", counted)
    now, old = [10**18], 10**9

    def settle() -> None:
        for folder in (notes, *(one for one in notes.iterdir() if one.is_dir())):
            os.utime(folder, ns=(old, old))

    scanned = FolderScan(notes, "**/*.md", now=lambda: now[0])
    settle()
    before = scanned()
    listed.clear()
    assert scanned() == before
    assert listed == []
    (notes / "trips" / "Lisbon.md").write_text("Another word.", encoding="utf-8")  # in place: no folder changes
    os.utime(notes / "trips" / "Lisbon.md", ns=(2 * old, 2 * old))
    settle()
    edited = scanned()
    assert listed == []
    assert edited.keys() == before.keys()
    assert edited["trips/Lisbon.md"] != before["trips/Lisbon.md"]
    (notes / "trips" / "Porto.md").write_text("New.", encoding="utf-8")
    assert "trips/Porto.md" in scanned()
    assert listed == ["trips"]
    listed.clear()
    (notes / "trips" / "Braga.md").write_text("New.", encoding="utf-8")
    os.utime(notes / "trips", ns=(now[0], now[0]))  # as if within the tick of the change before
    assert "trips/Braga.md" in scanned()
    listed.clear()
    settle()
    scanned()
    (notes / "trips" / "Faro.md").write_text("New.", encoding="utf-8")
    settle()  # a drive that does not tell
    listed.clear()
    assert "trips/Faro.md" not in scanned()
    now[0] += 31 * 10**9
    assert "trips/Faro.md" in scanned()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of changes on Linux")
def test_files_are_asked_again_only_where_something_happened(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = os.lstat

    def counted(path: str) -> os.stat_result:
        asked.append(Path(path).name)
        return ask(path)

    monkeypatch.setattr(scanning, "is_local", lambda _: True)
    scanned = FolderScan(notes, "**/*.md", watch=FolderWatch())
    other = FolderScan(notes, "**/*.md", watch=FolderWatch())
    root = os.path.realpath(notes)
    monkeypatch.setattr(os.path, "realpath", lambda _: root)  # asks for every part of the path
    monkeypatch.setattr(os, "lstat", counted)
    before = scanned()
    assert sorted(asked) == ["Lisbon.md", "Packing list.md", "老王.md"]
    asked.clear()
    assert scanned() == before
    assert asked == []
    write(notes, "trips/Lisbon.md", "In place.", second=77)
    assert scanned()["trips/Lisbon.md"] != before["trips/Lisbon.md"]
    assert asked == ["Lisbon.md"]
    (notes / "trips").rename(notes / "journeys")
    assert sorted(scanned()) == ["Packing list.md", "journeys/Lisbon.md", "人/老王.md"]
    (notes / "journeys" / "Lisbon.md").unlink()
    assert scanned() == other() == scan(notes, "**/*.md")


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of changes on Linux")
def test_a_drive_that_other_machines_write_to_is_always_asked(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "40 22 0:51 / /mnt/nas rw - nfs4 nas:/notes rw\n"
        "41 22 0:52 / /work rw master:3 - fuse.sshfs me@there: rw\n",
        encoding="utf-8",
    )
    known = [is_local(os.makedev(*device), str(mounts)) for device in ((8, 1), (0, 51), (0, 52), (0, 99))]
    assert known == [True, False, False, False]
    assert not is_local(os.makedev(8, 1), str(tmp_path / "none"))


@pytest.mark.spec("WORK-06")
async def test_notes_are_found_by_words_and_edits_without_reading_everything_again(notes: Path, tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await vault_of(agent, notes)
        found = await agent.workspace.search("umbrella", mode="fts")
        assert isinstance(found, Found)
        assert "umbrella" in found.text
        (hit,) = found.items
        assert (hit.path, hit.heading, hit.line, hit.end_line) == ("Packing list.md", "Packing", 1, 3)
        (hit,) = (await agent.workspace.search("感冒药", mode="fts")).items
        assert (hit.path, hit.heading, hit.line) == ("Packing list.md", "Packing › 药品", 5)
        assert (await agent.workspace.search("龙井茶", mode="fts")).items[0].path == "人/老王.md"
        assert (await agent.workspace.index()).changed == ()
        write(notes, "人/老王.md", "# 老王\n\n老王改喝咖啡了。\n", second=1)
        assert [hit.text for hit in (await agent.workspace.search("咖啡", mode="fts")).items] == [
            "# 老王\n\n老王改喝咖啡了。"
        ]
        assert (await agent.workspace.search("龙井茶", mode="fts")).items == ()
        (notes / "人/老王.md").unlink()
        report = await agent.workspace.index()
        assert (report.removed, report.changed, report.added) == (("人/老王.md",), (), ())
        assert (await agent.workspace.search("咖啡", mode="fts")).items == ()
        # They are memories like others: the plain recall finds them, too.
        assert (await agent.recall("umbrella")).items[0].kind == Kind.NOTE


@pytest.mark.spec("WORK-06")
async def test_tags_are_tags_wikilinks_are_links_and_a_rename_keeps_identity(notes: Path, tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await vault_of(agent, notes)
        (hotel,) = (await agent.workspace.search("Avenida Palace", mode="fts")).items
        (flight,) = (await agent.workspace.search("gate", mode="fts")).items
        (packing,) = (await agent.workspace.search("umbrella", mode="fts")).items
        (wang,) = (await agent.workspace.search("龙井茶", mode="fts")).items
        assert hotel.tags == ("travel", "家庭")
        assert {record.id for record in await agent.records(tags=["家庭"])} == {hotel.record_id, flight.record_id}
        targets = {link.to_id for link in await agent.links(flight.record_id)}
        assert targets == {packing.record_id, wang.record_id}
        (notes / "trips" / "Lisbon.md").rename(notes / "里斯本.md")
        (notes / "Packing list.md").rename(notes / "Things.md")
        report = await agent.workspace.index()
        assert sorted(report.renamed) == ["Things.md", "里斯本.md"]
        (moved,) = (await agent.workspace.search("Avenida Palace", mode="fts")).items
        assert (moved.record_id, moved.path) == (hotel.record_id, "里斯本.md")
        assert {link.to_id for link in await agent.links(flight.record_id)} == {wang.record_id}
        write(notes, "Packing list.md", "# new\n\nAnother list.\n")
        new = (await agent.workspace.search("Another list", mode="fts")).items[0]
        assert new.record_id in {link.to_id for link in await agent.links(flight.record_id)}


@pytest.mark.parametrize("mode", ["fts", "hybrid"])
@pytest.mark.parametrize("asked", ["Plan 7", "plan 7.md", "plans/Plan 7", "读书笔记"])
async def test_a_note_that_is_asked_for_by_its_name_comes_before_those_that_link_to_it(
    asked: str, mode: SearchMode, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    write(folder, "plans/Plan 7.md", "# Spring\n\n" + "We paint the boat and mend the sails before Easter. " * 12)
    write(folder, "读书笔记.md", "# 三月\n\n" + "这本书讲的是海边的一家人和他们的船。" * 12)
    for number in range(6):
        write(folder, f"link {number}.md", f"See [[Plan 7]] and [[读书笔记]], plan {number}.")
    async with agent_in(tmp_path) as agent:
        await vault_of(agent, folder)
        found = await agent.workspace.search(asked, mode=mode, limit=3)
        assert found.items[0].path == ("读书笔记.md" if asked == "读书笔记" else "plans/Plan 7.md")
        assert [item.rank for item in found.items] == [1, 2, 3]


@pytest.mark.spec("WORK-06")
async def test_an_edited_passage_keeps_its_record_and_the_others_are_not_touched(notes: Path, tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await vault_of(agent, notes)
        (hotel,) = (await agent.workspace.search("Avenida Palace", mode="fts")).items
        (flight,) = (await agent.workspace.search("gate", mode="fts")).items
        write(notes, "trips/Lisbon.md", NOTE.replace("Avenida Palace", "Pestana"), second=1)
        (edited,) = (await agent.workspace.search("Pestana", mode="fts")).items
        assert edited.record_id == hotel.record_id
        assert (await agent.get(hotel.record_id)).version == 2
        assert (await agent.get(flight.record_id)).version == 1
        write(notes, "trips/Lisbon.md", NOTE.replace("# Lisbon\n", "# Lisbon\n\nNew.\n"), second=2)
        await agent.workspace.index()
        assert (await agent.workspace.search("Avenida", mode="fts")).items[0].line == 10


@pytest.mark.spec("WORK-06")
async def test_the_index_can_be_deleted_and_is_built_again_and_another_process_sees_it(
    notes: Path, tmp_path: Path
) -> None:
    async with agent_in(tmp_path) as agent, agent_in(tmp_path) as other:
        await vault_of(agent, notes)
        assert len((await agent.workspace.search("umbrella")).items) == 1
        assert (await other.workspace.index()) == (await agent.workspace.index())
        assert len(await agent.records(kinds=["note"])) == 5
        assert await agent.workspace.store.delete_index() == 5
        assert await agent.records(kinds=["note"]) == []
        assert len((await other.workspace.search("umbrella")).items) == 1
        assert len(await agent.records(kinds=["note"])) == 5
        health = await agent.admin.check()
        assert health.problems == ()


@pytest.mark.spec("WORK-06")
async def test_meaning_finds_what_no_word_does(notes: Path, tmp_path: Path) -> None:
    async with agent_in(tmp_path, embedder="multilingual") as agent:
        await vault_of(agent, notes)
        await agent.workspace.index()
        await agent.settle()
        question = "酒店叫什么名字？"
        assert (await agent.workspace.search(question, mode="fts")).items == ()
        assert (await agent.workspace.search(question, mode="semantic")).items[0].heading == "Lisbon › Hotel"
        assert (await agent.workspace.search(question, mode="hybrid")).items[0].heading == "Lisbon › Hotel"


@pytest.mark.spec("WORK-06")
async def test_what_was_just_edited_is_found_by_its_meaning_before_the_worker_comes_to_it(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with agent_in(tmp_path, embedder="multilingual") as agent:
        await vault_of(agent, notes)
        await agent.workspace.index()
        await agent.settle()
        monkeypatch.setattr(Journal, "index", lambda _, tx: None)  # no worker is asked for from here on
        write(notes, "house.md", "# House\n\nThe roof was repaired in autumn.\n", second=5)
        assert (await agent.workspace.search("屋顶是什么时候修好的？", mode="fts")).items == ()
        modes: tuple[SearchMode, ...] = ("semantic", "hybrid")
        for mode in modes:
            found = (await agent.workspace.search("屋顶是什么时候修好的？", mode=mode)).items
            assert found[0].path == "house.md", mode
        # A crowd is left to the worker: whoever asks does not wait for it.
        for number in range(9):
            write(notes, f"more{number}.md", f"The boat number {number} is at the pier.", second=6)
        await agent.workspace.search("boat")
        assert len(await agent._parts.store.unembedded(agent.scope, limit=20)) == 9


async def test_a_mode_that_does_not_exist_or_needs_an_embedder_is_refused(notes: Path, tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        with pytest.raises(InvalidInput, match="fts"):
            await agent.workspace.search("x", mode="best")  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="embedder"):
            await agent.workspace.search("x", mode="semantic")


@pytest.mark.spec("WORK-06")
def test_code_without_an_event_loop_has_the_names_of_the_seed(notes: Path, tmp_path: Path) -> None:
    with _sync.open(tmp_path / "home", memory={"path": tmp_path / "ws"}, embedder="none") as memory:
        store = memory.agent("ada").workspace.store
        there = {"Packing list.md", "trips/Lisbon.md", "人/老王.md"}
        assert {*store.index_workspace_sync(notes).added} == there  # every note, and none is made
        write(notes, "MEMORY.md", "# Memory\n\nThe umbrella is red.\n")
        assert store.index_workspace_sync(notes).added == ("MEMORY.md",)
        found = store.search_sync("umbrella", limit=5, mode="fts", workspace_dir=notes)
        assert {hit.path for hit in found.items} == {"MEMORY.md", "Packing list.md"}


async def test_waiting_on_the_loops_own_thread_is_refused_and_not_for_ever(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        with pytest.raises(InvalidInput, match="await"):
            agent.workspace.store.search_sync("x")


async def test_watching_tells_what_changed(notes: Path, tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await vault_of(agent, notes)
        watching = agent.workspace.store.watch(every=0)
        assert len((await anext(watching)).added) == 3
        write(notes, "new.md", "fresh\n")
        assert (await asyncio.wait_for(anext(watching), 60)).added == ("new.md",)


async def test_old_encodings_and_files_that_are_too_large_stop_nothing(notes: Path, tmp_path: Path) -> None:
    (notes / "old.md").write_bytes("# 旧\n\n国标编码的笔记\n".encode("gb18030"))
    (notes / "taipei.md").write_bytes("# 說明\n\n這個專案使用的資料庫是瑪麗亞。\n".encode("big5"))
    (notes / "wide.md").write_bytes("# Wide\n\nThe zeppelin lands at noon.\n".encode("utf-16"))
    (notes / "zürich.md").write_bytes("# Café\n\nThe café in Zürich is called Odéon.\n".encode("cp1252"))
    (notes / "picture.md").write_bytes(bytes(range(256)) * 40)
    write(notes, "huge.md", "x " * 60_000)
    async with agent_in(tmp_path) as agent:
        await vault_of(agent, notes)
        report = await agent.workspace.index()
        assert {*report.skipped} == {"picture.md", "huge.md"}
        assert not {*report.skipped} & {*report.added}
        assert (await agent.workspace.index()).skipped == (), "what was passed over is not read again"
        for words, path in (
            ("国标编码", "old.md"),
            ("資料庫", "taipei.md"),
            ("zeppelin", "wide.md"),
            ("Zürich", "zürich.md"),
        ):
            assert (await agent.workspace.search(words, mode="fts")).items[0].path == path
        assert all(record.data.path != "huge.md" for record in await agent.records(kinds=["note"]))  # type: ignore[attr-defined]


@pytest.mark.skipif(sys.platform != "linux", reason="this system refuses such names")
async def test_names_that_are_not_in_utf_8_stop_nothing(notes: Path, tmp_path: Path) -> None:
    folder = os.fsencode(notes) + "/旅行".encode("gbk")
    os.mkdir(folder)
    Path(os.fsdecode(folder + "/里斯本.md".encode("gbk"))).write_text("The tram is number 28.\n", encoding="utf-8")
    async with agent_in(tmp_path) as agent:
        await vault_of(agent, notes)
        assert len((await agent.workspace.index()).added) == 4
        assert (await agent.workspace.search("tram", mode="fts")).items[0].path == "旅行/里斯本.md"
        assert (await agent.workspace.index()).added == ()


@pytest.mark.spec("WORK-06")
async def test_a_note_that_an_agent_or_a_person_puts_into_the_folder_is_found(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await agent.workspace.memory("create", "notes.md", file_text="The spare key hangs behind the blue door.\n")
        (tmp_path / "ws" / "狐狸.md").write_text("# 狐狸\n\n狐狸住在后山的石洞里。\n", encoding="utf-8")
        (tmp_path / "ws" / "big.md").write_text("Crate 7 holds item Z7.\n\n" * 200_000, encoding="utf-8")
        assert (await agent.workspace.search("Where is the spare key?")).items[0].path == "notes.md"
        assert (await agent.workspace.search("狐狸住在哪里")).items[0].path == "狐狸.md"
        assert (await agent.workspace.search("crate 77777", mode="fts")).items == ()


async def test_a_search_says_that_nothing_answers(tmp_path: Path) -> None:
    async with agent_in(tmp_path, embedder="multilingual") as agent:
        await agent.workspace.memory("create", "trips.md", file_text="The hotel in Lisbon is called Avenida Palace.\n")
        assert (await agent.workspace.search("Which hotel in Lisbon is it?")).items[0].path == "trips.md"
        for asked in ("狐狸住在哪里", "crate 77777"):
            found = await agent.workspace.search(asked)
            assert (found.items, found.gate is not None) == ((), True)

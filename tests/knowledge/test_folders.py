"""Folders: kept in sync, taken up again, and never at the cost of what was added by hand."""

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import AddressRefused, InvalidInput, StorageFull, ToolFailed
from remanent.http.public import FetchedPage, PublicFetcher
from remanent.knowledge.face import AsyncKnowledgeCollection
from remanent.knowledge.library import Library
from remanent.knowledge.model import Added
from remanent.model import Origin
from tests.knowledge.world import MAY, opened


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[AsyncKnowledgeCollection]:
    async with opened(tmp_path / "home") as (_, base):
        yield base


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    (root / "deep").mkdir(parents=True)
    (root / "pump.md").write_text("# Pump\n\nIt moves water.\n", encoding="utf-8")
    (root / "deep" / "泵.md").write_text("# 泵\n\n它把水送到花园。\n", encoding="utf-8")
    (root / ".hidden").write_text("not this", encoding="utf-8")
    (root / "node_modules").mkdir()
    (root / "node_modules" / "README.md").write_text("not this", encoding="utf-8")
    return root


@pytest.mark.spec("KB-01")
async def test_a_folder_is_added_with_its_subfolders_and_later_only_what_changed(
    base: AsyncKnowledgeCollection, folder: Path
) -> None:
    seen: list[str] = []
    first = await base.sync(folder, on_progress=lambda done, total, name: seen.append(f"{done}/{total} {name}"))
    assert first.added == ("deep/泵.md", "pump.md")
    assert seen == ["0/2 deep/泵.md", "1/2 pump.md", "2/2 "]
    (folder / "pump.md").write_text("# Pump\n\nIt moves oil.\n", encoding="utf-8")
    second = await base.sync(folder)
    assert (second.added, second.changed, second.unchanged, second.embedded) == ((), ("pump.md",), 1, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="this system refuses such names")
async def test_a_name_that_is_not_in_utf_8_stops_nothing(base: AsyncKnowledgeCollection, folder: Path) -> None:
    file = Path(os.fsdecode(os.fsencode(folder) + "/deep/里斯本.md".encode("gbk")))
    file.write_text("# 里斯本\n\n有轨电车是28路。\n", encoding="utf-8")
    assert (await base.sync(folder)).added == ("deep/泵.md", "deep/里斯本.md", "pump.md")
    assert (await base.sync(folder)).unchanged == 3
    file.unlink()
    assert (await base.sync(folder)).removed == ("deep/里斯本.md",)


@pytest.mark.spec("KB-01")
async def test_documents_of_files_that_are_gone_go_but_none_that_was_added_by_hand(
    base: AsyncKnowledgeCollection, folder: Path
) -> None:
    await base.add(text="By hand.", name="hand.txt")
    await base.add(folder / "pump.md", name="also by hand.md")
    await base.sync(folder)
    (folder / "pump.md").unlink()
    report = await base.sync(folder)
    assert report.removed == ("pump.md",)
    assert [one.name for one in await base.list()] == ["also by hand.md", "deep/泵.md", "hand.txt"]


@pytest.mark.spec("KB-01")
async def test_a_file_that_was_added_by_hand_follows_its_file_and_does_not_go_with_it(
    base: AsyncKnowledgeCollection, folder: Path
) -> None:
    await base.add(folder / "pump.md", tags=["mine"], metadata={"owner": "ada"})
    (folder / "pump.md").write_text("# Pump\n\nIt moves oil.\n", encoding="utf-8")
    report = await base.sync(folder)
    assert (report.added, report.changed) == (("deep/泵.md",), ("pump.md",))
    assert (await base.sync(folder)).unchanged == 2
    (folder / "pump.md").unlink()
    assert (await base.sync(folder)).removed == ()
    kept = (await base.show("pump.md")).document
    assert (kept.tags, kept.metadata, kept.synced) == (("mine",), {"owner": "ada"}, False)


@pytest.mark.spec("KB-01")
async def test_a_text_that_was_added_by_hand_is_not_overwritten_by_a_file_of_its_name(
    base: AsyncKnowledgeCollection, folder: Path
) -> None:
    await base.add(text="By hand.", name="pump.md")
    report = await base.sync(folder)
    assert [one.name for one in report.failed] == ["pump.md"]
    assert "added by hand" in report.failed[0].reason
    assert await base.original("pump.md") == b"By hand."
    # The same bytes are no other document.
    (folder / "pump.md").write_text("By hand.", encoding="utf-8")
    report = await base.sync(folder)
    assert (report.failed, report.unchanged) == ((), 2)


async def test_another_folder_leaves_the_first_ones_documents_alone(
    base: AsyncKnowledgeCollection, folder: Path, tmp_path: Path
) -> None:
    await base.sync(folder)
    other = tmp_path / "docs2"
    other.mkdir()
    (other / "car.md").write_text("Cars.", encoding="utf-8")
    assert (await base.sync(other)).removed == ()
    assert len(await base.list()) == 3


async def test_a_file_that_cannot_be_read_is_named_and_the_others_are_added(
    base: AsyncKnowledgeCollection, folder: Path
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    report = await base.sync(folder)
    assert [one.name for one in report.failed] == ["broken.pdf"]
    assert report.added == ("deep/泵.md", "pump.md")


async def test_files_of_a_folder_are_added_beside_each_other_and_told_of_in_order(
    base: AsyncKnowledgeCollection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        (folder / f"{number}.txt").write_text(f"Number {number}.", encoding="utf-8")
    begun, most, add = 0, 0, Library.add

    async def counted(self: Library, *given: Any, **more: Any) -> Added:
        nonlocal begun, most
        begun += 1
        most = max(most, begun)
        try:
            return await add(self, *given, **more)
        finally:
            begun -= 1

    monkeypatch.setattr(Library, "add", counted)
    report = await base.sync(folder)
    assert report.added == (*(f"{number}.txt" for number in range(9)), "deep/泵.md", "pump.md")
    assert most > 1


async def test_a_store_that_fails_ends_the_whole_sync_with_its_own_error(
    base: AsyncKnowledgeCollection, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        (folder / f"{number}.txt").write_text(f"Number {number}.", encoding="utf-8")
    asked = 0

    async def full(self: Library, *given: Any, **more: Any) -> Added:
        nonlocal asked
        asked += 1
        raise StorageFull("no room")

    monkeypatch.setattr(Library, "add", full)
    with pytest.raises(StorageFull):
        await base.sync(folder)
    assert asked < 30


async def test_watching_tells_of_every_change(base: AsyncKnowledgeCollection, folder: Path) -> None:
    told = []
    async for report in base.watch(folder, interval=0.05):
        told.append(report.added)
        (folder / "new.md").write_text("New.", encoding="utf-8")
        if len(told) == 2:
            break
    assert told == [("deep/泵.md", "pump.md"), ("new.md",)]


async def test_links_out_of_the_folder_are_not_followed(
    base: AsyncKnowledgeCollection, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    assert "link.txt" not in (await base.sync(folder)).added


@pytest.mark.spec("KB-01")
async def test_a_page_of_the_web_is_kept_with_its_address_and_the_day_it_was_fetched(
    base: AsyncKnowledgeCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def fetch(_: PublicFetcher, url: str) -> FetchedPage:
        asked.append(url)
        body = "<html><body><article><p>The pump moves water to the garden.</p></article></body></html>"
        status = 404 if url.endswith("gone") else 200
        return FetchedPage("https://pumps.example/new", status, "text/html", "utf-8", body.encode())

    monkeypatch.setattr(PublicFetcher, "fetch", fetch)
    added = (await base.add(url="https://pumps.example/old")).document
    assert (asked, added.name, added.source) == (["https://pumps.example/old"], *2 * ("https://pumps.example/new",))
    assert added.occurred_at.date() == MAY.date()
    (item,) = (await base.search("Where does the pump move water?")).items
    assert (item.document, item.trust) == ("https://pumps.example/new", Origin.WEB)
    with pytest.raises(ToolFailed, match="404"):
        await base.add(url="https://pumps.example/gone")
    assert len(await base.list()) == 1


async def test_no_private_address_is_fetched(base: AsyncKnowledgeCollection) -> None:
    with pytest.raises(AddressRefused):
        await base.add(url="http://127.0.0.1/secret")
    with pytest.raises(InvalidInput):
        await base.sync("/nowhere/at/all")


@pytest.mark.spec("KB-01")
async def test_a_folder_that_looks_empty_takes_no_document_along_unless_that_is_said(
    base: AsyncKnowledgeCollection, folder: Path
) -> None:
    await base.sync(folder)
    names = [one.name for one in await base.list()]
    for file in [path for path in folder.rglob("*") if path.is_file()]:
        file.unlink()
    with pytest.raises(InvalidInput, match="is empty"):
        await base.sync(folder)
    assert (await base.sync(folder, remove="never")).removed == ()
    assert [one.name for one in await base.list()] == names
    assert sorted((await base.sync(folder, remove="all")).removed) == sorted(names)
    assert await base.list() == []
    assert (await base.sync(folder)).removed == ()

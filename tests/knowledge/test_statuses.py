"""How far a document is: told by chunk, listed while it is indexed, and kept with its error if it failed."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import NotFound, UnreadableFile
from remanent.knowledge.face import AsyncKnowledgeCollection
from remanent.knowledge.library import Library
from remanent.knowledge.model import KnowledgeFound
from remanent.loaders import LoadedDocument
from remanent.operations import ProgressStep, Service, Target
from tests.knowledge.world import MANUAL, left_behind, opened

BROKEN = b"%PDF-1.7 broken"
LONG = "\n\n".join(f"## Valve {number}\n\nThe valve number {number} opens basin {number}." for number in range(120))


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[AsyncKnowledgeCollection]:
    async with opened(tmp_path / "home") as (_, base):
        yield base


@pytest.mark.spec("KB-01")
async def test_a_file_that_failed_is_listed_with_its_error_until_it_is_removed(base: AsyncKnowledgeCollection) -> None:
    await base.add(text="Pumps.", name="a.txt")
    with pytest.raises(UnreadableFile) as refused:
        await base.add(data=BROKEN, name="broken.pdf")
    good, broken = await base.list()
    assert (good.status, good.error) == ("ready", "")
    assert (broken.name, broken.status, broken.error, broken.chunks) == ("broken.pdf", "failed", str(refused.value), 0)
    assert broken.error_zh != broken.error
    view = await base.show("broken.pdf")
    assert (view.document, view.chunks) == (broken, ())
    with pytest.raises(NotFound, match="nothing of"):
        await base.original("broken.pdf")
    assert [one.document.name for one in await base.reindex()] == ["a.txt"]
    assert (await base.stats()).documents == 1
    assert (await base.remove("broken.pdf")).name == "broken.pdf"
    assert [one.name for one in await base.list()] == ["a.txt"]


@pytest.mark.spec("KB-01")
async def test_a_file_that_failed_leaves_nothing_but_the_note_of_that(base: AsyncKnowledgeCollection) -> None:
    with pytest.raises(UnreadableFile):
        await base.add(data=BROKEN, name="broken.pdf")
    assert await left_behind(base) == ([], [], [], [])
    await base.remove("broken.pdf")
    assert await base.list() == []


@pytest.mark.spec("KB-01")
async def test_a_failure_is_forgotten_when_the_document_is_added_again(base: AsyncKnowledgeCollection) -> None:
    with pytest.raises(UnreadableFile):
        await base.add(data=BROKEN, name="pump.md")
    await base.add(text=MANUAL, name="pump.md")
    assert [(one.status, one.error) for one in await base.list()] == [("ready", "")]
    # A newer version that cannot be read: the one before is searched still, and the failure is told.
    with pytest.raises(UnreadableFile):
        await base.add(data=BROKEN, name="pump.md")
    (document,) = await base.list()
    assert (document.status, document.chunks) == ("failed", 3)
    assert (await base.show("pump.md")).document.error == document.error != ""
    assert (await base.search("gasket")).items[0].document == "pump.md"
    await base.add(text=MANUAL, name="pump.md")
    assert [one.status for one in await base.list()] == ["ready"]


@pytest.mark.spec("KB-01")
async def test_a_failed_file_of_a_folder_goes_with_its_file(base: AsyncKnowledgeCollection, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Pumps.", encoding="utf-8")
    (folder / "broken.pdf").write_bytes(BROKEN)
    await base.sync(folder)
    assert [(one.name, one.status) for one in await base.list()] == [("a.txt", "ready"), ("broken.pdf", "failed")]
    (folder / "broken.pdf").unlink()
    await base.sync(folder)
    assert [one.name for one in await base.list()] == ["a.txt"]


@pytest.mark.spec("KB-01")
async def test_a_document_that_is_being_read_says_so(
    base: AsyncKnowledgeCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, read = asyncio.Event(), asyncio.Event(), Library._load

    async def slow(self: Library, *given: Any) -> LoadedDocument:
        begun.set()
        await go_on.wait()
        return await read(self, *given)

    monkeypatch.setattr(Library, "_load", slow)
    adding = asyncio.create_task(base.add(text=MANUAL, name="pump.md"))
    await begun.wait()
    (document,) = await base.list()
    assert (document.name, document.status, document.chunks) == ("pump.md", "indexing", 0)
    assert (await base.show("pump.md")).document.status == "indexing"
    go_on.set()
    await adding
    assert [(one.status, one.indexed) for one in await base.list()] == [("ready", 3)]


@pytest.mark.spec("KB-01")
async def test_a_document_whose_chunks_wait_for_their_vectors_is_being_indexed(tmp_path: Path) -> None:
    async with opened(tmp_path / "home", embedder="multilingual", jobs={"enabled": False}) as (memory, base):
        added = await base.add(text=MANUAL, name="pump.md")
        assert (added.document.status, added.document.indexed) == ("indexing", 0)
        assert [(one.status, one.indexed, one.chunks) for one in await base.list()] == [("indexing", 0, 3)]
    async with opened(tmp_path / "home", embedder="multilingual") as (memory, base):
        await memory.settle()
        assert [(one.status, one.indexed) for one in await base.list()] == [("ready", 3)]


@pytest.mark.spec("KB-01")
async def test_adding_tells_of_each_chunk(base: AsyncKnowledgeCollection, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    added = await base.add(text=LONG, name="valves.md", on_progress=lambda one: told.append((one.done, one.pending)))
    count = added.document.chunks
    assert count == 120
    assert told == [(0, count), (50, count - 50), (100, count - 100), (count, 0)]
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Pumps.", encoding="utf-8")
    seen: list[tuple[str, int, int]] = []
    await base.sync(folder, on_chunks=lambda *one: seen.append(one))
    assert seen == [("a.txt", 0, 1), ("a.txt", 1, 1)]


@pytest.mark.spec("KB-01")
async def test_the_operation_reports_chunks_and_lists_the_failure(tmp_path: Path) -> None:
    place = Target(org="local", workspace="lab", agent="shared")
    steps: list[ProgressStep] = []

    async def sent(content: bytes) -> AsyncIterator[bytes]:
        yield content

    async with opened(tmp_path / "home", org="local") as (memory, _), Service(memory) as service:
        await service.perform(
            "knowledge.add", {"name": "valves.md"}, place=place, upload=sent(LONG.encode()), report=steps.append
        )
        assert [(one.done, one.total) for one in steps] == [(0, 120), (50, 120), (100, 120), (120, 120)]
        with pytest.raises(UnreadableFile):
            await service.perform("knowledge.add", {"name": "broken.pdf"}, place=place, upload=sent(BROKEN))
        listed = await service.perform("knowledge.list", {}, place=place)
        assert [(one.name, one.status) for one in listed.items] == [("broken.pdf", "failed"), ("valves.md", "ready")]
        found: KnowledgeFound = await service.perform("knowledge.search", {"question": "valve 7"}, place=place)
        assert found.items[0].document == "valves.md"

"""Documents: added whole, replaced where they changed, readable as they were, removed to the last byte."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from remanent.embedding.port import ImageReader, WrittenLine
from remanent.errors import InvalidInput, NotFound, UnreadableFile
from remanent.knowledge import library
from remanent.knowledge.face import AsyncKnowledgeBases, AsyncKnowledgeCollection
from remanent.memory import AsyncMemory
from remanent.stores import RecordFilter, RecordQuery
from tests.knowledge.world import MANUAL, base_of, opened
from tests.loaders.pdfs import pdf


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[tuple[AsyncMemory, AsyncKnowledgeCollection]]:
    async with opened(tmp_path / "home") as both:
        yield both


@pytest.fixture
def base(world: tuple[AsyncMemory, AsyncKnowledgeCollection]) -> AsyncKnowledgeCollection:
    return world[1]


@pytest.fixture
def memory(world: tuple[AsyncMemory, AsyncKnowledgeCollection]) -> AsyncMemory:
    return world[0]


@pytest.mark.spec("KB-01")
async def test_a_document_is_kept_raw_and_as_sections_and_chunks_with_their_places(
    base: AsyncKnowledgeCollection,
) -> None:
    added = await base.add(text=MANUAL, name="pump.md", metadata={"team": "garden"}, tags=["manual"])
    assert (added.status, added.embedded, added.document.sections) == ("added", 3, 3)
    assert (added.document.title, added.document.metadata) == ("Pump manual", {"team": "garden"})
    assert await base.original("pump.md") == MANUAL.encode()
    shown = await base.show("pump.md")
    assert [(chunk.path, chunk.place.line) for chunk in shown.chunks] == [
        (("Pump manual",), 1),
        (("Pump manual", "Maintenance"), 5),
        (("Pump manual", "Safety"), 9),
    ]
    assert all(MANUAL[chunk.start : chunk.end] == chunk.text for chunk in shown.chunks)


@pytest.mark.spec("KB-01")
async def test_the_same_again_changes_nothing(base: AsyncKnowledgeCollection) -> None:
    first = await base.add(text=MANUAL, name="pump.md")
    again = await base.add(text=MANUAL, name="pump.md")
    assert (again.status, again.embedded, again.document.version) == ("unchanged", 0, first.document.version)
    assert len(await base.list()) == 1


@pytest.mark.spec("KB-01")
async def test_of_a_changed_document_only_what_changed_is_made_anew(base: AsyncKnowledgeCollection) -> None:
    await base.add(text=MANUAL, name="pump.md")
    before = {chunk.chunk_id for chunk in (await base.show("pump.md")).chunks}
    changed = await base.add(text=MANUAL.replace("every month", "every week"), name="pump.md")
    assert (changed.status, changed.embedded, changed.kept, changed.removed) == ("changed", 1, 2, 1)
    after = await base.show("pump.md")
    assert len(before & {chunk.chunk_id for chunk in after.chunks}) == 2
    assert not (await base.search("filter every month")).items[0].text.count("month")
    assert len(after.versions) == 2


@pytest.mark.spec("KB-01")
async def test_unchanged_chunks_keep_their_vectors_though_they_move(tmp_path: Path) -> None:
    async with opened(tmp_path / "home", embedder="multilingual") as (memory, base):
        await base.add(text=MANUAL, name="pump.md")
        await memory.settle()
        before = memory.usage().embedding[0].texts
        added = await base.add(text=MANUAL.replace("\n## Maint", "\nIt was built in 1990.\n\n## Maint"), name="pump.md")
        await memory.settle()
        assert added.embedded == 1
        # The chunk that changed, and the summary of its section and of the document.
        assert memory.usage().embedding[0].texts - before <= 3
        found = await base.search("motor temperature", limit=1)
        assert "90 degrees" in found.items[0].text
        assert found.items[0].place.line == 11


@pytest.mark.spec("KB-01")
async def test_an_earlier_version_can_be_read_and_searched(base: AsyncKnowledgeCollection) -> None:
    first = await base.add(text=MANUAL, name="pump.md")
    await base.add(text=MANUAL.replace("90 degrees", "70 degrees"), name="pump.md")
    then = first.document.updated_at + timedelta(milliseconds=1)
    assert any("90 degrees" in chunk.text for chunk in (await base.show("pump.md", as_of=then)).chunks)
    assert await base.original("pump.md", as_of=then) == MANUAL.encode()
    found = await base.search("When does the motor switch off?", as_of=then)
    assert "90 degrees" in found.items[0].text
    now = await base.search("When does the motor switch off?")
    assert "70 degrees" in now.items[0].text


@pytest.mark.spec("KB-01")
async def test_removing_leaves_no_byte_behind(tmp_path: Path) -> None:
    home = tmp_path / "home"
    secret = "The vault opens with kumquat seventeen."
    async with opened(home) as (memory, base):
        await base.add(text=f"# Vault\n\n{secret}\n\n## More\n\nNothing else.", name="vault.md")
        await base.add(text=f"# Vault\n\n{secret}\n\n## More\n\nSomething else.", name="vault.md")
        await base.add(text="Pumps move water.", name="pump.txt")
        await memory.settle()
        await base.remove("vault.md")
        assert not (await base.search("kumquat")).items
        records = await memory._parts.store.records(base.scope, RecordQuery(filter=RecordFilter(statuses=None)))
        assert {record.scope.session for record in records} == {(await base.list())[0].document_id}
    for file in home.rglob("*"):
        assert not file.is_file() or b"kumquat" not in file.read_bytes(), file


async def test_bytes_that_two_documents_share_stay_while_one_of_them_is_there(base: AsyncKnowledgeCollection) -> None:
    await base.add(text=MANUAL, name="one.md")
    await base.add(text=MANUAL, name="two.md")
    await base.remove("one.md")
    assert await base.original("two.md") == MANUAL.encode()


async def test_one_document_added_by_two_at_once_is_there_once(base: AsyncKnowledgeCollection) -> None:
    done = await asyncio.gather(*(base.add(text=MANUAL, name="pump.md") for _ in range(3)))
    assert sorted(one.status for one in done) == ["added", "unchanged", "unchanged"]
    assert len((await base.show("pump.md")).chunks) == 3


async def test_what_cannot_be_read_leaves_nothing_behind(base: AsyncKnowledgeCollection) -> None:
    with pytest.raises(UnreadableFile):
        await base.add(data=b"%PDF-1.7 broken", name="broken.pdf")
    with pytest.raises(InvalidInput):
        await base.add(text="words", name=" ")
    with pytest.raises(InvalidInput, match="exactly one"):
        await base.add(text="words", data=b"words", name="two")
    assert [(one.name, one.status) for one in await base.list()] == [("broken.pdf", "failed")]
    assert await base._services.library._parts.blobs.digests(base.scope) == []


async def test_collections_have_chunk_sizes_of_their_own(memory: AsyncMemory, base: AsyncKnowledgeCollection) -> None:
    small = base_of(memory, "small")
    await small.configure(chunk_size=100)
    await small.add(text="Pumps move water. " * 30, name="a.txt")
    await base.add(text="Pumps move water. " * 30, name="a.txt")
    assert len((await small.show("a.txt")).chunks) > len((await base.show("a.txt")).chunks)
    set_up = await small.configure(chunk_size=600)
    assert (set_up.documents, set_up.chunks > 1, set_up.chunk_size) == (1, True, 600)
    (done,) = await small.reindex()
    assert done.document.chunks == (await base.list())[0].chunks
    assert [(one.name, one.documents) for one in (await base.stats()).collections] == [("default", 1), ("small", 1)]


async def test_a_preview_keeps_nothing(base: AsyncKnowledgeCollection) -> None:
    chunks = await base.preview(text=MANUAL, name="pump.md", chunk_size=100)
    assert [chunk.path[-1] for chunk in chunks][:2] == ["Pump manual", "Maintenance"]
    assert await base.list() == []


async def test_an_edit_survives_indexing_anew_and_is_marked_when_its_place_changed(
    base: AsyncKnowledgeCollection,
) -> None:
    await base.add(text=MANUAL, name="pump.md")
    care = (await base.show("pump.md")).chunks[1]
    await base.edit_chunk(care.chunk_id, text="Wash the sieve every month.")
    assert (await base.search("sieve")).items[0].record_id == care.chunk_id
    await base.add(text=MANUAL.replace("90 degrees", "70 degrees"), name="pump.md")
    kept = next(one for one in (await base.show("pump.md")).chunks if one.chunk_id == care.chunk_id)
    assert (kept.text, kept.state) == ("Wash the sieve every month.", "edited")
    await base.add(text=MANUAL.replace("every month", "every week"), name="pump.md")
    kept = next(one for one in (await base.show("pump.md")).chunks if one.chunk_id == care.chunk_id)
    assert (kept.text, kept.state) == ("Wash the sieve every month.", "outdated")


async def test_a_chunk_that_is_switched_off_is_not_found_until_it_is_on_again(base: AsyncKnowledgeCollection) -> None:
    await base.add(text=MANUAL, name="pump.md")
    care = (await base.show("pump.md")).chunks[1]
    off = await base.edit_chunk(care.chunk_id, enabled=False)
    assert not off.enabled
    assert all(item.record_id != care.chunk_id for item in (await base.search("gasket")).items)
    await base.reindex("pump.md")
    assert all(item.record_id != care.chunk_id for item in (await base.search("gasket")).items)
    await base.edit_chunk(care.chunk_id, enabled=True)
    assert (await base.search("gasket")).items[0].record_id == care.chunk_id


async def test_a_chunk_added_by_hand_is_found_and_goes_with_its_document(base: AsyncKnowledgeCollection) -> None:
    await base.add(text=MANUAL, name="pump.md")
    await base.add_chunk("pump.md", "The spare key hangs behind the boiler.")
    assert (await base.search("spare key")).items[0].document == "pump.md"
    await base.add(text=MANUAL.replace("every month", "every week"), name="pump.md")
    assert (await base.search("spare key")).items[0].document == "pump.md"
    await base.remove("pump.md")
    assert not (await base.search("spare key")).items
    with pytest.raises(NotFound):
        await base.show("pump.md")


async def test_adding_gives_way_to_whoever_asks(
    base: AsyncKnowledgeCollection, memory: AsyncMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("remanent.knowledge.library.time.sleep", pauses.append)
    text = "".join(f"# Part {number}\n\nThe pump has part {number}.\n\n" for number in range(9))
    await base.add(text=text, name="alone.md")
    assert not pauses
    async with memory._parts.recall._slots.hold("somebody"):
        added = await base.add(text=text, name="beside.md")
    assert len(pauses) >= added.document.chunks == 9
    assert sum(pauses) < 0.1


async def test_an_agent_finds_its_own_documents_and_those_its_workspace_shares_with_it(memory: AsyncMemory) -> None:
    shared = memory.face(AsyncKnowledgeBases)(workspace="lab")
    secret = memory.face(AsyncKnowledgeBases)("board", workspace="lab")
    await shared.add(text="The garden pump is blue.", name="pump.txt")
    await secret.add(text="The garden pump will be sold.", name="board.txt")
    await secret.configure(agents=["eve"])
    ada, eve = (memory.agent(name, workspace="lab").face(AsyncKnowledgeCollection) for name in ("ada", "eve"))
    await ada.add(text="I keep the pump key in the garden.", name="mine.txt")
    everywhere = [item.document for item in (await ada.search("garden pump", collections=["*"])).items]
    assert sorted(everywhere) == ["mine.txt", "pump.txt"]
    assert "board.txt" in [item.document for item in (await eve.search("garden pump", collections=["*"])).items]
    other = memory.agent("ada", workspace="elsewhere").face(AsyncKnowledgeCollection)
    assert not (await other.search("garden pump", collections=["*"])).items
    assert [one.name for one in await shared.list()] == ["pump.txt"]


async def test_a_chunk_over_two_pages_names_both_in_the_readers_language(base: AsyncKnowledgeCollection) -> None:
    await base.add(data=pdf("The first page tells of the pump.", "The second tells of the gasket."), name="two.pdf")
    await base.add(data=pdf("The first page tells of boats."), name="one.pdf")
    over_two = (await base.search("gasket")).items[0]
    assert (over_two.place.page, over_two.place.last_page) == (1, 2)
    assert over_two.citation == "two.pdf, pp. 1–2"
    assert over_two.cite("zh") == "two.pdf，第 1–2 页"
    on_one = (await base.search("boats")).items[0]
    assert (on_one.cite("en"), on_one.cite("zh")) == ("one.pdf, p. 1", "one.pdf，第 1 页")


PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


class _Reader(ImageReader):
    """Reads what stands in the pictures of these tests."""

    async def read_lines(self, image: bytes) -> list[WrittenLine]:
        assert image.startswith(b"\x89PNG")
        return [WrittenLine("Invoice 0042 of the harbour office", 0.99), WrittenLine("合计：四十二元", 0.98)]


@pytest.mark.spec("KB-01")
async def test_a_picture_and_a_scanned_page_are_found_by_their_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "open_image_reader", lambda _: _Reader())
    async with opened(tmp_path / "home") as (_, base):
        assert (await base.add(data=PNG, name="invoice.png")).document.unread == 0
        await base.add(data=pdf("The first page.", "", image=1), name="scan.pdf")
        found = await base.search("Which invoice is of the harbour office?")
        assert "invoice.png" in [item.document for item in found.items]
        assert (await base.search("合计多少元？")).items
        scanned = next(item for item in (await base.search("first page of the harbour office", limit=5)).items)
        assert scanned.document == "scan.pdf"
    monkeypatch.setattr(library, "open_image_reader", lambda _: None)
    async with opened(tmp_path / "other") as (_, base):
        assert (await base.add(data=PNG, name="invoice.png")).document.unread == 1
        assert (await base.search("Which invoice is of the harbour office?")).items == ()


async def test_a_document_that_only_the_workspace_shares_is_shown_to_an_agent_and_not_removed_by_it(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "home") as (memory, shared):
        await shared.add(text="Filters are cleaned monthly.", name="rules.txt")
        own = memory.face(AsyncKnowledgeBases)(workspace="lab", agent="ann")
        found = (await own.search("How often are filters cleaned?")).items[0]
        assert (await own.show(found.document_id)).document.name == "rules.txt"
        assert await own.original("rules.txt") == b"Filters are cleaned monthly."
        with pytest.raises(NotFound, match="its workspace shares one"):
            await own.remove("rules.txt")
        assert [one.name for one in await shared.list()] == ["rules.txt"]
        await own.add(text="Filters are cleaned daily.", name="rules.txt")
        assert await own.original("rules.txt") == b"Filters are cleaned daily."
        await own.remove("rules.txt")
        await shared.configure(agents=["bob"])
        with pytest.raises(NotFound, match="there is no document"):  # it may not know of it
            await own.show("rules.txt")

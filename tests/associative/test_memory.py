"""The associative memory as a user of the library sees it."""

import asyncio
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.associative.discipline import Associative
from remanent.associative.face import AsyncAssociativeMemory, MemoryManager
from remanent.associative.search import SearchEngine
from remanent.associative.settings import AssociativeSettings
from remanent.associative.writer import Compressor, ShortenedText
from remanent.errors import InvalidInput, NotFound, StoreClosed
from remanent.memory import aopen
from remanent.model import Maker, Scope
from remanent.settings import Settings, load_settings
from tests.associative.world import MemoryWorld, ScriptedEngine, picture
from tests.jobs.world import ADA, BOB

CRANE = "Crane seven was moved to the northern pier."
CAT = "团子是一只三岁的橘猫，住在杭州。"


@pytest.mark.embedded
@pytest.mark.spec("ASSOC-01", "ASSOC-02")
async def test_an_agent_s_folder_can_be_copied_away_and_opened_elsewhere(tmp_path: Path) -> None:
    async with aopen(tmp_path / "here", embedder="none") as memory:
        ada = memory.agent("ada").associative
        assert (await ada.initialize("ada")).nodes == 0
        await ada.remember([CRANE, CAT])
        await memory.agent("bob").associative.remember("Bob was here.")
        await memory.settle()
        before = await ada.triples()
        await ada.close()
    folder = tmp_path / "here/default/default/ada"
    assert json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    assert (tmp_path / "here/default/default/bob/memory.db").exists()
    there = tmp_path / "there/default/default/ada"
    there.parent.mkdir(parents=True)
    shutil.copytree(folder, there)
    async with aopen(tmp_path / "there", embedder="none") as memory:
        copied = memory.agent("ada").associative
        assert (await copied.initialize()).nodes == 2
        assert await copied.triples() == before
        assert await copied.recall(["团子"]) == f"[记忆] {CAT}"


async def test_each_agent_has_a_memory_of_its_own(world: MemoryWorld) -> None:
    with pytest.raises(InvalidInput, match="ada"):
        await world.memory().initialize("bob")


@pytest.mark.spec("ASSOC-02")
async def test_closing_lets_the_running_job_end_and_opening_goes_on(world: MemoryWorld) -> None:
    memory = world.memory()
    world.engine.hold["segmentation"] = asyncio.Event()
    await memory.remember(CRANE)
    world.start()
    await world.quiet()
    closing = asyncio.ensure_future(memory.close())
    await world.quiet()
    assert not closing.done(), "a job is running"
    world.engine.hold["segmentation"].set()
    await world.until(world.at_work.settle([ADA]) if world.at_work else asyncio.sleep(0))
    await closing
    with pytest.raises(StoreClosed):
        await memory.recall(["crane"])
    with pytest.raises(StoreClosed):
        await memory.remember(CAT)
    await memory.initialize()
    assert await memory.recall(["crane"]) == f"[记忆] {CRANE}"


@pytest.mark.spec("ASSOC-02")
async def test_closing_stops_the_queue_until_the_memory_is_opened_again(world: MemoryWorld) -> None:
    memory = world.memory()
    world.engine.hold["segmentation"] = asyncio.Event()
    await memory.remember(CRANE)
    await memory.remember(CAT)
    worker = world.start()
    world.associations.rest = worker.rest
    await world.quiet()
    closing = asyncio.ensure_future(memory.close())
    await world.quiet()
    world.engine.hold["segmentation"].set()
    await asyncio.wait_for(closing, 30)
    await world.pass_time(3600)
    assert [node.content for node in (await world.graph()).nodes()] == [CRANE], "what ran has ended, and nothing began"
    await memory.initialize()
    await world.pass_time(60)
    assert [node.content for node in (await world.graph()).nodes()] == [CRANE, CAT]


async def test_the_memory_bears_the_seed_s_name_too() -> None:
    assert MemoryManager is AsyncAssociativeMemory


@pytest.mark.spec("ASSOC-15")
async def test_another_engine_and_compressor_are_given_at_open(tmp_path: Path) -> None:
    class Cut(Compressor):
        async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
            return ShortenedText(text[:target], text[:target], (), Maker(role="cut"))

    engine = ScriptedEngine()
    associative = Associative(compressor=Cut(), engine=engine)
    async with aopen(tmp_path, embedder="none", disciplines=[associative]) as memory:
        await memory.agent("ada").associative.remember([CRANE])
        await memory.settle()
    assert [role for role, _ in engine.asked][:2] == ["segmentation", "annotation"]


@pytest.mark.spec("ASSOC-02")
async def test_work_that_a_process_left_is_done_by_the_next(world: MemoryWorld) -> None:
    await world.memory().remember(CRANE)
    again = world.associate(world.open_store())
    worker = world.worker(again.handlers, store=world.stores[-1])
    await world.until(worker.settle([ADA]))
    assert [vertex.content for vertex in (await again.graphs.at(ADA)).nodes()] == [CRANE]


async def test_a_recall_has_the_queue_looked_at_only_where_something_waits(world: MemoryWorld) -> None:
    await world.say(CRANE)
    looks: list[Scope] = []
    world.associations.watch = looks.append
    assert await world.memory().recall(["crane"]) == f"[记忆] {CRANE}"
    assert looks == []
    world.engine.hold["segmentation"] = asyncio.Event()
    await world.memory().remember(CAT)
    asked = asyncio.ensure_future(world.memory().recall(["crane"]))
    await world.quiet()
    assert looks == [ADA]
    world.engine.hold["segmentation"].set()
    await asked


@pytest.mark.spec("ASSOC-06")
async def test_recalling_changes_neither_focus_nor_anything_else(world: MemoryWorld) -> None:
    for text in (CRANE, CAT, CRANE, CAT, CRANE, CAT, CRANE):
        await world.say(text)
    before = picture(await world.graph())
    revision = (await world.graph()).revision
    for keyword in ("crane", "团子", "nothing"):
        await world.memory().recall([keyword], depth=9)
    assert picture(await world.graph()) == before
    assert (await world.graph()).revision == revision


@pytest.mark.spec("ASSOC-15")
async def test_recall_by_meaning_finds_what_says_it_in_other_words(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="multilingual") as memory:
        ada = memory.agent("ada").associative
        await ada.remember(["My kitten sleeps on the sofa all day.", "The quarterly budget was approved by the board."])
        await memory.settle()
        assert "kitten" not in await ada.recall(["小猫在沙发上睡觉"], depth=2)
        assert (await ada.recall(["小猫在沙发上睡觉"])).startswith("[记忆] User: My kitten")
        found = await ada.search(["小猫在沙发上睡觉"], depth=2, by_meaning=True)
        assert ["kitten" in item.node.content for item in found.items] == [True]
        assert 0.2 < (found.items[0].similarity or 0) < 1  # as near as this model puts what says the same


async def test_recall_tells_what_search_finds_without_asking_the_journal(
    world: MemoryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in (CRANE, CAT):
        await world.say(text)
    memory = world.memory()
    found = SearchEngine.format_results(await memory.search(["crane", "团子"], depth=2))

    async def refuse(*_: object) -> None:
        raise AssertionError("a text needs no sources")

    monkeypatch.setattr(world.store, "entries_by_id", refuse)
    assert await memory.recall(["crane", "团子"], depth=2) == found
    assert CRANE in found


async def test_recall_by_meaning_needs_an_embedder(world: MemoryWorld) -> None:
    await world.say(CRANE)
    with pytest.raises(InvalidInput, match="embedder"):
        await world.memory().recall(["crane"], by_meaning=True)


@pytest.mark.spec("ASSOC-08")
async def test_relations_depth_and_limit_are_passed_on(world: MemoryWorld) -> None:
    await world.plant({"f": CRANE, "a": CAT, "b": CRANE}, [("f", "a", 1.0, "属于"), ("a", "b", 1.0)], focuses=["f"])
    memory = world.memory()
    assert await memory.recall([], ["属于"]) == f"[记忆] {CAT}"
    assert len((await memory.search([], None, 1)).items) == 2
    assert len((await memory.search([], limit=1)).items) == 1
    for wrong in ({"depth": -1}, {"limit": -1}):
        with pytest.raises(InvalidInput):
            await memory.recall([], **wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="list"):
        await memory.recall([], "属于")


async def test_an_unknown_node_is_not_found(world: MemoryWorld) -> None:
    await world.plant({"a": CRANE})
    for ask in (world.memory().node, world.memory().links, world.memory().importance):
        with pytest.raises(NotFound):
            await ask("nobody")


def test_the_sync_face_does_the_same(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada").associative
        ada.initialize()
        ada.remember([{"role": "user", "content": CAT}])
        memory.settle()
        assert ada.recall(["团子"]) == f"[记忆] {CAT}"
        assert ada.state().nodes == 1
        assert [node.content for node in ada.focus()] == [CAT]
        ada.close()


async def test_everything_that_is_remembered_can_become_associative_memory(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", associative={"follow": True}) as memory:
        ada = memory.agent("ada")
        await ada.remember(CAT)
        await memory.settle()
        assert await ada.associative.recall(["团子"]) == f"[记忆] {CAT}"


async def test_what_is_remembered_here_is_found_by_the_main_recall_as_it_was_said(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        receipt = await ada.associative.remember({"content": CRANE, "id": "m1", "occurred_at": "2024-05-03"})
        await memory.settle()
        found = await ada.recall("Where is the crane?", kinds=["turn"])
        assert found.items[0].sources[0].entry_id == receipt.entry_ids[0]
        (node,) = await ada.associative.nodes()
        assert node.occurred_at == datetime(2024, 5, 3, tzinfo=UTC)


async def test_erasing_what_was_said_erases_what_became_of_it(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        receipt = await ada.associative.remember([CAT, CRANE])
        await memory.settle()
        await ada.erase(entry_ids=receipt.entry_ids[:1])
        assert [node.content for node in await ada.associative.nodes()] == [CRANE]
    assert all("团子".encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.spec("ASSOC-16")
def test_every_parameter_is_a_setting_with_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = {
        "max_focus_count": 5,
        "decay_rate": 0.97,
        "link_initial_strength": 0.5,
        "delete_threshold": 5,
        "link_break_threshold": 0.01,
        "time_slice": 30.0,
        "compression_batch_size": 100,
        "max_nodes": 10_000,
        "max_retries": 15,
        "worker_timeout": 300.0,
        "default_search_depth": 2,
        "max_search_results": 100,
        "max_queue_size": 1000,
    }
    assert {name: getattr(Settings().section(AssociativeSettings), name) for name in defaults} == defaults
    monkeypatch.setenv("REMANENT_ASSOCIATIVE__DECAY_RATE", "0.5")
    assert load_settings().section(AssociativeSettings).decay_rate == 0.5


@pytest.mark.spec("ASSOC-16")
async def test_settings_change_what_happens(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"max_focus_count": 2, "link_initial_strength": 0.25, "default_search_depth": 1}
    world = MemoryWorld(tmp_path, **settings)
    try:
        await world.say(CRANE, CAT, "A third thing was said about nothing in particular.")
        assert len(await world.memory().focus()) == 2
        assert set((await world.strengths()).values()) <= {0.25, 0.25 * 0.97}
    finally:
        await world.close()


async def test_two_agents_at_once_do_not_disturb_each_other(world: MemoryWorld) -> None:
    await asyncio.gather(world.memory().remember([CRANE] * 3), world.memory(BOB).remember([CAT] * 3))
    worker = world.start()
    await world.until(worker.settle([ADA, BOB]))
    assert {vertex.content for vertex in (await world.graph()).nodes()} == {CRANE}
    assert {vertex.content for vertex in (await world.graph(BOB)).nodes()} == {CAT}


@pytest.mark.parametrize(
    ("question", "words", "held"),
    [
        ("Where was crane seven moved to?", ["crane", "seven", "moved"], "northern pier"),
        ("团子住在哪里？", ["团子", "住"], "杭州"),
    ],
)
async def test_a_question_in_one_text_is_taken_by_its_words(
    tmp_path: Path, question: str, words: list[str], held: str
) -> None:
    async with aopen(tmp_path / "home", embedder="none") as memory:
        ada = memory.agent("ada").associative
        await ada.remember([CRANE, CAT])
        found = await ada.search(question)
        assert found.query == " ".join(words)
        assert held in await ada.recall(question)
        with pytest.raises(InvalidInput, match="relations must be a list"):
            await ada.recall(question, "likes")

"""Forgetting by degrees: protection, weakening, shortening, deletion, and the two schedules."""

import asyncio
import logging
from collections import deque
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from remanent.associative.graph import Graph, PendingChanges, refocused
from remanent.associative.model import COMPRESS, REWRITE, CompressionDecision
from remanent.associative.writer import (
    Compressor,
    KeySentences,
    Levels,
    RoleCompressor,
    ShortenedText,
    decide,
    open_compressor,
)
from remanent.errors import ModelUnavailable
from remanent.language.engines import OfflineEngine
from remanent.model import Job, Maker
from remanent.stores import LinkQuery
from tests.associative.conftest import Make
from tests.associative.graphs import graph_of, graphs
from tests.associative.world import MemoryWorld, picture, records_of
from tests.jobs.world import ADA

LONG = "项目例会决定把发布日期推迟到六月，由张伟负责通知客户，李娜负责更新文档，测试组本周内给出新的排期。"


# ── what becomes of one node ─────────────────────────────────────────────────


@pytest.mark.spec("ASSOC-11")
@pytest.mark.parametrize(
    ("importance", "original", "length", "fate"),
    [
        pytest.param(0.0, 100, 100, (CompressionDecision.DELETED, 0), id="no importance"),
        pytest.param(0.049, 100, 100, (CompressionDecision.DELETED, 0), id="fewer than five characters"),
        pytest.param(0.05, 100, 100, (CompressionDecision.SHORTENED, 5), id="just five characters"),
        pytest.param(0.5, 100, 100, (CompressionDecision.SHORTENED, 50), id="half"),
        pytest.param(0.5, 100, 50, (CompressionDecision.KEPT, 50), id="short enough already"),
        pytest.param(
            0.5, 100, 51, (CompressionDecision.SHORTENED, 50), id="measured by the original length, not by the current"
        ),
        pytest.param(1.0, 100, 100, (CompressionDecision.KEPT, 100), id="as important as can be"),
        pytest.param(7.5, 100, 100, (CompressionDecision.KEPT, 100), id="more than one counts as one"),
        pytest.param(9.0, 4, 4, (CompressionDecision.DELETED, 0), id="too short to begin with"),
        pytest.param(0.9, 100, 3, (CompressionDecision.DELETED, 0), id="shortened to fewer than five characters"),
    ],
)
def test_a_node_is_deleted_shortened_or_kept_by_its_importance(
    importance: float, original: int, length: int, fate: tuple[CompressionDecision, int]
) -> None:
    assert decide(importance, original_length=original, length=length, delete_below=5) == fate


@given(st.floats(0, 50), st.floats(0, 50), st.integers(1, 300))
def test_what_is_more_important_is_never_made_shorter(one: float, other: float, length: int) -> None:
    low, high = sorted((one, other))
    fates = [decide(value, original_length=length, length=length, delete_below=5) for value in (low, high)]
    assert fates[0][1] <= fates[1][1]


@pytest.mark.spec("ASSOC-11")
def test_importance_is_the_sum_of_live_links_both_ways() -> None:
    graph = graph_of("abcd", [("a", "b", 0.5), ("c", "a", 0.25), ("a", "gone", 1.0), ("a", "d", 0.009)])
    (a, *_) = graph.nodes()
    assert graph.importance(a) == 0.75


@given(graphs())
def test_importance_is_never_negative_and_no_node_s_link_counts_twice(graph: Graph) -> None:
    for vertex in graph.nodes():
        importance = graph.importance(vertex)
        most = len(vertex.leaving) + len(vertex.arriving)
        assert 0 <= importance <= most


@given(graphs(), st.data())
def test_importance_under_way_is_what_it_is_once_the_changes_are_made(graph: Graph, data: st.DataObject) -> None:
    names = [vertex.id for vertex in graph.nodes()]
    faded = data.draw(st.lists(st.sampled_from(names), unique=True))
    gone = data.draw(st.lists(st.sampled_from(names), unique=True))
    looked_at = data.draw(st.sampled_from(names))
    going, fading = set(gone) - {looked_at}, set(faded) - {looked_at} - set(gone)
    under_way = PendingChanges(rate=0.97, faded=dict.fromkeys(fading), gone=dict.fromkeys(going))
    vertex = graph.find(looked_at)
    assert vertex is not None
    expected = graph.importance(vertex, under_way=under_way)
    graph.fade(sorted(under_way.faded), factor=0.97)
    for name in sorted(under_way.gone):
        graph.remove(name)
    assert graph.importance(vertex) == pytest.approx(expected)


@given(graphs(), st.lists(st.integers(0, 7), max_size=30))
def test_strengths_only_fall_stay_between_zero_and_one_and_deletion_leaves_only_links_that_dangle(
    graph: Graph, moves: list[int]
) -> None:
    names = [vertex.id for vertex in graph.nodes()]

    def strengths() -> dict[tuple[str, str, str], float]:
        edges = [edge for vertex in graph.nodes() for edge in vertex.leaving]
        return {(edge.source.id, edge.target.id, edge.relation): edge.strength for edge in edges}

    for number, move in enumerate(moves):
        name = names[move % len(names)]
        before = strengths()
        if number % 5 == 4:
            graph.remove(name)
            left = {ends: value for ends, value in before.items() if ends[0] != name}
            assert strengths() == left, "its own links went, those to it stay"
        else:
            graph.fade([name], factor=0.97)
            assert all(value <= before[ends] for ends, value in strengths().items())
        assert all(0 <= value <= 1 for value in strengths().values())


# ── a compression over the store ─────────────────────────────────────────────


@pytest.mark.spec("ASSOC-07", "ASSOC-11")
async def test_a_focus_is_left_alone_and_everything_else_weakens(world: MemoryWorld) -> None:
    links = [("f", "a", 1.0), ("a", "f", 1.0), ("a", "b", 0.5), ("b", "a", 0.5)]
    await world.plant({"f": LONG, "a": LONG, "b": LONG}, links, focuses=["f"])
    before = await world.memory().node("f")
    await world.compress()
    assert await world.strengths() == {
        ("f", "a"): 1.0,
        ("a", "f"): 0.97,
        ("a", "b"): pytest.approx(0.485),
        ("b", "a"): pytest.approx(0.485),
    }
    assert await world.memory().node("f") == before, "a focus never changes"
    assert [node.scan_count for node in await world.memory().nodes()] == [0, 1, 1]


@pytest.mark.spec("ASSOC-07")
async def test_what_a_focus_points_to_is_never_compressed(world: MemoryWorld) -> None:
    await world.plant({"f": LONG, "a": LONG}, [("f", "a", 1.0), ("a", "f", 1.0)], focuses=["f"])
    for _ in range(5):
        await world.compress()
    graph = await world.graph()
    vertex = graph.find("a")
    assert vertex is not None
    assert graph.importance(vertex) >= 1
    assert vertex.content == LONG


@pytest.mark.spec("ASSOC-06", "ASSOC-07")
async def test_a_node_that_leaves_focus_weakens_from_the_next_compression_on(make: Make) -> None:
    world = make(max_focus_count=1)
    await world.say("The first meeting was about the budget of the harbour.")
    first = (await world.memory().focus())[0].id
    await world.say("The second meeting was about cranes and their drivers.")
    second = (await world.memory().focus())[0].id
    assert await world.strengths() == {(first, second): 0.97, (second, first): 1.0}
    await world.compress()
    assert await world.strengths() == {(first, second): pytest.approx(0.97**2), (second, first): 1.0}


@pytest.mark.spec("ASSOC-04")
async def test_the_two_directions_of_a_link_weaken_apart(world: MemoryWorld) -> None:
    await world.plant({"f": LONG, "a": LONG}, [("f", "a", 0.8), ("a", "f", 0.8)], focuses=["f"])
    for _ in range(3):
        await world.compress()
    strengths = await world.strengths()
    assert strengths["f", "a"] == 0.8
    assert strengths["a", "f"] == pytest.approx(0.8 * 0.97**3)


@pytest.mark.spec("ASSOC-11")
async def test_content_phrase_and_keywords_change_together(world: MemoryWorld) -> None:
    await world.plant({"f": "f" * 9, "a": LONG}, [("a", "f", 0.5)], focuses=["f"])
    await world.compress()
    node = await world.memory().node("a")
    assert 5 <= len(node.content) <= len(LONG) // 2
    assert node.phrase != LONG[:20]
    assert node.keywords
    assert node.original_length == len(LONG)
    assert node.scan_count == 1
    (_, record) = await records_of(world.store)
    assert (record.content, record.version) == (node.content, 2)
    assert (await world.store.versions(ADA, "a"))[0].record.content == LONG, "what it said before can be read"


@pytest.mark.spec("ASSOC-10", "ASSOC-11")
async def test_what_nothing_holds_is_deleted_and_leaves_a_tombstone_and_dangling_links(world: MemoryWorld) -> None:
    await world.plant({"f": LONG, "alone": LONG, "tiny": "四个字符"}, [("f", "tiny", 1.0)], focuses=["f"])
    await world.compress()
    assert [node.id for node in await world.memory().nodes()] == ["f"]
    stones = {stone.node_id: stone for stone in await world.memory().forgotten()}
    assert set(stones) == {"alone", "tiny"}
    stone = stones["alone"]
    assert (stone.about, stone.size, stone.reason) == (LONG[:20], len(LONG), "faded")
    assert len(stone.sources) == 1
    assert stone.learned_at <= stone.forgotten_at <= world.time.now
    health = await world.memory().links("f")
    assert health.valid == ()
    assert [(link.to_id, link.strength) for link in health.dangling] == [("tiny", 1.0)]
    fresh = await world.associate(world.open_store()).graphs.at(ADA)
    assert picture(fresh) == picture(await world.graph())


@pytest.mark.spec("ASSOC-10")
async def test_broken_links_stay_until_their_node_is_scanned_again(world: MemoryWorld) -> None:
    links = [("f", "a", 1.0), ("f", "b", 1.0), ("a", "b", 0.0101)]
    await world.plant({"f": LONG, "a": LONG, "b": LONG}, links, focuses=["f"])
    await world.compress()
    assert (await world.strengths())["a", "b"] < 0.01
    assert (await world.memory().links("a")).valid == (), "out of mind"
    assert await world.memory().importance("a") == 1.0
    assert len(await world.store.links(ADA, _from("a"))) == 1, "and still in the store"
    await world.compress()
    assert await world.store.links(ADA, _from("a")) == []


def _from(node_id: str) -> LinkQuery:
    return LinkQuery(from_ids=(node_id,))


async def test_nodes_are_judged_one_after_the_other_as_the_one_before_left_things(world: MemoryWorld) -> None:
    """`a` has nothing but its link to `tiny`, which is deleted first: then `a` has nothing."""
    await world.plant({"tiny": "短", "a": LONG, "f": LONG}, [("a", "tiny", 1.0)], focuses=["f"])
    await world.compress()
    assert [node.id for node in await world.memory().nodes()] == ["f"]


# ── schedules ────────────────────────────────────────────────────────────────


@pytest.mark.spec("ASSOC-12", "ASSOC-14")
async def test_least_scanned_nodes_come_first_and_a_slice_that_ends_goes_on_where_it_stopped(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remanent.associative.writer.NODES_BETWEEN_CHECKS", 1)
    world = make(time_slice=30)
    nodes = dict.fromkeys("fabcd", LONG)
    links = [("f", name, 1.0) for name in "abcd"]
    await world.plant(nodes, links, focuses=["f"], scans={"a": 2, "b": 0, "c": 1, "d": 0})
    scheduler = world.associations.scheduler
    # Each look at the clock costs twenty seconds: a slice has time for two nodes.
    ticks = iter(range(0, 10_000, 20))
    start = world.time.now
    parts = replace(scheduler._parts, clock=lambda: start.replace(second=0) + _seconds(next(ticks)))
    monkeypatch.setattr(scheduler, "_parts", parts)
    seen: list[dict[str, int]] = []
    for _ in range(3):
        await world.compress()
        seen.append({node.id: node.scan_count for node in await world.memory().nodes()})
    assert seen[0] == {"f": 0, "a": 2, "b": 1, "c": 1, "d": 0}
    assert seen[1] == {"f": 0, "a": 2, "b": 1, "c": 1, "d": 1}
    assert seen[2] == {"f": 0, "a": 2, "b": 1, "c": 2, "d": 1}, "not the least scanned again: it goes on"


def _seconds(count: int) -> timedelta:
    return timedelta(seconds=count)


async def test_a_long_round_is_done_in_units_of_work_of_bounded_size(
    world: MemoryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remanent.associative.writer.NODES_AT_ONCE", 2)
    await world.plant(dict.fromkeys("fabcde", LONG), [("f", name, 1.0) for name in "abcde"], focuses=["f"])
    await world.compress()
    assert [node.scan_count for node in await world.memory().nodes()] == [0, 1, 1, 1, 1, 1]


@pytest.mark.spec("ASSOC-12")
async def test_with_fixed_slots_the_least_important_of_a_sample_makes_room(make: Make) -> None:
    world = make(schedule="fixed", max_nodes=6, max_focus_count=2, compression_batch_size=100)
    await world.plant(
        dict.fromkeys("abcdef", LONG),
        [("f", "a", 1.0), ("f", "b", 0.9), ("f", "c", 0.8), ("f", "d", 0.1), ("e", "f", 1.0)],
        focuses=["f", "e"],
    )
    await world.say("A quite new thing was said about the harbour today.")
    nodes = {node.id for node in await world.memory().nodes()}
    assert len(nodes) == 6
    assert {"a", "b", "c", "f", "e"} <= nodes
    (stone,) = await world.memory().forgotten()
    assert (stone.node_id, stone.reason) == ("d", "slot reused")


@pytest.mark.spec("ASSOC-12")
async def test_with_fixed_slots_memory_never_grows_beyond_them(make: Make) -> None:
    world = make(schedule="fixed", max_nodes=4, max_focus_count=2)
    for number in range(6):
        await world.say(f"Thing {number} was said about the harbour.", f"Then crane {number} was moved to a pier.")
        assert len(await world.graph()) <= 4
    await world.say(*(f"Ship {number} came into harbour {number} this morning." for number in range(9)))
    assert len(await world.graph()) == 4
    assert all("Ship" in node.content for node in await world.memory().nodes())


@pytest.mark.spec("ASSOC-12")
async def test_with_fixed_slots_a_compression_takes_one_batch_of_the_least_important(make: Make) -> None:
    world = make(schedule="fixed", compression_batch_size=2)
    strengths = {"a": 0.9, "b": 0.5, "c": 1.0, "d": 0.4}
    await world.plant(
        dict.fromkeys("fabcd", LONG), [("f", name, value) for name, value in strengths.items()], focuses=["f"]
    )
    await world.compress()
    scans = {node.id: node.scan_count for node in await world.memory().nodes()}
    assert scans == {"f": 0, "a": 0, "b": 1, "c": 0, "d": 1}


_NEW = st.lists(st.integers(21, 40), unique=True)


@given(st.lists(st.integers(0, 20), unique=True, max_size=8), _NEW, st.integers(1, 6))
def test_focuses_are_the_newest_in_the_order_they_came(old: list[int], new: list[int], most: int) -> None:
    before = [str(number) for number in old][:most]
    after = refocused(before, [str(number) for number in new], most=most)
    assert list(after) == ([str(number) for number in reversed(new)] + before)[:most]


# ── language work ────────────────────────────────────────────────────────────


@pytest.mark.spec("ASSOC-13")
async def test_a_model_that_hangs_keeps_neither_remember_nor_recall_waiting(world: MemoryWorld) -> None:
    await world.plant({"f": "f" * 9, "a": LONG}, [("a", "f", 0.5), ("f", "a", 0.02)], focuses=["f"])
    world.engine.hold["annotation"] = asyncio.Event()
    world.start()
    await world.memory().compress()
    await world.pass_time(1)
    assert [name for name, _ in world.engine.asked] == ["annotation"], "a text is being made shorter"
    assert await world.until(world.memory().recall(["发布"])) == f"[记忆] {LONG}"
    await world.memory().remember("...")
    world.engine.hold["annotation"].set()
    await world.settle()
    assert len((await world.memory().node("a")).content) < len(LONG)


@pytest.mark.spec("ASSOC-13")
async def test_a_compression_that_fails_is_tried_fifteen_times_more_with_growing_waits_then_the_text_stays(
    world: MemoryWorld, caplog: pytest.LogCaptureFixture
) -> None:
    await world.plant({"f": "f" * 9, "a": LONG}, [("a", "f", 0.5)], focuses=["f"])
    world.engine.broken["annotation"] = ModelUnavailable("down")
    moments: list[float] = []
    start = world.time.now
    run = world.engine.run

    async def noted(role: Any, request: Any) -> Any:
        moments.append((world.time.now - start).total_seconds())
        return await run(role, request)

    world.engine.run = noted  # type: ignore[method-assign]
    with caplog.at_level(logging.ERROR, logger="remanent.associative"):
        await world.compress()
    waits = [later - earlier for earlier, later in pairwise(moments)]
    assert len(moments) == 16
    for wait, least in zip(waits, [1, 2, 4, 8, 16, *[30] * 10], strict=True):
        assert least <= wait < least + 35, "the worker looks at its queue at least every thirty seconds"
    assert (await world.memory().node("a")).content == LONG
    assert "keep their text" in caplog.text
    assert not await world.jobs(), "it is no dead letter: everything else went on"
    assert (await world.strengths())["a", "f"] == pytest.approx(0.485)


@pytest.mark.spec("ASSOC-13")
async def test_a_compression_that_takes_too_long_counts_as_failed(make: Make) -> None:
    world = make(worker_timeout=0.01, max_retries=0)
    await world.plant({"f": "f" * 9, "a": LONG}, [("a", "f", 0.5)], focuses=["f"])
    world.engine.hold["annotation"] = asyncio.Event()
    worker = world.start()
    await world.memory().compress()
    async with asyncio.timeout(120):
        while await world.jobs():
            worker.watch(ADA)
            await asyncio.sleep(0.01)
    assert (await world.memory().node("a")).content == LONG


@pytest.mark.spec("ASSOC-13")
async def test_an_older_rewriting_does_not_overwrite_a_newer_text(world: MemoryWorld) -> None:
    await world.plant({"f": "f" * 9, "a": LONG}, [("a", "f", 0.5)], focuses=["f"])
    world.engine.hold["annotation"] = asyncio.Event()
    world.start()
    await world.memory().compress()
    await world.pass_time(1)
    assert [name for name, _ in world.engine.asked] == ["annotation"], "a text is being made shorter"
    async with world.store.transaction(ADA) as tx:
        work = await world.associations.graphs.work(tx, at=world.time.now)
        await work.update_content("a", "a newer text", "a newer phrase", ("newer",), made_by=Maker(role="test"))
    world.engine.hold["annotation"].set()
    await world.settle()
    node = await world.memory().node("a")
    assert (node.content, node.phrase, node.keywords) == ("a newer text", "a newer phrase", ("newer",))


class Stars(Compressor):
    """A way of shortening that nobody thought of."""

    async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
        return ShortenedText("*" * target, "stars", ("star",), Maker(role="stars"))


class Mumbling(Compressor):
    """Leaves less than was asked for."""

    async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
        return ShortenedText("Jon", "Jon", ("Jon",), Maker(role="mumbling"))


@pytest.mark.spec("ASSOC-11")
async def test_what_is_left_with_too_few_characters_is_deleted_and_told_by_what_it_said_before(make: Make) -> None:
    world = make(compressor=Mumbling())
    await world.plant({"f": "f" * 9, "a": LONG}, [("a", "f", 0.5)], focuses=["f"])
    await world.compress()
    (stone,) = await world.memory().forgotten()
    assert stone.node_id == "a"
    assert LONG.startswith(stone.about.rstrip("…"))


@pytest.mark.spec("ASSOC-15")
async def test_another_way_of_shortening_can_be_put_in(make: Make) -> None:
    world = make(compressor=Stars())
    await world.plant({"f": "f" * 9, "a": LONG}, [("a", "f", 0.5)], focuses=["f"])
    await world.compress()
    node = await world.memory().node("a")
    assert (node.content, node.phrase, node.keywords) == ("*" * (len(LONG) // 2), "stars", ("star",))


@pytest.mark.spec("ASSOC-15")
async def test_key_sentences_are_kept_in_their_own_words() -> None:
    text = "张伟住在杭州。今天天气不错。他在六月一日之前完成了三份报告。大家都很好。"
    shortened = await KeySentences().shorten(text, target=20, original_length=len(text))
    assert len(shortened.content) <= 20
    assert shortened.content in text
    assert shortened.made_by.engine == "offline"


@pytest.mark.spec("ASSOC-15")
async def test_levels_go_down_in_steps_and_rewrite_less_often() -> None:
    asked: list[int] = []

    class Noting(Stars):
        async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
            asked.append(target)
            return await super().shorten(text, target=target, original_length=original_length)

    levels = Levels(Noting())
    for target in (99, 80, 61, 45, 21, 19, 7):
        await levels.shorten("x" * 100, target=target, original_length=100)
    assert asked == [80, 80, 60, 40, 20, 19, 7]


@pytest.mark.spec("ASSOC-15")
def test_settings_choose_the_way_of_shortening() -> None:
    engine = OfflineEngine()
    ways = [type(open_compressor(name, engine)) for name in ("role", "key-sentences", "levels")]
    assert ways == [RoleCompressor, KeySentences, Levels]


async def test_a_job_that_was_to_go_on_with_a_round_that_has_ended_looks_at_nothing(world: MemoryWorld) -> None:
    await world.plant(dict.fromkeys("fab", LONG), [("f", "a", 1.0), ("f", "b", 1.0)], focuses=["f"])
    await world.compress()
    before = picture(await world.graph())
    late = Job(
        id="late", scope=ADA, kind=COMPRESS, lane=COMPRESS, payload={"begun": 0}, enqueued_at=world.time.now
    )  # fmt: skip
    async with world.store.transaction(ADA) as tx:
        await world.associations.scheduler.run_compression_slice(late, tx)
    assert picture(await world.graph()) == before


async def test_a_round_passes_over_what_is_gone_or_in_focus_since_it_began(world: MemoryWorld) -> None:
    await world.plant(dict.fromkeys("fab", LONG), [("f", "a", 1.0), ("f", "b", 1.0)], focuses=["f"])
    world.associations.scheduler._left[ADA.owner] = deque(["f", "gone", "b"])
    await world.compress()
    assert [node.scan_count for node in await world.memory().nodes()] == [0, 0, 1]


async def test_only_texts_that_are_there_and_too_long_are_given_to_the_model(make: Make) -> None:
    world = make(compressor=Stars())
    await world.plant({"long": LONG, "short": LONG[:10]})
    targets: list[JsonValue] = [["gone", 10], ["short", 10], ["long", 10]]
    job = Job(id="j", scope=ADA, kind=REWRITE, lane=REWRITE, payload={"nodes": targets}, enqueued_at=world.time.now)
    async with world.store.transaction(ADA) as tx:
        await world.associations.scheduler.rewrite(job, tx)
    assert [node.content for node in await world.memory().nodes()] == ["*" * 10, LONG[:10]]

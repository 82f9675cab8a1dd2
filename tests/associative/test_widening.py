"""The default recall: words and meaning anywhere in the graph, how far away it was, and what it says of the unknown."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import JsonValue

from remanent.associative.model import TRACE, Knowledge
from remanent.associative.search import GraphQuery
from remanent.associative.widening import WideningSearch
from remanent.memory import aopen
from remanent.recall.gate import GATE, VERSION
from remanent.stores import Hit, RecordFilter
from tests.associative.world import MemoryWorld
from tests.jobs.world import ADA

CHAIN = {
    "f": "The report is due soon.",
    "a": "Ada bought a red bicycle.",
    "b": "The train to Leeds was late.",
    "c": "Rain fell all afternoon.",
    "d": "Grandmother keeps bees behind the orchard.",
}
TOWNS = [
    f"{one}{two}" for one in ("Ald", "Bux", "Cor", "Dun", "Elm") for two in ("by", "ford", "ham", "ley", "ton", "wick")
]
STEPS = [("f", "a", 1.0), ("a", "b", 0.5), ("b", "c", 0.5), ("c", "d", 0.5)]


@pytest.fixture
async def chain(world: MemoryWorld) -> MemoryWorld:
    """The focus is of today; what it leads to was told days before."""
    await world.plant({node_id: text for node_id, text in CHAIN.items() if node_id != "f"}, STEPS[1:])
    world.time.move_to(world.time.now + timedelta(days=3))
    await world.plant({"f": CHAIN["f"]}, STEPS[:1], focuses=["f"])
    return world


@pytest.mark.spec("ASSOC-08", "USE-11")
async def test_what_lies_further_away_answers_and_says_how_far(chain: MemoryWorld) -> None:
    found = await chain.memory().search(["bees", "orchard"])
    assert [item.node.id for item in found.items][:1] == ["d"]
    assert (found.knowledge, found.items[0].distance, found.items[0].strength) == (Knowledge.FURTHER_AWAY, 4, 0.125)
    text = await chain.memory().recall(["bees", "orchard"])
    assert text.startswith("[记忆] Grandmother keeps bees")
    assert text.endswith("further from what is in mind now")


@pytest.mark.spec("USE-11")
async def test_what_was_told_minutes_ago_is_not_called_far_away_however_much_was_said_since(world: MemoryWorld) -> None:
    await world.say("我女朋友叫林筱，养了一只橘猫叫馒头。")
    for town in TOWNS[:20]:
        await world.say(f"{town} 的天气很好。")
    found = await world.memory().search(["馒头"])
    assert (found.knowledge, (found.items[0].distance or 0) > 2) == (Knowledge.KNOWN, True)
    assert "较早以前" not in await world.memory().recall(["馒头"])
    world.time.move_to(world.time.now + timedelta(days=3))
    await world.say("今天去看了牙医。")
    assert (await world.memory().search(["馒头"])).knowledge is Knowledge.FURTHER_AWAY
    assert "较早以前" in await world.memory().recall(["馒头"])


@pytest.mark.spec("ASSOC-08")
async def test_what_lies_beyond_the_time_for_paths_answers_all_the_same(chain: MemoryWorld) -> None:
    ticks = count(step=0.04)
    settings, graphs = chain.settings, chain.associations.graphs
    search = WideningSearch(
        chain.store, graphs, vectors=None, embedders=None, settings=settings, timer=lambda: next(ticks)
    )
    found = await search.search(ADA, GraphQuery(keywords=("bees", "orchard")))
    assert [(item.vertex.id, item.distance) for item in found.items][:1] == [("d", None)]


@pytest.mark.spec("ASSOC-08")
async def test_a_link_that_came_since_the_last_question_is_the_way_that_is_told(chain: MemoryWorld) -> None:
    memory = chain.memory()
    assert (await memory.search(["bees", "orchard"])).items[0].distance == 4
    await chain.plant({}, [("f", "d", 0.9)], focuses=["f"])
    found = await memory.search(["bees", "orchard"])
    assert (found.items[0].distance, found.items[0].strength) == (1, 0.9)


@pytest.mark.spec("ASSOC-08")
async def test_an_explicit_depth_is_the_exact_search_and_so_is_the_setting(chain: MemoryWorld) -> None:
    memory = chain.memory()
    assert await memory.recall(["bees"], depth=3) == ""
    assert await memory.recall(["bees"], depth=4) == "[记忆] Grandmother keeps bees behind the orchard."
    chain.associations.settings = chain.settings.model_copy(update={"search": "exact"})
    assert await memory.recall(["bees"]) == ""
    assert (await memory.search(["bees"])).knowledge is None  # two hops do not tell whether it was ever told


@pytest.mark.spec("ASSOC-08", "USE-11")
async def test_what_a_focus_reaches_is_known_without_more_ado(chain: MemoryWorld) -> None:
    found = await chain.memory().search(["bicycle"])
    assert (found.knowledge, found.items[0].distance) == (Knowledge.KNOWN, 1)
    assert "further" not in await chain.memory().recall(["bicycle"])


@pytest.mark.spec("USE-11")
async def test_what_was_never_told_is_answered_by_nothing(chain: MemoryWorld) -> None:
    found = await chain.memory().search(["volcano", "Iceland", "holiday"])
    assert (found.knowledge, found.items, found.once_known) == (Knowledge.NEVER_TOLD, (), ())
    assert await chain.memory().recall(["volcano", "Iceland", "holiday"]) == ""


@pytest.mark.spec("USE-11")
@pytest.mark.parametrize(
    ("talk", "asked", "other"),
    [("The ferry to {} sails at noon.", ["露营"], "火山"), ("我们坐船去第 {number} 个港口。", ["camping"], "volcano")],
)
async def test_a_word_of_another_language_than_all_that_was_told_is_not_said_to_be_never_told(
    world: MemoryWorld, talk: str, asked: list[str], other: str
) -> None:
    told = {f"n{number}": talk.format(town, number=number) for number, town in enumerate(TOWNS)}
    await world.plant(told, focuses=["n0"])
    found = await world.memory().search(asked)
    assert (found.knowledge, found.items) == (None, ())
    await world.plant(
        {"x": "我们带了帐篷。 火柴放在哪里？" if asked == ["露营"] else "We packed the tent."}, focuses=["x"]
    )
    assert (await world.memory().search([other])).knowledge is Knowledge.NEVER_TOLD


@pytest.mark.spec("USE-11")
@pytest.mark.parametrize(
    ("told", "known", "strange"),
    [
        ("Tom sold his old bicycle.", ["tom", "sell", "bicycle"], ["jolene", "bicycle", "race", "weekend"]),
        ("王芳的职业是护士。", ["王芳的职业是什么？"], ["陶若溪的职业是什么？"]),
        ("王芳的职业是护士。", ["王芳的职业是什么？"], ["ZENIT6的职业是什么？"]),
    ],
)
async def test_whom_nobody_ever_spoke_of_is_not_answered_by_what_is_known_of_others(
    world: MemoryWorld, told: str, known: list[str], strange: list[str]
) -> None:
    others = {f"n{number}": f"{town} 的天气很好。 The ferry to {town} sails." for number, town in enumerate(TOWNS)}
    await world.plant({"t": told, **others}, focuses=["t"])
    assert (await world.memory().search(known)).knowledge is Knowledge.KNOWN
    found = await world.memory().search(strange)
    assert (found.knowledge, found.items) == (Knowledge.NEVER_TOLD, ())


@pytest.mark.spec("ASSOC-08")
async def test_a_node_that_no_link_leads_to_is_found_without_a_path(chain: MemoryWorld) -> None:
    await chain.plant({"alone": "The lighthouse keeper plays chess."})
    (best, *_) = (await chain.memory().search(["lighthouse"])).items
    assert (best.node.id, best.distance, best.focus_id, best.strength) == ("alone", None, None, 0.0)


@pytest.mark.spec("ASSOC-08")
async def test_of_two_that_answer_alike_the_one_that_a_focus_reaches_comes_first(world: MemoryWorld) -> None:
    texts = {"f": "Start here.", "far": "The blue kite flew high.", "near": "The blue kite flew high!"}
    await world.plant(texts, [("f", "near", 1.0)], focuses=["f"])
    assert [item.node.id for item in (await world.memory().search(["kite"])).items] == ["near", "far"]
    texts = {"g": "Another.", "near2": "The green canoe drifted.", "far2": "The green canoe drifted!"}
    await world.plant(texts, [("g", "near2", 1.0)], focuses=["g"])
    assert [item.node.id for item in (await world.memory().search(["canoe"])).items] == ["near2", "far2"]


async def test_small_talk_that_became_a_node_is_not_told_as_a_memory(world: MemoryWorld) -> None:
    texts = {"f": "门禁密码这周改了。", "s": "好的，收到。", "t": "快递周三收到了。"}
    await world.plant(texts, [("f", "s", 1.0, "下文"), ("f", "t", 1.0)], focuses=["f"])
    assert [item.node.id for item in (await world.memory().search(["收到"])).items] == ["t"]


async def test_a_question_brings_back_what_was_said_next(world: MemoryWorld) -> None:
    await world.plant(
        {"f": "Start.", "q": "Where did the canary go?", "x": "The kettle boils.", "y": "It flew to the attic."},
        [("q", "y", 0.5, "下文"), ("y", "q", 0.5, "上文"), ("f", "q", 1.0)],
        focuses=["f"],
    )
    assert [item.node.id for item in (await world.memory().search(["canary"])).items] == ["q", "y"]


@pytest.mark.spec("ASSOC-08")
async def test_a_part_of_a_word_is_found_as_the_seed_matches_it(chain: MemoryWorld) -> None:
    assert (await chain.memory().search(["rchar"])).items[0].node.id == "d"


@pytest.mark.spec("ASSOC-08")
async def test_along_certain_relations_it_goes_as_far_as_they_lead_and_nowhere_else(world: MemoryWorld) -> None:
    nodes = {name: f"The ferry number {name} sailed." for name in "fabcde"}
    links = [(one, other, 0.5, "关于") for one, other in ("fa", "ab", "bc")] + [("f", "d", 1.0, "属于")]
    await world.plant(nodes, links, focuses=["f"])
    found = await world.memory().search(["number c"], ["关于"])
    assert [(item.node.id, item.distance) for item in found.items] == [("c", 3)]
    assert not (await world.memory().search(["number e"], ["关于"])).items
    assert not (await world.memory().search(["number d"], ["关于"])).items


@pytest.mark.spec("ASSOC-09")
async def test_what_three_nodes_say_is_told_once(world: MemoryWorld) -> None:
    await world.plant(dict.fromkeys("fabc", "The blue kite flew high."), [("f", "a", 1.0)], focuses=["f"])
    assert (await world.memory().recall(["kite"])).count("kite") == 1


@pytest.mark.spec("ASSOC-09", "USE-11")
@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("我把备用钥匙藏在花盆底下了。", ["备用钥匙", "花盆"], "曾经记得"),
        ("I hid the spare key under the flowerpot.", ["spare", "key", "flowerpot"], "I once knew of"),
    ],
)
async def test_what_was_deleted_is_answered_by_what_is_left_of_it(
    world: MemoryWorld, told: str, asked: list[str], answer: str
) -> None:
    await world.say(told)
    for number in range(6):  # it leaves the focuses, and nothing holds it any longer
        await world.say(f"Number {number} of the ships came in.")
    graph = await world.graph()
    (node_id,) = [vertex.id for vertex in graph.nodes() if told in vertex.content]
    async with world.store.transaction(world.memory().scope) as tx:
        await (await world.associations.graphs.work(tx, at=world.time.now)).delete_nodes([node_id], reason="faded")
    found = await world.memory().search(asked)
    assert (found.knowledge, len(found.once_known)) == (Knowledge.FORGOTTEN, 1)
    assert (await world.memory().recall(asked)).startswith(f"[记忆] {answer}")
    assert not (await world.memory().search(["volcano", "Iceland", "holiday"])).once_known


@pytest.mark.spec("USE-11")
async def test_what_a_living_node_names_is_not_said_to_be_forgotten(
    world: MemoryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = WideningSearch._lost

    async def surer_of_the_lost(*args: Any, **named: Any) -> Any:
        stones, verdict = await judged(*args, **named)
        return stones, verdict.replace(score=99.0)

    monkeypatch.setattr(WideningSearch, "_lost", surer_of_the_lost)
    lost = "The spare key: the spare key hangs where a spare key hangs."
    await world.say(lost)
    for number in range(6):
        await world.say(
            f"Number {number} of the ships came in, and a spare key for cabin {number} was cut at the harbour."
        )
    graph = await world.graph()
    (node_id,) = [vertex.id for vertex in graph.nodes() if lost in vertex.content]
    async with world.store.transaction(world.memory().scope) as tx:
        await (await world.associations.graphs.work(tx, at=world.time.now)).delete_nodes([node_id], reason="faded")
    found = await world.memory().search(["spare key"])
    assert (found.knowledge, len(found.once_known)) == (Knowledge.KNOWN, 1)
    assert (await world.memory().recall(["spare key"])).startswith("[记忆] Number")


@pytest.mark.spec("ASSOC-09")
async def test_only_what_holds_the_words_that_are_asked_for_is_said_to_be_forgotten(tmp_path: Path) -> None:
    fading: JsonValue = {"decay_rate": 0.05}
    async with aopen(tmp_path, embedder="none", associative=fading) as memory:
        ada = memory.agent("ada").associative
        for text in (
            "Jon went to Paris yesterday.",
            "Gina took a short trip to Rome.",
            "Jon makes a comparison of flats.",
            "Jon sold the harbour crane, the blue kite, the old cello, the telescope, the canoe and a brass lamp.",
            *(f"Number {number} of the ships came in." for number in range(12)),
        ):
            await ada.remember(text)
        await memory.settle()
        for _ in range(6):
            await ada.compress()
            await memory.settle()
        asked = ("Paris", "telescope", "Rome shoes")
        found = {word: (await ada.search([word])).once_known for word in asked}
    assert [stone.about for stone in found["Paris"]] == ["Jon went to Paris"]
    assert [stone.about for stone in found["telescope"]] == ["telescope"], (
        "told by what is asked for, not by what was left"
    )
    assert not found["Rome shoes"]


# ── meaning ──────────────────────────────────────────────────────────────────


class Nearby:
    """Stands for the vectors and the embedder: says how near each node is, whatever is asked."""

    model_id = "nearby"
    model_ids = ("nearby",)

    def __init__(self, **cosines: float) -> None:
        self.members = (self,)
        self._hits = [Hit(node_id, cosine) for node_id, cosine in sorted(cosines.items(), key=lambda pair: -pair[1])]

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), np.float32)

    async def search(self, *_: object, record_filter: RecordFilter, limit: int, **__: object) -> list[Hit]:
        return self._hits[:limit] if record_filter.kinds == (TRACE,) else []


def by_meaning(world: MemoryWorld, *, similarity: float | None = None, **cosines: float) -> WideningSearch:
    settings = world.settings.model_copy(update={"similarity": similarity})
    nearby: Any = Nearby(**cosines)
    return WideningSearch(world.store, world.associations.graphs, vectors=nearby, embedders=nearby, settings=settings)


@pytest.mark.spec("ASSOC-15")
async def test_meaning_is_known_where_there_is_a_model_and_a_place_for_its_vectors(chain: MemoryWorld) -> None:
    assert by_meaning(chain).knows_meaning
    nearby: Any = Nearby()
    for vectors, embedders in ((None, nearby), (nearby, None), (None, None)):
        search = WideningSearch(
            chain.store, chain.associations.graphs, vectors=vectors, embedders=embedders, settings=chain.settings
        )
        assert not search.knows_meaning


@pytest.mark.spec("ASSOC-15")
async def test_what_counts_as_near_is_set_or_else_the_usual_for_a_model_that_was_never_measured(
    chain: MemoryWorld,
) -> None:
    cosines = {"a": 0.6, "b": 0.4, "c": 0.1}
    assert await by_meaning(chain, **cosines).similar(ADA, "two wheels") == {"a": 0.6}
    assert await by_meaning(chain, similarity=0.4, **cosines).similar(ADA, "two wheels") == {"a": 0.6, "b": 0.4}
    assert await by_meaning(chain, **cosines).similar(ADA, " ") == {}


@pytest.mark.spec("USE-11")
async def test_what_counts_as_near_is_what_was_measured_for_the_model_and_the_language(chain: MemoryWorld) -> None:
    near = by_meaning(chain, a=0.6, b=0.4, c=0.1)
    measured: JsonValue = {"near": {"vector": [0.3, 0.1]}, "threshold": 1.0}
    kept: JsonValue = {"version": VERSION, "models": {"vector": "nearby"}, "tongues": {"en": measured}}
    async with chain.store.transaction(ADA) as tx:
        tx.state(GATE, kept)
    assert await near.similar(ADA, "two wheels") == {"a": 0.6, "b": 0.4}
    assert await near.similar(ADA, "两个轮子") == {"a": 0.6}, "nothing was measured in Chinese"


@pytest.mark.spec("USE-11")
async def test_a_chinese_question_of_which_hardly_a_word_was_said_is_not_judged_leniently(chain: MemoryWorld) -> None:
    measured: JsonValue = {"near": {"vector": [0.3, 0.1]}, "threshold": 5.0}
    kept: JsonValue = {"version": VERSION, "models": {"vector": "nearby"}, "tongues": {"zh": measured}}
    async with chain.store.transaction(ADA) as tx:
        tx.state(GATE, kept)
    question = GraphQuery(keywords=("周末去海边游泳需要准备什么？",))
    nearly, near = by_meaning(chain, a=0.5), by_meaning(chain, a=0.6)
    assert (await nearly.search(ADA, question)).knowledge is Knowledge.NEVER_TOLD
    assert (await near.search(ADA, question)).knowledge is Knowledge.KNOWN


async def test_meaning_adds_to_words_and_brings_what_has_none_of_them(chain: MemoryWorld) -> None:
    query = GraphQuery(keywords=("train", "bees"), limit=2)
    found = await by_meaning(chain).search(ADA, query)
    assert {item.node.id: item.similarity for item in found.items} == {"b": None, "d": None}
    found = await by_meaning(chain, d=0.6, a=0.7, f=0.2).search(ADA, replace(query, limit=0))
    near = {item.node.id: item.similarity for item in found.items}
    assert near == {"d": 0.6, "b": None, "a": 0.7, "c": None}, "c was said after b; f is not near enough by itself"
    assert next(iter(near)) == "d"


async def test_only_what_happened_then_is_found_by_words_and_meaning(chain: MemoryWorld) -> None:
    later = chain.time.now + timedelta(days=1)
    query = GraphQuery(keywords=("bees",))
    assert (await by_meaning(chain, d=0.9).search(ADA, replace(query, until=later))).items
    assert not (await by_meaning(chain, d=0.9).search(ADA, replace(query, since=later))).items


@pytest.mark.spec("ASSOC-08")
async def test_without_a_model_that_embeds_words_alone_lead_there(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada").associative
        await ada.remember(["The harbour crane was painted red.", "Lunch was late."])
        await memory.settle()
        assert "crane" in await ada.recall(["crane"])

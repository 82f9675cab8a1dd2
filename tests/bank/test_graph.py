from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent.bank.graph import QueryGraph, RetrievedNode
from remanent.bank.node import QueryNode
from remanent.errors import InvalidInput, NotFound
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.sqlite import SqliteStore
from tests.bank.world import NOON, SCOPE, ScriptedEngine, a_bank, add


async def three() -> QueryGraph:
    graph = a_bank(ScriptedEngine()).graph
    await add(graph, "a", "quantum chips of IBM", context="chips", keywords=("quantum", "chip"))
    await add(graph, "b", "the weather in Lisbon", at=NOON + timedelta(hours=1))
    await add(graph, "c", "quantum error correction", at=NOON + timedelta(hours=2))
    return graph


def scored(item: RetrievedNode) -> tuple[str, float]:
    return item.node.id, round(item.score, 4)


@pytest.mark.spec("BANK-04")
async def test_a_node_has_summary_context_keywords_embedding_and_time() -> None:
    node = (await three()).get("a")
    assert (node.id, node.summary, node.context, node.keywords) == (
        "a",
        "quantum chips of IBM",
        "chips",
        ("quantum", "chip"),
    )
    assert node.timestamp == NOON
    assert [len(values) for values in node.embedding.values()] == [4 * 256]
    assert QueryNode.from_json(node.to_json()) == node


@pytest.mark.spec("BANK-05", "BANK-09")
async def test_edges_have_no_direction_and_are_there_once() -> None:
    graph = await three()
    await graph.connect("c", "a", at=NOON)
    await graph.connect("a", "c", at=NOON)
    assert list(graph.edges) == [("a", "c")]
    assert [node.id for node in graph.neighbours("a")] == ["c"]
    assert [node.id for node in graph.neighbours("c")] == ["a"]
    await graph.disconnect("c", "a")
    assert list(graph.edges) == []
    with pytest.raises(InvalidInput):
        await graph.connect("a", "a", at=NOON)


@pytest.mark.spec("BANK-09")
async def test_a_deleted_node_is_gone_with_its_edges() -> None:
    graph = await three()
    await graph.connect("a", "b", at=NOON)
    await graph.delete("a", at=NOON)
    assert "a" not in graph
    assert graph.neighbours("b") == ()
    assert graph.edges == ()
    assert [item.node.id for item in (await graph.search("quantum", k=5)).items] == ["c"]


@pytest.mark.spec("BANK-09")
async def test_an_update_is_embedded_anew_from_summary_context_and_keywords() -> None:
    graph = await three()
    before = graph.get("b")
    after = await graph.update("b", at=NOON, context="storms", keywords=["hail", "hail", " wind "])
    assert (after.context, after.keywords, after.summary) == ("storms", ("hail", "wind"), before.summary)
    assert after.embedding != before.embedding
    assert after.timestamp == before.timestamp
    assert (await graph.search("hail", k=1)).candidates[0].node.id == "b"


@pytest.mark.spec("BANK-09")
@pytest.mark.parametrize("call", ["get", "neighbours", "update", "delete", "connect", "disconnect"])
async def test_an_unknown_id_is_a_clear_error(call: str) -> None:
    graph = await three()
    calls: dict[str, Callable[[], Any]] = {
        "get": lambda: graph.get("zz"),
        "neighbours": lambda: graph.neighbours("zz"),
        "update": lambda: graph.update("zz", at=NOON, context="x"),
        "delete": lambda: graph.delete("zz", at=NOON),
        "connect": lambda: graph.connect("a", "zz", at=NOON),
        "disconnect": lambda: graph.disconnect("a", "zz"),
    }
    with pytest.raises(NotFound, match="no node zz"):
        await calls[call]()


@pytest.mark.spec("BANK-06")
async def test_the_score_is_alpha_of_the_words_and_the_rest_of_the_meaning() -> None:
    graph = await three()
    for alpha in (0.0, 0.3, 0.5, 1.0):
        for item in (await graph.search("quantum chips", k=3, alpha=alpha)).candidates:
            assert item.score == pytest.approx(alpha * item.attribute + (1 - alpha) * item.embedding, abs=1e-6)
            assert 0 <= item.attribute <= 1
            assert 0 <= item.embedding <= 1
    best = (await graph.search("quantum chips", k=1, alpha=1.0)).candidates[0]
    assert (best.node.id, best.attribute) == ("a", 1.0)


@pytest.mark.spec("BANK-06")
@pytest.mark.parametrize(("k", "alpha"), [(0, 0.5), (-1, 0.5), (5, -0.1), (5, 1.1)])
async def test_k_and_alpha_out_of_range_are_refused(k: int, alpha: float) -> None:
    with pytest.raises(InvalidInput):
        await (await three()).search("x", k=k, alpha=alpha)


@pytest.mark.spec("BANK-07")
async def test_candidates_then_their_neighbours_then_all_newest_first() -> None:
    graph = await three()
    await graph.connect("a", "b", at=NOON)
    found = await graph.search("IBM chips", k=1)
    assert [(item.node.id, item.is_candidate) for item in found.items] == [("b", False), ("a", True)]
    (neighbour,) = found.neighbours
    assert neighbour.neighbour_of == ("a",)
    assert neighbour.node == graph.get("b")
    assert [item.node.id for item in found.candidates] == ["a"]
    every = await graph.search("quantum weather", k=3)
    assert [item.node.id for item in every.items] == ["c", "b", "a"]
    assert all(item.is_candidate for item in every.items)


@pytest.mark.spec("BANK-08")
async def test_every_change_is_seen_by_the_next_search_and_an_unchanged_graph_gathers_nothing() -> None:
    graph = await three()
    await graph.search("quantum chips", k=3)
    gathered = graph.index.gathered
    await graph.search("quantum chips", k=3)
    assert graph.index.gathered == gathered
    await add(graph, "d", "quantum gravity")
    assert "d" in [item.node.id for item in (await graph.search("gravity", k=3, alpha=1.0)).items]
    await graph.update("d", at=NOON, context="loops")
    assert [item.node.id for item in (await graph.search("loops", k=3, alpha=1.0)).items] == ["d"]
    await graph.delete("d", at=NOON)
    assert (await graph.search("gravity", k=3, alpha=1.0)).items == ()


@pytest.mark.spec("BANK-30")
async def test_embeddings_can_live_in_a_vector_database_over_the_store(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    vectors = LocalVectors(store)
    inside, outside = a_bank(ScriptedEngine()).graph, a_bank(ScriptedEngine(), store=store, vectors=vectors).graph
    try:
        for graph in (inside, outside):
            await add(graph, "a", "quantum chips of IBM")
            await add(graph, "b", "the weather in Lisbon", at=NOON + timedelta(hours=1))
        assert outside.get("a").embedding == {}
        for question in ("quantum", "weather in Lisbon", "chips"):
            one, other = await inside.search(question, k=2), await outside.search(question, k=2)
            assert [(i.node.id, round(i.score, 4)) for i in one.items] == [
                (i.node.id, round(i.score, 4)) for i in other.items
            ]
        await outside.delete("a", at=NOON)
        assert "a" not in [item.node.id for item in (await outside.search("quantum chips", k=2)).items]
    finally:
        await vectors.close()
        await store.close()


def test_a_vector_database_without_a_store_is_refused() -> None:
    with pytest.raises(InvalidInput, match="store"):
        a_bank(ScriptedEngine(), vectors=object())  # type: ignore[arg-type]


def test_a_bank_needs_a_task() -> None:
    with pytest.raises(InvalidInput, match="task"):
        a_bank(ScriptedEngine(), scope=SCOPE.owner)

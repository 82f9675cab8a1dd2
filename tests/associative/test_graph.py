"""The graph in memory and the store say the same, whoever changed it."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from remanent.model import Kind, Link
from remanent.stores import Erasure
from tests.associative.world import MemoryWorld, picture
from tests.jobs.world import ADA, BOB

TEXT = "The harbour master moved the crane to the northern pier."


async def fresh(world: MemoryWorld) -> dict[str, Any]:
    """What a process that has just begun sees."""
    return picture(await world.associate(world.open_store()).graphs.at(ADA))


async def test_after_many_turns_the_graph_in_memory_is_that_of_the_store(world: MemoryWorld) -> None:
    for number in range(12):
        await world.say(f"Crane {number} was moved to pier {number}.", f"Its driver {number} likes the new place.")
        await world.compress()
        assert picture(await world.graph()) == await fresh(world)


async def test_what_others_put_into_the_same_unit_of_work_is_in_the_graph(world: MemoryWorld) -> None:
    await world.plant({"a": TEXT, "b": TEXT}, [("a", "b", 1.0)], focuses=["a"])
    graph = await world.graph()
    async with world.store.transaction(ADA) as tx:
        await world.associations.graphs.work(tx, at=world.time.now)
        tx.touch(["b"], scanned=1)
        tx.drop("a")
    assert await world.graph() is graph
    assert picture(graph) == await fresh(world)
    assert [vertex.scan_count for vertex in graph.nodes()] == [1]


async def test_the_graph_is_read_once_and_then_follows_commits(
    world: MemoryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.say(TEXT)
    await world.graph()
    loads: list[object] = []
    load = world.associations.graphs._load

    async def counted(owner: Any) -> Any:
        loads.append(owner)
        return await load(owner)

    monkeypatch.setattr(world.associations.graphs, "_load", counted)
    for number in range(3):
        await world.say(f"Crane {number} was moved to pier {number}.")
        await world.compress()
    assert len(await world.graph()) == 4
    assert loads == []


async def test_a_commit_that_is_told_of_while_the_revision_is_read_has_nothing_loaded_anew(
    world: MemoryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.plant({"a": TEXT, "b": TEXT}, focuses=["a"])
    graph, read = await world.graph(), world.store.graph_revision
    async with AsyncExitStack() as commit:
        tx = await commit.enter_async_context(world.store.transaction(ADA))
        (await world.associations.graphs.work(tx, at=world.time.now)).create_link("a", "b", 0.5)

        async def overtaken(*asked: Any) -> int:
            monkeypatch.setattr(world.store, "graph_revision", read)
            revision = await read(*asked)
            await commit.aclose()
            return revision

        monkeypatch.setattr(world.store, "graph_revision", overtaken)
        assert await world.graph() is graph
    assert await world.strengths() == {("a", "b"): 0.5}


async def test_a_graph_of_many_links_is_read_in_pieces(world: MemoryWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remanent.associative.graph.LINKS_AT_ONCE", 3)
    await world.plant(dict.fromkeys("abcd", TEXT), [(a, b, 0.5) for a in "abcd" for b in "abcdx" if a != b])
    assert await fresh(world) == picture(await world.graph())


async def test_what_another_process_does_is_seen_at_the_next_look(world: MemoryWorld) -> None:
    await world.plant({"a": TEXT, "b": TEXT}, [("a", "b", 1.0)], focuses=["a"])
    assert len(await world.graph()) == 2
    other = world.open_store()
    async with other.transaction(ADA) as tx:
        work = await world.associate(other).graphs.work(tx, at=world.time.now)
        await work.delete_nodes(["b"], reason="elsewhere")
    graph = await world.graph()
    assert [vertex.id for vertex in graph.nodes()] == ["a"]
    assert [stone.node_id for stone in await world.memory().forgotten()] == ["b"]
    assert picture(graph) == await fresh(world)


async def test_a_commit_between_reading_and_writing_is_not_lost(world: MemoryWorld) -> None:
    await world.plant({"a": TEXT, "b": TEXT}, focuses=["a"])
    async with world.store.transaction(ADA) as tx:
        work = await world.associations.graphs.work(tx, at=world.time.now)
        work.create_link("a", "b", 0.5, "one")
        other = world.open_store()
        async with other.transaction(ADA) as between:
            now = world.time.now
            between.link(Link(from_id="b", to_id="a", strength=0.5, created_at=now, updated_at=now))
    assert await world.strengths() == {("a", "b"): 0.5, ("b", "a"): 0.5}
    assert picture(await world.graph()) == await fresh(world)


async def test_work_that_fails_leaves_no_trace_in_memory(world: MemoryWorld) -> None:
    await world.plant({"a": TEXT}, focuses=["a"])
    before = picture(await world.graph())
    with pytest.raises(ZeroDivisionError):
        await _fail(world)
    assert picture(await world.graph()) == before


async def _fail(world: MemoryWorld) -> None:
    async with world.store.transaction(ADA) as tx:
        work = await world.associations.graphs.work(tx, at=world.time.now)
        work.create_link("a", "a", 1.0)
        raise ZeroDivisionError


async def test_links_to_records_of_another_kind_neither_count_nor_dangle(world: MemoryWorld) -> None:
    await world.plant({"a": TEXT}, focuses=["a"])
    (record,) = await world.store.records(ADA, _every())
    turn = record.replace(id="turn", kind=Kind.TURN, data=None)
    async with world.store.transaction(ADA) as tx:
        tx.put(turn)
        tx.link(Link(from_id="a", to_id="turn", created_at=world.time.now, updated_at=world.time.now))
    assert (await world.memory().links("a")).dangling == ()
    assert await world.memory().importance("a") == 0


def _every() -> Any:
    from remanent.stores import RecordQuery

    return RecordQuery(limit=10)


@pytest.mark.spec("ASSOC-10")
async def test_a_node_put_out_of_mind_by_hand_is_forgotten_here_too(world: MemoryWorld) -> None:
    await world.plant({"a": TEXT, "b": TEXT}, [("a", "b", 1.0)], focuses=["a"])
    (_, record) = await world.store.records(ADA, _every())
    async with world.store.transaction(ADA) as tx:
        tx.forget(record, at=world.time.now, reason="by hand")
    assert [node.id for node in await world.memory().nodes()] == ["a"]
    assert [link.to_id for link in (await world.memory().links("a")).dangling] == ["b"]


async def test_erasing_takes_nodes_links_and_tombstones_with_it(world: MemoryWorld) -> None:
    await world.say("Crane 7 was moved to pier 9.")
    receipt = await world.say("Its driver has the secret word xyzzy.")
    await world.store.erase(ADA, Erasure(entry_ids=receipt.entry_ids))
    world.associations.forget(ADA)
    graph = await world.graph()
    assert [vertex.content for vertex in graph.nodes()] == ["Crane 7 was moved to pier 9."]
    assert graph.state().links == 0
    assert "xyzzy" not in repr(picture(graph))


async def test_the_longest_unused_graphs_are_let_go_when_there_is_no_room(
    world: MemoryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remanent.associative.graph.MAX_VERTICES", 2)
    await world.plant({"a": TEXT, "b": TEXT})
    await world.plant({"c": TEXT}, scope=BOB)
    await world.graph()
    first = await world.graph()
    await world.graph(BOB)
    assert await world.graph() is not first
    assert picture(await world.graph()) == picture(first)

"""The graph as triples: everything goes out, and comes back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.associative.triples import read_triples, to_triples
from remanent.errors import InvalidInput
from remanent.model import EntryKind, Origin
from remanent.stores import EntryQuery
from tests.associative.conftest import Make
from tests.associative.graphs import graph_of
from tests.associative.world import MemoryWorld, picture
from tests.jobs.world import ADA, BOB

RDF = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@pytest.mark.spec("ASSOC-14")
def test_nodes_links_and_focuses_are_told_in_one_vocabulary() -> None:
    graph = graph_of({"a": '他说"好"\n然后走了', "b": "另一件事"}, [("a", "b", 0.8, "属于")], focuses=["b", "a"])
    lines = to_triples(graph)
    for line in (
        f"<node:a> {RDF} <memory:Node> .",
        '<node:a> <memory:content> "他说\\"好\\"\\n然后走了" .',
        '<node:a> <memory:keywords> "[]" .',
        '<node:a> <memory:scanCount> "0" .',
        '<node:a> <memory:createdAt> "1735689600000" .',
        "<node:a> <memory:link> <node:b> .",
        f"<link:a:b> {RDF} <memory:Link> .",
        '<link:a:b> <memory:strength> "0.8" .',
        '<link:a:b> <memory:relation> "属于" .',
        f"<focus:current> {RDF} <memory:FocusList> .",
        "<focus:current> <memory:member> <node:a> .",
        '<node:a> <memory:order> "1" .',
        '<node:b> <memory:order> "2" .',
    ):
        assert line in lines
    assert all("\n" not in line for line in lines)


@pytest.mark.spec("ASSOC-14")
@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_text_comes_back_as_it_was(text: str) -> None:
    reading = read_triples(to_triples(graph_of({"a": text})))
    assert reading.nodes["a"]["content"] == text


@pytest.mark.spec("ASSOC-14")
async def test_a_graph_that_went_out_comes_in_the_same(world: MemoryWorld) -> None:
    for number in range(4):
        await world.say(f"Crane {number} was moved to pier {number}.", f"团子第{number}次搬到了杭州的新家。")
        await world.compress()
    await world.plant({"x": "一件会被忘掉的事情"}, [("x", "gone", 0.5, "上文"), ("x", "gone", 0.4)])
    lines = await world.memory().triples()
    taken = await world.memory(BOB).load_triples(lines)
    graph, copy = await world.graph(), await world.graph(BOB)
    assert (taken.nodes, taken.links, taken.known) == (9, graph.state().links, 0)
    one, other = picture(graph), picture(copy)
    assert one | {"forgotten": {}} == other | {"forgotten": {}}
    assert await world.memory(BOB).triples() == lines
    assert picture(await world.associate(world.open_store()).graphs.at(BOB)) == other


async def test_what_came_in_has_its_words_in_the_journal_marked_as_imported(world: MemoryWorld) -> None:
    await world.memory().load_triples([f"<node:a> {RDF} <memory:Node> .", '<node:a> <memory:content> "团子"@zh .'])
    (entry,) = await world.store.entries(ADA, EntryQuery())
    assert (entry.text, entry.kind, entry.origin) == ("团子", EntryKind.DOCUMENT, Origin.IMPORT)


async def test_nodes_that_are_here_stay_as_they_are(world: MemoryWorld) -> None:
    await world.plant({"a": "as it was"}, focuses=["a"])
    lines = [f"<node:a> {RDF} <memory:Node> .", '<node:a> <memory:content> "another" .', "", "# a remark"]
    taken = await world.memory().load_triples(lines)
    assert (taken.nodes, taken.known) == (0, 1)
    assert (await world.memory().node("a")).content == "as it was"


@pytest.mark.parametrize(
    "lines",
    [
        ["no triple"],
        ["<node:a> <memory:content> <unclosed ."],
        ['<node:a> <memory:content> "text"'],
        [f"<node:a> {RDF} <memory:Node> ."],
        [f"<node:a> {RDF} <memory:Node> .", r'<node:a> <memory:content> "\q" .'],
        [f"<node:a> {RDF} <memory:Node> .", r'<node:a> <memory:content> "\UFFFFFFFF" .'],
        [f"<node:a> {RDF} <memory:Node> .", '<node:a> <memory:content> "x" .', '<node:a> <memory:keywords> "x" .'],
        [f"<node:a> {RDF} <memory:Node> .", '<node:a> <memory:content> "x" .', '<node:a> <memory:createdAt> "-5" .'],
        [f"<link:a:b> {RDF} <memory:Link> ."],
        [
            f"<node:a> {RDF} <memory:Node> .",
            '<node:a> <memory:content> "x" .',
            f"<link:a:b> {RDF} <memory:Link> .",
            '<link:a:b> <memory:strength> "7" .',
        ],
    ],
)
async def test_what_makes_no_sense_is_refused_and_nothing_of_it_is_taken(world: MemoryWorld, lines: list[str]) -> None:
    await world.plant({"z": "stays"})
    with pytest.raises(InvalidInput):
        await world.memory().load_triples(lines)
    assert [node.id for node in await world.memory().nodes()] == ["z"]


async def test_more_than_the_slots_hold_is_refused(make: Make) -> None:
    world = make(schedule="fixed", max_nodes=1)
    lines = to_triples(graph_of("ab"))
    with pytest.raises(InvalidInput, match="slots"):
        await world.memory().load_triples(lines)

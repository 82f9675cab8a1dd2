"""The graph as triples: everything goes out, and comes back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.associative.triples import read_triples, to_triples
from remanent.errors import InvalidInput
from remanent.model import EntryKind, Origin
from remanent.stores import EntryQuery
from remanent.stores.conformance.base import Samples
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
    assert reading.nodes["a"].text("content") == text


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


NODE = [f"<node:a> {RDF} <memory:Node> .", '<node:a> <memory:content> "x" .']
LINK = f"<link:a:b> {RDF} <memory:Link> ."


@pytest.mark.spec("ASSOC-14")
@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["", "# a remark", "not a triple"], 3),
        (["<node:a> <memory:content> <unclosed ."], 1),
        (['<node:a> <memory:content> "text"'], 1),
        ([*NODE, f"<node:b> {RDF} <memory:Node> ."], 3),
        ([*NODE, r'<node:a> <memory:phrase> "\q" .'], 3),
        ([*NODE, r'<node:a> <memory:phrase> "\UFFFFFFFF" .'], 3),
        ([*NODE, r'<node:a> <memory:phrase> "\uD800" .'], 3),
        ([*NODE, '<node:a> <memory:keywords> "x" .'], 3),
        ([*NODE, '<node:a> <memory:keywords> "[1]" .'], 3),
        ([*NODE, '<node:a> <memory:createdAt> "-5" .'], 3),
        ([*NODE, '<node:a> <memory:scanCount> "٣" .'], 3),
        ([*NODE, '<node:a> <memory:originalLength> "9007199254740993" .'], 3),
        ([*NODE, '<node:a> <memory:content> "y" .'], 3),
        ([*NODE, '<node:a> <memory:colour> "red" .'], 3),
        ([*NODE, "<node:a> <memory:content> <node:b> ."], 3),
        ([*NODE, f"<node:an%20id> {RDF} <memory:Node> ."], 3),
        ([*NODE, '<node:b> <memory:content> "of no node" .'], 3),
        ([LINK], 1),
        ([*NODE, LINK, '<link:a:b> <memory:strength> "7" .'], 4),
        ([*NODE, LINK, '<link:a:b> <memory:strength> "nan" .'], 4),
        ([*NODE, LINK, '<link:a:b> <memory:strength> "strong" .'], 4),
        ([*NODE, LINK, f"<link:a:b:2> {RDF} <memory:Link> ."], 4),
        ([*NODE, '<link:a:b> <memory:strength> "0.5" .'], 3),
        ([*NODE, f"<link:a> {RDF} <memory:Link> ."], 3),
        ([*NODE, "<node:b> <memory:link> <node:a> ."], 3),
        ([*NODE, f"<node:z> {RDF} <memory:Node> .", f"<node:of-another-kind> {RDF} <memory:Node> ."], 4),
    ],
)
async def test_what_makes_no_sense_is_refused_by_its_line_and_nothing_of_it_is_taken(
    world: MemoryWorld, lines: list[str], line: int
) -> None:
    await world.plant({"z": "stays"})
    async with world.store.transaction(ADA) as tx:
        tx.put(Samples().make_record(ADA, "a turn", id="of-another-kind"))
    before = [entry.id for entry in await world.store.entries(ADA, EntryQuery())]
    with pytest.raises(InvalidInput, match=rf"^line {line}: .*nothing was imported$"):
        await world.memory().load_triples(lines)
    assert [node.id for node in await world.memory().nodes()] == ["z"]
    assert [entry.id for entry in await world.store.entries(ADA, EntryQuery())] == before


async def test_a_node_that_only_leads_to_another_gets_a_link_of_the_usual_strength(world: MemoryWorld) -> None:
    await world.memory().load_triples([*NODE, "<node:a> <memory:link> <node:gone> ."])
    assert await world.strengths() == {("a", "gone"): 0.5}


async def test_a_forgotten_node_that_comes_in_again_is_no_longer_forgotten(world: MemoryWorld) -> None:
    await world.plant({"a": "nothing holds this"})
    lines = await world.memory().triples()
    await world.compress()
    assert [stone.node_id for stone in await world.memory().forgotten()] == ["a"]
    await world.memory().load_triples(lines)
    assert await world.memory().forgotten() == []
    assert await world.associate(world.open_store()).store.tombstones(ADA) == []
    assert await world.memory().triples() == lines


async def test_more_than_the_slots_hold_is_refused(make: Make) -> None:
    world = make(schedule="fixed", max_nodes=1)
    lines = to_triples(graph_of("ab"))
    with pytest.raises(InvalidInput, match="slots"):
        await world.memory().load_triples(lines)


@pytest.mark.spec("ASSOC-14")
async def test_what_was_forgotten_travels_with_the_graph(world: MemoryWorld) -> None:
    await world.plant({"f": "一件记得的事情", "x": "The ferry to the island."}, [("f", "x", 0.5)], focuses=["f"])
    async with world.store.transaction(ADA) as tx:
        work = await world.associations.graphs.work(tx, at=world.time.now)
        await work.delete_nodes(["x"], reason="faded")
    lines = await world.memory().triples()
    await world.memory(BOB).load_triples(lines)
    (own,), (other,) = await world.memory().forgotten(), await world.memory(BOB).forgotten()
    assert other == own.replace(sources=())
    assert "ferry" in await world.memory(BOB).recall(["ferry", "island"])
    with pytest.raises(InvalidInput, match="line 1: no line says that <forgotten:y>"):
        await world.memory(BOB).load_triples(['<forgotten:y> <memory:about> "z" .'])


@pytest.mark.spec("ASSOC-14")
async def test_the_seed_s_own_notation_is_read(world: MemoryWorld) -> None:
    lines = """
        # names without brackets, no dot at the end, rdf:type
        @prefix memory: <memory:> .
        node:n1  rdf:type        memory:Node
        node:n1  memory:content  "文本内容"
        node:n1  memory:phrase   "短语摘要"
        node:n1  memory:keywords "[\\"关键词1\\", \\"关键词2\\"]"
        node:n1  memory:createdAt "1707123456789"
        node:n1  memory:scanCount "5"
        node:n2  rdf:type        memory:Node
        node:n2  memory:content  "另一段"
        node:n1  memory:link     node:n2
        link:n1:n2  rdf:type     memory:Link
        link:n1:n2  memory:strength  "0.8"
        link:n1:n2  memory:relation  "focus-link"
        focus:current  rdf:type      memory:FocusList
        focus:current  memory:member node:n1
        focus:current  memory:order  "1"
    """
    taken = await world.memory().load_triples(lines.splitlines())
    assert (taken.nodes, taken.links) == (2, 1)
    node = await world.memory().node("n1")
    assert (node.content, node.keywords, node.scan_count) == ("文本内容", ("关键词1", "关键词2"), 5)
    assert [focus.id for focus in await world.memory().focus()] == ["n1"]
    (link,) = (await world.memory().links("n1")).valid
    assert (link.to_id, link.strength, link.relation) == ("n2", 0.8, "focus-link")

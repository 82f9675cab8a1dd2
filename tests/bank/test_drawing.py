import xml.etree.ElementTree as ET

from remanent.bank.drawing import draw
from tests.bank.test_conflicts import two_heights
from tests.bank.world import NOON, ScriptedEngine, a_bank


async def test_the_drawing_shows_every_node_edge_and_open_contradiction_and_is_the_same_each_time() -> None:
    bank = await two_heights()
    await bank.observe("The town of <Vell> & its station.")
    first, second, third = (node.id for node in bank.graph.nodes)
    await bank.graph.connect(first, third, at=NOON)
    svg = draw(bank)
    assert svg == draw(bank)
    root = ET.fromstring(svg)
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}g")) == 3
    lines = root.findall(f"{space}line")
    assert [line.get("stroke-dasharray") for line in lines] == [None, "6 4"]
    titles = [str(title.text) for title in root.iter(f"{space}title")]
    assert any("<Vell> &" in title for title in titles)
    assert all(any(node_id in title for title in titles) for node_id in (first, second, third))


async def test_an_empty_graph_and_a_large_one_are_drawn() -> None:
    bank = a_bank(ScriptedEngine())
    await bank.start("goal")
    assert draw(bank).endswith("</svg>\n")

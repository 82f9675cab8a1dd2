import xml.etree.ElementTree as ET

from remanent.cli.bank import draw
from tests.bank.test_conflicts import two_heights
from tests.bank.world import NOON, ScriptedEngine, a_bank, add

SPACE = "{http://www.w3.org/2000/svg}"


async def test_labels_stay_on_the_sheet_in_chinese_too_and_many_nodes_get_a_larger_one() -> None:
    bank = a_bank(ScriptedEngine())
    await bank.start("这座观测站的主镜直径是多少，它是什么时候启用的？")
    for number in range(60):
        await add(bank.graph, f"node-{number}", f"## 第{number}节 天岭观测站的海拔高度与主镜直径以及它的启用时间")
    root = ET.fromstring(draw(bank))
    width, height = (float(value) for value in str(root.get("viewBox")).split()[2:])
    assert width > 960
    labels = [group.find(f"{SPACE}text") for group in root.findall(f"{SPACE}g")]
    assert len(labels) == 60
    for label in labels:
        assert label is not None
        assert not str(label.text).startswith("#")
        wide = 6.5 * sum(2 if ord(sign) > 0x2E80 else 1 for sign in str(label.text))
        assert float(str(label.get("x"))) - wide / 2 >= 0
        assert float(str(label.get("x"))) + wide / 2 <= width
        assert float(str(label.get("y"))) <= height


async def test_the_drawing_shows_every_node_edge_and_open_contradiction_and_is_the_same_each_time() -> None:
    bank = await two_heights()
    await bank.observe("The town of <Vell> & its station.")
    first, second, third = (node.id for node in bank.graph.nodes)
    await bank.graph.connect(first, third, at=NOON)
    svg = draw(bank)
    assert svg == draw(bank)
    root = ET.fromstring(svg)
    assert len(root.findall(f"{SPACE}g")) == 3
    lines = root.findall(f"{SPACE}line")
    assert [line.get("stroke-dasharray") for line in lines] == [None, "6 4"]
    titles = [str(title.text) for title in root.iter(f"{SPACE}title")]
    assert any("<Vell> &" in title for title in titles)
    assert all(any(node_id in title for title in titles) for node_id in (first, second, third))


async def test_an_empty_graph_and_a_large_one_are_drawn() -> None:
    bank = a_bank(ScriptedEngine())
    await bank.start("goal")
    assert draw(bank).endswith("</svg>\n")

"""The graph as a picture."""

import xml.etree.ElementTree as ET

import pytest

from remanent.associative.drawing import MOST_DRAWN, draw
from tests.associative.graphs import Link, graph_of

SVG = "{http://www.w3.org/2000/svg}"


def test_focuses_nodes_strengths_and_ends_that_dangle_are_drawn() -> None:
    links: list[Link] = [("f", "a", 1.0, "属于"), ("a", "f", 0.2), ("a", "gone", 0.5), ("a", "f", 0.001, "broken")]
    picture = ET.fromstring(draw(graph_of({"f": "a <b> & c", "a": "团子"}, links, focuses=["f"])))
    circles = picture.findall(f"{SVG}circle")
    paths = picture.findall(f"{SVG}path")
    assert [circle.get("stroke-dasharray") for circle in circles].count("3 2") == 1, "one empty end"
    assert len(circles) == 3
    assert len(paths) == 3, "a broken link is not drawn"
    widths = sorted(float(path.get("stroke-width") or 0) for path in paths)
    assert widths == pytest.approx([0.4 + 2.2 * strength for strength in (0.2, 0.5, 1.0)], abs=0.01)
    assert [path.get("stroke-dasharray") for path in paths].count("4 3") == 1
    assert {circle.get("fill") for circle in circles} == {"#b3541e", "#1b6ca8", "white"}
    assert "a <b> & c" in "".join(picture.itertext())


def test_an_empty_graph_can_be_drawn() -> None:
    ET.fromstring(draw(graph_of([])))


def test_a_large_graph_is_drawn_in_part_and_says_so() -> None:
    names = [f"n{number}" for number in range(MOST_DRAWN + 50)]
    graph = graph_of(names, [("n0", name, 0.5) for name in names[1:]], focuses=["n0"])
    picture = ET.fromstring(draw(graph))
    assert len(picture.findall(f"{SVG}circle")) == MOST_DRAWN
    assert f"{MOST_DRAWN + 50} nodes" in "".join(picture.itertext())

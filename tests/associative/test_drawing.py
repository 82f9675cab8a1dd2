"""The graph as a picture."""

import xml.etree.ElementTree as ET
from math import hypot

import pytest

from remanent.associative.drawing import MAX_DRAWN, draw
from remanent.associative.model import Forgotten
from tests.associative.graphs import START, Link, graph_of

SVG = "{http://www.w3.org/2000/svg}"


def _drawn(picture: ET.Element, sort: str) -> list[ET.Element]:
    """The shapes of the graph: they say what they are when pointed at, those of the legend do not."""
    return [shape for shape in picture.findall(f"{SVG}{sort}") if shape.find(f"{SVG}title") is not None]


def test_focuses_nodes_strengths_and_ends_that_dangle_are_drawn() -> None:
    links: list[Link] = [("f", "a", 1.0, "属于"), ("a", "f", 0.2), ("a", "gone", 0.5), ("a", "f", 0.001, "broken")]
    picture = ET.fromstring(draw(graph_of({"f": "a <b> & c", "a": "团子"}, links, focuses=["f"])))
    circles, paths = _drawn(picture, "circle"), _drawn(picture, "path")
    assert [circle.get("stroke-dasharray") for circle in circles].count("3 2") == 1, "one empty end"
    assert len(circles) == 3
    assert len(paths) == 3, "a broken link is not drawn"
    widths = {path.findtext(f"{SVG}title"): float(path.get("stroke-width") or 0) for path in paths}
    assert widths == pytest.approx({"0.200": 0.94, "属于 1.000": 2.7, "0.500": 2.1})
    assert [path.get("stroke-dasharray") for path in paths].count("4 3") == 1
    assert {circle.get("fill") for circle in circles} == {"#b3541e", "#1b6ca8", "white"}
    assert "a <b> & c" in "".join(picture.itertext())


def test_an_empty_graph_can_be_drawn() -> None:
    ET.fromstring(draw(graph_of([])))


def test_a_large_graph_is_drawn_in_part_and_says_so() -> None:
    names = [f"n{number}" for number in range(MAX_DRAWN + 50)]
    graph = graph_of(names, [("n0", name, 0.5) for name in names[1:]], focuses=["n0"])
    picture = ET.fromstring(draw(graph))
    assert len(_drawn(picture, "circle")) == MAX_DRAWN
    assert f"{MAX_DRAWN + 50} nodes" in "".join(picture.itertext())


def test_an_end_that_dangles_says_what_it_was_about_and_lies_outside_of_what_holds_it() -> None:
    graph = graph_of({"f": "focus", "a": "团子"}, [("f", "a", 1.0), ("a", "gone", 0.5)], focuses=["f"])
    graph.bury(Forgotten(node_id="gone", about="a lost matter", learned_at=START, forgotten_at=START, size=10))
    picture = ET.fromstring(draw(graph))
    (end,) = [circle for circle in _drawn(picture, "circle") if circle.get("stroke-dasharray")]
    holder = next(circle for circle in _drawn(picture, "circle") if "团子" in (circle.findtext(f"{SVG}title") or ""))
    assert "a lost matter" in [text.text for text in picture.findall(f"{SVG}text")]
    assert _radius(end) > _radius(holder)


def _radius(circle: ET.Element) -> float:
    return hypot(float(circle.get("cx") or 0), float(circle.get("cy") or 0))

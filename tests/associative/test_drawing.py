"""The graph as a picture."""

import base64
import hashlib
import re
import xml.etree.ElementTree as ET
from math import hypot

import pytest

from remanent.associative.drawing import MAX_DRAWN, draw, draw_page
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
    widths = {path.findtext(f"{SVG}title"): float(path.get("stroke-width") or 0) for path in paths}
    assert widths == pytest.approx({"属于 1.000 / 0.200": 2.7, "0.500": 2.1}), "a pair is one line, a broken link none"
    assert [path.get("stroke-dasharray") for path in paths].count("4 3") == 1
    assert {circle.get("fill") for circle in circles} == {"#b3541e", "#1b6ca8", "white"}
    assert "a <b> & c" in "".join(picture.itertext())
    assert "属于" in [text.text for text in picture.findall(f"{SVG}text")], "the relation stands beside its link"


def test_a_legend_says_in_both_languages_what_every_sign_means() -> None:
    picture = ET.fromstring(draw(graph_of({"f": "one", "a": "two"}, [("f", "a", 1.0)], focuses=["f"])))
    words = [text.text or "" for text in picture.findall(f"{SVG}text")]
    for sign in ("focus · 关注点", "node, larger", "strongest links", "forgotten: a link still leads there · 已遗忘"):
        assert any(sign in text for text in words), sign
    signs = (*picture.findall(f"{SVG}circle"), *picture.findall(f"{SVG}path"))
    assert sum(shape.find(f"{SVG}title") is None for shape in signs) >= 4, "with the sign itself before it"


def test_a_circle_is_named_by_what_sets_it_apart_once_in_one_spelling_and_the_legend_stands_above() -> None:
    names = [f"n{number}" for number in range(24)]
    links: list[Link] = [
        (one, other, 0.9)
        for one in names
        for other in names
        if one != other and int(one[1:]) // 8 == int(other[1:]) // 8
    ]
    graph = graph_of(dict.fromkeys(names, "words"), links, focuses=["n23"])
    about = [("art", "share", "clay"), ("Art", "share", "oven"), ("share", "violin", "choir")]
    for number, name in enumerate(names):
        vertex = graph.find(name)
        assert vertex is not None
        vertex.keywords = about[number // 8]
    picture = ET.fromstring(draw(graph))
    bold = [
        text for text in picture.findall(f"{SVG}text") if text.get("font-weight") == "bold" and "·" in (text.text or "")
    ]
    told = [word.casefold() for text in bold for word in (text.text or "").split(" · ")]
    assert {"choir", "violin", "oven", "clay"} <= set(told)
    assert len(told) == len(set(told))
    (legend,) = [text for text in picture.findall(f"{SVG}text") if (text.text or "").startswith("focus · ")]
    assert float(legend.get("y") or 0) < min(float(text.get("y") or 0) for text in bold)


@pytest.mark.parametrize("count", [30, 500])
def test_words_cover_neither_each_other_nor_nodes_and_are_large_enough(count: int) -> None:
    names = [f"n{number}" for number in range(count)]
    links: list[Link] = [
        (names[one], names[other], 0.5, "adds to")
        for one in range(count)
        for other in range(one + 1, min(count, one + 8))
        if one // 12 == other // 12
    ]
    graph = graph_of({name: f"matter number {name}" for name in names}, links, focuses=names[-5:])
    for vertex in graph.nodes():
        vertex.phrase = f"matter of {vertex.id}"
        vertex.keywords = ("matter", f"group {vertex.order // 12}")
    picture = ET.fromstring(draw(graph))
    bold = [text for text in picture.findall(f"{SVG}text") if text.get("font-weight") == "bold"]
    assert {text.text for text in bold} >= {f"matter of {name}" for name in names[-5:]}, (
        "what is in focus has its words"
    )
    assert sum("group" in (text.text or "") for text in bold) >= count // 24 - 1, (
        "and each circle says what it is about"
    )
    assert len(_drawn(picture, "circle")) == count
    assert all(float(text.get("font-size") or 12) >= 11 for text in picture.findall(f"{SVG}text"))
    grounds = [box for box in picture.findall(f"{SVG}rect") if box.get("fill-opacity")]
    assert len(grounds) >= min(count, 100), "most of the few, and a hundred of the many, say what they are"
    boxes = [tuple(float(box.get(name) or 0) for name in ("x", "y", "width", "height")) for box in grounds]
    for place, (x, y, width, height) in enumerate(boxes):
        for left, top, wide, high in boxes[place + 1 :]:
            assert x + width <= left or left + wide <= x or y + height <= top or top + high <= y
        for circle in _drawn(picture, "circle"):
            across, down = float(circle.get("cx") or 0), float(circle.get("cy") or 0)
            assert not (x < across < x + width and y < down < y + height)


def test_the_page_stands_alone_and_allows_only_its_own_script_and_style() -> None:
    page = draw_page(
        graph_of({"f": "</script><script>alert(1)</script>", "a": "团子"}, [("f", "a", 1.0)], focuses=["f"])
    )
    assert page.count("<script>") == 1
    for tag in ("script", "style"):
        body = page.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in page
    assert "default-src 'none'" in page
    assert not re.search(r"""\son\w+=|style="|https?://(?!www\.w3\.org/2000/svg)|src="|href=""", page)


def test_the_page_has_a_dark_colour_for_each_of_its_own() -> None:
    graph = graph_of({"f": "focus", "a": "团子"}, [("f", "a", 1.0), ("a", "gone", 0.5)], focuses=["f"])
    graph.bury(Forgotten(node_id="gone", about="a lost matter", learned_at=START, forgotten_at=START, size=10))
    dark = draw_page(graph).partition("prefers-color-scheme:dark")[2].partition("</style>")[0]
    colours = re.findall(r'(?:fill|stroke)="([^"]+)"', draw(graph))
    assert {"white", "#222"} < set(colours)
    assert all(f'[fill="{colour}"]' in dark for colour in colours)


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

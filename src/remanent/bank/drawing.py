"""The Query Graph as an SVG drawing: self-contained, and the same for the same graph every time.

The layout is a force simulation from a fixed start (a spiral), not from random places, so that two exports of a bank
can be compared and a test can hold the picture.
"""

import math
from collections.abc import Sequence
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

from remanent.bank.bank import MemoryBank
from remanent.bank.conflicts import WAITING, nodes_of
from remanent.bank.node import QueryNode
from remanent.model import ConflictState
from remanent.text.boundaries import excerpt

_WIDTH, _HEIGHT, _MARGIN = 960, 640, 90
_FONT = 'font-family="sans-serif" font-size="12"'
_TURNS = 200
"""Rounds of the simulation, by which the graphs that are drawn have settled (found by eye)."""
_LABEL = 28
"""Columns of a label; a Chinese character takes two."""
_ROOMY = 20
"""Nodes that fit on the sheet without their labels overlapping; for more of them it grows (found by eye)."""
_PLAIN, _WAITS, _OPEN = "#1b6ca8", "#b3541e", "#8a8a8a"
_GOLDEN = math.pi * (3 - math.sqrt(5))
"""The golden angle: points of a spiral at this angle never line up."""

Point = tuple[float, float]


def draw(bank: MemoryBank) -> str:
    """Return the graph: nodes, edges, and conflicts that wait (dashed) or could not be settled (dotted)."""
    nodes = bank.graph.nodes
    edges = bank.graph.edges
    clashes = [
        (conflict.state, nodes_of(conflict))
        for conflict in bank.conflicts.all
        if conflict.state is not ConflictState.RESOLVED
    ]
    places = _placed([node.id for node in nodes], [*edges, *((ids[0], ids[1]) for _, ids in clashes if len(ids) > 1)])
    width, height = _sheet(len(nodes))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {_FONT}>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="16" y="24" font-size="15">{escape(_cut(bank.insight.goal, 110))}</text>',
    ]
    parts += [_line(places[one], places[other], "#b8c4cf", "") for one, other in edges]
    for state, ids in clashes:
        dash = "6 4" if state in WAITING else "2 4"
        parts += [_line(places[one], places[ids[0]], _WAITS, dash) for one in ids[1:] if one in places]
    parts += [_node(node, places[node.id]) for node in nodes]
    return "\n".join([*parts, "</svg>\n"])


def _sheet(count: int) -> tuple[int, int]:
    """Return the width and height of the sheet, large enough for the labels."""
    times = max(1.0, math.sqrt(count / _ROOMY))
    return round(_WIDTH * times), round(_HEIGHT * times)


def _cut(text: str, columns: int) -> str:
    """Return as much of a text as fits into so many columns."""
    text = " ".join(text.split())
    room = columns
    for place, sign in enumerate(text):
        room -= 2 if east_asian_width(sign) in "WF" else 1
        if room < 0:
            return f"{text[: place - 1].rstrip()}…"
    return text


def _line(one: Point, other: Point, colour: str, dash: str) -> str:
    """Return an edge as SVG."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{one[0]:.1f}" y1="{one[1]:.1f}" x2="{other[0]:.1f}" y2="{other[1]:.1f}" '
        f'stroke="{colour}" stroke-width="1.5"{dashed}/>'
    )


def _node(node: QueryNode, place: Point) -> str:
    """Return a node as SVG, coloured by whether it stands, waits or is disputed; the rest shows when pointed at."""
    colour = _WAITS if node.provisional else _OPEN if node.unresolved else _PLAIN
    label = escape(_cut((node.context or node.summary).lstrip("# "), _LABEL))
    title = escape(f"{node.id}\n{node.context}\n{', '.join(node.keywords)}\n{excerpt(node.summary, 600)}")
    x, y = place
    return (
        f'<g><title>{title}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{colour}"/>'
        f'<text x="{x:.1f}" y="{y + 24:.1f}" text-anchor="middle">{label}</text></g>'
    )


def _placed(ids: Sequence[str], ties: Sequence[tuple[str, str]]) -> dict[str, Point]:
    """Return a position for each node: edges pull, all other pairs push, starting from a spiral."""
    count = max(1, len(ids))
    places = {
        node_id: (math.sqrt((number + 0.5) / count) * math.cos(number * _GOLDEN),
                  math.sqrt((number + 0.5) / count) * math.sin(number * _GOLDEN))
        for number, node_id in enumerate(ids)
    }  # fmt: skip
    known = [(one, other) for one, other in ties if one in places and other in places]
    # Every pair pushes, which is quadratic: for larger graphs the spiral alone must do.
    turns = _TURNS if count <= 150 else 0
    for turn in range(turns):
        places = _moved(places, known, step=0.05 * (1 - turn / turns), rest=1 / math.sqrt(count))
    return _fitted(places)


def _moved(places: dict[str, Point], ties: Sequence[tuple[str, str]], *, step: float, rest: float) -> dict[str, Point]:
    """Return places after one round of forces: all nodes push each other off, edges pull their ends together.

    It is Fruchterman and Reingold's layout: `rest` is the length at which push and pull are even, `step` bounds a move.
    """
    forces = dict.fromkeys(places, (0.0, 0.0))

    def push(node_id: str, by: Point) -> None:
        forces[node_id] = (forces[node_id][0] + by[0], forces[node_id][1] + by[1])

    ids = list(places)
    for number, one in enumerate(ids):
        for other in ids[number + 1 :]:
            dx, dy = places[one][0] - places[other][0], places[one][1] - places[other][1]
            # Two nodes in one place would push each other infinitely far.
            square = max(dx * dx + dy * dy, 1e-4)
            push(one, (rest * rest * dx / square, rest * rest * dy / square))
            push(other, (-rest * rest * dx / square, -rest * rest * dy / square))
    for one, other in ties:
        dx, dy = places[one][0] - places[other][0], places[one][1] - places[other][1]
        pull = math.hypot(dx, dy) / rest
        push(one, (-dx * pull, -dy * pull))
        push(other, (dx * pull, dy * pull))
    moved = {}
    for node_id, (fx, fy) in forces.items():
        size = math.hypot(fx, fy) or 1.0
        length = min(size, step)
        moved[node_id] = (places[node_id][0] + fx / size * length, places[node_id][1] + fy / size * length)
    return moved


def _fitted(places: dict[str, Point]) -> dict[str, Point]:
    """Return the positions scaled to the sheet."""
    if not places:
        return {}
    width, height = _sheet(len(places))
    (left, right), (top, bottom) = (
        (min(place[axis] for place in places.values()), max(place[axis] for place in places.values()))
        for axis in (0, 1)
    )
    wide, high = right - left or 1.0, bottom - top or 1.0
    return {
        node_id: (
            _MARGIN + (x - left) / wide * (width - 2 * _MARGIN) if len(places) > 1 else width / 2,
            _MARGIN + (y - top) / high * (height - 2 * _MARGIN) if len(places) > 1 else height / 2,
        )
        for node_id, (x, y) in places.items()
    }

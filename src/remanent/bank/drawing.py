"""The Query Graph as an SVG drawing: self-contained, and the same for the same graph every time.

The layout is a force simulation from a fixed start (a spiral), not from random places, so that two exports of a bank
can be compared and a test can hold the picture.
"""

import math
from cmath import rect
from collections.abc import Sequence
from itertools import combinations
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

from remanent.bank.bank import MemoryBank
from remanent.bank.conflicts import WAITING, nodes_of
from remanent.bank.node import QueryNode
from remanent.model import ConflictState
from remanent.text.spans import excerpt

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
        f'<text x="16" y="24" font-size="15">{escape(_cut(bank.planner.insight.goal, 110))}</text>',
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


def _line(one: complex, other: complex, colour: str, dash: str) -> str:
    """Return an edge as SVG."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{one.real:.1f}" y1="{one.imag:.1f}" x2="{other.real:.1f}" y2="{other.imag:.1f}" '
        f'stroke="{colour}" stroke-width="1.5"{dashed}/>'
    )


def _node(node: QueryNode, place: complex) -> str:
    """Return a node as SVG, coloured by whether it stands, waits or is disputed; the rest shows when pointed at."""
    colour = _WAITS if node.provisional else _OPEN if node.unresolved else _PLAIN
    label = escape(_cut((node.context or node.summary).lstrip("# "), _LABEL))
    title = escape(f"{node.id}\n{node.context}\n{', '.join(node.keywords)}\n{excerpt(node.summary, 600)}")
    x, y = place.real, place.imag
    return (
        f'<g><title>{title}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{colour}"/>'
        f'<text x="{x:.1f}" y="{y + 24:.1f}" text-anchor="middle">{label}</text></g>'
    )


def _placed(ids: Sequence[str], ties: Sequence[tuple[str, str]]) -> dict[str, complex]:
    """Return a position for each node: edges pull, all other pairs push, starting from a spiral."""
    count = max(1, len(ids))
    places = {node_id: rect(math.sqrt((number + 0.5) / count), number * _GOLDEN) for number, node_id in enumerate(ids)}
    known = [(one, other) for one, other in ties if one in places and other in places]
    # Every pair pushes, which is quadratic: for larger graphs the spiral alone must do.
    turns = _TURNS if count <= 150 else 0
    for turn in range(turns):
        places = _moved(places, known, step=0.05 * (1 - turn / turns), rest=1 / math.sqrt(count))
    return _fitted(places)


def _moved(
    places: dict[str, complex], ties: Sequence[tuple[str, str]], *, step: float, rest: float
) -> dict[str, complex]:
    """Return places after one round of forces: all nodes push each other off, edges pull their ends together.

    It is Fruchterman and Reingold's layout: `rest` is the length at which push and pull are even, `step` bounds a move.
    """
    forces = dict.fromkeys(places, 0j)
    for one, other in combinations(places, 2):
        apart = places[one] - places[other]
        # Two nodes in one place would push each other infinitely far.
        push = rest * rest * apart / max(abs(apart) ** 2, 1e-4)
        forces[one] += push
        forces[other] -= push
    for one, other in ties:
        apart = places[one] - places[other]
        forces[one] -= apart * abs(apart) / rest
        forces[other] += apart * abs(apart) / rest
    return {
        node_id: places[node_id] + force / (abs(force) or 1.0) * min(abs(force), step)
        for node_id, force in forces.items()
    }


def _fitted(places: dict[str, complex]) -> dict[str, complex]:
    """Return the positions scaled to the sheet; one alone stands in its middle."""
    width, height = _sheet(len(places))
    if len(places) < 2:
        return dict.fromkeys(places, complex(width / 2, height / 2))
    across, down = [place.real for place in places.values()], [place.imag for place in places.values()]
    left, top = min(across), min(down)
    wide, high = max(across) - left or 1.0, max(down) - top or 1.0
    return {
        node_id: complex(
            _MARGIN + (place.real - left) / wide * (width - 2 * _MARGIN),
            _MARGIN + (place.imag - top) / high * (height - 2 * _MARGIN),
        )
        for node_id, place in places.items()
    }

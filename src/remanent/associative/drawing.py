"""The graph as a picture: focuses in the middle, what hangs on them around, the forgotten as empty ends."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from math import cos, pi, sin

from remanent.associative.graph import Edge, Graph, Vertex

MOST_DRAWN = 300
LABELLED = 60
_SIZE = 1000
_RING = 110
_FONT = 'font-family="sans-serif" font-size="11"'
_FOCUS, _NODE, _LINE, _GONE = "#b3541e", "#1b6ca8", "#5b7083", "#999999"


@dataclass(frozen=True, slots=True)
class _Place:
    x: float
    y: float


def draw(graph: Graph) -> str:
    """Return an SVG: a line is as wide and dark as its link is strong, a dashed one leads to something forgotten."""
    rings = _rings(graph)
    shown = {vertex.id for ring in rings for vertex in ring}
    edges = [edge for ring in rings for vertex in ring for edge in graph.leaving(vertex)]
    places = _places(rings, _ends(edges))
    extent = max([_RING, *(max(abs(place.x), abs(place.y)) for place in places.values())]) + 90
    state = graph.state()
    title = f"{state.nodes} nodes, {state.links} links, {state.dangling} dangling; {len(shown)} drawn"
    box = f"{-extent:.0f} {-extent:.0f} {2 * extent:.0f} {2 * extent:.0f}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{_SIZE}" height="{_SIZE}" {_FONT}>',
        f"<title>{title}</title>",
        f'<rect x="{-extent:.0f}" y="{-extent:.0f}" width="100%" height="100%" fill="white"/>',
        *(_line(edge, places) for edge in edges if edge.target.id in places),
        *_empty_ends(edges, places),
        *_circles(graph, rings, places),
        f'<text x="{-extent + 10:.0f}" y="{extent - 12:.0f}" fill="{_LINE}">{title}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _rings(graph: Graph) -> list[list[Vertex]]:
    """Return the focuses, then the nodes by their distance from them in hops, then those that no link leads to."""
    rings: list[list[Vertex]] = []
    ring = graph.focused()
    seen = {vertex.id for vertex in ring}
    while ring and len(seen) <= MOST_DRAWN:
        rings.append(ring)
        further: dict[str, Vertex] = {}
        for vertex in ring:
            near = [edge.target for edge in graph.leaving(vertex)]
            near += [edge.source for edge in vertex.arriving if edge.strength >= graph.floor]
            further |= {other.id: other for other in near if other.alive and other.id not in seen}
        ring = list(further.values())[: MOST_DRAWN - len(seen)]
        seen |= {vertex.id for vertex in ring}
    alone = [vertex for vertex in graph.nodes() if vertex.id not in seen][: max(0, MOST_DRAWN - len(seen))]
    return [*rings, alone] if alone else rings


def _ends(edges: list[Edge]) -> list[Vertex]:
    """Return the places of deleted nodes that links still lead to."""
    return list({edge.target.id: edge.target for edge in edges if not edge.target.alive}.values())[:MOST_DRAWN]


def _places(rings: list[list[Vertex]], ends: list[Vertex]) -> dict[str, _Place]:
    places: dict[str, _Place] = {}
    radius = 0.0
    for number, ring in enumerate([*rings, ends]):
        # A ring is wide enough for its nodes not to touch.
        radius = max(radius + _RING * (number > 0), 45.0 if number == 0 else 0.0, len(ring) * 26 / (2 * pi))
        for place, vertex in enumerate(ring):
            angle = 2 * pi * place / max(1, len(ring)) + number * 0.4
            places[vertex.id] = _Place(radius * cos(angle), radius * sin(angle))
    return places


def _line(edge: Edge, places: dict[str, _Place]) -> str:
    one, other = places[edge.source.id], places[edge.target.id]
    # Each direction bends to its own side, so that both can be seen.
    bend_x = (one.x + other.x) / 2 + (other.y - one.y) * 0.08
    bend_y = (one.y + other.y) / 2 - (other.x - one.x) * 0.08
    dashes = "" if edge.target.alive else ' stroke-dasharray="4 3"'
    colour = _LINE if edge.target.alive else _GONE
    name = f"{edge.relation} " if edge.relation else ""
    return (
        f'<path d="M{one.x:.1f},{one.y:.1f} Q{bend_x:.1f},{bend_y:.1f} {other.x:.1f},{other.y:.1f}" fill="none" '
        f'stroke="{colour}" stroke-width="{0.4 + 2.2 * edge.strength:.2f}" '
        f'stroke-opacity="{0.15 + 0.75 * edge.strength:.2f}"{dashes}>'
        f"<title>{escape(name)}{edge.strength:.3f}</title></path>"
    )


def _empty_ends(edges: list[Edge], places: dict[str, _Place]) -> Iterator[str]:
    for vertex in _ends(edges):
        place = places[vertex.id]
        yield (
            f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="6" fill="white" stroke="{_GONE}" '
            f'stroke-dasharray="3 2"><title>{vertex.id}</title></circle>'
        )


def _circles(graph: Graph, rings: list[list[Vertex]], places: dict[str, _Place]) -> Iterator[str]:
    focuses = set(graph.focuses)
    for number, vertex in enumerate(vertex for ring in rings for vertex in ring):
        place = places[vertex.id]
        importance = graph.importance(vertex)
        size = 5 + min(9.0, importance**0.5 * 1.6)
        colour = _FOCUS if vertex.id in focuses else _NODE
        said = escape(f"{vertex.content}\n{importance:.2f}")
        yield (
            f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="{size:.1f}" fill="{colour}" '
            f'fill-opacity="{min(1.0, 0.3 + importance / 3):.2f}"><title>{said}</title></circle>'
        )
        if number < LABELLED:
            yield (
                f'<text x="{place.x + size + 3:.1f}" y="{place.y + 4:.1f}" fill="#222">{escape(vertex.phrase)}</text>'
            )

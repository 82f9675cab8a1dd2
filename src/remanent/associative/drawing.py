"""The graph as a picture: focuses in the middle, what hangs on them around, the forgotten as empty ends."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from math import atan2, cos, hypot, pi, sin

from remanent.associative.graph import Edge, Graph, Vertex

MAX_DRAWN = 300
"""Nodes in the picture: more cannot be told apart. This and the other sizes here were chosen by hand."""
MAX_LABELS = 80
"""With more nodes than this, words would cover each other."""
MAX_LABEL_LENGTH = 24
_SIZE = 1200
_INNER, _RING, _STUB = 85.0, 125.0, 46.0
"""Radius of the focuses' ring, from one ring to the next, and from a node to an end that dangles."""
_MARGIN = 180
_FOCUS, _NODE, _LINE, _GONE = "#b3541e", "#1b6ca8", "#5b7083", "#8a5a83"
_STYLE = (
    'font-family="Noto Sans CJK SC, PingFang SC, Microsoft YaHei, DejaVu Sans, sans-serif" font-size="12" '
    # Words stay legible on top of lines.
    'stroke-linejoin="round"'
)
_HALO = 'stroke="white" stroke-width="3" paint-order="stroke"'


@dataclass(frozen=True, slots=True)
class _Place:
    """A point of the picture, whose middle is 0, 0."""

    x: float
    y: float

    @property
    def angle(self) -> float:
        return atan2(self.y, self.x)

    @property
    def radius(self) -> float:
        return hypot(self.x, self.y)


def _at(radius: float, angle: float) -> _Place:
    return _Place(radius * cos(angle), radius * sin(angle))


def draw(graph: Graph) -> str:
    """Return an SVG: a line is as wide and dark as its link is strong, a dashed one leads to something forgotten."""
    rings = _rings(graph)
    drawn = [vertex for ring in rings for vertex in ring]
    edges = [edge for vertex in drawn for edge in graph.leaving(vertex)]
    places = _places(graph, rings)
    ends = _ends(edges, places)
    extent = max((place.radius for place in [*places.values(), *ends.values()]), default=0.0) + _MARGIN
    state = graph.state()
    title = f"{state.nodes} nodes, {state.links} links, {state.dangling} dangling; {len(drawn)} drawn"
    box = f"{-extent:.0f} {-extent:.0f} {2 * extent:.0f} {2 * extent:.0f}"
    where = places | ends
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{_SIZE}" height="{_SIZE}" {_STYLE}>',
        f"<title>{title}</title>",
        f'<rect x="{-extent:.0f}" y="{-extent:.0f}" width="100%" height="100%" fill="white"/>',
        # The strongest on top.
        *(_line(edge, where) for edge in sorted(edges, key=lambda edge: edge.strength) if edge.target.id in where),
        *_empty_ends(graph, ends, labelled=len(drawn) + len(ends) <= MAX_LABELS),
        *_circles(graph, drawn, places),
        *_legend(-extent + 24, extent - 100, title),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _rings(graph: Graph) -> list[list[Vertex]]:
    """Return the focuses, then the nodes by their distance from them in hops, then those that no link leads to."""
    rings: list[list[Vertex]] = []
    ring = graph.focused()
    seen = {vertex.id for vertex in ring}
    while ring and len(seen) <= MAX_DRAWN:
        rings.append(ring)
        further: dict[str, Vertex] = {}
        for vertex in ring:
            further |= {other.id: other for other, _ in _neighbours(graph, vertex) if other.id not in seen}
        ring = list(further.values())[: MAX_DRAWN - len(seen)]
        seen |= {vertex.id for vertex in ring}
    alone = [vertex for vertex in graph.nodes() if vertex.id not in seen][: max(0, MAX_DRAWN - len(seen))]
    return [*rings, alone] if alone else rings


def _neighbours(graph: Graph, vertex: Vertex) -> Iterator[tuple[Vertex, float]]:
    """Yield the nodes that a node is linked with in either direction, and how strongly."""
    for edge in graph.leaving(vertex):
        if edge.target.alive:
            yield edge.target, edge.strength
    for edge in vertex.arriving:
        if edge.strength >= graph.floor:
            yield edge.source, edge.strength


def _places(graph: Graph, rings: list[list[Vertex]]) -> dict[str, _Place]:
    """Place rings around each other, the nodes of each in the order in which those further in pull them.

    Rings instead of simulated springs: the same graph always gives the same picture, and a little change a little one.
    """
    places: dict[str, _Place] = {}
    radius = 0.0
    for number, ring in enumerate(rings):
        # A ring is wide enough for its nodes and their words not to touch.
        radius = max(radius + _RING if number else _INNER, len(ring) * 40 / (2 * pi))
        ordered = sorted(ring, key=lambda vertex: _pull(graph, vertex, places)) if number else ring
        for place, vertex in enumerate(ordered):
            places[vertex.id] = _at(radius, 2 * pi * (place + 0.5 * (number % 2)) / max(1, len(ring)) - pi / 2)
    return places


def _pull(graph: Graph, vertex: Vertex, places: dict[str, _Place]) -> float:
    """Return the direction that a node's links to what is placed already pull it to, from the top clockwise."""
    known = [(places[other.id], strength) for other, strength in _neighbours(graph, vertex) if other.id in places]
    x = sum(place.x * strength for place, strength in known)
    y = sum(place.y * strength for place, strength in known)
    return (atan2(y, x) + pi / 2) % (2 * pi)


def _ends(edges: Iterable[Edge], places: dict[str, _Place]) -> dict[str, _Place]:
    """Return the places of deleted nodes that links still lead to: each just outside of what holds it strongest."""
    holders: dict[str, Edge] = {}
    for edge in edges:
        if not edge.target.alive:
            held = holders.get(edge.target.id)
            holders[edge.target.id] = edge if held is None or edge.strength > held.strength else held
    ends: dict[str, _Place] = {}
    beside: dict[str, int] = {}
    for node_id, edge in list(holders.items())[:MAX_DRAWN]:
        number = beside[edge.source.id] = beside.get(edge.source.id, 0) + 1
        source = places[edge.source.id]
        side = (number // 2) * (1 if number % 2 else -1)
        aside = source.angle + side * 0.8
        ends[node_id] = _Place(source.x + _STUB * cos(aside), source.y + _STUB * sin(aside))
    return ends


def _line(edge: Edge, places: dict[str, _Place]) -> str:
    """Return a link: wider and darker where it is stronger, dashed where nothing is left at its far end."""
    one, other = places[edge.source.id], places[edge.target.id]
    # Each direction bends to its own side, so that both can be seen.
    bend_x = (one.x + other.x) / 2 + (other.y - one.y) * 0.08
    bend_y = (one.y + other.y) / 2 - (other.x - one.x) * 0.08
    alive = edge.target.alive
    looks = (
        f'stroke="{_LINE}" stroke-opacity="{0.12 + 0.75 * edge.strength:.2f}"'
        if alive
        else f'stroke="{_GONE}" stroke-opacity="{0.55 + 0.4 * edge.strength:.2f}" stroke-dasharray="4 3"'
    )
    name = f"{edge.relation} " if edge.relation else ""
    return (
        f'<path d="M{one.x:.1f},{one.y:.1f} Q{bend_x:.1f},{bend_y:.1f} {other.x:.1f},{other.y:.1f}" fill="none" '
        f'stroke-width="{(0.5 if alive else 1.0) + 2.2 * edge.strength:.2f}" {looks}>'
        f"<title>{escape(name)}{edge.strength:.3f}</title></path>"
    )


def _empty_ends(graph: Graph, ends: dict[str, _Place], *, labelled: bool) -> Iterator[str]:
    """Yield the empty circles of deleted nodes, with what their tombstones say they were about."""
    for node_id, place in ends.items():
        memorial = graph.memorials.get(node_id)
        about = memorial.forgotten.about if memorial is not None else ""
        yield (
            f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="6" fill="white" stroke="{_GONE}" stroke-width="1.5" '
            f'stroke-dasharray="3 2"><title>{escape(about or node_id)}</title></circle>'
        )
        if labelled and about:
            yield _words(about, place, away=9, colour=_GONE, more='font-style="italic" font-size="10"')


def _circles(graph: Graph, drawn: list[Vertex], places: dict[str, _Place]) -> Iterator[str]:
    """Yield the nodes; a circle's area, not its radius, grows with the importance, as the eye compares areas."""
    focuses = set(graph.focuses)
    for number, vertex in enumerate(drawn):
        place = places[vertex.id]
        importance = graph.importance(vertex)
        is_focus = vertex.id in focuses
        size = 5 + min(9.0, importance**0.5 * 1.6)
        colour = _FOCUS if is_focus else _NODE
        said = escape(f"{vertex.content}\n{importance:.2f}")
        yield (
            f'<circle cx="{place.x:.1f}" cy="{place.y:.1f}" r="{size:.1f}" fill="{colour}" stroke="white" '
            f'fill-opacity="{min(1.0, 0.35 + importance / 3):.2f}"><title>{said}</title></circle>'
        )
        if number < MAX_LABELS:
            more = 'font-weight="bold"' if is_focus else ""
            yield _words(vertex.phrase, place, away=size + 4, colour=_FOCUS if is_focus else "#222", more=more)


def _words(text: str, place: _Place, *, away: float, colour: str, more: str = "") -> str:
    """Return words beside a place, on its outer side."""
    left = place.x < -1
    short = text if len(text) <= MAX_LABEL_LENGTH else text[: MAX_LABEL_LENGTH - 1] + "…"
    return (
        f'<text x="{place.x + (-away if left else away):.1f}" y="{place.y + 4:.1f}" fill="{colour}" '
        f'text-anchor="{"end" if left else "start"}" {_HALO} {more}>{escape(short)}</text>'
    )


def _legend(x: float, y: float, title: str) -> Iterator[str]:
    """Yield what the signs mean, in both languages, since a picture cannot know who looks at it."""
    rows = (
        (f'<circle cx="{x}" cy="{y}" r="8" fill="{_FOCUS}"/>', "focus · 关注点"),
        (
            f'<circle cx="{x}" cy="{y + 20}" r="8" fill="{_NODE}"/>',
            "node, larger and darker where it is more important · 节点：越重要越大越深",
        ),
        (
            f'<path d="M{x - 8},{y + 40} h16" stroke="{_LINE}" stroke-width="2.7"/>',
            "link, wider where it is stronger · 关联：越强越粗",
        ),
        (
            f'<circle cx="{x}" cy="{y + 60}" r="6" fill="white" stroke="{_GONE}" stroke-dasharray="3 2"/>',
            "forgotten: a link still leads there · 已遗忘：仍有关联指向",
        ),
    )
    for number, (sign, words) in enumerate(rows):
        yield sign
        yield f'<text x="{x + 16}" y="{y + 20 * number + 4}" fill="#222">{words}</text>'
    yield f'<text x="{x - 8}" y="{y + 88}" fill="{_LINE}">{title}</text>'

"""The graph as a picture: what belongs together in one circle, the focuses in the middle, the forgotten as empty ends.

`draw` gives an SVG that stands alone; `draw_page` the same in an HTML page in which one can search, zoom, and point at
a node to see its words and links. Circles instead of simulated springs: the same graph always gives the same picture,
and words have their room."""

import base64
import unicodedata
from cmath import rect
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from hashlib import sha256
from html import escape
from math import cos, log, pi, sin, sqrt
from pathlib import Path

from remanent.associative.graph import Edge, Graph, Vertex
from remanent.associative.model import EARLIER, LATER
from remanent.lightweight import dataclass

MAX_DRAWN = 500
"""Nodes in the picture: more cannot be told apart. This and the other sizes here were chosen by looking."""
_MAX_CLUSTER = 24
"""Nodes of one circle: more are cut into several."""
_MAX_LABEL_LENGTH = 24
_MAX_LINKS_EACH = 2
"""Links of a node that are drawn, the strongest: nodes learned together are all linked, and all lines would hide all
else. The others are counted in what the node says when pointed at."""
_MAX_ENDS = 60
"""Deleted nodes that links still lead to, the most strongly held."""
_FONT = 12
"""In pixels, at the size that the picture has by itself; relations are written smaller, and nothing below 11."""
_ROOMY, _TIGHT = 74.0, 44.0
"""The distance between neighbours, in a picture of few nodes and of many."""
_FEW = 60
_GAP, _MARGIN, _STUB = 26.0, 40.0, 40.0
_GOLDEN = pi * (3 - sqrt(5))
_FOCUS, _NODE, _LINE, _GONE, _GROUND = "#b3541e", "#1b6ca8", "#5b7083", "#8a5a83", "#f2f5f8"
"""`page.css` says what each of them is for who has asked for dark pages."""
_STYLE = f'font-family="Noto Sans CJK SC, PingFang SC, Microsoft YaHei, DejaVu Sans, sans-serif" font-size="{_FONT}"'


_Point = complex
"""A point of the picture, whose middle is 0."""


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Nodes that belong together, and the circle that they are drawn in."""

    nodes: list[Vertex]
    centre: _Point
    radius: float


@dataclass(slots=True)
class _Layout:
    """Where everything stands."""

    clusters: list[_Cluster]
    places: dict[str, _Point]
    ends: dict[str, _Point]
    taken: list[tuple[float, float, float, float]] = field(default_factory=list)
    """Boxes that words must not cover: left, top, right, bottom."""

    def is_free(self, box: tuple[float, float, float, float]) -> bool:
        """Tell whether a box overlaps none that is taken."""
        left, top, right, bottom = box
        return not any(
            left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in self.taken
        )


# ── what belongs together ────────────────────────────────────────────────────


def _drawn(graph: Graph) -> list[Vertex]:
    """Return the nodes that are drawn: the focuses, then the most important."""
    focuses = graph.focused()
    rest = [vertex for vertex in graph.nodes() if vertex not in focuses]
    rest.sort(key=lambda vertex: (-graph.importance(vertex), -vertex.order))
    return (focuses + rest)[:MAX_DRAWN]


def _communities(graph: Graph, drawn: list[Vertex]) -> list[list[Vertex]]:
    """Return the nodes in groups: each joins the group that it is linked with most strongly, a few times over.

    Large groups are cut in the order in which they were learned, so that a circle stays a thing one can look at.
    """
    group = {vertex: place for place, vertex in enumerate(drawn)}
    for _ in range(5):
        changed = False
        for vertex in sorted(drawn, key=lambda vertex: vertex.order):
            pull: Counter[int] = Counter()
            for other, strength in _neighbours(graph, vertex):
                if other in group:
                    pull[group[other]] += strength  # type: ignore[assignment]
            best = max(pull, key=lambda one: (pull[one], -one), default=group[vertex])
            changed |= best != group[vertex]
            group[vertex] = best
        if not changed:
            break
    members: dict[int, list[Vertex]] = {}
    for vertex in sorted(drawn, key=lambda vertex: vertex.order):
        members.setdefault(group[vertex], []).append(vertex)
    loose = [one for many in members.values() if len(many) == 1 for one in many]
    groups = [many for many in members.values() if len(many) > 1] + ([loose] if loose else [])
    return [
        many[start : start + size]
        for many in groups
        for size in [-(-len(many) // -(-len(many) // _MAX_CLUSTER))]
        for start in range(0, len(many), size)
    ]


def _neighbours(graph: Graph, vertex: Vertex) -> Iterator[tuple[Vertex, float]]:
    """Yield the nodes that a node is linked with in either direction, and how strongly."""
    for edge in graph.leaving(vertex):
        if edge.target.alive:
            yield edge.target, edge.strength
    for edge in vertex.arriving:
        if edge.strength >= graph.floor:
            yield edge.source, edge.strength


# ── where it stands ──────────────────────────────────────────────────────────


def _laid_out(graph: Graph, drawn: list[Vertex]) -> _Layout:
    """Place groups beside each other, those with focuses first, and nodes on a spiral within each."""
    focuses = set(graph.focuses)
    step = _ROOMY if len(drawn) <= _FEW else _TIGHT
    groups = _communities(graph, drawn)
    groups.sort(key=lambda many: (-sum(one.id in focuses for one in many), -max(one.order for one in many)))
    layout = _Layout([], {}, {})
    for nodes in groups:
        radius = step * 0.62 * sqrt(len(nodes)) + step * 0.55
        centre = _free_centre(layout.clusters, radius)
        layout.clusters.append(_Cluster(nodes, centre, radius))
        # The least important in the middle: there is room for words at the rim.
        ordered = sorted(nodes, key=lambda one: (one.id in focuses, graph.importance(one), -one.order))
        for number, vertex in enumerate(ordered):
            away = step * 0.62 * sqrt(number + 0.35) if len(nodes) > 1 else 0.0
            layout.places[vertex.id] = centre + rect(away, number * _GOLDEN)
    return layout


def _free_centre(clusters: list[_Cluster], radius: float) -> _Point:
    """Return the first place of a spiral at which a circle touches none that is there."""
    turn = 0.0
    while True:
        away = 9.0 * turn
        # Wider than high: words run across, and so do screens.
        place = _Point(away * cos(turn) * 1.35, away * sin(turn))
        if all(abs(place - other.centre) >= radius + other.radius + _GAP for other in clusters):
            return place
        turn += 0.12


def _place_ends(layout: _Layout, edges: Iterable[Edge]) -> None:
    """Place deleted nodes that links still lead to, each just outside of the circle of what holds it strongest."""
    holders: dict[str, Edge] = {}
    for edge in edges:
        if not edge.target.alive:
            held = holders.get(edge.target.id)
            holders[edge.target.id] = edge if held is None or edge.strength > held.strength else held
    centres = {vertex.id: cluster for cluster in layout.clusters for vertex in cluster.nodes}
    beside: Counter[str] = Counter()
    for node_id, edge in sorted(holders.items(), key=lambda pair: -pair[1].strength)[:_MAX_ENDS]:
        source, cluster = layout.places[edge.source.id], centres[edge.source.id]
        outward = source - cluster.centre
        number = beside[edge.source.id]
        beside[edge.source.id] += 1
        aside = (number + 1) // 2 * (0.7 if number % 2 else -0.7)
        layout.ends[node_id] = source + _STUB * (outward / abs(outward) if outward else 1) * rect(1, aside)


# ── shapes ───────────────────────────────────────────────────────────────────


def draw(graph: Graph) -> str:
    """Return an SVG: a line is as wide and dark as its link is strong, a dashed one leads to something forgotten."""
    drawn = _drawn(graph)
    layout = _laid_out(graph, drawn)
    edges = [edge for vertex in drawn for edge in graph.leaving(vertex)]
    _place_ends(layout, edges)
    where = layout.places | layout.ends
    shown = _shown_links(edges, layout)
    sizes = {vertex.id: 5 + min(9.0, graph.importance(vertex) ** 0.5 * 1.3) for vertex in drawn}
    layout.taken = [_box(place, sizes.get(node_id, 6.0) + 1) for node_id, place in where.items()]
    body = [
        *(_ground(cluster) for cluster in layout.clusters),
        *(_line(edge, back, where) for edge, back in sorted(shown, key=lambda pair: pair[0].strength)),
        *_titles(layout),
        *_ends(graph, layout),
        *_circles(graph, drawn, layout, sizes),
        *_labels(graph, drawn, layout, sizes),
        *(_relations(shown, layout) if len(drawn) <= _FEW else ()),
    ]
    state = graph.state()
    title = f"{state.nodes} nodes, {state.links} links, {state.dangling} dangling; {len(drawn)} drawn"
    left, top, right, bottom = _extent(layout)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.0f} {top:.0f} {right - left:.0f} {bottom - top:.0f}" '
        f'width="{right - left:.0f}" height="{bottom - top:.0f}" {_STYLE}>'
    )
    ground = f'<rect x="{left:.0f}" y="{top:.0f}" width="100%" height="100%" fill="white"/>'
    legend = _legend(left + 24, top + 24, title)
    return "\n".join([head, f"<title>{title}</title>", ground, *body, *legend, "</svg>"]) + "\n"


def _box(place: _Point, size: float) -> tuple[float, float, float, float]:
    return place.real - size, place.imag - size, place.real + size, place.imag + size


def _extent(layout: _Layout) -> tuple[float, float, float, float]:
    """Return the borders of the picture, with room for the legend above: there a viewer opens it."""
    boxes = layout.taken + [_box(one.centre, one.radius) for one in layout.clusters]
    left = min((box[0] for box in boxes), default=0.0) - _MARGIN
    right = max((box[2] for box in boxes), default=0.0) + _MARGIN
    top = min((box[1] for box in boxes), default=0.0) - _MARGIN - 110
    bottom = max((box[3] for box in boxes), default=0.0) + _MARGIN
    return left, top, max(right, left + 620), bottom


def _shown_links(edges: list[Edge], layout: _Layout) -> list[tuple[Edge, Edge | None]]:
    """Return the links that are drawn, each with the one that leads back: a pair is one line.

    Between two circles of a large picture only the strongest is: that they have to do with each other can be seen then.
    """
    where = layout.places | layout.ends
    is_large = len(layout.places) > _FEW
    circle = {vertex.id: number for number, one in enumerate(layout.clusters) for vertex in one.nodes}
    joined: set[frozenset[int]] = set()
    pairs: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        if edge.target.id in where:
            one, other = sorted((edge.source.id, edge.target.id))
            pairs.setdefault((one, other), []).append(edge)
    each: Counter[str] = Counter()
    shown = []
    ranked = sorted(pairs.values(), key=lambda many: (-max(edge.strength for edge in many), many[0].source.order))
    for many in ranked:
        best = max(many, key=lambda edge: (edge.strength, bool(edge.relation)))
        ends = (best.source.id, best.target.id)
        circles = frozenset(circle[end] for end in ends if end in circle)
        if is_large and len(circles) > 1:
            wanted = circles not in joined
            joined.add(circles)
        else:
            wanted = min(each[end] for end in ends) < _MAX_LINKS_EACH
        if wanted or not best.target.alive:
            each.update(ends)
            back = next((edge for edge in many if edge.source is best.target), None)
            shown.append((best, back))
    return shown


def _ground(cluster: _Cluster) -> str:
    centre = cluster.centre
    return f'<circle cx="{centre.real:.1f}" cy="{centre.imag:.1f}" r="{cluster.radius:.1f}" fill="{_GROUND}"/>'


def _titles(layout: _Layout) -> Iterator[str]:
    """Yield above each circle the two keywords that most of its nodes share and the fewest of others, each once.

    By their number alone circles were named “share”, “difference” and, once more, “Art”.
    """
    if len(layout.clusters) <= 1:
        return
    forms = Counter(word for cluster in layout.clusters for vertex in cluster.nodes for word in vertex.keywords)
    written = {word.casefold(): word for word, _ in reversed(forms.most_common())}
    shared = [
        Counter(key for one in many.nodes for key in set(map(str.casefold, one.keywords))) for many in layout.clusters
    ]
    every = sum(shared, Counter[str]())
    told: set[str] = set()
    for cluster, counts in zip(layout.clusters, shared, strict=True):
        worth = {key: count * log(len(layout.places) / every[key]) for key, count in counts.items() if count > 1}
        best = sorted(worth.keys() - told, key=lambda key: (-worth[key], key))[:2]
        told.update(best)
        title = " · ".join(written[key] for key in best)
        width = _width(title) * 1.12
        left, top = cluster.centre.real - width / 2, cluster.centre.imag - cluster.radius - 16
        if best and layout.is_free((left, top, left + width, top + 14)):
            layout.taken.append((left, top, left + width, top + 14))
            yield _words(title, left, top, width, f'fill="{_LINE}" font-weight="bold"')


def _line(edge: Edge, back: Edge | None, places: dict[str, _Point]) -> str:
    """Return a link: wider and darker where it is stronger, dashed where nothing is left at its far end."""
    one, other = places[edge.source.id], places[edge.target.id]
    alive = edge.target.alive
    looks = (
        f'stroke="{_LINE}" stroke-opacity="{0.12 + 0.6 * edge.strength:.2f}"'
        if alive
        else f'stroke="{_GONE}" stroke-opacity="{0.55 + 0.4 * edge.strength:.2f}" stroke-dasharray="4 3"'
    )
    said = " / ".join(f"{link.relation} {link.strength:.3f}".strip() for link in (edge, back) if link is not None)
    return (
        f'<path d="M{one.real:.1f},{one.imag:.1f} L{other.real:.1f},{other.imag:.1f}" class="link" '
        f'data-ends="{edge.source.id} {edge.target.id}" '
        f'stroke-width="{(0.5 if alive else 1.0) + 2.2 * edge.strength:.2f}" {looks}>'
        f"<title>{escape(said)}</title></path>"
    )


def _circles(graph: Graph, drawn: list[Vertex], layout: _Layout, sizes: dict[str, float]) -> Iterator[str]:
    """Yield the nodes; a circle's area, not its radius, grows with the importance, as the eye compares areas."""
    focuses = set(graph.focuses)
    for vertex in drawn:
        place, importance = layout.places[vertex.id], graph.importance(vertex)
        links = sum(1 for _ in graph.leaving(vertex))
        said = escape(f"{vertex.content}\n{importance:.2f} · {links}")
        yield (
            f'<circle cx="{place.real:.1f}" cy="{place.imag:.1f}" r="{sizes[vertex.id]:.1f}" '
            f'class="{"node focus" if vertex.id in focuses else "node"}" '
            f'data-id="{vertex.id}" fill="{_FOCUS if vertex.id in focuses else _NODE}" stroke="white" '
            f'fill-opacity="{min(1.0, 0.35 + importance / 3):.2f}"><title>{said}</title></circle>'
        )


def _ends(graph: Graph, layout: _Layout) -> Iterator[str]:
    """Yield the empty circles of deleted nodes, with what their tombstones say they were about."""
    for node_id, place in layout.ends.items():
        memorial = graph.memorials.get(node_id)
        about = memorial.forgotten.about if memorial is not None else ""
        yield (
            f'<circle cx="{place.real:.1f}" cy="{place.imag:.1f}" r="6" fill="white" stroke="{_GONE}" '
            f'stroke-width="1.5" class="end" data-id="{node_id}" stroke-dasharray="3 2">'
            f"<title>{escape(about or node_id)}</title></circle>"
        )
        if about:
            yield from _label(about, place, layout, away=9, looks=f'fill="{_GONE}" font-style="italic"')


def _labels(graph: Graph, drawn: list[Vertex], layout: _Layout, sizes: dict[str, float]) -> Iterator[str]:
    """Yield the phrases of as many nodes as there is room for: focuses first, then the most important."""
    focuses = set(graph.focuses)
    for vertex in drawn:
        is_focus = vertex.id in focuses
        looks = f'fill="{_FOCUS}" font-weight="bold"' if is_focus else 'fill="#222"'
        yield from _label(vertex.phrase, layout.places[vertex.id], layout, away=sizes[vertex.id] + 3, looks=looks)


def _label(text: str, place: _Point, layout: _Layout, *, away: float, looks: str) -> Iterator[str]:
    """Yield words beside, below or above a place, wherever they cover nothing; nothing when they would everywhere."""
    short = text if len(text) <= _MAX_LABEL_LENGTH else text[: _MAX_LABEL_LENGTH - 1] + "…"
    width, height = _width(short) * (1.12 if "bold" in looks else 1.0), _FONT * 1.2
    for left, top in (
        (place.real + away, place.imag - height / 2),
        (place.real - away - width, place.imag - height / 2),
        (place.real - width / 2, place.imag + away),
        (place.real - width / 2, place.imag - away - height),
        (place.real + away / 2, place.imag - away - height),
        (place.real + away / 2, place.imag + away),
        (place.real - away / 2 - width, place.imag - away - height),
        (place.real - away / 2 - width, place.imag + away),
    ):
        box = (left, top, left + width, top + height)
        if layout.is_free(box):
            layout.taken.append(box)
            yield _words(short, left, top, width, looks)
            return


def _relations(shown: list[tuple[Edge, Edge | None]], layout: _Layout) -> Iterator[str]:
    """Yield what links are called, in their middle, where there is room; that one came next needs no word."""
    where = layout.places | layout.ends
    for edge, back in shown:
        name = next((one.relation for one in (edge, back) if one and one.relation not in {"", EARLIER, LATER}), "")
        if not name:
            continue
        one, other = where[edge.source.id], where[edge.target.id]
        width = _width(name) * 11 / _FONT
        left, top = (one.real + other.real - width) / 2, (one.imag + other.imag) / 2 - 7
        if layout.is_free((left, top, left + width, top + 14)):
            layout.taken.append((left, top, left + width, top + 14))
            yield _words(name, left, top, width, f'fill="{_LINE}" font-size="11"')


def _words(text: str, left: float, top: float, width: float, looks: str) -> str:
    """Return words on a pale ground, so that they stay legible on top of lines in every viewer."""
    ground = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="14" fill="white" fill-opacity=".75"/>'
    return f'{ground}<text x="{left:.1f}" y="{top + 11:.1f}" {looks}>{escape(text)}</text>'


def _width(text: str) -> float:
    """Return about how wide words are in the fonts of the picture: a wide sign is as wide as it is high."""
    return sum(
        _FONT
        * (1.0 if unicodedata.east_asian_width(sign) in "WF" else _NARROW.get(sign, 0.68 if sign.isupper() else 0.57))
        for sign in text
    )


_NARROW = dict.fromkeys("fijlrtI .,:;'’!|()-", 0.38) | dict.fromkeys("mwMW@%", 0.9)
"""Signs that are not as wide as the others, in shares of the height of the letters."""


def _legend(x: float, y: float, title: str) -> Iterator[str]:
    """Yield what the signs mean, in both languages, since a picture cannot know who looks at it."""
    rows = (
        (f'<circle cx="{x}" cy="{y}" r="8" fill="{_FOCUS}"/>', "focus · 关注点"),
        (
            f'<circle cx="{x}" cy="{y + 20}" r="8" fill="{_NODE}"/>',
            "node, larger where more important; one circle belongs together · 节点：越重要越大，同圈者相关",
        ),
        (
            f'<path d="M{x - 8},{y + 40} h16" stroke="{_LINE}" stroke-width="2.7"/>',
            f"the {_MAX_LINKS_EACH} strongest links of each, wider where stronger · 每个节点最强的关联：越强越粗",
        ),
        (
            f'<circle cx="{x}" cy="{y + 60}" r="6" fill="white" stroke="{_GONE}" stroke-dasharray="3 2"/>',
            "forgotten: a link still leads there · 已遗忘：仍有关联指向",
        ),
    )
    for number, (sign, words) in enumerate(rows):
        yield sign
        yield f'<text x="{x + 16}" y="{y + 20 * number + 4}" fill="#222">{words}</text>'
    yield f'<text x="{x - 8}" y="{y + 84}" fill="{_LINE}">{title}</text>'


# ── the page ─────────────────────────────────────────────────────────────────

# No inline handlers and no styles in attributes: the page allows exactly its script and its style, and nothing else.


def draw_page(graph: Graph) -> str:
    """Return the picture in an HTML page that stands alone and works under its own strict content security policy."""
    style, script = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>Remanent · 联想记忆</title>\n<style>{style}</style></head>\n<body>\n"
        f'{draw(graph)}<div id="bar"><input id="find" type="search" placeholder="find · 查找" aria-label="find · 查找">'
        f'</div>\n<div id="said" role="status"></div>\n<script>{script}</script>\n</body></html>\n'
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"

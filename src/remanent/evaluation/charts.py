"""Plain drawings of what was measured, as SVG."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _MARGIN = 560, 420, 56
_FONT = 'font-family="sans-serif" font-size="12"'
_COLOURS = ("#1b6ca8", "#b3541e", "#3d7a3d", "#6a4c93")


def precision_recall(curves: Mapping[str, Sequence[tuple[float, float]]], *, least: float | None = None) -> str:
    """Return a drawing of precision over recall; each point is (recall, precision), each curve has a name."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_FONT}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        *_axes(),
    ]
    if least is not None:
        y = _y(least)
        parts.append(f'<line x1="{_x(0)}" y1="{y}" x2="{_x(1)}" y2="{y}" stroke="#999" stroke-dasharray="4 4"/>')
    for number, (name, points) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{_x(recall)},{_y(precision)}" for recall, precision in sorted(points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        top = 20 + 16 * number
        parts.append(f'<text x="{_WIDTH - 170}" y="{top}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def lines(curves: Mapping[str, Sequence[tuple[float, float]]], *, across: str, up: str) -> str:
    """Return a drawing of curves over one axis; both axes begin at 0 and end at the largest value."""
    points = [point for curve in curves.values() for point in curve]
    right = max((x for x, _ in points), default=0.0) or 1.0
    top = max((y for _, y in points), default=0.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_FONT}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        *_frame(across, up),
        *_ticks(right, top),
    ]
    for number, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{_x(x / right)},{_y(y / top)}" for x, y in curve)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{_WIDTH - 200}" y="{20 + 16 * number}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _frame(across: str, up: str) -> list[str]:
    return [
        f'<line x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(0)}" stroke="black"/>',
        f'<line x1="{_x(0)}" y1="{_y(0)}" x2="{_x(0)}" y2="{_y(1)}" stroke="black"/>',
        f'<text x="{_x(0.5)}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(across)}</text>',
        f'<text x="16" y="{_y(0.5)}" text-anchor="middle" transform="rotate(-90 16 {_y(0.5)})">{escape(up)}</text>',
    ]


def _ticks(right: float, top: float) -> list[str]:
    parts = []
    for fifth in range(6):
        share = fifth / 5
        parts.append(f'<text x="{_x(share)}" y="{_y(0) + 18}" text-anchor="middle">{_number(right * share)}</text>')
        parts.append(f'<text x="{_x(0) - 6}" y="{_y(share) + 4}" text-anchor="end">{_number(top * share)}</text>')
    return parts


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _axes() -> list[str]:
    parts = _frame("recall", "precision")
    for tenth in range(0, 11, 2):
        share = tenth / 10
        parts.append(f'<text x="{_x(share)}" y="{_y(0) + 18}" text-anchor="middle">{share:g}</text>')
        parts.append(f'<text x="{_x(0) - 8}" y="{_y(share) + 4}" text-anchor="end">{share:g}</text>')
    return parts


def _x(share: float) -> float:
    return round(_MARGIN + share * (_WIDTH - 2 * _MARGIN), 1)


def _y(share: float) -> float:
    return round(_HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN), 1)


def bars(groups: Mapping[str, Mapping[str, float]], *, marks: Mapping[str, float] | None = None) -> str:
    """Return a drawing of shares side by side: one group per measure, one bar per name, a line where a mark stands."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    line, top = 16, 20
    height = top + sum(line * (len(group) + 2) for group in groups.values()) + 10
    left, right = 200, _WIDTH - 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {_FONT}>',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
    ]
    y = top
    for title, group in groups.items():
        parts.append(f'<text x="10" y="{y}" font-weight="bold">{escape(title)}</text>')
        first = y + 4
        for name, value in group.items():
            y += line
            colour = _COLOURS[names.index(name) % len(_COLOURS)]
            width = round(max(0.0, min(1.0, value)) * (right - left), 1)
            parts.append(f'<text x="{left - 6}" y="{y}" text-anchor="end">{escape(name)}</text>')
            parts.append(f'<rect x="{left}" y="{y - 10}" width="{width}" height="11" fill="{colour}"/>')
            parts.append(f'<text x="{left + width + 4}" y="{y}">{value:.3f}</text>')
        if marks and title in marks:
            x = round(left + marks[title] * (right - left), 1)
            parts.append(f'<line x1="{x}" y1="{first}" x2="{x}" y2="{y + 4}" stroke="#333" stroke-dasharray="3 3"/>')
        y += 2 * line
    return "\n".join([*parts, "</svg>\n"])

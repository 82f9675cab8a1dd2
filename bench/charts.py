"""Plain drawings of what was measured, as SVG."""

import math
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _MARGIN = 580, 420, 56
_LEFT = 76
"""Room for the numbers of the axis, and its title beside them."""
_FONT = 'font-family="sans-serif" font-size="12"'
_COLOURS = ("#1b6ca8", "#b3541e", "#3d7a3d", "#6a4c93", "#b0892f", "#a8325e", "#5f6b76", "#2a9d9d")


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
    """Return a drawing of curves over one axis; both axes begin at 0 and end at a round number."""
    points = [point for curve in curves.values() for point in curve]
    right, top = (ticks(max((point[axis] for point in points), default=0.0))[-1] for axis in (0, 1))
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


def ticks(largest: float) -> list[float]:
    """Return four to seven round numbers from 0 to the first that is no less than the largest."""
    largest = largest if largest > 0 else 1.0
    step = 10.0 ** math.floor(math.log10(largest / 3))
    step *= next(times for times in (1, 2, 5, 10) if largest <= 6 * times * step)
    return [step * number for number in range(math.ceil(round(largest / step, 9)) + 1)]


def _ticks(right: float, top: float) -> list[str]:
    parts = [
        f'<text x="{_x(value / right)}" y="{_y(0) + 18}" text-anchor="middle">{_number(value)}</text>'
        for value in ticks(right)
    ]
    for value in ticks(top):
        y = _y(value / top)
        parts.append(f'<line x1="{_x(0)}" y1="{y}" x2="{_x(1)}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{_x(0) - 6}" y="{y + 4}" text-anchor="end">{_number(value)}</text>')
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
    return round(_LEFT + share * (_WIDTH - _LEFT - _MARGIN), 1)


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


def dots(
    rows: Mapping[str, Mapping[str, float]],
    *,
    spans: Mapping[str, tuple[float, float]] | None = None,
    marks: Mapping[str, float] | None = None,
) -> str:
    """Return a drawing of shares on one line per row, a dot per name; a span is drawn as a bar, a mark as a stroke.

    The first name is drawn larger than the others. The scale begins at the tenth below the smallest share.
    """
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    every = [value for row in rows.values() for value in row.values()]
    least = int(min([*every, *(low for low, _ in (spans or {}).values())], default=0.0) * 10) / 10
    left, right, line = 240, 740, 34
    per_line = 4
    top = 24 + 18 * ((len(names) + per_line - 1) // per_line)
    height = top + line * len(rows) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {height}" {_FONT}>',
        f'<rect width="780" height="{height}" fill="white"/>',
    ]

    def across(share: float) -> float:
        return round(left + (share - least) / (1 - least or 1) * (right - left), 1)

    def dot(name: str, x: float, y: float) -> str:
        place = names.index(name)
        size = 6 if place == 0 else 4
        return f'<circle cx="{x}" cy="{y}" r="{size}" fill="{_COLOURS[place % len(_COLOURS)]}" fill-opacity="0.85"/>'

    for place, name in enumerate(names):
        column, height_of_name = 20 + 190 * (place % per_line), 20 + 18 * (place // per_line)
        parts.append(dot(name, column, height_of_name - 4))
        parts.append(f'<text x="{column + 10}" y="{height_of_name}">{escape(name)}</text>')
    for tenth in range(round(least * 10), 11):
        x = across(tenth / 10)
        parts.append(f'<line x1="{x}" y1="{top - 8}" x2="{x}" y2="{height - 30}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{x}" y="{height - 12}" text-anchor="middle">{tenth / 10:g}</text>')
    for place, (title, row) in enumerate(rows.items()):
        y = top + line * place + line // 2
        parts.append(f'<text x="{left - 14}" y="{y + 4}" text-anchor="end">{escape(title)}</text>')
        if spans and title in spans:
            low, high = map(across, spans[title])
            parts.append(f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" stroke="{_COLOURS[0]}" stroke-width="2"/>')
        if marks and title in marks:
            x = across(marks[title])
            parts.append(f'<line x1="{x}" y1="{y - 11}" x2="{x}" y2="{y + 11}" stroke="#333" stroke-dasharray="3 3"/>')
        for name, value in reversed(list(row.items())):
            # Those who reach the same lie beside each other.
            apart = 3 * (names.index(name) - len(names) / 2) if name != names[0] else 0
            parts.append(dot(name, across(value), y + apart))
    return "\n".join([*parts, "</svg>\n"])

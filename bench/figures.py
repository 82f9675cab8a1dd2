"""Measured figures, each beside what was promised."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

Report = Callable[[str], None]
"""Is told what is being measured."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure and what was promised."""

    name: str
    value: float
    unit: str
    promise: str = ""
    kept: bool | None = None


def at_least(name: str, value: float, unit: str, bound: float) -> Figure:
    """Return a figure that should reach a bound."""
    return Figure(name, round(value, 2), unit, f"≥ {bound:g}", value >= bound)


def at_most(name: str, value: float, unit: str, bound: float) -> Figure:
    """Return a figure that should stay within a bound."""
    return Figure(name, round(value, 2), unit, f"≤ {bound:g}", value <= bound)


def as_rows(figures: Sequence[Figure]) -> list[dict[str, object]]:
    """Return the figures as plain data."""
    return [asdict(figure) for figure in figures]

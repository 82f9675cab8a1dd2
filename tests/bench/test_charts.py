"""Drawings of what was measured."""

import pytest

from bench.charts import ticks


@pytest.mark.parametrize(
    ("largest", "expected"),
    [
        (365.0, [0, 100, 200, 300, 400]),
        (0.5, [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        (2876.0, [0, 500, 1000, 1500, 2000, 2500, 3000]),
        (0.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
    ],
)
def test_an_axis_is_marked_with_round_numbers(largest: float, expected: list[float]) -> None:
    assert ticks(largest) == pytest.approx(expected)

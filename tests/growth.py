"""Whether work grows with its input or faster: two sizes, measured beside each other in one run."""

import time
from collections.abc import Callable

_TIMES = 4
_NOISE = 0.004
"""Seconds below which the clock tells nothing."""


def grows_no_faster_than_its_input(work: Callable[[str], object], text: str) -> bool:
    """Tell whether four times the text costs well below the sixteen times that squared work would."""
    short = text[: len(text) // _TIMES]
    work(short)
    return _cost(work, text) <= 2.5 * _TIMES * max(_cost(work, short), _NOISE)


def _cost(work: Callable[[str], object], text: str) -> float:
    costs = []
    for _ in range(3):
        begin = time.process_time()
        work(text)
        costs.append(time.process_time() - begin)
    return min(costs)

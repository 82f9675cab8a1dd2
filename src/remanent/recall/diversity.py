"""Choosing an answer that does not say the same twice, nor hear one source only; pure."""

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import pairwise

from remanent.text.scripts import UNSPACED

_UNIT = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_FIRST_UNSPACED = "\u0e00"

Likeness = Callable[[str, str], float]
"""How alike two candidates are, from 0 to 1."""


def unlike(scores: Mapping[str, float], *, likeness: Likeness, strength: float, twins: float) -> Iterator[str]:
    """Yield the ids by maximal marginal relevance, best first; what nobody takes is not worked out.

    A candidate's score falls by up to `strength` of it with its likeness to the nearest one chosen before; likeness
    below `twins` counts nothing. With equal scores the order of the mapping decides.
    """
    left = list(scores)
    if not strength:
        yield from left
        return
    nearest = dict.fromkeys(left, 0.0)
    while left:
        best = max(left, key=lambda one: scores[one] * (1 - strength * nearest[one]))
        left.remove(best)
        yield best
        for other in left:
            alike = likeness(best, other)
            if alike >= twins:
                nearest[other] = max(nearest[other], alike)


def spread(
    ranked: Iterable[str], source_of: Callable[[str], Hashable | None], *, share: float, limit: int
) -> list[str]:
    """Return up to `limit` ids, best first, of which no source has more than its share while others have any left.

    What has no source is never held back. A share always leaves room for one.
    """
    most = max(1, math.floor(share * limit + 1e-9))
    counts: dict[Hashable, int] = {}
    chosen: list[str] = []
    waiting: list[str] = []
    for record_id in ranked:
        source = source_of(record_id)
        if source is not None and counts.get(source, 0) >= most:
            waiting.append(record_id)
            continue
        if source is not None:
            counts[source] = counts.get(source, 0) + 1
        chosen.append(record_id)
        if len(chosen) == limit:
            break
    return chosen + waiting[: limit - len(chosen)]


def units(text: str) -> frozenset[str]:
    """Return what a text is compared by: its words, and characters with their neighbours where words are not spaced.

    Coarser than search terms and many times quicker: twins are alike by any measure.
    """
    found = _UNIT.findall(text.casefold())
    if any(one >= _FIRST_UNSPACED for one in found):
        found += [first + second for first, second in pairwise(found)]
    return frozenset(found)


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return how many of all terms of two texts both hold."""
    if not first or not second:
        return 0.0
    both = len(first & second)
    return both / (len(first) + len(second) - both)

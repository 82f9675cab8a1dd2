"""Choosing an answer that does not say the same twice, nor hear one source only; pure."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import pairwise

from remanent.text.regex import lazy_regex
from remanent.text.scripts import UNSPACED

_UNIT = lazy_regex(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_SPACED_UNIT = lazy_regex(r"\w+")
_FIRST_UNSPACED = "\u0e00"
_ROUNDING = 1e-9
"""What a product of floats may be off by; nothing near a whole number is meant by it."""

Likeness = Callable[[str, str], float]
"""How alike two candidates are, from 0 to 1."""


_HEARD = 2
"""Turns of one talk that are heard in full before each further one counts less."""


def marginal_relevance(
    scores: Mapping[str, float],
    *,
    likeness: Likeness,
    strength: float,
    twins: float,
    talk_of: Callable[[str], Hashable | None] = lambda _: None,
    further: float = 0.0,
) -> Iterator[str]:
    """Yield the ids by maximal marginal relevance, best first; what nobody takes is not worked out.

    A candidate's score falls by up to `strength` of it with its likeness to the nearest one chosen before; likeness
    below `twins` counts nothing. From the third of one talk on, it falls by `further` with each that was chosen. With
    equal scores the order of the mapping decides.
    """
    left = list(scores)
    if not strength and not further:
        yield from left
        return
    nearest = dict.fromkeys(left, 0.0)
    talks = {one: talk_of(one) for one in left}
    heard = dict.fromkeys(talks.values(), 1.0)
    count = dict.fromkeys(heard, 0)
    while left:
        best = max(left, key=lambda one: scores[one] * (1 - strength * nearest[one]) * heard[talks[one]])
        left.remove(best)
        yield best
        talk = talks[best]
        count[talk] += 1
        if talk is not None and count[talk] >= _HEARD:
            heard[talk] *= 1 - further
        for other in left:
            alike = likeness(best, other)
            if alike >= twins:
                nearest[other] = max(nearest[other], alike)


def limited_per_source(
    ranked: Iterable[str],
    source_of: Callable[[str], Hashable | None],
    *,
    share: float,
    limit: int,
    crowd_of: Callable[[str], Hashable | None] = lambda _: None,
) -> list[str]:
    """Return up to `limit` ids, best first, of which no source has more than its share while others have any left.

    The same bound holds for a crowd of near-duplicates, wherever they come from. What has no source and stands in no
    crowd is never held back. A share always leaves room for one.
    """
    most = share_of(limit, share)
    counts: dict[Hashable, int] = {}
    chosen: list[str] = []
    waiting: list[str] = []
    for record_id in ranked:
        source, crowd = source_of(record_id), crowd_of(record_id)
        bounds: list[Hashable] = [("source", source)] if source is not None else []
        bounds += [("crowd", crowd)] if crowd is not None else []
        if any(counts.get(bound, 0) >= most for bound in bounds):
            waiting.append(record_id)
            continue
        for bound in bounds:
            counts[bound] = counts.get(bound, 0) + 1
        chosen.append(record_id)
        if len(chosen) == limit:
            break
    return chosen + waiting[: limit - len(chosen)]


def share_of(limit: int, share: float) -> int:
    """Return how many of `limit` a source may have; at least one."""
    return max(1, math.floor(share * limit + _ROUNDING))


def crowds(sizes: Mapping[str, int], likeness: Likeness, *, twins: float, most: int) -> dict[str, list[str]]:
    """Return the groups of near-duplicates that hold more than `most` of the texts, each by its first one.

    A text belongs to the first one that it is a twin of. Where no size has so many others near it, nothing is compared:
    twins are about as long as each other. What says nothing, of the size 0, stands alone.
    """
    if not _may_crowd(sorted(sizes.values()), twins=twins, most=most):
        return {}
    groups: dict[str, list[str]] = {}
    for record_id, size in sizes.items():
        alike = (
            one
            for one in groups
            if size and sizes[one] and may_be_twins(size, sizes[one], twins=twins) and likeness(one, record_id) >= twins
        )
        groups.setdefault(next(alike, record_id), []).append(record_id)
    return {first: members for first, members in groups.items() if len(members) > most}


def _may_crowd(sizes: list[int], *, twins: float, most: int) -> bool:
    """Tell whether more than `most` of the sizes, sorted, are as near to one of them as those of twins are."""
    if not twins:
        return True
    bounds = ((size * twins - _ROUNDING, size / twins + _ROUNDING) for size in set(sizes))
    return any(bisect_right(sizes, high) - bisect_left(sizes, low) > most for low, high in bounds)


def may_be_twins(one: int, other: int, *, twins: float) -> bool:
    """Tell by the sizes of two texts whether they may overlap by `twins`: most pairs may not."""
    return one >= twins * other and other >= twins * one


def units(text: str) -> frozenset[str]:
    """Return what a text is compared by: its words, and characters with their neighbours where words are not spaced.

    Coarser than search terms and many times quicker: twins are alike by any measure.
    """
    spaced = max(text, default="") < _FIRST_UNSPACED  # to compile the other takes 4 ms, which most commands can spare
    found = (_SPACED_UNIT if spaced else _UNIT).findall(text.casefold())
    if any(one >= _FIRST_UNSPACED for one in found):
        found += [first + second for first, second in pairwise(found)]
    return frozenset(found)


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return how many of all terms of two texts both hold."""
    if not first or not second:
        return 0.0
    both = len(first & second)
    return both / (len(first) + len(second) - both)

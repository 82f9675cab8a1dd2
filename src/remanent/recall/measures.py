"""Measures of a ranking against what answers a question: pure mathematics."""

import math
from collections.abc import Collection, Sequence

DRAWS = 1000
"""How often a sample is drawn anew for a confidence interval."""


def any_at(ranking: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Return 1 when at least one of the wanted is among the first k, else 0."""
    return float(not set(wanted).isdisjoint(ranking[:k]))


def all_at(ranking: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Return 1 when every one of the wanted is among the first k, else 0; of nothing wanted nothing is found."""
    return float(bool(wanted) and set(wanted) <= set(ranking[:k]))


def reciprocal_rank_of(ranking: Sequence[str], wanted: Collection[str]) -> float:
    """Return one over the place of the first that is wanted, 0 when none is there."""
    return next((1 / place for place, found in enumerate(ranking, start=1) if found in wanted), 0.0)


def ndcg_at(ranking: Sequence[str], wanted: Collection[str], k: int) -> float:
    """Return the discounted gain of the first k, as a share of what the best order would give."""
    distinct = set(wanted)
    if not distinct:
        return 0.0
    seen: set[str] = set()
    gain = 0.0
    for place, found in enumerate(ranking[:k], start=1):
        if found in distinct and found not in seen:
            seen.add(found)
            gain += 1 / math.log2(place + 1)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(distinct)) + 1))
    return gain / best


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float], *, draws: int = DRAWS, seed: int = 7) -> tuple[float, float]:
    """Return the 95% confidence interval of the mean, by drawing the sample anew many times."""
    import numpy as np

    if not values:
        return 0.0, 0.0
    source, sample = np.random.default_rng(seed), np.asarray(values)
    means = [float(source.choice(sample, len(sample)).mean()) for _ in range(draws)]
    return percentile(means, 0.025), percentile(means, 0.975)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return how often a positive scores above a negative, ties half; 0.5 when either is missing."""
    if not positive or not negative:
        return 0.5
    ordered = sorted([(score, True) for score in positive] + [(score, False) for score in negative])
    ranks = 0.0
    place = 0
    while place < len(ordered):
        end = place
        while end < len(ordered) and ordered[end][0] == ordered[place][0]:
            end += 1
        ranks += sum(is_positive for _, is_positive in ordered[place:end]) * (place + 1 + end) / 2
        place = end
    count = len(positive)
    return (ranks - count * (count + 1) / 2) / (count * len(negative))


def coverage(positive: Sequence[float], negative: Sequence[float], *, false_share: float = 0.05) -> float:
    """Return which share of the positives passes the threshold that lets through at most a share of the negatives."""
    if not positive:
        return 0.0
    allowed = int(false_share * len(negative))
    ordered = sorted(negative, reverse=True)
    # What scores no higher than the first negative that must be kept out stays out with it.
    bound = ordered[allowed] if allowed < len(ordered) else -math.inf
    return sum(score > bound for score in positive) / len(positive)

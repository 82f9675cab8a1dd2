"""Joining ranked lists into one: pure mathematics."""

from collections.abc import Mapping, Sequence

RRF_K = 60
"""Dampens the lead of first places; the value of the original paper."""

Scored = Mapping[str, float]
"""What one path found: ids with its own scores, best first."""


def reciprocal_rank(
    rankings: Mapping[str, Sequence[str]], *, weights: Mapping[str, float], k: int = RRF_K
) -> dict[str, float]:
    """Return each id's fused score, best first: the sum over paths of weight / (k + rank), ranks from 1.

    Equal scores are ordered by the best single rank, then by id, so that the outcome never depends on chance.
    """
    scores: dict[str, float] = {}
    best: dict[str, int] = {}
    for path in sorted(rankings):
        weight = weights.get(path, 1.0)
        for rank, found_id in enumerate(rankings[path], start=1):
            scores[found_id] = scores.get(found_id, 0.0) + weight / (k + rank)
            best[found_id] = min(best.get(found_id, rank), rank)
    return _ordered(scores, best)


def min_max(scores: Scored) -> dict[str, float]:
    """Bring scores to [0, 1]: the best becomes 1, the worst 0; when all are equal, each becomes 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    # Halves are compared, because the difference of two very large numbers has no float.
    spread = high / 2 - low / 2
    if spread <= 0:
        return dict.fromkeys(scores, 1.0)
    return {found_id: min(1.0, max(0.0, (score / 2 - low / 2) / spread)) for found_id, score in scores.items()}


def weighted_scores(found: Mapping[str, Scored], *, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weighted mean of all paths' scores, best first, each path brought to [0, 1] first.

    With two paths of weight alpha and 1 - alpha this is the alpha hybrid: `alpha * words + (1 - alpha) * meaning`. What
    a path did not find counts 0 there. A path that found nothing keeps its weight, so that a score means the same
    whatever the others found.
    """
    total = sum(weights.get(path, 1.0) for path in found)
    shares = {path: weights.get(path, 1.0) / total if total > 0 else 0.0 for path in found}
    return summed({path: min_max(scores) for path, scores in found.items()}, weights=shares)


def shares_of_best(scores: Scored) -> dict[str, float]:
    """Return scores divided by the best; where that is nothing, each becomes 1."""
    best = max(scores.values(), default=0.0)
    return {found_id: score / best if best > 0 else 1.0 for found_id, score in scores.items()}


def above_last(scores: Scored, *, limit: int) -> dict[str, float]:
    """Return how far scores lie above the last of a list of so many, or above 0 where the list is not full."""
    last = min(scores.values()) if len(scores) >= limit else 0.0
    return {found_id: max(0.0, score - last) for found_id, score in scores.items()}


def summed(found: Mapping[str, Scored], *, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weighted sum of all paths' scores as they are, best first."""
    scores: dict[str, float] = {}
    best: dict[str, int] = {}
    for path in sorted(found):
        weight = weights.get(path, 1.0)
        ordered = sorted([(-score, found_id) for found_id, score in found[path].items()])
        for rank, (less, found_id) in enumerate(ordered, start=1):
            scores[found_id] = scores.get(found_id, 0.0) - weight * less
            known = best.get(found_id)
            if known is None or rank < known:
                best[found_id] = rank
    return _ordered(scores, best)


def _ordered(scores: Mapping[str, float], best: Mapping[str, int]) -> dict[str, float]:
    ordered = sorted([(-score, best[found_id], found_id) for found_id, score in scores.items()])
    return {found_id: scores[found_id] for _, _, found_id in ordered}

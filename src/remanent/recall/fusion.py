"""Joining ranked lists into one: pure mathematics."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

RRF_K = 60
"""Dampens the lead of first places; the value of the original paper."""


def reciprocal_rank(
    rankings: Mapping[str, Sequence[str]], *, weights: Mapping[str, float], k: int = RRF_K
) -> dict[str, float]:
    """Return each id's fused score, best first: the sum over paths of weight / (k + rank), ranks from 1.

    Equal scores are ordered by the best single rank, then by id, so that the outcome never depends on chance.
    """
    scores: dict[str, float] = defaultdict(float)
    best: dict[str, int] = {}
    for path, ids in rankings.items():
        for rank, found_id in enumerate(ids, start=1):
            scores[found_id] += weights.get(path, 1.0) / (k + rank)
            best[found_id] = min(best.get(found_id, rank), rank)
    order = sorted(scores, key=lambda found_id: (-scores[found_id], best[found_id], found_id))
    return {found_id: scores[found_id] for found_id in order}

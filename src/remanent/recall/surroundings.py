"""What stands around a turn speaks for it: its neighbours and its session; pure mathematics."""

from collections.abc import Iterable, Mapping
from heapq import nlargest

from remanent.recall.recipe import Surroundings
from remanent.stores import Place


def context_of(
    scores: Mapping[str, float], places: Mapping[str, Place], surroundings: Surroundings
) -> dict[str, float]:
    """Return what each placed record gets in addition to its own score, 0 or more.

    A record that nobody found may get something from its neighbours, but nothing from its session alone.
    """
    evidence: dict[str, float] = {}
    if surroundings.session:
        evidence = session_evidence(scores, places, discount=surroundings.discount, depth=surroundings.depth)
    context: dict[str, float] = {}
    of_neighbours, of_session = surroundings.neighbours, surroundings.session
    for record_id, place in places.items():
        near = 0.0
        if of_neighbours:
            around = (other for other in (place.before_id, place.after_id) if other is not None)
            near = of_neighbours * sum(scores.get(other, 0.0) for other in around)
        session = place.session
        if session is not None and (near or record_id in scores):
            near += of_session * evidence.get(session, 0.0)
        context[record_id] = near
    return context


def session_evidence(
    scores: Mapping[str, float], places: Mapping[str, Place], *, discount: float, depth: int
) -> dict[str, float]:
    """Return how much evidence each session holds: its turns' scores, each further one counting less."""
    by_session: dict[str, list[float]] = {}
    for record_id, score in scores.items():
        place = places.get(record_id)
        if place is not None and place.session is not None:
            by_session.setdefault(place.session, []).append(score)
    return {
        session: held[0] if len(held) == 1 else discounted(held, discount=discount, depth=depth)
        for session, held in by_session.items()
    }


def discounted(scores: Iterable[float], *, discount: float, depth: int) -> float:
    """Return the sum of the best scores, each further one counting `discount` of what the one before does."""
    return sum(score * discount**place for place, score in enumerate(nlargest(depth, scores)))

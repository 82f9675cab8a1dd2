"""What stands around a turn speaks for it: its neighbours and its session; pure mathematics."""

from collections.abc import Iterable, Mapping

from remanent.recall.recipe import Surroundings
from remanent.stores import Place


def context_of(
    scores: Mapping[str, float], places: Mapping[str, Place], surroundings: Surroundings
) -> dict[str, float]:
    """Return what each placed record gets in addition to its own score, 0 or more.

    A record that nobody found may get something from its neighbours; how large the scores are does not matter.
    """
    standings = session_standings(scores, places, discount=surroundings.discount) if surroundings.session else {}
    highest = max(standings.values(), default=0.0)
    best = max(scores.values(), default=0.0)
    context: dict[str, float] = {}
    for record_id, place in places.items():
        near = sum(scores.get(other, 0.0) for other in (place.before_id, place.after_id) if other is not None)
        added = surroundings.neighbours * near
        if place.session in standings and highest > 0 and (near or record_id in scores):
            added += surroundings.session * best * standings[place.session] / highest
        context[record_id] = added
    return context


def session_standings(scores: Mapping[str, float], places: Mapping[str, Place], *, discount: float) -> dict[str, float]:
    """Return how much evidence each session holds: the sum of its turns' scores, each further one counting less."""
    by_session: dict[str, list[float]] = {}
    for record_id, score in scores.items():
        place = places.get(record_id)
        if place is not None and place.session is not None:
            by_session.setdefault(place.session, []).append(score)
    return {session: discounted(values, discount=discount) for session, values in by_session.items()}


def discounted(scores: Iterable[float], *, discount: float) -> float:
    """Return the sum of scores, best first, each further one counting `discount` of the one before."""
    return sum(score * discount**place for place, score in enumerate(sorted(scores, reverse=True)))

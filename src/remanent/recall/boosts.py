"""What else speaks for a record than how well it fits the question: bounded factors, 1 when unknown; pure."""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from remanent.model import Origin, Record, is_ahead
from remanent.recall.recipe import Boosts
from remanent.stores import Place

_DAY = 86_400.0
_ENOUGH_USE = 3.0
"""Accesses after which half of the boost for use is given."""
# How far each origin is from a person's own word. What was imported may be anybody's: nothing is known of it. A role
# that is not known is mostly a person's name: enough to give way to a user who fits as well, and, as in a chat among
# named people all have it, without a say in their order.
_DISTANCE = {
    Origin.USER: 0.0,
    Origin.IMPORT: 0.0,
    Origin.TOOL: 0.0,
    Origin.UNTRUSTED: 0.2,
    Origin.AGENT: 1.0,
    Origin.WEB: 1.0,
}


class Factor(NamedTuple):
    """What moves a score, and by how much; plain, because every candidate of every question has some."""

    name: str
    factor: float


def trust(origin: Origin, boosts: Boosts, *, agent_is_asked: bool = False) -> float:
    """Return the factor for who said it; where the question asks what the agent said, its word counts in full."""
    if agent_is_asked and origin is Origin.AGENT:
        return 1.0
    return 1 - boosts.trust * _DISTANCE[origin]


class PlaceBoosts:
    """The factors of what a record's place tells: who said it, when, and what kind it is.

    `person` is the one speaker whom the question names, if it names just one; `times` are those that it speaks of.
    Origins and kinds are few: theirs are worked out once. Of the hundreds of candidates that a question has, most need
    but the product.
    """

    def __init__(
        self,
        boosts: Boosts,
        *,
        now: datetime | None,
        agent_is_asked: bool = False,
        person: str | None = None,
        times: Sequence[tuple[datetime, datetime]] = (),
    ) -> None:
        self._boosts = boosts
        self._now = now
        self._of_origin = {origin: trust(origin, boosts, agent_is_asked=agent_is_asked) for origin in Origin}
        self._person = person
        self._times = times

    def product(self, place: Place) -> float:
        """Return all factors multiplied."""
        factor = self._of_origin[place.trust]
        if self._person is not None and place.role == self._person:
            factor *= 1 + self._boosts.speaker
        if self._times:
            factor *= self._time(place)
        return factor * recency(moment_of(place), self._boosts, now=self._now) * self._boosts.kinds.get(place.kind, 1.0)

    def factors(self, place: Place) -> tuple[Factor, ...]:
        """Return those that change anything, each with its name."""
        return _factors(
            trust=self._of_origin[place.trust],
            speaker=1 + self._boosts.speaker if self._person is not None and place.role == self._person else 1.0,
            time=self._time(place),
            recency=recency(moment_of(place), self._boosts, now=self._now),
            kind=self._boosts.kinds.get(place.kind, 1.0),
        )

    def _time(self, place: Place) -> float:
        within = any(begin <= place.occurred_at < finish for begin, finish in self._times)
        return 1 + self._boosts.time if within else 1.0


def boosts_for(boosts: Boosts, *, for_a_fact: bool) -> Boosts:
    """Return the boosts for a question for a fact, or for a message that goes on talking."""
    if for_a_fact or boosts.recency_in_talk is None:
        return boosts
    return boosts.replace(recency=boosts.recency_in_talk)


def boosts_of_record(record: Record, boosts: Boosts) -> tuple[Factor, ...]:
    """Return the factors of what only the record itself tells: how sure it is, and how often it was used."""
    return _factors(
        confidence=1 - boosts.confidence * (1 - record.confidence),
        usage=1 + boosts.usage * record.access_count / (record.access_count + _ENOUGH_USE),
    )


def moment_of(place: Place) -> datetime:
    """Return when a record counts as having happened: what was dated into the future, when it was told."""
    recorded_at = place.recorded_at
    if recorded_at is not None and is_ahead(place.occurred_at, recorded_at=recorded_at):
        return recorded_at
    return place.occurred_at


def recency(occurred_at: datetime, boosts: Boosts, *, now: datetime | None) -> float:
    """Return the factor for being new: it halves towards 1 with every half-life."""
    if now is None or not boosts.recency:
        return 1.0
    age = max(0.0, (now - occurred_at).total_seconds()) / _DAY
    return 1 + boosts.recency * math.exp2(-age / boosts.half_life_days)


def product(factors: tuple[Factor, ...]) -> float:
    """Return all factors multiplied."""
    if len(factors) == 1:
        return factors[0].factor
    return math.prod([boost.factor for boost in factors])


def _factors(**factors: float) -> tuple[Factor, ...]:
    return tuple(Factor(name, factor) for name, factor in factors.items() if factor != 1.0)

"""What else speaks for a record than how well it fits the question: bounded factors, 1 when unknown; pure."""

import math
from datetime import datetime
from typing import NamedTuple

from remanent.model import Origin, Record
from remanent.recall.recipe import Boosts
from remanent.stores import Place

_DAY = 86_400.0
_ENOUGH_USE = 3.0
"""Accesses after which half of the boost for use is given."""
# How far each origin is from a person's own word. What was imported may be anybody's: nothing is known of it.
_DISTANCE = {Origin.USER: 0.0, Origin.IMPORT: 0.0, Origin.TOOL: 0.0, Origin.AGENT: 1.0, Origin.WEB: 1.0}


class Factor(NamedTuple):
    """What moves a score, and by how much; plain, because every candidate of every question has some."""

    name: str
    factor: float


def trust(origin: Origin, boosts: Boosts, *, agent_is_asked: bool = False) -> float:
    """Return the factor for who said it; where the question asks what the agent said, its word counts in full."""
    if agent_is_asked and origin is Origin.AGENT:
        return 1.0
    return 1 - boosts.trust * _DISTANCE[origin]


def boosts_of_place(
    place: Place, boosts: Boosts, *, now: datetime | None, agent_is_asked: bool = False, person: str | None = None
) -> tuple[Factor, ...]:
    """Return the factors of what a record's place tells: who said it, when, and what kind it is.

    `person` is the one speaker whom the question names, if it names just one.
    """
    # Spelt out, because it is done for every candidate of every question.
    factors = []
    by_trust = trust(place.trust, boosts, agent_is_asked=agent_is_asked)
    if by_trust != 1.0:
        factors.append(Factor("trust", by_trust))
    if boosts.speaker and person is not None and place.role == person:
        factors.append(Factor("speaker", 1 + boosts.speaker))
    by_age = recency(place.occurred_at, boosts, now=now)
    if by_age != 1.0:
        factors.append(Factor("recency", by_age))
    by_kind = boosts.kinds.get(place.kind, 1.0)
    if by_kind != 1.0:
        factors.append(Factor("kind", by_kind))
    return tuple(factors)


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


def recency(occurred_at: datetime, boosts: Boosts, *, now: datetime | None) -> float:
    """Return the factor for being new: it halves towards 1 with every half-life; what lies ahead counts as new."""
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

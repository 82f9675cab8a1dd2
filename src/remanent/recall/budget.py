"""Filling a token budget with the most evidence: which memories, and of long ones which sentences. Pure.

A memory is worth the more the better its place. A long one can also be taken in part: the sentences that name what the
question asks for, with those around them. Whatever adds most evidence for its tokens is taken next, so that three short
memories can win against one long one, and the beginning of a long one against nothing.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from remanent.text.sentences import sentences
from remanent.text.spans import Span
from remanent.text.terms import index_terms, query_terms
from remanent.text.tokens import TokenCounter

GAP = "…"
"""Stands where sentences are left out."""

PARTS = (64, 160)
"""Tokens to which a longer memory can be cut."""

FADING = 0.75
"""How fast worth falls from place to place: as the place to this power."""

PART_LOSS = 0.85
"""The share of a memory's worth that is left in a part of it that names all that the whole names."""

UNNAMED = 0.3
"""The share of that which does not hang on naming anything."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One memory to take, in the order of worth, and the tokens that stand around its words."""

    text: str
    around: int = 0


@dataclass(frozen=True, slots=True)
class _Form:
    """A memory, whole or in part."""

    text: str
    tokens: int
    worth: float


def pack(question: str, pieces: Sequence[Piece], *, budget: int, counter: TokenCounter) -> dict[int, str]:
    """Return by place the texts to take; with what stands around them they count no more than the budget."""
    weights = _weights(question, pieces)
    forms = [_forms(piece, place, weights, counter) for place, piece in enumerate(pieces)]
    taken: dict[int, _Form] = {}
    room = budget
    while True:
        steps = [
            (gain / cost, -place, form)
            for place, known in enumerate(forms)
            for form in known
            if (cost := form.tokens - (taken[place].tokens if place in taken else 0)) <= room
            and (gain := form.worth - (taken[place].worth if place in taken else 0.0)) > 0
            and cost > 0
        ]
        if not steps:
            return {place: taken[place].text for place in sorted(taken)}
        # The best memory comes first in any case: a cheap aside must not take the room that it needs.
        first = [step for step in steps if step[1] == 0] if 0 not in taken else []
        _, negative, form = max(first or steps, key=lambda step: (step[0], step[1], -step[2].tokens))
        place = -negative
        room -= form.tokens - (taken[place].tokens if place in taken else 0)
        taken[place] = form


def focus(text: str, weights: Mapping[str, float], *, limit: int, counter: TokenCounter) -> str:
    """Return the sentences of a text that name most of the terms, within a limit; a gap is marked where one is.

    Nothing fits: an empty text.
    """
    spans = [span for span in sentences(text) if span.of(text).strip()]
    terms = [frozenset(index_terms(span.of(text))) & weights.keys() for span in spans]
    chosen: set[int] = set()
    for place in _by_use(spans, terms, weights):
        wider = _told(text, spans, chosen | {place})
        if counter(wider) <= limit:
            chosen.add(place)
    return _told(text, spans, chosen)


def _by_use(spans: Sequence[Span], terms: Sequence[frozenset[str]], weights: Mapping[str, float]) -> Iterator[int]:
    """Yield sentences: those that name something not named yet, best first, then those nearest to the first ones."""
    left = set(range(len(spans)))
    named: set[str] = set()
    anchors: list[int] = []
    while left:
        best = max(left, key=lambda place: (sum(weights[term] for term in terms[place] - named), -place))
        if not terms[best] - named:
            break
        named |= terms[best]
        anchors.append(best)
        left.discard(best)
        yield best
    anchors = anchors or [0]
    yield from sorted(left, key=lambda place: (min(abs(place - anchor) for anchor in anchors), place))


def _told(text: str, spans: Sequence[Span], chosen: set[int]) -> str:
    parts: list[str] = []
    for place in sorted(chosen):
        if place and place - 1 not in chosen:
            parts.append(f"{GAP} " if not parts else f" {GAP} ")
        parts.append(spans[place].of(text) if place + 1 in chosen else spans[place].of(text).rstrip())
    if chosen and max(chosen) < len(spans) - 1:
        parts.append(f" {GAP}")
    return "".join(parts)


def _weights(question: str, pieces: Sequence[Piece]) -> dict[str, float]:
    """Return what naming each term of the question is worth: less when all memories do."""
    held = [frozenset(index_terms(piece.text)) for piece in pieces]
    return {
        term: math.log(1 + len(pieces) / (0.5 + sum(term in terms for terms in held))) for term in query_terms(question)
    }


def _forms(piece: Piece, place: int, weights: Mapping[str, float], counter: TokenCounter) -> list[_Form]:
    worth = (place + 1) ** -FADING
    whole = counter(piece.text)
    forms = [_Form(piece.text, whole + piece.around, worth)]
    named = _named(piece.text, weights)
    for limit in PARTS:
        if whole > limit and (part := focus(piece.text, weights, limit=limit, counter=counter)):
            share = _named(part, weights) / named if named else 0.0
            value = worth * PART_LOSS * (UNNAMED * counter(part) / whole + (1 - UNNAMED) * share)
            forms.append(_Form(part, counter(part) + piece.around, value))
    return forms


def _named(text: str, weights: Mapping[str, float]) -> float:
    terms = frozenset(index_terms(text))
    return sum(weight for term, weight in weights.items() if term in terms)

"""Choosing within a budget of tokens: whole memories if all fit, else the sentences of each that name what is asked.

From the best down, and each by a paragraph: weighing every form of twenty memories against each other took 250 ms on
passages, this takes 5.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

from remanent.text.scripts import fold
from remanent.text.sentences import sentences
from remanent.text.spans import Span
from remanent.text.terms import query_terms, telling_part
from remanent.text.tokens import TokenCounter
from remanent.values import dataclass

GAP = "…"
"""Stands where sentences are left out."""

_PART = 160
"""Tokens to which a memory is cut where not all fit, a paragraph; the best one may have half of the budget. Chosen by
hand."""
_MIN_PART = 6
"""Tokens below which a part says nothing."""
LONGEST_READ = 8000
"""Characters of a memory from which sentences are chosen, where it names the most of what is asked for."""
_CHARACTERS_PER_TOKEN = 6
"""Above that, a text of people has more tokens for sure; it is not counted to find out that it does not fit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One memory to take, in the order of worth, and the tokens that stand around its words."""

    text: str
    around: int = 0


def pack(question: str, pieces: Sequence[Piece], *, budget: int, counter: TokenCounter) -> dict[int, str]:
    """Return by place the texts to take; with what stands around them they count no more than the budget.

    All of them if they fit; else, from the best down, a paragraph of each until the budget is spent.
    """
    may_fit = sum(len(piece.text) for piece in pieces) <= _CHARACTERS_PER_TOKEN * budget
    if may_fit and sum(counter(piece.text) + piece.around for piece in pieces) <= budget:
        return {place: piece.text for place, piece in enumerate(pieces)}
    weights = _weights(question, pieces)
    taken: dict[int, str] = {}
    room = budget
    for place, piece in enumerate(pieces):
        free = room - piece.around
        limit = min(free, _PART if place else max(_PART, budget // 2))
        if free < _MIN_PART:
            continue
        text = piece.text
        if len(text) > _CHARACTERS_PER_TOKEN * limit or counter(text) > limit:
            text = matching_sentences(text, weights, limit=limit, counter=counter)
        if text:
            taken[place] = text
            room = free - counter(text)
    return taken


def matching_sentences(text: str, weights: Mapping[str, float], *, limit: int, counter: TokenCounter) -> str:
    """Return the sentences of a text that name most of the terms, within a limit; a gap is marked where one is.

    Nothing fits: an empty text.
    """
    if len(text) > LONGEST_READ:
        text = telling_part(text, weights, length=LONGEST_READ)
    spans = [span for span in sentences(text) if span.of(text).strip()]
    folded = [fold(span.of(text)).casefold() for span in spans]
    terms = [{term for term in weights if term in words} for words in folded]
    chosen: list[int] = []
    room = limit
    for place in _by_use(spans, terms, weights):
        size = counter(spans[place].of(text))
        if size <= room:
            chosen.append(place)
            room -= size
        if room < _MIN_PART:
            break
    # Gaps count as well, and what is joined may count for more than its parts.
    while chosen and counter(_told(text, spans, set(chosen))) > limit:
        chosen.pop()
    return _told(text, spans, set(chosen))


def _by_use(spans: Sequence[Span], terms: Sequence[set[str]], weights: Mapping[str, float]) -> Iterator[int]:
    """Yield sentences: those that name something not named yet, best first, then those nearest to the first ones.

    What is nearest to a sentence that was chosen tells most of what it means; sentences that name nothing of the
    question are otherwise alike.
    """
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
    """Return the chosen sentences in their order, with a mark wherever something between them is left out."""
    parts: list[str] = []
    for place in sorted(chosen):
        if place and place - 1 not in chosen:
            parts.append(f"{GAP} " if not parts else f" {GAP} ")
        parts.append(spans[place].of(text) if place + 1 in chosen else spans[place].of(text).rstrip())
    if chosen and max(chosen) < len(spans) - 1:
        parts.append(f" {GAP}")
    return "".join(parts)


def _weights(question: str, pieces: Sequence[Piece]) -> dict[str, float]:
    """Return what naming each term of the question is worth: less when all memories do.

    A term is looked for as a part of words, which is near enough to choose sentences by and needs no reading of them.
    A very long memory is not folded for that, which takes a tenth of a second where it is Chinese.
    """
    held = [(piece.text if len(piece.text) > LONGEST_READ else fold(piece.text)).casefold() for piece in pieces]
    return {
        term: math.log(1 + len(pieces) / (0.5 + sum(term in words for words in held))) for term in query_terms(question)
    }

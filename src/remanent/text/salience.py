"""What in a text carries its meaning: terms, names, numbers, dates and negations, each with a weight and a place."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log

from remanent.text.dates import find_dates
from remanent.text.mentions import mentions
from remanent.text.numbers import quantities
from remanent.text.phrases import runs
from remanent.text.spans import Span


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that carries meaning: where it stands, what it is (equal things, equal keys), how much it weighs."""

    start: int
    end: int
    key: str
    weight: float


_NEGATION = re.compile(
    r"\b(?:not|never|no|nobody|nothing|none|neither|nor|cannot|without|hardly|unable|fail(?:s|ed)?|\w+n['’]t)\b"
    r"|(?:并?不(?!过|仅|但|管|论|断|久|同)|没有?|未(?!来)|无法|从不|绝不|别(?!人|的|墅)|非(?!常|洲)|拒绝|禁止)",
    re.IGNORECASE,
)
_NAME, _NUMBER, _DATE, _NEGATED = 1.5, 1.2, 1.2, 1.5
# Only places are asked for, and those do not depend on the moment.
_ANY_MOMENT = datetime(2020, 1, 1, tzinfo=UTC)


def marks(text: str) -> list[Mark]:
    """Return what carries meaning in a text, in order; marks of different sorts may overlap."""
    found = [*_terms(text), *_facts(text)]
    return sorted(found, key=lambda mark: (mark.start, mark.end))


def negations(text: str) -> list[Span]:
    """Return the words that turn a statement into its opposite."""
    return [Span(*found.span()) for found in _NEGATION.finditer(text)]


def _terms(text: str) -> Iterator[Mark]:
    terms = [term for run in runs(text) for term in run]
    counts = Counter(term.key for term in terms)
    for term in terms:
        yield Mark(term.start, term.end, term.key, term.weight * (1 + log(counts[term.key])))


def _facts(text: str) -> Iterator[Mark]:
    for name in mentions(text):
        yield Mark(name.start, name.end, f"name {name.key}", _NAME)
    for number in quantities(text):
        yield Mark(number.start, number.end, f"number {number.text.casefold()}", _NUMBER)
    for date in find_dates(text, reference=_ANY_MOMENT):
        yield Mark(date.start, date.end, f"date {date.text.casefold()}", _DATE)
    for negation in negations(text):
        # Each negation is about something else: none stands for another.
        yield Mark(negation.start, negation.end, f"not {negation.start}", _NEGATED)


def marks_within(found: Sequence[Mark], span: Span) -> list[Mark]:
    """Return those of the marks, which are in order, that lie wholly in a stretch."""
    first = bisect_left(found, span.start, key=lambda mark: mark.start)
    last = bisect_left(found, span.end, lo=first, key=lambda mark: mark.start)
    return [mark for mark in found[first:last] if mark.end <= span.end]

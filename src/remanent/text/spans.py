"""Spans: stretches of a text by their places, so that what is found can be shown, cut out and counted once.

Places that are taken are marked character by character: asking every span whether it overlaps each of those before took
the square of a long text.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from remanent.values import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open stretch of a text, counted in characters."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """Return the part of the text that the span covers."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        """Tell whether the two have a character in common."""
        return self.start < other.end and other.start < self.end

    def trimmed(self, text: str) -> "Span":
        """Return the span without white space at its ends; an empty one at its start when nothing else is there."""
        part = self.of(text)
        bare = part.strip()
        if not bare:
            return Span(self.start, self.start)
        start = self.start + part.index(bare[0])
        return Span(start, start + len(bare))


def between(borders: Iterable[int], length: int) -> list[Span]:
    """Return the spans that a text of this length falls into when it is cut at the borders; none is empty."""
    points = [0, *sorted({border for border in borders if 0 < border < length}), length]
    return [Span(start, end) for start, end in pairwise(points) if end > start]


class OccupiedSpans:
    """The places that are taken already, character by character, so that asking stays cheap when there are many."""

    def __init__(self) -> None:
        self._taken = bytearray()

    def take(self, span: Span) -> bool:
        """Take a place and tell whether it was free; an empty one never is."""
        if not span or self._taken.find(1, span.start, span.end) >= 0:
            return False
        self.cover(span)
        return True

    def cover(self, span: Span) -> None:
        """Take a place whether it is free or not."""
        self._taken.extend(bytes(max(0, span.end - len(self._taken))))
        self._taken[span.start : span.end] = b"\1" * len(span)


def joined(text: str, spans: Sequence[Span]) -> str:
    """Return what the spans cover, put together."""
    return "".join(span.of(text) for span in spans)

"""Spans: stretches of a text by their places, so that what is found can be shown, cut out and counted once.

A text may be cut after a word, or at worst after a grapheme, which a reader sees as one character. A cut inside of one
would leave half an emoji, a flag's first letter or a letter without its accent; one inside of a word would make another
word of it. An excerpt is the beginning of a text, cut so.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.text.chinese import cut
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, UNSPACED


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


def between(borders: Iterable[int], end: int, *, start: int = 0) -> list[Span]:
    """Return the spans that a text, or a part of it, falls into when it is cut at the borders; none is empty."""
    points = [start, *sorted({border for border in borders if start < border < end}), end]
    return [Span(start, end) for start, end in pairwise(points) if end > start]


SpanT = TypeVar("SpanT", bound=Span)


def without_overlaps(spans: Iterable[SpanT], *, rank: Callable[[SpanT], Any]) -> list[SpanT]:
    """Return spans in the order of the text; of those that overlap only the one of the least rank, and no empty one.

    What is taken is marked character by character, so that asking stays cheap when there are many.
    """
    taken = bytearray()
    kept: list[SpanT] = []
    for span in sorted(spans, key=rank):
        if span and taken.find(1, span.start, span.end) < 0:
            taken.extend(bytes(max(0, span.end - len(taken))))
            taken[span.start : span.end] = b"\1" * len(span)
            kept.append(span)
    return sorted(kept, key=lambda one: one.start)


def joined(text: str, spans: Sequence[Span]) -> str:
    """Return what the spans cover, put together."""
    return "".join(span.of(text) for span in spans)


# ── where a text may be cut ──────────────────────────────────────────────────

_ELLIPSIS = "…"
_JOINER = "\u200d"
_FLAG_ALPHABET = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_FLAG_LETTERS = lazy_regex(f"[{_FLAG_ALPHABET}]+")
# How much of the excerpt may be given up to end at a space; a longer word is cut inside.
_BACKTRACK = 24
# How many characters one visible character may be made of; beyond it the text is noise and is cut anywhere.
_CLUSTER = 32


def excerpt(text: str, limit: int) -> str:
    """Return the text, or its beginning and "…", in at most `limit` characters.

    The cut falls between words where words have spaces, between characters elsewhere, and never inside what is
    seen as one sign: a letter and its marks, an emoji sequence, a flag, a surrogate pair.
    """
    if limit < 1:
        raise InvalidInput(f"an excerpt needs room for at least 1 character, not {limit}")
    if len(text) <= limit:
        return text
    end = _word_boundary(text, _grapheme_boundary(text, limit - len(_ELLIPSIS)))
    return text[:end].rstrip() + _ELLIPSIS


def _word_boundary(text: str, end: int) -> int:
    """Move the cut back to the last space near it when it would split a word."""
    if end == 0 or not (_is_spaced_letter(text[end - 1]) and _is_spaced_letter(text[end])):
        return end
    near = range(end, max(0, end - _BACKTRACK), -1)
    return next((start for start in near if not _is_spaced_letter(text[start - 1])), end)


def _is_spaced_letter(character: str) -> bool:
    """Tell whether a character belongs to a word that a space would end (not Chinese, kana or Hangul)."""
    return (character.isalnum() and unicodedata.east_asian_width(character) not in "WF") or character in "_'’"


def _grapheme_boundary(text: str, end: int) -> int:
    """Move the cut back to the nearest place that splits no grapheme."""
    near = range(end, max(-1, end - _CLUSTER), -1)
    return next((start for start in near if not is_inside_grapheme(text, start)), max(end, 0))


def inside_graphemes(text: str, positions: Iterable[int]) -> Iterator[bool]:
    """Tell of each of many places whether a cut there splits what is seen as one character; each flag is read once."""
    flags: set[int] = set()
    for run in _FLAG_LETTERS.finditer(text):
        flags.update(range(run.start() + 1, run.end(), 2))
    return (position in flags or _is_inside(text, position) for position in positions)


def is_inside_grapheme(text: str, position: int) -> bool:
    """Tell whether a cut here would split what is seen as one character."""
    if _is_inside(text, position):
        return True
    # A flag is two letters, so that after an odd number of them the cut would fall inside one.
    return text[position] in _FLAG_ALPHABET and (position - len(text[:position].rstrip(_FLAG_ALPHABET))) % 2 == 1


def _is_inside(text: str, position: int) -> bool:
    """Tell it of everything but flags, which need a look at what stands before."""
    if position <= 0:
        return False
    before, after = text[position - 1], text[position]
    if unicodedata.category(after)[0] == "M" or _JOINER in (before, after):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True  # skin tones, the tags of a flag
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    return before == "\r" and after == "\n"


# Closing marks and white space stay with the word before them.
_TRAILING = r"[\s，。！？；：、”’」』）】》〉…,.!?;:)\]}]*"
_RUN = lazy_regex(rf"(?P<han>[{HAN}]+)|[{UNSPACED}]|[^\s{UNSPACED}]+|\s+")
_TRAIL = lazy_regex(_TRAILING)


def word_boundaries(text: str) -> list[int]:
    """Return the places after each word in order, the last being the end of the text; no place is inside a word."""
    borders: list[int] = []
    position = 0
    while run := _RUN.match(text, position):
        if run["han"]:
            for word in cut(run[0]):
                position += len(word)
                borders.append(position)
        else:
            position = run.end()
            borders.append(position)
        trail = _TRAIL.match(text, position)
        if trail and trail.end() > position:
            position = borders[-1] = trail.end()
    inner = borders[:-1]  # the last is the end of the text
    return [
        border for border, inside in zip(inner, inside_graphemes(text, inner), strict=True) if not inside
    ] + borders[-1:]


def grapheme_boundaries(text: str) -> list[int]:
    """Return the places after each visible character (a letter with its marks, an emoji sequence) in order."""
    places = range(1, len(text))
    inner = [border for border, inside in zip(places, inside_graphemes(text, places), strict=True) if not inside]
    return [*inner, len(text)] if text else []


def first_graphemes(text: str, length: int) -> str:
    """Return at most so many characters from the beginning, cut between graphemes; inside one that alone is longer."""
    return text[: max((border for border in grapheme_boundaries(text) if border <= length), default=length)]

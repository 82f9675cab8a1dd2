"""Cutting a document into chunks: at sentence borders, never across a heading, and around tables and code.

Offsets count characters of the text as it was extracted, so that a chunk is always a stretch of it. Whoever searches
folds the text (NFKC and more) on the way into the index; spans never see that.
"""

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise

from remanent.lightweight import dataclass
from remanent.loaders import Block, LoadedDocument
from remanent.text.scripts import UNSPACED
from remanent.text.sentences import paragraphs, sentences
from remanent.text.spans import Span, word_boundaries

_MIN_SHARE = 0.25
"""A last piece that is smaller than this share of a chunk joins the one before: alone it says too little to be found
by. Chosen by hand."""
STRETCH = 1.3
"""How far a chunk may grow beyond its size so that nothing is cut that belongs together. Chosen by hand."""

_WORDS_BY_THEMSELVES = re.compile(f"[{UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class ChunkSpan(Span):
    """A stretch of a document that becomes a chunk."""

    path: tuple[str, ...] = ()
    """The headings above it."""


def weight(text: str) -> int:
    """Return how long a text counts: characters of scripts without spaces, which are words, count for two."""
    return len(text) + sum(map(len, _WORDS_BY_THEMSELVES.findall(text)))


def cut(document: LoadedDocument, *, size: int) -> list[ChunkSpan]:
    """Return the chunks of a document in order: they do not overlap, and leave out nothing but white space."""
    text, pieces = document.text, list[ChunkSpan]()
    # Sections and blocks go along together: each section would else look at every block.
    coming = deque(sorted(document.blocks, key=lambda one: one.start))
    blocks: list[Block] = []
    for span, path in _sections(document):
        blocks = [block for block in blocks if block.end > span.start]
        while coming and coming[0].start < span.end:
            blocks.append(coming.popleft())
        units = list(_units(text, span, blocks, size=size))
        pieces += [ChunkSpan(part.start, part.end, path) for part in _packed(text, units, size=size)]
    return pieces


def _sections(document: LoadedDocument) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """Yield the stretches between headings, each with the headings above it; first what stands before any."""
    first = document.sections[0].start if document.sections else len(document.text)
    if first:
        yield Span(0, first), ()
    for section in document.sections:
        yield Span(section.start, section.end), section.path


def _units(text: str, span: Span, blocks: list[Block], *, size: int) -> Iterator[Span]:
    """Yield what a chunk is put together from: sentences, and tables and listings as far as they fit in one."""
    at = span.start
    for block in blocks:
        start, end = max(at, block.start), min(span.end, block.end)
        if start >= end:
            continue
        yield from _prose(text, Span(at, start), size=size)
        borders = block.borders[bisect_right(block.borders, start) : bisect_left(block.borders, end)]
        whole = weight(text[start:end]) <= STRETCH * size
        for part in [Span(start, end)] if whole else _between(start, borders, end):
            yield from [part] if weight(part.of(text)) <= STRETCH * size else _lines(text, part, size=size)
        at = end
    yield from _prose(text, Span(at, span.end), size=size)


def _between(start: int, borders: Sequence[int], end: int) -> list[Span]:
    return [Span(one, other) for one, other in pairwise([start, *borders, end])]


def _lines(text: str, span: Span, *, size: int) -> Iterator[Span]:
    """Yield the lines of a row or a function that is longer than a chunk."""
    start = span.start
    for line in span.of(text).splitlines(keepends=True):
        yield from _words(text, Span(start, start + len(line)), size=size)
        start += len(line)


def _prose(text: str, span: Span, *, size: int) -> Iterator[Span]:
    """Yield the sentences of a stretch; paragraphs that fit stay whole, so that chunks begin where thoughts do."""
    part = span.of(text)
    for paragraph in paragraphs(part) if part.strip() else ():
        if weight(paragraph.of(part)) <= size // 2:
            yield Span(span.start + paragraph.start, span.start + paragraph.end)
            continue
        for sentence in sentences(paragraph.of(part)):
            start = span.start + paragraph.start + sentence.start
            yield from _words(text, Span(start, start + len(sentence)), size=size)


def _words(text: str, span: Span, *, size: int) -> Iterator[Span]:
    """Yield a sentence, or the parts of one that no chunk can hold, cut between words."""
    if weight(span.of(text)) <= STRETCH * size:
        yield span
        return
    part, start, last = span.of(text), 0, 0
    for border in word_boundaries(part):
        if last > start and weight(part[start:border]) > size:
            yield Span(span.start + start, span.start + last)
            start = last
        # What has no border for so long is no word: a key, an image in letters.
        while border - start > 2 * size:
            yield Span(span.start + start, span.start + start + size)
            start += size
        last = border
    yield Span(span.start + start, span.end)


def _packed(text: str, units: list[Span], *, size: int) -> list[Span]:
    """Put units together up to the size of a chunk; a small rest joins what stands before it."""
    packed: list[tuple[Span, int]] = []
    for unit in units:
        length = weight(unit.of(text))
        if packed and packed[-1][1] + length <= size:
            packed[-1] = Span(packed[-1][0].start, unit.end), packed[-1][1] + length
        else:
            packed.append((unit, length))
    if len(packed) > 1 and packed[-1][1] < _MIN_SHARE * size and packed[-2][1] + packed[-1][1] <= STRETCH * size:
        (before, much), (rest, little) = packed[-2:]
        packed[-2:] = [(Span(before.start, rest.end), much + little)]
    trimmed = (span.trimmed(text) for span, _ in packed)
    return [span for span in trimmed if len(span)]

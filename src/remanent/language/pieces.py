"""Pieces of what was said that are short enough for one memory."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from remanent.language.exchanges.segmentation import LONGEST_SEGMENT
from remanent.language.exchanges.shapes import Place, Utterance
from remanent.language.passages import filled
from remanent.text.boundaries import grapheme_boundaries, word_boundaries
from remanent.text.sentences import sentences
from remanent.text.spans import Span

_SMALL = 60
"""Sentences are numbered one by one, so that none is lost among others; only very short ones share a number."""

_CLAUSE_END = re.compile(r"(?:[，；、：]|[,;:](?=\s))\s*")


def pieces(text: str, *, longest: int = LONGEST_SEGMENT) -> list[str]:
    """Return a text in pieces of at most so many characters: whole sentences, else clauses, else words."""
    return [span.of(text).strip() for span in piece_spans(text, longest=longest)]


def piece_spans(text: str, *, longest: int = LONGEST_SEGMENT, joined: int | None = None) -> list[Span]:
    """Return where the pieces of a text stand; none is only white space, and together they hold all that is not.

    Sentences share a piece as long as it has at most `joined` characters: as many as a piece may have, unless given.
    """
    parts: list[Span] = []
    for sentence in sentences(text):
        parts += [sentence] if len(sentence.trimmed(text)) <= longest else _cut(text, sentence, longest)
    spans = [span.trimmed(text) for span in filled(parts, at_most=longest if joined is None else joined)]
    return [span for span in spans if len(span)]


def places_of(utterances: Sequence[Utterance]) -> list[Place]:
    """Return the sentences of each utterance, in their order, small ones together."""
    return [
        Place(utterance=number, start=span.start, end=span.end)
        for number, said in enumerate(utterances)
        for span in piece_spans(said.text, joined=_SMALL)
    ]


def _cut(text: str, span: Span, longest: int) -> list[Span]:
    """Cut a sentence that is too long: after a clause if there is one, else a word, else a sign."""
    body = span.of(text)
    clauses = [end.end() for end in _CLAUSE_END.finditer(body)]
    words, signs = word_boundaries(body), grapheme_boundaries(body)
    cuts = [0]
    while len(body) - cuts[-1] > longest:
        start, most = cuts[-1], cuts[-1] + longest
        # A clause that would leave less than a third of a piece is too little to stand alone.
        ends = (_last(clauses, most, after=start + longest // 3), _last(words, most, after=start))
        cuts.append(ends[0] or ends[1] or _last(signs, most, after=start) or most)
    return [Span(span.start + start, span.start + end) for start, end in pairwise([*cuts, len(body)])]


def _last(borders: Sequence[int], most: int, *, after: int) -> int | None:
    """Return the last border up to `most`, unless it is not beyond `after`."""
    place = bisect_right(borders, most)
    return borders[place - 1] if place and borders[place - 1] > after else None

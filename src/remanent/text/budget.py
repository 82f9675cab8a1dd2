"""Fitting a text into a token budget: how much of it fits, and the whole cut into chunks that fit.

A long text is cut at the best border there is: sections stay whole while they fit, then paragraphs, then sentences,
then words, then graphemes. No character is lost: chunks joined are the text, so that places in it stay true.

A border is guessed from how many tokens a character took before, because counting is the dear part: with more different
words than a counter's cache holds, each count is a whole one.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from remanent.errors import InvalidInput
from remanent.text.boundaries import grapheme_boundaries, word_boundaries
from remanent.text.markdown import parse_markdown
from remanent.text.sentences import paragraphs, sentences
from remanent.text.spans import Span
from remanent.text.tokens import TokenCounter, token_counter
from remanent.values import dataclass


def fit(text: str, budget: int, *, counter: TokenCounter | None = None) -> str:
    """Return the longest beginning of a text that fits, cut after a sentence, else after a word, else anywhere."""
    if budget < 0:
        raise InvalidInput(f"a token budget cannot be negative, as {budget} is")
    count = counter or token_counter()
    if count(text) <= budget:
        return text
    for borders in ([span.end for span in sentences(text)], word_boundaries(text), grapheme_boundaries(text)):
        end = _longest(text, borders, budget, count)
        if end:
            return text[:end].rstrip()
    return ""


def _longest(text: str, borders: Sequence[int], budget: int, count: TokenCounter) -> int:
    """Return the last border up to which the text fits, found by halving; 0 when not even the first does."""
    low, high = 0, len(borders)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[: borders[middle - 1]].rstrip()) <= budget:
            low = middle
        else:
            high = middle - 1
    return borders[low - 1] if low else 0


Borders = Callable[[str], Sequence[int]]
# Each look at a border counts the tokens of a whole chunk: a chunk as full as this is full enough.
_FULL = 0.97
# After so many guesses that did not settle it, halving does.
_GUESSES = 4


@dataclass(frozen=True, slots=True)
class Chunk(Span):
    """A stretch of a text and the tokens that it takes."""

    text: str
    tokens: int


def chunks(text: str, limit: int, *, counter: TokenCounter | None = None) -> list[Chunk]:
    """Return the chunks of a text in order; joined they are the text, and each has at most `limit` tokens.

    Only a single character that alone takes more tokens than the limit makes a chunk larger than it.
    """
    if limit < 1:
        raise InvalidInput(f"a chunk needs room for at least 1 token, not {limit}")
    count = counter or token_counter()
    return list(_cut(text, 0, limit, count, _LEVELS)) if text else []


_LEVELS: tuple[Borders, ...] = (
    # A section under its heading is the best unit there is: whoever wrote the text drew the border.
    lambda text: [section.end for section in parse_markdown(text).sections],
    lambda text: [span.end for span in paragraphs(text)],
    lambda text: [span.end for span in sentences(text)],
    word_boundaries,
    grapheme_boundaries,
    # Any character, so that every text can be cut: endless marks on one letter are noise.
    lambda text: range(1, len(text) + 1),
)


def _cut(text: str, offset: int, limit: int, count: TokenCounter, levels: Sequence[Borders]) -> Iterator[Chunk]:
    """Yield the chunks of a part that begins at this offset, each with as many neighbours as the limit lets."""
    tokens = count(text)
    if tokens <= limit or not levels:
        yield Chunk(offset, offset + len(text), text, tokens)
        return
    borders = [border for border in levels[0](text) if border < len(text)] + [len(text)]
    guess = _Guess(tokens / len(text))
    start = first = 0
    while first < len(borders):
        end, used = _furthest(text, start, borders, first=first, limit=limit, count=count, guess=guess)
        if used is None:
            end = borders[first]
            yield from _cut(text[start:end], offset + start, limit, count, levels[1:])
        else:
            yield Chunk(offset + start, offset + end, text[start:end], used)
        start, first = end, bisect_right(borders, end, lo=first)


@dataclass(slots=True)
class _Guess:
    """How many tokens a character takes, by the latest look."""

    density: float


def _furthest(
    text: str, start: int, borders: Sequence[int], *, first: int, limit: int, count: TokenCounter, guess: _Guess
) -> tuple[int, int | None]:
    """Return the last border up to which the text from `start` fits, and its tokens; (start, None) if none does.

    The place is guessed from how many tokens a character takes, and the guess improves with each look.
    """
    low, high = first - 1, len(borders)
    best: tuple[int, int | None] = (start, None)
    look = 0
    while high - low > 1 and (best[1] or 0) < limit * _FULL:
        middle = bisect_right(borders, start + int(limit / max(guess.density, 1e-9)), lo=first) - 1
        middle = min(max(middle, low + 1), high - 1)
        if look > _GUESSES:  # never far beyond what is known to fit: each look counts all that lies before it
            middle = min((low + high) // 2, 2 * (low + 1) - first + 1)
        look += 1
        tokens = count(text[start : borders[middle]])
        guess.density = tokens / (borders[middle] - start)
        if tokens <= limit:
            low, best = middle, (borders[middle], tokens)
        else:
            high = middle
    return best

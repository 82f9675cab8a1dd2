"""The terms of full-text search: what a text is found by, what a question asks for, how much a term counts (BM25).

Every term is made of letters and digits only, lower case, without accents, at most 64 characters. SQLite's
`unicode61` tokenizer therefore keeps each as exactly one token, and PostgreSQL can take the same list as it is.

- English words are stemmed (`running` → `run`).
- Compounds give the whole and the parts: `max_size`, `maxSize`, `ada@example.com`, `2023-05-08`, `3.14`, addresses.
- Chinese gives every character, every pair of neighbours, and the longer words that a segmenter finds. A question
  gives the words and the pairs inside what its stop words leave.
- Japanese, Korean, Thai and others without dependable spaces give characters, pairs and whole runs of one script.

Chinese is cut into words only for a question that has Chinese: the dictionary takes 0.6 s to load, which a command that
asks one English question need not pay.

What a term that a text holds speaks for it is reckoned by BM25 (Robertson and Zaragoza); the stores compute the same in
SQL, with the same constants. A bank's graph and an agent's search of texts at hand share the index of texts in memory:
each had counted the words of every passage anew for each question, 450 ms over 500 texts, which are 12 with it.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from remanent.text.chinese import cut
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, HANGUL, HIRAGANA, KANA, KATAKANA, OTHER_UNSPACED, UNSPACED, fold
from remanent.text.words import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS, stem_if_english

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# In characters: longer runs are no words, and an index key of any length would be an attack on the store.
_TERM_LIMIT = 64
# Terms of one question: more cost time in proportion and tell nothing new.
_QUERY_LIMIT = 256
# Up to so many terms a Chinese question gives its characters, too; chosen by hand.
_SHORT_QUESTION = 4
# Places at which a long text is looked at for terms, the first terms first: some 20 ms. Chats and books of 400,000
# characters need a tenth of it; a text made of beginnings of words must not hold up others.
_MOST_LOOKED_AT = 20_000
# A letter that nobody types stands for the point in 3.14, so that it is not taken for 314.
_POINT = "\u01c0"

_LETTER = rf"[^\W_{UNSPACED}]"
_JOINED = r"(?:(?:://|::|:\\|_+|[-'.@/:\\+&=?%~#]|(?<=\d),(?=\d{3}(?!\d)))LETTER+)*(?:\+\+|\#)?"
_CHUNK = lazy_regex(rf"[{UNSPACED}]+|{_LETTER}+{_JOINED.replace('LETTER', _LETTER)}")
# To compile what tells 30,000 characters apart takes a hundredth of a second, which most English commands need not.
_ASCII_CHUNK = lazy_regex(r"[^\W_]+" + _JOINED.replace("LETTER", r"[^\W_]"))
_LETTERS = lazy_regex(rf"{_LETTER}{{1,{_TERM_LIMIT}}}")
_FIRST_UNSPACED = "\u0e00"  # nothing below it can be unspaced, which spares most words the match
_UNSPACED_START = lazy_regex(rf"[{UNSPACED}]")
_SCRIPT_RUN = lazy_regex(rf"(?P<han>[{HAN}]+)|[{HIRAGANA}]+|[{KATAKANA}]+|[{HANGUL}]+|[{OTHER_UNSPACED}]+")
_HAS_KANA = lazy_regex(rf"[{KANA}]")
_ADDRESS_BORDER = lazy_regex(r"[/:\\+&=?%~#@]+")
_COMPOUND_BORDER = lazy_regex(r"[-_.]+")
_NOT_A_LETTER = lazy_regex(r"[\W_]+")
_DAY = lazy_regex(r"(\d{4})([-/.])(\d\d?)\2(\d\d?)")
_DECIMAL_POINT = lazy_regex(r"(?<=\d)\.(?=\d)")
_IDENTIFIER_PART = lazy_regex(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_ENCLITIC = frozenset({"s", "m", "d", "re", "ve", "ll"})


def index_terms(text: str, *, spaced: bool = False) -> list[str]:
    """Return the terms under which a text is found, repeated as often as they occur; their order says nothing.

    Those of scripts with spaces alone need no dictionary.
    """
    terms: list[str] = []
    for chunk in _chunks(text):
        if chunk[0] >= _FIRST_UNSPACED and _UNSPACED_START.match(chunk):
            terms += () if spaced else _unspaced_index_terms(chunk)
        elif len(chunk) > _TERM_LIMIT:
            terms += _spaced_index_terms.__wrapped__(chunk)
        else:
            terms += _spaced_index_terms(chunk)
    return terms


def held_terms(text: str, asked: Collection[str]) -> set[str]:
    """Return which of the terms that are asked for a text holds; its Chinese is cut only if a long word may be there.

    A character or a pair is held wherever it stands; of a longer word the dictionary decides whether it is one there.
    """
    spaced, unspaced = _by_script(frozenset(asked))
    folded = fold(text) if unspaced else ""
    there = {term for term in unspaced if term in folded and is_unspaced(term[-1])}
    if any(len(term) > 2 for term in there):
        return set(asked).intersection(index_terms(text))
    return there.union(spaced.intersection(index_terms(text, spaced=True)) if spaced else ())


@lru_cache(maxsize=64)
def _by_script(terms: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms of scripts with spaces and those of others; remembered, as many texts are asked for the same."""
    unspaced = frozenset(filter(is_unspaced, terms))
    return terms - unspaced, unspaced


def is_unspaced(term: str) -> bool:
    """Tell whether a term is of a script that is written without spaces."""
    return term[:1] >= _FIRST_UNSPACED and _UNSPACED_START.match(term) is not None


def _chunks(text: str) -> list[str]:
    """Return what a text is made of: words between spaces, and runs of characters that are written without."""
    folded = fold(text)
    found: list[str] = (_ASCII_CHUNK if folded.isascii() else _CHUNK).findall(folded)
    return found


def telling_part(text: str, weights: Mapping[str, float], *, length: int) -> str:
    """Return what part of a text holds the most of some terms by their weights; if none, its beginning.

    The terms are looked for, which is a small part of the work of taking the whole text apart. A text whose accents
    hide them is read once more without.
    """
    step = length // 2
    lowered = text.casefold()
    held = _blocks(lowered, weights, step)
    if weights and not held and not text.isascii():
        lowered = fold(text).casefold()
        held = _blocks(lowered, weights, step)
    # Any two blocks that stand together; of several that are worth the same, the first.
    worth = {block: math.fsum(weights[term] for term in held[block] | held.get(block + 1, set())) for block in held}
    start = step * min(worth, key=lambda block: (-worth[block], block), default=0)
    # What begins at the end of the part may end behind it.
    return (text if len(text) == len(lowered) else lowered)[start : start + length + _TERM_LIMIT]


def _blocks(lowered: str, terms: Iterable[str], step: int) -> dict[int, set[str]]:
    """Return by number which of the terms begin in the blocks of a text, each so many characters long."""
    held: dict[int, set[str]] = {}
    left = _MOST_LOOKED_AT
    for term in terms:
        unspaced = is_unspaced(term)
        # The last letter of an English word is not the same in all its forms: making, cities.
        sought = term[:-1] if len(term) > 2 and term.isascii() and term.isalpha() else term
        place = lowered.find(sought)
        while place >= 0 and left:
            left -= 1
            word = _LETTERS.match(lowered, place)
            after = word.end() if word is not None else place + len(sought)
            if unspaced or (_begins(lowered, place) and term in _spaced_index_terms(lowered[place:after])):
                held.setdefault(place // step, set()).add(term)
                after = (place // step + 1) * step
            place = lowered.find(sought, after)
    return held


def _begins(lowered: str, place: int) -> bool:
    """Tell whether a word between spaces can begin at a place."""
    before = lowered[place - 1 : place]
    return not before.isalnum() or is_unspaced(before)


def query_terms(text: str) -> list[str]:
    """Return the terms that a question asks for, each once; stop words only when nothing else is left.

    A short Chinese question gives its characters, too: 猫叫 would else not find 一只猫. In a longer one they would
    cost much time and tell little. Of a very long question the first 256 terms count.
    """
    chunks = _chunks(text)
    terms = dict.fromkeys(islice(_query_terms(chunks, keep_stop_words=False), _QUERY_LIMIT))
    if not terms:
        terms = dict.fromkeys(islice(_query_terms(chunks, keep_stop_words=True), _QUERY_LIMIT))
    if len(terms) <= _SHORT_QUESTION:
        unspaced = [term for term in terms if is_unspaced(term)]
        terms |= dict.fromkeys(
            character for term in unspaced for character in term if character not in CHINESE_STOP_WORDS
        )
    return list(terms)


def _query_terms(chunks: Iterable[str], *, keep_stop_words: bool) -> Iterator[str]:
    """Yield the terms of a question, chunk by chunk, with or without stop words."""
    for chunk in chunks:
        if is_unspaced(chunk):
            yield from _unspaced_query_terms(chunk, keep_stop_words=keep_stop_words)
        else:
            terms_of = _spaced_index_terms if keep_stop_words else _spaced_query_terms
            yield from terms_of(chunk) if len(chunk) <= _TERM_LIMIT else terms_of.__wrapped__(chunk)


# ── words between spaces ─────────────────────────────────────────────────────


@lru_cache(maxsize=50_000)
def _spaced_index_terms(chunk: str) -> tuple[str, ...]:
    """Return the terms of a word; remembered, as most words of a text come again."""
    return tuple(stem_if_english(form) for form in _forms(chunk))


@lru_cache(maxsize=50_000)
def _spaced_query_terms(chunk: str) -> tuple[str, ...]:
    """Return those that a question asks for: what is no stop word."""
    return tuple(stem_if_english(form) for form in _forms(chunk) if form not in ENGLISH_STOP_WORDS)


def _forms(chunk: str) -> list[str]:
    """Return the lower-case forms of a chunk: the whole, then its parts, each once."""
    if chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk.istitle()):
        return [chunk.lower()[:_TERM_LIMIT]]
    forms: dict[str, None] = {}
    forms[_joined(chunk)] = None
    for piece in _ADDRESS_BORDER.split(chunk):
        if piece:
            forms[_joined(piece)] = None
            for part in _COMPOUND_BORDER.split(piece.replace(",", "")):
                forms.update(dict.fromkeys(_part_forms(part)))
    forms.pop("", None)
    if len(chunk) <= 3 and chunk[0].isalpha() and chunk[1:] in {"++", "#"}:
        forms[chunk[0].casefold() + {"++": "plusplus", "#": "sharp"}[chunk[1:]]] = None
    return list(forms)


def _joined(piece: str) -> str:
    """Write a compound as one term: e-mail → email, 2023-5-8 → 20230508, 1,000 → 1000; 3.14 keeps its point."""
    head, apostrophe, tail = piece.rpartition("'")
    if apostrophe and tail.lower() in _ENCLITIC:
        piece = head  # Ada's → ada, she'll → she
    if day := _DAY.fullmatch(piece):
        return f"{day[1]}{day[3]:0>2}{day[4]:0>2}"
    return _lowered(_NOT_A_LETTER.sub("", _DECIMAL_POINT.sub(_POINT, piece)))


def _part_forms(part: str) -> Iterator[str]:
    """Yield the forms of a part of a compound: itself, the words of an identifier, a number without its zeros."""
    if "'" in part:
        head, _, tail = part.rpartition("'")
        yield _joined(part)
        if tail.lower() in _ENCLITIC or tail.lower() == "t":
            return
        yield from (_lowered(piece) for piece in [*head.split("'"), tail] if len(piece) > 1)
        return
    yield _lowered(part)
    pieces = _IDENTIFIER_PART.findall(part) if part.isascii() else [part]
    for piece in pieces:
        lowered = _lowered(piece)
        yield lowered
        if lowered.isdecimal() and lowered[:1] == "0":
            yield lowered.lstrip("0") or "0"


def _lowered(text: str) -> str:
    """Return a text in lower case, cut to what one term may have."""
    return text.casefold()[:_TERM_LIMIT]


# ── scripts without spaces ───────────────────────────────────────────────────


def _unspaced_index_terms(run: str) -> list[str]:
    """Return every character, every pair and the longer words of a run without spaces.

    Pairs find what the segmenter cuts differently in text and question; words make the rare ones weigh.
    """
    # Words of one or two characters are among the characters and pairs.
    return [*run, *_pairs(run), *(word for word in _words(run) if len(word) > 2)]


def _unspaced_query_terms(run: str, *, keep_stop_words: bool) -> Iterator[str]:
    """Yield the words of a run, and pairs within what its stop words leave."""
    span = ""
    for word in _words(run):
        if word in CHINESE_STOP_WORDS and not keep_stop_words:
            yield from _span_terms(span)
            span = ""
        else:
            if len(word) != 2:
                yield word
            span += word
    yield from _span_terms(span)


def _span_terms(span: str) -> list[str]:
    """Return the pairs of what stands between two stop words; a single character stands for itself."""
    return _pairs(span) if len(span) != 1 else [span]


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]


def _words(run: str) -> Iterator[str]:
    """Cut a run into words: Chinese by dictionary, the rest where the script changes."""
    if len(run) == 1:
        yield run
        return
    japanese = _HAS_KANA.search(run) is not None
    for part in _SCRIPT_RUN.finditer(run):
        if part["han"] and not japanese:
            yield from cut(part["han"])
        else:
            yield part[0][:_TERM_LIMIT]


# ── BM25 ─────────────────────────────────────────────────────────────────────

K1 = 1.2
"""How soon a repeated term stops counting. The usual value, as in SQLite's own bm25()."""
B = 0.75
"""How far a long text is held back. The usual value."""

_Number = TypeVar("_Number", float, "NDArray[np.floating[Any]]")


def rarity(holding: int, texts: int) -> float:
    """Return what a term is worth that so many of the texts hold."""
    return math.log(1 + (max(texts - holding, 0) + 0.5) / (holding + 0.5))


def saturation(times: _Number, length: _Number) -> _Number:
    """Return what a term counts that a text holds so many times, below K1 + 1; `length` is a share of the average."""
    return times * (K1 + 1) / (times + K1 * (1 - B + B * length))


class KeywordIndex:
    """BM25 over the terms of texts, by row; a row may be used again for another text.

    The rows of a term are put into arrays when a search first needs them, and these are dropped when one of its texts
    changes: an unchanged index gathers nothing again, and a changed one only what the next query asks for.
    """

    def __init__(self) -> None:
        self._terms: dict[int, Counter[str]] = {}
        self._rows_of: dict[str, dict[int, int]] = {}
        self._postings: dict[str, tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]] = {}
        self._length = 0
        self.gathered = 0
        """How many arrays were gathered so far; tests see by it that an unchanged index costs no rebuild."""

    def __len__(self) -> int:
        return len(self._terms)

    def put(self, row: int, terms: Sequence[str]) -> None:
        """Index the terms of a text in place of what the row had."""
        self.drop(row)
        counts = Counter(terms)
        self._terms[row] = counts
        self._length += counts.total()
        for term, count in counts.items():
            self._rows_of.setdefault(term, {})[row] = count
            self._postings.pop(term, None)

    def drop(self, row: int) -> None:
        """Remove the text of a row, if there is one."""
        counts = self._terms.pop(row, None)
        if counts is None:
            return
        self._length -= counts.total()
        for term in counts:
            rows = self._rows_of[term]
            del rows[row]
            self._postings.pop(term, None)
            if not rows:
                del self._rows_of[term]

    def scores(self, terms: Iterable[str], *, size: int) -> "NDArray[np.float32]":
        """Return the score of every row below `size`, divided by the best: it has 1, a row without any term 0."""
        return as_shares(self.weighted(dict.fromkeys(terms, 1.0), size=size))

    def weighted(self, weights: Mapping[str, float], *, size: int) -> "NDArray[np.float32]":
        """Return the plain BM25 score of every row below `size` for terms that count more or less."""
        import numpy as np

        scores = np.zeros(size, np.float32)
        count = len(self._terms)
        average = self._length / count if count else 1.0
        for term, weight in weights.items():
            if not weight or term not in self._rows_of:
                continue
            rows, times, lengths = self._posting(term)
            scores[rows] += weight * rarity(len(rows), count) * saturation(times, lengths / average)
        return scores

    def _posting(self, term: str) -> "tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]":
        """Return the rows that hold a term, with their counts and lengths; kept until a row changes."""
        import numpy as np

        known = self._postings.get(term)
        if known is None:
            rows = self._rows_of[term]
            lengths = (self._terms[row].total() for row in rows)
            known = (
                np.fromiter(rows.keys(), np.int32, len(rows)),
                np.fromiter(rows.values(), np.float32, len(rows)),
                np.fromiter(lengths, np.float32, len(rows)),
            )
            self._postings[term] = known
            self.gathered += 1
        return known


def as_shares(scores: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return scores divided by the best of them."""
    best = float(scores.max(initial=0))
    return scores / best if best > 0 else scores

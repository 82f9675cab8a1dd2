"""Phrases that may be key phrases: runs of words that name something, in English and Chinese, where they stand."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from remanent.text.chinese import rarity, tagged
from remanent.text.common_english import COMMON_RANKS
from remanent.text.dull_words import CHINESE_PALE, FILLERS, NAMING_VERBS, PALE, VERB_STEMS
from remanent.text.english import stem
from remanent.text.fences import fence_at, fences
from remanent.text.language import language_of
from remanent.text.scripts import HAN
from remanent.text.sentences import sentences
from remanent.text.stopwords import CHINESE, ENGLISH


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a run: the key under which its forms meet, how much it tells, and whether it may end a phrase."""

    key: str
    text: str
    start: int
    end: int
    weight: float
    pale: bool
    ends: bool = True
    name: bool = False
    """Whether it is written as a name: a capital inside the sentence, or tagged as one."""


_WORD = re.compile(r"[^\W_]+(?:[-'’.&+/][^\W_]+)*(?:\+\+|#)?")
_SPACED = re.compile(r"\s*")
_HAS_HAN = re.compile(rf"[{HAN}]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024fα-ωΑ-Ω][\w+#.\-]*")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]+\.\w+")
# A word that the list of common ones does not have tells this much, the most common one half of it.
_RARE = 1.0
_NOUN_TAGS = frozenset("n nr nrt nrfg ns nt nz vn an eng l j nw ng g un s i".split(" "))
_NAME_TAGS = frozenset("nr nrt nrfg ns nt nz".split(" "))
_MODIFIER_TAGS = frozenset("a b z vg ag h k x zg".split(" "))
_VERB_TAGS = frozenset("v vd".split(" "))
# The rarity at which a Chinese word begins to tell something, and what it takes to tell as much as a rare English one.
_COMMON, _SPREAD = 5.0, 9.0


def runs(text: str) -> Iterator[list[Term]]:
    """Yield the runs of words, in the order of the text, that no stop word, verb or punctuation parts."""
    blocks = fences(text)
    for span in sentences(text):
        if fence_at(blocks, span.start):
            continue
        sentence = _ADDRESS.sub(lambda found: "\n" * len(found[0]), span.of(text))
        if _HAS_HAN.search(sentence) and language_of(sentence) != "en":
            yield from _chinese_runs(sentence, span.start)
        else:
            yield from _english_runs(sentence, span.start)


def _english_runs(sentence: str, offset: int) -> Iterator[list[Term]]:
    run: list[Term] = []
    last = 0
    first = True
    for found in _WORD.finditer(sentence):
        if run and not _SPACED.fullmatch(sentence, last, found.start()):
            yield run
            run = []
        last = found.end()
        word = found[0].replace("’", "'").removesuffix("'s")
        if _parts(word.lower(), named=word.istitle() and not first):
            if run:
                yield run
                run = []
        else:
            run.append(_english_term(word, found, offset, first=first))
        first = False
    if run:
        yield run


def _parts(lowered: str, *, named: bool) -> bool:
    """Tell whether a word parts phrases: a stop word, a verb, an adverb, a bare number."""
    plain = lowered.replace("'", "")
    if plain in ENGLISH or lowered in FILLERS or plain.isdecimal() or len(plain) < 2:
        return True
    if lowered.endswith("ly") and len(lowered) > 4 and not named:
        return True
    return "'" in lowered or (lowered not in NAMING_VERBS and _stem(lowered) in VERB_STEMS)


def _english_term(word: str, found: re.Match[str], offset: int, *, first: bool) -> Term:
    lowered = word.lower()
    key = _stem(lowered)
    rank = COMMON_RANKS.get(lowered, COMMON_RANKS.get(key))
    weight = _RARE if rank is None else _RARE * (1 + math.log1p(rank) / math.log1p(len(COMMON_RANKS))) / 2
    pale = lowered in PALE
    name = word != lowered and not (first and word.istitle() and rank is not None)
    end = offset + found.start() + len(word)
    return Term(key, word, offset + found.start(), end, weight * (0.35 if pale else 1), pale, name=name)


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    return stem(word) if word.isascii() and word.isalpha() else word


def _chinese_runs(sentence: str, offset: int) -> Iterator[list[Term]]:
    run: list[Term] = []
    for word in tagged(sentence):
        term = _chinese_term(word.text, word.tag, offset + word.start)
        if term:
            run.append(term)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _chinese_term(word: str, tag: str, start: int) -> Term | None:
    lowered = word.lower()
    if _LATIN.fullmatch(word):
        if len(word) < 2 or lowered in ENGLISH:
            return None
        return Term(_stem(lowered), word, start, start + len(word), 0.8, pale=False, name=word != lowered)
    if not _HAS_HAN.search(word) or word in CHINESE:
        return None
    noun = tag in _NOUN_TAGS
    verb = tag in _VERB_TAGS
    if not noun and not ((verb or tag in _MODIFIER_TAGS) and (len(word) > 1 or tag in {"b", "k", "h", "vg", "ag"})):
        return None
    pale = word in CHINESE_PALE
    weight = min(1.3, max(0.0, rarity(word) - _COMMON) / _SPREAD) * (0.5 if pale else 1) * (0.8 if verb else 1)
    return Term(word, word, start, start + len(word), weight, pale, ends=noun, name=tag in _NAME_TAGS)

"""Word tables of two languages, made by hand: synonyms, opposites, values that exclude each other, attributes.

They stand in `text/word_lists/lexicon_en.txt` and `lexicon_zh.txt`. What the rules reach with them on texts
that nobody here wrote is measured by `bench.language_texts` and `bench.conflicts`; single tables were not left out.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from remanent.bilingual import Language
from remanent.lightweight import dataclass
from remanent.text.words import stem as _stem
from remanent.text.words import word_list, word_tables

stem = lru_cache(maxsize=20_000)(_stem)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The tables of one language by keys: stems in English, words in Chinese."""

    synonyms: dict[str, str]
    """A word to the one that stands for all that mean the same."""
    polar: dict[str, dict[str, int]]
    """A word to the matters that it says yes or no to: 1 and -1, or 2 and -2 where one of the two always holds."""
    groups: dict[str, dict[str, int]]
    """A word to the sorts of values that it is one of, of which a thing has one at a time, and the value's number."""
    attributes: dict[str, frozenset[str]]
    """A word to the attributes that it may speak of."""
    phrases: frozenset[tuple[str, ...]]
    """English words of several parts that count as one."""
    classes: dict[str, re.Pattern[str]]
    """A class to the words for what it holds."""


RELATIVES = frozenset(word_list("relatives"))
LANDS = frozenset(name.replace("_", " ") for name in word_list("lands"))


@cache
def verbs() -> frozenset[str]:
    """Return the stems of English verbs."""
    return frozenset(stem(verb) for verb in word_tables("lexicon_en")["verbs"].split())


@cache
def lexicon(language: Language) -> Lexicon:
    """Return the tables of a language, each word brought to its stem; read when they are first needed."""
    tables, key = word_tables(f"lexicon_{language}"), str if language == "zh" else stem

    def plain(text: str) -> list[str]:
        return [" ".join(key(part) for part in word.split("_")) for word in text.split()]

    same = {word: entry[0] for text in tables["synonyms"].split(";") for entry in [plain(text)] for word in entry}

    def keys(text: str) -> list[str]:
        return [same.get(word, word) for word in plain(text)]

    polar = _polar(tables, keys)
    values: dict[str, dict[str, int]] = {}
    for name, words in _named(tables["groups"]):
        for number, part in enumerate(words.split("/")):
            for word in keys(part):
                values.setdefault(word, {})[name] = number
    spoken: dict[str, set[str]] = {}
    for name, words in _named(tables["attributes"]):
        # As it is written, too: in a Chinese text words are looked for as they stand.
        for word in {*keys(words), *plain(words)}:
            spoken.setdefault(word, set()).add(name)
    attributes = {word: frozenset(names) for word, names in spoken.items()}
    every = {*same, *polar, *values, *spoken}
    border = r"\b" if key is not str else ""
    held = {
        same.get(key(word), key(word)): re.compile(
            f"{border}(?:{'|'.join(sorted(words.split(), key=len, reverse=True))}){border}"
        )
        for names, words in _named(tables["classes"])
        for word in names.split()
    }
    phrases = frozenset(tuple(word.split()) for word in every if " " in word)
    return Lexicon(same, polar, values, attributes, phrases, held)


def _polar(tables: Mapping[str, str], keys: Callable[[str], list[str]]) -> dict[str, dict[str, int]]:
    polar: dict[str, dict[str, int]] = {}
    for table, mark, weight in ((tables["strict"], "|", 2), (tables["contrary"], "~", 1)):
        for entry in table.split(";"):
            yes, _, no = entry.partition(mark)
            matter = f"{keys(yes)[0]}/{keys(no)[0]}"
            for side, sign in ((yes, weight), (no, -weight)):
                for word in keys(side):
                    polar.setdefault(word, {})[matter] = sign
    return polar


def _named(table: str) -> Iterator[tuple[str, str]]:
    for entry in table.split(";"):
        name, _, words = entry.partition(":")
        yield name.strip(), words


def other_word(word: str) -> str | None:
    """Return a word that means the same, if the tables know one."""
    return _others().get(word.casefold())


@cache
def _others() -> dict[str, str]:
    others: dict[str, str] = {}
    for entry in ";".join(word_tables(f"lexicon_{language}")["synonyms"] for language in ("en", "zh")).split(";"):
        words = [word.replace("_", " ") for word in entry.split()]
        for place, word in enumerate(words):
            others.setdefault(word, words[place - 1] if place else words[1])
    return others

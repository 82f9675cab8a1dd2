"""Small hand-made word lists, English and Chinese: opposites, values that exclude each other, words that mean alike."""

from functools import cache

from remanent.language.offline.lexicon import chinese, english
from remanent.language.offline.lexicon.shapes import Lexicon, Polar, read
from remanent.language.tongue import Tongue
from remanent.text.english import stem

__all__ = ["Lexicon", "Polar", "lexicon", "other_word"]


@cache
def lexicon(tongue: Tongue) -> Lexicon:
    """Return the word lists of a language."""
    return read(chinese, str) if tongue == "zh" else read(english, stem)


def other_word(word: str) -> str | None:
    """Return a word that means the same, if the lists know one."""
    return _others().get(word.casefold())


@cache
def _others() -> dict[str, str]:
    others: dict[str, str] = {}
    for lists in (english, chinese):
        for line in lists.SYNONYMS.split("\n"):
            words = [word.replace("_", " ") for word in line.split()]
            for place, word in enumerate(words):
                others.setdefault(word, words[place - 1] if place else words[1])
    return others

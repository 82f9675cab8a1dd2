"""Small hand-made word lists, English and Chinese: opposites, values that exclude each other, words that mean alike."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Literal, Protocol

from remanent.language.offline.lexicon import chinese, english
from remanent.language.tongue import Tongue
from remanent.text.english import stem

LONGEST_SENTENCE = 1_000
"""Characters of a sentence that are read for what it says: what goes on longer is no sentence, and laying the words of
two claims side by side takes the product of their numbers."""


class Cue(StrEnum):
    """What a word does to those around it."""

    DENY = "deny"
    """Denies what follows in its clause."""
    END = "end"
    """Says that what follows in its clause held before and does not any more."""
    LEAVE = "leave"
    """Says the same of what stands between `FROM` and it."""
    BEFORE = "before"
    """Says that its clause speaks of the past."""
    FROM = "from"
    """Begins what was left, up to `TO`, where the sentence speaks of a change."""
    TO = "to"
    CHANGE = "change"
    BREAK = "break"
    """Ends a clause."""
    CONDITION = "condition"
    """The claim holds under a condition, or not for certain."""
    UNTIL = "until"
    """The claim holds up to a time: open until eight is closed at eight."""
    QUESTION = "question"
    BE = "be"
    """Says what something is."""


Person = Literal["", "first", "second", "third"]


@dataclass(frozen=True, slots=True)
class RawWord:
    """One word with its place in the text."""

    text: str
    start: int
    end: int
    key: str = ""
    """Empty for a word that carries nothing by itself."""
    cues: frozenset[Cue] = frozenset()
    is_name: bool = False
    is_verb: bool = False
    is_adverb: bool = False
    """Says how something is done; even before the verb it is no part of the subject."""
    person: Person = ""
    definite: bool | None = None
    """For an article and the like: whether it says which one is meant."""

    def has(self, *cues: Cue) -> bool:
        """Tell whether the word is one of these cues."""
        return not self.cues.isdisjoint(cues)


@dataclass(frozen=True, slots=True)
class Polarity:
    """What a word says about a matter: yes or no to it."""

    matter: str
    sign: int
    strict: bool
    """Whether one of the two always holds (open, closed); else both can be denied (hot, cold)."""


class Lists(Protocol):
    """The word lists of one language as they are written."""

    SYNONYMS: str
    STRICT: str
    CONTRARY: str
    GROUPS: str
    ATTRIBUTES: str
    SEVERAL: str
    SINGLE: str
    RELATIVES: str
    UNIQUE_HOLDER: str
    VERBS: str
    IMPLIED: str
    KINDS: str
    MEMBERS: str
    SCOPES: str
    ONCE: str


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The word lists of one language, by keys: stems in English, words in Chinese."""

    synonyms: dict[str, str]
    """A word to the one that stands for all that mean the same."""
    polar: dict[str, tuple[Polarity, ...]]
    groups: dict[str, dict[str, int]]
    """A word to the kinds of values that it is one of, of which a thing has one at a time, and the value's number."""
    attributes: dict[str, frozenset[str]]
    """A word to the attributes that it may speak of."""
    implied: dict[str, tuple[str, ...]]
    """A word to those that it denies: a vegetarian does not eat meat."""
    kinds: dict[str, str]
    """A word to what it is a kind of: a brother is a sibling."""
    members: frozenset[str]
    """What one can be of several at once: member, fan."""
    once: frozenset[str]
    """Words for what happens once: graduate, 毕业."""
    scopes: frozenset[str]
    """Opposites that say of what or of when something is said: before, first."""
    several: frozenset[str]
    """Verbs that hold of many things at once: who likes one may like another."""
    single: frozenset[str]
    """Words that say that there is just one: favourite, only, default."""
    relatives: frozenset[str]
    """Words for somebody beside the one that is spoken of: brother, neighbour."""
    unique_holder: frozenset[str]
    """Words for what has one subject at a time: lead, own, win."""
    verbs: frozenset[str]
    phrases: frozenset[tuple[str, ...]]
    """Words of several parts that count as one."""
    known: frozenset[str]
    """Every word of the lists: none of them is a name."""


def _read(lists: Lists, key: Callable[[str], str]) -> Lexicon:
    """Read the lists of a language, each word under the key of the one that stands for all that mean the same."""

    def plain(text: str) -> list[str]:
        return [" ".join(key(part) for part in word.split("_")) for word in text.split()]

    synonyms = {word: group[0] for line in _lines(lists.SYNONYMS) for group in [plain(line)] for word in group}

    def keys(text: str) -> list[str]:
        return [synonyms.get(word, word) for word in plain(text)]

    everything = " ".join(getattr(lists, name) for name in _WORDS)
    known = [word for word in plain(everything.translate(_MARKS)) if word]
    return Lexicon(
        synonyms=synonyms,
        polar=_polar(lists, keys),
        groups=_placed(_named(lists.GROUPS, keys, split="/")),
        attributes=_inverted(_named(lists.ATTRIBUTES, keys)),
        implied={name: tuple(words) for name, (words,) in _named(lists.IMPLIED, keys, named=keys)},
        kinds={word: name for name, (words,) in _named(lists.KINDS, keys, named=keys) for word in words},
        members=frozenset(keys(lists.MEMBERS)),
        once=frozenset(keys(lists.ONCE)),
        scopes=frozenset(keys(lists.SCOPES)),
        several=frozenset(keys(lists.SEVERAL)),
        single=frozenset(keys(lists.SINGLE)),
        relatives=frozenset(keys(lists.RELATIVES)),
        unique_holder=frozenset(keys(lists.UNIQUE_HOLDER)),
        verbs=frozenset(plain(lists.VERBS)),
        phrases=frozenset(tuple(word.split()) for word in known if " " in word),
        known=frozenset(known),
    )


_WORDS = ("SYNONYMS", "STRICT", "CONTRARY", "GROUPS", "ATTRIBUTES", "SEVERAL", "SINGLE", "RELATIVES", "VERBS")
_MARKS = str.maketrans("|~/:", "    ")


def _lines(block: str) -> list[str]:
    """Return the lines of a list; one that is indented goes on with the one before."""
    lines: list[str] = []
    for line in block.splitlines():
        if line.startswith(" ") and lines:
            lines[-1] += f" {line.strip()}"
        elif line.strip():
            lines.append(line.strip())
    return lines


def _named(
    block: str,
    keys: Callable[[str], list[str]],
    *,
    split: str | None = None,
    named: Callable[[str], list[str]] = str.split,
) -> list[tuple[str, list[list[str]]]]:
    entries = []
    for line in _lines(block):
        names, _, rest = line.partition(":")
        values = [keys(part) for part in (rest.split(split) if split else [rest])]
        entries += [(name, values) for name in named(names)]
    return entries


def _placed(entries: list[tuple[str, list[list[str]]]]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for name, values in entries:
        for number, words in enumerate(values):
            for word in words:
                table.setdefault(word, {})[name] = number
    return table


def _inverted(entries: list[tuple[str, list[list[str]]]]) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for name, (words,) in entries:
        for word in words:
            table.setdefault(word, set()).add(name)
    return {word: frozenset(names) for word, names in table.items()}


def _polar(lists: Lists, keys: Callable[[str], list[str]]) -> dict[str, tuple[Polarity, ...]]:
    table: dict[str, list[Polarity]] = {}
    for block, mark in ((lists.STRICT, "|"), (lists.CONTRARY, "~")):
        for line in _lines(block):
            yes, _, no = line.partition(mark)
            matter = "/".join((keys(yes)[0], keys(no)[0]))
            for words, sign in ((keys(yes), 1), (keys(no), -1)):
                for word in words:
                    table.setdefault(word, []).append(Polarity(matter, sign, mark == "|"))
    return {word: tuple(meanings) for word, meanings in table.items()}


__all__ = ["Lexicon", "Polarity", "lexicon", "other_word"]


@cache
def lexicon(tongue: Tongue) -> Lexicon:
    """Return the word lists of a language."""
    return _read(chinese, str) if tongue == "zh" else _read(english, stem)


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

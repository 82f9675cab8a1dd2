"""English stems, and the word lists: stop words, fillers, weak words and common words.

The stemmer is light: it brings the forms of one word together and leaves different words apart. It takes off plurals,
-ed, -ing and -ly and knows the common irregular forms. It does not touch derivation (-ment, -tion, -ness, -er): those
make new words, and a search that mixes them up finds the wrong memory. A stem is a key for matching
and not a word to show.

The lists stand in `word_lists/`. They are chosen by hand, except for the common words, which are ordered by how often
general English has them.
"""

import re
from pathlib import Path

_VOWELS = frozenset("aeiouy")
_VOWEL_GROUP = re.compile(r"[aeiouy]+")
# One short syllable that ends in a single consonant: hop, mov, us; there -e is part of the word (hope, move, use).
_SHORT = re.compile(r"(?:[^aeiou]*|.*qu)[aeiouy][^aeiouywx]")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that are parted by white space."""
    return frozenset(text.split())


def word_list(name: str) -> list[str]:
    """Return the words of a list in `word_lists/`, in their order, without the comments before it."""
    return [word for line in _lines(name) for word in line.split()]


def word_tables(name: str) -> dict[str, str]:
    """Return the tables of a file in `word_lists/`, each by the name that stands before it in brackets."""
    _, *parts = re.split(r"^\[(.+)\]$", "\n".join(_lines(name)), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def word_forms(name: str) -> dict[str, str]:
    """Return the forms of words in a file in `word_lists/` by their names."""
    return parts_of("\n".join(_lines(name)))


def parts_of(table: str) -> dict[str, str]:
    """Read a table of the parts of forms: `name = form`, further lines of it indented."""
    rows = re.sub(r"\n +", "", table).strip().split("\n")
    return {name: form for name, _, form in (row.partition(" = ") for row in rows)}


def _lines(name: str) -> list[str]:
    listed = Path(__file__).with_name("word_lists") / f"{name}.txt"
    return [line for line in listed.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


_KEEP = frozenset(word_list("whole_words"))
_IRREGULAR = {form: base for base, *forms in map(str.split, _lines("irregular_forms")) for form in forms}


def is_irregular(word: str) -> bool:
    """Tell whether a lower-case word is an irregular form: wrote, found, children."""
    return word in _IRREGULAR


_PRESENT = frozenset("am is are being has having does doing goes flies dying lying tying".split())
_PLURALS = frozenset(
    "buses busses children feet gases geese halves knives lenses loaves men mice persons quizzes shelves skis teeth "
    "thieves wives wolves women".split()
)


def is_past_form(word: str) -> bool:
    """Tell whether a lower-case word is an irregular verb in the past or its participle: wrote, found, gone."""
    return word in _IRREGULAR and word not in _PRESENT and word not in _PLURALS


def stem(word: str) -> str:
    """Return the key under which all forms of a lower-case English word meet."""
    if len(word) < 3 or word in _KEEP:
        return word
    base = _IRREGULAR.get(word)
    if base is None:
        base = _without_plural(word)
        base = _IRREGULAR.get(base, base)
        if base not in _KEEP:
            base = _without_adverb(_without_tense(base))
    return _without_final_letter(base) if len(base) > 3 and base not in _KEEP else base


def stem_if_english(word: str) -> str:
    """Return the stem of an English word in small letters; names with digits, dots or accents stay as they are."""
    return stem(word) if word.isascii() and word.isalpha() else word


def _without_plural(word: str) -> str:
    """Take off -s and -es; -ss, -us and -is are no plurals."""
    if len(word) < 4 or word[-1] != "s" or word[-2] in "su" or word.endswith("is"):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-3] + "y"
    if word.endswith("oes"):
        return word[:-1] if len(word) < 6 else word[:-2]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def _without_tense(word: str) -> str:
    """Take off -ing and -ed where a word with a vowel is left, and undo what they did to its end.

    Where nothing with a vowel would be left it is no ending: "red", "thing", "bring".
    """
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-3] + "y"
    if word.endswith("ing"):
        base = word[:-3]
    elif word.endswith("ed") and not word.endswith("eed"):
        base = word[:-2]
    else:
        return word
    if len(base) < 2 or _VOWELS.isdisjoint(base):
        return word  # thing, bring, shed: no ending at all
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "aeiouflsz":
        return base[:-1]  # running, planned
    return base + "e" if _SHORT.fullmatch(base) else base


def _without_adverb(word: str) -> str:
    """Take off -ly: happily is happy, possibly is possible."""
    if not word.endswith("ly") or len(word) < 6:
        return word
    if word.endswith("ily"):
        return word[:-3] + "y"
    if word.endswith("bly"):
        return word[:-1] + "e"
    return word[:-2]


def _without_final_letter(base: str) -> str:
    """Drop the -e that some forms lose, write -ie as -y, and a doubled -l after more than one syllable as one."""
    if base.endswith("ie"):
        return base[:-2] + "y"
    rest = base[:-1]
    if base[-1] == "e" and base[-2] != "e" and len(rest) > 2 and not _SHORT.fullmatch(rest):
        return rest
    if base.endswith("ll") and len(_VOWEL_GROUP.findall(base)) > 1:
        return rest
    return base


# ── lists ────────────────────────────────────────────────────────────────────

ENGLISH_STOP_WORDS = frozenset(word_list("english_stop_words"))
CHINESE_STOP_WORDS = frozenset(word_list("chinese_stop_words"))
VERB_STEMS = frozenset(map(stem, word_list("verbs")))
NAMING_VERBS = frozenset(word_list("naming_verbs"))
FILLERS = frozenset(word_list("fillers"))
CHINESE_FILLERS = frozenset(word_list("chinese_fillers"))
WEAK_WORDS = frozenset(word_list("weak_words"))
CHINESE_WEAK_WORDS = frozenset(word_list("chinese_weak_words"))
COMMON_RANKS = {word: rank for rank, word in enumerate(word_list("common_english"))}
COMMON_ENGLISH = frozenset(COMMON_RANKS)

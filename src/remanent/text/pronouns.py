"""Pronouns and whom they may mean; only where nobody else can be meant is a pronoun called certain.

A fact stored without its name ("she moved to Lisbon") is found by nobody; one with a wrong name is worse. So a pronoun
is replaced only when one person within reach fits, and no unnamed one does.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal

from remanent.text.chinese import Gender
from remanent.text.mentions import Mention, mentions
from remanent.text.regex import lazy_regex, word_regex
from remanent.text.sentences import sentences
from remanent.values import dataclass

_PRONOUN = lazy_regex(
    r"(?<![\w'’-])(?P<he>he|him|his|himself)(?![\w-])|(?<![\w'’-])(?P<she>she|her|hers|herself)(?![\w-])"
    r"|(?<![\w'’-])(?P<they>they|them|their|theirs|themselves)(?![\w-])|(?<![\w'’-])(?P<it>it|its|itself)(?![\w-])"
    r"|(?<!其)(?P<ta>他|她|它)(?P<men>们)?(?!人|乡|国|日)",
    re.IGNORECASE,
)
# People who are not named but may be meant; not those that a name is said to be ("Tom is my uncle").
_SOMEBODY = lazy_regex(
    r"(?<!\bis\s)(?<!\bwas\s)\b(?:my|your|his|her|their|our|a|an|the|another|some)\s+(?:\w+\s+)?(?:"
    r"(?P<male>father|dad|brother|uncle|son|husband|boyfriend|grandfather|grandpa|nephew|boy|man|guy|king)"
    r"|(?P<female>mother|mom|mum|sister|aunt|daughter|wife|girlfriend|grandmother|grandma|niece|girl|woman|lady|queen)"
    r"|(?P<any>friend|boss|teacher|colleague|coworker|doctor|neighbou?r|cousin|child|kid|student|manager|partner|person|nurse)"
    r")\b(?!\s+[A-Z])"
    r"|(?<!是我)(?<!是我的)(?<!是)(?:(?P<nan>爸爸|父亲|哥哥|弟弟|叔叔|舅舅|伯伯|爷爷|外公|丈夫|老公|儿子|男友|男朋友|侄子|男人|男孩)"
    r"|(?P<nv>妈妈|母亲|姐姐|妹妹|阿姨|姑姑|奶奶|外婆|妻子|老婆|女儿|女友|女朋友|侄女|女人|女孩)"
    r"|(?P<ren>朋友|同事|老板|老师|医生|邻居|同学|孩子|经理|领导|下属|上司|学生|室友))(?!叫|是)",
    re.IGNORECASE,
)
# How many sentences back whoever is meant may have been named.
_REACH = 2
# However long the sentences are.
_FARTHEST = 600
_NOUN_AFTER = lazy_regex(r"\s+[^\W\d_]")
_POSSESSIVE = frozenset({"his", "her", "its", "their"})


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun of the third person and the names that it may stand for, the nearest first, each once."""

    start: int
    end: int
    text: str
    number: Literal["singular", "plural"]
    gender: Gender | Literal["neuter"]
    candidates: tuple[Mention, ...]
    certain: bool
    """Whether exactly one person fits, with or without a name. "It" never is: it may stand for a whole sentence."""


SPEAKER_OR_HEARER = word_regex(r"i|i['’](?:m|d|ve|ll)|me|my|mine|we|us|our|you|your", r"我|你|您|咱")
"""Words whose meaning depends on who speaks: without one of them a sentence stands alone."""


def pronouns(text: str, *, before: str = "") -> list[Pronoun]:
    """Return the pronouns of a text; names in the text `before` it may be meant, too."""
    whole = f"{before}\n{text}" if before else text
    offset = len(whole) - len(text)
    names = mentions(whole)
    starts = [span.start for span in sentences(whole)]
    found = []
    for match in _PRONOUN.finditer(whole, offset):
        number, gender = _nature(match)
        reach = _window(starts, match.start())
        nearest = _candidates(names, reach, match.start(), gender)
        certain = number == "singular" and len(nearest) == 1 and nearest[0].kind == "person" and gender != "neuter"
        if certain and _somebody_else(whole, nearest[0], reach, match):
            certain = False
        start = match.start() - offset
        found.append(Pronoun(start, match.end() - offset, match[0], number, gender, nearest, certain))
    return [_moved(one, offset) for one in found]


def resolve(text: str, *, before: str = "") -> str:
    """Return the text with every certain pronoun replaced by the name that it stands for; the others stay."""
    parts: list[str] = []
    position = 0
    for one in pronouns(text, before=before):
        if one.certain and not one.text.lower().endswith("self") and one.text.lower() not in {"hers", "theirs"}:
            parts += text[position : one.start], _written(text, one)
            position = one.end
    return "".join([*parts, text[position:]])


def _written(text: str, one: Pronoun) -> str:
    """Return what to write for a pronoun: the name, or the name's possessive."""
    name = one.candidates[0].text
    lowered = one.text.lower()
    if lowered not in _POSSESSIVE:
        return name
    following = _NOUN_AFTER.match(text, one.end)
    # "her" is "Anna" at the end of a clause and "Anna's" before a noun.
    return f"{name}'s" if lowered != "her" or following else name


def _moved(one: Pronoun, offset: int) -> Pronoun:
    """Count the places of the names from the beginning of the text; those before it lie below zero."""
    moved = tuple(
        Mention(name.start - offset, name.end - offset, name.text, name.kind, name.key, name.gender)
        for name in one.candidates
    )
    return Pronoun(one.start, one.end, one.text, one.number, one.gender, moved, one.certain)


def _nature(match: re.Match[str]) -> tuple[Literal["singular", "plural"], Gender | Literal["neuter"]]:
    """Return number and gender of a pronoun."""
    if match["they"] or match["men"]:
        return "plural", "neuter" if match["ta"] == "它" else "unknown"
    if match["he"] or match["she"]:
        return "singular", "male" if match["he"] else "female"
    if match["it"] or match["ta"] == "它":
        return "singular", "neuter"
    # 他 is used for everybody whose gender is not known; 她 is not.
    return "singular", "female" if match["ta"] == "她" else "unknown"


def _window(starts: Sequence[int], position: int) -> int:
    """Return where the second sentence before the one of this position begins, or a place nearer by."""
    sentence = bisect_right(starts, position) - 1
    return max(starts[max(0, sentence - _REACH)], position - _FARTHEST)


def _candidates(
    names: Sequence[Mention], reach: int, position: int, gender: Gender | Literal["neuter"]
) -> tuple[Mention, ...]:
    """Return the names within reach that fit, the nearest first; of two forms of one name the longer.

    Of two forms of one name the longer: "Ann" and "Ann Lee" in one text are one person, and would else make every "she"
    uncertain.
    """
    first = bisect_left(names, reach, key=lambda name: name.start)
    last = bisect_right(names, position, key=lambda name: name.end)
    found: dict[str, Mention] = {}
    for name in reversed(names[first:last]):
        if _may_be(name, gender):
            known = next((key for key in found if _same(key, name.key)), None)
            if known is None:
                found[name.key] = name
            elif len(name.text) > len(found[known].text):
                found[known] = name  # "Anna Weber" says more than "Anna"
    return tuple(found.values())


def _same(one: str, other: str) -> bool:
    """Tell whether two names are forms of one: all words of one are in the other."""
    return one == other or set(one.split()) <= set(other.split()) or set(other.split()) <= set(one.split())


def _may_be(name: Mention, gender: Gender | Literal["neuter"]) -> bool:
    """Tell whether a name may be meant by a pronoun of a gender."""
    if gender == "neuter":
        return name.kind not in {"person", "handle"}
    if name.kind not in {"person", "name", "handle"}:
        return False
    return gender == "unknown" or name.gender in {gender, "unknown"}


def _somebody_else(text: str, name: Mention, reach: int, match: re.Match[str]) -> bool:
    """Tell whether somebody without a name stands nearby whom the pronoun may mean as well."""
    for found in _SOMEBODY.finditer(text, reach, match.start()):
        male, female = bool(found["male"] or found["nan"]), bool(found["female"] or found["nv"])
        if (male and (match["she"] or match["ta"] == "她")) or (female and (match["he"] or match["ta"] == "他")):
            continue
        if not name.start <= found.start() < name.end:
            return True
    return False

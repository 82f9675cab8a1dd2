"""Names in Chinese text: people by surname or title, places and organisations by dictionary and ending."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from remanent.text.chinese import Word, is_known, rarity, tagged
from remanent.text.names import (
    CHINESE_ORGANISATION_ENDINGS,
    CHINESE_PLACE_ENDINGS,
    CHINESE_TITLES,
    COMMON_SURNAMES,
    COMPOUND_SURNAMES,
    FEMALE_CHINESE_TITLES,
    MALE_CHINESE_TITLES,
    NO_CHINESE_NAMES,
    SURNAMES,
)
from remanent.text.scripts import HAN

Gender = Literal["female", "male", "unknown"]


@dataclass(frozen=True, slots=True)
class ChineseName:
    """A name, where it stands, and what it seems to name."""

    start: int
    end: int
    text: str
    kind: Literal["person", "place", "organisation"]
    gender: Gender = "unknown"


_SURNAME = f"[{SURNAMES}]"
_CALLED = re.compile(
    rf"[小老阿]{_SURNAME}(?![{HAN}]?的?[心时人家师板公婆虎鼠])|{_SURNAME}(?P<title>{CHINESE_TITLES})(?![{HAN}]?[程作])"
)
_DOT = "·•・"
_TRANSLITERATED = re.compile(rf"[{HAN}]{{1,8}}(?:[{_DOT}][{HAN}]{{1,8}})+")
_HAN_ONLY = re.compile(rf"[{HAN}]+")
_NO_TRANSLITERATION = ("人", "州", "岛", "路", "帝", "族", "语")
_NOUN_TAGS = frozenset({"n", "ns", "nr", "nz", "nt", "nrt", "vn", "j", "b"})
_LONGEST_ORGANISATION = 14
# A word of the dictionary that is more common than this is no name of a person, whatever its first character.
_COMMON = 11.5


def chinese_names(text: str) -> Iterator[ChineseName]:
    """Yield the names of a text; those of different kinds may overlap."""
    yield from _transliterated(text)
    yield from _called(text)
    words = tagged(text)
    for number, word in enumerate(words):
        if not _HAN_ONLY.fullmatch(word.text) or word.text in NO_CHINESE_NAMES or len(word.text) < 2:
            continue
        if _is_person(word):
            yield ChineseName(word.start, word.end, word.text, "person")
        elif word.tag == "ns" and (is_known(word.text) or word.text.endswith(CHINESE_PLACE_ENDINGS)):
            yield ChineseName(word.start, word.end, word.text, "place")
        if word.text.endswith(CHINESE_ORGANISATION_ENDINGS):
            start = _organisation_start(words, number)
            if word.end - start > len(word.text) or len(word.text) > 3 or word.tag == "nt":
                yield ChineseName(start, word.end, text[start : word.end], "organisation")


def _called(text: str) -> Iterator[ChineseName]:
    """小李, 老王; 王老师, 李总."""
    for found in _CALLED.finditer(text):
        title = found["title"]
        gender: Gender = "unknown"
        if title:
            gender = "female" if title in FEMALE_CHINESE_TITLES else "male" if title in MALE_CHINESE_TITLES else gender
        if found[0] not in NO_CHINESE_NAMES:
            yield ChineseName(found.start(), found.end(), found[0], "person", gender)


def _transliterated(text: str) -> Iterator[ChineseName]:
    """列夫·托尔斯泰: the segmenter knows where the first part begins and the last one ends."""
    for found in _TRANSLITERATED.finditer(text):
        parts = re.split(f"[{_DOT}]", found[0])
        first, last = tagged(parts[0])[-1], tagged(parts[-1])[0]
        if all(word.tag.startswith("nr") or not is_known(word.text) for word in (first, last)):
            start = found.start() + len(parts[0]) - len(first.text)
            end = found.end() - len(parts[-1]) + len(last.text)
            yield ChineseName(start, end, text[start:end], "person")


def _is_person(word: Word) -> bool:
    name = word.text
    if word.tag == "nrt":
        return len(name) > 2 and not name.endswith(_NO_TRANSLITERATION) and rarity(name) > _COMMON
    if word.tag not in {"nr", "nrfg"}:
        return False
    if name[:2] in COMPOUND_SURNAMES:
        return 3 <= len(name) <= 4
    if name[0] not in SURNAMES or len(name) > 3:
        return False
    if len(name) == 3 or not is_known(name):
        return True
    return name[0] in COMMON_SURNAMES and rarity(name) > _COMMON


def _organisation_start(words: Sequence[Word], number: int) -> int:
    """Go back over the words that the name of an organisation is made of."""
    start = words[number].start
    for place in range(number - 1, -1, -1):
        word = words[place]
        linking = word.tag == "v" and len(word.text) > 1
        if not (linking or word.tag in _NOUN_TAGS) or words[number].end - word.start > _LONGEST_ORGANISATION:
            break
        start = start if linking else word.start
    return start

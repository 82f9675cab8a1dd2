"""The language of a text as far as its script tells: enough to choose a model and a wording."""

import re
from typing import Literal

from remanent.text.scripts import HAN, HANGUL, KANA

Language = Literal["zh", "en", "mixed", "other"]

# The beginning decides; a long document need not be read to its end.
_READ = 4_000
_HAN = re.compile(rf"[{HAN}]")
_KANA = re.compile(rf"[{KANA}]")
_HANGUL = re.compile(rf"[{HANGUL}]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff][A-Za-z\u00c0-\u024f\u1e00-\u1eff'’]*")
_OTHER_WORD = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff\u3005-\u9fff\uac00-\ud7ff\uf900-\ufaff]+")
# A Chinese word is about one and a half characters.
_HAN_PER_WORD = 1.5
# Below this share of its words a second language is a borrowed name or term.
_BORROWED = 0.2


def language_of(text: str) -> Language:
    """Say whether a text is Chinese, English, both, or neither, by counting words per script.

    Any text in Latin letters counts as English: the script alone cannot tell French from it. Han characters count
    as Chinese unless kana stands among them (Japanese). A text without words is "other".
    """
    text = text[:_READ]
    latin = len(_LATIN_WORD.findall(text))
    if text.isascii():
        return "en" if latin else "other"
    han = len(_HAN.findall(text)) / _HAN_PER_WORD
    kana = len(_KANA.findall(text)) / _HAN_PER_WORD
    other = kana + len(_HANGUL.findall(text)) / _HAN_PER_WORD + len(_OTHER_WORD.findall(text))
    if kana > han * _BORROWED:
        other, han = other + han, 0.0
    words = latin + han + other
    if not words or other > words / 2:
        return "other"
    if han >= words * (1 - _BORROWED):
        return "zh"
    if latin >= words * (1 - _BORROWED):
        return "en"
    return "mixed"

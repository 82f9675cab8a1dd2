"""Scripts: which characters belong to which, the language that they tell, and the folding of their variants.

The ranges may hold unassigned characters: they are meant for text that `fold` has cleaned.
"""

import unicodedata
from typing import Literal

from remanent.bilingual import Language
from remanent.text.regex import lazy_regex
from remanent.text.words import word_list

HAN = "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u3096\u309d-\u309f\U0001b001-\U0001b11f\U0001b132-\U0001b152"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\U0001aff0-\U0001b000\U0001b120-\U0001b131\U0001b153-\U0001b16f"
KANA = HIRAGANA + KATAKANA
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
# Bopomofo, Thai, Lao, Myanmar, Khmer: written without spaces between words, too.
OTHER_UNSPACED = "\u3105-\u312f\u31a0-\u31bf\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# Where a space does not tell one word from the next, or (Korean) hides the stem inside a longer unit.
UNSPACED = HAN + KANA + HANGUL + OTHER_UNSPACED


TextLanguage = Literal["zh", "en", "mixed", "other"]

# The beginning decides; a long document need not be read to its end.
_READ = 4_000
_HAN = lazy_regex(rf"[{HAN}]")
_KANA = lazy_regex(rf"[{KANA}]")
_HANGUL = lazy_regex(rf"[{HANGUL}]")
_LATIN_WORD = lazy_regex(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff][A-Za-z\u00c0-\u024f\u1e00-\u1eff'’]*")
_OTHER_WORD = lazy_regex(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff\u3005-\u9fff\uac00-\ud7ff\uf900-\ufaff]+")
# A Chinese word is about one and a half characters.
_HAN_PER_WORD = 1.5
# Below this share of its words a second language is a borrowed name or term.
_BORROWED = 0.2


_TRADITIONAL = {ord(pair[0]): pair[1] for pair in word_list("traditional_characters")}


def simplified(text: str) -> str:
    """Return a text of the same length with the commonest traditional characters as the simplified ones."""
    return text if text.isascii() else text.translate(_TRADITIONAL)


def has_han(text: str) -> bool:
    """Tell whether a text has a Chinese character."""
    return not text.isascii() and _HAN.search(text) is not None


def language_of(text: str) -> TextLanguage:
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


def working_language(*texts: str) -> Language:
    """Return which of the two languages to speak in about texts: that of the first that has one.

    Chinese mixed with English counts as Chinese.
    """
    for text in texts:
        language = language_of(text)
        if language != "other":
            return "en" if language == "en" else "zh"
    return "en"


def well_formed(text: str) -> str:
    """Return the text with halves of surrogate pairs joined, or replaced by U+FFFD: no file and no tokenizer takes one.

    Whoever cuts JSON at an escape or a UTF-16 string at a character makes them.

    Nine places did this, by ? or by U+FFFD, and one of them joined two halves in a row: an emoji that came in two
    escapes was ?? to an embedder.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


# Letters that Unicode does not decompose although people type them without the stroke.
_STROKED = {
    "Æ": "AE", "Đ": "D", "Ð": "D", "Ħ": "H", "Ł": "L", "Ø": "O", "Œ": "OE", "Þ": "TH", "Ŧ": "T",
    "æ": "ae", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "œ": "oe", "þ": "th", "ŧ": "t",
}  # fmt: skip
_APOSTROPHES = "\u2018\u2019\u201b\u02bc\u02bb"
_HYPHENS = "\u2010\u2011\u2012\u2212"
_ZERO_WIDTH_SPACE = 0x200B
# More than any living language needs; a text made of all of Unicode must not make the table grow for good.
_TABLE_LIMIT = 50_000
# Letters today that were marks in the Unicode tables which SQLite's unicode61 tokenizer still carries:
# it would end a token at them.
_MARKS_TO_SQLITE = frozenset([*range(0x19B0, 0x19C1), 0x19C8, 0x19C9, 0x1CF2, 0x1CF3])


class _FoldingTable(dict[int, str | None]):
    """Translation table that works out each character once: to letters and digits, to nothing, or to a space."""

    def __missing__(self, code: int) -> str | None:
        folded = _fold_character(chr(code))
        if len(self) < _TABLE_LIMIT:
            self[code] = folded
        return folded


def _fold_character(character: str) -> str | None:
    """Return what a character becomes: letters and digits, a space, or None for nothing."""
    code = ord(character)
    if code < 0x80:
        return character
    if character in _APOSTROPHES:
        return "'"
    if character in _HYPHENS:
        return "-"
    category = unicodedata.category(character)
    if category[0] == "M" or code in _MARKS_TO_SQLITE or (category == "Cf" and code != _ZERO_WIDTH_SPACE):
        return None
    if category[0] not in "LN":
        return " "
    if 0x3040 <= code <= 0x30FF:
        return character  # the voicing mark of kana is no accent: が is not か
    decomposed = unicodedata.normalize("NFD", character)
    bare = "".join(part for part in decomposed if unicodedata.category(part)[0] != "M")
    return _STROKED.get(bare, unicodedata.normalize("NFC", bare)) or None


_TABLE = _FoldingTable()
_NO_LETTERS = lazy_regex(r"[\W_]+")
_NO_ASCII_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())


def fold(text: str) -> str:
    """Return the text with compatibility forms unified and accents dropped; case is kept.

    Every character of the result beyond ASCII is a letter or a digit; what is neither became a space, and marks
    and invisible characters are gone, lone surrogates included. Scripts that write vowels as marks (Devanagari,
    Arabic with its points) keep their letters only: search finds more there, never less.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_TABLE)


def caseless(text: str) -> str:
    """Return a text in one case and width, accents kept."""
    return unicodedata.normalize("NFKC", text).casefold()


def alphanumeric(text: str) -> str:
    """Return the letters and digits of a text, folded and in one case: by these two wordings are the same."""
    folded = fold(text)
    return letters_only(folded) if folded.isascii() else _NO_LETTERS.sub("", folded.casefold())


def letters_only(text: str) -> str:
    """Return the letters and digits of a text in one case."""
    if text.isascii():
        return text.encode().lower().translate(None, _NO_ASCII_LETTERS).decode()
    return _NO_LETTERS.sub("", text).casefold()

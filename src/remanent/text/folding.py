"""Folding: makes equal what a reader takes for the same text (width, accents, invisible characters)."""

import unicodedata

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


def fold(text: str) -> str:
    """Return the text with compatibility forms unified and accents dropped; case is kept.

    Every character of the result beyond ASCII is a letter or a digit; what is neither became a space, and marks
    and invisible characters are gone, lone surrogates included. Scripts that write vowels as marks (Devanagari,
    Arabic with its points) keep their letters only: search finds more there, never less.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_TABLE)

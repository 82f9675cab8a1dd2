"""Bytes as text: which encoding they are in, found by how well each explains them.

Nothing is asked but the bytes: a name says nothing of an encoding, and what a sender says is taken only where it fits.
"""

import codecs
import re

from remanent.errors import UnreadableFile

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Two bytes as GB 2312 and Big5 lay them out: punctuation, then the characters in common use, which are nine in ten
# of any text. The other half of either table is rare, so a text read in the wrong one has few common characters.
_PAIR = re.compile(rb"[\x81-\xfe][\x30-\xfe]")
_COMMON = {
    "gb18030": re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]"),
    "big5": re.compile(rb"[\xa1-\xc6][\x40-\x7e\xa1-\xfe]"),
}
_LEAST_COMMON = 0.7
"""The share of common characters from which on a table explains the bytes."""
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# Upper halves of UTF-16: of Latin letters; with those of Chinese characters and their punctuation.
_LATIN = frozenset({0x00, 0x20})
_HAN = frozenset({0x00, 0x20, 0x30, 0xFF, *range(0x4E, 0xA0)})
_SAMPLE = 200_000
"""Bytes that the encoding is judged by."""


def decoded(content: bytes, *, charset: str = "") -> str:
    """Return bytes as text; `UnreadableFile` when they are none.

    `charset` is what a file says of itself; it is believed after the marks of Unicode, and only when it works.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _strictly(content[len(mark) :], encoding) or _no_text()
    for encoding in filter(None, (charset, "utf-8")):
        text = _strictly(content, encoding)
        if text is not None:
            return text
    if (text := _almost(content)) is not None:
        return text
    guess = _guess(content)
    text = _strictly(content, guess) if guess else None
    return text if text is not None else _no_text()


def _no_text() -> str:
    raise UnreadableFile("it is neither text nor a type of file that is read", reason="unknown_type")


def _strictly(content: bytes, encoding: str) -> str | None:
    """Return the text that bytes are in an encoding; None when they are none, or when a text would not be like it."""
    try:
        text = content.decode(encoding)
    except (UnicodeDecodeError, LookupError, ValueError):
        return None
    return None if "\0" in text else text


def _almost(content: bytes) -> str | None:
    """Return UTF-8 with few faults in it, as a cut or a careless program leaves them; None for the rest."""
    text = content.decode("utf-8", "replace")
    faults = text.count("\ufffd")
    right = sum(character > "\x7f" for character in text[:_SAMPLE])
    return text if faults * 20 < right and "\0" not in text else None


def _guess(content: bytes) -> str | None:
    """Return the encoding that explains the bytes best, or None when they are no text."""
    sample = content[:_SAMPLE]
    wide = _wide(sample)
    if wide or len(_CONTROL.findall(sample)) * 200 > len(sample):
        return wide
    pairs = _PAIR.findall(sample)
    common = {name: sum(usual.fullmatch(pair) is not None for pair in pairs) for name, usual in _COMMON.items()}
    best = max(common, key=common.__getitem__)
    # What a cut at the end of the sample leaves is no fault, so the whole is decoded by the caller.
    if common[best] >= _LEAST_COMMON * (len(pairs) or 1):
        return best if _strictly(content, best) is not None else "gb18030"
    high = sum(byte > 127 for byte in sample)
    return "cp1252" if high * 3 <= len(sample) else None


def _wide(sample: bytes) -> str | None:
    """Return the byte order of UTF-16 without a mark: the upper halves are few values, the lower ones are any."""
    if len(sample) < 4 or len(sample) % 2:
        return None
    first, second = sample[0::2], sample[1::2]
    for usual in (_LATIN, _HAN):
        shares = [sum(map(usual.__contains__, half)) / len(half) for half in (first, second)]
        if max(shares) >= 0.95 and min(shares) <= 0.6:
            return "utf-16-be" if shares[0] > shares[1] else "utf-16-le"
    return None

"""What bytes are: the type of a file, and the encoding of a text.

The first bytes are believed before the name, for whoever sends a file chooses its name.
"""

import codecs
import mimetypes
import os
import re
import struct
from enum import StrEnum
from pathlib import PurePosixPath

from remanent.errors import UnreadableFile
from remanent.text.words import word_set

PDF = "application/pdf"
HTML = "text/html"
_XHTML = "application/xhtml+xml"
PLAIN = "text/plain"
MARKDOWN = "text/markdown"
CSV = "text/csv"
TSV = "text/tab-separated-values"
CODE = "text/x-code"
JSON_LINES = "application/jsonl"
MAIL = "message/rfc822"
EPUB = "application/epub+zip"
_OOXML = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OOXML}wordprocessingml.document"
PPTX = f"{_OOXML}presentationml.presentation"
XLSX = f"{_OOXML}spreadsheetml.sheet"
XLS = "application/vnd.ms-excel"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
_ZIP = "application/zip"
_OLE = "application/x-ole-storage"
LOCKED = "application/x-encrypted-office"
_OCTETS = "application/octet-stream"

# Endings, since media types of code are seldom set.
_CODE = word_set(
    ".py .pyi .js .mjs .ts .jsx .tsx .java .c .h .cc .cpp .hpp .cs .go .rs .rb .php .swift .kt .scala .sh .bash .sql "
    ".r .jl .lua .pl .html .css .json .yaml .yml .toml .xml .ipynb .diff .patch .log"
)
# Of those, the ones that hold data or reports: they have no functions to keep whole.
_NO_PROGRAMS = word_set(".html .json .yaml .yml .toml .xml .ipynb .diff .patch .log .css")
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"{\\rtf", "application/rtf"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _OLE),
)
_NAMED = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".htm": HTML,
    ".html": HTML,
    ".xhtml": HTML,
    ".csv": CSV,
    ".tsv": TSV,
    ".jsonl": JSON_LINES,
    ".ndjson": JSON_LINES,
    ".eml": MAIL,
}
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_MESSAGE = re.compile(
    rb"(?:From [^\n]{1,200}\n)?(?:(?:Received|Return-Path|Delivered-To|Message-ID|MIME-Version|From|To|Subject|Date|"
    rb"X-[\w-]{1,60}|DKIM-Signature|ARC-[\w-]{1,60}):[^\n]{0,2000}\r?\n(?:[ \t][^\n]{0,2000}\r?\n){0,60}){3}",
    re.IGNORECASE,
)
_INSIDE = ((b"word/document", DOCX), (b"ppt/presentation", PPTX), (b"xl/workbook", XLSX))


class AttachmentType(StrEnum):
    """What sort of thing is attached."""

    IMAGE = "image"
    DOCUMENT = "document"
    CODE = "code"


def type_of(media_type: str, name: str = "") -> AttachmentType:
    """Return what sort of thing a file is, by its media type and the ending of its name."""
    if media_type.startswith("image/"):
        return AttachmentType.IMAGE
    if _ending(name) in _CODE or media_type.startswith("text/x-"):
        return AttachmentType.CODE
    return AttachmentType.DOCUMENT


def media_type_of(content: bytes, name: str = "") -> str:
    """Return the media type of a file, by what is in it, else by its name."""
    if found := _by_content(content):
        return found
    return _NAMED.get(_ending(name)) or mimetypes.guess_type(name)[0] or _OCTETS


def readable_type_of(content: bytes, name: str = "", *, said: str = "") -> str:
    """Return the type that a file is read as: any text that is nothing better is plain text.

    What a server says of a page goes before the ending of its address, which may be that of the program behind it.

    A name alone makes no file binary: what has a binary type's name and none of its marks is read as text, which
    fails where it is none.
    """
    if found := _by_content(content):
        return found
    ending = _ending(name)
    if said in {HTML, _XHTML, MAIL, CSV, MARKDOWN}:
        return HTML if said == _XHTML else said
    if ending in _CODE - _NO_PROGRAMS:
        return CODE
    return _NAMED.get(ending, PLAIN)


def _by_content(content: bytes) -> str | None:
    for magic, media_type in _MAGIC:
        if content.startswith(magic):
            return _of_ole(content) if media_type == _OLE else media_type
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[:2] == b"BM" and content[6:10] == b"\0\0\0\0":
        return "image/bmp"
    if content.startswith(b"PK\x03\x04"):
        return _of_archive(content)
    if b"%PDF-" in content[:1024]:
        return PDF
    if _PAGE.match(content[:4096]):
        return HTML
    return MAIL if _MESSAGE.match(content[:16_384]) else None


def _of_ole(content: bytes) -> str:
    """Return the type of an old office file, by the names of its streams."""
    named = {name: name.encode("utf-16-le") in content for name in ("EncryptedPackage", "Workbook", "Book")}
    return LOCKED if named["EncryptedPackage"] else XLS if named["Workbook"] or named["Book"] else _OLE


def _of_archive(content: bytes) -> str:
    """Return the type of what is packed as a ZIP archive, by the names in its directory; nothing is unpacked."""
    end = content.rfind(b"PK\x05\x06")
    if end < 0 or end + 20 > len(content):
        return _ZIP
    size = struct.unpack_from("<I", content, end + 12)[0]
    names = content[max(0, end - size) : end]
    for marker, kind in _INSIDE:
        if marker in names:
            return kind
    # OpenDocument and EPUB: the first entry is called mimetype, is not compressed, and says it.
    said = re.match(rb"PK\x03\x04.{26}mimetype([\w.+/-]{5,100}?)(?=PK)", content[:200], re.DOTALL)
    return said[1].decode("ascii") if said else EPUB if b"META-INF/container.xml" in names else _ZIP


def _ending(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).suffix.lower()


# ── bytes as text: which encoding they are in, found by how well each explains them ──
# Nothing is asked but the bytes: a name says nothing of an encoding, and what a sender says is taken where it fits.

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


def readable_name(name: str) -> str:
    """Return a file's name or path as it can be told; what is not in UTF-8 is read as from an old Chinese archive.

    Half of a pair of surrogates stands for no byte of a name, as Windows and broken archives have it: it becomes "?".
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(name).decode("gb18030", "replace")
        except UnicodeEncodeError:
            return name.encode("utf-8", "replace").decode()
    return name


def _no_text() -> str:
    raise UnreadableFile("it is neither text nor a supported type of file", reason="unknown_type")


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

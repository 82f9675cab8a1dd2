"""What type a file is: its first bytes are believed before its name, for whoever sends a file chooses its name."""

import mimetypes
import re
import struct
from enum import StrEnum
from pathlib import PurePosixPath

from remanent.text.wordlists import word_set

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

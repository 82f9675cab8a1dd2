"""Files of every type: what sort of file it is, and the text in it.

The first bytes are believed before the name, and the name before nothing: whoever sends a file chooses its name.
"""

import mimetypes
from enum import StrEnum
from pathlib import Path

from remanent.errors import InvalidInput
from remanent.loaders.pdf import read_pdf
from remanent.text.wordlists import word_set

PDF = "application/pdf"
_OCTETS = "application/octet-stream"
# Endings, since media types of code are seldom set.
_CODE = word_set(
    ".py .pyi .js .ts .jsx .tsx .java .c .h .cc .cpp .hpp .cs .go .rs .rb .php .swift .kt .scala .sh .bash .sql .r .jl "
    ".lua .pl .html .css .json .yaml .yml .toml .xml .ipynb .diff .patch .log"
)
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", PDF),
)


class AttachmentType(StrEnum):
    """What sort of thing is attached."""

    IMAGE = "image"
    DOCUMENT = "document"
    CODE = "code"


def type_of(media_type: str, name: str = "") -> AttachmentType:
    """Return what sort of thing a file is, by its media type and the ending of its name."""
    if media_type.startswith("image/"):
        return AttachmentType.IMAGE
    if Path(name).suffix.lower() in _CODE or media_type.startswith("text/x-"):
        return AttachmentType.CODE
    return AttachmentType.DOCUMENT


def media_type_of(content: bytes, name: str = "") -> str:
    """Return the media type of a file, by its first bytes, else by its name."""
    for magic, media_type in _MAGIC:
        if content.startswith(magic):
            return media_type
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return mimetypes.guess_type(name)[0] or _OCTETS


def read_document(content: bytes, *, media_type: str) -> str:
    """Return the text of a document; `InvalidInput` when there is none to be had."""
    return read_pdf(content).text if media_type == PDF else decoded(content)


def decoded(content: bytes) -> str:
    """Return bytes as text; `InvalidInput` when they are none."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("it is neither a picture, a PDF nor text in UTF-8") from error
    if "\0" in text:
        raise InvalidInput("it is neither a picture, a PDF nor text in UTF-8")
    return text

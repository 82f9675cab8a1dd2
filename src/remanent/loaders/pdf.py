"""The words of a PDF file, page by page."""

import io
import logging
import struct
import zlib
from dataclasses import dataclass

from remanent.errors import InvalidInput

# Chosen by hand: no book has more, and a small file can claim any number.
_MAX_PAGES = 5_000
_MAX_CHARACTERS = 10_000_000
_MALFORMED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What the reading of malformed bytes ends in."""
_NOISY = logging.getLogger("pypdf")
"""It complains about every flaw of a file, of which most have some."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """What a PDF says, each page by itself; a page that is only a picture says nothing."""

    pages: tuple[str, ...]

    @property
    def text(self) -> str:
        """All pages with words, one after another."""
        return "\n\n".join(page for page in self.pages if page)


def read_pdf(content: bytes) -> PdfText:
    """Return the words of a PDF; raise `InvalidInput` when it is damaged, locked or none at all."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    _NOISY.setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InvalidInput("this PDF is locked with a password; give it without")
        if len(reader.pages) > _MAX_PAGES:
            raise InvalidInput(f"this PDF has {len(reader.pages)} pages, and {_MAX_PAGES} are read at most")
        pages: list[str] = []
        room = _MAX_CHARACTERS
        for page in reader.pages:
            pages.append(_clean(page.extract_text())[:room])
            room -= len(pages[-1])
        return PdfText(tuple(pages))
    except (PyPdfError, *_MALFORMED) as error:
        raise InvalidInput("this file is no PDF that can be read; give it whole, or as text") from error


def _clean(text: str) -> str:
    """Return the text of a page without what no file can hold and without trailing space."""
    whole = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    return "\n".join(line.rstrip() for line in whole.splitlines()).strip()

"""Documents that are read without a model: text in any markup as it is, PDF files as their words."""

from remanent.errors import InvalidInput
from remanent.loaders.media import PDF
from remanent.loaders.pdf import read_pdf


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

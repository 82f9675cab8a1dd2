"""E-mail: who wrote to whom and when, what they wrote, and what is attached, each attachment read as the file it is.

An attachment is read by the reader of its own type and within the same bounds; one that cannot be read is named with
the reason, since a missing contract must not look like a mail without one.
"""

from contextlib import suppress
from email import message_from_bytes
from email.message import EmailMessage, MIMEPart
from email.policy import default

from remanent.errors import MissingDependency, UnreadableFile
from remanent.loaders.document import LINE, PARAGRAPH, DocumentBuilder, LoadedDocument, Place, Reading
from remanent.loaders.html import read_html
from remanent.loaders.types import MAIL, decoded

_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MAX_ATTACHMENTS = 100
"""Files of a letter that are read, the first so many. Chosen by hand."""
_MAX_DEPTH = 3
"""How deep files are read that are attached to what is attached."""


def read(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a message; an attachment that cannot be read is named, with the reason."""
    message = message_from_bytes(data, policy=default)
    assert isinstance(message, EmailMessage)
    draft = DocumentBuilder()
    said = {name: value for name in _HEADERS if (value := _header(message, name))}
    draft.mark(Place(paragraph=1))
    for name, value in said.items():
        draft.gap(LINE)
        draft.write(f"{name}: {value}")
    draft.gap(PARAGRAPH)
    _write_body(draft, message)
    for number, part in enumerate(_attached(message)[:_MAX_ATTACHMENTS], 1):
        _write_attachment(draft, part, number, reading)
    draft.metadata = {name.lower(): value for name, value in said.items() if name != "Subject"}
    return draft.finish(MAIL, title=said.get("Subject"))


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, TypeError, IndexError, AttributeError):  # what the parser of headers fails with
        return ""


def _write_body(draft: DocumentBuilder, message: EmailMessage) -> None:
    body = message.get_body(preferencelist=("plain", "html"))
    if body is None or body.is_attachment():
        return
    text = _text(body)
    if body.get_content_type() == "text/html":
        draft.mark(Place(paragraph=1))
        draft.adopt(read_html(text))
    else:
        draft.write(text.replace("\r\n", "\n").strip())


def _attached(message: EmailMessage) -> list[MIMEPart]:
    """Return what is attached; a message that is passed on is one attachment, with its own inside it."""
    with suppress(AttributeError, KeyError, TypeError, ValueError):  # what a wrongly made message ends in
        return list(message.iter_attachments())
    return []


def _text(part: MIMEPart) -> str:
    try:
        return decoded(_bytes(part), charset=str(part.get_content_charset() or ""))
    except UnreadableFile:
        return ""


def _bytes(part: MIMEPart) -> bytes:
    """Return the bytes of a part; of a message that is passed on, the whole of it."""
    if part.is_multipart():
        inner = part.get_payload()
        return b"".join(each.as_bytes() for each in inner if isinstance(each, EmailMessage)) if inner else b""
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _write_attachment(draft: DocumentBuilder, part: MIMEPart, number: int, reading: Reading) -> None:
    name = " ".join((part.get_filename() or f"attachment {number}").split())[:200]
    draft.mark(Place(part=name))
    draft.heading(1, name)
    content = _bytes(part)
    if reading.read_inner is None or reading.depth >= _MAX_DEPTH or not content:
        return
    try:
        inner = reading.read_inner(content, name)
    except (UnreadableFile, MissingDependency) as error:
        draft.write(f"({error})")
        return
    draft.mark(Place(part=name))
    draft.adopt(inner, part=name, level=1)

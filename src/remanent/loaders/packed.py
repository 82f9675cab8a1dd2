"""Files that hold others: Office documents, spreadsheets and books, and mail with what is attached.

Anybody can pack a gigabyte of zeros into a megabyte: all is unpacked within bounds. DOCX is read by mammoth, PPTX by
python-pptx (extra `documents`), spreadsheets by python-calamine; the chapters of a book are read as the HTML that they
are.

A document keeps its headings, lists and tables with the numbers of its paragraphs; every slide its title, texts, tables
and notes; every sheet is a section with one table, every row a line of it.

Pandoc and LibreOffice mark listings by a style of the paragraph, which reads as prose unless it is known: indentation
and lines were lost.

An attachment of a mail is read by the reader of its own type and within the same bounds; one that cannot be read is
named with the reason, since a missing contract must not look like a mail without one.
"""

import posixpath
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from email import message_from_bytes
from email.message import EmailMessage, MIMEPart
from email.policy import default
from html import unescape
from io import BytesIO
from typing import Any
from urllib.parse import unquote

from remanent.errors import MissingDependency, UnreadableFile
from remanent.loaders.document import (
    LINE,
    PARAGRAPH,
    DocumentBuilder,
    LoadedDocument,
    LoadLimits,
    Place,
    Reading,
    refuse,
)
from remanent.loaders.html import NEXT_PARAGRAPH, read_html
from remanent.loaders.types import DOCX, EPUB, MAIL, PPTX, XLS, decoded

_MAX_ENTRIES = 50_000
"""Entries that an archive may have; one with more is refused before anything is unpacked."""
_SMALL = 20_000_000
"""Bytes that a file may always come to, however well it is packed."""
_ENCRYPTED = 0x1
_CORE = re.compile(r"<(?:dc|dcterms):(title|creator|created)\b[^>]*>([^<]{1,2000})</")


def open_archive(data: bytes, limits: LoadLimits) -> zipfile.ZipFile:
    """Open a ZIP archive whose contents are not locked and not many times as large; nothing is unpacked yet."""
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        refuse("damaged", "this file is compressed and cannot be unpacked; use a complete copy")
    entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if len(entries) > _MAX_ENTRIES or size > max(_SMALL, min(limits.max_expanded, limits.max_ratio * len(data))):
        refuse(
            "too_large", f"this file would unpack to {size} bytes in {len(entries)} parts, which is too much; split it"
        )
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        refuse("locked", "this file is protected by a password; remove the password first")
    return archive


def entry(archive: zipfile.ZipFile, name: str) -> bytes | None:
    """Return one file of an archive, at most as long as it says; None when it is not there or damaged."""
    try:
        with archive.open(name) as file:
            return file.read(archive.getinfo(name).file_size)
    except (KeyError, zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return None


def properties(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return title, creator and day of creation as office programs write them."""
    found = _CORE.findall((entry(archive, "docProps/core.xml") or b"").decode("utf-8", "replace"))
    return {name: " ".join(unescape(value).split()) for name, value in found if value.strip()}


_LISTINGS = (
    "Source Code",
    "Preformatted Text",
    "HTML Preformatted",
    "Code",
    "HTML 预设格式",
    "预设格式",
    "源代码",
    "代码",
)
"""What programs call the style of listings, whose lines keep their indentation."""
# Built-in styles are mapped by mammoth; these are what other programs and languages call them.
_STYLES = "\n".join(
    [
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='标题'] => h1:fresh",
        *(f"p[style-name='{name}'] => pre:separator('{NEXT_PARAGRAPH}')" for name in _LISTINGS),
        *(f"p[style-name='{name} {level}'] => h{level}:fresh" for name in ("标题", "標題") for level in range(1, 7)),
    ]
)
_MAX_DEPTH = 20
"""Groups of shapes inside of groups that are gone into."""
Cell = int | float | str | bool | time | date | datetime | timedelta


def read_docx(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a document; empty paragraphs are counted, so that the numbers are those of the original."""
    import mammoth

    with open_archive(data, reading.limits) as archive:
        said = properties(archive)
    made = mammoth.convert_to_html(
        BytesIO(data),
        style_map=_STYLES,
        ignore_empty_paragraphs=False,
        convert_image=mammoth.images.img_element(lambda image: {}),
    )
    document = read_html(made.value)
    title = said.pop("title", None) or document.title
    return document.model_copy(update={"media_type": DOCX, "title": title, "metadata": said})


def read_slides(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a presentation, shapes from top to bottom as they are laid out."""
    with open_archive(data, reading.limits) as archive:
        said = properties(archive)
    try:
        from pptx import Presentation
    except ImportError as error:
        raise MissingDependency("reading slides needs python-pptx: pip install 'remanent[documents]'") from error
    draft = DocumentBuilder()
    for number, slide in enumerate(Presentation(BytesIO(data)).slides, 1):
        title = slide.shapes.title
        draft.gap(PARAGRAPH)
        draft.mark(Place(slide=number))
        if title is not None and title.has_text_frame:
            draft.heading(1, title.text_frame.text)
        skipped = title.shape_id if title is not None else None
        for shape in _shapes(slide.shapes):
            if shape.shape_id != skipped:
                _write_shape(draft, shape)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            draft.gap(PARAGRAPH)
            draft.write(slide.notes_slide.notes_text_frame.text.strip())
    document = draft.finish(PPTX, title=said.pop("title", None))
    return document.model_copy(update={"metadata": said})


def _shapes(shapes: Iterable[Any], depth: int = 0) -> Iterable[Any]:
    """Yield shapes and those inside groups, as people read them: from the top, then from the left."""
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if hasattr(shape, "shapes") and depth < _MAX_DEPTH:
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _write_shape(draft: DocumentBuilder, shape: Any) -> None:
    draft.gap(PARAGRAPH)
    if getattr(shape, "has_table", False):
        draft.open_block("table")
        for row in shape.table.rows:
            draft.gap(LINE)
            draft.border()
            draft.write(" | ".join(" ".join(cell.text.split()) for cell in row.cells))
        draft.close_block()
    elif getattr(shape, "has_text_frame", False):
        draft.write(shape.text_frame.text.replace("\v", "\n").strip())


def read_sheets(data: bytes, reading: Reading) -> LoadedDocument:
    """Read the values of all sheets; empty rows are left out, and the numbers of the others stay."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    if reading.media_type != XLS:
        open_archive(data, reading.limits).close()
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(data))
        draft = DocumentBuilder()
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            first = (sheet.start or (0, 0))[0] + 1
            _write_sheet(draft, name, first, sheet.to_python(skip_empty_area=True), reading)
    except PasswordError:
        refuse("locked", "this spreadsheet is protected by a password; remove the password first")
    except CalamineError:
        refuse("damaged", "this spreadsheet cannot be read; use a complete copy, or save it as CSV")
    document = draft.finish(reading.media_type)
    return document.model_copy(update={"title": None})


def _write_sheet(draft: DocumentBuilder, name: str, first: int, rows: list[list[Cell]], reading: Reading) -> None:
    draft.mark(Place(sheet=name))
    draft.heading(1, name)
    draft.open_block("table")
    before = -1
    for number, row in enumerate(rows, first):
        cells = [_shown(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            continue
        draft.gap(LINE)
        draft.border()
        if number != before + 1:  # lines are counted on where no row is left out
            draft.mark(Place(sheet=name, line=number), counts_lines=True)
        draft.write(" | ".join(cells))
        before = number
        if draft.length > reading.limits.max_characters:
            refuse("too_large", f"this spreadsheet has more than {reading.limits.max_characters} characters; split it")
    draft.close_block()
    draft.gap(PARAGRAPH)


def _shown(cell: Cell) -> str:
    """Return a cell as a person would write it, on one line."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime) and cell.time() == time.min:
        cell = cell.date()
    return " ".join(str(cell).split())


_DAMAGED_BOOK = "this book cannot be read; use a complete copy, or save it as PDF or text"
_LOCKED = re.compile(rb"CipherReference[^>]*URI=\"([^\"]+)\"")


def read_book(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a book; `part` of a place is the file of the chapter."""
    draft = DocumentBuilder()
    with open_archive(data, reading.limits) as archive:
        container = _xml(entry(archive, "META-INF/container.xml"))
        root = next((file.get("full-path") for file in container.iter() if _tag(file) == "rootfile"), None) or ""
        package = _xml(entry(archive, root))
        files = {item.get("id"): item.get("href") or "" for item in package.iter() if _tag(item) == "item"}
        spine = [files.get(item.get("idref"), "") for item in package.iter() if _tag(item) == "itemref"]
        chapters = [
            posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(href))) for href in spine if href
        ]
        locked = {unquote(name.decode()) for name in _LOCKED.findall(entry(archive, "META-INF/encryption.xml") or b"")}
        if locked & set(chapters):
            refuse("locked", "this book is copy-protected; use an unprotected copy")
        for chapter in chapters:
            page = entry(archive, chapter)
            if page is None:
                continue
            draft.gap(PARAGRAPH)
            draft.mark(Place(part=chapter))
            draft.adopt(read_html(decoded(page)), part=chapter)
    if not draft.length:
        refuse("damaged", _DAMAGED_BOOK)
    said = {_tag(item): item.text or "" for item in package.iter() if _tag(item) in {"title", "creator", "date"}}
    draft.metadata = {name: " ".join(said[name].split()) for name in ("creator", "date") if said.get(name)}
    return draft.finish(EPUB, title=said.get("title"))


def _xml(content: bytes | None) -> ET.Element:
    try:
        return ET.fromstring(content or b"")
    except ET.ParseError:
        refuse("damaged", _DAMAGED_BOOK)


def _tag(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]


_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MAX_ATTACHMENTS = 100
"""Files of a letter that are read, the first so many. Chosen by hand."""
_MAX_ATTACHED_DEPTH = 3
"""How deep files are read that are attached to what is attached."""


def read_mail(data: bytes, reading: Reading) -> LoadedDocument:
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
    if reading.read_inner is None or reading.depth >= _MAX_ATTACHED_DEPTH or not content:
        return
    try:
        inner = reading.read_inner(content, name)
    except (UnreadableFile, MissingDependency) as error:
        draft.write(f"({error})")
        return
    draft.mark(Place(part=name))
    draft.adopt(inner, part=name, level=1)

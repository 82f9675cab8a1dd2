"""PDF, by pypdfium2: the text layer page by page, the outline as sections, scanned pages through a reader of pictures.

Pdfium reads some hundred pages in a second and returns Chinese as it is written, not as the radicals that look alike.
Tables are found by pdfplumber, from the extra `documents`: where their rows stand in the text of a page.
"""

import ctypes
import re
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING
from unicodedata import normalize

from remanent.loaders.document import PARAGRAPH, Block, DocumentBuilder, LoadedDocument, Place, Reading, refuse
from remanent.loaders.types import PDF
from remanent.text.scripts import well_formed

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

_LINE_END = re.compile(r"[^\S\n]*\r?\n")
# What pdfium writes for a hyphen at the end of a line, and for what has no character; then the radicals that fonts
# name for the characters of the same shape. Unicode maps the first block of those itself, of the second only two.
_RADICALS = (
    "⺟母⺠民⺫目⻁虎⻄西⻅见⻆角⻉贝⻋车⻑長⻒镸⻓长⻔门⻘青"
    "⻙韦⻚页⻛风⻜飞⻝食⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻬齐⻭歯⻮齿⻯竜⻰龙⻳龟"
)
_MEANT = str.maketrans(
    {"\x02": "-", "\ufffe": "-", "\uffff": None, "\ufeff": None}
    | {chr(code): normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
    | dict(zip(_RADICALS[::2], _RADICALS[1::2], strict=True))
)
_MAX_DRAWN = 2_000
"""Drawn things that are looked at on a page: a drawing has more, and is no table."""
_MAX_OUTLINE = 10_000
"""Headings of an outline that are read: a damaged one need not end."""
_OCR_DOTS_PER_INCH = 200
"""How fine a page is drawn to be read as a picture: as fine as an office scans."""
_MAX_DOTS = 40_000_000
"""Dots of a page that is drawn to be read as a picture: large sheets are drawn coarser."""
_PASSWORD = "password"


def read(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a PDF; pages without text are read as pictures where there is somebody to read them."""
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if _PASSWORD in str(error).lower():
            refuse("locked", "this PDF is protected by a password; remove the password first")
        refuse("damaged", "this PDF cannot be read; use a complete copy, or save it as text")
    try:
        return _document(pdf, data, reading)
    except pypdfium2.PdfiumError:
        refuse("damaged", "this PDF cannot be read; use a complete copy, or save it as text")
    finally:
        pdf.close()


def _document(pdf: "PdfDocument", data: bytes, reading: Reading) -> LoadedDocument:
    if not len(pdf):
        refuse("damaged", "this PDF has no pages; use a complete copy, or save it as text")
    if len(pdf) > reading.limits.max_pages:
        refuse("too_large", f"this PDF has {len(pdf)} pages, but at most {reading.limits.max_pages} are read; split it")
    draft = DocumentBuilder()
    pages: list[tuple[int, str]] = []
    ruled: set[int] = set()
    for number in range(1, len(pdf) + 1):
        text = _page_text(pdf, number, reading, draft, ruled)
        draft.gap(PARAGRAPH)
        draft.mark(Place(page=number))
        draft.write(text)
        pages.append((draft.length - len(text), text))
        if draft.length > reading.limits.max_characters:
            refuse("too_large", f"this PDF has more than {reading.limits.max_characters} characters; split it")
    draft.headings = list(_outline(pdf, pages))
    if ruled:
        draft.blocks = list(_table_blocks(data, {number: pages[number - 1] for number in ruled}))
    said = pdf.get_metadata_dict(skip_empty=True)
    draft.metadata = {
        key.lower(): value.replace("\0", "") for key, value in said.items() if key in {"Author", "CreationDate"}
    }
    return draft.finish(PDF, title=said.get("Title"))


def _page_text(pdf: "PdfDocument", number: int, reading: Reading, draft: DocumentBuilder, ruled: set[int]) -> str:
    """Return what a page says; note it where lines are drawn on it as around the cells of a table.

    pdfplumber takes ten times as long as reading the text, so that only pages with lines across and down, or boxes
    beside each other, are searched for tables.
    """
    from pypdfium2 import raw

    page = pdf.get_page(number - 1)
    try:
        words = page.get_textpage()
        try:
            text = _clean(words.get_text_range(errors="ignore"))
        finally:
            words.close()
        if text and _is_ruled(page):
            ruled.add(number)
        if not text and any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)):
            if reading.read_image is None:
                draft.unread.append(Place(page=number))
            else:
                text = _clean(reading.read_image(_picture(page)))
        return text
    finally:
        page.close()


def _clean(text: str) -> str:
    """Return the text of a page with plain line ends, without what no file can hold."""
    whole = well_formed(text).replace("\0", "").translate(_MEANT)
    return _LINE_END.sub("\n", whole).strip()


def _is_ruled(page: "PdfPage") -> bool:
    """Tell whether three lines are drawn both across and down a page, or boxes beside each other, as tables have them.

    Two of each are a frame around a listing.

    Only such pages are searched for tables, for that takes ten times as long as reading them.
    """
    from pypdfium2 import raw

    across: set[int] = set()
    down: set[int] = set()
    beside: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for drawn in islice(page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=3), _MAX_DRAWN):
        left, bottom, right, top = drawn.get_bounds()
        is_wide, is_high = right - left > 8, top - bottom > 8
        if is_wide and is_high:
            beside[round(bottom), round(top)].add(round(left))
        elif is_wide:
            across.add(round(bottom / 4))
        elif is_high:
            down.add(round(left / 4))
    return (len(across) >= 3 and len(down) >= 3) or sum(len(boxes) >= 2 for boxes in beside.values()) >= 2


def _picture(page: "PdfPage") -> bytes:
    """Return a page as a PNG file in shades of grey."""
    width, height = page.get_size()
    scale = min(_OCR_DOTS_PER_INCH / 72, (_MAX_DOTS / max(1.0, width * height)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        rows = ctypes.string_at(bitmap.buffer, bitmap.stride * bitmap.height)
        lines = (rows[at : at + bitmap.width] for at in range(0, len(rows), bitmap.stride))
        return _png(bitmap.width, bitmap.height, b"".join(b"\0" + line for line in lines))
    finally:
        bitmap.close()


def _png(width: int, height: int, rows: bytes) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def _outline(pdf: "PdfDocument", pages: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the entries of the outline as headings: where their title stands on their page, else where that begins."""
    last = 0
    for count, entry in enumerate(pdf.get_toc(max_depth=9)):
        destination = entry.get_dest()
        index = destination.get_index() if destination is not None else None
        title = " ".join(entry.get_title().replace("\0", "").split())
        if count >= _MAX_OUTLINE:
            return
        if index is None or not 0 <= index < len(pages) or not title:
            continue
        start, text = pages[index]
        pattern = r"\s*".join(re.escape(character) for character in "".join(title.split())[:200])
        found = re.compile(pattern).search(text, max(0, last - start))
        place = max(last, start + (_with_number(text, found.start()) if found else 0))
        if place < start + len(text):
            yield place, entry.level + 1, title
            last = place


def _with_number(text: str, place: int) -> int:
    """Return where a title begins whose number stands before it and is no part of the entry."""
    line = text.rfind("\n", 0, place) + 1
    return line if not any(character.islower() for character in text[line:place]) and place - line < 12 else place


_MAX_PAGES = 20
"""Pages of one file that are looked at: each costs ten times what its text does."""
_LEAST_FOUND = 0.6
"""The share of a table's rows that must be found in the text: else the lines on the page were no table's. By hand."""


def _table_blocks(data: bytes, pages: Mapping[int, tuple[int, str]]) -> Iterator[Block]:
    """Yield the tables on some pages, given by number with the offset and the text of each; none without the extra.

    The lines drawn on a page say where a table is, its text was read already: so a table is looked up in it, row by
    row, and one of which most rows are not found as they stand is left out.
    """
    try:
        import pdfplumber
    except ImportError:
        return
    with pdfplumber.open(BytesIO(data), pages=sorted(pages)[:_MAX_PAGES]) as pdf:
        for page in pdf.pages:
            start, text = pages[page.page_number]
            for rows in page.extract_tables():
                found = _found(text, [[cell or "" for cell in row] for row in rows])
                if len(found) >= 2 and len(found) >= _LEAST_FOUND * len(rows):
                    borders = tuple(start + row for row, _ in found[1:])
                    yield Block(kind="table", start=start + found[0][0], end=start + found[-1][1], borders=borders)


def _found(text: str, rows: list[list[str]]) -> list[tuple[int, int]]:
    """Return where the rows stand, each after the one before."""
    found: list[tuple[int, int]] = []
    after = 0
    for row in rows:
        words = " ".join(row).split()
        match = re.compile(r"\s+".join(map(re.escape, words))).search(text, after) if words else None
        if match is not None:
            found.append(match.span())
            after = match.end()
    return found

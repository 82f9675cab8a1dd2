"""Office files: DOCX by mammoth, PPTX by python-pptx (extra `documents`), spreadsheets by python-calamine.

A document keeps its headings, lists and tables with the numbers of its paragraphs; every slide its title, texts, tables
and notes; every sheet is a section with one table, every row a line of it.

Pandoc and LibreOffice mark listings by a style of the paragraph, which reads as prose unless it is known: indentation
and lines were lost.
"""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

from remanent.errors import MissingDependency
from remanent.loaders.archive import open_archive, properties
from remanent.loaders.document import LINE, PARAGRAPH, DocumentBuilder, LoadedDocument, Place
from remanent.loaders.html import NEXT_PARAGRAPH, read_html
from remanent.loaders.reading import Reading, refuse
from remanent.loaders.types import DOCX, PPTX, XLS

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
        refuse("locked", "this spreadsheet is locked with a password; give it without")
    except CalamineError:
        refuse("damaged", "this spreadsheet cannot be read; give it whole, or as CSV")
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

"""Spreadsheets, by python-calamine: every sheet is a section with one table, every row a line of it."""

from datetime import date, datetime, time, timedelta
from io import BytesIO

from remanent.loaders.archive import open_archive
from remanent.loaders.document import LINE, PARAGRAPH, DocumentBuilder, LoadedDocument, Place
from remanent.loaders.reading import Reading, refuse
from remanent.loaders.types import XLS

Cell = int | float | str | bool | time | date | datetime | timedelta


def read(data: bytes, reading: Reading) -> LoadedDocument:
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

"""Tables in PDF files, by pdfplumber from the extra `documents`: where their rows stand in the text of a page."""

import re
from collections.abc import Iterator, Mapping
from io import BytesIO

from remanent.loaders.document import Block

_MAX_PAGES = 20
"""Pages of one file that are looked at: each costs ten times what its text does."""
_LEAST_FOUND = 0.6


def table_blocks(data: bytes, pages: Mapping[int, tuple[int, str]]) -> Iterator[Block]:
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

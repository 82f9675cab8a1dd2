"""Which loader reads which type, in the process that this is called in.

Our own readers of text run in this process; every other one in the child (`worker.py`), since parsers of foreign
formats crash, run on and eat memory.
"""

from collections.abc import Callable
from dataclasses import replace

from remanent.loaders import code, eml, epub, html, office, pdf, plain, types
from remanent.loaders.document import LoadedDocument
from remanent.loaders.reading import Reading, refuse

Reader = Callable[[bytes, Reading], LoadedDocument]
PLAIN_READERS: dict[str, Reader] = {
    types.PLAIN: plain.read_text,
    types.MARKDOWN: plain.read_markdown,
    types.CSV: plain.read_csv,
    types.TSV: plain.read_csv,
    types.JSON_LINES: plain.read_chat,
}
"""Our own, of text: no parser of theirs crashes or runs on, so they need no process of their own."""
_READERS: dict[str, Reader] = {
    **PLAIN_READERS,
    types.CODE: code.read,
    types.DOCX: office.read_docx,
    types.EPUB: epub.read,
    types.HTML: html.read,
    types.MAIL: eml.read,
    types.ODS: office.read_sheets,
    types.PDF: pdf.read,
    types.PPTX: office.read_slides,
    types.XLS: office.read_sheets,
    types.XLSX: office.read_sheets,
}


def read(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a file by the loader of its type."""
    if reading.media_type == types.LOCKED:
        refuse("locked", "this file is locked with a password; give it without")
    reader = _READERS.get(reading.media_type)
    if reader is None:
        refuse("unknown_type", f"files of type {reading.media_type} are not read; save it as PDF, DOCX or text")

    def read_inner(content: bytes, name: str) -> LoadedDocument:
        media_type = types.readable_type_of(content, name)
        return read(content, replace(reading, name=name, media_type=media_type, charset="", depth=reading.depth + 1))

    document = reader(data, replace(reading, read_inner=read_inner))
    if len(document.text) > reading.limits.max_characters:
        refuse("too_large", f"the file has more than {reading.limits.max_characters} characters of text; split it")
    return document

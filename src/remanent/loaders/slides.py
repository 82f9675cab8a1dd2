"""PPTX, by python-pptx from the extra `documents`: every slide with its title, its texts, tables and notes."""

from collections.abc import Iterable
from io import BytesIO
from typing import Any

from remanent.errors import MissingDependency
from remanent.loaders.archive import open_archive, properties
from remanent.loaders.document import LINE, PARAGRAPH, DocumentBuilder, LoadedDocument, Place
from remanent.loaders.reading import Reading
from remanent.loaders.types import PPTX

_MAX_DEPTH = 20
"""Groups of shapes inside of groups that are gone into."""


def read(data: bytes, reading: Reading) -> LoadedDocument:
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

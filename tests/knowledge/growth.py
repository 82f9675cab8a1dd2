"""What the knowledge base does with a text, for the measurement of how its work grows."""

from remanent.knowledge import chunking
from remanent.loaders import document, plain, types
from remanent.loaders.document import Block, Reading
from tests.growth import Work

MODULES = ("chunking",)
_MARKDOWN = Reading("a.md", types.MARKDOWN)


def _sections_and_blocks(text: str) -> list[chunking.ChunkSpan]:
    """Cut a document that has a heading and a table every few words, and one listing around all of it."""
    starts = range(0, len(text) - 20, 20)
    headings = [(start, 2, "title") for start in starts]
    blocks = [Block(kind="table", start=start + 8, end=start + 16, borders=(start + 12,)) for start in starts]
    whole = Block(kind="code", start=0, end=len(text), borders=tuple(range(10, len(text), 10)))
    return chunking.cut(document.assemble(text, types.PLAIN, headings=headings, blocks=[whole, *blocks]), size=200)


ADAPTERS: dict[str, Work] = {
    "knowledge.chunking.cut": lambda text: chunking.cut(
        plain.read_markdown(text.replace("\0", " ").encode(errors="replace"), _MARKDOWN), size=200
    ),
    "knowledge.chunking.cut, with tables": _sections_and_blocks,
}

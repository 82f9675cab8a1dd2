"""Reading any file: its type by content, its text and structure by the loader of that type."""

import asyncio
from collections.abc import Awaitable, Callable

from remanent.loaders import code, html, pdf, plain
from remanent.loaders.document import LoadedDocument, Place, PlaceMark, assemble
from remanent.loaders.reading import DEFAULT_LIMITS, LoadLimits, Reading, refuse
from remanent.loaders.types import CODE, CSV, HTML, JSON_LINES, MARKDOWN, PDF, PLAIN, TSV, readable_type_of

ImageText = Callable[[bytes], Awaitable[str]]
"""Returns what is written in a picture."""
_READERS: dict[str, Callable[[bytes, Reading], LoadedDocument]] = {
    PLAIN: plain.read_text,
    MARKDOWN: plain.read_markdown,
    CSV: plain.read_csv,
    TSV: plain.read_csv,
    JSON_LINES: plain.read_chat,
    CODE: code.read,
    HTML: html.read,
    PDF: pdf.read,
}


async def load(
    data: bytes,
    *,
    name: str,
    limits: LoadLimits = DEFAULT_LIMITS,
    media_type: str = "",
    charset: str = "",
    read_image: ImageText | None = None,
) -> LoadedDocument:
    """Return the text of a file and where each part of it stands; `UnreadableFile` says why there is none.

    `media_type` and `charset` are what the sender says of it, if anything; they are taken where they fit. `read_image`
    returns what is written in a picture: of pictures themselves, and of scanned pages.
    """
    if not data:
        refuse("empty", "the file is empty; give one with content")
    if len(data) > limits.max_bytes:
        refuse("too_large", f"the file has {len(data)} bytes, and {limits.max_bytes} are read at most; split it")
    media_type = await asyncio.to_thread(readable_type_of, data, name, said=media_type)
    if media_type.startswith("image/"):
        text = (await read_image(data)).strip() if read_image else ""
        return assemble(
            text,
            media_type,
            places=[PlaceMark(start=0, place=Place(line=1), counts_lines=True)],
            unread=[] if read_image else [Place()],
        )
    reading = Reading(name, media_type, limits, charset, read_image=_from_thread(read_image) if read_image else None)
    return await asyncio.to_thread(read, data, reading)


def read(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a file in this process, by the loader of its type."""
    reader = _READERS.get(reading.media_type)
    if reader is None:
        refuse("unknown_type", f"files of type {reading.media_type} are not read; save it as PDF, DOCX or text")
    document = reader(data, reading)
    if len(document.text) > reading.limits.max_characters:
        refuse("too_large", f"the file has more than {reading.limits.max_characters} characters of text; split it")
    return document


def _from_thread(read_image: ImageText) -> Callable[[bytes], str]:
    """Return the reader of pictures as a plain function, for the thread that a file is read in."""
    loop = asyncio.get_running_loop()

    async def call(image: bytes) -> str:
        return await read_image(image)

    return lambda image: asyncio.run_coroutine_threadsafe(call(image), loop).result()

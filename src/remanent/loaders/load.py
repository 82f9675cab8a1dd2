"""Reading any file: its type by content, its text and structure by the loader of that type."""

import asyncio
from collections.abc import Awaitable, Callable

from remanent.loaders.document import LoadedDocument, Place, assemble
from remanent.loaders.plain import FIRST_LINE
from remanent.loaders.readers import PLAIN_READERS, read
from remanent.loaders.reading import DEFAULT_LIMITS, LoadLimits, Reading, refuse
from remanent.loaders.types import readable_type_of
from remanent.loaders.worker import WORKER

ImageText = Callable[[bytes], Awaitable[str]]
"""Returns what is written in a picture."""


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
    found = await asyncio.to_thread(readable_type_of, data, name, said=media_type)
    if found.startswith("image/"):
        text = (await read_image(data)).strip() if read_image else ""
        return assemble(text, found, places=[FIRST_LINE], unread=[] if read_image else [Place()])
    if found in PLAIN_READERS:
        return await asyncio.to_thread(read, data, Reading(name, found, limits, charset))
    from_thread = _from_thread(read_image) if read_image else None
    return await WORKER.read(data, Reading(name, found, limits, charset, read_image=from_thread))


def _from_thread(read_image: ImageText) -> Callable[[bytes], str]:
    """Return the reader of pictures as a plain function, for the thread that speaks with the worker."""
    loop = asyncio.get_running_loop()

    async def call(image: bytes) -> str:
        return await read_image(image)

    return lambda image: asyncio.run_coroutine_threadsafe(call(image), loop).result()

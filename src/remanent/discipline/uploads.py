"""Reading what is sent beside a request: whole, or line by line from a file that takes no memory."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from remanent.errors import InvalidInput

IN_MEMORY = 1 << 20


async def read_whole(pieces: AsyncIterator[bytes]) -> bytes:
    """Return everything that is sent."""
    return b"".join([piece async for piece in pieces])


@asynccontextmanager
async def spooled_lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[Iterator[str]]:
    """Take everything in before anything is done with it, then give it line by line."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        async for piece in pieces:
            file.write(piece)
        file.seek(0)
        yield (_text(line, number) for number, line in enumerate(file, start=1))


def _text(line: bytes, number: int) -> str:
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"line {number} is not UTF-8; convert it first") from error

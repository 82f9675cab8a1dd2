"""The port of reading what is written in pictures."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from remanent.errors import InvalidInput

MOST_BYTES = 32 * 1024**2
"""A picture of more bytes is refused before it is looked at."""


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """One line that was read in a picture."""

    text: str
    confidence: float
    """From 0 to 1, as the reader sees it."""


class ImageReader(ABC):
    """Reads the text in a picture, line by line from the top."""

    @abstractmethod
    async def read_lines(self, image: bytes) -> list[WrittenLine]:
        """Return the lines of a picture whose size was checked; `InvalidInput` when it cannot be decoded."""

    async def read(self, image: bytes) -> list[WrittenLine]:
        """Return the lines in a picture of a usual format (PNG, JPEG, WebP, GIF, BMP, TIFF); none if it has no text."""
        if not image:
            raise InvalidInput("the picture is empty")
        if len(image) > MOST_BYTES:
            raise InvalidInput(
                f"the picture has {len(image)} bytes, and {MOST_BYTES} are read at most; make it smaller"
            )
        return [line for line in await self.read_lines(image) if line.text.strip()]

    async def read_text(self, image: bytes) -> str:
        """Return all that is written in a picture, a line of it on each line."""
        return "\n".join(line.text for line in await self.read(image))

    async def close(self) -> None:  # noqa: B027 - most adapters hold nothing that must be let go
        """Let go of what the adapter holds open."""

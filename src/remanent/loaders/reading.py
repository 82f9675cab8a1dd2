"""What every loader is given beside the bytes: names, bounds, and a reader of pictures.

It is passed down to files inside of files, with their depth, so that an archive in an e-mail in an archive meets the
same bounds.
"""

from collections.abc import Callable
from dataclasses import field
from typing import NoReturn

from remanent.errors import UnreadableFile, UnreadableReason
from remanent.loaders.document import LoadedDocument
from remanent.model.base import Model
from remanent.values import dataclass


class LoadLimits(Model):
    """How much a file may ask for; chosen by hand, above every real document and below what harms a small machine."""

    max_bytes: int = 200_000_000
    max_characters: int = 50_000_000
    max_pages: int = 20_000
    max_expanded: int = 1_000_000_000
    """Bytes that a packed file may come to when it is unpacked."""
    max_ratio: int = 200
    """How many times its size a packed file may come to; office files reach 40, bombs 1,000."""
    seconds: float = 120.0
    memory: int = 4_000_000_000
    """Address space of the process that reads binary files."""


DEFAULT_LIMITS = LoadLimits()


@dataclass(frozen=True, slots=True)
class Reading:
    """One file that is being read."""

    name: str
    media_type: str
    limits: LoadLimits = field(default_factory=lambda: DEFAULT_LIMITS)
    charset: str = ""
    """What the sender says the encoding is, if anything."""
    read_image: Callable[[bytes], str] | None = None
    """Returns what is written in a picture."""
    read_inner: Callable[[bytes, str], LoadedDocument] | None = None
    """Reads a file that is inside this one, by its bytes and its name."""
    depth: int = 0
    """How many files this one is inside of."""


def refuse(reason: UnreadableReason, message: str) -> NoReturn:
    """Say why a file is not read."""
    raise UnreadableFile(message, reason=reason)

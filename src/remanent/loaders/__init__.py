"""Reading bytes of every type: what sort of file it is, the text in it, and where each part of it stands."""

from remanent.loaders.decoding import decoded
from remanent.loaders.document import Block, LoadedDocument, Place, PlaceMark, Section
from remanent.loaders.html import read_html
from remanent.loaders.load import load
from remanent.loaders.reading import DEFAULT_LIMITS, LoadLimits
from remanent.loaders.types import PDF, AttachmentType, media_type_of, type_of

__all__ = [
    "DEFAULT_LIMITS",
    "PDF",
    "AttachmentType",
    "Block",
    "LoadLimits",
    "LoadedDocument",
    "Place",
    "PlaceMark",
    "Section",
    "decoded",
    "load",
    "media_type_of",
    "read_html",
    "type_of",
]

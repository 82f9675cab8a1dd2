"""Reading bytes of every type: what sort of file it is, the text in it, and where each part of it stands."""

from remanent.loaders.document import Block, LoadedDocument, Place
from remanent.loaders.readers import load
from remanent.loaders.types import AttachmentType, decoded, media_type_of, type_of

__all__ = [
    "AttachmentType",
    "Block",
    "LoadedDocument",
    "Place",
    "decoded",
    "load",
    "media_type_of",
    "type_of",
]

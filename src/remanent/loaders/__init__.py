"""Reading bytes of every type: what sort of file it is, and the text that stands in it."""

from remanent.loaders.files import PDF, AttachmentType, decoded, media_type_of, read_document, type_of
from remanent.loaders.pdf import read_pdf
from remanent.loaders.webpage import read_page

__all__ = ["PDF", "AttachmentType", "decoded", "media_type_of", "read_document", "read_page", "read_pdf", "type_of"]

"""EPUB: the chapters of a book in their order, each read as the HTML that it is."""

import posixpath
import re
import xml.etree.ElementTree as ET
from urllib.parse import unquote

from remanent.loaders.archive import entry, open_archive
from remanent.loaders.decoding import decoded
from remanent.loaders.document import PARAGRAPH, DocumentBuilder, LoadedDocument, Place
from remanent.loaders.html import read_html
from remanent.loaders.reading import Reading, refuse
from remanent.loaders.types import EPUB

_DAMAGED = "this book cannot be read; give it whole, or as PDF or text"
_LOCKED = re.compile(rb"CipherReference[^>]*URI=\"([^\"]+)\"")


def read(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a book; `part` of a place is the file of the chapter."""
    draft = DocumentBuilder()
    with open_archive(data, reading.limits) as archive:
        container = _xml(entry(archive, "META-INF/container.xml"))
        root = next((file.get("full-path") for file in container.iter() if _tag(file) == "rootfile"), None) or ""
        package = _xml(entry(archive, root))
        files = {item.get("id"): item.get("href") or "" for item in package.iter() if _tag(item) == "item"}
        spine = [files.get(item.get("idref"), "") for item in package.iter() if _tag(item) == "itemref"]
        chapters = [
            posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(href))) for href in spine if href
        ]
        locked = {unquote(name.decode()) for name in _LOCKED.findall(entry(archive, "META-INF/encryption.xml") or b"")}
        if locked & set(chapters):
            refuse("locked", "this book is locked by its seller; give it without")
        for chapter in chapters:
            page = entry(archive, chapter)
            if page is None:
                continue
            draft.gap(PARAGRAPH)
            draft.mark(Place(part=chapter))
            draft.adopt(read_html(decoded(page)), part=chapter)
    if not draft.length:
        refuse("damaged", _DAMAGED)
    said = {_tag(item): item.text or "" for item in package.iter() if _tag(item) in {"title", "creator", "date"}}
    draft.metadata = {name: " ".join(said[name].split()) for name in ("creator", "date") if said.get(name)}
    return draft.finish(EPUB, title=said.get("title"))


def _xml(content: bytes | None) -> ET.Element:
    try:
        return ET.fromstring(content or b"")
    except ET.ParseError:
        refuse("damaged", _DAMAGED)


def _tag(element: ET.Element) -> str:
    return str(element.tag).rpartition("}")[2]

"""Packed files: what is inside, asked for within bounds, so that nothing small becomes something huge.

Office files and books come packed, and anybody can pack a gigabyte of zeros into a megabyte.
"""

import re
import zipfile
from html import unescape
from io import BytesIO

from remanent.loaders.reading import LoadLimits, refuse

_MAX_ENTRIES = 50_000
"""Entries that an archive may have; one with more is refused before anything is unpacked."""
_SMALL = 20_000_000
"""Bytes that a file may always come to, however well it is packed."""
_ENCRYPTED = 0x1
_CORE = re.compile(r"<(?:dc|dcterms):(title|creator|created)\b[^>]*>([^<]{1,2000})</")


def open_archive(data: bytes, limits: LoadLimits) -> zipfile.ZipFile:
    """Open a ZIP archive whose contents are not locked and not many times as large; nothing is unpacked yet."""
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        refuse("damaged", "this file is packed and cannot be unpacked; give it whole")
    entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if len(entries) > _MAX_ENTRIES or size > max(_SMALL, min(limits.max_expanded, limits.max_ratio * len(data))):
        refuse(
            "too_large", f"this file would unpack to {size} bytes in {len(entries)} parts, which is too much; split it"
        )
    if any(entry.flag_bits & _ENCRYPTED for entry in entries):
        refuse("locked", "this file is locked with a password; give it without")
    return archive


def entry(archive: zipfile.ZipFile, name: str) -> bytes | None:
    """Return one file of an archive, at most as long as it says; None when it is not there or damaged."""
    try:
        with archive.open(name) as file:
            return file.read(archive.getinfo(name).file_size)
    except (KeyError, zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return None


def properties(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return title, creator and day of creation as office programs write them."""
    found = _CORE.findall((entry(archive, "docProps/core.xml") or b"").decode("utf-8", "replace"))
    return {name: " ".join(unescape(value).split()) for name, value in found if value.strip()}

"""What a loader makes of a file: its text, and where in the original each part of it stands.

Offsets count characters of `text`, which is the text as it was extracted; whoever normalises it for an index keeps
these offsets apart.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import cached_property
from typing import Literal, NoReturn

from pydantic import Field

from remanent.errors import UnreadableFile, UnreadableReason
from remanent.lightweight import dataclass
from remanent.model.base import Model
from remanent.text.scripts import well_formed

BlockKind = Literal["table", "code"]


class Place(Model):
    """Where something stands in the original, in the terms that its type has; all numbers count from 1."""

    page: int | None = None
    last_page: int | None = None
    """The page that a stretch ends on, where that is another."""
    slide: int | None = None
    sheet: str | None = None
    line: int | None = None
    """Of a text file, or the row of a sheet."""
    paragraph: int | None = None
    part: str | None = None
    """A file inside the file: a chapter of a book, what is attached to a message."""


class PlaceMark(Model):
    """From this offset on, the text comes from this place."""

    start: int
    place: Place
    counts_lines: bool = False
    """Whether every line of the text is one of the original, so that they are counted on from here."""


class Section(Model):
    """A heading with the text up to the next heading, whatever its level: sections never overlap."""

    title: str
    path: tuple[str, ...]
    """The headings above it, its own last."""
    start: int
    end: int
    place: Place


class Block(Model):
    """A stretch that reads badly when it is cut: a table, a listing."""

    kind: BlockKind
    start: int
    end: int
    borders: tuple[int, ...] = ()
    """Where it may be cut if it must be: the starts of its rows, or of its functions, but the first."""


class LoadedDocument(Model):
    """A file that was read."""

    text: str
    media_type: str
    title: str | None = None
    sections: tuple[Section, ...] = ()
    blocks: tuple[Block, ...] = ()
    places: tuple[PlaceMark, ...] = ()
    metadata: dict[str, str] = Field(default_factory=dict)
    """What the file says of itself: author, sender, date."""
    unread: tuple[Place, ...] = ()
    """Pictures of text that nobody read, because no reader of pictures was given."""

    def place(self, offset: int) -> Place:
        """Return where the character at an offset stands in the original."""
        found = bisect_right(self.places, offset, key=lambda mark: mark.start) - 1
        if found < 0:
            return Place()
        mark = self.places[found]
        if mark.place.line is None or not mark.counts_lines:
            return mark.place
        passed = bisect_right(self._line_starts, offset) - bisect_right(self._line_starts, mark.start)
        return mark.place.model_copy(update={"line": mark.place.line + passed})

    def place_of(self, start: int, end: int) -> Place:
        """Return where a stretch of the text stands in the original."""
        first, last = self.place(start), self.place(max(start, end - 1))
        return first if first.page == last.page else first.model_copy(update={"last_page": last.page})

    def section(self, offset: int) -> Section | None:
        """Return the section that an offset lies in; None before the first heading."""
        found = bisect_right(self.sections, offset, key=lambda section: section.start) - 1
        return self.sections[found] if found >= 0 else None

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text))]


_LINE_END = re.compile("\n")
_GAPS = ("", " ", "\n", "\n\n")
JOINED, SPACE, LINE, PARAGRAPH = range(4)
"""What stands between two pieces of text."""


class DocumentBuilder:
    """A document while it is written: text with gaps between its pieces, and what begins or ends at them.

    White space is owed until the next text comes, so that nothing begins or ends with it and offsets never point at it.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._gap = JOINED
        self._owed_place: PlaceMark | None = None
        self._open: list[tuple[BlockKind, int | None, list[int | None]]] = []
        self.length = 0
        self.places: list[PlaceMark] = []
        self.headings: list[tuple[int, int, str]] = []
        self.blocks: list[Block] = []
        self.metadata: dict[str, str] = {}
        self.unread: list[Place] = []

    def gap(self, size: int) -> None:
        """Owe at least so much white space before the next text."""
        self._gap = max(self._gap, size)

    def mark(self, place: Place, *, counts_lines: bool = False) -> None:
        """Say where the next text stands in the original."""
        self._owed_place = PlaceMark(start=0, place=place, counts_lines=counts_lines)

    def write(self, text: str) -> None:
        """Add text, after what is owed."""
        text = text.replace("\0", "")
        if not text:
            return
        if self.length and self._gap:
            self._parts.append(_GAPS[self._gap])
            self.length += len(_GAPS[self._gap])
        self._gap = JOINED
        if self._owed_place is not None:
            self.places.append(self._owed_place.model_copy(update={"start": self.length}))
            self._owed_place = None
        for index, (kind, start, borders) in enumerate(self._open):
            kept: list[int | None] = [self.length if border is None else border for border in borders]
            self._open[index] = (kind, self.length if start is None else start, kept)
        self._parts.append(text)
        self.length += len(text)

    def heading(self, level: int, title: str, *, mark: str = "") -> None:
        """Add a heading as a paragraph of its own; `mark` stands before it."""
        title = " ".join(title.split())
        if title:
            self.gap(PARAGRAPH)
            self.write(mark + title)
            self.headings.append((self.length - len(mark) - len(title), level, title))
            self.gap(PARAGRAPH)

    def open_block(self, kind: BlockKind) -> None:
        """Begin a block with the next text."""
        self._open.append((kind, None, []))

    def border(self) -> None:
        """Let the innermost open block be cut before the next text."""
        if (
            self._open
            and self._open[-1][1] is not None
            and (not self._open[-1][2] or self._open[-1][2][-1] is not None)
        ):
            self._open[-1][2].append(None)

    def close_block(self) -> None:
        """End the innermost open block with the last text; one that stayed empty is none, nor is one inside another."""
        kind, start, borders = self._open.pop()
        if start is not None and not self._open:
            kept = tuple(border for border in borders if border is not None)
            self.blocks.append(Block(kind=kind, start=start, end=self.length, borders=kept))

    def adopt(self, other: LoadedDocument, *, part: str | None = None, level: int = 0) -> None:
        """Add a whole document, its places and structure moved to where it comes to stand."""
        if not other.text:
            return
        self._owed_place = None if other.places and other.places[0].start == 0 else self._owed_place
        self.write(other.text)
        base = self.length - len(other.text)
        named = {} if part is None else {"part": part}
        self.places += [
            mark.model_copy(update={"start": mark.start + base, "place": mark.place.model_copy(update=named)})
            for mark in other.places
        ]
        self.headings += [(part.start + base, level + len(part.path), part.title) for part in other.sections]
        for block in other.blocks:
            borders = tuple(border + base for border in block.borders)
            self.blocks.append(block.replace(start=block.start + base, end=block.end + base, borders=borders))
        self.unread += [place.model_copy(update=named) for place in other.unread]

    def finish(self, media_type: str, *, title: str | None = None) -> LoadedDocument:
        """Return the document; characters that no file can hold are replaced."""
        text = well_formed("".join(self._parts))
        return assemble(
            text,
            media_type,
            title=title,
            headings=self.headings,
            places=self.places,
            blocks=self.blocks,
            metadata=self.metadata,
            unread=self.unread,
        )


def assemble(
    text: str,
    media_type: str,
    *,
    title: str | None = None,
    headings: Iterable[tuple[int, int, str]] = (),
    places: Iterable[PlaceMark] = (),
    blocks: Iterable[Block] = (),
    metadata: dict[str, str] | None = None,
    unread: Iterable[Place] = (),
) -> LoadedDocument:
    """Return a document whose sections follow from its headings: offset, level and title of each, in order."""
    document = LoadedDocument(
        text=text,
        media_type=media_type,
        title=(" ".join(title.split()) if title else "") or None,
        blocks=tuple(sorted(blocks, key=lambda block: block.start)),
        places=tuple(places),
        metadata=metadata or {},
        unread=tuple(unread),
    )
    sections = tuple(_sections(document, list(headings)))
    first = document.title or (sections[0].title if sections and sections[0].start == 0 else None)
    return document.model_copy(update={"sections": sections, "title": first})


def _sections(document: LoadedDocument, headings: list[tuple[int, int, str]]) -> Iterable[Section]:
    above: list[tuple[int, str]] = []
    ends = [start for start, _, _ in headings[1:]] + [len(document.text)]
    for (start, level, title), end in zip(headings, ends, strict=False):
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        if start < end:  # of headings that lead to one place, the last has the text; the others stand in its path
            path = tuple(name for _, name in above)
            yield Section(title=title, path=path, start=start, end=end, place=document.place(start))


# ── what every loader is given beside the bytes: names, bounds, and a reader of pictures ──
# It is passed down to files inside of files, with their depth, so that an archive in an e-mail in an archive meets the
# same bounds.


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

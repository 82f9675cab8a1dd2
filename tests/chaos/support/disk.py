"""A disk that forgets: what a power cut may leave of the operations a program has made.

What was synced is kept. Of the rest, the disk keeps what it likes: any of the writes and truncations of a file, each
write in any of its 512-byte sectors, the parts in between zero or garbage; of a folder's names any leading part of
what happened to them (file systems keep the order of names), each folder for itself.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512


@dataclass(frozen=True, slots=True)
class Make:
    """A file or a folder came to be under a name."""

    folder: str
    name: str
    node: int
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A file got a second name in the same folder."""

    folder: str
    name: str
    node: int


@dataclass(frozen=True, slots=True)
class Rename:
    """A file changed its name inside a folder, over another if there was one."""

    folder: str
    name: str
    to_name: str


@dataclass(frozen=True, slots=True)
class Remove:
    """A name went away."""

    folder: str
    name: str


@dataclass(frozen=True, slots=True)
class SyncFolder:
    """The names of a folder became durable."""

    folder: str


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes were written to a file."""

    node: int
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """A file was cut or stretched."""

    node: int
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """The content of a file became durable."""

    node: int


NameChange = Make | Link | Rename | Remove
ContentChange = Write | Truncate
Operation = NameChange | ContentChange | Sync | SyncFolder


@dataclass(slots=True)
class _File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[ContentChange] = field(default_factory=list)


@dataclass(slots=True)
class _Folder:
    durable: dict[str, int] = field(default_factory=dict)
    pending: list[NameChange] = field(default_factory=list)


class Disk:
    """Follows operations one by one and can say at any moment what a cut might leave."""

    def __init__(self) -> None:
        self._files: dict[int, _File] = {}
        self._folders: dict[str, _Folder] = {"": _Folder()}
        self._folder_nodes: dict[int, str] = {}

    def follow(self, operation: Operation) -> None:
        """Take note of an operation; only a sync makes anything durable."""
        match operation:
            case Write() | Truncate():
                self._files[operation.node].pending.append(operation)
            case Sync():
                file = self._files[operation.node]
                for change in file.pending:
                    _change(file.durable, change)
                file.pending.clear()
            case SyncFolder():
                folder = self._folders[operation.folder]
                for name_change in folder.pending:
                    _change_names(folder.durable, name_change)
                folder.pending.clear()
            case _:
                if isinstance(operation, Make):
                    self._make(operation)
                self._folders[operation.folder].pending.append(operation)

    def _make(self, operation: Make) -> None:
        if operation.is_folder:
            path = f"{operation.folder}/{operation.name}".lstrip("/")
            self._folders[path] = _Folder()
            self._folder_nodes[operation.node] = path
        else:
            self._files[operation.node] = _File()

    def image(self, rng: random.Random) -> dict[str, bytes | None]:
        """Return files by path (`None` for a folder) as a cut right now may leave them."""
        contents: dict[int, bytes] = {}
        found: dict[str, bytes | None] = {}
        for path, node in self._names("", rng):
            if node in self._folder_nodes:
                found[path] = None
                continue
            if node not in contents:
                contents[node] = _after_a_cut(self._files[node], rng)
            found[path] = contents[node]
        return found

    def _names(self, path: str, rng: random.Random) -> Iterator[tuple[str, int]]:
        folder = self._folders[path]
        names = dict(folder.durable)
        for change in folder.pending[: rng.randint(0, len(folder.pending))]:
            _change_names(names, change)
        for name, node in sorted(names.items()):
            inside = f"{path}/{name}".lstrip("/")
            yield inside, node
            if node in self._folder_nodes:
                yield from self._names(inside, rng)


def _change(content: bytearray, change: ContentChange) -> None:
    if isinstance(change, Truncate):
        del content[change.size :]
        content.extend(bytes(change.size - len(content)))
        return
    _stretch(content, change.offset)
    content[change.offset : change.offset + len(change.content)] = change.content


def _stretch(content: bytearray, size: int) -> None:
    if size > len(content):
        content.extend(bytes(size - len(content)))


def _change_names(names: dict[str, int], change: NameChange) -> None:
    match change:
        case Make() | Link():
            names[change.name] = change.node
        case Rename():
            names[change.to_name] = names.pop(change.name)
        case Remove():
            names.pop(change.name, None)


def _after_a_cut(file: _File, rng: random.Random) -> bytes:
    content = bytearray(file.durable)
    manner = rng.choice(("nothing", "everything", "leading", "any", "torn", "torn"))
    pending: Iterable[ContentChange] = file.pending
    if manner == "nothing":
        return bytes(content)
    if manner == "leading":
        pending = file.pending[: rng.randint(0, len(file.pending))]
    for change in pending:
        if manner in {"any", "torn"} and rng.random() < 0.4:
            continue
        if manner == "torn" and isinstance(change, Write):
            _tear(content, change, rng)
        else:
            _change(content, change)
    return bytes(content)


def _tear(content: bytearray, write: Write, rng: random.Random) -> None:
    """Let some sectors of a write reach the disk; new sectors that did not may hold anything."""
    keep = rng.random()
    end = write.offset + len(write.content)
    old_size = len(content)
    _stretch(content, end)
    place = write.offset
    while place < end:
        stop = min(end, (place // SECTOR + 1) * SECTOR)
        if rng.random() < keep:
            content[place:stop] = write.content[place - write.offset : stop - write.offset]
        elif place >= old_size and rng.random() < 0.3:
            content[place:stop] = rng.randbytes(stop - place)
        place = stop


def put_image(image: dict[str, bytes | None], home: Path) -> None:
    """Write an image into a folder."""
    home.mkdir(parents=True, exist_ok=True)
    for path, content in image.items():
        target = home / path
        if content is None:
            target.mkdir()
        else:
            target.write_bytes(content)

"""Which files of a folder there are, and whether they changed: every search asks, so that an edit is found at once.

Where the kernel tells of changes (Linux, on drives of this machine), files of a folder in which nothing happened are
not asked again; elsewhere every file is asked for its time and size, since an edit changes nothing else. Asking each of
1,000 files takes 5 of the 12 ms that a search by words takes without it, which is why inotify is worth its lines; the
standard library has no way to it, and a package that watches in a thread of its own would tell too late.
"""

import ctypes
import errno
import os
import re
import struct
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from fnmatch import translate
from functools import cache
from pathlib import Path
from time import time_ns
from typing import Any, NamedTuple

from remanent.loaders.types import readable_name

Mark = tuple[int, int]
"""Time of change and size."""
_SETTLED = 2 * 10**9
"""Nanoseconds since its last change from which on a folder's time of change tells of the next one: two changes within
one tick of a file system (2 s at worst, on FAT) have the same time."""
_RELISTED = 30 * 10**9
"""Nanoseconds after which a folder is listed anew all the same: some network drives do not tell of changes."""


def scan(root: Path, include: str) -> dict[str, Mark]:
    """Return the files that patterns name, with their times of change and sizes; hidden ones are left out."""
    return FolderScan(root, include, watch=None)()


def mark_of(about: os.stat_result) -> Mark:
    """Return what tells that a file is as it was; microseconds, because JSON has no room for more."""
    return about.st_mtime_ns // 1000, about.st_size


# ── what the kernel tells ────────────────────────────────────────────────────

_EVENTS = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""IN_MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF and MOVE_SELF."""
_OVERFLOWN = -1
_EVENT = struct.Struct("iIII")
_TELLING = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "tmpfs", "overlay"})
"""File systems of this machine alone: of one that others write to as well, the kernel does not know all changes."""
_MOST_WATCHED = 4096
"""Folders that a process has watched at once; half of what older systems allow a user."""


class FolderWatch:
    """Tells by a number whether anything happened in a folder; one for the process, as systems allow few of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = 0
        self._handle = -1
        self._watched: OrderedDict[int, int] = OrderedDict()
        """How much happened in each folder, by the number that the kernel gave it; the one asked last at the end."""
        self._library: Any = None

    def begin(self, folder: str) -> int | None:
        """Have a folder watched, and return its number; none where the kernel does not tell of it."""
        with self._lock:
            if not self._is_open():
                return None
            number: int = self._library.inotify_add_watch(self._handle, os.fsencode(folder), _EVENTS)
            if number < 0:
                return None
            self._watched.setdefault(number, 0)
            self._watched.move_to_end(number)
            if len(self._watched) > _MOST_WATCHED:
                self._library.inotify_rm_watch(self._handle, self._watched.popitem(last=False)[0])
            return number

    def happened(self, numbers: set[int]) -> dict[int, int]:
        """Return for folders how much happened in them; those that are not watched any more are left out."""
        with self._lock:
            if not self._is_open():
                return {}
            self._read()
            return {number: self._watched[number] for number in numbers if number in self._watched}

    def _is_open(self) -> bool:
        """Tell whether the system tells of changes here; elsewhere than on Linux files are looked at instead."""
        if self._process != os.getpid():  # a forked process would take what is meant for its parent
            self._process, self._handle = os.getpid(), -1
            self._watched.clear()
            if sys.platform == "linux":
                self._library = ctypes.CDLL(None, use_errno=True)
                self._handle = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        return self._handle >= 0

    def _read(self) -> None:
        """Take in what the kernel told; where it lost something, every folder counts as changed."""
        while True:
            try:
                told = os.read(self._handle, 65536)
            except OSError as error:
                if error.errno != errno.EAGAIN:
                    self._watched.clear()
                return
            position = 0
            while position < len(told):
                number, _, _, length = _EVENT.unpack_from(told, position)
                position += _EVENT.size + length
                if number == _OVERFLOWN:
                    self._watched.clear()
                elif number in self._watched:
                    self._watched[number] += 1


_WATCH = FolderWatch()


def is_local(device: int, mounts: str = "/proc/self/mountinfo") -> bool:
    """Tell whether only this machine writes to a drive, as far as the system says."""
    if sys.platform != "linux":
        return False
    wanted = f"{os.major(device)}:{os.minor(device)}"
    try:
        lines = Path(mounts).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    kinds = {line.partition(" - ")[2].split(" ")[0] for line in lines if line.split(" ")[2:3] == [wanted]}
    return bool(kinds) and kinds <= _TELLING


# ── looking ──────────────────────────────────────────────────────────────────


class _Listing(NamedTuple):
    """What a folder holds of what a pattern names."""

    changed: tuple[int, int]
    """Which folder it is, and when it changed."""
    listed: int
    files: list[tuple[str, str]]
    """By the name under the root, where each lies."""
    folders: list[str]


class _Asked(NamedTuple):
    """The files of a watched folder as they were when they were asked."""

    changed: tuple[int, int]
    at: int
    happened: tuple[int, int]
    """The folder's number, and how much had happened in it."""
    marks: dict[str, Mark]


_Key = tuple[str, tuple[str, ...]]


class FolderScan:
    """Looks at the files that patterns name.

    Names are read again only where a folder has changed, and files asked only where something happened.
    """

    def __init__(
        self, root: Path, include: str, *, now: Callable[[], int] = time_ns, watch: FolderWatch | None = _WATCH
    ) -> None:
        self._root = root
        self._patterns = [tuple(one.strip().split("/")) for one in include.split(",") if one.strip()]
        self._now = now
        self._watch = watch
        self._is_local = cache(is_local)
        self._listings: dict[_Key, _Listing] = {}
        self.odd: dict[str, str] = {}
        """Where files lie whose names are not in UTF-8."""
        self._asked: dict[_Key, _Asked] = {}
        self._before: dict[_Key, _Asked] = {}
        self._happened: dict[int, int] = {}

    def __call__(self) -> dict[str, Mark]:
        """Return the files with their times of change and sizes; hidden ones are left out."""
        found: dict[str, Mark] = {}
        root, seen = os.path.realpath(self._root), dict[_Key, _Listing]()
        if self._watch is not None:
            self._happened = self._watch.happened({one.happened[0] for one in self._asked.values()})
        self._before, self._asked = self._asked, {}
        for parts in self._patterns:
            self._walk(root, "", parts, found, seen)
        self._listings = seen  # folders that are gone are not remembered
        return found

    def _walk(
        self,
        folder: str,
        prefix: str,
        parts: tuple[str, ...],
        found: dict[str, Mark],
        seen: dict[_Key, _Listing],
    ) -> None:
        """Add the files under a folder that a pattern names, and go into its folders."""
        deep, rest = parts[0] == "**", parts[1:]
        if deep and len(rest) > 1:
            self._walk(folder, prefix, rest, found, seen)
        key, now = (folder, parts), self._now()
        try:
            about = os.stat(folder)
            changed = about.st_ino, about.st_mtime_ns
            held = self._listings.get(key)
            if held is None or held.changed != changed or not 0 <= now - held.listed <= _RELISTED:
                held = _list(folder, prefix, parts, changed=changed, now=now)
        except OSError:
            return
        if now - about.st_mtime_ns > _SETTLED:
            seen[key] = held
        self.odd |= {name: path for name, path in held.files if not path.endswith(name)}
        asked = self._before.get(key)
        if asked is None or not self._is_as_it_was(asked, held, now):
            asked = self._ask(folder, held, about.st_dev, now)
        if asked.happened[0] >= 0:
            self._asked[key] = asked
        found.update(asked.marks)
        for name in held.folders:
            self._walk(f"{folder}/{name}", f"{prefix}{readable_name(name)}/", parts if deep else rest, found, seen)

    def _is_as_it_was(self, asked: _Asked, held: _Listing, now: int) -> bool:
        number, happened = asked.happened
        is_quiet = self._happened.get(number) == happened
        return is_quiet and asked.changed == held.changed and 0 <= now - asked.at <= _RELISTED

    def _ask(self, folder: str, held: _Listing, device: int, now: int) -> _Asked:
        """Ask every file of a folder for its mark; what happens meanwhile is told when it is looked at again."""
        number = None
        if self._watch is not None and held.files and self._is_local(device):
            number = self._watch.begin(folder)
        happened = -1, 0
        if self._watch is not None and number is not None:
            happened = number, self._watch.happened({number}).get(number, -1)
        marks: dict[str, Mark] = {}
        for name, path in held.files:
            try:
                marks[name] = mark_of(os.lstat(path))
            except OSError:  # gone meanwhile
                continue
        return _Asked(held.changed, now, happened, marks)


@cache
def _matching(part: str) -> Callable[[str], object]:
    """Return what tells whether a name is one that a part of a pattern names."""
    return re.compile(translate(part)).match


def _list(folder: str, prefix: str, parts: tuple[str, ...], *, changed: tuple[int, int], now: int) -> _Listing:
    """Read the names in a folder; links are left out, since they may lead out of it."""
    first, rest = parts[0], parts[1:]
    deep = first == "**"
    last = rest[0] if deep and len(rest) == 1 else first if not rest else None
    is_named = None if last is None else _matching(last)
    is_on_the_way = _matching(first)
    listing = _Listing(changed, now, [], [])
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == "." or name == "node_modules":  # what a package manager put there is nobody's note
                continue
            if is_named is not None and is_named(name) and entry.is_file(follow_symlinks=False):
                listing.files.append((prefix + readable_name(name), f"{folder}/{name}"))
            elif (deep or (rest and is_on_the_way(name))) and entry.is_dir(follow_symlinks=False):
                listing.folders.append(name)
    return listing

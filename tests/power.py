"""Power cuts without pulling a plug: what a disk is bound to hold by the syncs that were asked for."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from remanent.stores.shelf import _OpenFile


class Disk:
    """Watches the syncs under a folder; of what was not synced nothing survives, neither bytes nor names.

    Real systems keep more than that by luck. A promise may not rest on luck, so that the worst they may do is shown.
    """

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.syncs: list[Path] = []
        self._bytes: dict[int, bytes] = {}
        self._names: dict[int, dict[str, int]] = {}
        self._sync = os.fsync
        root.mkdir(parents=True, exist_ok=True)
        for place in (root, *root.rglob("*")):
            self._keep(place)
        monkeypatch.setattr(os, "fsync", self._fsync)

    def image(self, target: Path) -> Path:
        """Write what is left after a power cut now into a folder, and return that."""
        self._restore(self.root.stat().st_ino, target)
        return target

    def _fsync(self, handle: int) -> None:
        self._sync(handle)
        place = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if place.is_relative_to(self.root) and place.exists():
            self.syncs.append(place)
            self._keep(place)

    def _keep(self, place: Path) -> None:
        state = place.stat()
        if stat.S_ISDIR(state.st_mode):
            self._names[state.st_ino] = {one.name: one.stat().st_ino for one in place.iterdir()}
        else:
            self._bytes[state.st_ino] = place.read_bytes()

    def _restore(self, inode: int, target: Path) -> None:
        if inode in self._names:
            target.mkdir(exist_ok=True, mode=0o700)
            for name, inside in self._names[inode].items():
                self._restore(inside, target / name)
        elif inode in self._bytes:
            target.write_bytes(self._bytes[inode])
        else:
            target.write_bytes(b"")  # its name was synced, and nothing of what is in it


class Died(BaseException):
    """The process was killed: nothing is tidied up after this."""


@contextmanager
def dies_at(step: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Have the process die before the given call that changes files; gives the names of those that were made."""
    made: list[str] = []
    with monkeypatch.context() as patch:
        for name in ("pwrite", "ftruncate", "fsync", "replace", "rename", "unlink", "mkdir"):
            patch.setattr(os, name, _mortal(getattr(os, name), name, made, step))
        yield made


def _mortal(real: Any, name: str, made: list[str], step: int) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(made) == step:
            raise Died
        made.append(name)
        return real(*args, **kwargs)

    return call


def fills_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the disk of audit logs fill up between what is done and its line: what is asked before finds room."""
    put = _OpenFile.put

    def full(log: _OpenFile, lines: Sequence[bytes], *, place: int) -> None:
        if lines:
            raise OSError(errno.ENOSPC, "No space left on device")
        put(log, lines, place=place)

    monkeypatch.setattr(_OpenFile, "put", full)

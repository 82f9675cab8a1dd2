"""Erasures that were begun, written down before anything goes, so that one cut short by a crash is carried to its end.

A file per erasure under the home folder says whose it is and what was asked for, never what was said. Who erases holds
a lock on it: a file that nobody holds was left by a crash, and whoever opens the memory next ends what it names.

The lock is the kernel's (`flock`), so that it goes with the process however that ends, and a process that is stopped
for long but alive keeps it. Where servers share a store the notes lie in it, and the lock is a connection of the
server that erases: what one that died has left is ended by any other.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from remanent.durability import make_folder, sync_folder
from remanent.errors import InvalidInput
from remanent.model import Scope
from remanent.stores.queries import Erasure
from remanent.stores.shelf import Hold, Shelf
from remanent.stores.sqlite.connection import translated
from remanent.values import dataclass

FOLDER = ".erasing"
"""Under the home folder; no organisation can have this name."""


@dataclass(slots=True)
class PendingErasure:
    """One erasure that has begun, and has not ended while its file is there."""

    scope: Scope
    erasure: Erasure
    last_seq: int
    """The newest entry when it was begun: what is said later was not meant."""
    path: Path
    handle: int

    def end(self) -> None:
        """Say that nothing is left to do."""
        with translated():
            self.path.unlink(missing_ok=True)
            sync_folder(self.path.parent)
        self.release()

    def release(self) -> None:
        """Leave the rest to whoever opens the memory next."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


class PendingErasures:
    """The folder of erasures that have begun."""

    is_shared = False
    """Whether other servers see them."""

    def __init__(self, home: Path) -> None:
        self._folder = home.expanduser() / FOLDER

    def begin(self, scope: Scope, erasure: Erasure, *, last_seq: int) -> PendingErasure:
        """Write down, durably, that an erasure begins."""
        with translated():
            make_folder(self._folder)
            path = self._folder / f"{secrets.token_hex(8)}.json"
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            begun = PendingErasure(scope, erasure, last_seq, path, handle)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                os.write(handle, _note(scope, erasure, last_seq))
                os.fsync(handle)
                sync_folder(self._folder)
            except BaseException:
                begun.release()
                path.unlink(missing_ok=True)
                raise
        return begun

    def has_any(self) -> bool:
        """Return whether any erasure is under way or was cut short."""
        return bool(self._files())

    def interrupted(self) -> Iterator[PendingErasure]:
        """Yield the erasures that nobody carries on, each held by this process from then on."""
        for path in self._files():
            begun = _take(path)
            if begun is not None:
                yield begun

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.json"))


def _take(path: Path) -> PendingErasure | None:
    """Return an erasure that nobody carries on, locked for this process; a torn note is removed.

    The link count is looked at after locking: whoever held the lock before may have ended the erasure and removed the
    file.
    """
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_nlink:
            noted = _read(path.read_bytes())
            if noted is not None:
                return PendingErasure(*noted, path=path, handle=handle)
            path.unlink(missing_ok=True)  # torn: the crash came before anything was removed
    except BlockingIOError:
        pass  # somebody is at it
    os.close(handle)
    return None


class ErasureOnShelf(PendingErasure):
    """One whose note other servers see, too."""

    __slots__ = ("_held", "_shelf")

    def __init__(self, scope: Scope, erasure: Erasure, last_seq: int, *, name: str, shelf: Shelf, held: Hold) -> None:
        super().__init__(scope, erasure, last_seq, Path(name), -1)
        self._shelf = shelf
        self._held = held

    def end(self) -> None:
        """Say that nothing is left to do."""
        self._shelf.remove(str(self.path))
        self._held.release()

    def release(self) -> None:
        """Leave the rest to whoever looks next."""
        self._held.release()


class SharedErasures(PendingErasures):
    """The erasures that have begun on any server of a store."""

    is_shared = True

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def begin(self, scope: Scope, erasure: Erasure, *, last_seq: int) -> PendingErasure:
        """Write down that an erasure begins; held first, so that nobody takes it for one that was left."""
        name = f"{FOLDER}/{secrets.token_hex(8)}.json"
        held = self._shelf.hold(name)
        try:
            self._shelf.write(name, _note(scope, erasure, last_seq))
        except BaseException:
            held.release()
            raise
        return ErasureOnShelf(scope, erasure, last_seq, name=name, shelf=self._shelf, held=held)

    def has_any(self) -> bool:
        """Return whether any erasure is under way or was cut short."""
        return bool(self._shelf.names(FOLDER))

    def interrupted(self) -> Iterator[PendingErasure]:
        """Yield the erasures that no server carries on, each held by this process from then on."""
        for name in self._shelf.names(FOLDER):
            if self._shelf.is_held(name):
                continue
            held = self._shelf.hold(name)
            body = self._shelf.read(name)  # only now: another may have ended it meanwhile
            noted = None if body is None else _read(body)
            if noted is None:
                held.release()
            else:
                yield ErasureOnShelf(*noted, name=name, shelf=self._shelf, held=held)


def open_erasures(home: Path, shelf: Shelf) -> PendingErasures:
    """Return where erasures that begin are noted: in a folder, or where other servers see it."""
    return SharedErasures(shelf) if shelf.is_shared else PendingErasures(home)


def _note(scope: Scope, erasure: Erasure, last_seq: int) -> bytes:
    """Return what the note holds: whose memory and what goes; no word of what is to be erased."""
    body = {
        "org": scope.org,
        "workspace": scope.workspace,
        "agent": scope.agent,
        "entry_ids": erasure.entry_ids,
        "record_ids": erasure.record_ids,
        "session": erasure.session,
        "everything": erasure.everything,
        "last_seq": last_seq,
    }
    return json.dumps(body).encode()


def _read(note: bytes) -> tuple[Scope, Erasure, int] | None:
    """Return what a note says, or nothing when it is torn or not ours."""
    try:
        body: dict[str, Any] = json.loads(note)
        return (
            Scope(org=body["org"], workspace=body["workspace"], agent=body["agent"]),
            Erasure(
                tuple(body["entry_ids"]), tuple(body["record_ids"]), body["session"], everything=body["everything"]
            ),
            body["last_seq"],
        )
    except (ValueError, KeyError, TypeError, InvalidInput):
        return None

"""What was said and waits on disk until memory can take it: it must go when what it belongs to is erased.

The proxy writes the files; erasing looks through them here, whichever process erases and whether or not a server runs.
"""

import fcntl
import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from remanent.durability import sync_folder
from remanent.errors import StorageError
from remanent.model import Scope
from remanent.model.filters import user_in
from remanent.stores.store import sent_mark

FOLDER = ".proxy"
"""Under the home folder; no organisation can have this name."""

REFUSED = "refused"
"""Where turns go that memory will never take, for a person to look at."""

_LOCK = ".lock"


class SpoolFolder:
    """The folder of turns that wait on disk until memory can take them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take_lock(self, *, is_shared: bool = True) -> int | None:
        """Return what holds the folder, or `None` where there is none; who stores a turn shares it, who erases not."""
        try:
            handle = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            return None
        fcntl.flock(handle, fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX)
        return handle

    def release(self, handle: int | None) -> None:
        """Let go of the folder."""
        if handle is not None:
            os.close(handle)

    def files(self) -> list[Path]:
        """Return the turns that wait, oldest first."""
        return sorted(self._json_files(self._folder))

    def has_any(self) -> bool:
        """Return whether anything waits or was set aside."""
        return bool(self.files() or self._json_files(self._folder / REFUSED))

    def erase(
        self,
        scope: Scope,
        *,
        session: str | None = None,
        everything: bool = False,
        sent: Collection[str] = (),
        user: str | None = None,
    ) -> int:
        """Remove the turns of an agent: all, those of a session or a user, or those that hold a message that was sent.

        What was sent is told by `sent_mark`: ids are the user's own, and two may wait with the same one.
        """
        if not self._folder.is_dir():
            return 0
        try:
            with self._held():
                gone = [
                    file
                    for file in (*self.files(), *self._json_files(self._folder / REFUSED))
                    if _belongs(file, scope, session=session, everything=everything, sent=sent, user=user)
                ]
                for file in gone:
                    file.unlink(missing_ok=True)
                for folder in {file.parent for file in gone}:
                    sync_folder(folder)  # else a power cut could bring them back
                return len(gone)
        except OSError as error:
            raise StorageError(f"turns that wait in {self._folder} cannot be erased: {error.strerror}") from error

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the folder alone: a turn that is being stored meanwhile is either gone from it or still to be erased."""
        handle = self.take_lock(is_shared=False)
        try:
            yield
        finally:
            self.release(handle)

    @staticmethod
    def _json_files(folder: Path) -> list[Path]:
        try:
            return [file for file in folder.iterdir() if file.suffix == ".json"]
        except FileNotFoundError:
            return []


def _belongs(
    file: Path, scope: Scope, *, session: str | None, everything: bool, sent: Collection[str], user: str | None
) -> bool:
    turn = _read(file)
    whose = turn.get("scope")
    if not isinstance(whose, dict):
        return False
    names = ("org", "workspace", "agent")
    if [whose.get(name) for name in names] != [getattr(scope, name) for name in names]:
        return False
    if everything or (session is not None and whose.get("session") == session):
        return True
    listed = turn.get("messages")
    messages = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    for message in messages:
        owner, caller_id = user_in(message.get("metadata") or {}), message.get("id")
        if owner == user or (caller_id is not None and sent_mark(whose.get("session"), caller_id, owner) in sent):
            return True
    return False


def _read(file: Path) -> dict[str, Any]:
    """Return a turn; a file that is gone or damaged belongs to nobody."""
    try:
        value = json.loads(file.read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}

"""Turns that wait until memory can store them; they must be erased along with whatever they belong to.

The proxy puts turns on the shelf, which all servers of one database share: any of them stores what waits, and erasing
looks through it here, whichever process erases and whether or not a server runs. While the database itself is away, a
server keeps turns in files of its own home.

A turn that one server could not store was stored by no other, and an erasure asked of another did not see it, while the
spool was files of one machine.
"""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from remanent.errors import StorageError
from remanent.model import Scope
from remanent.model.filters import user_in
from remanent.stores.shelf import FolderShelf, Shelf
from remanent.stores.store import sent_mark

FOLDER = ".proxy"
"""On the shelf; no organisation can have this name."""

REFUSED = f"{FOLDER}/refused"
"""Where turns go that memory will never take, for a person to look at."""

LOCK = f"{FOLDER}/.lock"
"""Who stores a turn shares it, who erases turns holds it alone."""


class WaitingTurn(NamedTuple):
    """Where a turn lies."""

    shelf: Shelf
    name: str

    @property
    def order(self) -> str:
        """What sorts turns as they came."""
        return self.name.rpartition("/")[2].removesuffix(".json")


class WaitingTurns:
    """The turns that wait until memory can take them."""

    def __init__(self, shelf: Shelf, home: Path) -> None:
        self.own: Shelf = FolderShelf(home) if shelf.is_shared else shelf
        """Where this machine keeps what the shared shelf cannot take."""
        self.shared = shelf if shelf.is_shared else None
        self._shelves = [self.own] if self.shared is None else [self.shared, self.own]

    def all(self) -> list[WaitingTurn]:
        """Return the turns that wait, oldest first."""
        found = [WaitingTurn(shelf, name) for shelf in self._shelves for name in shelf.names(FOLDER)]
        return sorted(found, key=lambda turn: turn.order)

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
        gone = 0
        try:
            for shelf in self._shelves:
                if not (shelf.names(FOLDER) or shelf.names(REFUSED)):
                    continue
                # Alone: a turn that is being stored meanwhile is either gone from here or still to be erased.
                with shelf.locked(LOCK):
                    for name, content in [*shelf.documents(FOLDER), *shelf.documents(REFUSED)]:
                        if _belongs(content, scope, session=session, everything=everything, sent=sent, user=user):
                            shelf.remove(name)
                            gone += 1
        except OSError as error:
            raise StorageError(f"the turns waiting in {FOLDER} cannot be erased: {error.strerror}") from error
        return gone


def _belongs(
    content: bytes, scope: Scope, *, session: str | None, everything: bool, sent: Collection[str], user: str | None
) -> bool:
    """Tell whether a turn that waits belongs to what is erased: it must not be stored after all."""
    turn = _read(content)
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


def _read(content: bytes) -> dict[str, Any]:
    """Return a turn; what is damaged belongs to nobody."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}

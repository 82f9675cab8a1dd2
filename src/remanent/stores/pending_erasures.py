"""Erasures that were begun, written down before anything goes, so that one cut short by a crash is carried to its end.

A note on the shelf says whose it is and what was asked for, never what was said. Who erases holds a lock beside it: a
note whose lock nobody holds was left by a crash. In files whoever opens the memory next ends what it names, and where
servers share a store any of them does. The lock goes with the process however that ends, and a process that is stopped
for long but alive keeps it.
"""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from remanent.errors import InvalidInput
from remanent.model import Scope
from remanent.stores.queries import Erasure
from remanent.stores.shelf import Hold, Shelf, as_shelf
from remanent.stores.sqlite.connection import translated
from remanent.values import dataclass

FOLDER = ".erasing"
"""Of the shelf; no organisation can have this name."""


@dataclass(frozen=True, slots=True)
class PendingErasure:
    """One erasure that has begun, and has not ended while its note is there."""

    scope: Scope
    erasure: Erasure
    last_seq: int
    """The newest entry when it was begun: what is said later was not meant."""
    name: str
    """Of its note."""
    shelf: Shelf
    held: Hold

    def end(self) -> None:
        """Say that nothing is left to do."""
        with translated():
            self.shelf.remove(self.name)
        self.release()

    def release(self) -> None:
        """Leave the rest to whoever looks next."""
        with translated():
            self.held.release()


class PendingErasures:
    """The erasures that have begun, in this home or on any server of a store."""

    def __init__(self, place: Path | Shelf) -> None:
        self._shelf = as_shelf(place)

    @property
    def is_shared(self) -> bool:
        """Whether other servers see them."""
        return self._shelf.is_shared

    def begin(self, scope: Scope, erasure: Erasure, *, last_seq: int) -> PendingErasure:
        """Write down, durably, that an erasure begins; held first, so that nobody takes it for one that was left."""
        name = f"{FOLDER}/{secrets.token_hex(8)}.json"
        with translated():
            held = self._shelf.hold(_lock_of(name))
            try:
                self._shelf.write(name, _note(scope, erasure, last_seq))
            except BaseException:
                held.release()
                raise
        return PendingErasure(scope, erasure, last_seq, name, self._shelf, held)

    def has_any(self) -> bool:
        """Return whether any erasure is under way or was cut short."""
        with translated():
            return bool(self._shelf.names(FOLDER))

    def interrupted(self) -> Iterator[PendingErasure]:
        """Yield the erasures that nobody carries on, each held by this process from then on."""
        with translated():
            names = self._shelf.names(FOLDER)
        for name in names:
            begun = self._take(name)
            if begun is not None:
                yield begun

    def _take(self, name: str) -> PendingErasure | None:
        """Return an erasure that nobody carries on, held by this process; a torn note goes, an unknown one stays."""
        with translated():
            if self._shelf.is_held(_lock_of(name)):
                return None
            held = self._shelf.hold(_lock_of(name))
            try:
                body = self._shelf.read(name)  # only now: another may have ended it meanwhile
                noted = None if body is None else _read(body)
                if noted is not None:
                    return PendingErasure(*noted, name=name, shelf=self._shelf, held=held)
                if body is not None and not body.endswith(b"}"):
                    self._shelf.remove(name)  # the crash came before anything was erased
            except BaseException:
                held.release()
                raise
            held.release()
        return None


def _lock_of(name: str) -> str:
    return f"{name.removesuffix('.json')}.lock"


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

"""Turns that memory could not take at once, kept on disk until it can: each is stored later, and stored once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from remanent.context.spool import REFUSED, SpoolFolder
from remanent.errors import CallerError, InvalidInput
from remanent.model import Message, NewId, Scope
from remanent.model.base import Model
from remanent.operations import LOCAL
from remanent.server.proxy.tolerance import Tolerated
from remanent.stores.sqlite.layout import make_folder, sync_folder, write_durably

_logger = logging.getLogger(__name__)


class Turn(Model):
    """What one request adds to memory; its messages carry ids, so storing it again changes nothing."""

    scope: Scope
    who: str = LOCAL.name
    """Who is named in the audit log."""
    messages: Annotated[tuple[Message, ...], Field(min_length=1)]


Deliver = Callable[[Turn], Awaitable[None]]
"""Stores a turn, or raises."""


@dataclass(frozen=True, slots=True)
class Drained:
    """What a look at the waiting turns came to."""

    stored: int = 0
    waiting: int = 0


class Spool:
    """A folder with a file per turn, written durably and removed when memory has acknowledged the turn.

    A crash between those two leaves the file; the turn is then sent to memory again, which knows its ids. The names
    keep the order in which turns came.
    """

    def __init__(self, folder: Path, *, new_id: NewId) -> None:
        self._folder = folder
        self._waiting = SpoolFolder(folder)
        self._new_id = new_id

    async def put(self, turn: Turn) -> None:
        """Keep a turn; on return it survives a crash."""
        await asyncio.to_thread(self._write, turn)

    async def drain(self, deliver: Deliver) -> Drained:
        """Send every waiting turn to memory, oldest first; after a failure an agent's later turns wait too."""
        stored, stuck, waiting = 0, set[Scope](), 0
        for file in await asyncio.to_thread(self._waiting.files):
            # Held from reading to storing: whoever erases waits, and then finds the turn in memory or nowhere.
            handle = await asyncio.to_thread(self._waiting.take_lock)
            try:
                turn = await asyncio.to_thread(self._read, file)
                if turn is None:
                    continue
                if turn.scope.owner in stuck:
                    waiting += 1
                elif await self._deliver(file, turn, deliver):
                    stored += 1
                elif file.exists():
                    stuck.add(turn.scope.owner)
                    waiting += 1
            finally:
                self._waiting.release(handle)
        return Drained(stored, waiting)

    async def _deliver(self, file: Path, turn: Turn, deliver: Deliver) -> bool:
        """Return whether memory took a turn; one that it never will is set aside."""
        with Tolerated("memory does not take a spooled turn") as outcome:
            await deliver(turn)
        if isinstance(outcome.error, CallerError):
            await asyncio.to_thread(self._set_aside, file)  # the same call will fail again
        elif outcome.error is None:
            await asyncio.to_thread(self._remove, file)
        return outcome.error is None

    def count(self) -> int:
        """Return how many turns wait."""
        return len(self._waiting.files())

    def _write(self, turn: Turn) -> None:
        make_folder(self._folder)
        write_durably(self._folder / f"{self._next_name()}.json", turn.to_json().encode())

    def _next_name(self) -> str:
        """Return a name that sorts behind all that wait, also when the clock was set back since they came."""
        name, last = self._new_id(), max((file.stem for file in self._waiting.files()), default="")
        if name > last:
            return name
        stem, _, count = last.rpartition("_")
        return f"{stem}_{int(count) + 1:09}" if stem and count.isdecimal() else f"{last}_{1:09}"

    def _read(self, file: Path) -> Turn | None:
        try:
            return Turn.from_json(file.read_bytes())
        except FileNotFoundError:
            return None  # another process was faster
        except InvalidInput:
            _logger.error("a spooled turn cannot be read and is set aside: %s", file.name)  # noqa: TRY400
            self._set_aside(file)
            return None

    def _remove(self, file: Path) -> None:
        file.unlink(missing_ok=True)
        # Else a power cut brings back a turn whose words may have been erased from memory meanwhile.
        sync_folder(self._folder)

    def _set_aside(self, file: Path) -> None:
        place = self._folder / REFUSED
        make_folder(place)
        file.replace(place / file.name)
        sync_folder(place)  # there before it is gone from here: a power cut may leave it in both, never in none
        sync_folder(self._folder)

"""Erasing for good: noted before it begins, carried out wherever texts lie, and finished after a crash."""

import asyncio
import logging
from dataclasses import replace
from typing import Any

from remanent.assembly import MemoryParts
from remanent.context import Scratchpad
from remanent.context import sessions as session_states
from remanent.context.sessions import PREFIX as SESSIONS
from remanent.context.sessions import SCRATCHPADS as PADS
from remanent.context.spool import WaitingTurns
from remanent.errors import CallerError, DatabaseMissing, NotFound, RemanentError
from remanent.model import Scope
from remanent.model.filters import of_user
from remanent.stores import NO_LIMIT, EntryQuery, Erased, Erasure
from remanent.stores.notes import PendingErasure
from remanent.stores.store import ERASING

_logger = logging.getLogger(__name__)

_ERASURES_EVERY = 60.0
"""Seconds between two looks for erasures that other servers left unfinished; one question to the database each."""


async def begin_user_erasure(parts: MemoryParts, scope: Scope, user: str) -> tuple[str, ...]:
    """Drop what a user said that still waits on disk, and return all their entries, which are to be erased next."""
    said = await parts.store.entries(scope, EntryQuery(where=of_user(user), limit=NO_LIMIT))
    waiting = WaitingTurns(parts.shelf, parts.settings.home)
    if not await asyncio.to_thread(waiting.erase, scope, user=user) and not said:
        raise NotFound(
            f"nothing here belongs to the user {user!r}; give the name exactly as it was when the messages were stored"
        )
    return tuple(entry.id for entry in said)


async def erase_noted(parts: MemoryParts, scope: Scope, erasure: Erasure) -> Erased:
    """Erase, written down before it begins: should a crash cut it short, what is said after that stays."""
    erasure = replace(erasure, keeps_note=True)
    newest = await parts.store.entries(scope, EntryQuery(newest_first=True, limit=1))
    last_seq = newest[0].seq if newest else 0
    begun = await asyncio.to_thread(parts.erasures.begin, scope, erasure, last_seq=last_seq)
    return await _carry_out(parts, begun, erasure)


async def finish_erasures(parts: MemoryParts) -> None:
    """Bring erasures to their end that a crash cut short; what was said since they were begun stays."""
    try:
        left = await asyncio.to_thread(lambda: list(parts.erasures.interrupted()))
    except RemanentError as error:
        _logger.warning("could not check whether an erasure was interrupted: %s", error)
        return
    try:
        for begun in left:
            try:
                await _carry_out(parts, begun, replace(begun.erasure, keeps_note=True, up_to=begun.last_seq))
            except RemanentError as error:
                _logger.warning("an erasure of %s was interrupted and could not be finished: %s", begun.scope, error)
    finally:
        for begun in left:
            begun.release()  # what was not come to is for others


async def watch_erasures(parts: MemoryParts) -> None:
    """Look now and then for erasures of servers that died meanwhile."""
    while True:
        await asyncio.sleep(_ERASURES_EVERY)
        await finish_erasures(parts)


async def _carry_out(parts: MemoryParts, begun: PendingErasure, erasure: Erasure) -> Erased:
    """Erase, then drop the note that it was begun; one that fails and was not refused is tried again later."""
    try:
        erased = await _erase(parts, begun, erasure)
    except (CallerError, DatabaseMissing):
        begun.end()  # it was refused, and will be again
        raise
    except BaseException:
        begun.release()
        raise
    await asyncio.to_thread(begun.end)
    return erased


async def _erase(parts: MemoryParts, begun: PendingErasure, erasure: Erasure) -> Erased:
    """Erase rows first, then what lies beside the store, by the store's own note of what went."""
    scope, asked = begun.scope, begun.erasure
    parts.worker.watch(scope)
    # Before the rest: erasing leaves no byte behind of what was removed until then.
    await parts.notes.blank(scope)
    waiting = WaitingTurns(parts.shelf, parts.settings.home)
    await asyncio.to_thread(waiting.erase, scope, session=asked.session, everything=asked.everything)
    if asked.session is not None:
        await Scratchpad(parts.store, scope, session=asked.session).clear()
        async with parts.store.transaction(scope) as tx:
            for key in session_states.names_of(asked.session):
                tx.state(key, None)
    elif asked.everything:
        # Also when something was said since a crash, and not all states may go: these are the ones that hold texts.
        held = {**await parts.store.states(scope, prefix=PADS), **await parts.store.states(scope, prefix=SESSIONS)}
        async with parts.store.transaction(scope) as tx:
            for key in held:
                tx.state(key, None)
    erased = await parts.journal.erase(scope, erasure)
    note = await parts.store.state(scope, ERASING)
    went: dict[str, Any] = note if isinstance(note, dict) else {}
    for digest in went.get("digests", ()):
        await parts.blobs.delete(scope, digest)
    # A turn may have been stored and wait all the same, when whoever stored it was not told in time.
    await asyncio.to_thread(waiting.erase, scope, sent=frozenset(went.get("sent", ())))
    if note is not None:
        async with parts.store.transaction(scope) as tx:
            tx.state(ERASING, None)
    return erased

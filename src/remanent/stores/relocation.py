"""Copying all agents from one store to another, whatever engines they are, and proving that the copy is one.

An agent is exported, imported and exported again: the same bytes come out of both, or the copy is refused. What was
copied before is recognised by the same proof, so that a copy that broke off is simply made again. Nothing is removed
from where it was.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping

from remanent.errors import IntegrityError, InvalidInput
from remanent.model import Scope
from remanent.stores.registry import Stores
from remanent.stores.shelf import Shelf
from remanent.stores.transfer import export_lines, import_lines
from remanent.values import dataclass


@dataclass(frozen=True, slots=True)
class MovedAgent:
    """One agent that is now in both places."""

    scope: Scope
    counts: Mapping[str, int]
    """How many there are of each sort: entries, records, versions and so on."""
    sha256: str
    """Of the whole export, which is the same from both."""
    files: int
    copied: bool
    """Whether it was copied now; else it was there already, just like this."""


async def move_agents(source: Stores, target: Stores) -> AsyncIterator[MovedAgent]:
    """Copy every agent with its files, one after the other; refuse one whose place is taken by something else."""
    there = set(await target.store.scopes())
    for scope in await source.store.scopes():
        seal = await _seal(source, scope)
        copied = not (scope in there and await _seal(target, scope) == seal)
        if copied:
            lines = _Noted(export_lines(source.store, scope))  # of another moment than the seal, if others write
            await import_lines(target.store, scope, lines)
            seal = lines.last
            if await _seal(target, scope) != seal:
                raise IntegrityError(f"the copy of {scope} is not like its original; erase it and copy again")
        files = await _copy_files(source, target, scope)
        end = json.loads(seal)
        yield MovedAgent(scope, end["counts"], end["sha256"], files, copied)


async def move_shelf(source: Shelf, target: Shelf) -> int:
    """Copy what belongs to no agent, and return how many were copied: keys, audit log, runs, turns that wait, notes.

    What is there already is left as it is, and so is a log that has lines: two chains cannot be made one. Both shelves
    of this machine's files are the same one.
    """
    if not (source.is_shared or target.is_shared):
        return 0
    return await asyncio.to_thread(_move_shelf, source, target)


_SHELVED = (".access", ".access/runs", ".access/replays", ".access/heads", ".embedders", ".proxy", ".proxy/refused")
"""The folders of documents that are copied."""
_MARKER = ".keys-were-made"
_LOGS = ".access/audit"


def _move_shelf(source: Shelf, target: Shelf) -> int:
    """Copy keys, notes and audit logs, what is there already excepted, and return how many were copied.

    Logs are compared line by line afterwards: their chain is the proof of what was done, and must arrive whole.
    """
    documents = [*(pair for folder in _SHELVED for pair in source.documents(folder))]
    marker = source.read(_MARKER)
    if marker is not None:
        # First, as whenever keys are made: a copy that breaks off leaves nothing open.
        documents.insert(0, (_MARKER, marker))
    copied = 0
    for name, content in documents:
        if not target.exists(name):
            target.write(name, content)
            copied += 1
    for name in source.logs(_LOGS):
        lines, log = list(source.log(name).lines()), target.log(name)
        if lines and name.endswith(".jsonl") and log.state() is None:
            with log.held() as held:
                held.put(lines, place=0)
            if list(log.lines()) != lines:
                raise IntegrityError(f"the copy of {name} is not like its original; look at the target and copy again")
            copied += 1
    return copied


class _Noted:
    """Lines on their way, of which the last is kept: it seals the others."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines
        self.last = ""

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            self.last = line
            yield line


async def _seal(stores: Stores, scope: Scope) -> str:
    """Return the last line of an agent's export, which counts and hashes all the others."""
    last = ""
    async for line in export_lines(stores.store, scope):
        last = line
    return last


async def _copy_files(source: Stores, target: Stores, scope: Scope) -> int:
    """Copy files that are not there yet; each is read and named by its hash, so that none can be another."""
    digests = await source.blobs.digests(scope)
    there = set(await target.blobs.digests(scope))
    for digest in digests:
        if digest not in there:
            await target.blobs.put(scope, await source.blobs.get(scope, digest))
    return len(digests)


def require_two(source: str, target: str) -> None:
    """Refuse to copy something to itself."""
    if source.rstrip("/") == target.rstrip("/"):
        raise InvalidInput("both URLs name the same place; nothing was copied")

"""The audit log: who did what to whose memory, append-only, each line sealed by the one before it."""

import asyncio
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Annotated

from pydantic import Field

from remanent.errors import InvalidInput, StorageError, StorageFull
from remanent.model import Clock, Word, system_clock
from remanent.model.clock import Instant
from remanent.model.word import Count
from remanent.operations.access.keys import FOLDER

FILE = "audit.jsonl"
BEGINNING = "0" * 64
"""What the first line is sealed by."""

_LONGEST = 1 << 20
_NO_ROOM = frozenset({28, 122})


class Deed(Word):
    """What is to be noted: never any text of a memory, only who, what, where and on which ids."""

    who: str
    what: str
    org: str
    workspace: str | None = None
    agent: str | None = None
    subjects: tuple[str, ...] = ()
    outcome: str = "ok"
    """`ok`, or the name of the error that it ended with."""


class Noted(Word):
    """One line of the log."""

    seq: Count
    at: Instant
    deed: Deed
    previous: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    seal: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Verified(Word):
    """What a walk along the whole chain found."""

    intact: bool
    lines: Count
    head: str
    """The seal of the last good line: note it elsewhere, and a log that was cut short is noticed too."""
    problem: str = ""


class AuditLog:
    """The log of one home folder; several processes may write it, one line after the other."""

    def __init__(self, home: Path, *, clock: Clock = system_clock) -> None:
        self._folder = home / FOLDER
        self._file = self._folder / FILE
        self._clock = clock
        self._waiting: list[tuple[Deed, asyncio.Future[None]]] = []
        self._writer: ThreadPoolExecutor | None = None
        self._flushing: asyncio.Task[None] | None = None

    async def note(self, deed: Deed) -> None:
        """Write a line; on return it survives any crash. Lines that come together share one sync."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((deed, done))
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush(), name="remanent audit")
        await done

    async def close(self) -> None:
        """Finish what is under way."""
        if self._flushing is not None:
            await asyncio.gather(self._flushing, return_exceptions=True)
        if self._writer is not None:
            self._writer.shutdown()
            self._writer = None

    async def _flush(self) -> None:
        if self._writer is None:
            self._writer = ThreadPoolExecutor(1, thread_name_prefix="remanent-audit")
        while self._waiting:
            batch, self._waiting = self._waiting, []
            deeds = [deed for deed, _ in batch]
            try:
                await asyncio.get_running_loop().run_in_executor(self._writer, self._append, deeds)
            except OSError as error:
                kind = StorageFull if error.errno in _NO_ROOM else StorageError
                failure = kind(f"the audit log {self._file} cannot be written: {error.strerror}")
                for _, done in batch:
                    if not done.done():
                        done.set_exception(failure)
                continue
            for _, done in batch:
                if not done.done():
                    done.set_result(None)

    def _append(self, deeds: list[Deed]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            seq, seal = _tail(file)
            at = self._clock()
            lines = []
            for deed in deeds:
                line = _sealed(Noted(seq=seq + 1, at=at, deed=deed, previous=seal, seal=BEGINNING))
                seq, seal = line.seq, line.seal
                lines.append(line.to_json())
            file.write(("\n".join(lines) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> Iterator[Noted]:
        """Yield the lines, oldest first, up to the first that cannot be read."""
        try:
            with self._file.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    noted = Noted.from_json(line)
                    if noted.to_json().encode() != line.rstrip(b"\n"):
                        # The same values in other letters, such as a lower-case t in a time: not what was written.
                        raise InvalidInput(f"line {noted.seq} of the audit log is not as it was written")
                    yield noted
        except FileNotFoundError:
            return

    def verify(self) -> Verified:
        """Walk along the whole chain and say whether every line is as it was written."""
        seq, seal = 0, BEGINNING
        try:
            for line in self.read():
                problem = _problem(line, seq=seq, seal=seal)
                if problem:
                    return Verified(intact=False, lines=seq, head=seal, problem=f"line {seq + 1}: {problem}")
                seq, seal = line.seq, line.seal
        except InvalidInput:
            return Verified(intact=False, lines=seq, head=seal, problem=f"line {seq + 1}: cannot be read")
        return Verified(intact=True, lines=seq, head=seal)


def _problem(line: Noted, *, seq: int, seal: str) -> str:
    if line.seq != seq + 1:
        return f"has number {line.seq}; lines are missing or were moved"
    if line.previous != seal:
        return "does not follow the line before it"
    return "" if _sealed(line).seal == line.seal else "was changed after it was written"


def _sealed(line: Noted) -> Noted:
    body = line.model_dump(mode="json", exclude={"seal"})
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return line.model_copy(update={"seal": hashlib.sha256(text.encode()).hexdigest()})


def _tail(file: IO[bytes]) -> tuple[int, str]:
    """Return number and seal of the last line; what a crash left of an unfinished one is taken away."""
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        return 0, BEGINNING
    start = max(0, size - _LONGEST)
    file.seek(start)
    block = file.read(size - start)
    if not block.endswith(b"\n"):
        whole = block.rfind(b"\n") + 1
        file.truncate(start + whole)
        block = block[:whole]
        if not block:
            return 0, BEGINNING
    last = Noted.from_json(block[block.rfind(b"\n", 0, -1) + 1 :])
    return last.seq, last.seal

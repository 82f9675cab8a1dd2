"""The lines of one organisation's audit log: each sealed with a key and by the line before it, the last one anchored.

The order of a write is: lines, sync, anchor, sync. So a log may be ahead of its anchor by what was being written when
the power went, and is never behind it: a log that ends before its anchor was cut.
"""

import fcntl
import hashlib
import hmac
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from remanent.errors import IntegrityError, InvalidInput, StorageError, StorageFull, StoreBusy
from remanent.model import Clock, Model
from remanent.model.base import Count
from remanent.model.clock import Instant
from remanent.operations.access.anchors import BEGINNING, MISSING, Anchors, Head, Sealer
from remanent.stores.sqlite.layout import make_folder, sync_folder

BROKEN = "audit.broken"
"""What a line says that comes after damage: which lines are missing, and the hash of what was left of them."""
CARRIED = "audit.carried"
"""What the first line of an organisation says whose earlier lines stand in the log that all shared before."""
MAX_BATCH = 32
"""Lines in one write: with 100 subjects each they still fit into the part of the file that is looked through."""
DAMAGED = ".damaged"

_OURSELVES = "remanent"

_NEAR, _FAR = 1 << 13, 1 << 20
"""Bytes at the end of the file in which the anchored line is looked for: nearly always, and at most."""
_ROOM = 1 << 20
"""Free bytes below which nothing is begun that could then not be noted: some hundred lines."""
_PATIENCE = 10.0
"""Seconds to wait for another process that writes; one write takes milliseconds."""


class AuditEvent(Model):
    """What is to be noted: never any text of a memory, only who, what, where and on which ids."""

    who: str
    what: str
    org: str
    workspace: str | None = None
    agent: str | None = None
    subjects: tuple[str, ...] = ()
    outcome: str = "ok"
    """`ok`, or the name of the error that it ended with."""


class AuditLine(Model):
    """One line of the log."""

    seq: Count
    at: Instant
    deed: AuditEvent
    previous: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    seal: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class AuditVerification(Model):
    """What a walk along the whole chain found."""

    intact: bool
    lines: Count
    head: str
    """The seal of the last line up to which everything fits."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CarriedLines:
    """What an organisation has in the log that all shared before."""

    lines: int
    last: int
    """The number of its last line there."""
    digest: str
    """The hash of its lines there."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _End:
    """Where the next line goes, and what must stand before it."""

    head: Head
    offset: int
    first: AuditEvent | None = None


class Chain:
    """One organisation's log; several processes may write it, one after the other."""

    def __init__(
        self,
        file: Path,
        *,
        org: str,
        anchors: Anchors,
        clock: Clock,
        carried: Callable[[], CarriedLines | None] = lambda: None,
    ) -> None:
        self._file = file
        self._org = org
        self._anchors = anchors
        self._clock = clock
        self._carried = carried

    # ── writing ──────────────────────────────────────────────────────────────

    def append(self, deeds: Sequence[AuditEvent]) -> None:
        """Write lines; on return they survive any crash. Damage at the end is set aside first, and named in a line."""
        self.require_room()
        sealer = self._anchors.make_sealer(self._org)
        with self._held() as handle:
            end = self._end(handle, sealer)
            self._anchors.require(self._org)
            told = [*([] if end.first is None else [end.first]), *deeds]
            if not told:
                return
            head, at, lines = end.head, self._clock(), []
            for deed in told:
                line = sealed(AuditLine(seq=head.seq + 1, at=at, deed=deed, previous=head.seal, seal=BEGINNING), sealer)
                head = Head(line.seq, line.seal)
                lines.append(line.to_json() + "\n")
            self._put(handle, "".join(lines).encode(), end.offset)
            self._anchors.move(self._org, head, sealer=sealer)

    def require_room(self) -> None:
        """Refuse when the disk would not take a line."""
        folder = next(folder for folder in self._file.parents if folder.exists())
        state = os.statvfs(folder)
        if state.f_flag & os.ST_RDONLY:
            raise StorageError("the audit log lies on a disk that cannot be written to; nothing was changed")
        if state.f_bavail * state.f_frsize < _ROOM:
            raise StorageFull("no room is left to note in the audit log what is done; nothing was changed")

    def state(self) -> tuple[int, ...] | None:
        """Return what differs once anybody has touched the file, or `None` where there is none."""
        try:
            found = self._file.stat()
        except MISSING:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    @contextmanager
    def _held(self) -> Iterator[int]:
        """Open and lock the log; made when there is none, and only readable by its owner."""
        make_folder(self._file.parent)
        handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _lock(handle)
            if os.fstat(handle).st_size == 0:
                sync_folder(self._file.parent)
            yield handle
        finally:
            os.close(handle)

    @staticmethod
    def _put(handle: int, content: bytes, offset: int) -> None:
        """Write and sync lines, all or nothing."""
        try:
            written = 0
            while written < len(content):
                written += os.pwrite(handle, content[written:], offset + written)
            os.ftruncate(handle, offset + len(content))
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, offset)  # whoever is told that it was not noted finds it not noted
            raise

    def _end(self, handle: int, sealer: Sealer) -> _End:
        """Return where to go on; what a crash left of an unfinished line is written over."""
        size = os.fstat(handle).st_size
        try:
            anchor = self._anchors.find(self._org, sealer=sealer)
        except IntegrityError:
            return self._broken(handle, sealer, Head())
        if size == 0 and (anchor is None or anchor.seq == 0):
            if anchor is None:
                self._anchors.begin(self._org, Head(), sealer=sealer)
            return self._beginning()
        end = None if anchor is None else _sound_end(handle, sealer, anchor)
        return self._broken(handle, sealer, anchor or Head()) if end is None else end

    def _beginning(self) -> _End:
        """Return the start of a new chain; where an older log holds lines of the organisation, its first line vouches
        for them.
        """
        before = self._carried()
        if before is None:
            return _End(Head(), 0)
        told = (f"lines:{before.lines}", f"sha256:{before.digest}", before.problem or "intact")
        return _End(Head(before.last), 0, AuditEvent(who=_OURSELVES, what=CARRIED, org=self._org, subjects=told))

    def _broken(self, handle: int, sealer: Sealer, anchor: Head) -> _End:
        """Set aside what follows the last good line, and go on from there with a line that says so."""
        size, good, offset = os.fstat(handle).st_size, Head(), 0
        for line, ends in _backwards(handle, size, within=_FAR):
            found = _read(line, sealer)
            if found is not None:
                good, offset = Head(found.seq, found.seal), ends
                break
        head = Head(max(anchor.seq, good.seq), good.seal)
        name, digest = self._set_aside(handle, offset, seq=head.seq + 1)
        told = (f"kept:{good.seq}", f"anchored:{anchor.seq}", f"file:{name}", f"sha256:{digest}")
        return _End(head, offset, AuditEvent(who=_OURSELVES, what=BROKEN, org=self._org, subjects=told))

    def _set_aside(self, handle: int, offset: int, *, seq: int) -> tuple[str, str]:
        """Copy the file from there on into one of its own; even an empty one, which tells that something was lost."""
        digest = hashlib.sha256()
        unnamed = self._file.with_suffix(".part")
        with unnamed.open("wb") as copy:
            while piece := os.pread(handle, _FAR, offset):
                offset += len(piece)
                digest.update(piece)
                copy.write(piece)
            copy.flush()
            os.fsync(copy.fileno())
        name = f"{self._file.stem}.{seq}-{digest.hexdigest()[:8]}{DAMAGED}"
        unnamed.replace(self._file.with_name(name))
        sync_folder(self._file.parent)
        return name, digest.hexdigest()

    # ── reading ──────────────────────────────────────────────────────────────

    def read(self) -> Iterator[AuditLine]:
        """Yield the lines that can be read, oldest first."""
        for line in self._lines():
            try:
                yield AuditLine.from_json(line)
            except InvalidInput:
                continue  # `verify` tells of it

    def is_sound(self) -> bool:
        """Whether the log ends where it should; what lies further back is for `verify`."""
        sealer = self._anchors.sealer(self._org)
        handle: int | None = None
        try:
            handle = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
        except MISSING:
            pass
        except OSError:
            return False
        try:
            if handle is not None:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            size = 0 if handle is None else os.fstat(handle).st_size
            anchor = None if sealer is None else self._anchors.find(self._org, sealer=sealer)
            if size == 0 or handle is None or sealer is None:
                return size == 0 and (anchor is None or anchor.seq == 0)
            return anchor is not None and _sound_end(handle, sealer, anchor) is not None
        except BlockingIOError:
            return True  # somebody is writing, and looks at it before
        except (OSError, IntegrityError):
            return False
        finally:
            if handle is not None:
                os.close(handle)

    def verify(self) -> AuditVerification:
        """Walk along the whole chain and say whether every line is there, and as it was written."""
        try:
            sealer = self._anchors.sealer(self._org)
            # Before the first line is read: a line that comes meanwhile may be ahead of it, never behind.
            anchor = None if sealer is None else self._anchors.find(self._org, sealer=sealer)
        except IntegrityError as error:
            return AuditVerification(intact=False, lines=0, head=BEGINNING, problem=str(error))
        before = self._carried()
        is_begun = any(True for _ in self._lines())
        if sealer is None or (anchor is None and is_begun):
            lines = 0 if before is None else before.lines
            problem = "the key of its seals and what it is held against are missing" if is_begun else ""
            problem = problem or ("" if before is None else before.problem)
            return AuditVerification(intact=not problem, lines=lines, head=BEGINNING, problem=problem)
        return _Walk(sealer, self._file.parent, before).along(self._lines(), anchor or Head())

    def _lines(self) -> Iterator[bytes]:
        """Yield the whole lines of the file; a last one without its end was never acknowledged."""
        try:
            with self._file.open("rb") as file:
                yield from (line for line in file if line.endswith(b"\n"))
        except MISSING:
            return


class _Walk:
    """Goes along a chain and gathers what is wrong with it."""

    def __init__(self, sealer: Sealer, folder: Path, carried: CarriedLines | None) -> None:
        self._sealer = sealer
        self._folder = folder
        self._carried = carried
        self._head = Head() if carried is None else Head(carried.last)
        self._good = self._head
        self._lines = 0 if carried is None else carried.lines
        self._problems: list[str] = []

    def along(self, lines: Iterator[bytes], anchor: Head) -> AuditVerification:
        """Return what is found, up to the first line that does not fit."""
        number = 0
        for number, content in enumerate(lines, start=1):
            line = _read(content, self._sealer)
            problem = self._problem(line, anchor)
            if line is None or problem:
                where = f"line {self._head.seq + 1}" if line is None else f"line {line.seq}"
                self._find(f"{where} ({number} of the file): {problem}")
                break
            self._take(line, number)
        else:
            if self._head.seq < anchor.seq:
                self._find(_missing(self._head.seq, anchor.seq))
            elif number == 0 and self._carried is not None and self._carried.problem:
                self._find(self._carried.problem)
        return AuditVerification(
            intact=not self._problems, lines=self._lines, head=self._good.seal, problem="; ".join(self._problems)
        )

    def _problem(self, line: AuditLine | None, anchor: Head) -> str:
        """Return what is wrong with a line at its place, or nothing."""
        if line is None:
            return "cannot be read, or was changed after it was written"
        if line.previous != self._head.seal:
            return "does not follow the line before it"
        if line.seq != self._head.seq + 1 and line.deed.what != BROKEN:
            return f"should be {self._head.seq + 1}; lines are missing or were moved"
        if line.seq == anchor.seq and line.seal != anchor.seal:
            return "is not the one that was noted last"
        return ""

    def _take(self, line: AuditLine, number: int) -> None:
        """Go on to a line that fits, and look at what it says of damage or of lines carried over."""
        if line.deed.what == BROKEN:
            self._find(self._told_broken(line))
        elif line.deed.what == CARRIED and number == 1:
            self._check_carried(line)
        elif number == 1 and self._carried is not None:
            self._find("the lines of before are not those that were carried over")
        self._head = Head(line.seq, line.seal)
        if not self._problems:
            self._good = self._head
            self._lines += 1

    def _find(self, problem: str) -> None:
        self._problems.append(problem)

    def _told_broken(self, line: AuditLine) -> str:
        """Return what a line tells of damage that was found when it was written."""
        told = _told(line)
        file = self._folder / told.get("file", "")
        try:
            with file.open("rb") as stream:
                is_same = hashlib.file_digest(stream, "sha256").hexdigest() == told.get("sha256")
            left = f"what was left of them is in {file.name}" + ("" if is_same else ", which was changed since")
        except OSError:
            left = f"what was left of them was in {file.name}, which was taken away"
        last = max(int(told.get("anchored", 0)), int(told.get("kept", 0)))
        gone = _missing(int(told.get("kept", 0)), last)
        return f"{gone}, as was found on {line.at.isoformat(timespec='seconds')}; {left}"

    def _check_carried(self, line: AuditLine) -> None:
        """Hold the lines of the older log against what was noted of them when the chain began."""
        told, before = _told(line), self._carried
        if before is None or (str(before.lines), before.digest) != (told.get("lines"), told.get("sha256")):
            self._find("the lines of before are not those that were carried over")
        elif line.deed.subjects[-1] != "intact":
            self._find(line.deed.subjects[-1])


def _missing(kept: int, last: int) -> str:
    if last > kept:
        return f"lines {kept + 1} to {last} are missing or damaged"
    return f"what followed line {kept} was damaged, or what the log is held against was"


def _told(line: AuditLine) -> dict[str, str]:
    return dict(subject.split(":", 1) for subject in line.deed.subjects if ":" in subject)


def sealed(line: AuditLine, sealer: Sealer) -> AuditLine:
    """Return a line with its seal."""
    return line.model_copy(update={"seal": sealer.seal(sealed_text(line))})


def sealed_text(line: AuditLine) -> str:
    """Return what a seal is over: everything else that the line says."""
    body = line.model_dump(mode="json", exclude={"seal"})
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _read(content: bytes, sealer: Sealer) -> AuditLine | None:
    """Return a line, unless it is not exactly as it was written and sealed."""
    try:
        line = AuditLine.from_json(content)
    except InvalidInput:
        return None
    if line.to_json().encode() + b"\n" != content:
        return None  # the same values in other letters, such as a lower-case t in a time
    return line if hmac.compare_digest(sealer.seal(sealed_text(line)), line.seal) else None


def _sound_end(handle: int, sealer: Sealer, anchor: Head) -> _End | None:
    """Return the end of a log that reaches its anchor, and whose lines after it, if any, follow each other."""
    size = os.fstat(handle).st_size
    for within in (_NEAR, _FAR):
        last: _End | None = None
        previous = ""
        for content, ends in _backwards(handle, size, within=within):
            line = _read(content, sealer)
            if line is None or (previous and line.seal != previous) or line.seq < anchor.seq:
                return None
            last = last or _End(Head(line.seq, line.seal), ends)
            if line.seq == anchor.seq:
                return last if line.seal == anchor.seal else None
            previous = line.previous
            if anchor.seq == 0 and previous == BEGINNING:
                return last  # the first lines of all, and the power went before they were anchored
    return None


def _backwards(handle: int, size: int, *, within: int) -> Iterator[tuple[bytes, int]]:
    """Yield the whole lines at the end of a file with where each ends, the last one first."""
    start = max(0, size - within)
    block = os.pread(handle, size - start, start)
    ends = block.rfind(b"\n") + 1
    while ends:
        begins = block.rfind(b"\n", 0, ends - 1) + 1
        if begins == 0 and start > 0:
            return  # begins before the block
        yield block[begins:ends], start + ends
        ends = begins


def _lock(handle: int) -> None:
    """Lock the file against other processes, within a bound: a process that hangs must not hang the others."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise StoreBusy("another process holds the audit log; nothing was changed") from None
            time.sleep(0.002)
        else:
            return

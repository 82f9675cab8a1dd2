"""The lines of one organisation's audit log: each sealed with a key and by the line before it, the last one anchored.

The order of a write is: lines, sync, anchor, sync. So a log may be ahead of its anchor by what was being written when
the power went, and is never behind it: a log that ends before its anchor was cut.

What a log is held against is kept apart from it: the key of its seals, and how far each chain has come. Whoever can
write to the log's folder can drop, cut and rewrite lines there. He can neither seal a line, because the key lies there,
nor hide that lines are missing, because the last one is noted there, under a seal of its own.
"""

import fcntl
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote

from pydantic import Field

from remanent.durability import make_folder, sync_file, write_durably
from remanent.errors import IntegrityError, InvalidInput, InvalidSettings, StoreBusy
from remanent.lightweight import dataclass
from remanent.model import Clock, Model
from remanent.model.base import Count
from remanent.model.clock import Instant
from remanent.stores.shelf import DAMAGED, MISSING, Log, OpenLog, Shelf, require_writable
from remanent.stores.sqlite.folders import folder_name

KEY = "audit.key"
HEADS = "audit"
_HEAD = ".head"
BEGINNING = "0" * 64
"""What the first line is sealed by."""

_NOTED = ".access/heads"
"""Where it is noted beside a shared log how far it has come."""
_KEY_MARK = ".access/audit.key-mark"
"""Tells which key the shared log is sealed with."""

_LEAST = 32
"""Characters of a key: 128 bits in hexadecimal digits, below which one could be guessed."""
_SLOT = 512
"""A sector, which disks write whole or not at all: a crash spoils one of the two slots and never both."""


@dataclass(frozen=True, slots=True)
class Head:
    """The last line of a chain."""

    seq: int = 0
    seal: str = BEGINNING


class Sealer:
    """Seals what belongs to one organisation; under the name of another they do not fit."""

    def __init__(self, key: bytes, *, org: str) -> None:
        self._key = hmac.digest(key, f"audit of {org}".encode(), "sha256")

    def seal(self, text: str) -> str:
        """Return the seal of a text."""
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()


def file_stem(org: str) -> str:
    """Return an organisation's name as that of a file, which differs from others' even where case does not count."""
    mark = "" if org == org.casefold() else f"#{hashlib.sha256(org.encode()).hexdigest()[:8]}"
    return folder_name(org) + mark


def org_of(stem: str) -> str:
    """Return the organisation whose file has this name."""
    return unquote(stem.partition("#")[0])


class Anchors:
    """The secrets of one home folder, as far as its audit log needs some.

    Where several servers share a log, each holds it against what it has seen itself, which lies in its own folder, and
    against what is noted beside the log: `SharedAnchors`.
    """

    def __init__(
        self, folder: Path, *, key: str | None = None, random: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._folder = folder
        self._key = key
        """The key of the seals where the settings give it; else a file holds it."""
        self._random = random

    def sealer(self, org: str) -> Sealer | None:
        """Return what seals lines of an organisation, or `None` where no key was made yet."""
        key = self.key()
        return None if key is None else Sealer(key, org=org)

    def key(self) -> bytes | None:
        """Return the key of all seals."""
        try:
            key = (self._folder / KEY).read_bytes().strip() if self._key is None else self._key.strip().encode()
        except MISSING:
            return None
        if len(key) < _LEAST:
            raise IntegrityError(f"{KEY} is damaged: it has fewer than {_LEAST} characters; restore it from a backup")
        return key

    def make_sealer(self, org: str) -> Sealer:
        """Return what seals lines of an organisation; the key is made when there is none."""
        found = self.sealer(org)
        if found is None:
            make_folder(self._folder)
            with (self._folder / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # held for a moment and by nobody who waits for anything else
                if self.sealer(org) is None:
                    write_durably(self._folder / KEY, self._random(32).hex().encode() + b"\n")
            found = self.sealer(org)
        if found is None:
            raise IntegrityError(f"{KEY} was removed while it was being created")
        return found

    def orgs(self) -> Iterator[str]:
        """Yield every organisation whose log was begun."""
        names: list[str] = []
        with suppress(*MISSING), os.scandir(self._folder / HEADS) as files:
            names = sorted(file.name for file in files if file.name.endswith(_HEAD))
        yield from (org_of(name.removesuffix(_HEAD)) for name in names)

    def all(self, org: str, *, sealer: Sealer) -> list[Head]:
        """Return every line that the chain must hold, the last one last; none where no chain was begun."""
        try:
            content = self._file(org).read_bytes()
        except MISSING:
            return []
        return [_latest(content, sealer)]

    def find(self, org: str, *, sealer: Sealer) -> Head | None:
        """Return how far a chain has come, or `None` where none was begun."""
        return next(reversed(self.all(org, sealer=sealer)), None)

    def begin(self, org: str, head: Head, *, sealer: Sealer) -> None:
        """Note where a chain begins: before its first line, so that a log without this has lost it."""
        make_folder(self._folder / HEADS)
        write_durably(self._file(org), _slot(head, sealer) + b" " * _SLOT)

    def require(self, org: str) -> None:
        """Refuse when no line could be sealed, or it could not be noted how far a chain has come."""
        if self.key() is None:
            require_writable(self._folder / KEY)
        require_writable(self._file(org))

    def move(self, org: str, head: Head, *, sealer: Sealer) -> None:
        """Note how far a chain has come; on return that survives a crash."""
        try:
            handle = os.open(self._file(org), os.O_RDWR | os.O_CLOEXEC)
        except MISSING:
            self.begin(org, head, sealer=sealer)
            return
        try:
            slots = _slots(os.pread(handle, 2 * _SLOT, 0), sealer)
            seqs = [-1 if slot is None else slot.seq for slot in slots]
            # Over the older one: what is written now may not be written whole.
            os.pwrite(handle, _slot(head, sealer), _SLOT * seqs.index(min(seqs)))
            sync_file(handle)
        finally:
            os.close(handle)

    def witness(self, org: str, head: Head, *, sealer: Sealer) -> None:
        """Be told of lines that are durable, where that is more than was noted with them."""

    def _file(self, org: str) -> Path:
        return self._folder / HEADS / f"{file_stem(org)}{_HEAD}"


class SharedAnchors(Anchors):
    """How far a chain has come that several servers write: noted with its lines, in the database, and by each server.

    Whoever can write to the database can take lines away together with the note beside them. The servers that saw them
    know it: what each saw last lies in its own folder.
    """

    def __init__(self, shelf: Shelf, folder: Path, *, key: str | None) -> None:
        super().__init__(folder, key=key)
        self._shelf = shelf
        self._is_marked = False
        """Whether it was noted, when this was last looked at, which key seals the log."""

    def sealer(self, org: str) -> Sealer | None:
        """Return what seals lines; a server that has another key than the first one had is refused."""
        known = self._shelf.read(_KEY_MARK)
        self._is_marked = known is not None
        if known is not None and (self.key() is None or self._mark() != known):
            raise InvalidSettings(
                "this database's audit log is sealed with a different key from this server's; set REMANENT_SEAL_KEY "
                "to the first server's key, or copy its audit.key into the secrets folder"
            )
        return super().sealer(org)

    def make_sealer(self, org: str) -> Sealer:
        """Return what seals lines, once it is noted by which key."""
        sealer = super().make_sealer(org)
        if not self._is_marked:
            with self._shelf.locked(_KEY_MARK):
                if self._shelf.read(_KEY_MARK) is None:
                    self._shelf.write(_KEY_MARK, self._mark())
            return self.make_sealer(org)
        return sealer

    def _mark(self) -> bytes:
        """Return what tells one key from another and not what it is."""
        return hmac.digest(self.key() or b"", b"which key seals the audit log", "sha256").hex().encode()

    def orgs(self) -> Iterator[str]:
        """Yield every organisation whose log was begun, by whichever server; the one written to last comes last."""
        there = [org_of(name.rpartition("/")[2].removesuffix(".json")) for name in self._shelf.names(_NOTED)]
        yield from sorted(set(super().orgs()).difference(there))
        yield from there

    def all(self, org: str, *, sealer: Sealer) -> list[Head]:
        """Return what this server saw last and what is noted beside the log."""
        content = self._shelf.read(self._noted(org))
        heads = [*super().all(org, sealer=sealer), *([] if content is None else [_latest(content, sealer)])]
        return sorted(heads, key=lambda head: head.seq)

    def begin(self, org: str, head: Head, *, sealer: Sealer) -> None:
        """Note where a chain begins, with its first line."""
        self._shelf.write(self._noted(org), _slot(head, sealer))

    def require(self, org: str) -> None:
        """Leave it to the database: it takes the note with the lines, or neither."""

    def move(self, org: str, head: Head, *, sealer: Sealer) -> None:
        """Note how far a chain has come, in the transaction of the lines."""
        self.begin(org, head, sealer=sealer)

    def witness(self, org: str, head: Head, *, sealer: Sealer) -> None:
        """Note what this server has seen, after it is durable."""
        if self._file(org).exists():
            super().move(org, head, sealer=sealer)
        else:
            super().begin(org, head, sealer=sealer)

    @staticmethod
    def _noted(org: str) -> str:
        return f"{_NOTED}/{file_stem(org)}.json"


def _latest(content: bytes, sealer: Sealer) -> Head:
    """Return how far the log has come by the newer of the two slots that can be read; one may be spoiled by a crash."""
    heads = [head for head in _slots(content, sealer) if head is not None]
    if not heads:
        raise IntegrityError(
            "the position of the audit log cannot be read: it was damaged, or the key is a different one"
        )
    return max(heads, key=lambda head: head.seq)


def _slot(head: Head, sealer: Sealer) -> bytes:
    told = f"{head.seq} {head.seal}"
    return f"{told} {sealer.seal(f'head {told}')}".ljust(_SLOT - 1).encode() + b"\n"


def _slots(content: bytes, sealer: Sealer) -> tuple[Head | None, Head | None]:
    first, second = (_head(content[start : start + _SLOT], sealer) for start in (0, _SLOT))
    return first, second


def _head(slot: bytes, sealer: Sealer) -> Head | None:
    """Return the head that a slot holds, or `None` where its seal does not fit: half-written, or forged."""
    parts = slot.decode("ascii", errors="replace").split()
    if len(parts) != 3 or not parts[0].isdecimal():
        return None
    seq, seal, proof = parts
    expected = sealer.seal(f"head {seq} {seal}")
    return Head(int(seq), seal) if hmac.compare_digest(expected.encode(), proof.encode()) else None


# ── what a chain is held against ─────────────────────────────────────────────


BROKEN = "audit.broken"
"""What a line says that comes after damage: which lines are missing, and the hash of what was left of them."""
MAX_BATCH = 32
"""Lines in one write: with 100 subjects each they still fit into the part of the file that is looked through."""

_OURSELVES = "remanent"

_NEAR, _FAR = 1 << 13, 1 << 20
"""Bytes at the end of the file in which the anchored line is looked for: nearly always, and at most."""


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
class _End:
    """Where the next line goes, and what must stand before it."""

    head: Head
    place: int
    first: AuditEvent | None = None


class Chain:
    """One organisation's log; several processes may write it, one after the other."""

    def __init__(self, log: Log, *, org: str, anchors: Anchors, clock: Clock) -> None:
        self._log = log
        self._org = org
        self._anchors = anchors
        self._clock = clock

    # ── writing ──────────────────────────────────────────────────────────────

    def append(self, deeds: Sequence[AuditEvent]) -> None:
        """Write lines; on return they survive any crash. Damage at the end is set aside first, and named in a line."""
        self.require_writable()  # before anything is judged: what cannot be opened must not be taken for damaged
        sealer = self._anchors.make_sealer(self._org)
        with self._log.held() as log:
            end = self._end(log, sealer)
            told = [*([] if end.first is None else [end.first]), *deeds]
            if not told:
                return
            head, at, lines = end.head, self._clock(), []
            for deed in told:
                line = sealed(AuditLine(seq=head.seq + 1, at=at, deed=deed, previous=head.seal, seal=BEGINNING), sealer)
                head = Head(line.seq, line.seal)
                lines.append(line.to_json().encode() + b"\n")
            log.put(lines, place=end.place)
            self._anchors.move(self._org, head, sealer=sealer)
        self._anchors.witness(self._org, head, sealer=sealer)

    def require_writable(self) -> None:
        """Refuse when a line could not be written; nothing is changed by asking."""
        self._log.require_room()
        self._anchors.require(self._org)

    def state(self) -> tuple[int, ...] | None:
        """Return what differs once anybody has touched the log, or `None` where there is none."""
        return self._log.state()

    def _end(self, log: OpenLog, sealer: Sealer) -> _End:
        """Return where to go on; what a crash left of an unfinished line is written over."""
        size = log.end
        try:
            anchor = self._anchors.find(self._org, sealer=sealer)
        except IntegrityError:
            return self._broken(log, sealer, Head())
        if size == 0 and (anchor is None or anchor.seq == 0):
            if anchor is None:
                self._anchors.begin(self._org, Head(), sealer=sealer)
            return _End(Head(), 0)
        end = None if anchor is None else _sound_end(log, sealer, anchor)
        return self._broken(log, sealer, anchor or Head()) if end is None else end

    def _broken(self, log: OpenLog, sealer: Sealer, anchor: Head) -> _End:
        """Set aside what follows the last good line, and go on from there with a line that says so."""
        good, place = Head(), 0
        for line, ends in log.backwards(within=_FAR):
            found = _read(line, sealer)
            if found is not None:
                good, place = Head(found.seq, found.seal), ends
                break
        head = Head(max(anchor.seq, good.seq), good.seal)
        stem = f"{file_stem(self._org)}.{head.seq + 1}"
        name, digest = log.set_aside(place, name=lambda digest: f"{stem}-{digest[:8]}{DAMAGED}")
        told = (f"kept:{good.seq}", f"anchored:{anchor.seq}", f"file:{name}", f"sha256:{digest}")
        return _End(head, place, AuditEvent(who=_OURSELVES, what=BROKEN, org=self._org, subjects=told))

    # ── reading ──────────────────────────────────────────────────────────────

    def read(self) -> Iterator[AuditLine]:
        """Yield the lines that can be read, oldest first."""
        for line in self._log.lines():
            try:
                yield AuditLine.from_json(line)
            except InvalidInput:
                continue  # `verify` tells of it

    def is_sound(self) -> bool:
        """Whether the log ends where it should; what lies further back is for `verify`."""
        try:
            sealer = self._anchors.sealer(self._org)
            with self._log.glance() as log:
                size = 0 if log is None else log.end
                anchor = None if sealer is None else self._anchors.find(self._org, sealer=sealer)
                if size == 0 or log is None or sealer is None:
                    return size == 0 and (anchor is None or anchor.seq == 0)
                return anchor is not None and _sound_end(log, sealer, anchor) is not None
        except StoreBusy:
            return True  # somebody is writing, and looks at it before
        except IntegrityError:
            return False

    def verify(self) -> AuditVerification:
        """Walk along the whole chain and say whether every line is there, and as it was written.

        What cannot be read is not called damaged: the system's error is raised.
        """
        try:
            sealer = self._anchors.sealer(self._org)
            # Before the first line is read: a line that comes meanwhile may be ahead of it, never behind.
            anchors = [] if sealer is None else self._anchors.all(self._org, sealer=sealer)
        except IntegrityError as error:
            return AuditVerification(intact=False, lines=0, head=BEGINNING, problem=str(error))
        if sealer is None or not anchors:
            is_begun = any(True for _ in self._log.lines())
            if sealer is None or is_begun:
                problem = "the key of its seals and what it is held against are missing" if is_begun else ""
                return AuditVerification(intact=not is_begun, lines=0, head=BEGINNING, problem=problem)
        return _Walk(sealer, self._log).along(self._log.lines(), anchors or [Head()])


class _Walk:
    """Goes along a chain and gathers what is wrong with it."""

    def __init__(self, sealer: Sealer, log: Log) -> None:
        self._sealer = sealer
        self._log = log
        self._head = self._good = Head()
        self._lines = 0
        self._problems: list[str] = []

    def along(self, lines: Iterator[bytes], anchors: Sequence[Head]) -> AuditVerification:
        """Return what is found, up to the first line that does not fit; the last of the anchors is the furthest."""
        anchor = anchors[-1]
        for number, content in enumerate(lines, start=1):
            line = _read(content, self._sealer)
            problem = self._problem(line, anchors)
            if line is None or problem:
                where = f"line {self._head.seq + 1}" if line is None else f"line {line.seq}"
                self._problems.append(f"{where} ({number} of the file): {problem}")
                break
            if line.deed.what == BROKEN:
                self._problems.append(self._told_broken(line))
            self._head = Head(line.seq, line.seal)
            if not self._problems:
                self._good = self._head
                self._lines += 1
        else:
            if self._head.seq < anchor.seq:
                self._problems.append(_missing(self._head.seq, anchor.seq))
        return AuditVerification(
            intact=not self._problems, lines=self._lines, head=self._good.seal, problem="; ".join(self._problems)
        )

    def _problem(self, line: AuditLine | None, anchors: Sequence[Head]) -> str:
        """Return what is wrong with a line at its place, or nothing."""
        if line is None:
            return "cannot be read, or was changed after it was written"
        if line.previous != self._head.seal:
            return "does not follow the line before it"
        if line.seq != self._head.seq + 1 and line.deed.what != BROKEN:
            return f"should be {self._head.seq + 1}; lines are missing or were moved"
        if any(line.seq == anchor.seq and line.seal != anchor.seal for anchor in anchors):
            return "is not the one that was noted last"
        return ""

    def _told_broken(self, line: AuditLine) -> str:
        """Return what a line tells of damage that was found when it was written."""
        told = _told(line)
        name = told.get("file", "")
        digest = self._log.aside(name)
        if digest is None:
            left = f"what was left of them was in {name}, which has been removed"
        else:
            is_same = digest == told.get("sha256")
            left = f"what was left of them is in {name}" + ("" if is_same else ", which was changed since")
        last = max(int(told.get("anchored", 0)), int(told.get("kept", 0)))
        gone = _missing(int(told.get("kept", 0)), last)
        return f"{gone}, as was found on {line.at.isoformat(timespec='seconds')}; {left}"


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


def _sound_end(log: OpenLog, sealer: Sealer, anchor: Head) -> _End | None:
    """Return the end of a log that reaches its anchor, and whose lines after it, if any, follow each other."""
    for within in (_NEAR, _FAR):
        last: _End | None = None
        previous = ""
        for content, ends in log.backwards(within=within):
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

"""The lines of one organisation's audit log: each sealed with a key and by the line before it, the last one anchored.

The order of a write is: lines, sync, anchor, sync. So a log may be ahead of its anchor by what was being written when
the power went, and is never behind it: a log that ends before its anchor was cut.
"""

import hmac
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

from pydantic import Field

from remanent.errors import IntegrityError, InvalidInput, StoreBusy
from remanent.model import Clock, Model
from remanent.model.base import Count
from remanent.model.clock import Instant
from remanent.operations.access.anchors import BEGINNING, Anchors, Head, Sealer, file_stem
from remanent.stores.shelf import DAMAGED, Log, OpenLog
from remanent.values import dataclass

BROKEN = "audit.broken"
"""What a line says that comes after damage: which lines are missing, and the hash of what was left of them."""
CARRIED = "audit.carried"
"""What the first line of an organisation says whose earlier lines stand in the log that all shared before."""
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
    place: int
    first: AuditEvent | None = None


class Chain:
    """One organisation's log; several processes may write it, one after the other."""

    def __init__(
        self,
        log: Log,
        *,
        org: str,
        anchors: Anchors,
        clock: Clock,
        carried: Callable[[], CarriedLines | None] = lambda: None,
    ) -> None:
        self._log = log
        self._org = org
        self._anchors = anchors
        self._clock = clock
        self._carried = carried

    # ── writing ──────────────────────────────────────────────────────────────

    def append(self, deeds: Sequence[AuditEvent]) -> None:
        """Write lines; on return they survive any crash. Damage at the end is set aside first, and named in a line."""
        self.require_room()
        sealer = self._anchors.make_sealer(self._org)
        with self._log.held() as log:
            end = self._end(log, sealer)
            self._anchors.require(self._org)
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

    def require_room(self) -> None:
        """Refuse when the disk would not take a line."""
        self._log.require_room()

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
            return self._beginning()
        end = None if anchor is None else _sound_end(log, sealer, anchor)
        return self._broken(log, sealer, anchor or Head()) if end is None else end

    def _beginning(self) -> _End:
        """Return the start of a new chain; where an older log holds lines of the organisation, its first line vouches
        for them.
        """
        before = self._carried()
        if before is None:
            return _End(Head(), 0)
        told = (f"lines:{before.lines}", f"sha256:{before.digest}", before.problem or "intact")
        return _End(Head(before.last), 0, AuditEvent(who=_OURSELVES, what=CARRIED, org=self._org, subjects=told))

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
        except (OSError, IntegrityError):
            return False

    def verify(self) -> AuditVerification:
        """Walk along the whole chain and say whether every line is there, and as it was written."""
        try:
            sealer = self._anchors.sealer(self._org)
            # Before the first line is read: a line that comes meanwhile may be ahead of it, never behind.
            anchors = [] if sealer is None else self._anchors.all(self._org, sealer=sealer)
        except IntegrityError as error:
            return AuditVerification(intact=False, lines=0, head=BEGINNING, problem=str(error))
        before = self._carried()
        is_begun = any(True for _ in self._log.lines())
        if sealer is None or (not anchors and is_begun):
            lines = 0 if before is None else before.lines
            problem = "the key of its seals and what it is held against are missing" if is_begun else ""
            problem = problem or ("" if before is None else before.problem)
            return AuditVerification(intact=not problem, lines=lines, head=BEGINNING, problem=problem)
        return _Walk(sealer, self._log, before).along(self._log.lines(), anchors or [Head()])


class _Walk:
    """Goes along a chain and gathers what is wrong with it."""

    def __init__(self, sealer: Sealer, log: Log, carried: CarriedLines | None) -> None:
        self._sealer = sealer
        self._log = log
        self._carried = carried
        self._head = Head() if carried is None else Head(carried.last)
        self._good = self._head
        self._lines = 0 if carried is None else carried.lines
        self._problems: list[str] = []

    def along(self, lines: Iterator[bytes], anchors: Sequence[Head]) -> AuditVerification:
        """Return what is found, up to the first line that does not fit; the last of the anchors is the furthest."""
        number, anchor = 0, anchors[-1]
        for number, content in enumerate(lines, start=1):
            line = _read(content, self._sealer)
            problem = self._problem(line, anchors)
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
        name = told.get("file", "")
        digest = self._log.aside(name)
        if digest is None:
            left = f"what was left of them was in {name}, which was taken away"
        else:
            is_same = digest == told.get("sha256")
            left = f"what was left of them is in {name}" + ("" if is_same else ", which was changed since")
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

"""What the audit log is held against, kept apart from it: the key of its seals, and how far each chain has come.

Whoever can write to the log's folder can drop, cut and rewrite lines there. He can neither seal a line, because the key
lies here, nor hide that lines are missing, because the last one is noted here, under a seal of its own.
"""

import fcntl
import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from remanent.durability import make_folder, write_durably
from remanent.errors import IntegrityError, InvalidSettings
from remanent.stores.shelf import MISSING, Shelf
from remanent.stores.sqlite.layout import folder_name
from remanent.values import dataclass

KEY = "audit.key"
HEADS = "audit"
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
            raise IntegrityError(f"{KEY} was taken away while it was made")
        return found

    def orgs(self) -> Iterator[str]:
        """Yield every organisation whose log was begun."""
        for file in sorted((self._folder / HEADS).glob("*.head")):
            yield org_of(file.stem)

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
        """Refuse when it could not be noted how far a chain has come."""
        with suppress(*MISSING):
            os.close(os.open(self._file(org), os.O_RDWR | os.O_CLOEXEC))

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
            os.fsync(handle)
        finally:
            os.close(handle)

    def witness(self, org: str, head: Head, *, sealer: Sealer) -> None:
        """Be told of lines that are durable, where that is more than was noted with them."""

    def _file(self, org: str) -> Path:
        return self._folder / HEADS / f"{file_stem(org)}.head"


class SharedAnchors(Anchors):
    """How far a chain has come that several servers write: noted with its lines, in the database, and by each server.

    Whoever can write to the database can take lines away together with the note beside them. The servers that saw them
    know it: what each saw last lies in its own folder.
    """

    def __init__(
        self,
        shelf: Shelf,
        folder: Path,
        *,
        key: str | None = None,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        super().__init__(folder, key=key, random=random)
        self._shelf = shelf

    def make_sealer(self, org: str) -> Sealer:
        """Return what seals lines; a server that has another key than the first one had is refused."""
        known = self._shelf.read(_KEY_MARK)
        if known is not None and (self.key() is None or self._mark() != known):
            raise InvalidSettings(
                "the audit log of this database is sealed with another key than this server has; set REMANENT_SEAL_KEY "
                "to that of the first server, or copy its audit.key into the folder of secrets"
            )
        sealer = super().make_sealer(org)
        if known is None:
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
        raise IntegrityError("how far the audit log has come cannot be read: it was damaged, or the key is another")
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

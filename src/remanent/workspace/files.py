"""The folder: whose it is, safe names, one writer at a time among processes, whole files, and every change undoable.

People edit the same files with editors that know nothing of our lock. So a file is looked at again at the last moment
before it is replaced, and made anew if somebody was faster. Who opened it before and writes after that writes into the
file that was replaced: its name is kept for a while (`late`), and what comes in there is brought over.

A folder is the session's, else the one that was chosen for the agent, else that of the settings. The latter belongs to
the agent that used it first, and others get one of their own: a key that reaches one agent must not read another's
files. Whoever wants one folder for all says so (`memory.shared`).
"""

import asyncio
import fcntl
import glob
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import SequenceMatcher, unified_diff
from functools import partial
from hashlib import sha256
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from remanent.discipline import Parts
from remanent.durability import NO_ROOM, make_folder, write_durably
from remanent.errors import InvalidInput, InvalidSettings, NotFound, StorageError, StorageFull, VersionConflict
from remanent.lightweight import dataclass
from remanent.model import Clock, Model, Scope
from remanent.model.base import Text
from remanent.model.clock import Instant
from remanent.workspace.settings import VAULT, WorkspaceSettings

T = TypeVar("T")
OURS = ".remanent"
"""The folder within the workspace that is ours: the lock, the owner's name, what can be undone."""
MEMORIES = "/memories"
"""How the memory tool of models calls the folder."""
_ATTEMPTS = 20
"""How often a change is made anew because somebody else wrote meanwhile; chosen by hand, twice is rare."""
_MAX_LATE = 64
"""Files replaced last of which a name is kept: who writes for longer than so many changes of ours take loses it. On a
busy machine two processes write nine times while a third waits between opening and writing."""
_CONTEXT = 2
"""Lines around a change by which its place is found again when lines before it came or went."""


class FileChange(Model):
    """One thing that we wrote into the folder."""

    id: Text
    path: Text
    at: Instant
    why: Text = ""
    diff: Text = ""
    """What it changed, as `diff -u` shows it."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as it was read: its text, and what tells that it is still the same."""

    text: str | None = None
    mark: tuple[int, int, int] | None = None
    mode: int | None = None


class _Changed(Exception):
    """Somebody wrote the file since it was read."""


@contextmanager
def lock_folder(root: Path, *, name: str = "lock") -> Iterator[None]:
    """Hold a lock of the folder among processes; the kernel's, so that it goes with the process however that ends."""
    make_folder(root / OURS)
    handle = os.open(root / OURS / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class WorkspaceFiles:
    """The files under one root."""

    def __init__(self, root: Path, *, clock: Clock, max_size: int = 100_000, max_changes: int = 1000) -> None:
        self.root = root
        self._clock = clock
        self._max_size = max_size
        self._max_changes = max_changes

    # ── names ────────────────────────────────────────────────────────────────

    def resolve(self, name: str) -> Path:
        """Return the file of a name within the folder; a name that leads out of it, or to what is hidden, is refused.

        Symbolic links may lead elsewhere in the folder and nowhere else.
        """
        parts = self._parts(name)
        path = Path(os.path.realpath(self.root.joinpath(*parts)))
        root = Path(os.path.realpath(self.root))
        if path != root and root not in path.parents:
            raise InvalidInput(f"{name!r} leads out of the workspace; name a file within it")
        if any(part.startswith(".") for part in path.relative_to(root).parts):
            raise InvalidInput(f"{name!r} is in a hidden folder; choose a name without a leading dot")
        return path

    def _parts(self, name: str) -> list[str]:
        """Return the parts of a name, once it can lead neither out of the workspace nor to what is ours in it."""
        if name == MEMORIES or name.startswith(f"{MEMORIES}/"):
            name = name.removeprefix(MEMORIES).lstrip("/")
        given = PurePosixPath(name if name.strip("/") else "")
        if given.is_absolute() or "\\" in name or not name.isprintable():
            raise InvalidInput("name the file relative to the workspace, such as memory/2026-05-31.md")
        parts = [part for part in given.parts if part != "."]
        if any(part == ".." for part in parts):
            raise InvalidInput("a name must not contain `..`; name a file within the workspace")
        if any(part.startswith(".") for part in parts):
            raise InvalidInput("hidden files and folders are not part of the workspace; choose another name")
        return parts

    def name_of(self, path: Path) -> str:
        """Return a file's name within the folder."""
        return path.relative_to(os.path.realpath(self.root)).as_posix()

    # ── reading ──────────────────────────────────────────────────────────────

    def read(self, name: str) -> str:
        """Return a file's text; `NotFound` where there is none."""
        text = self.find(name)
        if text is None:
            raise NotFound(f"there is no file {name} in the workspace")
        return text

    def find(self, name: str) -> str | None:
        """Return a file's text, or `None` where there is none."""
        with _system_errors():
            return _look(self.resolve(name)).text

    def names(self, under: str = "") -> list[tuple[str, int]]:
        """Return the files and folders below a folder, two levels deep, with their sizes; hidden ones are left out."""
        start = self.resolve(under)
        found: list[tuple[str, int]] = []
        with _system_errors():
            for first in _listed(start):
                found.append(self._entry(first))
                if first.is_dir():
                    found.extend(self._entry(second) for second in _listed(first))
        return found

    def _entry(self, path: Path) -> tuple[str, int]:
        name = path.relative_to(os.path.realpath(self.root)).as_posix()
        return (f"{name}/", 0) if path.is_dir() else (name, path.stat().st_size)

    # ── writing ──────────────────────────────────────────────────────────────

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Be the only one of ours who writes here."""
        with _system_errors(), lock_folder(self.root):
            yield

    def edit(self, name: str, change: Callable[[str | None], str | None], *, why: str) -> FileChange | None:
        """Make a file what `change` makes of its text, whole and durable on return; `None` where nothing changed.

        `change` is given `None` where there is no file, and is called again when somebody else wrote meanwhile.
        Returning `None` leaves the file as it is.
        """
        path = self.resolve(name)

        def attempt() -> FileChange | None:
            seen = _look(path)
            after = change(seen.text)
            if after is None or after == seen.text:
                return None
            self._check_size(name, after)
            noted = self._replace(path, seen, after, why=why)
            self._bring_over(path)
            return noted

        with self.lock():
            self._bring_over(path)
            return _until_it_stays(name, attempt)

    def delete(self, name: str, *, why: str) -> FileChange:
        """Remove a file; what was in it can be brought back by `undo`."""
        path = self.resolve(name)
        with self.lock():
            seen = _look(path)
            if seen.text is None:
                raise NotFound(f"there is no file {name} in the workspace")
            noted = self._note(self.name_of(path), seen.text, None, why=why)
            path.unlink()
        return noted

    def rename(self, name: str, new_name: str, *, why: str) -> FileChange:
        """Give a file another name; one that is taken is refused."""
        source, target = self.resolve(name), self.resolve(new_name)
        with self.lock():
            if not source.is_file():
                raise NotFound(f"there is no file {name} in the workspace")
            if target.exists():
                raise InvalidInput(f"the file {new_name} already exists; choose another name, or delete it first")
            make_folder(target.parent)
            old, new = self.name_of(source), self.name_of(target)
            noted = self._keep({"path": new, "why": why, "renamed": old})
            source.rename(target)
        return noted

    def _replace(self, path: Path, seen: _Seen, after: str, *, why: str) -> FileChange:
        """Write a file whole, the change noted before it: a note without its change is dropped, none is missing."""
        make_folder(path.parent)
        _sweep(path)
        noted = self._note(self.name_of(path), seen.text, after, why=why)
        try:
            self._write(path, seen, after.encode())
        except BaseException:
            self._drop(noted.id)
            raise
        return noted

    def _write(self, path: Path, seen: _Seen, content: bytes) -> None:
        """Replace a file that is still as it was seen, and keep a name for the one that goes."""
        late = self._keep_late(path, seen)
        try:
            write_durably(path, content, mode=seen.mode, check=partial(_check_same, path, seen))
        except BaseException:
            if late is not None:
                late.unlink(missing_ok=True)
            raise

    # ── what is written into a file that was just replaced ───────────────────

    def _keep_late(self, path: Path, seen: _Seen) -> Path | None:
        """Keep a name for the file that is about to be replaced; it says what was in it."""
        if seen.text is None or seen.mark is None:
            return None
        folder = self.root / OURS / "late"
        make_folder(folder)
        name = _late_name(self.name_of(path))
        for old in sorted(folder.glob(f"{name}-*"), key=lambda one: one.stat().st_ctime_ns)[:-_MAX_LATE]:
            old.unlink(missing_ok=True)
        late = folder / _late_file(name, seen.text.encode(), seen.mark[2])
        late.unlink(missing_ok=True)
        try:
            os.link(path, late)
        except OSError:  # not every file system has links
            return None
        return late

    def bring_over(self, names: Iterable[str]) -> bool:
        """Bring over what was written into files that we had just replaced; tell whether there was anything."""
        folder = self.root / OURS / "late"
        if not folder.is_dir() or not any(map(_was_written, folder.iterdir())):
            return False
        with self.lock():
            for name in names:
                self._bring_over(self.resolve(name))
        return True

    def _bring_over(self, path: Path) -> None:
        """Take in what another program wrote to the former file while it was being replaced."""
        name = _late_name(self.name_of(path))
        for late in list((self.root / OURS / "late").glob(f"{name}-*")):
            if _was_written(late):
                self._join(late, path)

    def _join(self, late: Path, path: Path) -> None:
        """Take in what was written to one former file; both may be written on meanwhile, and are looked at again."""
        name, size, _, digest = late.name.split("-")

        def attempt() -> None:
            mtime, content, seen = late.stat().st_mtime_ns, late.read_bytes(), self._readable(path)
            is_readable = seen.text is not None or not path.exists()
            held, added = (seen.text or "").encode() if is_readable else path.read_bytes(), content[int(size) :]
            if path.exists() and late.samefile(path):  # whoever was to replace it was killed before
                late.unlink(missing_ok=True)
                return
            if added and added in held:
                pass  # whoever brought this over was killed behind that
            elif is_readable and sha256(content[: int(size)]).hexdigest()[:16] == digest:  # something was added
                joint = b"" if held.endswith(b"\n") or not held else b"\n"
                self._write(path, seen, held + joint + added)
            elif content != held:  # it was written anew: nobody can tell how to join both
                write_durably(path.with_name(f"{path.stem}.conflict-{digest[-8:]}{path.suffix}"), content)
            # Whoever writes there may write more; by its new name that is noticed.
            late.rename(late.with_name(_late_file(name, content, mtime)))

        _until_it_stays(path.name, attempt)

    def _check_size(self, name: str, text: str) -> None:
        """Refuse a text that would make a file larger than the settings allow."""
        if len(text) > self._max_size:
            raise InvalidInput(
                f"{name} would have {len(text)} characters, more than the {self._max_size} that memory.max_file_size "
                "allows; split it"
            )

    # ── destroying ───────────────────────────────────────────────────────────

    def redact(self, names: Iterable[str], change: Callable[[str], str], *, holds: Callable[[list[str]], bool]) -> None:
        """Make files what `change` makes of their texts, for good: no undoing, and no copy of what `holds` names.

        What can be undone goes first: should this be cut short, the files still say what is to be looked for.
        """
        with self.lock():
            for kept in (*(self.root / OURS / "changes").glob("*.json"), *(self.root / OURS / "late").glob("*")):
                if holds(_lines_of(kept)):
                    kept.unlink(missing_ok=True)
            for name in names:
                path = self.resolve(name)
                _sweep(path)
                _until_it_stays(name, partial(self._redact, path, change))

    def _redact(self, path: Path, change: Callable[[str], str]) -> None:
        seen = self._readable(path)
        after = None if seen.text is None else change(seen.text)
        if after is not None and after != seen.text:
            write_durably(path, after.encode(), mode=seen.mode, check=partial(_check_same, path, seen))

    def texts(self, names: Iterable[str]) -> dict[str, str]:
        """Return the texts of files by name, of those that can be read."""
        found = {name: self._readable(self.resolve(name)).text for name in names}
        return {name: text for name, text in found.items() if text is not None}

    def _readable(self, path: Path) -> _Seen:
        with suppress(InvalidInput):  # what is not UTF-8 is nothing that we wrote
            return _look(path)
        return _Seen()

    # ── undoing ──────────────────────────────────────────────────────────────

    def changes(self, *, limit: int = 20) -> list[FileChange]:
        """Return what we wrote, newest first."""
        files = sorted((self.root / OURS / "changes").glob("*.json"), reverse=True)[:limit]
        return [_shown(file.stem, _load(file)) for file in files]

    def undo(self, change_id: str) -> FileChange:
        """Take back one change of ours and nothing else; refused where the lines it wrote were changed since."""
        file = self.root / OURS / "changes" / f"{change_id}.json"
        if not change_id.replace("-", "").isalnum() or not file.is_file():
            raise NotFound(f"there is no change {change_id} to undo here; `changes` lists those that can be undone")
        noted = _load(file)
        why = f"undo {change_id}"
        if "renamed" in noted:
            done: FileChange | None = self.rename(noted["path"], noted["renamed"], why=why)
        elif noted["new"]:
            done = self.delete(noted["path"], why=why) if self._is_as_made(noted) else None
        else:
            done = self.edit(noted["path"], lambda text: _reversed(text, noted), why=why)
        if done is None:
            raise VersionConflict(f"{noted['path']} has been changed since; undo it by hand: {_diff(noted)}")
        self._drop(change_id)
        return done

    def _is_as_made(self, noted: dict[str, Any]) -> bool:
        text = self.find(noted["path"])
        return text is not None and text.splitlines(keepends=True) == noted["hunks"][0]["new"]

    def _note(self, name: str, before: str | None, after: str | None, *, why: str) -> FileChange:
        hunks = _hunks((before or "").splitlines(keepends=True), (after or "").splitlines(keepends=True))
        return self._keep({"path": name, "why": why, "new": before is None, "gone": after is None, "hunks": hunks})

    def _keep(self, noted: dict[str, Any]) -> FileChange:
        """Note a change under a name that sorts by when it was made, and let go of the oldest."""
        folder = self.root / OURS / "changes"
        make_folder(folder)
        at = self._clock()
        taken = sorted(name for name in os.listdir(folder) if not name.startswith("."))
        # Names sort by time; the number parts those of one millisecond, and of clocks that go back.
        number = int(taken[-1].partition("-")[0]) + 1 if taken else 1
        change_id = f"{number:010d}-{at:%Y%m%dT%H%M%S}"
        write_durably(folder / f"{change_id}.json", json.dumps({"at": at.isoformat(), **noted}).encode())
        for old in taken[: max(0, len(taken) + 1 - self._max_changes)]:
            (folder / old).unlink(missing_ok=True)
        return _shown(change_id, {"at": at.isoformat(), **noted})

    def _drop(self, change_id: str) -> None:
        (self.root / OURS / "changes" / f"{change_id}.json").unlink(missing_ok=True)


def newline_of(text: str | None) -> str:
    """Return what ends the lines of a text: its own way where it has one."""
    return "\r\n" if text and "\r\n" in text else "\n"


# ── looking at files ─────────────────────────────────────────────────────────


@contextmanager
def _system_errors() -> Iterator[None]:
    """Say in our own words what the system refused."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StorageFull("no space is left for the workspace; free some space and try again") from error
        raise StorageError(f"the workspace cannot be used: {error.strerror or type(error).__name__}") from error


def _look(path: Path) -> _Seen:
    """Read a file with the mark by which a change since then is noticed."""
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            content = file.read(about.st_size)
    except FileNotFoundError:
        return _Seen()
    except IsADirectoryError as error:
        raise InvalidInput(f"{path.name} is a folder; name a file") from error
    try:
        return _Seen(content.decode(), _mark(about), stat.S_IMODE(about.st_mode))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name} is not UTF-8; convert it first") from error


def _late_name(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:16]


def _late_file(name: str, content: bytes, mtime: int) -> str:
    """Return how a file that is replaced is called: whose it is, and what was in it that is known of."""
    return f"{name}-{len(content)}-{mtime}-{sha256(content).hexdigest()[:16]}"


def _was_written(late: Path) -> bool:
    """Tell whether a file that was replaced was written since."""
    try:
        about = late.stat()
    except FileNotFoundError:
        return False
    return [str(about.st_size), str(about.st_mtime_ns)] != late.name.split("-")[1:3]


def _until_it_stays(name: str, attempt: Callable[[], T]) -> T:
    """Make a change anew as often as somebody else writes the file meanwhile."""
    for _ in range(_ATTEMPTS):
        with suppress(_Changed):
            return attempt()
    raise VersionConflict(f"{name} keeps being written by another process; try again later")


def _mark(about: os.stat_result) -> tuple[int, int, int]:
    return about.st_ino, about.st_size, about.st_mtime_ns


def _mark_at(path: Path) -> tuple[int, int, int] | None:
    """Return by what a file is known to have changed, or nothing where there is none."""
    try:
        return _mark(os.stat(path))
    except FileNotFoundError:
        return None


def _check_same(path: Path, seen: _Seen) -> None:
    if _mark_at(path) != seen.mark:
        raise _Changed


def _lines_of(kept: Path) -> list[str]:
    """Return all lines that something kept beside the files holds: what can be undone, or a file that was replaced."""
    if kept.suffix != ".json":
        return kept.read_text(encoding="utf-8", errors="replace").splitlines()
    sides = ("above", "old", "new", "below")
    return [line for hunk in _load(kept).get("hunks", ()) for side in sides for line in hunk[side]]


def _sweep(path: Path) -> None:
    """Remove what a process of ours left that was killed while it wrote this file; we hold the lock."""
    for one in path.parent.glob(f".{glob.escape(path.name)}.{'[a-z0-9_]' * 8}"):
        one.unlink(missing_ok=True)


def _listed(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(one for one in folder.iterdir() if not one.name.startswith(".") and not one.is_symlink())


# ── differences ──────────────────────────────────────────────────────────────


def _hunks(before: Sequence[str], after: Sequence[str]) -> list[dict[str, Any]]:
    """Return what changed, each piece with a few lines around it."""
    # What both have in common at their ends is left out first: comparing takes the square of what repeats.
    shorter = min(len(before), len(after))
    head = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    tail = next((at for at in range(shorter - head) if before[-1 - at] != after[-1 - at]), shorter - head)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    found = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            at, until = head + new_start, head + new_end
            found.append(
                {
                    "at": at,
                    "old": list(old[start:end]),
                    "new": list(new[new_start:new_end]),
                    "above": list(after[max(0, at - _CONTEXT) : at]),
                    "below": list(after[until : until + _CONTEXT]),
                }
            )
    return found


def _reversed(text: str | None, noted: dict[str, Any]) -> str | None:
    """Return a text without a change; `None` where what it wrote is not there any more as it was."""
    if noted["gone"]:
        return "".join(noted["hunks"][0]["old"]) if text is None and noted["hunks"] else None
    lines = (text or "").splitlines(keepends=True)
    for hunk in reversed(noted["hunks"]):
        at = _place(lines, hunk)
        if at is None:
            return None
        lines[at : at + len(hunk["new"])] = hunk["old"]
    return "".join(lines)


def _place(lines: Sequence[str], hunk: dict[str, Any]) -> int | None:
    """Return where a piece stands now: with its surroundings, else alone where there is just one such place."""
    for above, below in ((hunk["above"], hunk["below"]), ([], [])):
        wanted = [*above, *hunk["new"], *below]
        if not wanted:
            continue
        spots = [
            spot for spot in range(len(lines) - len(wanted) + 1) if list(lines[spot : spot + len(wanted)]) == wanted
        ]
        nearest = min(spots, key=lambda spot: abs(spot + len(above) - hunk["at"]), default=None)
        if nearest is not None and (above or below or len(spots) == 1):
            return nearest + len(above)
    return 0 if not lines and not hunk["new"] else None


def _load(file: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def _shown(change_id: str, noted: dict[str, Any]) -> FileChange:
    return FileChange(id=change_id, path=noted["path"], at=noted["at"], why=noted["why"], diff=_diff(noted))


def _diff(noted: dict[str, Any]) -> str:
    """Return a noted change as a diff that people and programs know."""
    if "renamed" in noted:
        return f"rename from {noted['renamed']}\nrename to {noted['path']}\n"
    before: list[str] = []
    after: list[str] = []
    for hunk in noted["hunks"]:
        before += [*hunk["above"], *hunk["old"], *hunk["below"]]
        after += [*hunk["above"], *hunk["new"], *hunk["below"]]
    name = noted["path"]
    lines = unified_diff(before, after, fromfile=name, tofile=name, lineterm="\n")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


# ── whose folder it is ───────────────────────────────────────────────────────

_STATE = "workspace"
"""The agent's named value that says which folder was chosen for it."""
STATES = "workspace/"
"""The states of the agent in which it is written what is indexed."""
OTHERS = ".workspaces"
"""The folder of the home where agents have theirs that do not own the one of the settings."""

_TEMPLATES = {
    "IDENTITY.md": (
        "Identity",
        "Who the agent is: name, role, what must never change.",
        "智能体是谁：名字、角色、不变的准则。",
    ),
    "SOUL.md": ("Soul", "Style, values, tone.", "风格、价值观、语气。"),
    "USER.md": ("User", "Who the user is, and what they prefer.", "用户是谁，有何偏好。"),
    "MEMORY.md": ("Memory", "What is to last.", "需要长期记住的内容。"),
}
"""The files that a new workspace begins with. Their hints are comments, which no prompt contains."""


class Roots:
    """The workspaces of all agents of one open memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._settings = parts.settings.section(WorkspaceSettings)
        self._chosen: dict[Scope, WorkspaceFiles] = {}
        self._include: dict[Scope, str] = {}

    def files_in(self, folder: str | PathLike[str]) -> WorkspaceFiles:
        """Return the files of a folder, as it is."""
        return self._open(_folder(folder))

    async def files(self, scope: Scope, *, root: Path | None = None) -> WorkspaceFiles:
        """Return the files of an agent's workspace, made on first use; `root` is a session's own."""
        scope = scope.owner
        if root is not None:
            files = self._open(_folder(root))
            await asyncio.to_thread(_prepare, files)
            return files
        if scope not in self._chosen:
            noted = await self._noted(scope)
            self._chosen[scope] = self._open(await asyncio.to_thread(self._usual, scope) if noted is None else noted)
        files = self._chosen[scope]
        if self._include.get(scope) != VAULT:
            await asyncio.to_thread(_prepare, files)
        return files

    async def existing(self, scope: Scope) -> WorkspaceFiles | None:
        """Return the files of an agent's workspace if it has one; nothing is made."""
        noted = await self._noted(scope.owner)
        folder = await asyncio.to_thread(self._found, scope.owner, noted)
        return None if folder is None else self._open(folder)

    async def _noted(self, scope: Scope) -> Path | None:
        """Return the folder that was chosen for an agent, if one was."""
        noted = await self._parts.store.state(scope, _STATE)
        if not isinstance(noted, dict):
            return None
        self._include[scope] = str(noted["include"])
        return Path(str(noted["root"]))

    def _found(self, scope: Scope, noted: Path | None) -> Path | None:
        """Return the folder of an agent's workspace, if there is one.

        The folder of the settings belongs to whoever made it: another agent has its own, unless it is said to be
        shared.
        """
        folder = noted or self._settled()
        is_own = noted is not None or self._settings.shared
        with suppress(FileNotFoundError, NotADirectoryError):
            is_own = is_own or (folder / OURS / "owner").read_bytes() == _owner(scope)
        folder = folder if is_own else self.own_folder(scope)
        return folder if folder.is_dir() else None

    @property
    def is_shared(self) -> bool:
        """Whether all agents have one folder."""
        return self._settings.shared

    def own_folder(self, scope: Scope) -> Path:
        """Return where an agent has its files that does not own the folder of the settings."""
        return self._parts.settings.home / OTHERS / scope.org / scope.workspace / scope.agent

    def include(self, scope: Scope) -> str:
        """Return which files of an agent's workspace are indexed."""
        return self._include.get(scope.owner, self._settings.include)

    async def init(self, scope: Scope, *, vault: str | None) -> dict[str, Any]:
        """Choose and make an agent's workspace."""
        scope = scope.owner
        if vault is not None:
            folder = _folder(vault)
            if not folder.is_dir():
                raise InvalidInput(f"there is no folder {vault}; create it first, or leave it out for a new workspace")
            if not self._settings.shared and not await asyncio.to_thread(_claim, folder, scope):
                raise InvalidInput(f"{vault} is another agent's workspace; choose another folder or set memory.shared")
            async with self._parts.store.transaction(scope) as tx:
                tx.state(_STATE, {"root": str(folder), "include": VAULT})
            self._chosen.pop(scope, None)
        files = await self.files(scope)
        made = [] if vault else [name for name in _TEMPLATES if (files.root / name).exists()]
        return {"root": str(files.root), "include": self.include(scope), "made": tuple(made)}

    def forget(self, scope: Scope) -> None:
        """Let go of what is kept of an agent."""
        self._chosen.pop(scope.owner, None)
        self._include.pop(scope.owner, None)

    def _open(self, folder: Path) -> WorkspaceFiles:
        """Return the files of a folder, with the bounds of the settings."""
        settings = self._settings
        return WorkspaceFiles(
            folder, clock=self._parts.clock, max_size=settings.max_file_size, max_changes=settings.max_changes
        )

    def _usual(self, scope: Scope) -> Path:
        """Return the folder of the settings, if the agent may have it, else one of its own."""
        folder = self._settled()
        return folder if self._settings.shared or _claim(folder, scope) else self.own_folder(scope)

    def _settled(self) -> Path:
        """Return the folder that settings name, or the one in the user's home."""
        folder = self._settings.root or self._settings.path
        if folder is None:
            try:
                folder = Path.home() / ".remanent" / "workspace"
            except RuntimeError as error:
                raise InvalidSettings("the user's home directory is unknown; set HOME or memory.path") from error
        return folder


def _folder(named: str | PathLike[str]) -> Path:
    """Return a folder as a whole path, `~` included."""
    try:
        return Path(named).expanduser().absolute()
    except RuntimeError as error:
        raise InvalidInput("this names a user whose home directory is unknown; write out the path") from error


def _owner(scope: Scope) -> bytes:
    return f"{scope.org}/{scope.workspace}/{scope.agent}\n".encode()


def _claim(folder: Path, scope: Scope) -> bool:
    """Make a folder the agent's own where it is nobody's yet; tell whether it is the agent's."""
    owner, name = folder / OURS / "owner", _owner(scope)
    with lock_folder(folder):
        if not owner.exists():
            write_durably(owner, name)
        return owner.read_bytes() == name


def _prepare(files: WorkspaceFiles) -> None:
    """Make the folder with its files the first time; what a person removed later stays away."""
    done = files.root / OURS / "made"
    if done.exists():
        return
    make_folder(files.root / "memory")
    for name, (title, english, chinese) in _TEMPLATES.items():
        path = files.root / name
        if not os.path.lexists(path):
            write_durably(path, f"# {title}\n\n<!-- {english} {chinese} -->\n".encode(), mode=0o600)
    with files.lock():
        write_durably(done, b"")

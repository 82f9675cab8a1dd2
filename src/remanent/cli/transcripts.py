"""What a coding agent's transcript tells: who said what, read on from where it was read last.

Claude Code and Codex write one line of JSON for everything that happens. Much of it bears the user's role without
being the user's words: results of tools, reminders, the output of commands, the project's instructions, and the summary
after a compaction. None of that is kept: what is learned from it would be false. A session that is resumed or forked
begins with the lines of the one before it, under the same ids: those were said once.

One call of a hook leaves notes for the next: how far transcripts were read, and what the model was given. Each call is
a process of its own, and sessions may run at once. Two that write at the same moment lose a note at worst: then
something is read or told again, and kept once all the same. A home that cannot be written to has no notes.
"""

import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from remanent.text.scripts import well_formed
from remanent.values import dataclass

_NOTES = 200
"""Notes that are kept, the last ones: of as many transcripts and sessions. Chosen by hand."""
_MAX_IDS = 4 << 20
"""Bytes of the ids of what was said that are read: those of some 200,000 messages."""


def digest_of(*words: str) -> str:
    """Return a short name for some words, which does not tell them."""
    return hashlib.sha256("\x1f".join(words).encode(errors="replace")).hexdigest()[:16]


class HookNotes:
    """Notes on one agent, in its home."""

    def __init__(self, home: Path, *whose: str) -> None:
        self._file = home / f".hooks-{digest_of(*whose)}.json"
        self._ids = self._file.with_suffix(".ids")

    def place(self, name: str) -> int:
        """Return a place that was noted; 0 if none was."""
        noted = self._read().get(name)
        return noted if isinstance(noted, int) else 0

    def words(self, name: str) -> list[str]:
        """Return the words that were noted."""
        noted = self._read().get(name)
        return [str(one) for one in noted] if isinstance(noted, list) else []

    def note(self, name: str, value: int | Sequence[str]) -> None:
        """Note something in place of what was noted under the name before."""
        notes = self._read()
        if notes.pop(name, 0 if isinstance(value, int) else []) == value:
            return
        written = self._file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            written.touch(mode=0o600)  # memories are private
            written.write_text(json.dumps(dict(list({**notes, name: value}.items())[-_NOTES:])), encoding="ascii")
            written.replace(self._file)

    def said(self) -> set[str]:
        """Return the digests of the ids of all that was said in any session."""
        try:
            with self._ids.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _MAX_IDS))
                return set(file.read().decode("ascii", "replace").split())
        except OSError:
            return set()

    def note_said(self, ids: Sequence[str]) -> None:
        """Note the ids of what was said."""
        with suppress(OSError):
            if ids:
                self._ids.touch(mode=0o600)
                with self._ids.open("a", encoding="ascii") as file:
                    file.write("".join(f"{digest_of(one)}\n" for one in ids))

    def _read(self) -> dict[str, object]:
        try:
            noted = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}


_MAX_TEXT = 100_000
"""Characters of a message that are kept: longer ones were printed by a program."""
_PIECE, _PIECE_TEXT = 200, 2 << 20
"""Messages, and characters of them, that are kept at once: a server takes no more than 16 MiB in a request."""
_LONGEST_LINE = 32 << 20
"""Bytes of a line that are read; pictures make lines of some MiB."""
_SECONDS = 15.0
"""How long a transcript is read: half of what a tool waits for a hook. The rest is read at the next moment."""

_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
"""Marks of lines that the tool adds itself, or that sub-agents say among themselves."""
_BY_THE_TOOL = re.compile(
    r"\[Request interrupted by user[^\]]*\]\s*\Z|# AGENTS\.md instructions for |Caveat: The messages below were "
    r"generated |This session is being continued from a previous conversation|Another language model started to solve "
)
"""How a block begins that a tool writes in the user's name, in versions that do not mark it."""
_TAGGED = re.compile(r"\s*<((?:[A-Za-z]+[-_ ])+[A-Za-z]+|INSTRUCTIONS|skill)\b[^<>]*>.*?</\1>", re.DOTALL)
"""What a tool puts before the user's words: `<system-reminder>…`, `<command-name>…`, `<environment_context>…`."""
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """What somebody said."""

    role: str
    text: str
    at: str | None = None
    """When, if that was noted: a transcript may be read long after it was spoken."""
    uuid: str = ""
    """The tool's own id of the line."""


def words_of(content: object, role: str = "user") -> str:
    """Return the words of a content as `model.chat.text_of` does, but of the user's only what the user wrote."""
    parts = content if isinstance(content, list) else [{"text": content}]
    blocks = [part for part in parts if isinstance(part, dict) and "thinking" not in part]
    texts = [text for part in blocks if isinstance(text := part.get("text"), str)]
    if role == "user":
        if any(part.get("type") == "tool_result" for part in blocks):
            return ""  # what stands beside a result was written by the tool, too
        texts = [_by_the_user(text) for text in texts]
    return well_formed("\n".join(filter(None, texts)).strip())[:_MAX_TEXT]


def _by_the_user(text: str) -> str:
    """Return what of a block the user wrote."""
    text = _REMINDER.sub("", text).strip()
    while found := _TAGGED.match(text):
        text = text[found.end() :].strip()
    return "" if _BY_THE_TOOL.match(text) else text


def _spoken(line: object) -> SpokenLine | None:
    """Return what a line of Claude Code's transcript or of a Codex rollout says, if anybody said it."""
    if not isinstance(line, dict) or any(line.get(mark) for mark in _NOT_SAID):
        return None
    inner = line.get("message", line.get("payload"))
    message: Mapping[str, Any] = inner if isinstance(inner, dict) else line
    role = message.get("role")
    if role not in ("user", "assistant") or message.get("model") == "<synthetic>":
        return None
    text = words_of(message.get("content"), role)
    # Several lines of Claude Code have one message id; Codex has no other.
    uuid = str(line.get("uuid") or ("" if "message" in line else message.get("id")) or "")
    return SpokenLine(role, text, moment_of(line.get("timestamp")), uuid) if text else None


def moment_of(value: object) -> str | None:
    """Return a time as it was noted, if it is one."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at.isoformat() if at is not None and at.tzinfo is not None else None


def _lines(file: Path, start: int) -> Iterator[tuple[object, int]]:
    """Yield the lines from a place on and where each ends; one that is still being written comes later."""
    with file.open("rb") as opened:
        opened.seek(start)
        while raw := opened.readline(_LONGEST_LINE):
            too_long = len(raw) == _LONGEST_LINE
            while too_long and raw and not raw.endswith(b"\n"):
                raw = opened.readline(_LONGEST_LINE)
            try:
                line = None if too_long or b'"tool_result"' in raw else json.loads(raw)
            except (ValueError, RecursionError):
                if not raw.endswith(b"\n"):
                    return
                line = None
            yield line, opened.tell()


def pieces_of(path: object, notes: HookNotes) -> Iterator[list[SpokenLine]]:
    """Yield what was said since a transcript was read last; a piece counts as read once the next one is asked for."""
    file = Path(path).expanduser() if isinstance(path, str) and path else None
    try:
        if file is None or not stat.S_ISREG(file.stat().st_mode):  # a pipe would keep us waiting
            return
        yield from _pieces(file.absolute(), notes)
    except OSError:
        return


def _pieces(file: Path, notes: HookNotes) -> Iterator[list[SpokenLine]]:
    ends, name = time.monotonic() + _SECONDS, digest_of(str(file))
    reached = _read_on(file, notes.place(name))
    known = set() if reached else notes.said()
    piece: list[SpokenLine] = []
    for line, end in _lines(file, reached):
        said, reached = _spoken(line), end
        if said is not None and (not said.uuid or digest_of(said.uuid) not in known):
            piece.append(said)
        if len(piece) >= _PIECE or sum(len(one.text) for one in piece) >= _PIECE_TEXT:
            yield piece
            _note(notes, name, reached, piece)
            piece = []
        if time.monotonic() > ends:
            break
    yield piece
    _note(notes, name, reached, piece)


def _note(notes: HookNotes, name: str, reached: int, piece: list[SpokenLine]) -> None:
    notes.note(name, reached)
    notes.note_said([one.uuid for one in piece if one.uuid])


def _read_on(file: Path, place: int) -> int:
    """Return where to read on; a file that has become another one is read from its beginning."""
    with file.open("rb") as opened:
        if place <= 0 or place > opened.seek(0, os.SEEK_END):
            return 0
        opened.seek(place - 1)
        return place if opened.read(1) in b"\n}" else 0

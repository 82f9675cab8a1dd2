"""What a coding agent's hook does: begin a session, remind, keep what was said, end the session.

A coding agent starts this at certain moments and waits for it, so that it must be quick and must never fail: nothing
heavy is imported, a running server does the work where there is one, and whatever goes wrong, it ends well and says
nothing. The tool's JSON comes on standard input; what the model is to read goes to standard output, in the form that
Claude Code and Codex take.

What was said is read from the agent's transcript, on from where it was read last. Claude Code and Codex write one line
of JSON for everything that happens. Much of it bears the user's role without being the user's words: results of tools,
reminders, the output of commands, the project's instructions, and the summary after a compaction. None of that is kept:
what is learned from it would be false. A session that is resumed or forked begins with the lines of the one before it,
under the same ids: those were said once.

One call of a hook leaves notes for the next: how far transcripts were read, and what the model was given. Each call is
a process of its own, and sessions may run at once. Two that write at the same moment lose a note at worst: then
something is read or told again, and kept once all the same. A home that cannot be written to has no notes.
"""

import hashlib
import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from remanent.bilingual import Bilingual, locale_language
from remanent.cli.running_server import MemoryAddress, Unreachable, address_of, find_server, home_of
from remanent.lightweight import dataclass
from remanent.text.scripts import well_formed

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
    try:
        file = Path(path).expanduser() if isinstance(path, str) and path else None
        if file is None or not stat.S_ISREG(file.stat().st_mode):  # a pipe would keep us waiting
            return
        yield from _pieces(file.absolute(), notes)
    except (OSError, ValueError, RuntimeError):  # no such file, no path at all, a folder of nobody
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


EVENTS = {
    "session-start": "SessionStart",
    "prompt-submit": "UserPromptSubmit",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
"""The moments, and what Claude Code and Codex call them."""

_QUESTION = Bilingual(
    "What was decided, agreed on or left to do in {project}?", "{project} 中决定了什么、约定了什么、还有什么要做？"
)
_MAX_INPUT = 8 << 20
"""Bytes that are read of what the tool tells: a prompt, and where the rest of the talk lies."""
_START_TOKENS, _LAST_TOKENS, _PROMPT_TOKENS = 1200, 600, 800
"""What the model is given at the start, of the last talk, and for a prompt. Chosen by hand: a page, and half of one."""
_LAST = 20
"""Entries by whose words the last talk is found."""
_TOLD = 300
"""Memories of which it is noted that the model was given them, the last ones: more than a window holds."""
_WIDTH = 60
"""Memories that are looked at: as many as a text of that length can hold."""
_DRAIN = 0.5
"""Seconds that background work may go on at the end, where no server runs."""
_DEBUG = "REMANENT_HOOK_DEBUG"
"""Set it to see why a hook did nothing."""


def main(arguments: Sequence[str]) -> int:
    """Do what belongs to an event; the arguments are the event and the options of the place. Returns 0 always."""
    try:
        event, place = _read_arguments(arguments)
        given = json.loads(sys.stdin.buffer.read(_MAX_INPUT) or b"{}")
        said = Hook(place, given if isinstance(given, dict) else {}).run(event)
        if said:
            print(said, flush=True)
    except BaseException as error:  # noqa: BLE001 — whatever it is, it must not disturb the agent's work
        if os.environ.get(_DEBUG):
            print(f"remanent hook: {type(error).__name__}: {error}", file=sys.stderr)
    return 0


def run(place: MemoryAddress, *, event: str) -> None:
    """Do it as a command of the command line, whose options are read already."""
    named = {"--home": place.home, "--org": place.org, "--workspace": place.workspace, "--agent": place.agent}
    main([event, *(word for name, value in named.items() if value for word in (name, str(value)))])


def _read_arguments(arguments: Sequence[str]) -> tuple[str, MemoryAddress]:
    """Read the few options by hand: a hook runs at every message, and a parser takes long to load."""
    options: dict[str, str] = {}
    words: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            options[name] = value if equals else next(rest, "")
        else:
            words.append(word)
    home = options.get("home")
    return words[0] if words else "", MemoryAddress(
        Path(home) if home else None,
        options.get("org"),
        options.get("workspace"),
        options.get("agent") or os.environ.get("REMANENT_AGENT") or "default",
    )


class Hook:
    """One call of a hook."""

    def __init__(self, place: MemoryAddress, given: Mapping[str, Any]) -> None:
        self._given = given
        self._session = _session(given)
        self._store = _HookMemory(place)
        self._notes = HookNotes(home_of(place), place.org or "", place.workspace or "", place.agent or "")
        self._told = f"told {digest_of(self._session)}"
        self._told_of: set[str | None] = set()

    def run(self, event: str) -> str:
        """Do what belongs to an event, and return what the model is to read."""
        known = {name.casefold(): event for event, name in EVENTS.items()} | {name: name for name in EVENTS}
        does: dict[str, Callable[[], str]] = {
            "session-start": self._start,
            "prompt-submit": self._prompt,
            "pre-compact": self._compacted,
            "stop": self._keep,
            "session-end": self._end,
        }
        event = known.get(event.casefold(), event)
        if event not in does:
            return ""
        try:
            text = does[event]()
        finally:
            self._store.close()
        if not text or "hook_event_name" not in self._given:
            return text
        answer = {"hookEventName": EVENTS[event], "additionalContext": text}
        return json.dumps({"hookSpecificOutput": answer}, ensure_ascii=False)

    def _start(self) -> str:
        """Begin or resume the session; tell what it was at, and what is known of the project."""
        self._store.do("begin_session", session=self._session)
        parts = [_told_state(self._store.do("session_state", session=self._session))]
        source = self._given.get("source")
        if source != "resume":  # who resumes has the conversation before it
            self._notes.note(self._told, [])
            project = Path(str(self._given.get("cwd") or os.getcwd())).name
            parts.append(self._reminded(_QUESTION.say(locale_language(), project=project), budget=_START_TOKENS))
            if source != "compact":
                parts.append(self._last_talk())
        return "\n\n".join(filter(None, parts))

    def _last_talk(self) -> str:
        """Tell what was said last, unless it was told: it may not be summed up yet, as not every tool ends it.

        It is found by its own words, whatever they are about.
        """
        newest = self._store.do("entries", newest_first=True, limit=_LAST)
        entries = newest["items"] if isinstance(newest, dict) else newest  # a server gives pages
        said = [one for one in entries if one["scope"]["session"] not in (None, self._session)]
        name = said[0]["scope"]["session"] if said else None
        if name is None or name in self._told_of:
            return ""
        words = " ".join(one["text"] for one in said if one["scope"]["session"] == name)
        return self._reminded(words[:2000], budget=_LAST_TOKENS, session=name, gate=False)

    def _prompt(self) -> str:
        """Remind of what a prompt is about, then keep the prompt."""
        prompt = self._words("prompt")
        if not prompt:
            return ""
        try:
            return self._reminded(prompt[:2000], budget=_PROMPT_TOKENS, but=self._session)
        finally:
            self._remember([SpokenLine("user", prompt)])

    def _reminded(self, query: str, *, but: str | None = None, **wanted: Any) -> str:
        """Recall what the model does not have in its context: neither told in this session before nor said in it.

        Only the answer tells which of its items are of the session, so that a second question leaves those out.
        """
        told = self._notes.words(self._told)
        asked = {"query": query, "limit": _WIDTH, **wanted}
        found = self._store.do("recall", seen=told, **asked)
        if own := _of_session(found, but):
            found = self._store.do("recall", seen=[*told, *own], **asked)
        given = found["injection"]
        self._told_of |= {item["session"] for item in found["items"] if item["record_id"] in given["record_ids"]}
        self._notes.note(self._told, [*told, *given["fingerprints"]][-_TOLD:])
        return str(given["text"])

    def _keep(self) -> str:
        """Keep what was said since: of the transcript, and of what the tool sends along."""
        said = set[tuple[str, str]]()
        sent = [*_sent(self._given.get("messages")), SpokenLine("assistant", self._words("last_assistant_message"))]
        for piece in chain(pieces_of(self._given.get("transcript_path"), self._notes), [sent]):
            new: dict[tuple[str, str], SpokenLine] = {}
            for one in piece:
                if one.text and (one.role, one.text) not in said:
                    new.setdefault((one.role, one.text), one)
            said |= set(new)
            if new:
                self._remember(new.values())
        return ""

    def _remember(self, said: Iterable[SpokenLine]) -> None:
        self._store.do("remember", messages=[_message(self._session, one) for one in said], session=self._session)

    def _compacted(self) -> str:
        """Keep what was said before a compaction, after which the model no longer has what it was told."""
        self._notes.note(self._told, [])
        return self._keep()

    def _words(self, name: str) -> str:
        given = self._given.get(name)
        return words_of(given, "user" if name == "prompt" else "assistant")

    def _end(self) -> str:
        self._keep()
        self._store.do("end_session", session=self._session, reason="hook")
        return ""


# ── where it is done ─────────────────────────────────────────────────────────


_OFFERED = {
    "begin_session": "POST sessions",
    "end_session": "POST sessions/end",
    "session_state": "GET sessions/state",
    "entries": "GET entries",
    "recall": "POST recall",
    "remember": "POST entries",
}
"""The methods of an agent that a hook needs, and where a server offers each."""


class _HookMemory:
    """An agent's memory: through a running server as long as it answers, else in this process, which loads models."""

    def __init__(self, place: MemoryAddress) -> None:
        self._place = place
        self._server = find_server(place)
        self._opened = ExitStack()
        self._agent: Any = None
        self.close = self._opened.close

    def do(self, method: str, **given: Any) -> Any:
        """Call a method of the agent through the running server, and from its first silence on by ourselves."""
        if self._server is not None:
            verb, path = _OFFERED[method].split()
            sent: dict[str, Any] = {"query" if verb == "GET" else "body": given}
            try:
                return self._server.ask(verb, address_of(self._place, path), **sent)
            except Unreachable:
                self._server = None
        from pydantic_core import to_jsonable_python

        if method == "recall":
            given = {"options": {name: given.pop(name) for name in ("seen", "gate") if name in given}, **given}
        return to_jsonable_python(getattr(self._opened_agent(), method)(**given))

    def _opened_agent(self) -> Any:
        """Open the agent's memory in this process."""
        from remanent._sync import open as open_memory

        if self._agent is None:
            place = self._place
            # What is to be indexed waits in its queue for whoever opens the memory next, and keeps nobody waiting here.
            memory = self._opened.enter_context(open_memory(place.home, jobs={"drain_timeout": _DRAIN}))
            self._agent = memory.agent(place.agent or "default", workspace=place.workspace, org=place.org)
        return self._agent


# ── what the tools send ──────────────────────────────────────────────────────


def _session(given: Mapping[str, Any]) -> str:
    """Return the session's name as memory takes it: theirs, or one for the folder and the day's work."""
    name = next((given[key] for key in ("session_id", "session", "thread_id") if given.get(key)), None)
    if not isinstance(name, str):
        where = str(given.get("cwd") or os.getcwd())
        name = f"hook-{hashlib.sha256(where.encode()).hexdigest()[:16]}"
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "-_.:") else "-" for char in name)
    return kept.replace("..", "-")[:200]


def _message(session: str, said: SpokenLine) -> dict[str, Any]:
    """Return a message whose id follows from its words, since hooks tell of the same words several times."""
    digest = hashlib.sha256(f"{session}\x1f{said.role}\x1f{said.text}".encode(errors="replace")).hexdigest()
    at = {"occurred_at": said.at} if said.at else {}
    return {"role": said.role, "content": said.text, "id": f"hook:{digest[:32]}", "metadata": {"via": "hook"}, **at}


def _sent(messages: object) -> Iterator[SpokenLine]:
    """Yield the messages of a tool that sends them along."""
    for message in messages if isinstance(messages, list) else ():
        role = str(message.get("role") or "user") if isinstance(message, Mapping) else ""
        if role and (text := words_of(message.get("content"), role)):
            yield SpokenLine(role, text, moment_of(message.get("timestamp")))


def _of_session(found: Mapping[str, Any], session: str | None) -> list[str]:
    """Return the fingerprints of those memories in an answer's text that were said in a session."""
    own = {item["record_id"] for item in found["items"] if session is not None and item["session"] == session}
    told = found["injection"]
    return [mark for record, mark in zip(told["record_ids"], told["fingerprints"], strict=True) if record in own]


def _told_state(state: Mapping[str, Any]) -> str:
    """Return the state of a session in words."""
    if not state.get("version"):
        return ""
    headings = ("current_goal", "sub_goals", "completed", "current_step", "decisions", "blockers")
    lines = ["<session_state>"]
    for name in headings:
        value = state.get(name)
        if name == "decisions" and value:
            value = [f"{one['what']} ({one['why']})" if one.get("why") else one["what"] for one in value]
        if value:
            lines.append(f"{name}: {'; '.join(value) if isinstance(value, list) else value}")
    text = "\n".join(line.replace("<", "‹") if place else line for place, line in enumerate(lines))
    return f"{text}\n</session_state>"

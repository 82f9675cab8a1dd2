"""What a coding agent's hook does: begin a session, remind, keep what was said, end the session.

A coding agent starts this at certain moments and waits for it, so that it must be quick and must never fail: nothing
heavy is imported, a running server does the work where there is one, and whatever goes wrong, it ends well and says
nothing. The tool's JSON comes on standard input; what the model is to read goes to standard output, in the form that
Claude Code and Codex take.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from remanent.bilingual import Bilingual
from remanent.cli.running_server import Server, Unreachable, address_of, find_server
from remanent.cli.words import locale_language
from remanent.text.scripts import well_formed
from remanent.values import dataclass

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
_MAX_TRANSCRIPT = 4 << 20
"""Bytes of a transcript's end that are read: some hundred turns; what came before was kept at earlier stops."""
_MAX_MESSAGES = 200
_MAX_TEXT = 100_000
"""Messages of one stop that are kept, the last ones, and characters of each: longer ones were printed by a program."""
_START_TOKENS, _PROMPT_TOKENS = 1200, 800
"""What the model is given at the start and for a prompt. Chosen by hand: a page, and half of one."""
_WIDTH = 60
"""Memories that are looked at: as many as a text of that length can hold."""
_DRAIN = 0.5
"""Seconds that background work may go on at the end, where no server runs."""
_DEBUG = "REMANENT_HOOK_DEBUG"
"""Set it to see why a hook did nothing."""


@dataclass(frozen=True, slots=True)
class HookPlace:
    """Whose memory is meant."""

    home: Path | None = None
    org: str | None = None
    workspace: str | None = None
    agent: str | None = None


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


def _read_arguments(arguments: Sequence[str]) -> tuple[str, HookPlace]:
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
    return words[0] if words else "", HookPlace(
        Path(home) if home else None,
        options.get("org"),
        options.get("workspace"),
        options.get("agent") or os.environ.get("REMANENT_AGENT") or "default",
    )


class Hook:
    """One call of a hook."""

    def __init__(self, place: HookPlace, given: Mapping[str, Any]) -> None:
        self._place = place
        self._given = given
        self._session = _session(given)

    def run(self, event: str) -> str:
        """Do what belongs to an event, and return what the model is to read."""
        known = {name.casefold(): event for event, name in EVENTS.items()} | {name: name for name in EVENTS}
        does: dict[str, Callable[[], str]] = {
            "session-start": self._start,
            "prompt-submit": self._prompt,
            "pre-compact": self._keep,
            "stop": self._keep,
            "session-end": self._end,
        }
        event = known.get(event.casefold(), event)
        if event not in does:
            return ""
        text = does[event]()
        if not text or "hook_event_name" not in self._given:
            return text
        answer = {"hookEventName": EVENTS[event], "additionalContext": text}
        return json.dumps({"hookSpecificOutput": answer}, ensure_ascii=False)

    def _start(self) -> str:
        """Begin or resume the session; tell what it was at, and what is known of the project."""
        store = _store(self._place)
        store.begin(self._session)
        project = Path(str(self._given.get("cwd") or os.getcwd())).name
        parts = [store.state(self._session)]
        if self._given.get("source") != "resume":  # who resumes has the conversation before it
            parts.append(store.recall(_QUESTION.say(locale_language(), project=project), budget=_START_TOKENS))
        return "\n\n".join(filter(None, parts))

    def _prompt(self) -> str:
        """Remind of what a prompt is about, then keep the prompt."""
        prompt = _text(self._given.get("prompt"))
        if not prompt:
            return ""
        store = _store(self._place)
        # What was said in this session stands in the model's context already.
        try:
            return str(store.recall(prompt[:2000], budget=_PROMPT_TOKENS, but=self._session))
        finally:
            store.remember(self._session, [_message(self._session, "user", prompt)])

    def _keep(self) -> str:
        """Keep what was said since: of the transcript, or of what the tool sends along."""
        messages = list(_transcript(self._given.get("transcript_path")))
        messages += _sent(self._given.get("messages"))
        if last := _text(self._given.get("last_assistant_message")):
            messages.append(("assistant", last, None))
        unique: dict[tuple[str, str], str | None] = {}
        for role, text, at in messages[-_MAX_MESSAGES:]:
            unique[role, text] = unique.get((role, text)) or at
        if unique:
            told = [_message(self._session, role, text, at=at) for (role, text), at in unique.items()]
            _store(self._place).remember(self._session, told)
        return ""

    def _end(self) -> str:
        self._keep()
        _store(self._place).end(self._session)
        return ""


# ── where it is done ─────────────────────────────────────────────────────────


class _Served:
    """Memory through a running server."""

    def __init__(self, server: Server, place: HookPlace) -> None:
        self._server = server
        self._place = place

    def _ask(self, method: str, path: str, **more: Any) -> Any:
        return self._server.ask(method, address_of(self._place, path), **more)

    def begin(self, session: str) -> None:
        self._ask("POST", "sessions", body={"session": session})

    def end(self, session: str) -> None:
        self._ask("POST", "sessions/end", body={"session": session, "reason": "hook"})

    def state(self, session: str) -> str:
        return _told_state(self._ask("GET", "sessions/state", query={"session": session}))

    def recall(self, query: str, *, budget: int, but: str | None = None) -> str:
        """Return what a server recalls, without what the running session said itself.

        Only the answer tells which of its items are of the session, so that a second question leaves those out.
        """
        asked = {"query": query, "budget": budget, "limit": _WIDTH}
        found = self._ask("POST", "recall", body=asked)
        if seen := _of_session(found, but):
            found = self._ask("POST", "recall", body={**asked, "seen": seen})
        return str(found["injection"]["text"])

    def remember(self, session: str, messages: list[dict[str, Any]]) -> None:
        self._ask("POST", "entries", body={"messages": messages, "session": session})


class _Local:
    """Memory in this process, where no server runs: slower, since models are loaded for it."""

    def __init__(self, place: HookPlace) -> None:
        self._place = place

    def _with(self, work: Callable[[Any], Any]) -> Any:
        """Do some work with the agent's memory opened in this process, where no server runs."""
        from remanent._sync import open as open_memory

        place = self._place
        # What is to be indexed waits in its queue for whoever opens the memory next, and keeps nobody waiting here.
        with open_memory(place.home, jobs={"drain_timeout": _DRAIN}) as memory:
            return work(memory.agent(place.agent or "default", workspace=place.workspace, org=place.org))

    def begin(self, session: str) -> None:
        self._with(lambda agent: agent.begin_session(session))

    def end(self, session: str) -> None:
        self._with(lambda agent: agent.end_session(session, reason="hook"))

    def state(self, session: str) -> str:
        return _told_state(self._with(lambda agent: agent.session_state(session).model_dump(mode="json")))

    def recall(self, query: str, *, budget: int, but: str | None = None) -> str:
        """Recall for a prompt; what the present session said is in the model's window already and left out."""
        from remanent.model import RecallOptions

        def ask(agent: Any) -> str:
            found = agent.recall(query, budget=budget, limit=_WIDTH)
            seen = _of_session(found.model_dump(mode="json"), but)
            if seen:
                found = agent.recall(query, budget=budget, limit=_WIDTH, options=RecallOptions(seen=tuple(seen)))
            return str(found.text)

        return str(self._with(ask))

    def remember(self, session: str, messages: list[dict[str, Any]]) -> None:
        self._with(lambda agent: agent.remember(messages, session=session))


class _ServedOrLocal:
    """A server as long as it answers, else this process."""

    def __init__(self, place: HookPlace) -> None:
        server = find_server(place)
        self._served = None if server is None else _Served(server, place)
        self._local = _Local(place)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Do it through the running server, and from its first silence on by ourselves."""

        def call(*given: Any, **more: Any) -> Any:
            if self._served is not None:
                try:
                    return getattr(self._served, name)(*given, **more)
                except Unreachable:
                    self._served = None
            return getattr(self._local, name)(*given, **more)

        return call


def _store(place: HookPlace) -> Any:
    return _ServedOrLocal(place)


# ── what the tools send ──────────────────────────────────────────────────────


def _session(given: Mapping[str, Any]) -> str:
    """Return the session's name as memory takes it: theirs, or one for the folder and the day's work."""
    name = next((given[key] for key in ("session_id", "session", "thread_id") if given.get(key)), None)
    if not isinstance(name, str):
        where = str(given.get("cwd") or os.getcwd())
        name = f"hook-{hashlib.sha256(where.encode()).hexdigest()[:16]}"
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "-_.:") else "-" for char in name)
    return kept.replace("..", "-")[:200]


def _message(session: str, role: str, text: str, *, at: str | None = None) -> dict[str, Any]:
    """Return a message whose id follows from its words, since hooks tell of the same words several times."""
    digest = hashlib.sha256(f"{session}\x1f{role}\x1f{text}".encode(errors="replace")).hexdigest()
    said = {"occurred_at": at} if at else {}
    return {"role": role, "content": text, "id": f"hook:{digest[:32]}", "metadata": {"via": "hook"}, **said}


def _sent(messages: object) -> Iterator[tuple[str, str, str | None]]:
    """Yield the messages of a tool that sends them along."""
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, Mapping) and (text := _text(message.get("content"))):
            yield str(message.get("role") or "user"), text, _moment(message.get("timestamp"))


def _transcript(path: object) -> Iterator[tuple[str, str, str | None]]:
    """Yield who said what, and when, at the end of a transcript: Claude Code's lines, or those of a Codex rollout."""
    if not isinstance(path, str) or not path:
        return
    try:
        with Path(path).expanduser().open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _MAX_TRANSCRIPT))
            lines = file.read(_MAX_TRANSCRIPT).splitlines()
    except OSError:
        return
    for line in lines[1:] if size > _MAX_TRANSCRIPT else lines:
        try:
            whole = json.loads(line)
        except ValueError:
            continue
        if not isinstance(whole, dict) or whole.get("isMeta") or whole.get("isSidechain"):
            continue  # what the tool adds itself, and what sub-agents say among themselves
        inner = whole.get("message", whole.get("payload"))
        message = inner if isinstance(inner, dict) else whole
        role = message.get("role")
        text = _text(message.get("content"))
        if role in ("user", "assistant") and text and not text.startswith("<"):
            yield role, text, _moment(whole.get("timestamp"))


def _moment(value: object) -> str | None:
    """Return a time as it was noted, if it is one: a transcript may be read long after it was spoken."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at.isoformat() if at is not None and at.tzinfo is not None else None


def _text(content: object) -> str:
    """Return the words of a content as `model.chat.text_of` does, which takes too long to import here."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and "thinking" not in part]
        content = "\n".join(text for text in texts if isinstance(text, str))
    return well_formed(content.strip())[:_MAX_TEXT] if isinstance(content, str) else ""


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

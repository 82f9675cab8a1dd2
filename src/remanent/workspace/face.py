"""One agent's workspace as a user of the library holds it, and what it answers with."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue

from remanent.bilingual import Bilingual
from remanent.context import Scratchpad
from remanent.context.sessions import MAX_VALUE_CHARACTERS, SESSION_FACTS
from remanent.context.sessions import SCRATCHPADS as PADS
from remanent.discipline import Parts
from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model import EntryKind, Message, Model, Origin, Scope
from remanent.model.base import Count, Text
from remanent.model.chat import Messages
from remanent.stores import EntryQuery
from remanent.text.talk import is_small_talk
from remanent.workspace.files import FileChange, Roots, WorkspaceFiles
from remanent.workspace.hooks import (
    MIN_CHAT_TURNS,
    TAG,
    HookReport,
    MemoryHook,
    bullet_key,
    compacted,
    facts_of,
    known_keys,
    memorable,
    merged_facts,
    with_extracted,
    with_facts,
)
from remanent.workspace.index import IndexReport, SearchMode, WorkspaceFound, WorkspaceMemoryStore
from remanent.workspace.mem0 import AsyncMem0
from remanent.workspace.prompt import (
    RECALLED_LIMIT,
    MemoryCommand,
    core_section,
    language_for,
    perform,
    query_of,
    recalled_section,
)
from remanent.workspace.settings import WorkspaceSettings


class WorkspaceState(Model):
    """Where the workspace is and what was made there."""

    root: Text
    include: Text
    made: tuple[Text, ...] = ()


class DayLog(Model):
    """What a day's file says."""

    day: date
    path: Text
    text: Text = ""


class CompactedDay(Model):
    """What de-duplicating a day's file did."""

    path: Text
    before: Count = 0
    after: Count = 0
    change: FileChange | None = None


LayerName = Literal["core", "episodic", "semantic", "working", "long_term", "workspace"]
Unit = Literal["characters", "entries", "passages", "values", "messages", "files"]
_MESSAGES = "messages.json"
"""Where a runtime keeps the conversation at hand, if it does."""


ROLES: dict[LayerName, Bilingual] = {
    "core": Bilingual("what must always hold", "始终成立的内容"),
    "episodic": Bilingual("what was said and done", "说过与做过的事"),
    "semantic": Bilingual("reusable knowledge", "可复用的知识"),
    "working": Bilingual("what is at hand for the task", "当前任务手边的内容"),
    "long_term": Bilingual("what lasts beyond a session", "跨会话保留的内容"),
    "workspace": Bilingual("files in {root}", "{root} 中的文件"),
}


class Holding(Model):
    """One thing that a layer is made of, and how much of it there is."""

    what: Text
    count: Count
    unit: Unit


class Layer(Model):
    """One layer of memory."""

    name: LayerName
    role: Text
    root: Text = ""
    """Of the workspace, where it lies."""
    holds: tuple[Holding, ...]


async def layers_of(parts: Parts, scope: Scope, files: WorkspaceFiles, *, store: WorkspaceMemoryStore) -> list[Layer]:
    """Return the layers in the order of the design, each with what it holds.

    It reads and changes nothing: passages are counted as they were last indexed.
    """
    sizes = await asyncio.to_thread(_sizes, files)
    messages, traces = await asyncio.to_thread(_at_hand, files)
    _, passages = await store.counts()
    newest = await parts.store.entries(scope, EntryQuery(newest_first=True, limit=1))
    pads = await parts.store.states(scope, prefix=PADS)
    own = await Scratchpad(parts.store, scope).read()
    days = [name for name in sizes if name.startswith("memory/")]

    language = language_for((), chosen=parts.settings.language, otherwise="en")

    def holding(what: str, count: int, unit: Unit) -> Holding:
        return Holding(what=what, count=count, unit=unit)

    def text(name: str) -> Holding:
        return holding(name, sizes.get(name, 0), "characters")

    entries = holding("journal", newest[0].seq if newest else 0, "entries")
    at_hand = holding(_MESSAGES, messages, "messages"), holding("tool traces", traces, "messages")
    held: dict[LayerName, tuple[Holding, ...]] = {
        "core": (text("IDENTITY.md"), text("SOUL.md")),
        "episodic": (entries,),
        "semantic": (text("MEMORY.md"), holding("indexed passages", passages, "passages")),
        "working": (holding("scratchpad", len(own), "values"), *at_hand),
        "long_term": (text("MEMORY.md"), entries, holding("all scratchpads", len(pads), "values")),
        "workspace": (text("USER.md"), holding("memory/<day>.md", len(days), "files")),
    }
    roots = {"workspace": str(files.root)}
    return [
        Layer(name=name, role=ROLES[name].say(language, root=files.root), root=roots.get(name, ""), holds=holds)
        for name, holds in held.items()
    ]


def _sizes(files: WorkspaceFiles) -> dict[str, int]:
    """Return the characters of the files that have a part in the layers."""
    names = ["IDENTITY.md", "SOUL.md", "USER.md", "MEMORY.md"]
    names += [name for name, _ in files.names("memory") if name.endswith(".md")]
    return {name: len(text) for name in names if (text := files.find(name)) is not None}


def _at_hand(files: WorkspaceFiles) -> tuple[int, int]:
    """Return how many messages a runtime keeps at hand, and how many of them are of tools."""
    try:
        kept = json.loads(files.find(_MESSAGES) or "[]")
    except ValueError:
        return 0, 0
    messages = kept if isinstance(kept, list) else []
    traces = [one for one in messages if isinstance(one, dict) and (one.get("role") == "tool" or one.get("tool_calls"))]
    return len(messages), len(traces)


@dataclass(slots=True)
class _TakenDown:
    """What became of the facts of one run."""

    written: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    known: int = 0


class AsyncWorkspace:
    """A folder of Markdown files that the agent and its user both read and write.

    IDENTITY.md, SOUL.md and USER.md say what must always hold, MEMORY.md what is to last, memory/<day>.md what was
    asked for and done. Whatever we write can be undone, and a line that a person wrote is never touched.
    """

    def __init__(
        self, parts: Parts, scope: Scope, *, roots: Roots, store: WorkspaceMemoryStore, mem0: dict[Scope, Any]
    ) -> None:
        self._parts = parts
        self._scope = scope.owner
        self._roots = roots
        self._store = store
        self._mem0 = mem0
        self._settings = parts.settings.section(WorkspaceSettings)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._scope}>"

    @property
    def scope(self) -> Scope:
        """Whose workspace this is."""
        return self._scope

    @property
    def hook(self) -> MemoryHook:
        """The hook that takes down facts at the end of an agent's run; register it with a `HookRegistry`."""
        return MemoryHook(self._facts)

    async def init(self, *, vault: str | None = None) -> WorkspaceState:
        """Make the folder with its files, or have a folder of notes that is there already be the workspace.

        With `vault`, the path of such a folder, every `*.md` in it is searched, and no file is made until there is
        something to write.
        """
        return WorkspaceState.model_validate(await self._roots.init(self._scope, vault=vault))

    # ── facts ────────────────────────────────────────────────────────────────

    async def end(self, messages: Messages, *, session: str | None = None) -> HookReport:
        """Take down what was asked for and done in a run of the agent, as `MemoryHook` does.

        Less than three turns are not looked at; facts that stand there already are not written again.
        """
        return await self._facts(_listed(messages), session, None)

    async def _facts(self, history: list[Any], session: str | None, root: Path | None) -> HookReport:
        """Take down what was asked for and done in a conversation: in the day's file, or in the journal if full."""
        if len(history) < MIN_CHAT_TURNS * 2:
            return _report(reason=f"fewer than {MIN_CHAT_TURNS * 2} messages")
        by_model = self._settings.extractor == "engine"
        facts = await facts_of(history, engine=self._parts.engine if by_model else None)
        if not facts:
            return _report(reason="nothing was asked for or done")
        files = await self._roots.files(self._scope, root=root)
        at = self._parts.clock().astimezone()
        done = await asyncio.to_thread(self._take_down, files, facts, at, session)
        entry_ids = await self._keep_in_journal(done.skipped, session=session) if done.skipped else ()
        if session is not None and (done.written or done.skipped):
            await self._note_in_pad([*done.written, *done.skipped], session=session)
        if done.skipped:
            reason = f"{_day_name(at.date())} is full; see the journal"
        else:
            reason = "" if done.written else "all of it stands there already"
        return _report(
            facts=tuple(done.written),
            known=done.known,
            path=_day_name(at.date()) if done.written else "",
            skipped=tuple(done.skipped),
            entry_ids=entry_ids,
            reason=reason,
        )

    def _take_down(self, files: WorkspaceFiles, facts: Sequence[str], at: datetime, session: str | None) -> _TakenDown:
        """Write facts into the file of the day and what lasts first into MEMORY.md, each within its size.

        Both are changes of a text, called again when a person saved the file meanwhile: so what was done is noted anew.
        """
        done = _TakenDown()

        def to_day(text: str | None) -> str | None:
            known = known_keys(text or "")
            new = [fact for fact in facts if bullet_key(fact) not in known]
            done.known, done.written, done.skipped = len(facts) - len(new), [], []
            if not new:
                return self._compacted(text)
            after = self._compacted(with_facts(text, new, at=at, session=session))
            if after is None or len(after) > self._settings.max_day_size:
                done.skipped = new
                return self._compacted(text)
            done.written = new
            return after

        def to_memory(text: str | None) -> str | None:
            if text is None or len(text) >= self._settings.max_memory_size:
                return None
            known = known_keys(text)
            facts = [fact for fact in (*done.written, *done.skipped) if bullet_key(fact) not in known]
            new = memorable(facts, is_roomy=len(text) < self._settings.max_memory_size // 4)
            return with_extracted(text, new) if new else None

        files.edit(_day_name(at.date()), to_day, why="facts of a conversation")
        files.edit("MEMORY.md", to_memory, why="facts of a conversation")
        return done

    def _compacted(self, text: str | None) -> str | None:
        return compacted(text) if text is not None and len(text) > self._settings.compact_above else text

    async def _keep_in_journal(self, facts: Sequence[str], *, session: str | None) -> tuple[str, ...]:
        """Keep facts that no file has room for, so that recall finds them all the same."""
        note = Message(role="assistant", content="\n".join(facts), kind=EntryKind.EVENT, origin=Origin.AGENT)
        receipt = await self._parts.journal.keep(self._scope, [note], session=session, tags=(TAG,))
        return receipt.entry_ids

    async def _note_in_pad(self, facts: Sequence[str], *, session: str) -> None:
        """Keep facts on the session's scratchpad, the newest that fit."""
        pad = Scratchpad(self._parts.store, self._scope, session=session)
        held: JsonValue = (await pad.read()).get(SESSION_FACTS, "")
        merged = merged_facts(held if isinstance(held, str) else "", facts).splitlines()
        # JSON writes a sign in up to six: the newest that fit in any case.
        while sum(map(len, merged)) > MAX_VALUE_CHARACTERS // 6:
            merged = merged[1:]
        await pad.write(SESSION_FACTS, "\n".join(merged))

    async def log(self, *, day: date | None = None) -> DayLog:
        """Return what a day's file says, today's unless another is named."""
        files = await self._roots.files(self._scope)
        day = day or self._parts.clock().astimezone().date()
        text = await asyncio.to_thread(files.find, _day_name(day))
        return DayLog(day=day, path=_day_name(day), text=text or "")

    async def compact(self, *, day: date | None = None) -> CompactedDay:
        """De-duplicate the bullets that we wrote in a day's file, whatever its size; a person's stay as they are."""
        files = await self._roots.files(self._scope)
        name = _day_name(day or self._parts.clock().astimezone().date())
        before = await asyncio.to_thread(files.find, name)
        change = await asyncio.to_thread(files.edit, name, lambda text: text and compacted(text), why="de-duplicated")
        after = await asyncio.to_thread(files.find, name)
        return CompactedDay(path=name, before=len(before or ""), after=len(after or ""), change=change)

    # ── searching and prompts ────────────────────────────────────────────────

    @property
    def store(self) -> WorkspaceMemoryStore:
        """What indexes and searches the files, also for code without an event loop (`search_sync`)."""
        return self._store

    @property
    def mem0(self) -> AsyncMem0:
        """What the package Mem0 keeps for the agent beside the files, where it is installed."""
        return AsyncMem0(self._parts, self._scope, opened=self._mem0)

    async def index(self) -> IndexReport:
        """Bring the index up to date with the files; `search` does so by itself."""
        return await self._store.index_workspace()

    async def search(self, query: str, *, limit: int = 5, mode: SearchMode = "hybrid") -> WorkspaceFound:
        """Find passages of the files by words (`fts`), by meaning (`semantic`) or by both (`hybrid`), best first.

        Where nothing answers, nothing is found unless by words alone, and `gate` says why.
        """
        return await self._store.search(query, limit=limit, mode=mode)

    async def prompt(self, messages: Messages = (), *, budget: int | None = None) -> str:
        """Return the workspace's part of a system prompt: what always holds, then what the last messages call up.

        The first is IDENTITY.md, SOUL.md and USER.md, and AGENTS.md and CLAUDE.md of the folder and of
        `memory.project`, within `budget` tokens (`memory.core_budget` unless given). The second is left out where
        nothing is found.
        """
        history = _listed(messages)
        language = language_for(history, chosen=self._parts.settings.language)
        files = await self._roots.files(self._scope)
        tokens = self._settings.core_budget if budget is None else budget
        core = await asyncio.to_thread(
            core_section, files, budget=tokens, language=language, project=self._settings.project
        )
        return "\n\n".join(part for part in (core, await self.recalled(history)) if part)

    async def recalled(self, messages: Messages) -> str:
        """Return what the last five messages of the user bring to mind as a section; empty where nothing does."""
        history = _listed(messages)
        query = query_of(history) if history else ""
        if not query or is_small_talk(query):
            return ""
        found = await self._store.search(query, limit=RECALLED_LIMIT, mode="hybrid")
        return recalled_section(
            found.items, query=query, language=language_for(history, chosen=self._parts.settings.language)
        )

    async def layers(self) -> list[Layer]:
        """Show what each of the six layers of memory holds."""
        files = await self._roots.files(self._scope)
        return await layers_of(self._parts, self._scope, files, store=self._store)

    async def memory(
        self,
        command: MemoryCommand,
        path: str = "",
        *,
        file_text: str | None = None,
        old_str: str | None = None,
        new_str: str | None = None,
        insert_line: int | None = None,
        insert_text: str | None = None,
        view_range: Sequence[int] | None = None,
        old_path: str | None = None,
        new_path: str | None = None,
    ) -> str:
        """Have the agent read and edit its own files, as the memory tool of models does; returns what it is told.

        The commands are `view`, `create`, `str_replace`, `insert`, `delete` and `rename`; paths may begin with
        `/memories`.
        """
        given = {name: value for name, value in locals().items() if name not in {"self", "command", "path"}}
        files = await self._roots.files(self._scope)
        return await asyncio.to_thread(perform, files, command, path, **given)

    # ── what we wrote ────────────────────────────────────────────────────────

    async def changes(self, *, limit: int = 20) -> list[FileChange]:
        """Return what we wrote into the folder, newest first, as differences that can be undone."""
        files = await self._roots.files(self._scope)
        return await asyncio.to_thread(files.changes, limit=limit)

    async def undo(self, change_id: str) -> FileChange:
        """Undo one of Remanent's changes; refused if its lines have been changed since."""
        files = await self._roots.files(self._scope)
        return await asyncio.to_thread(files.undo, change_id)


def _listed(messages: Messages) -> list[Any]:
    """Return messages as a list, whatever form they come in; one alone is one message."""
    is_one = isinstance(messages, str | Mapping | Message)
    return [messages] if is_one else list(messages)


def _day_name(day: date) -> str:
    if not isinstance(day, date):
        raise InvalidInput("a day must be a date, such as date(2026, 5, 31)")
    return f"memory/{day:%Y-%m-%d}.md"


def _report(**what: object) -> HookReport:
    return HookReport.model_validate({"hook": MemoryHook.__name__, **what})

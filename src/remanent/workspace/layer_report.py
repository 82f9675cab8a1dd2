"""`workspace.layers`: how much each of the six layers of an agent's memory holds, for who looks for something."""

import asyncio
import json
from typing import Literal

from remanent.bilingual import Bilingual
from remanent.context import Scratchpad
from remanent.context.scratchpad import PREFIX as PADS
from remanent.discipline import Parts
from remanent.model import Model, Scope
from remanent.model.base import Count, Text
from remanent.stores import EntryQuery
from remanent.workspace.files import WorkspaceFiles
from remanent.workspace.index import WorkspaceMemoryStore
from remanent.workspace.prompt import language_for

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

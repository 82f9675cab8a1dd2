"""Memory in a folder of Markdown files that people can read: facts by day, search, and a place in every prompt."""

from typing import TYPE_CHECKING

from remanent.late import exports

if TYPE_CHECKING:
    from remanent.workspace.discipline import MarkdownWorkspace
    from remanent.workspace.face import AsyncWorkspace, CompactedDay, DayLog, WorkspaceState
    from remanent.workspace.files import FileChange, WorkspaceFiles
    from remanent.workspace.hooks import (
        MAX_FACTS_PER_SESSION,
        MIN_CHAT_TURNS,
        AgentHook,
        HookRegistry,
        HookReport,
        MemoryHook,
    )
    from remanent.workspace.index import IndexReport, WorkspaceFound, WorkspaceHit, WorkspaceMemoryStore
    from remanent.workspace.layer_report import Holding, Layer
    from remanent.workspace.mem0 import AsyncMem0, Mem0Item
else:
    __getattr__ = exports(
        __name__,
        discipline="MarkdownWorkspace",
        face="AsyncWorkspace CompactedDay DayLog WorkspaceState",
        files="FileChange WorkspaceFiles",
        hooks="MAX_FACTS_PER_SESSION MIN_CHAT_TURNS AgentHook HookRegistry HookReport MemoryHook",
        index="IndexReport WorkspaceFound WorkspaceHit WorkspaceMemoryStore",
        layers="Holding Layer",
        mem0="AsyncMem0 Mem0Item",
    )

__all__ = [
    "MAX_FACTS_PER_SESSION",
    "MIN_CHAT_TURNS",
    "AgentHook",
    "AsyncMem0",
    "AsyncWorkspace",
    "CompactedDay",
    "DayLog",
    "FileChange",
    "Holding",
    "HookRegistry",
    "HookReport",
    "IndexReport",
    "Layer",
    "MarkdownWorkspace",
    "Mem0Item",
    "MemoryHook",
    "WorkspaceFiles",
    "WorkspaceFound",
    "WorkspaceHit",
    "WorkspaceMemoryStore",
    "WorkspaceState",
]

"""The operations of the workspace, and how the command line shows their answers to people."""

import re
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator

from remanent.bilingual import Bilingual, bilingual_words, translated
from remanent.discipline.operation import Command, Permission, Screen, Tool, operation
from remanent.discipline.port import Call
from remanent.discipline.shapes import Limit, Nothing, Page, Session, about
from remanent.errors import NotPermitted
from remanent.model import Model
from remanent.model.base import Text
from remanent.text.spans import excerpt
from remanent.workspace.face import ROLES, AsyncWorkspace, CompactedDay, DayLog, Layer, WorkspaceState
from remanent.workspace.files import OTHERS, FileChange
from remanent.workspace.hooks import HookReport
from remanent.workspace.index import IndexReport, SearchMode, WorkspaceFound
from remanent.workspace.prompt import MemoryCommand

AT_THIS_MACHINE = "local"
"""The name of callers who can open the files themselves; a key could name the folder of somebody else."""
NAME = "workspace"

STATE = Bilingual("The workspace is {root}. Indexed: {include}", "工作区为 {root}。索引范围：{include}")
ELSEWHERE = Bilingual(
    "Its folder does not depend on `home` or REMANENT_HOME; set "
    "`memory.path` or REMANENT_WORKSPACE_ROOT to choose another.",
    "该目录与 `home`、REMANENT_HOME 无关；可用 `memory.path` 或 REMANENT_WORKSPACE_ROOT 另选。",
)
ANOTHERS = Bilingual(
    "The folder in the settings belongs to the agent that used it first; this agent has its own within "
    "`home`. `--vault FOLDER` chooses another, and `memory.shared` lets all agents share one.",
    "设置中的目录归最先使用它的智能体所有；此智能体在 `home` 之内另有自己的目录。"
    "可用 `--vault 目录` 另选，或用 `memory.shared` 让所有智能体共用一个。",
)
NO_LOG = Bilingual("Nothing was recorded on {day}.", "{day} 没有记录。")
COMPACTED = Bilingual("{path}: {before} characters before, {after} now.", "{path}：原有 {before} 字，现有 {after} 字。")
WRITTEN = Bilingual(
    "{count} facts written to {path}; {known} were already there.", "{count} 条事实写入 {path}；{known} 条已有。"
)
SKIPPED = Bilingual(
    "{count} facts did not fit; they are kept in the journal.", "{count} 条事实放不下，已保存在日志中。"
)
NOTHING = Bilingual("Nothing was written: {reason}.", "没有写入：{reason}。")


NO_CHANGES = Bilingual("Nothing has been written to the workspace yet.", "尚未向工作区写入任何内容。")
NO_HIT = Bilingual("Nothing in the workspace answers that.", "工作区中没有相关内容。")
MAX_SHOWN = 200
"""Characters of a passage that the command line shows."""


CONTENTS = {
    one.en: one
    for one in bilingual_words(
        "journal 日志, tool traces 工具调用记录, scratchpad 便签, all scratchpads 全部便签, "
        "indexed passages 已索引的段落"
    )
}
UNITS = {
    "characters": Bilingual("{count} characters", "{count} 字"),
    "entries": Bilingual("{count} entries", "{count} 条"),
    "passages": Bilingual("{count} passages", "{count} 段"),
    "values": Bilingual("{count} values", "{count} 项"),
    "messages": Bilingual("{count} messages", "{count} 条消息"),
    "files": Bilingual("{count} files", "{count} 个文件"),
}


_reads = partial(operation, permission=Permission.READ, part=NAME)
_writes = partial(operation, permission=Permission.WRITE, part=NAME)


def _of(call: Call) -> AsyncWorkspace:
    return call.agent.face(AsyncWorkspace)


def _as_written(value: object) -> object:
    """Refuse a number where a day is written: it would be taken for seconds since 1970."""
    if isinstance(value, str) and not _WRITTEN.fullmatch(value):
        raise ValueError("write a day as 2026-03-01")
    return value


_WRITTEN = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)

Day = Annotated[
    date | None,
    BeforeValidator(_as_written),
    about("The day, such as 2026-05-31; defaults to today.", "日期，如 2026-05-31；默认今天。"),
]


Conversation = Annotated[
    tuple[Any, ...], about("The conversation so far, oldest first.", "到目前为止的对话，由旧到新。", max_length=1000)
]


class OneDay(Model):
    """Which day."""

    day: Day = None


class InitWorkspace(Model):
    """Which folder."""

    vault: Annotated[
        str | None,
        about(
            "An existing folder of notes, on the memory's machine, to use as "
            "the workspace; by default a new one is created.",
            "作为工作区的已有笔记目录（位于记忆所在的机器上）；不给则新建。",
            min_length=1,
            max_length=4096,
        ),
    ] = None


def _show_state(screen: Screen, state: WorkspaceState) -> None:
    screen.line(screen.word(STATE, root=state.root, include=state.include))
    screen.tell(ANOTHERS if OTHERS in Path(state.root).parts else ELSEWHERE)


@_writes("workspace.init", zh="建立工作区目录，或以已有的笔记目录作为工作区。", command=Command(show=_show_state))
async def init(call: Call, request: InitWorkspace) -> WorkspaceState:
    """Create the workspace folder with its files, or use an existing folder of notes."""
    if request.vault is not None and call.principal.name != AT_THIS_MACHINE:
        raise NotPermitted(
            "a folder on the server's machine can only be chosen there; run `remanent workspace init` on that machine"
        )
    return await _of(call).init(vault=request.vault)


def _show_log(screen: Screen, log: DayLog) -> None:
    """Show the file of a day without the marks that are for us."""
    if not log.text:
        screen.tell(NO_LOG, day=log.day)
    for line in log.text.splitlines():
        if not line.startswith("<!-- remanent:"):
            screen.line(line)


@_reads(
    "workspace.log",
    zh="显示某天的记录。",
    route="GET workspace/log",
    command=Command(arguments=("day",), show=_show_log),
)
async def log(call: Call, request: OneDay) -> DayLog:
    """Show what was recorded on a day."""
    return await _of(call).log(day=request.day)


class EndedRun(Model):
    """A run of an agent that ended."""

    messages: Annotated[
        tuple[Any, ...],
        about(
            "The conversation, oldest first, in the message format of OpenAI or Anthropic.",
            "对话，由旧到新，OpenAI 或 Anthropic 的消息格式。",
            min_length=1,
            max_length=1000,
        ),
    ]
    session: Session = None


def _show_report(screen: Screen, report: HookReport) -> None:
    """Say what was taken down, where, and what not."""
    if report.facts:
        screen.line(screen.word(WRITTEN, count=len(report.facts), path=report.path, known=report.known))
    if report.skipped:
        screen.line(screen.word(SKIPPED, count=len(report.skipped)))
    if not report.facts and not report.skipped:
        screen.tell(NOTHING, reason=translated(report.reason, screen.language))


@_writes(
    "workspace.end",
    zh="智能体一次运行结束：将其中的请求与完成事项记入当日文件。",
    act="create_memory",
    command=Command(takes="messages", show=_show_report),
    examples=({"messages": [{"role": "user", "content": "Please fix the login."}]},),
)
async def end(call: Call, request: EndedRun) -> HookReport:
    """Record what was asked for and done in an agent's run, in that day's file."""
    return await _of(call).end(list(request.messages), session=request.session)


@_writes(
    "workspace.compact",
    zh="对我们在当日文件中写下的条目去重；人写的内容保持原样。",
    act="update_memory",
    command=Command(
        arguments=("day",),
        show=lambda screen, done: screen.line(
            screen.word(COMPACTED, path=done.path, before=done.before, after=done.after)
        ),
    ),
)
async def compact(call: Call, request: OneDay) -> CompactedDay:
    """Remove duplicates among the bullets Remanent wrote in a day's file; what people wrote stays as it is."""
    return await _of(call).compact(day=request.day)


class SearchFiles(Model):
    """What to look for."""

    query: Annotated[str, about("The question, or some words.", "问题或关键词。", min_length=1, max_length=10_000)]
    limit: Annotated[int, about("Return at most this many.", "最多多少条。", ge=1, le=100)] = 5
    mode: Annotated[SearchMode, about("Search by words, by meaning or by both.", "按词语、按语义或两者兼用。")] = (
        "hybrid"
    )


def _show_hits(screen: Screen, found: WorkspaceFound) -> None:
    """Show hits as compilers name places, `path:line`, which terminals and editors open."""
    if not found.items:
        screen.tell(NO_HIT)
    for hit in found.items:
        lines = str(hit.line) if hit.line == hit.end_line else f"{hit.line}-{hit.end_line}"
        screen.line(f"{hit.path}:{lines}  {hit.heading}")
        screen.line(f"    {excerpt(' '.join(hit.text.split()), MAX_SHOWN)}")


@_reads(
    "workspace.search",
    zh="在工作区的文件中检索，给出路径与行号；编辑后无需重新索引。",
    act="search_memory",
    command=Command(arguments=("query",), show=_show_hits),
    examples=({"query": "release notes", "mode": "fts"},),
)
async def search(call: Call, request: SearchFiles) -> WorkspaceFound:
    """Search the files of the workspace, with their paths and lines; edits are found at once."""
    return await _of(call).search(request.query, limit=request.limit, mode=request.mode)


@_writes("workspace.index", zh="使索引与文件一致；只读取有变化的文件。", settles=True)
async def index(call: Call, _: Nothing) -> IndexReport:
    """Bring the index up to date with the files; only those that changed are read."""
    return await _of(call).index()


def _show_layers(screen: Screen, page: Page[Layer]) -> None:
    """Show each layer of memory with what it is for and how much it holds."""
    for layer in page.items:
        screen.line(f"{layer.name:<10} {screen.word(ROLES[layer.name], root=layer.root)}")
        for one in layer.holds:
            what = screen.word(CONTENTS[one.what]) if one.what in CONTENTS else one.what
            screen.line(f"           {what}: {screen.word(UNITS[one.unit], count=one.count)}")


@_reads(
    "workspace.layers", zh="显示六层记忆各存有什么。", route="GET workspace/layers", command=Command(show=_show_layers)
)
async def layers(call: Call, _: Nothing) -> Page[Layer]:
    """Show what each of the six layers of memory holds."""
    return Page(items=tuple(await _of(call).layers()))


class PromptFor(Model):
    """For which conversation."""

    messages: Conversation = ()
    budget: Annotated[
        int | None, about("Tokens for what is always true.", "始终成立的内容最多占用的 token 数。", ge=1, le=100_000)
    ] = None


class PromptText(Model):
    """A part of a system prompt."""

    text: Text


@_reads(
    "workspace.prompt",
    zh="给出工作区在系统提示中的部分：始终成立的内容，以及自动召回的历史记忆。",
    route="POST workspace/prompt",
    give=lambda answer: answer.text,
    command=Command(takes="messages", show=lambda screen, answer: screen.line(answer.text)),
)
async def prompt(call: Call, request: PromptFor) -> PromptText:
    """Give the workspace's part of a system prompt: what is always true, and what the last messages bring to mind."""
    return PromptText(text=await _of(call).prompt(list(request.messages), budget=request.budget))


class TalkedOf(Model):
    """A conversation."""

    messages: Conversation


@_reads(
    "workspace.recalled",
    zh="给出用户最近五条消息唤起的历史记忆，作为系统提示中的一节；没有则为空。",
    act="search_memory",
    route="POST workspace/recalled",
    give=lambda answer: answer.text,
    command=None,
)
async def recalled(call: Call, request: TalkedOf) -> PromptText:
    """Give what the last five messages of the user bring to mind, as a section of a system prompt; empty if nothing."""
    return PromptText(text=await _of(call).recalled(list(request.messages)))


class EditMemoryFile(Model):
    """What to do with which file."""

    command: Annotated[MemoryCommand, about("What to do.", "要执行的命令。")]
    path: Annotated[
        str,
        about(
            "The file or folder, such as /memories/notes.md.", "文件或目录，如 /memories/notes.md。", max_length=1000
        ),
    ] = ""
    file_text: Annotated[str | None, about("create: the whole text.", "create：全文。", max_length=10**6)] = None
    old_str: Annotated[
        str | None,
        about(
            "str_replace: the text to replace; it must occur exactly once.",
            "str_replace：原文，须唯一。",
            max_length=10**6,
        ),
    ] = None
    new_str: Annotated[str | None, about("str_replace: the new text.", "str_replace：新文。", max_length=10**6)] = None
    insert_line: Annotated[
        int | None,
        about(
            "insert: the line after which to insert; 0 is the beginning.", "insert：插入在第几行之后；0 为开头。", ge=0
        ),
    ] = None
    insert_text: Annotated[
        str | None, about("insert: the text to insert.", "insert：要插入的文本。", max_length=10**6)
    ] = None
    view_range: Annotated[
        tuple[int, ...] | None,
        about("view: the first and last line; -1 is the end.", "view：起止行；-1 为末尾。", max_length=2),
    ] = None
    old_path: Annotated[str | None, about("rename: the current path.", "rename：原路径。", max_length=1000)] = None
    new_path: Annotated[str | None, about("rename: the new path.", "rename：新路径。", max_length=1000)] = None


@_writes(
    "workspace.memory",
    zh="智能体读写自己的文件：view、create、str_replace、insert、delete、rename；每次改动均可撤销。",
    act="update_memory",
    route="POST workspace/memory",
    give=lambda answer: answer.text,
    command=None,
    tool=Tool(
        "memory",
        Bilingual(
            "Read and edit your own files under /memories: who you are (IDENTITY.md, SOUL.md), who the user is "
            "(USER.md), what should last (MEMORY.md), and what was done each day "
            "(memory/). View before you edit. People read these files too.",
            "读写你在 /memories 下的文件：你是谁（IDENTITY.md、SOUL.md）、用户是谁（USER.md）、需长期记住的内容"
            "（MEMORY.md）、每日记录（memory/）。编辑前先查看。人也会阅读这些文件。",
        ),
        tell=lambda answer, _: str(answer.text),
    ),
    examples=({"command": "view", "path": "/memories"},),
)
async def memory(call: Call, request: EditMemoryFile) -> PromptText:
    """Let the agent view, create, edit, delete or rename its own files; each change can be undone."""
    given = request.model_dump(exclude={"command", "path"})
    return PromptText(text=await _of(call).memory(request.command, request.path, **given))


class ListChanges(Model):
    """How many."""

    limit: Limit = 20


def _show_changes(screen: Screen, page: Page[FileChange]) -> None:
    """Show our changes with their differences, as `git log -p` does."""
    if not page.items:
        screen.tell(NO_CHANGES)
    for change in page.items:
        screen.line(f"{change.id}  {screen.moment(change.at)}  {change.path}  {change.why}")
        for line in change.diff.splitlines():
            screen.line(f"    {line}")


@_reads(
    "workspace.changes",
    zh="列出我们写入工作区的改动，新的在前，均可撤销。",
    route="GET workspace/changes",
    command=Command(show=_show_changes),
)
async def changes(call: Call, request: ListChanges) -> Page[FileChange]:
    """List Remanent's changes to the workspace, newest first; each can be undone."""
    return Page(items=tuple(await _of(call).changes(limit=request.limit)))


class ByChange(Model):
    """Which change."""

    change_id: Annotated[
        Text,
        about(
            "The id of a change, as shown by `workspace changes`.", "改动的 id，见 `workspace changes`。", max_length=64
        ),
    ]


@_writes(
    "workspace.undo",
    zh="撤销我们的一次改动。",
    act="update_memory",
    route="POST workspace/changes/{change_id}/undo",
    command=Command(show=lambda screen, change: screen.line(change.diff)),
)
async def undo(call: Call, request: ByChange) -> FileChange:
    """Undo one of Remanent's changes; refused if its lines have been changed since."""
    return await _of(call).undo(request.change_id)


OPERATIONS = (init, log, end, compact, search, index, layers, prompt, recalled, memory, changes, undo)

"""The operations of task banks, for REST, MCP and the command line: run, inspect, settle conflicts, export, clear.

Every operation opens the bank by its id, does one thing and closes it: a server holds no bank between requests, so any
process can serve the next one.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from remanent.agents.deep_retrieval import DeepRetrieved
from remanent.bank.adapter.framework import tidy_insight
from remanent.bank.bank import Observed
from remanent.bank.face import AsyncBank, AsyncBanks, BankInfo
from remanent.bank.graph import BankFound
from remanent.bank.planner import InsightDoc
from remanent.bank.run import RunResult
from remanent.bank.runtime import EVENT_NAMES, BankEvent, EventKind
from remanent.bilingual import Bilingual, Language
from remanent.discipline.operation import Body, Command, Permission, Tool, operation
from remanent.discipline.port import Call, ProgressStep
from remanent.discipline.shapes import Done, Limit, Page, about
from remanent.errors import InvalidInput, NotFound
from remanent.model import Conflict, ConflictState, Instant, Model
from remanent.model.base import Count, Text
from remanent.model.ids import Id
from remanent.text.escaping import escape
from remanent.text.scripts import working_language
from remanent.text.spans import excerpt

_reads = partial(operation, permission=Permission.READ)
_writes = partial(operation, permission=Permission.WRITE)
_MAX_CONTEXT_CHARS = 10_000_000
"""Characters of a context: some twenty books, beyond which a request is a mistake (chosen by hand)."""
_MAX_TASK_CHARS = 100_000
_MAX_SOURCES = 1000
"""Characters of a task, and texts that a run is given: more is a mistake as well (chosen by hand)."""
_MAX_SHOWN_CHARS = 2000
"""Characters of one node or conflict in the text for a model; the structured result has all of them."""

BankId = Annotated[
    str, about("The name of the bank: letters, digits, - and _.", "记忆库的名称：字母、数字、- 与 _。",
               min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
]  # fmt: skip


class RunBank(Model):
    """A task and what it comes with."""

    task: Annotated[Text, about("The question or task.", "问题或任务。", min_length=1, max_length=_MAX_TASK_CHARS)]
    context: Annotated[Text, about("The text to read.", "要阅读的文本。", max_length=_MAX_CONTEXT_CHARS)] = ""
    sources: Annotated[
        dict[str, Text],
        about("Texts, by name, that can be searched but are not ingested.", "可检索但不预先读入的文本（按名称）。",
              max_length=_MAX_SOURCES),
    ] = Field(default_factory=dict)  # fmt: skip
    bank_id: Annotated[
        BankId | None,
        about(
            "Keep the bank under this name; without one it is cleared at the end.",
            "以此名称保留记忆库；不给则结束后清除。",
        ),
    ] = None


def _note(event: BankEvent, language: Language) -> str:
    """Return what happened as those who follow a run read it, in the language of its task."""
    name, mark = (EVENT_NAMES[event.kind], "：") if language == "zh" else (event.kind.value, ": ")
    return f"{name}{mark}{event.text[:300]}" if event.text else name


class BankAnswer(Model):
    """The result of a run."""

    result: RunResult
    conflicts: tuple[Conflict, ...] = ()
    calls: dict[str, Count]
    bank_id: Id | None = None


@_writes(
    "bank.run",
    zh="处理一项长任务：阅读、交叉核对并作答。",
    route="POST banks",
    long=True,
    examples=({"task": "How high is Mount Kelt?", "context": "Mount Kelt is 3,412 metres high."},),
    command=None,
    tool=Tool(
        "bank_run",
        Bilingual(
            "Answer a question from a long text given with it; contradictions in the text are cross-checked. "
            "With a bank_id, what was learned is kept, and task_state shows it.",
            "根据随问题给出的长文本作答，并交叉核对其中的矛盾。给出 bank_id 则保留所得，可用 task_state 查看。",
        ),
        fields=("task", "context", "bank_id"),
    ),
)
async def run_bank(call: Call, request: RunBank) -> BankAnswer:
    """Work on one long task: read, cross-check, answer; follow it by the run's progress."""
    # A run has no known number of rounds, so progress is the count of those begun.
    done = 0

    def tell(event: BankEvent) -> None:
        nonlocal done
        done += event.kind is EventKind.ROUND
        call.report(ProgressStep(done=done, note=_note(event, working_language(request.task))))

    async with call.memory.face(AsyncBanks)(**dict(request), **_place(call)) as bank:
        if request.bank_id is not None and await bank.is_stored():
            raise InvalidInput(f"the bank {request.bank_id} already exists; clear it, or choose another name")
        result = await bank.run(keep=True, on_event=tell)
        return BankAnswer(result=result, conflicts=bank.conflicts, calls=dict(bank.calls), bank_id=request.bank_id)


class ListBanks(Model):
    """How many."""

    limit: Limit = 100


@_reads("bank.list", zh="列出保留的记忆库，最近使用的在前。", route="GET banks")
async def list_banks(call: Call, request: ListBanks) -> Page[BankInfo]:
    """List an agent's kept banks, most recently used first."""
    found = await call.memory.face(AsyncBanks).stored(**_place(call), limit=request.limit)
    return Page(items=tuple(found))


class BankReference(Model):
    """One bank."""

    bank_id: BankId


class BankNode(Model):
    """A node of the Query Graph as people see it."""

    node_id: Id
    context: Text
    """What the node is about."""
    summary: Text
    """What is known of that."""
    keywords: tuple[str, ...] = ()
    timestamp: Instant
    provisional: bool = False
    """Whether it waits for a conflict to be validated."""
    unresolved: bool = False
    """Whether a validation could not decide if it is right."""


_SHOWN = {"context", "summary", "keywords", "timestamp", "provisional", "unresolved"}


class BankState(Model):
    """How a bank stands."""

    insight: InsightDoc
    nodes: tuple[BankNode, ...] = ()
    """Oldest first."""
    edges: tuple[tuple[Id, Id], ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def _tell_state(state: BankState, language: Language) -> str:
    """Write the state of a task as text for a model; stored text is escaped."""
    lines = [escape(tidy_insight(state.insight).render(language))]
    lines.append(Bilingual("What is known so far:", "目前所知：")[language])
    lines += [f"- [{node.node_id}] {_excerpt(node.context)}" for node in state.nodes]
    settled = {ConflictState.RESOLVED}
    open_ones = [conflict for conflict in state.conflicts if conflict.state not in settled]
    if open_ones:
        lines.append(Bilingual("Contradictions not yet settled:", "尚未解决的矛盾：")[language])
        lines += [f"- [{conflict.id}] {_excerpt(conflict.description)}" for conflict in open_ones]
    return "\n".join(lines)


def _excerpt(text: str) -> str:
    return escape(excerpt(text, _MAX_SHOWN_CHARS))


@_reads(
    "bank.get",
    zh="显示记忆库的状况。",
    route="GET banks/{bank_id}",
    tool=Tool(
        "task_state",
        Bilingual(
            "See the state of a long task kept under a bank_id: its goal, the steps done and the next one, what "
            "is known so far (with ids for deep_retrieval), and which contradictions are still open.",
            "查看以 bank_id 保留的长任务的状态：目标、已完成的步骤与下一步、目前所知（附可用于 deep_retrieval 的 id），"
            "以及尚未解决的矛盾。",
        ),
        tell=_tell_state,
    ),
)
async def get_bank(call: Call, request: BankReference) -> BankState:
    """Show the state of a kept bank: its task, its nodes, its contradictions."""
    async with _opened(call, request.bank_id) as bank:
        return BankState(
            insight=bank.insight,
            nodes=tuple(BankNode(node_id=node.id, **node.model_dump(include=_SHOWN)) for node in bank.nodes),
            edges=bank.edges,
            conflicts=bank.conflicts,
        )


class ResumeBank(BankReference):
    """A bank whose task is to be continued."""


@_writes("bank.resume", zh="继续处理保留的记忆库中的任务。", route="POST banks/{bank_id}/resume", long=True)
async def resume_bank(call: Call, request: ResumeBank) -> BankAnswer:
    """Continue the task of a kept bank where it left off."""

    async with _opened(call, request.bank_id) as bank:

        def tell(event: BankEvent) -> None:
            call.report(ProgressStep(note=_note(event, bank.insight.language)))

        result = await bank.run(keep=True, on_event=tell)
        return BankAnswer(result=result, conflicts=bank.conflicts, calls=dict(bank.calls), bank_id=request.bank_id)


class ObserveText(BankReference):
    """A text for a bank to ingest."""

    text: Annotated[Text, about("The text.", "文本。", min_length=1, max_length=_MAX_CONTEXT_CHARS)]


@_writes(
    "bank.observe",
    zh="让记忆库读入一段文本。",
    act="create_memory",
    route="POST banks/{bank_id}/observe",
    command=Command(arguments=("bank_id", "text")),
)
async def observe(call: Call, request: ObserveText) -> Observed:
    """Let a kept bank read a text: it is split by topic, summarised and checked against what the bank knows."""
    async with _opened(call, request.bank_id) as bank:
        return await bank.observe(request.text)


class SearchBank(BankReference):
    """A query for a bank's graph."""

    query: Annotated[Text, about("The question.", "问题。", min_length=1, max_length=10_000)]
    k: Annotated[int | None, about("Maximum number of candidates.", "候选节点数上限。", ge=1, le=50)] = None
    alpha: Annotated[
        float | None, about("Weight of words against meaning, 0 to 1.", "关键词相对语义的权重，0 到 1。", ge=0, le=1)
    ] = None


@_reads(
    "bank.search",
    zh="检索记忆库的记忆图。",
    act="search_memory",
    route="POST banks/{bank_id}/search",
    command=Command(arguments=("bank_id", "query")),
)
async def search(call: Call, request: SearchBank) -> BankFound:
    """Search the Query Graph of a kept bank: candidates and their neighbours, newest first."""
    async with _opened(call, request.bank_id) as bank:
        return await bank.search(request.query, k=request.k, alpha=request.alpha)


class Resolve(BankReference):
    """A finding that settles a contradiction."""

    conflict_id: Annotated[
        Id, about("The id of the contradiction, as shown by `bank.get`.", "矛盾的编号，见 `bank.get`。")
    ]
    finding: Annotated[Text, about("What is right, and why.", "哪种说法正确，依据是什么。", max_length=100_000)]


@_writes(
    "bank.resolve",
    zh="依据给出的结论解决一处矛盾。",
    route="POST banks/{bank_id}/conflicts/{conflict_id}/resolve",
    command=Command(arguments=("bank_id", "conflict_id", "finding")),
)
async def resolve(call: Call, request: Resolve) -> Conflict:
    """Settle a contradiction in a kept bank; your finding is final."""
    async with _opened(call, request.bank_id) as bank:
        return await bank.resolve(request.conflict_id, request.finding, decided_by=call.principal.name)


class UndoChange(BankReference):
    """A merge or a verdict to undo."""

    change_id: Annotated[Id, about("The id of a merge or a contradiction.", "合并事件或矛盾的编号。")]


@_writes(
    "bank.undo",
    zh="撤销一次合并或裁决。",
    route="POST banks/{bank_id}/undo",
    command=Command(arguments=("bank_id", "change_id")),
)
async def undo(call: Call, request: UndoChange) -> Done:
    """Undo a merge or a verdict of a kept bank."""
    async with _opened(call, request.bank_id) as bank:
        await bank.undo(request.change_id)
    return Done()


class DeepRetrievalOf(BankReference):
    """A node whose raw entries are wanted."""

    node_id: Annotated[Id, about("The id of the node, as shown by `bank.get`.", "节点编号，见 `bank.get`。")]
    attachment_id: Annotated[Id | None, about("Only this file.", "只要这个附件。")] = None
    offset: Annotated[
        int,
        about("Where to continue: the `next_offset` of the previous page.", "续读位置：上一页的 `next_offset`。", ge=0),
    ] = 0
    limit: Annotated[int | None, about("Characters per page.", "每页的字符数。", ge=1)] = None
    query: Annotated[Text, about("Only sentences about this.", "只看与此相关的句子。", max_length=10_000)] = ""


@_reads("bank.deep_retrieval", zh="读取节点背后的全部原文与附件。", route="GET banks/{bank_id}/nodes/{node_id}")
async def deep_retrieval(call: Call, request: DeepRetrievalOf) -> DeepRetrieved:
    """Read every raw entry behind a node of a kept bank, with the content of its files."""
    async with _opened(call, request.bank_id) as bank:
        return await bank.deep_retrieval(**{name: value for name, value in request if name != "bank_id"})


@_reads("bank.export", zh="导出整个记忆库（JSON）。", route="GET banks/{bank_id}/export")
async def export(call: Call, request: BankReference) -> AsyncIterator[str]:
    """Write a whole kept bank as one line of JSON."""
    async with _opened(call, request.bank_id) as bank:
        yield await bank.export()


@_writes("bank.import", zh="由导出的 JSON 建立记忆库。", route="POST banks/{bank_id}/import", reads=Body.BYTES)
async def load(call: Call, request: BankReference) -> InsightDoc:
    """Create a kept bank from an export."""
    async with call.memory.face(AsyncBanks)(bank_id=request.bank_id, **_place(call)) as bank:
        if await bank.is_stored():
            raise InvalidInput(f"the bank {request.bank_id} already exists; clear it, or choose another name")
        return await bank.load(b"".join([part async for part in call.sent()]))


@_writes(
    "bank.clear", zh="清除记忆库中的一切。", act="delete_memory_store", route="DELETE banks/{bank_id}", destroys=True
)
async def clear(call: Call, request: BankReference) -> Done:
    """Erase everything in a kept bank."""
    async with _opened(call, request.bank_id) as bank:
        await bank.clear()
    return Done()


def _place(call: Call) -> dict[str, Any]:
    """Return whose banks a call is about, as the face of banks is told it."""
    scope = call.agent.scope
    return {"agent": scope.agent, "workspace": scope.workspace, "org": scope.org}


@asynccontextmanager
async def _opened(call: Call, bank_id: str) -> AsyncIterator[AsyncBank]:
    """Open a kept bank for one operation; one that was never kept is refused."""
    async with call.memory.face(AsyncBanks)(bank_id=bank_id, **_place(call)) as bank:
        # Opening a bank writes nothing, so an unknown id leaves no trace behind.
        if not await bank.is_stored():
            raise NotFound(f"there is no bank {bank_id} here")
        await bank.resume()
        yield bank


OPERATIONS = (
    run_bank, list_banks, get_bank, resume_bank, observe, search, resolve, undo, deep_retrieval, export, load, clear,
)  # fmt: skip

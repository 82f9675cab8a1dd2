"""The operations of tiered cognition for REST, MCP and the command line: memories, contradictions, what is shared."""

from functools import partial
from typing import Annotated, Any, Literal

from remanent.bilingual import Bilingual
from remanent.cognition.face import AsyncCognition
from remanent.cognition.model import AgentRole, Briefing, CleanReport, Flaw, MemoryHealth, Why
from remanent.discipline.operation import Command, Face, Permission, Screen, operation
from remanent.discipline.port import Call
from remanent.discipline.shapes import (
    MAX_ITEMS,
    Done,
    Expects,
    Kinds,
    Limit,
    Nothing,
    Page,
    Session,
    User,
    about,
    items_of,
)
from remanent.model import Conflict, Kind, Model, Record, SharedSort, Status, Version
from remanent.model.ids import Id
from remanent.model.kinds import KnownKind

READ, WRITE, APPROVE = Permission.READ, Permission.WRITE, Permission.APPROVE
STANDS = Bilingual(
    "{total} memories, mean confidence {confidence}; {expired} expired, {stale} stale, {conflicts} in conflict.",
    "{total} 条记忆，平均置信度 {confidence}；过期 {expired}，前提已变 {stale}，冲突 {conflicts}。",
)
RATES = Bilingual(
    "Of the newest {compared}: {duplicates} duplicates, {junk} junk; of the newest {reread}: {rotten} no "
    "longer supported by their source. Of what was said, {echoes} only repeats what was recalled.",
    "最新 {compared} 条中：重复 {duplicates}，无内容 {junk}；最新 {reread} 条中：失去依据 {rotten}。"
    "所说的话中有 {echoes} 只是重复检索到的内容。",
)
NO_MEMORIES = Bilingual(
    "There are no memories yet. What was just said is read in the background; `remanent settle` waits for that.",
    "还没有记忆。刚说的话在后台读取，`remanent settle` 会等它完成。",
)

NOTHING_SHARED = Bilingual("Nothing is shared yet.", "还没有共享的内容。")
NOTHING_WAITS = Bilingual("Nothing is waiting for approval.", "没有等待批准的内容。")
WAITING = Bilingual(
    "Waiting for approval: {count}. `remanent shared list --pending` shows it.",
    "等待批准：{count} 条。`remanent shared list --pending` 可查看。",
)


def _of(call: Call) -> AsyncCognition:
    return call.agent.face(AsyncCognition)


_face = partial(Face, part="cognition")
_operation = partial(operation, part="cognition")
_reads = partial(_operation, group="memories", permission=READ)
_updates = partial(_operation, group="memories", permission=WRITE, act="update_memory")
_deletes = partial(_operation, group="memories", permission=WRITE, act="delete_memory")
_shared = partial(_operation, group="shared", permission=WRITE, act="update_memory")
_judges = partial(_operation, group="shared", permission=APPROVE)


def _show_memories(screen: Screen, page: Page[Record]) -> None:
    """Show memories, one a line."""
    if not page.items:
        screen.tell(NO_MEMORIES)
    _show_lines(screen, page)


def _show_lines(screen: Screen, page: Page[Record]) -> None:
    for record in page.items:
        screen.line(f"{record.id}  [{screen.name(record.kind)}, {record.confidence:.0%}]  {record.content}")


def _show_health(screen: Screen, health: MemoryHealth) -> None:
    """Show how memories stand, with examples of what is wrong."""
    screen.tell(
        STANDS,
        total=health.total,
        confidence=f"{health.mean_confidence:.0%}",
        expired=health.expired,
        stale=health.stale,
        conflicts=health.open_conflicts,
    )
    screen.tell(
        RATES,
        compared=health.compared,
        duplicates=health.duplicates,
        junk=f"{health.junk:.0%}",
        reread=health.reread,
        rotten=health.rotten,
        echoes=f"{health.echoes:.0%}",
    )
    counts = [(screen.name(kind), str(count)) for kind, count in sorted(health.by_kind.items())]
    screen.rows((screen.label("kind"), screen.label("count")), counts)
    for what, texts in health.examples.items():
        for text in texts:
            screen.line(f"{what}: {text}")


MemoryId = Annotated[Id, about("The id of a memory, as `memories list` shows it.", "记忆的 id，见 `memories list`。")]


class ListMemories(Model):
    """Which memories."""

    kinds: Kinds = None
    user: User = None
    statuses: Annotated[
        tuple[Status, ...] | None, about("Only those with this status.", "只要这些状态的。", max_length=10)
    ] = None
    flaw: Annotated[
        Flaw | None,
        about(
            "Only those with this problem, as `memories audit` counts them.",
            "只要有此问题的，与 `memories audit` 的计数一致。",
        ),
    ] = None
    limit: Limit = 100


@_reads(
    "cognition.list",
    zh="列出记忆，新的在前。",
    route="GET memories",
    face=_face("memories", give=items_of),
    command=Command(show=_show_memories),
)
async def listed(call: Call, request: ListMemories) -> Page[Record]:
    """List memories, newest first."""
    given = {name: value for name, value in request if name != "statuses" or value is not None}
    return Page(items=tuple(await _of(call).memories(**given)))


class ByMemory(Model):
    """Which memory."""

    record_id: MemoryId
    user: User = None


@_reads("cognition.show", zh="显示一条记忆。", route="GET memories/{record_id}")
async def show(call: Call, request: ByMemory) -> Record:
    """Show a memory, whatever its status."""
    return await _of(call).show(request.record_id, user=request.user)


@_reads("cognition.history", zh="显示一条记忆的所有版本。", route="GET memories/{record_id}/history")
async def history(call: Call, request: ByMemory) -> Page[Version]:
    """Show every version of a memory, the current one last."""
    return Page(items=tuple(await _of(call).history(request.record_id, user=request.user)))


@_reads("cognition.why", zh="说明一条记忆的由来：原话、规则、前提与冲突。", route="GET memories/{record_id}/why")
async def why(call: Call, request: ByMemory) -> Why:
    """Explain where a memory comes from: its words, the rule that made it, its premises and conflicts."""
    return await _of(call).why(request.record_id, user=request.user)


class AddMemory(Model):
    """What to keep."""

    content: Annotated[str, about("What it says.", "内容。", min_length=1, max_length=2000)]
    kind: Annotated[KnownKind, about("A tier of memory.", "记忆的层次。")] = Kind.SEMANTIC
    user: User = None
    subject: Annotated[str, about("Who or what it is about.", "关于谁或什么。", max_length=500)] = ""
    attribute: Annotated[
        str,
        about(
            "Which attribute of the subject; another value for the same attribute becomes a new version.",
            "哪一方面；同一方面的新值成为新版本。",
            max_length=500,
        ),
    ] = ""
    value: Annotated[str, about("The value of the attribute.", "其中的值。", max_length=500)] = ""
    steps: Annotated[tuple[str, ...], about("The steps of a procedure.", "流程的步骤。", max_length=MAX_ITEMS)] = ()
    premises: Annotated[
        tuple[Id, ...], about("The memories it follows from.", "推出它的记忆。", max_length=MAX_ITEMS)
    ] = ()
    tags: Annotated[tuple[str, ...], about("Its tags.", "标签。", max_length=MAX_ITEMS)] = ()


@_updates(
    "cognition.add",
    zh="手动保存一条记忆；主体与方面相同而值不同时，成为其新版本。",
    act="create_memory",
    route="POST memories",
    settles=True,
    command=Command(arguments=("content",)),
    examples=({"content": "Ada lives in Lisbon.", "subject": "Ada", "attribute": "home", "value": "Lisbon"},),
)
async def add(call: Call, request: AddMemory) -> Record:
    """Add a memory by hand; with a subject and an attribute, another value becomes a new version of it."""
    return await _of(call).add(**dict(request))


class EditMemory(Model):
    """What a memory is to say."""

    record_id: MemoryId
    content: Annotated[str, about("The new content.", "今后的内容。", min_length=1, max_length=2000)]
    value: Annotated[str | None, about("The value of the attribute.", "其中的值。", max_length=500)] = None
    expects: Expects = None
    user: User = None


@_updates(
    "cognition.edit",
    zh="更正一条记忆；回想时先于原话，此前的内容仍可查看。",
    route="PUT memories/{record_id}",
    settles=True,
    command=Command(arguments=("record_id", "content")),
)
async def edit(call: Call, request: EditMemory) -> Record:
    """Correct a memory; the correction outranks the words it came from, and the earlier text stays readable."""
    return await _of(call).edit(**dict(request))


@_updates(
    "cognition.confirm", zh="确认一条记忆无误；短期记忆随之成为长期记忆。", route="POST memories/{record_id}/confirm"
)
async def confirm(call: Call, request: ByMemory) -> Record:
    """Confirm a memory; a short-term one becomes long-term."""
    return await _of(call).confirm(request.record_id, user=request.user)


class PinMemory(Model):
    """Which memory to pin."""

    record_id: MemoryId
    pinned: Annotated[bool, about("Whether to pin or unpin it.", "固定或取消固定。")] = True
    user: User = None


@_updates("cognition.pin", zh="固定一条记忆：不过期，也不被自动替换。", route="POST memories/{record_id}/pin")
async def pin(call: Call, request: PinMemory) -> Record:
    """Pin a memory: it does not expire, and nothing replaces it automatically."""
    return await _of(call).pin(request.record_id, pinned=request.pinned, user=request.user)


class ForgetMemory(Model):
    """Which memory to forget."""

    record_id: MemoryId
    reason: Annotated[str, about("Why.", "原因。", max_length=500)] = ""
    user: User = None


@_deletes(
    "cognition.forget",
    zh="忘记一条记忆，连同说出它的话；原话仍在日志中，可用 restore 恢复。",
    route="POST memories/{record_id}/forget",
)
async def forget(call: Call, request: ForgetMemory) -> Record:
    """Forget a memory, along with the turns that state it; `restore` brings it back."""
    return await _of(call).forget(request.record_id, reason=request.reason, user=request.user)


@_updates("cognition.restore", zh="恢复被忘记或已过期的记忆。", route="POST memories/{record_id}/restore", settles=True)
async def restore(call: Call, request: ByMemory) -> Record:
    """Bring a forgotten or expired memory back."""
    return await _of(call).restore(request.record_id, user=request.user)


class ProcedureFeedback(Model):
    """How a procedure went."""

    record_id: MemoryId
    success: Annotated[bool, about("Whether it worked.", "是否成功。")]
    user: User = None


@_updates("cognition.feedback", zh="报告一个流程是否成功。", route="POST memories/{record_id}/feedback")
async def feedback(call: Call, request: ProcedureFeedback) -> Record:
    """Report whether a procedure worked."""
    return await _of(call).feedback(request.record_id, success=request.success, user=request.user)


class CleanMemories(Model):
    """How to clean."""

    dry_run: Annotated[bool, about("Only say what would be done.", "只说明将要做什么。")] = False


@_deletes("cognition.clean", zh="清理过期记忆；常用的转为长期记忆。", route="POST memories/clean")
async def clean(call: Call, request: CleanMemories) -> CleanReport:
    """Remove expired memories and promote those in use."""
    return await _of(call).clean(dry_run=request.dry_run)


@_reads(
    "cognition.health",
    zh="检查记忆状况：总数、置信度、过期、冲突、重复、无内容等，并举例。",
    route="GET memories/health",
    command=Command(path=("memories", "audit"), also=("audit",), show=_show_health),
)
async def health(call: Call, _: Nothing) -> MemoryHealth:
    """Audit the memories: totals, confidence, what is expired, stale, in conflict, duplicate or junk, with examples."""
    return await _of(call).health()


class BriefRequest(Model):
    """What is about to be answered."""

    message: Annotated[str, about("The message to answer.", "要回答的消息。", min_length=1, max_length=20_000)]
    user: User = None
    session: Session = None
    agents: Annotated[
        tuple[str, ...], about("Other agents that the message may be for.", "可能涉及的其他智能体。", max_length=100)
    ] = ()
    budget: Annotated[int | None, about("The most tokens it may have.", "最多多少 token。", ge=50, le=100_000)] = None
    report: Annotated[
        bool,
        about(
            "Report the tokens saved compared with injecting everything; this counts all memories.",
            "是否报告相比全部注入节省了多少 token；为此会统计所有记忆。",
        ),
    ] = False


@_reads(
    "cognition.brief",
    zh="回答之前应知道什么：按意图选择记忆层，并说明理由。",
    act="search_memory",
    route="POST memories/brief",
    command=Command(arguments=("message",)),
    examples=({"message": "Plan the next release."},),
)
async def brief(call: Call, request: BriefRequest) -> Briefing:
    """Show what to know before answering a message: tiers are chosen by its intent, and every choice is explained."""
    return await _of(call).brief(**dict(request))


# ── contradictions ───────────────────────────────────────────────────────────


class ListUserConflicts(Model):
    """Whose contradictions."""

    user: User = None
    open_only: Annotated[bool, about("Only unsettled ones.", "只要未解决的。")] = False


@_operation(
    "cognition.conflicts",
    zh="列出记忆之间的矛盾，最早的在前；指定用户时只列该用户的。",
    permission=READ,
    route="GET memories/conflicts",
)
async def conflicts(call: Call, request: ListUserConflicts) -> Page[Conflict]:
    """List the contradictions between memories, oldest first; with a user, only those that are theirs."""
    return Page(items=tuple(await _of(call).conflicts(user=request.user, open_only=request.open_only)))


class ByConflict(Model):
    """Which contradiction."""

    conflict_id: Annotated[Id, about("A conflict, as `conflicts list` shows it.", "冲突的 id，见 `conflicts list`。")]
    user: User = None


@_reads(
    "cognition.conflict",
    zh="显示一个矛盾：双方的主张、原话与结论。",
    route="GET memories/conflicts/{conflict_id}",
    command=Command(path=("conflicts", "show")),
)
async def conflict(call: Call, request: ByConflict) -> Conflict:
    """Show a contradiction: the claims, the words behind them, and how it was settled."""
    return await _of(call).conflict(request.conflict_id, user=request.user)


class ResolveConflict(ByConflict):
    """How a contradiction ends."""

    how: Annotated[
        Literal["choose", "merge", "keep_both", "undo"],
        about("Choose a claim, merge, keep both by their scopes, or undo.", "选择其一、合并、按场合都保留，或撤销。"),
    ]
    claim: Annotated[int, about("Which claim, counting from 0.", "第几个主张，从 0 起。", ge=0, le=100)] = 1
    text: Annotated[str, about("What is true once they are merged.", "合并后的内容。", max_length=2000)] = ""
    scopes: Annotated[
        tuple[str, ...],
        about(
            "Where each claim holds when both are kept, in order: at work, at home.",
            "都保留时，各主张依次适用的场合，如“工作时”“在家时”。",
            max_length=2,
        ),
    ] = ()


@_updates(
    "cognition.resolve",
    zh="解决一个矛盾，或撤销其解决。",
    route="POST memories/conflicts/{conflict_id}/resolve",
    settles=True,
    face=_face("resolve", by_key=("by",)),
    command=Command(path=("conflicts", "resolve"), arguments=("conflict_id", "how")),
)
async def resolve(call: Call, request: ResolveConflict) -> Conflict:
    """Settle a contradiction, or undo how it was settled."""
    return await _of(call).resolve(**dict(request), by=call.principal.name)


# ── what a workspace shares ──────────────────────────────────────────────────

SharedId = Annotated[Id, about("An entry, as `shared list` shows it.", "条目的 id，见 `shared list`。")]


class ProposeShared(Model):
    """What to share."""

    content: Annotated[
        str, about("What the workspace should know.", "工作区应知道的内容。", min_length=1, max_length=4000)
    ]
    sort: Annotated[SharedSort, about("What kind of entry it is.", "内容的类型。")] = SharedSort.PROJECT_CONTEXT
    number: Annotated[
        str, about("The number of a decision, such as ADR-003.", "决策编号，如 ADR-003。", max_length=50)
    ] = ""
    confidence: Annotated[float, about("How sure it is.", "置信度。", ge=0, le=1)] = 0.8


@_shared(
    "cognition.propose",
    zh="向工作区提议共享内容；由协调者批准后生效，协调者自己的立即生效。",
    act="create_memory",
    route="POST shared",
    settles=True,
    face=_face("propose", by_key=("by", "coordinator")),
    command=Command(arguments=("content",)),
)
async def propose(call: Call, request: ProposeShared) -> Record:
    """Propose something to the workspace; it takes effect once a coordinator approves; a coordinator's own, at once."""
    return await _of(call).propose(**dict(request), **_who(call))


def _who(call: Call) -> dict[str, Any]:
    """Return who offers or changes what is shared: without keys it is the agent, and the person at the machine may
    approve it."""
    if call.principal.is_keyless:
        return {"by": "", "coordinator": False}
    return {"by": call.principal.name, "coordinator": call.principal.may(APPROVE)}


class ListShared(Model):
    """What to list."""

    pending: Annotated[bool, about("Only those waiting for approval.", "只要等待批准的。")] = False


class SharedList(Page[Record]):
    """What is shared, and how much waits to be."""

    pending: int | None = None
    """How many wait for approval; `None` where these are what was asked for."""


def _show_shared(screen: Screen, page: SharedList) -> None:
    """Show what is shared, and say what waits: who offered something would else take it for lost."""
    if not page.items:
        screen.tell(NOTHING_WAITS if page.pending is None else NOTHING_SHARED)
    _show_lines(screen, page)
    if page.pending:
        screen.tell(WAITING, count=page.pending)


@_reads(
    "cognition.shared",
    zh="列出工作区共享的内容。",
    route="GET shared",
    face=_face("shared", give=items_of),
    command=Command(path=("shared", "list"), show=_show_shared),
)
async def shared(call: Call, request: ListShared) -> SharedList:
    """List what the workspace shares, newest first."""
    found = tuple(await _of(call).shared(pending=request.pending))
    waiting = None if request.pending else len(await _of(call).shared(pending=True))
    return SharedList(items=found, pending=waiting)


class JudgeShared(Model):
    """Which entry."""

    record_id: SharedId


class EndShared(JudgeShared):
    """Which entry, and why."""

    reason: Annotated[str, about("Why.", "原因。", max_length=500)] = ""


@_judges(
    "cognition.approve",
    zh="作为协调者批准他人提议的共享内容。",
    act="update_memory",
    route="POST shared/{record_id}/approve",
    settles=True,
    face=_face("approve", by_key=("by",)),
)
async def approve(call: Call, request: JudgeShared) -> Record:
    """Approve another agent's proposal, as coordinator."""
    return await _of(call).approve(request.record_id, by=call.principal.name)


@_judges(
    "cognition.refuse",
    zh="作为协调者拒绝一个提议。",
    act="update_memory",
    route="POST shared/{record_id}/refuse",
    face=_face("refuse", by_key=("by",)),
)
async def refuse(call: Call, request: EndShared) -> Record:
    """Refuse a proposal, as coordinator."""
    return await _of(call).refuse(request.record_id, by=call.principal.name, reason=request.reason)


@_judges(
    "cognition.revoke",
    zh="撤回共享内容，立即生效。",
    act="delete_memory",
    route="POST shared/{record_id}/revoke",
    face=_face("revoke", by_key=("by",)),
)
async def revoke(call: Call, request: EndShared) -> Record:
    """Withdraw something the workspace shares; from now on nobody reads it."""
    return await _of(call).revoke(request.record_id, by=call.principal.name, reason=request.reason)


class AmendShared(JudgeShared):
    """What a shared entry is to say."""

    content: Annotated[str, about("The new content.", "今后的内容。", min_length=1, max_length=4000)]


@_shared(
    "cognition.amend",
    zh="修改共享内容；由创建者修改的需重新批准，由协调者修改的立即生效。",
    route="PUT shared/{record_id}",
    face=_face("amend", by_key=("by", "coordinator")),
    settles=True,
    command=Command(arguments=("record_id", "content")),
)
async def amend(call: Call, request: AmendShared) -> Record:
    """Change something shared; a creator's change needs approval again, a coordinator's takes effect at once."""
    return await _of(call).amend(request.record_id, request.content, **_who(call))


@_reads(
    "cognition.shared_history",
    zh="显示共享内容的所有版本：谁在何时提议、批准、修改或撤回。",
    route="GET shared/{record_id}/history",
    command=Command(path=("shared", "history")),
)
async def shared_history(call: Call, request: JudgeShared) -> Page[Version]:
    """Show every version of what is shared: who proposed, approved, changed or ended it, and when."""
    return Page(items=tuple(await _of(call).shared_history(request.record_id)))


class SetRole(Model):
    """What an agent does."""

    role: Annotated[AgentRole | None, about("The role; leave it out to clear it.", "角色；不填则清除。")] = None


@_shared(
    "cognition.set_role",
    zh="设定智能体在工作区中的角色：共享内容人人可读，与其角色相关的优先。",
    route="PUT role",
    command=Command(path=("shared", "role"), arguments=("role",)),
)
async def set_role(call: Call, request: SetRole) -> Done:
    """Set an agent's role in its workspace: everyone reads everything shared, what is meant for their role first."""
    await _of(call).set_role(request.role)
    return Done()


@_reads(
    "cognition.role",
    zh="显示智能体在工作区中的角色。",
    route="GET role",
    face=_face("role", give=lambda answer: answer.role),
    command=None,
)
async def role(call: Call, _: Nothing) -> SetRole:
    """Show what an agent does in its workspace, if that was said."""
    return SetRole(role=await _of(call).role())


class GrantProcedures(Model):
    """Who may read, or no longer."""

    reader: Annotated[
        str, about("The other agent of the workspace.", "工作区中的另一个智能体。", min_length=1, max_length=100)
    ]
    granted: Annotated[bool, about("Whether it may read them.", "是否允许。")] = True


@_shared(
    "cognition.grant",
    zh="允许或不再允许工作区中的另一个智能体阅读此智能体的流程。",
    route="POST grants",
    command=Command(arguments=("reader",)),
)
async def grant(call: Call, request: GrantProcedures) -> Done:
    """Let another agent of the workspace read this one's procedures, or stop letting it."""
    await _of(call).grant(request.reader, granted=request.granted)
    return Done()


OPERATIONS = (
    listed, show, history, why, add, edit, confirm, pin, forget, restore, feedback, clean, health, brief,
    conflicts, conflict, resolve, propose, shared, approve, refuse, revoke, amend,
    shared_history, set_role, role, grant,
)  # fmt: skip

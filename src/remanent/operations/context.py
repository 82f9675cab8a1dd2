"""What an agent has at hand while it works: the scratchpad, its sessions, a conversation made to fit.

Values of the scratchpad are replaced and removed, not remembered: they are states of the store and no part of what
recall searches.
"""

from functools import partial
from typing import Annotated, Any

from pydantic import Field, JsonValue

from remanent.bilingual import Bilingual, bilingual_words
from remanent.context import ContextView
from remanent.context.sessions import (
    MAX_ITEMS,
    MAX_KEY_CHARACTERS,
    MAX_VALUE_CHARACTERS,
    Decision,
    EndReason,
    Line,
    SessionInfo,
    SessionState,
)
from remanent.discipline.operation import Command, Face, Permission, Screen, Tool, operation
from remanent.discipline.shapes import Done, Expects, Limit, Page, User, about, items_of
from remanent.model import Model
from remanent.model.base import Text
from remanent.operations.call import ServiceCall

_reads = partial(operation, permission=Permission.READ, part="")
_writes = partial(operation, permission=Permission.WRITE, part="")

Key = Annotated[
    str,
    about(
        "The key of the value.",
        "值的名称。",
        min_length=1,
        max_length=MAX_KEY_CHARACTERS,
        pattern=r"^[^\x00-\x1f\x7f]+$",
    ),
]
Pad = Annotated[
    str | None,
    about(
        "The session that the scratchpad belongs to; without one, the agent's own scratchpad.",
        "草稿板所属的会话；不给则为智能体自己的草稿板。",
        min_length=1,
        max_length=200,
    ),
]


class ReadPad(Model):
    """Which scratchpad."""

    key: Annotated[
        str | None, about("Only this value.", "只要这个值。", min_length=1, max_length=MAX_KEY_CHARACTERS)
    ] = None
    session: Pad = None


class PadValues(Model):
    """What a scratchpad holds, by key."""

    values: dict[str, JsonValue] = Field(default_factory=dict)
    other_keys: tuple[str, ...] = Field(default=(), exclude=True)
    """Where the key that was asked for is not there, those that are: told in words, no part of the structure."""


@_reads(
    "scratchpad.read",
    zh="显示草稿板上的内容。",
    route="GET scratchpad",
    examples=({}, {"key": "plan", "session": "monday"}),
    face=Face("scratchpad_read", give=lambda answer: answer.values),
    command=Command(arguments=("key",)),
    tool=Tool(
        "scratchpad_read",
        Bilingual(
            "Read your scratchpad: the plan, interim results and notes to yourself that you wrote with "
            "scratchpad_write, even before a restart. Look here first when you continue work begun earlier.",
            "读取你的草稿板：此前用 scratchpad_write 写下的计划、中间结果和备忘，重启后仍在。"
            "继续先前的工作时，先看这里。",
        ),
    ),
)
async def read_pad(call: ServiceCall, request: ReadPad) -> PadValues:
    """Show the contents of a scratchpad."""
    held = await call.agent.scratchpad_read(session=request.session)
    if request.key is None or request.key in held:
        return PadValues(values=held if request.key is None else {request.key: held[request.key]})
    return PadValues(other_keys=tuple(held))


class WritePad(Model):
    """What to write where."""

    key: Key
    value: Annotated[
        Text | None,
        about(
            "The new text; without it, the value is removed.",
            "新的文本；不给则删除该值。",
            max_length=MAX_VALUE_CHARACTERS,
        ),
    ] = None
    session: Pad = None


@_writes(
    "scratchpad.write",
    zh="在草稿板上写入或删除一个值。返回即已落盘；检索不会搜到草稿板。",
    route="POST scratchpad",
    examples=({"key": "plan", "value": "1. read the report 2. compare the figures"},),
    face=Face("scratchpad_write", give=lambda _: None),
    command=Command(arguments=("key", "value")),
    tool=Tool(
        "scratchpad_write",
        Bilingual(
            "Write a note to yourself that you will need later in this work: the plan, what is done, interim "
            "results. It replaces whatever was stored under the key; without a value, the key is removed. Durable "
            "once this returns. For anything that matters beyond this work, use remember instead.",
            "为当前工作写下以后要用的备忘：计划、已完成的步骤、中间结果。会取代该名称下原有的内容；不给值则删除。"
            "返回即已持久保存。超出当前工作仍然有用的内容请改用 remember。",
        ),
    ),
)
async def write_pad(call: ServiceCall, request: WritePad) -> Done:
    """Set or remove a value on a scratchpad. It is durable on return; recall does not search scratchpads."""
    await call.agent.scratchpad_write(request.key, request.value, session=request.session)
    return Done()


SessionName = Annotated[str, about("The session.", "会话。", min_length=1, max_length=200)]

_HEADINGS = bilingual_words("session 会话, state 状态, started 开始, last used 最近使用, ended 结束")
_STATES = {
    "open": Bilingual("open", "进行中"),
    "call": Bilingual("ended", "已结束"),
    "hook": Bilingual("ended by a hook", "由钩子结束"),
    "idle": Bilingual("ended, idle", "因闲置结束"),
}


class ListSessions(Model):
    """Which sessions."""

    is_open: Annotated[
        bool | None, about("Only open sessions, or only ended ones.", "只要进行中的，或只要已结束的。")
    ] = None
    limit: Limit = 100


def _show(screen: Screen, answer: Page[SessionInfo]) -> None:
    """Show sessions with how each stands and when it was used."""
    rows = []
    for one in answer.items:
        state = "open" if one.is_open else one.reason or "idle"
        moments = (one.started_at, one.active_at, one.ended_at)
        rows.append(
            [one.session, screen.word(_STATES[state]), *("" if at is None else screen.moment(at) for at in moments)]
        )
    screen.rows(_HEADINGS, rows)


@_reads(
    "session.list",
    zh="列出会话，最近使用的在前。",
    route="GET sessions",
    examples=({}, {"is_open": True}),
    face=Face("sessions", give=items_of),
    command=Command(show=_show),
)
async def list_sessions(call: ServiceCall, request: ListSessions) -> Page[SessionInfo]:
    """List sessions, most recently used first."""
    return Page(items=tuple(await call.agent.sessions(**dict(request))))


class BeginSession(Model):
    """Which session."""

    session: Annotated[
        str | None,
        about("Its name; if left out, it gets a new one.", "会话名；不给则新取一个。", min_length=1, max_length=200),
    ] = None


@_writes(
    "session.begin",
    zh="开始一个会话，或恢复已结束的会话。在会话中说话也会使其开始。",
    route="POST sessions",
    examples=({"session": "monday"},),
    face=Face("begin_session"),
    command=Command(arguments=("session",)),
    tool=Tool(
        "session_begin",
        Bilingual(
            "Begin a session, or resume one that has ended: what is said in it is kept together.",
            "开始一个会话，或恢复已结束的会话：其中所说的内容会归在一起。",
        ),
        listed=False,
    ),
)
async def begin_session(call: ServiceCall, request: BeginSession) -> SessionInfo:
    """Begin a session, or resume one that has ended. Saying something in a session also begins it."""
    return await call.agent.begin_session(request.session)


class EndSession(Model):
    """Which session is over."""

    session: SessionName
    reason: Annotated[EndReason, about("What ended it.", "由什么结束。")] = "call"
    user: User = None


@_writes(
    "session.end",
    zh="结束一个会话：从整段会话学习的记忆方式会得到通知。以后再说话即恢复该会话。",
    route="POST sessions/end",
    settles=True,
    examples=({"session": "monday"},),
    face=Face("end_session"),
    command=Command(arguments=("session",)),
    tool=Tool(
        "session_end",
        Bilingual(
            "End a session: memories that learn from whole sessions then start "
            "learning from it. Saying something in it resumes it.",
            "结束一个会话：从整段会话学习的记忆方式会开始学习。以后再说话即恢复该会话。",
        ),
        fields=("session",),
        listed=False,
    ),
)
async def end_session(call: ServiceCall, request: EndSession) -> SessionInfo:
    """End a session: memories that learn from whole sessions then do so. Saying something in it later resumes it."""
    return await call.agent.end_session(request.session, reason=request.reason, user=request.user)


class WhichSession(Model):
    """Which session."""

    session: SessionName


_LINES = {"max_length": MAX_ITEMS}


class UpdateSession(Model):
    """What an agent is at in a session."""

    session: SessionName
    current_goal: Annotated[Line | None, about("The goal.", "目标。")] = None
    sub_goals: Annotated[tuple[Line, ...] | None, about("Subgoals.", "子目标。", **_LINES)] = None
    completed: Annotated[tuple[Line, ...] | None, about("What is done.", "已完成的。", **_LINES)] = None
    current_step: Annotated[Line | None, about("The current step.", "当前步骤。")] = None
    decisions: Annotated[
        tuple[Decision, ...] | None, about("What was decided, and why.", "已作的决定及其理由。", **_LINES)
    ] = None
    blockers: Annotated[tuple[Line, ...] | None, about("Blockers.", "阻碍。", **_LINES)] = None
    notes: Annotated[
        dict[str, JsonValue] | None, about("JSON values of the agent's own.", "智能体自己的 JSON 值。")
    ] = None
    expects: Expects = None


@_reads(
    "session.state",
    zh="显示智能体在会话中的状态：目标、步骤、决定与阻碍。会话结束后为空。",
    route="GET sessions/state",
    examples=({"session": "monday"},),
    face=Face("session_state"),
    command=Command(arguments=("session",)),
)
async def session_state(call: ServiceCall, request: WhichSession) -> SessionState:
    """Show the state of work in a session: goal, step, decisions, blockers. Empty once the session has ended."""
    return await call.agent.session_state(request.session)


@_writes(
    "session.update",
    zh="写下智能体在会话中的状态：给出的部分替换原有内容，其余不变。",
    route="POST sessions/state",
    examples=(
        {"session": "monday", "current_goal": "ship the parser", "decisions": [{"what": "LL(1)", "why": "simple"}]},
    ),
    face=Face("update_session"),
    command=None,
)
async def update_session(call: ServiceCall, request: UpdateSession) -> SessionState:
    """Update the state of an agent's work in a session; what is given replaces what was there, and the rest stays."""
    changes = request.model_dump(exclude={"session", "expects"}, exclude_none=True)
    return await call.agent.update_session(request.session, **changes, expects=request.expects)


MAX_MESSAGES = 10_000
"""Messages of one conversation. Chosen by hand."""


class ShrinkContext(Model):
    """A conversation, and how long it may be."""

    messages: Annotated[
        tuple[dict[str, Any], ...],
        about(
            "Messages in the format of OpenAI's or Anthropic's API, oldest first.",
            "消息，OpenAI 或 Anthropic 接口的格式，由旧到新。",
            min_length=1,
            max_length=MAX_MESSAGES,
        ),
    ]
    budget: Annotated[
        int | None,
        about("The most tokens it may have; defaults to the setting.", "允许的 token 数；不给则按设置。", ge=1),
    ] = None
    level: Annotated[
        int | None,
        about(
            "How much to shorten, whatever the length: 0 not at all, 1 trim, 2 "
            "summarise every ten messages, 3 make one digest.",
            "不论长短，缩短到何种程度：0 不缩短，1 修剪，2 每十条摘要，3 一份概要。",
            ge=0,
            le=3,
        ),
    ] = None
    session: Annotated[
        str | None,
        about(
            "The session it belongs to: summaries made by a model are kept until it ends.",
            "所属会话：模型为其生成的摘要保留到会话结束。",
            min_length=1,
            max_length=200,
        ),
    ] = None


@_reads(
    "context",
    zh="使一段对话适合预算：缩短工具结果，再将较早的消息合为摘要或一份概要。不丢失任何内容，工具调用与其结果不会分开。",
    route="POST context",
    examples=({"messages": [{"role": "user", "content": "Where did we leave off?"}], "budget": 8000},),
    command=None,
    tool=Tool(
        "context_shrink",
        Bilingual(
            "Make a conversation fit a token budget: tool results are shortened, older messages summarised.",
            "使一段对话适合 token 预算：缩短工具结果，并将较早的消息合为摘要。",
        ),
        listed=False,
    ),
)
async def shrink_context(call: ServiceCall, request: ShrinkContext) -> ContextView:
    """Make a conversation fit: results of tools shortened, older messages summarised; calls stay with their results."""
    return await call.agent.context(**dict(request))


OPERATIONS = (
    read_pad, write_pad, list_sessions, begin_session, end_session, session_state, update_session, shrink_context,
)  # fmt: skip

"""Sessions: beginning and ending them, and which there are."""

from typing import Annotated

from pydantic import JsonValue

from remanent.bilingual import Bilingual
from remanent.context.sessions import EndReason, SessionInfo
from remanent.context.state import MAX_ITEMS, Decision, Line, SessionState
from remanent.discipline.operation import Command, Face, Permission, Screen, operation
from remanent.discipline.shapes import Expects, Limit, Page, about, items_of
from remanent.model import Model
from remanent.operations.call import ServiceCall

READ, WRITE = Permission.READ, Permission.WRITE

SessionName = Annotated[str, about("The session.", "会话。", min_length=1, max_length=200)]

_HEADINGS = (
    Bilingual("session", "会话"),
    Bilingual("state", "状态"),
    Bilingual("started", "开始"),
    Bilingual("last used", "最近使用"),
    Bilingual("ended", "结束"),
)
_STATES = {
    "open": Bilingual("open", "进行中"),
    "call": Bilingual("ended", "已结束"),
    "hook": Bilingual("ended by a hook", "由钩子结束"),
    "idle": Bilingual("ended, idle", "因闲置结束"),
}


class ListSessions(Model):
    """Which sessions."""

    is_open: Annotated[
        bool | None,
        about("Only those that are open, or only those that are over.", "只要进行中的，或只要已结束的。"),
    ] = None
    limit: Limit = 100


def _show(screen: Screen, answer: Page[SessionInfo]) -> None:
    rows = []
    for one in answer.items:
        state = "open" if one.is_open else one.reason or "idle"
        moments = (one.started_at, one.active_at, one.ended_at)
        rows.append(
            [one.session, screen.word(_STATES[state]), *("" if at is None else screen.moment(at) for at in moments)]
        )
    screen.rows([screen.word(heading) for heading in _HEADINGS], rows)


@operation(
    "session.list",
    zh="列出会话，最近使用的在前。",
    permission=READ,
    route="GET sessions",
    examples=({}, {"is_open": True}),
    face=Face("sessions", give=items_of),
    command=Command(show=_show),
)
async def list_sessions(call: ServiceCall, request: ListSessions) -> Page[SessionInfo]:
    """List sessions, those that were used last first."""
    found = await call.agent.sessions(is_open=request.is_open, limit=request.limit)
    return Page(items=tuple(found))


class BeginSession(Model):
    """Which session."""

    session: Annotated[
        str | None,
        about("Its name; without one it gets a new one.", "会话名；不给则新取一个。", min_length=1, max_length=200),
    ] = None


@operation(
    "session.begin",
    zh="开始一个会话，或恢复已结束的会话。在会话中说话也会使其开始。",
    permission=WRITE,
    route="POST sessions",
    examples=({"session": "monday"},),
    face=Face("begin_session"),
    command=Command(arguments=("session",)),
)
async def begin_session(call: ServiceCall, request: BeginSession) -> SessionInfo:
    """Begin a session, or resume one that is over. Saying something in a session begins it, too."""
    return await call.agent.begin_session(request.session)


class EndSession(Model):
    """Which session is over."""

    session: SessionName
    reason: Annotated[EndReason, about("What ended it.", "由什么结束。")] = "call"


@operation(
    "session.end",
    zh="结束一个会话：从整段会话学习的记忆方式会得到通知。以后再说话即恢复该会话。",
    permission=WRITE,
    route="POST sessions/end",
    settles=True,
    examples=({"session": "monday"},),
    face=Face("end_session"),
    command=Command(arguments=("session",)),
)
async def end_session(call: ServiceCall, request: EndSession) -> SessionInfo:
    """End a session: memories that learn from whole sessions are told. Whatever is said in it later resumes it."""
    return await call.agent.end_session(request.session, reason=request.reason)


class WhichSession(Model):
    """Which session."""

    session: SessionName


_LINES = {"max_length": MAX_ITEMS}


class UpdateSession(Model):
    """What an agent is at in a session."""

    session: SessionName
    current_goal: Annotated[Line | None, about("The goal.", "目标。")] = None
    sub_goals: Annotated[tuple[Line, ...] | None, about("Goals on the way.", "子目标。", **_LINES)] = None
    completed: Annotated[tuple[Line, ...] | None, about("What is done.", "已完成的。", **_LINES)] = None
    current_step: Annotated[Line | None, about("The step that is being taken.", "当前步骤。")] = None
    decisions: Annotated[
        tuple[Decision, ...] | None, about("What was decided, and why.", "已作的决定及其理由。", **_LINES)
    ] = None
    blockers: Annotated[tuple[Line, ...] | None, about("What stands in the way.", "阻碍。", **_LINES)] = None
    notes: Annotated[
        dict[str, JsonValue] | None, about("JSON values of the agent's own.", "智能体自己的 JSON 值。")
    ] = None
    expects: Expects = None


@operation(
    "session.state",
    zh="显示智能体在会话中的状态：目标、步骤、决定与阻碍。会话结束后为空。",
    permission=READ,
    route="GET sessions/state",
    examples=({"session": "monday"},),
    face=Face("session_state"),
    command=Command(arguments=("session",)),
)
async def session_state(call: ServiceCall, request: WhichSession) -> SessionState:
    """Show what an agent is at in a session: goal, step, decisions, blockers. Nothing once the session is over."""
    return await call.agent.session_state(request.session)


@operation(
    "session.update",
    zh="写下智能体在会话中的状态：给出的部分替换原有内容，其余不变。",
    permission=WRITE,
    route="POST sessions/state",
    examples=(
        {"session": "monday", "current_goal": "ship the parser", "decisions": [{"what": "LL(1)", "why": "simple"}]},
    ),
    face=Face("update_session"),
    command=None,
)
async def update_session(call: ServiceCall, request: UpdateSession) -> SessionState:
    """Write down what an agent is at in a session; what is given replaces what was there, and the rest stays."""
    changes = request.model_dump(exclude={"session", "expects"}, exclude_none=True)
    return await call.agent.update_session(request.session, **changes, expects=request.expects)


OPERATIONS = (list_sessions, begin_session, end_session, session_state, update_session)

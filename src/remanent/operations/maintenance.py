"""Moving, erasing and looking after an agent's memory, and the work in its background.

What cannot be taken back (`erase`) asks first wherever a person is there to be asked.
"""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from remanent.bilingual import Bilingual
from remanent.discipline.operation import Body, Command, Face, Level, Permission, Screen, operation
from remanent.discipline.shapes import (
    MAX_ITEMS,
    Done,
    ImportCounts,
    Limit,
    Nothing,
    Page,
    Session,
    User,
    about,
    spooled_lines,
)
from remanent.errors import DamagedExport, IntegrityError
from remanent.model import Job, JobState, Model, Scope
from remanent.model.ids import Id
from remanent.operations.call import ServiceCall
from remanent.stores import Erased, Health, QueueState

_reads = partial(operation, permission=Permission.READ, part="")
_writes = partial(operation, permission=Permission.WRITE, part="")
_admin = partial(operation, part="admin")


class Erase(Model):
    """What to destroy."""

    entry_ids: Annotated[tuple[Id, ...], about("Entries to erase.", "要抹除的原始记录。", max_length=MAX_ITEMS)] = ()
    record_ids: Annotated[
        tuple[Id, ...],
        about(
            "Records to erase, with the entries they came from.",
            "要抹除的记忆，连同其来源的原始记录。",
            max_length=MAX_ITEMS,
        ),
    ] = ()
    session: Session = None
    everything: Annotated[bool, about("Erase everything that the agent remembers.", "抹除该智能体的全部记忆。")] = False
    user: User = None


ERASE_EVERYTHING = Bilingual("everything that {agent} remembers", "{agent} 的全部记忆")
ERASE_SESSION = Bilingual("all of session {session} of {agent}", "{agent} 的整个会话 {session}")
ERASE_USER = Bilingual("all that the user {user} said to {agent}", "用户 {user} 对 {agent} 说过的一切")
ERASE_SOME = Bilingual("{named} of {agent}, with everything derived from it", "{agent} 的 {named}，以及由此产生的一切")
AND_MORE = Bilingual("{first} and {more} more", "{first} 与另外 {more} 项")
ASK_ERASE = Bilingual("Destroy {what}? This cannot be undone", "确定要销毁 {what}吗？此操作无法撤销")
_NAMED = 3
"""Ids that a question names; of more it says how many."""


def _ask_erase(screen: Screen, request: Mapping[str, Any], agent: str | None) -> str:
    """Say what would be destroyed, and ask."""
    if request.get("everything"):
        what = screen.word(ERASE_EVERYTHING, agent=agent)
    elif request.get("session"):
        what = screen.word(ERASE_SESSION, agent=agent, session=request["session"])
    elif request.get("user"):
        what = screen.word(ERASE_USER, agent=agent, user=request["user"])
    else:
        ids = [*request.get("entry_ids", ()), *request.get("record_ids", ())]
        named = ", ".join(ids[:_NAMED])
        if more := len(ids[_NAMED:]):
            named = screen.word(AND_MORE, first=named, more=more)
        what = screen.word(ERASE_SOME, agent=agent, named=named)
    return screen.word(ASK_ERASE, what=what)


@_writes(
    "erase",
    zh="彻底销毁文本及由此产生的一切：不留一个字节，无法恢复。",
    route="POST erase",
    act="delete_memory",
    destroys=True,
    examples=({"session": "monday"},),
    command=Command(takes="targets", question=_ask_erase),
)
async def erase(call: ServiceCall, request: Erase) -> Erased:
    """Destroy texts for good, with everything derived from them: not a byte remains, and nothing can be restored."""
    return await call.agent.erase(**dict(request))


class ErasePreview(Model):
    """What somebody thinks of destroying."""

    entry_ids: Annotated[tuple[Id, ...], about("Entries to erase.", "要抹除的原始记录。", max_length=MAX_ITEMS)] = ()
    record_ids: Annotated[tuple[Id, ...], about("Records to erase.", "要抹除的记忆。", max_length=MAX_ITEMS)] = ()


@_admin(
    "erase_preview",
    zh="查看销毁会带走哪些原始记录与记忆；什么也不改动。",
    permission=Permission.READ,
    route="POST erase/preview",
    command=Command(takes="targets"),
)
async def erase_preview(call: ServiceCall, request: ErasePreview) -> Erased:
    """Show which entries and records an erasure would take, with everything derived from them; nothing is changed."""
    return await call.agent.admin.erase_preview(entry_ids=request.entry_ids, record_ids=request.record_ids)


@_reads("export", zh="将智能体的全部记忆写成 JSON 行。", route="GET export")
async def export(call: ServiceCall, _: Nothing) -> AsyncIterator[str]:
    """Write everything an agent remembers as JSON lines."""
    async for line in call.agent.export():
        yield line


@_writes(
    "import",
    zh="把导出的内容导入一个空的智能体：要么全部写入，要么什么都不写入。",
    route="POST import",
    reads=Body.LINES,
    settles=True,
    face=Face("load", upload="lines", give=lambda answer: dict(answer.counts)),
)
async def load(call: ServiceCall, _: Nothing) -> ImportCounts:
    """Import an export into an empty agent, completely or not at all."""
    async with spooled_lines(call.sent()) as lines:
        try:
            return ImportCounts(counts=await call.agent.load(lines))
        except IntegrityError as error:
            raise DamagedExport(str(error)) from error


@_admin("queue", zh="显示后台任务的状况。", permission=Permission.READ, route="GET queue")
async def queue(call: ServiceCall, _: Nothing) -> QueueState:
    """Show the state of the agent's background work."""
    return await call.agent.admin.queue()


class ListJobs(Model):
    """Which background work."""

    states: Annotated[
        tuple[JobState, ...] | None,
        about(
            "Only jobs in these states: pending, running, dead.",
            "只要这些状态的：pending、running、dead。",
            max_length=len(JobState),
        ),
    ] = None
    limit: Limit = 100


@_admin(
    "jobs",
    zh="列出等待、运行中或已放弃的后台任务。",
    permission=Permission.READ,
    route="GET jobs",
    examples=({"states": ["dead"]},),
)
async def jobs(call: ServiceCall, request: ListJobs) -> Page[Job]:
    """List background jobs that are waiting, running or given up."""
    return Page(items=tuple(await call.agent.admin.jobs(states=request.states, limit=request.limit)))


class ByJob(Model):
    """Which job."""

    job_id: Annotated[Id, about("The id of a job, as shown by `jobs`.", "任务的 id，见 `jobs` 的输出。")]


@_admin(
    "revive",
    zh="重新尝试已放弃的后台任务。",
    permission=Permission.WRITE,
    route="POST jobs/{job_id}/revive",
    settles=True,
    command=Command(repeated="job_id"),
)
async def revive(call: ServiceCall, request: ByJob) -> Done:
    """Retry background jobs that have been given up."""
    await call.agent.admin.revive(request.job_id)
    return Done()


class Check(Model):
    """How thoroughly."""

    quick: Annotated[
        bool,
        about(
            "Only report how much there is: nothing is examined, and nothing else has to wait.",
            "只报告数量与大小：不做检查，也不会阻塞其他操作。",
        ),
    ] = False


@_admin("check", zh="检查该智能体文件的每一页、索引与引用。", permission=Permission.READ, route="GET health")
async def check(call: ServiceCall, request: Check) -> Health:
    """Check every page, index and reference in an agent's files."""
    return await call.agent.admin.check(quick=request.quick)


class Repaired(Model):
    """Where the copy lies."""

    path: Path
    """On the machine of the server."""


@operation(
    "repair",
    zh="把损坏文件中可读的内容保存为旁边的新文件；原文件不动。",
    permission=Permission.ADMIN,
    route="POST repair",
    face=Face("repair", part="admin", give=lambda answer: answer.path),
    command=None,
)
async def repair(call: ServiceCall, _: Nothing) -> Repaired:
    """Save what is readable of a damaged file to a new one beside it; the damaged one stays as it is."""
    return Repaired(path=await call.agent.admin.repair())


class Settle(Model):
    """How long to wait."""

    timeout: Annotated[float | None, about("Give up after this many seconds.", "最多等待的秒数。", gt=0, le=86_400)] = (
        None
    )


@_reads("settle", zh="等待后台任务完成。", route="POST settle", long=True)
async def settle(call: ServiceCall, request: Settle) -> Done:
    """Wait until background work is finished."""
    await call.agent.settle(timeout=request.timeout, on_progress=call.tell)
    return Done()


@operation(
    "agents", zh="列出工作区中有记忆的智能体。", permission=Permission.READ, level=Level.WORKSPACE, route="GET agents"
)
async def agents(call: ServiceCall, _: Nothing) -> Page[Scope]:
    """List the agents in a workspace that have memories."""
    place = call.place
    within = call.principal.reach
    found = [
        scope
        for scope in await call.memory.agents()
        if (scope.org, scope.workspace) == (place.org, place.workspace) and within.agent in {None, scope.agent}
    ]
    return Page(items=tuple(found))


OPERATIONS = (erase, erase_preview, export, load, queue, jobs, revive, check, repair, settle, agents)

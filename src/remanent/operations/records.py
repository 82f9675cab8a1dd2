"""Records: what is remembered, how it came to be, what hangs on it, forgotten and brought back."""

from functools import partial
from typing import Annotated, Any

from remanent.agents.deep_retrieval import DeepRetrieved
from remanent.bilingual import Bilingual
from remanent.discipline.operation import Command, Face, Permission, Tool, operation, show_restored
from remanent.discipline.shapes import (
    AnyTags,
    AsOf,
    ByRecord,
    Cursor,
    Expects,
    Kinds,
    Limit,
    Moment,
    Nothing,
    Page,
    RecordId,
    Session,
    Since,
    Tags,
    Until,
    User,
    Where,
    about,
    items_of,
    page_of,
    read_cursor,
)
from remanent.model import Conflict, ConflictState, Link, Model, Record, Status, Tombstone, Version
from remanent.model.base import Share
from remanent.model.ids import Id
from remanent.operations.call import ServiceCall
from remanent.stores import LIVE, Order

_reads = partial(operation, permission=Permission.READ, part="")
_writes = partial(operation, permission=Permission.WRITE, part="")


class ListRecords(Model):
    """Which records."""

    kinds: Kinds = None
    statuses: Annotated[
        tuple[Status, ...] | None,
        about(
            "Only these statuses; defaults to those that can answer questions.",
            "只要这些状态的；默认为可用于作答的。",
            max_length=len(Status),
        ),
    ] = LIVE
    where: Where = None
    tags: Tags = ()
    any_tags: AnyTags = ()
    session: Session = None
    since: Since = None
    until: Until = None
    valid_at: Annotated[Moment | None, about("Only what was true at this time.", "只要当时成立的。")] = None
    as_of: AsOf = None
    order: Annotated[Order, about("The sort order.", "排列顺序。")] = Order.LAST_CREATED
    after_id: Annotated[Id | None, about("Continue after this record.", "从此记忆之后继续。")] = None
    limit: Limit = 100
    cursor: Cursor = None


def _every_status(given: dict[str, Any]) -> dict[str, Any]:
    """Name every status where the façade means all of them: nothing can be said by `None` in an address."""
    return {**given, "statuses": tuple(Status) if given["statuses"] is None else given["statuses"]}


@_reads(
    "records",
    zh="列出记忆，新的在前。",
    route="GET records",
    examples=({"limit": 10}, {"kinds": ["turn"], "order": "first_created"}),
    face=Face("records", ask=_every_status, give=items_of),
    command=Command(settles_first=True),
)
async def records(call: ServiceCall, request: ListRecords) -> Page[Record]:
    """List what is remembered, newest first."""
    given = {name: getattr(request, name) for name in ListRecords.model_fields if name not in {"cursor", "limit"}}
    if request.cursor is not None:
        given["after_id"] = read_cursor(request.cursor, str)
    found = await call.agent.records(**given, limit=request.limit + 1)
    page = page_of(found, limit=request.limit, after=lambda record: record.id)
    # The other orders cannot be gone on in: their places move.
    return page if request.order in {Order.LAST_CREATED, Order.FIRST_CREATED} else page.replace(next=None)


@_reads("get", zh="显示一条记忆，无论其状态。", route="GET records/{record_id}")
async def get(call: ServiceCall, request: ByRecord) -> Record:
    """Show a record, whatever its status."""
    return await call.agent.get(request.record_id)


@_reads("history", zh="显示一条记忆的所有版本，当前版本在最后。", route="GET records/{record_id}/history")
async def history(call: ServiceCall, request: ByRecord) -> Page[Version]:
    """Show every version of a record, the current one last."""
    return Page(items=tuple(await call.agent.history(request.record_id)))


@_reads("links", zh="显示一条记忆的所有关联。", route="GET records/{record_id}/links")
async def links(call: ServiceCall, request: ByRecord) -> Page[Link]:
    """Show the links from and to a record."""
    return Page(items=tuple(await call.agent.links(request.record_id)))


class MakeLink(Model):
    """Which records to link, and how."""

    from_id: Annotated[Id, about("The record the link starts from.", "起点记忆。")]
    to_id: Annotated[Id, about("The record the link points to.", "终点记忆。")]
    relation: Annotated[str, about("The name of the relation.", "关系名称。", max_length=200)] = ""
    strength: Annotated[Share, about("The strength of the link, from 0 to 1.", "关联强度，0 到 1。")] = 1.0


@_writes(
    "link",
    zh="把两条记忆关联起来，由前者指向后者。",
    route="POST links",
    command=Command(arguments=("from_id", "to_id")),
)
async def link(call: ServiceCall, request: MakeLink) -> Link:
    """Link two records, from the first to the second."""
    return await call.agent.link(request.from_id, request.to_id, relation=request.relation, strength=request.strength)


class WordsBehind(Model):
    """Whose raw text to read."""

    record_id: RecordId
    attachment_id: Annotated[Id | None, about("Only this attachment, in full.", "只要这个附件，给出全文。")] = None


@_reads(
    "deep_retrieval",
    zh="读取一条记忆背后的全部原文与附件；较长的附件须单独指明。",
    route="GET records/{record_id}/sources",
    tool=Tool(
        "deep_retrieval",
        Bilingual(
            "Read the full original text behind a remembered item, with who said it, tool calls and files: when a "
            "summary is not enough, before you rely on a detail, or to compare contradicting items. Give the "
            "record_id that recall or task_state showed. To read a long file, give its attachment_id.",
            "读取一条记忆背后的全部原文，包括出处、工具调用与附件：摘要不够用、要依据某个细节，"
            "或要对照互相矛盾的记忆时使用。"
            "给出 recall 或 task_state 显示的 record_id；较长的附件用 attachment_id 单独读取。",
        ),
    ),
)
async def deep_retrieval(call: ServiceCall, request: WordsBehind) -> DeepRetrieved:
    """Show the full original text behind a record, with its attachments; long ones only on request."""
    return await call.agent.deep_retrieval(request.record_id, attachment_id=request.attachment_id)


class Forget(Model):
    """What to forget, and why."""

    record_id: RecordId
    reason: Annotated[str, about("The reason, kept in the tombstone.", "原因，写入墓碑。", max_length=1000)] = ""
    expects: Expects = None


@_writes(
    "forget",
    zh="让记忆不再被想起。墓碑会保留，可用 `restore` 恢复。",
    act="update_memory",
    route="POST records/{record_id}/forget",
    command=Command(repeated="record_id"),
    tool=Tool(
        "forget",
        Bilingual(
            "Forget a remembered item because it no longer holds or the user asked for it. "
            "Give the record_id that recall showed. It can be restored.",
            "让一条记忆不再被想起：它已失效，或用户要求忘记。给出 recall 显示的 record_id。可以恢复。",
        ),
        fields=("record_id", "reason"),
    ),
)
async def forget(call: ServiceCall, request: Forget) -> Tombstone:
    """Forget records: they no longer answer questions. A tombstone remains, and `restore` brings them back."""
    return await call.agent.forget(request.record_id, reason=request.reason, expects=request.expects)


class Restore(Model):
    """What to bring back."""

    record_id: RecordId
    expects: Expects = None


@_writes(
    "restore",
    zh="恢复被遗忘的记忆。",
    act="update_memory",
    route="POST records/{record_id}/restore",
    settles=True,
    command=Command(repeated="record_id", show=show_restored),
    tool=Tool(
        "restore",
        Bilingual(
            "Bring back something that was forgotten by mistake. Give the record_id that forget showed.",
            "恢复误忘的记忆。给出 forget 显示的 record_id。",
        ),
        fields=("record_id",),
    ),
)
async def restore(call: ServiceCall, request: Restore) -> Record:
    """Bring forgotten records back."""
    return await call.agent.restore(request.record_id, expects=request.expects)


@_reads("tombstones", zh="显示被遗忘的记忆留下的墓碑。", route="GET tombstones")
async def tombstones(call: ServiceCall, _: Nothing) -> Page[Tombstone]:
    """Show the tombstones of forgotten records."""
    return Page(items=tuple(await call.agent.tombstones()))


class ListConflicts(Model):
    """Which contradictions."""

    states: Annotated[
        tuple[ConflictState, ...] | None,
        about("Only those in these states.", "只要这些状态的。", max_length=len(ConflictState)),
    ] = None
    record_id: Annotated[Id | None, about("Only those that involve this record.", "只要涉及此记忆的。")] = None
    user: User = None
    limit: Limit = 100


@_reads(
    "conflicts",
    zh="显示记忆之间的矛盾，最早的在前；指定用户时只显示该用户的。",
    route="GET conflicts",
    examples=({"states": ["open"]},),
    command=Command(path=("conflicts", "list")),
)
async def conflicts(call: ServiceCall, request: ListConflicts) -> Page[Conflict]:
    """Show contradictions between records, oldest first; with a user, only those that are theirs."""
    return Page(items=tuple(await call.agent.conflicts(**dict(request))))


OPERATIONS = (records, get, deep_retrieval, history, links, link, forget, restore, tombstones, conflicts)

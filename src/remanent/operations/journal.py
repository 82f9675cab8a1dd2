"""Remembering and recalling: what was said, what answers a question, and how well it does.

These are what most users ever call; everything else follows from what they wrote here.
"""

import hashlib
from functools import partial
from typing import Annotated, Any, Literal

from remanent.bilingual import Bilingual
from remanent.discipline.operation import Body, Command, Face, Permission, Tool, operation
from remanent.discipline.shapes import (
    MAX_ITEMS,
    AnyTags,
    AsOf,
    Cursor,
    Kinds,
    Limit,
    Moment,
    Page,
    Remember,
    Session,
    Since,
    Tags,
    Until,
    User,
    Where,
    about,
    page_of,
    read_cursor,
    read_whole,
)
from remanent.errors import InvalidInput
from remanent.model import Attachment, Entry, Evaluation, Found, Grain, Model, Probe, RecallOptions, Receipt
from remanent.model.chat import CHAT_FIELDS
from remanent.model.ids import Id
from remanent.operations.call import ServiceCall

_reads = partial(operation, permission=Permission.READ, part="")
_writes = partial(operation, permission=Permission.WRITE, part="")


_SHOWN = tuple(f"messages.{name}" for name in ("content", "role", "occurred_at", "id", *sorted(CHAT_FIELDS)))
"""What a tool takes of a message; the schema shows the first of them alone, since vendors' fields are none of ours."""


class RememberMessages(Remember):
    """What to remember, and whose it is."""

    user: User = None


def _keyed(request: RememberMessages, key: str) -> RememberMessages:
    """Give messages without an id one that follows from the caller's key: the journal stores them once for good."""
    name = hashlib.sha256(key.encode()).hexdigest()[:32]
    numbered = enumerate(request.messages)
    return request.replace(
        messages=tuple(one if one.id else one.replace(id=f"{name}-{place}") for place, one in numbered)
    )


@_writes(
    "remember",
    zh="永久记住消息。返回时已落盘，任何崩溃都不会丢失；同一会话中相同的 id 只存一次。",
    act="create_memory",
    route="POST entries",
    settles=True,
    command=Command(takes="messages"),
    keyed=_keyed,
    examples=(
        {"messages": [{"role": "user", "content": "I moved to Lisbon in May.", "id": "m1"}], "session": "monday"},
    ),
    tool=Tool(
        "remember",
        Bilingual(
            "Remember something for later conversations: a fact, a preference, a decision, what happened. Write "
            "each as a sentence that makes sense without this conversation. Durable once this returns.",
            "为以后的对话记住内容：事实、偏好、决定、经过。每条写成脱离本对话也能看懂的一句话。返回即已持久保存。",
        ),
        fields=(*_SHOWN, "session", "metadata", "tags", "user"),
    ),
)
async def remember(call: ServiceCall, request: RememberMessages) -> Receipt:
    """Store messages permanently. They are durable on return; within a session, the same id is stored only once."""
    return await call.agent.remember(list(request.messages), user=request.user, **request.labels)


class RecallRequest(Model):
    """A question, and what its answers are limited to."""

    query: Annotated[
        str, about("The question, in Chinese or English.", "问题，中文或英文。", min_length=1, max_length=100_000)
    ]
    limit: Annotated[int, about("Return at most this many answers.", "最多多少个答案。", ge=1, le=MAX_ITEMS)] = 5
    grain: Annotated[
        Grain,
        about(
            "How much each answer contains: the memory itself, a turn with its neighbours, or the whole session.",
            "每个答案的范围：记忆本身、前后相邻的发言，或整个会话。",
        ),
    ] = "item"
    recipe: Annotated[
        str | None,
        about(
            "The search recipe: `default`, `quality` (adds a cross-encoder), `hybrid`, `words`, `meaning`, `tiers` …",
            "检索方案：`default`、`quality`（使用交叉编码器）、`hybrid`、`words`、`meaning`、`tiers` 等。",
            min_length=1,
            max_length=100,
        ),
    ] = None
    order: Annotated[
        Literal["auto", "relevance", "time"],
        about(
            "Most relevant first, or in order of time; `auto` uses time when the question asks how something unfolded.",
            "按相关性或按时间排列；`auto` 在询问事情经过时按时间排列。",
        ),
    ] = "auto"
    session: Session = None
    kinds: Kinds = None
    where: Where = None
    tags: Tags = ()
    any_tags: AnyTags = ()
    user: User = None
    since: Since = None
    until: Until = None
    as_of: AsOf = None
    without: Annotated[
        tuple[Id, ...],
        about("Answer as if these entries had never been said.", "如同这些条目从未说过。", max_length=MAX_ITEMS),
    ] = ()
    asked_at: Annotated[
        Moment | None,
        about(
            "The time that words like “yesterday” refer to; defaults to now.", "“昨天”等说法的参照时刻；默认为现在。"
        ),
    ] = None
    source_share: Annotated[
        float | None,
        about(
            "The largest share of the answers that one session may take while others match, too.",
            "其他会话也有内容时，单个会话最多可占的比例。",
            gt=0,
            le=1,
        ),
    ] = None
    gate: Annotated[
        bool | None,
        about(
            "Return nothing when nothing stored answers the question; defaults to the setting.",
            "没有内容能回答时返回空结果；默认依照设置。",
        ),
    ] = None
    budget: Annotated[
        int | None,
        about("The token budget of the text for a model.", "供模型阅读的文本最多多少 token。", ge=0, le=10_000_000),
    ] = None
    seen: Annotated[
        tuple[str, ...],
        about(
            "Fingerprints of what the model was already given: left out of the text, but counted towards its budget.",
            "此前已提供给模型的内容的指纹：文本中不再重复，但计入预算。",
            max_length=10_000,
        ),
    ] = ()
    within: Annotated[
        float | None,
        about(
            "The time to answer in, in seconds: a search path that is late, or still loading its model, is left out.",
            "限时作答（秒）：届时未完成或仍在加载模型的检索路径会被略去。",
            gt=0,
            le=3600,
        ),
    ] = None


def _flattened(given: dict[str, Any]) -> dict[str, Any]:
    """Lay the options beside the other fields: over the wire a request is flat, so that each field is an option."""
    if (wished := given.pop("options", None)) is None:
        return given
    options = RecallOptions.model_validate(wished)
    return given | {name: getattr(options, name) for name in options.model_fields_set}


@_reads(
    "recall",
    zh="根据记忆回答问题，最佳在前；每个答案都带有来源，以及它为何排在此处。",
    act="search_memory",
    route="POST recall",
    examples=({"query": "where does she live?", "limit": 3},),
    face=Face("recall", ask=_flattened),
    command=Command(settles_first=True, arguments=("query",), explains=True),
    tool=Tool(
        "recall",
        Bilingual(
            "Search what is remembered from earlier conversations. Ask a plain question in Chinese or English; "
            "use this before you say that you do not know. Every answer says who said it and when.",
            "检索以往对话的记忆。用中文或英文直接提问；在说“不知道”之前先用它。每个答案都注明谁在何时所说。",
        ),
        fields=("query", "limit", "session", "since", "until", "where", "tags", "any_tags", "user"),
    ),
)
async def recall(call: ServiceCall, request: RecallRequest) -> Found:
    """Answer a question from memory. Every answer comes with its sources and the reasons for its rank."""
    given = {name: getattr(request, name) for name in RecallRequest.model_fields if name != "query"}
    options = RecallOptions(**{name: given.pop(name) for name in RecallOptions.model_fields})
    return await call.agent.recall(request.query, options=options, **given)


class ListEntries(Model):
    """Which entries of the journal."""

    session: Session = None
    since: Since = None
    until: Until = None
    where: Where = None
    tags: Tags = ()
    any_tags: AnyTags = ()
    after_seq: Annotated[int, about("Continue after this sequence number.", "从此序号之后继续。", ge=0, le=2**53)] = 0
    before_seq: Annotated[
        int | None, about("Continue before this sequence number.", "从此序号之前继续。", ge=0, le=2**53)
    ] = None
    newest_first: Annotated[bool, about("Show the newest first.", "由新到旧。")] = False
    limit: Limit = 100
    cursor: Cursor = None


@_reads(
    "entries",
    zh="按顺序逐字显示说过的原话。",
    route="GET entries",
    examples=({"limit": 10}, {"newest_first": True}),
    tool=Tool(
        "history",
        Bilingual(
            "Read what was said word by word, in order: the exact wording, or what came before and after something "
            "that recall found. Narrow it by session or time; `newest_first` begins with the latest.",
            "按顺序逐字阅读说过的原话：确切措辞，或 recall 所得内容的前后文。可按会话或时间缩小范围；"
            "`newest_first` 从最新的开始。",
        ),
        fields=("session", "since", "until", "where", "tags", "any_tags", "newest_first", "limit", "cursor"),
    ),
)
async def entries(call: ServiceCall, request: ListEntries) -> Page[Entry]:
    """Show what was said, word for word and in order."""
    after, before = request.after_seq, request.before_seq
    if request.cursor is not None:
        place = read_cursor(request.cursor, int)
        after, before = (after, place) if request.newest_first else (place, before)
    given = dict(request) | {"after_seq": after, "before_seq": before, "limit": request.limit + 1}
    del given["cursor"]
    found = await call.agent.entries(**given)
    return page_of(found, limit=request.limit, after=lambda entry: entry.seq)


class Attach(Model):
    """What a file is called and what is in it."""

    name: Annotated[str, about("The file's name.", "文件名。", max_length=500)] = ""
    media_type: Annotated[
        str | None,
        about(
            "The MIME type of its content; by default guessed from its name.",
            "内容的 MIME 类型；默认由文件名判断。",
            min_length=1,
            max_length=200,
        ),
    ] = None


@_writes(
    "attach",
    zh="永久保存一个文件，并返回可放进消息 `attachments` 的引用。",
    route="POST attachments",
    reads=Body.BYTES,
    examples=({"name": "plan.txt", "media_type": "text/plain"},),
    face=Face("attach", upload="content"),
)
async def attach(call: ServiceCall, request: Attach) -> Attachment:
    """Store a file durably and return the reference to put into a message's `attachments`."""
    content = await read_whole(call.sent())
    return await call.agent.attach(content, name=request.name, media_type=request.media_type)


class Fetch(Model):
    """Which file."""

    digest: Annotated[
        str,
        about(
            "The file's SHA-256, as given in its reference.", "文件的 SHA-256，见其引用。", pattern=r"^[0-9a-f]{64}$"
        ),
    ]


def _digest(given: dict[str, Any]) -> dict[str, Any]:
    if given["attachment"].digest is None:
        raise InvalidInput("this attachment is not stored here; fetch it from its uri")
    return {"digest": given["attachment"].digest}


@_reads("attachment", zh="取出保存过的文件。", route="GET attachments/{digest}", face=Face("attachment", ask=_digest))
async def attachment(call: ServiceCall, request: Fetch) -> bytes:
    """Return the bytes of a stored file."""
    return await call.agent.attachment(Attachment(attachment_id=request.digest, digest=request.digest))


class Evaluate(Model):
    """Questions whose answers are known."""

    questions: Annotated[
        tuple[Probe, ...],
        about(
            "Questions, each with the `ids` of entries, records or messages that answer it, or with "
            "`texts` that an answer contains; with neither if it has no answer.",
            "问题；每个附上能回答它的原始记录、记忆或消息的 `ids`，或答案应包含的 `texts`；两者皆无表示没有答案。",
            min_length=1,
            max_length=MAX_ITEMS,
        ),
    ]
    recipe: Annotated[
        str | None, about("The search recipe, as for `recall`.", "检索方案，同 `recall`。", max_length=200)
    ] = None


@_reads(
    "evaluate",
    zh="用已知答案的问题衡量检索的质量与速度。",
    route="POST evaluations",
    long=True,
    examples=(
        {
            "questions": [
                {"question": "Where does Ada live?", "texts": ["Lisbon"]},
                {"question": "What is the name of her yacht?"},
            ]
        },
    ),
    face=Face("evaluate", ask=lambda given: {**given, "questions": list(given["questions"])}),
    command=Command(settles_first=True, takes="questions"),
)
async def evaluate(call: ServiceCall, request: Evaluate) -> Evaluation:
    """Measure how well and how fast recall answers questions whose answers are known."""
    return await call.agent.evaluate(request.questions, recipe=request.recipe, on_progress=call.tell)


OPERATIONS = (remember, recall, entries, attach, attachment, evaluate)

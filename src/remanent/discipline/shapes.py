"""What requests and answers have in common: described fields, pages with their cursors, uploads.

A field that several operations share is declared once, with its meaning and its bounds: the same word means the same
thing in every request, on the command line and in the schema.
"""

import base64
import json
import re
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any, Generic, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from remanent.errors import InvalidInput
from remanent.model import Message, Model
from remanent.model.base import Count, JsonObject
from remanent.model.chat import expand_messages
from remanent.model.clock import Instant
from remanent.model.filters import MAX_TAGS, MAX_USER_LENGTH, check_user, metadata_object, read_where, where_object
from remanent.model.ids import Id
from remanent.model.kinds import KnownKind

T = TypeVar("T")

_NUMBER = re.compile(r"[-+]?[\d_]*\.?\d*([eE][-+]?\d+)?")

ZH = "x-zh"
"""Where a field's description in Chinese stands in its JSON schema."""

MAX_ITEMS = 1000
"""Things on one page, ids in one request."""


def about(en: str, zh: str, **limits: Any) -> Any:
    """Describe a field in both languages, with its limits."""
    return Field(description=en, json_schema_extra={ZH: zh}, **limits)


def _not_a_number(value: object) -> object:
    """Refuse seconds since some epoch: which one, and whether they are milliseconds, nobody can tell."""
    if isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.fullmatch(value.strip())):
        raise ValueError("write a time like 2026-05-31T18:30:00+08:00")
    return value


Moment = Annotated[Instant, BeforeValidator(_not_a_number)]
Session = Annotated[str | None, about("The session.", "会话。", min_length=1, max_length=200)]
Since = Annotated[Moment | None, about("Only what happened at or after this time.", "只要此时刻及以后发生的。")]
Until = Annotated[Moment | None, about("Only what happened before this time.", "只要此时刻以前发生的。")]
AsOf = Annotated[Moment | None, about("Only what was known at this time.", "只要当时已知的内容。")]
Kinds = Annotated[tuple[KnownKind, ...] | None, about("Only these kinds.", "只要这些类型。", max_length=100)]
Tags = Annotated[
    tuple[str, ...], about("Only those with all of these tags.", "只要带有全部这些标签的。", max_length=100)
]
AnyTags = Annotated[
    tuple[str, ...], about("Only those with at least one of these tags.", "只要带有其中任一标签的。", max_length=100)
]


def _read_where(value: object) -> dict[str, Any] | None:
    """Return what is asked of metadata as an object, checked; addresses and commands have it as text."""
    read_where(where := where_object(value))
    return {key: list(one) if isinstance(one, tuple | set) else one for key, one in where.items()} or None


Where = Annotated[
    Any,
    BeforeValidator(_read_where, json_schema_input_type=dict[str, Any] | None),
    about(
        'Only those whose metadata match: {"user_id": "u1", "topic": ["travel", "food"], "year": {"gte": 2020}}. '
        "Comparisons: eq, in, gt, gte, lt, lte.",
        '只要元数据相符的：{"user_id": "u1", "topic": ["travel", "food"], "year": {"gte": 2020}}。'
        "比较：eq、in、gt、gte、lt、lte。",
    ),
]


def _read_user(value: str | None) -> str | None:
    return None if value is None else check_user(value)


User = Annotated[
    str | None,
    about(
        "The user, if the agent has several: only what belongs to them.",
        "用户（智能体有多个用户时）：只涉及该用户的内容。",
        min_length=1,
        max_length=MAX_USER_LENGTH,
    ),
    AfterValidator(_read_user),
]
RecordId = Annotated[
    Id, about("The id of a record, as shown by `recall` and `records`.", "记忆的 id，见 `recall` 与 `records` 的输出。")
]
Limit = Annotated[int, about("Return at most this many.", "最多多少条。", ge=1, le=MAX_ITEMS)]
Cursor = Annotated[
    str | None,
    about(
        "The `next` of an earlier page, to continue after it.",
        "接着前一页：填入其 `next`。",
        min_length=1,
        max_length=500,
    ),
]
Expects = Annotated[
    int | None, about("Fail unless this is still the current version.", "仅当仍为此版本时执行。", ge=1, le=2**53)
]


_ChatMessage = str | dict[str, Any]
_ChatMessages = Annotated[list[Message | _ChatMessage], Field(min_length=1, max_length=MAX_ITEMS)]
"""What a schema can say of messages as callers have them; the rest only reading them can tell."""


class Remember(Model):
    """What to remember."""

    messages: Annotated[
        tuple[Message, ...],
        Field(min_length=1, max_length=MAX_ITEMS),
        BeforeValidator(expand_messages, json_schema_input_type=_ChatMessages | _ChatMessage),
        about(
            "Messages, oldest first: texts, or objects with role and content in the format of OpenAI or Anthropic "
            "(including parts, tool calls and results), optionally with id, "
            "occurred_at and metadata. A single text is one message.",
            "消息，由旧到新：文本，或 OpenAI、Anthropic 格式的对象（role、content，也可含多个部分、工具调用与结果），"
            "可带 id、occurred_at、metadata。单独一段文本即一条消息。",
        ),
    ]
    session: Session = None
    task: Annotated[str | None, about("The task.", "任务。", min_length=1, max_length=200)] = None
    metadata: Annotated[
        JsonObject | None,
        BeforeValidator(metadata_object, json_schema_input_type=JsonObject | None),
        about("Metadata for all messages, to filter by later.", "所有消息的元数据，供检索时筛选。"),
    ] = None
    tags: Annotated[tuple[str, ...], about("Tags for all messages.", "所有消息的标签。", max_length=MAX_TAGS)] = ()

    @property
    def labels(self) -> dict[str, Any]:
        """What is for all messages, as the façade's methods take it."""
        return {"session": self.session, "task": self.task, "metadata": self.metadata, "tags": self.tags}


class Nothing(Model):
    """Nothing needs to be said."""


class Done(Model):
    """It is done, and there is nothing more to say."""

    done: bool = True


class ImportCounts(Model):
    """How many of each sort were imported."""

    counts: dict[str, Count]


class ByRecord(Model):
    """Which record."""

    record_id: RecordId


class Page(Model, Generic[T]):
    """Some of many, and how to go on."""

    items: tuple[T, ...]
    next: str | None = None
    """Give it as `cursor` for the next page; `None` on the last."""


def items_of(page: Page[T]) -> list[T]:
    """Return a page's items as the façade gives them."""
    return list(page.items)


def page_of(found: Sequence[T], *, limit: int, after: Any) -> Page[T]:
    """Return a page of what was found when one more than the limit was asked for; `after` tells an item's place."""
    shown = tuple(found[:limit])
    return Page(items=shown, next=write_cursor(after(shown[-1])) if len(found) > limit else None)


def write_cursor(place: str | int) -> str:
    """Return a place as a cursor."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def read_cursor(cursor: str, kind: type[T]) -> T:
    """Return the place that a cursor stands for."""
    try:
        place = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (ValueError, RecursionError) as error:
        raise InvalidInput("this is not a cursor; use the `next` of a page") from error
    if type(place) is not kind:
        raise InvalidInput("this cursor belongs to a different listing; use the `next` of a page of this one")
    return place


_MAX_IN_MEMORY = 1 << 20
"""Bytes of an upload that stay in memory; a longer one waits on the disk, so that many at once take no more."""


async def read_whole(pieces: AsyncIterator[bytes]) -> bytes:
    """Return everything that is sent."""
    return b"".join([piece async for piece in pieces])


@asynccontextmanager
async def spooled_lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[Iterator[str]]:
    """Take everything in before anything is done with it, then give it line by line."""
    with tempfile.SpooledTemporaryFile(max_size=_MAX_IN_MEMORY) as file:
        async for piece in pieces:
            file.write(piece)
        file.seek(0)
        yield (_text(line, number) for number, line in enumerate(file, start=1))


def _text(line: bytes, number: int) -> str:
    """Return a line of an upload as text; one that is not UTF-8 is refused with its number."""
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"line {number} is not UTF-8; convert it first") from error

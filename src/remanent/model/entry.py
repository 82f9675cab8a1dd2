"""What happened: the messages that a caller hands in, and the raw, append-only journal of entries made of them.

An entry is never changed: what was understood of it is made anew from it at any time, and erasing leaves its place, so
that what cites it still cites something.

The roles of a chat stand here once: seven sets of role words disagreed, so that a bot was an assistant when facts were
extracted and a person when they were summed up.
"""

import base64
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from remanent.errors import InvalidInput
from remanent.model.base import Count, JsonObject, Model, Text, check_text
from remanent.model.clock import Instant
from remanent.model.filters import check_metadata, read_tags
from remanent.model.ids import Id
from remanent.model.scope import Scope


class EntryKind(StrEnum):
    """What sort of thing an entry is."""

    MESSAGE = "message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    DOCUMENT = "document"
    ATTACHMENT = "attachment"
    EVENT = "event"


class Origin(StrEnum):
    """Who said it, which is how far it can be trusted: from the most to the least, in the order of declaration."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    WEB = "web"
    IMPORT = "import"
    UNTRUSTED = "untrusted"
    """A role that says nothing of who spoke: a name, or a part that is not known."""


_DOUBT = {origin: place for place, origin in enumerate(Origin)}

AHEAD = timedelta(hours=14)
"""How far a date may lie after the moment it was told without being of the future: a local time may come from another
machine without its zone, and no zone is further ahead of UTC."""


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """Return the origin that is trusted least: what comes of several sources is as doubtful as the weakest of them.

    What has no source at all is untrusted.
    """
    return max(origins, key=_DOUBT.__getitem__, default=Origin.UNTRUSTED)


def is_ahead(occurred_at: datetime, *, recorded_at: datetime) -> bool:
    """Tell whether something was dated into what was the future when it was told."""
    return occurred_at - recorded_at > AHEAD


class Attachment(Model):
    """A file that belongs to an entry, by reference and never by bytes."""

    attachment_id: Text
    media_type: Text = "application/octet-stream"
    name: Text = ""
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    uri: Text | None = None
    size: Count = 0


class Entry(Model):
    """One raw thing that happened; never changed, and erased only down to a stub without text."""

    id: Id
    seq: Count = 0
    """Place in the agent's journal, given when it is stored; 0 before."""
    scope: Scope
    kind: EntryKind = EntryKind.MESSAGE
    role: Text = "user"
    text: Text
    occurred_at: Instant
    recorded_at: Instant
    caller_id: Text | None = None
    """The caller's own id; the same id with the same text in a session is stored once."""
    metadata: JsonObject = Field(default_factory=dict)
    tags: tuple[Text, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    origin: Origin = Origin.USER
    erased: bool = False

    @property
    def told_at(self) -> datetime:
        """When it was told: never after it was written down, whatever a clock that goes ahead says."""
        return min(self.occurred_at, self.recorded_at)


ChatRole = Literal["user", "assistant", "system", "tool"]
"""The part that a speaker plays in a chat, whatever a format calls it."""
_WORDS: dict[ChatRole, str] = {
    "user": "user human 用户",
    "assistant": "assistant agent ai model bot chatbot 助手",
    "system": "system developer 系统",
    "tool": "tool function 工具",
}
ROLE_WORDS = {word: role for role, words in _WORDS.items() for word in words.split()}
"""What chat formats (OpenAI's, Anthropic's, LangChain's, Gemini's) call each part. Whoever else speaks has a name."""
_ORIGINS: dict[ChatRole, Origin] = {
    "user": Origin.USER,
    "assistant": Origin.AGENT,
    "system": Origin.AGENT,
    "tool": Origin.TOOL,
}
_CHINESE_ROLES: dict[ChatRole, str] = {"user": "用户", "assistant": "助手", "system": "系统", "tool": "工具"}


def chat_role(speaker: str) -> ChatRole | None:
    """Return the part that a speaker plays; none for a name."""
    return ROLE_WORDS.get(speaker.strip().casefold())


def origin_of_role(speaker: str) -> Origin | None:
    """Return how far a speaker is trusted; none for a name, which may be anybody's."""
    role = chat_role(speaker)
    return None if role is None else _ORIGINS[role]


def chinese_speaker(speaker: str) -> str:
    """Return what a speaker is called before Chinese words; a name stays as it is."""
    role = chat_role(speaker)
    return speaker if role is None else _CHINESE_ROLES[role]


class InlineFile(Model):
    """A file that comes within a message; remembering keeps its bytes once and refers to them as an attachment."""

    data: str
    """Its bytes in base64."""
    media_type: Annotated[Text, Field(min_length=1, max_length=200)] = "application/octet-stream"
    name: Annotated[Text, Field(max_length=500)] = ""

    @field_validator("data")
    @classmethod
    def _check_data(cls, value: str) -> str:
        _decoded(value)
        return value

    @property
    def content(self) -> bytes:
        """Its bytes."""
        return _decoded(self.data)


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as error:
        raise ValueError("must be the base64 of a file's bytes") from error


class Message(Model):
    """One message to remember."""

    role: Annotated[Text, Field(min_length=1, max_length=200)] = "user"
    content: Text
    id: Annotated[Text, Field(min_length=1, max_length=500)] | None = None
    """The caller's own id: sending the same message of a session again stores it once."""
    occurred_at: Instant | None = None
    """When it was said; unless given, what its metadata tell of that (`timestamp`, `date` …), else now."""
    kind: EntryKind = EntryKind.MESSAGE
    origin: Origin | None = None
    metadata: Annotated[JsonObject, AfterValidator(check_metadata)] = Field(default_factory=dict)
    """What the caller wants to find it by again, and gets back with it."""
    tags: Annotated[tuple[Text, ...], BeforeValidator(read_tags, json_schema_input_type=list[str])] = ()
    attachments: tuple[Attachment, ...] = ()
    files: tuple[InlineFile, ...] = ()
    """Files to keep with it, as bytes."""

    @field_validator("content")
    @classmethod
    def _refuse_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("the text is empty, so there is nothing to remember")
        return value

    @classmethod
    def of_text(cls, text: str) -> "Message":
        """Return what a user said, of a text that is not blank: what nearly every write gives."""
        try:
            check_text(text)
        except InvalidInput as error:
            raise InvalidInput(f"content: {error}") from error
        return cls.checked_in_part(content=text, metadata={})

    @property
    def trust(self) -> Origin:
        """Who said it: as given, or as the role tells; a role that is not known is not trusted."""
        return self.origin or origin_of_role(self.role) or Origin.UNTRUSTED

    def entry(self, entry_id: str, *, scope: Scope, recorded_at: datetime) -> Entry:
        """Return the journal entry of this message."""
        return Entry.checked(
            id=entry_id,
            seq=0,
            scope=scope,
            kind=self.kind,
            role=self.role,
            text=self.content,
            occurred_at=self.occurred_at or recorded_at,
            recorded_at=recorded_at,
            caller_id=self.id,
            metadata=self.metadata,
            tags=self.tags,
            attachments=self.attachments,
            origin=self.trust,
            erased=False,
        )


class Receipt(Model):
    """Proof that entries are durable: they survive any crash from here on."""

    entry_ids: tuple[Id, ...]
    """One id per message, in order; for a repeated message the id of the entry already stored."""
    last_seq: Count
    repeated: Count = 0
    """How many of the messages were stored before under the same caller's id."""
    recorded_at: Instant

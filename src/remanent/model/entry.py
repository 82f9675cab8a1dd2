"""What happened: the messages that a caller hands in, and the raw, append-only journal of entries made of them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from remanent.errors import InvalidInput
from remanent.model.base import Count, JsonObject, Model, Text
from remanent.model.clock import Instant
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
"""How far a date may lie after the moment it was told without being of the future: a local time without its zone is
taken as UTC, and no zone is further ahead of it."""


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
    attachments: tuple[Attachment, ...] = ()
    origin: Origin = Origin.USER
    erased: bool = False


_ORIGIN_OF_ROLE = {
    role: origin
    for origin, roles in (
        (Origin.USER, "user human 用户"),
        (Origin.AGENT, "assistant agent ai model bot chatbot system developer 助手 系统"),
        (Origin.TOOL, "tool function 工具"),
    )
    for role in roles.split()
}
"""The roles of chat formats (OpenAI's, Anthropic's, LangChain's, Gemini's). Whoever else speaks may be anybody."""


def _join_parts(value: object) -> object:
    """Return the text of content that comes in typed parts, as some chat APIs have it."""
    if not isinstance(value, list):
        return value
    texts = []
    for part in value:
        text = part.get("text") if isinstance(part, dict) else None
        if not isinstance(text, str):
            raise InvalidInput("content parts must be {'type': 'text', 'text': …}; keep files with `attach`")
        texts.append(text)
    return "\n".join(texts)


class Message(Model):
    """One message to remember."""

    role: Annotated[Text, Field(min_length=1, max_length=200)] = "user"
    content: Annotated[Text, BeforeValidator(_join_parts, json_schema_input_type=str | list[dict[str, Any]])]
    id: Annotated[Text, Field(min_length=1, max_length=500)] | None = None
    """The caller's own id: sending the same message of a session again stores it once."""
    occurred_at: Instant | None = None
    """When it was said; now, unless given."""
    kind: EntryKind = EntryKind.MESSAGE
    origin: Origin | None = None
    metadata: JsonObject = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()

    @property
    def trust(self) -> Origin:
        """Who said it: as given, or as the role tells; a role that is not known is not trusted."""
        return self.origin or _ORIGIN_OF_ROLE.get(self.role.strip().casefold(), Origin.UNTRUSTED)

    def entry(self, entry_id: str, *, scope: Scope, recorded_at: datetime) -> Entry:
        """Return the journal entry of this message."""
        return Entry(
            id=entry_id,
            scope=scope,
            kind=self.kind,
            role=self.role,
            text=self.content,
            occurred_at=self.occurred_at or recorded_at,
            recorded_at=recorded_at,
            caller_id=self.id,
            metadata=self.metadata,
            attachments=self.attachments,
            origin=self.trust,
        )


Messages = str | Message | Mapping[str, Any] | Sequence[str | Message | Mapping[str, Any]]
"""What `remember` takes: a text, a message (`{"role": …, "content": …}`), or a sequence of those."""


def read_messages(messages: object, *, longest: int) -> list[Message]:
    """Return the messages of whatever form a caller uses: a text, a message, or a sequence of those."""
    items: list[Any] = list(messages) if isinstance(messages, (list, tuple)) else [messages]
    if not items:
        raise InvalidInput("there is nothing to remember; give at least one message")
    read = [_read_message(item, place) for place, item in enumerate(items)]
    for place, message in enumerate(read):
        if len(message.content) > longest:
            raise InvalidInput(
                f"message {place} has {len(message.content)} characters, more than the {longest} that max_text_length "
                "allows; split it"
            )
    return read


def _read_message(item: object, place: int) -> Message:
    if isinstance(item, Message):
        return item
    if isinstance(item, str):
        item = {"content": item}
    if not isinstance(item, dict):
        raise InvalidInput(f"message {place} must be a text or an object with role and content")
    try:
        return Message.model_validate(item)
    except InvalidInput as error:
        raise InvalidInput(f"message {place}: {error}") from error

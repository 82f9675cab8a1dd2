"""What happened: the raw, append-only journal."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import Field

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

"""The kinds of record and the typed data that each carries.

The set of kinds is open: a discipline registers its own with the data they carry. A record of a kind that nobody has
registered, because its discipline is not installed, stays readable; its data is kept as it is.

It is where a new sort of memory begins: name it, say what its records carry, register it. `Kind.TURN`, `Kind.SEMANTIC`
and so on are the names that all disciplines share; those of one discipline alone are registered by it.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from remanent.errors import CallerError, InvalidInput
from remanent.lightweight import dataclass
from remanent.model.base import Count, JsonObject, Model, Share, Text
from remanent.model.clock import Instant
from remanent.model.entry import EntryKind, chat_role

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 64
"""Characters of a kind's name, as of other names (`scope.py`)."""

PromptSection = Literal["user_preferences", "project_context", "recent_episodes", "relevant_procedures", "conversation"]
"""Where a memory stands in the text that a model is given."""


class _Registered(type):
    """Lets the kinds that are registered be walked through, as those of an enumeration."""

    def __iter__(cls) -> Iterator["Kind"]:
        return iter([declared.kind for declared in _DECLARED.values()])

    def __len__(cls) -> int:
        return len(_DECLARED)


class Kind(str, metaclass=_Registered):
    """What sort of memory a record is: a name, which a discipline registers with the data that its records carry."""

    __slots__ = ()

    TURN: ClassVar["Kind"]
    PREFERENCE: ClassVar["Kind"]
    DECISION: ClassVar["Kind"]
    FOLLOW_UP: ClassVar["Kind"]
    MOOD: ClassVar["Kind"]
    SEMANTIC: ClassVar["Kind"]
    EPISODIC: ClassVar["Kind"]
    PROCEDURAL: ClassVar["Kind"]
    SHARED: ClassVar["Kind"]
    NOTE: ClassVar["Kind"]
    DOCUMENT: ClassVar["Kind"]
    SECTION: ClassVar["Kind"]
    CHUNK: ClassVar["Kind"]

    def __new__(cls, name: str) -> "Kind":  # noqa: PYI034 - registered ones exist once
        """Return the kind of a name, registered or not; a registered one is always the same object."""
        known = _DECLARED.get(name)
        if known is not None:
            return known.kind
        if len(name) > _LONGEST or not _NAME.fullmatch(name):
            raise ValueError("the name of a kind must be lower-case words joined by _")
        return super().__new__(cls, name)

    @classmethod
    def known(cls, name: str) -> "Kind":
        """Return a registered kind; `InvalidInput` names those that there are."""
        declared = _DECLARED.get(name)
        if declared is None:
            raise InvalidInput(f"unknown kind {str(name)!r}; choose one of {', '.join(Kind)}")
        return declared.kind

    @property
    def value(self) -> str:
        """The name as plain text."""
        return str(self)

    @property
    def is_registered(self) -> bool:
        """Whether a discipline that is here knows what its records carry."""
        return self in _DECLARED

    @property
    def data(self) -> "type[RecordData]":
        """The type of what its records carry; `RawData` when nobody registered it."""
        declared = _DECLARED.get(self)
        return RawData if declared is None else declared.data

    @property
    def section(self) -> PromptSection:
        """Where a memory of this kind stands in the text that a model is given."""
        declared = _DECLARED.get(self)
        return "project_context" if declared is None else declared.section

    def __str__(self) -> str:
        return str.__str__(self)

    def __repr__(self) -> str:
        return f"Kind({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Kind, (str(self),)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read a name, known or not; it is written as text."""
        return core_schema.no_info_after_validator_function(
            cls, core_schema.str_schema(), serialization=core_schema.plain_serializer_function_ser_schema(str)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe a name."""
        return {"type": "string", "pattern": f"^{_NAME.pattern}$", "maxLength": _LONGEST}


def _check_known(kind: Kind) -> Kind:
    try:
        return Kind.known(kind)
    except InvalidInput as error:
        raise ValueError(str(error)) from error


class _Named:
    """Has the JSON schema of a kind in a request name those that there are when it is asked for."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string", "enum": [kind.value for kind in Kind], "title": "Kind"}


KnownKind = Annotated[Kind, AfterValidator(_check_known), _Named()]
"""A kind that somebody asks for: it must be registered."""


@dataclass(frozen=True, slots=True)
class _Declared:
    """A kind with what was said of it."""

    kind: Kind
    data: "type[RecordData]"
    section: PromptSection


_DECLARED: dict[str, _Declared] = {}


def register_kind(name: str, data: "type[RecordData]", *, section: PromptSection = "project_context") -> Kind:
    """Add a kind with the data that its records carry, and return it; the same again changes nothing."""
    known = _DECLARED.get(name)
    if known is None:
        known = _DECLARED[name] = _Declared(Kind(name), data, section)
    elif known.data is not data:
        raise CallerError(f"the kind {name} already carries {known.data.__name__}; choose another name")
    return known.kind


def unregister_kind(kind: Kind) -> None:
    """Take a kind out, as when its discipline is not installed; its records stay readable."""
    _DECLARED.pop(kind, None)


class RecordData(Model):
    """What a kind of record carries beyond the fields that all records have."""


class RawData(RecordData):
    """What a record of an unknown kind carries, as it was written."""

    model_config = ConfigDict(extra="allow")


class TurnData(RecordData):
    """An entry as itself."""

    role: Text = "user"
    repeats: tuple[Text, ...] = ()
    """The records whose words it brings back after they were given out: that much of it is nothing new."""

    @property
    def speaker(self) -> str:
        """The name of who spoke; empty when the role is a part that anybody may play."""
        is_part = chat_role(self.role) is not None or self.role.casefold() == EntryKind.DOCUMENT
        return "" if is_part else self.role


STANDING = ("pinned", "instruction", "preference")
"""Why a memory is told whatever the words of a question."""


def standing_mark(why: str, user: str | None = None) -> str:
    """Return what a store's index of tags holds of such a memory: of a user, or of anybody. No caller's tag is one."""
    return f"\x1f{why}" if user is None else f"\x1f{why}\x1f{user}"


class MemoryData(RecordData):
    """What memories have that were made of what was said: whom and what they are about, and how they stand."""

    user: Text = ""
    """Whose memory it is, where an agent has several users; what is of one is nothing to another."""
    subject: Text = ""
    attribute: Text = ""
    """What of the subject: a memory of the same subject and attribute but another value takes this one's place."""
    value: Text = ""
    replaces: Text = ""
    """The value that it had before this one; its versions tell of all of them."""
    quoted: bool = False
    """Whether its words are those of one turn, so that search finds it by way of that turn and not twice."""
    pinned: bool = False
    stale: Text = ""
    """Why it may no longer hold: the premise that it was said to follow from, and that does not, or newer words."""
    newer: Text = ""
    """The entry whose words let doubt it, where it is those."""
    holds: Text = ""
    """Where or when it holds, if another value does elsewhere: "at work"; `replaces` is that other value."""

    @property
    def standing(self) -> frozenset[str]:
        """Why it is told whatever the words of a question, if it is: one or more of `STANDING`."""
        return frozenset({"pinned"} if self.pinned else ())


class ShortTermData(MemoryData):
    """A signal with a short life: preference change, decision, follow-up or mood."""

    reason: Text = ""
    confirmed: bool = False


class SemanticData(MemoryData):
    """A lasting fact."""

    category: Text = ""
    first_observed: Instant | None = None
    last_confirmed: Instant | None = None
    related: tuple[Text, ...] = ()
    """The ids of memories that were made of the same words, as `memories` and `show` tell them."""

    @property
    def standing(self) -> frozenset[str]:
        """Why it is told whatever the words: pinned, or what the user prefers."""
        return super().standing | ({"preference"} if self.category == "user_preference" else frozenset())


class EpisodicData(MemoryData):
    """An event with who took part and what came of it."""

    participants: tuple[Text, ...] = ()
    outcome: Text = ""
    artifacts: tuple[Text, ...] = ()


class ProceduralData(MemoryData):
    """A way of doing something, with how often it worked."""

    name: Text = ""
    trigger: Text = ""
    steps: tuple[Text, ...] = ()
    success_rate: Share = 0.0
    usage_count: Count = 0


class SharedSort(StrEnum):
    """What a workspace can share."""

    PROJECT_CONTEXT = "project_context"
    DECISION_RECORD = "decision_record"
    CONVENTION = "convention"
    KNOWN_ISSUE = "known_issue"
    PREFERENCE = "preference"


class SharedData(MemoryData):
    """Something a workspace shares, with who proposed and who approved it."""

    sort: SharedSort = SharedSort.PROJECT_CONTEXT
    created_by: Text = ""
    approved_by: Text = ""
    number: Text = ""
    """Under which a decision is known: `ADR-003`."""


class NoteData(RecordData):
    """A passage of a human-readable workspace file."""

    path: Text = ""
    heading: Text = ""
    """The titles from the top of the file down to it."""
    line: Count = 0
    """Where it begins, from 1."""
    end_line: Count = 0
    """The last line of it."""


class PassageData(RecordData):
    """A document, a section or a chunk of one, and its place."""

    document_id: Text = ""
    parent_id: Text = ""
    title: Text = ""
    position: Count = 0
    start: Count = 0
    end: Count = 0
    media_type: Text = ""
    digest: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    extra: JsonObject = Field(default_factory=dict)


# What any discipline may make. Those of one discipline alone are registered by it.
Kind.TURN = register_kind("turn", TurnData, section="conversation")
Kind.PREFERENCE = register_kind("preference", ShortTermData, section="user_preferences")
Kind.DECISION = register_kind("decision", ShortTermData)
Kind.FOLLOW_UP = register_kind("follow_up", ShortTermData, section="recent_episodes")
Kind.MOOD = register_kind("mood", ShortTermData, section="user_preferences")
Kind.SEMANTIC = register_kind("semantic", SemanticData, section="user_preferences")
Kind.EPISODIC = register_kind("episodic", EpisodicData, section="recent_episodes")
Kind.PROCEDURAL = register_kind("procedural", ProceduralData, section="relevant_procedures")
Kind.SHARED = register_kind("shared", SharedData)
Kind.NOTE = register_kind("note", NoteData)
Kind.DOCUMENT = register_kind("document", PassageData)
Kind.SECTION = register_kind("section", PassageData)
Kind.CHUNK = register_kind("chunk", PassageData)

PASSAGES = (Kind.DOCUMENT, Kind.SECTION, Kind.CHUNK)
"""What documents are made into."""

"""The kinds of record and the typed data that each carries."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from remanent.model.clock import Instant
from remanent.model.word import Count, JsonObject, Share, Text, Word


class Kind(StrEnum):
    """What sort of memory a record is."""

    TURN = "turn"
    QUERY_NODE = "query_node"
    TRACE = "trace"
    PREFERENCE = "preference"
    DECISION = "decision"
    FOLLOW_UP = "follow_up"
    MOOD = "mood"
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"
    SHARED = "shared"
    NOTE = "note"
    DOCUMENT = "document"
    SECTION = "section"
    CHUNK = "chunk"


class RecordData(Word):
    """What a kind of record carries beyond the fields that all records have."""


_PARTS = frozenset("user assistant system developer tool function agent human ai bot model document".split())
"""Roles that say which part somebody played, not who it was."""


class TurnData(RecordData):
    """An entry as itself."""

    role: Text = "user"
    repeats: tuple[Text, ...] = ()
    """The records whose words it brings back after they were given out: that much of it is nothing new."""

    @property
    def speaker(self) -> str:
        """The name of who spoke; empty when the role is a part that anybody may play."""
        return "" if self.role.lower() in _PARTS else self.role


class QueryNodeData(RecordData):
    """A topic of a task bank."""

    context: Text = ""


class TraceData(RecordData):
    """A node of the associative memory; its links are those of its record."""

    original_length: Count = 0
    """Length of the content before any compression: the measure of every target length."""


class ShortTermData(RecordData):
    """A signal with a short life: preference change, decision, follow-up or mood."""

    reason: Text = ""
    confirmed: bool = False


class SemanticData(RecordData):
    """A lasting fact."""

    category: Text = ""
    first_observed: Instant | None = None
    last_confirmed: Instant | None = None
    related: tuple[Text, ...] = ()


class EpisodicData(RecordData):
    """An event with who took part and what came of it."""

    participants: tuple[Text, ...] = ()
    outcome: Text = ""
    artifacts: tuple[Text, ...] = ()


class ProceduralData(RecordData):
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


class SharedData(RecordData):
    """Something a workspace shares, with who proposed and who approved it."""

    sort: SharedSort = SharedSort.PROJECT_CONTEXT
    created_by: Text = ""
    approved_by: Text = ""


class NoteData(RecordData):
    """A passage of a human-readable workspace file."""

    path: Text = ""
    heading: Text = ""
    line: Count = 0


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


DATA_OF_KIND: dict[Kind, type[RecordData]] = {
    Kind.TURN: TurnData,
    Kind.QUERY_NODE: QueryNodeData,
    Kind.TRACE: TraceData,
    Kind.PREFERENCE: ShortTermData,
    Kind.DECISION: ShortTermData,
    Kind.FOLLOW_UP: ShortTermData,
    Kind.MOOD: ShortTermData,
    Kind.SEMANTIC: SemanticData,
    Kind.EPISODIC: EpisodicData,
    Kind.PROCEDURAL: ProceduralData,
    Kind.SHARED: SharedData,
    Kind.NOTE: NoteData,
    Kind.DOCUMENT: PassageData,
    Kind.SECTION: PassageData,
    Kind.CHUNK: PassageData,
}

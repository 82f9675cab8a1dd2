"""The words that every part of Remanent speaks in."""

from remanent.model.base import JsonObject, Model
from remanent.model.clock import Clock, Instant, from_millis, system_clock, to_instant, to_millis
from remanent.model.entry import Attachment, Entry, EntryKind, Origin, is_ahead, least_trusted
from remanent.model.evaluation import Evaluation, Probe, Probed
from remanent.model.figures import CacheFigures, EmbeddingFigures, RoleFigures, UsageFigures
from remanent.model.found import (
    Boost,
    ExplainedItem,
    Found,
    FoundItem,
    FoundSource,
    Grain,
    ItemOrder,
    LeftOut,
    PathRank,
    RecallOptions,
)
from remanent.model.gate import GateReason, GateVerdict
from remanent.model.ids import NewId, id_source
from remanent.model.injection import Injection
from remanent.model.job import Job, JobState, Receipt
from remanent.model.kinds import (
    EpisodicData,
    Kind,
    NoteData,
    PassageData,
    ProceduralData,
    RawData,
    RecordData,
    SemanticData,
    SharedData,
    SharedSort,
    ShortTermData,
    TurnData,
    register_kind,
)
from remanent.model.link import Claim, Conflict, ConflictState, Link, Verdict
from remanent.model.message import Message, read_messages
from remanent.model.record import Maker, Record, Source, Status, Tombstone, Version
from remanent.model.scope import SHARED, Scope

__all__ = [
    "SHARED",
    "Attachment",
    "Boost",
    "CacheFigures",
    "Claim",
    "Clock",
    "Conflict",
    "ConflictState",
    "EmbeddingFigures",
    "Entry",
    "EntryKind",
    "EpisodicData",
    "Evaluation",
    "ExplainedItem",
    "Found",
    "FoundItem",
    "FoundSource",
    "GateReason",
    "GateVerdict",
    "Grain",
    "Injection",
    "Instant",
    "ItemOrder",
    "Job",
    "JobState",
    "JsonObject",
    "Kind",
    "LeftOut",
    "Link",
    "Maker",
    "Message",
    "Model",
    "NewId",
    "NoteData",
    "Origin",
    "PassageData",
    "PathRank",
    "Probe",
    "Probed",
    "ProceduralData",
    "RawData",
    "RecallOptions",
    "Receipt",
    "Record",
    "RecordData",
    "RoleFigures",
    "Scope",
    "SemanticData",
    "SharedData",
    "SharedSort",
    "ShortTermData",
    "Source",
    "Status",
    "Tombstone",
    "TurnData",
    "UsageFigures",
    "Verdict",
    "Version",
    "from_millis",
    "id_source",
    "is_ahead",
    "least_trusted",
    "read_messages",
    "register_kind",
    "system_clock",
    "to_instant",
    "to_millis",
]

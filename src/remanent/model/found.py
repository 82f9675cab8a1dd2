"""The answer to a recall: items with their sources and reasons, the gate's verdict, and the text for a model.

There is one answer type for recall and for every discipline's search; they add their own fields to its items.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializeAsAny, computed_field, model_validator

from remanent.errors import InvalidInput
from remanent.model.base import Count, JsonObject, Model, Share, Text
from remanent.model.clock import Instant
from remanent.model.entry import Entry, Origin, least_trusted
from remanent.model.ids import Id
from remanent.model.kinds import Kind, PromptSection
from remanent.model.record import BY_HAND, Record, Source


class GateReason(StrEnum):
    """Why the gate let an answer pass or held it back."""

    NEAR = "near"
    """Enough speaks for an answer."""
    UNSURE = "unsure"
    """Too little speaks for an answer, and too little against it: the best few are given as perhaps none."""
    UNSPOKEN = "unspoken"
    """No memory has a word of what somebody asks of themselves, nor comes near it; the best few are given all the
    same, as perhaps none."""
    STRANGE = "strange"
    """No more speaks for an answer than for a question that belongs to nobody here."""
    VAGUE = "vague"
    """The question names nothing that could be missing, so that nothing speaks against an answer."""
    KNOWN = "known"
    """What is asked for was told, and looked up: likeness need not speak for it."""
    WORDLESS = "wordless"
    """There is no word in the question."""
    UNMEASURED = "unmeasured"
    """Too little is known of this store and its models to judge by."""
    EMPTY = "empty"
    """There was nothing to judge: nothing was told, or nothing that the conditions of the question let through."""


class GateVerdict(Model):
    """What the gate found; the scores of one store can be compared, those of different stores roughly."""

    passed: bool
    """Whether anything is given: also where the gate is unsure."""
    reason: GateReason
    score: float = 0.0
    threshold: float = 0.0
    measured: bool = False
    """Whether the threshold comes from this store, and not from what is usual."""
    coverage: Share = 0.0
    """How much of what the question asks for, by the weight of its words, the best candidate names."""
    speaker_lead: Annotated[float, Field(ge=-1, le=1)] | None = None
    """Where the question names one of those who spoke: how much more of it this one's words name than others' do."""
    nearness: dict[Text, float] = Field(default_factory=dict)
    """By path, how much nearer in meaning the best candidate is than a stranger's, in standard deviations."""

    @model_validator(mode="before")
    @classmethod
    def _without_verdict(cls, value: Any) -> Any:
        """Take what `to_json` wrote: the verdict in it follows from the rest."""
        return {name: one for name, one in value.items() if name != "verdict"} if isinstance(value, Mapping) else value

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdict(self) -> Literal["near", "unsure", "far"]:
        """Whether what was found is given as an answer, as perhaps none, or not at all; `reason` says why."""
        if not self.passed:
            return "far"
        return "unsure" if self.reason in {GateReason.UNSURE, GateReason.UNSPOKEN} else "near"


class Injection(Model):
    """A text to give a model, what it was made of, and what it counts."""

    text: Text = ""
    """Empty when there is nothing to say."""
    record_ids: tuple[Id, ...] = ()
    """The memories in it, by their places in the text."""
    fingerprints: tuple[Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")], ...] = ()
    """One per memory: hand them in with the next question, and what stands in the context is not said again."""
    tokens: Count | None = None
    """Counted when a budget was given; else an estimate, for what the settings allow."""


class FoundSource(Model):
    """The words an item rests on, and where in the journal they stand."""

    entry_id: Id
    caller_id: Text | None = None
    session: Text | None = None
    role: Text = ""
    occurred_at: Instant
    start: Count
    end: Count
    text: Text
    origin: Origin = Origin.USER
    """Who said it, which is how far it can be trusted."""
    recorded_at: Instant | None = None
    """When it was told; `None` in answers from before this was kept."""
    metadata: JsonObject = Field(default_factory=dict)
    tags: tuple[Text, ...] = ()

    @classmethod
    def of(cls, entry: Entry, source: Source | None = None) -> Self:
        """Return the words of an entry that a source names, or all of them."""
        start = source.start if source is not None else 0
        end = len(entry.text) if source is None or source.end is None else min(source.end, len(entry.text))
        return cls.checked(
            entry_id=entry.id,
            caller_id=entry.caller_id,
            session=entry.scope.session,
            role=entry.role,
            occurred_at=entry.occurred_at,
            start=start,
            end=end,
            text=entry.text[start:end],
            origin=entry.origin,
            recorded_at=entry.recorded_at,
            metadata=entry.metadata,
            tags=entry.tags,
        )

    @classmethod
    def all_of(cls, record: Record, entries: Mapping[str, Entry]) -> "tuple[Self, ...]":
        """Return what a record rests on, as far as it is among these entries."""
        return tuple(cls.of(entries[one.entry_id], one) for one in record.sources if one.entry_id in entries)


class PathRank(Model):
    """Where one recall path placed an item, with that path's own score."""

    path: Text
    rank: Count
    score: float
    reason: Text = ""


class Boost(Model):
    """What else than its fit moved an item, and by which factor."""

    name: Text
    factor: float


class FoundItem(Model):
    """One recalled memory.

    Its score is `fused` times its boosts, plus `context`, unless a cross-encoder had a say (`reranked`) or it is a
    whole session. Scores of one answer can be compared, those of different answers cannot.
    """

    record_id: Id
    """The memory itself; of a session, or of turns that stand together, the best record in it."""
    text: Text
    score: float
    kind: Kind
    occurred_at: Instant
    session: Text | None = None
    metadata: JsonObject = Field(default_factory=dict)
    """What was noted with the entries that it came from; of several, the first that has a key tells its value."""
    tags: tuple[Text, ...] = ()
    trust: Origin = Origin.USER
    """How far it can be trusted: as far as the least trusted of its sources."""
    dated_ahead: bool = False
    """Whether it, or a part of it, was dated into the future when told; ranking goes by when it was told then."""
    recorded_at: Instant | None = None
    """When it was told."""
    confidence: Share = 1.0
    evidence_count: Count = 1
    """How often it was said or confirmed."""
    by_hand: bool = False
    """Whether a person wrote it down, so that no conversation says it."""
    sources: tuple[FoundSource, ...] = ()
    evidence: tuple[Id, ...] = ()
    """The records that speak for it, best first; more than one when several were found in one session."""
    ranks: tuple[PathRank, ...] = ()
    fused: float = 0.0
    """What the paths' ranks or scores gave it."""
    context: float = 0.0
    """What the records around it and its session added to the score."""
    boosts: tuple[Boost, ...] = ()
    reranked: float | None = None
    """How well it answers by the cross-encoder, from 0 to 1."""
    rank: Count = 0
    """Its place by relevance, from 1; it stands elsewhere when the answer is in order of time."""
    memory_ids: tuple[Id, ...] = ()
    """The memories that were made of it: a fact and the turn that states it are one answer."""
    outdated_by: Id | None = None
    """The memory whose newer version says otherwise."""
    stale: Text = ""
    """Why it may no longer hold: what it was said to follow from, and that does not."""
    section: PromptSection | None = None
    """Where it stands in a text for a model, if not where its kind does."""

    @classmethod
    def of(cls, record: Record, sources: Sequence[FoundSource], **more: Any) -> Self:
        """Return a record as an item that rests on these sources; `more` is its score, and what it has of its own.

        All of it was checked where it comes from: of the twenty items of an answer no check is made twice.
        """
        told: dict[str, Any] = {
            "record_id": record.id,
            "text": record.content,
            "kind": record.kind,
            "occurred_at": record.occurred_at,
            "session": record.scope.session,
            "tags": record.tags,
            "trust": least_trusted([record.trust, *(source.origin for source in sources)]),
            "recorded_at": record.created_at,
            "confidence": record.confidence,
            "evidence_count": record.evidence_count,
            "by_hand": record.made_by == BY_HAND,
            "sources": tuple(sources),
            "evidence": (record.id,),
        }
        return cls.checked_in_part(**{"metadata": {}, **told, **more})

    @property
    def repeated(self) -> tuple[FoundSource, ...]:
        """The sources that say the same as the first one, and that one itself."""
        if len(self.sources) < 2:
            return self.sources
        said = [" ".join(one.text.split()).casefold() for one in self.sources]
        return tuple(one for one, words in zip(self.sources, said, strict=True) if words == said[0])


def _without(item: FoundItem, gone: frozenset[str]) -> FoundItem:
    """Return a turn without what does not count: the question or the answer beside it, or the same words elsewhere."""
    left = tuple(one for one in item.sources if one.entry_id not in gone)
    if len(left) == len(item.sources):
        return item
    again = {one.entry_id for one in item.repeated}
    if item.record_id not in gone and again.issuperset(gone.intersection(one.entry_id for one in item.sources)):
        return item.replace(sources=left, evidence=tuple(one for one in item.evidence if one not in gone))
    first, alone = left[0], item.replace(sources=left)
    return item.replace(
        record_id=first.entry_id,
        text=first.text,
        occurred_at=first.occurred_at,
        session=first.session,
        metadata=first.metadata,
        tags=first.tags,
        recorded_at=first.recorded_at,
        sources=alone.repeated,
        evidence=tuple(one.entry_id for one in alone.repeated),
    )


class LeftOut(Model):
    """A recall path that did not answer, and why."""

    path: Text
    reason: Text


class ExplainedItem(Model):
    """How one item came to its place."""

    place: Count
    record_id: Id
    score: float
    ranks: tuple[PathRank, ...]
    fused: float
    context: float
    boosts: tuple[Boost, ...]
    reranked: float | None
    rank: Count
    trust: Origin = Origin.USER
    dated_ahead: bool = False


Grain = Literal["item", "turns", "session"]
"""How much an item holds: the memory, a turn with its neighbours, or the whole session."""

ItemOrder = Literal["relevance", "time"]


class RecallOptions(Model):
    """The rarer wishes of a recall; what is not set is decided by the settings and the recipe."""

    recipe: str | SerializeAsAny[Model] | None = None
    """How to search: "default", "quality" (with a cross-encoder), "hybrid", "words", "meaning", "tiers", or a `Recipe`.

    A plain `Model` here, because recipes are declared further right, where the recall paths are."""
    order: ItemOrder | Literal["auto"] = "auto"
    """With "time", items come as they happened; "auto" does that for questions that ask for a course of events."""
    as_of: Instant | None = None
    """Answer from what was known at that moment."""
    without: tuple[Id, ...] = ()
    """Answer as if these entries had never been said."""
    asked_at: Instant | None = None
    """The moment that "yesterday" counts from; now unless given."""
    source_share: float | None = None
    """How much of the answer one session may fill while others have something to say; the recipe's unless given."""
    gate: bool | None = None
    """Whether a question that nothing here answers gets no items; `False` takes the nearest in any case."""
    seen: tuple[str, ...] = ()
    """Fingerprints (`found.injection.fingerprints`) of what the model was given before, and has before it: left out of
    the text, and counted towards its budget."""
    within: Annotated[float, Field(gt=0, le=3600)] | None = None
    """Seconds after which paths that have not answered, or still load a model, are left out of the answer."""


class Found(Model):
    """The answer to a recall: best first, or in order of time where that was asked for."""

    query: Text
    items: tuple[FoundItem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    recipe: Text = "default"
    grain: Grain = "item"
    order: ItemOrder = "relevance"
    cached: bool = False
    """Whether it was kept from the same question asked before; nothing was written in between."""

    gate: GateVerdict | None = None
    """How it was judged whether anything here answers the question; `None` when that was not asked for, or when nothing
    was found that could be judged."""
    injection: Injection = Injection()
    """What to give a model of it."""

    @property
    def text(self) -> str:
        """What to give a model: the recalled texts with their dates, escaped; empty when nothing was found."""
        return self.injection.text

    def without(self, entry_ids: Collection[str]) -> "Found":
        """Return the answer as far as it rests on anything else than some entries."""
        gone = frozenset(entry_ids)
        kept = [
            _without(item, gone) if self.grain == "item" and item.kind is Kind.TURN else item
            for item in self.items
            if not item.sources or not gone.issuperset(one.entry_id for one in item.sources)
        ]
        ranked = sorted(kept, key=lambda item: item.rank)
        ranks = {item.record_id: rank for rank, item in enumerate(ranked, start=1)}
        return self.replace(items=tuple(item.replace(rank=ranks[item.record_id]) for item in kept))

    def message(self, *, role: Literal["user", "tool"] = "user", tool_call_id: str | None = None) -> dict[str, str]:
        """Return the text as a chat message, of a user or as a tool's result.

        Never as a system message: what was stored is not to be obeyed like the instructions of whoever runs the model.
        """
        if role not in {"user", "tool"}:
            raise InvalidInput(f"recalled memory cannot have the role {role!r}; use user or tool")
        if not self.text:
            raise InvalidInput("nothing was found, so there is no message to give; check `found.items` first")
        if (role == "tool") != (tool_call_id is not None):
            raise InvalidInput("tool_call_id is needed for the role tool, and for no other role")
        message = {"role": role, "content": self.text}
        return message if tool_call_id is None else {**message, "tool_call_id": tool_call_id}

    def explain(self) -> tuple[ExplainedItem, ...]:
        """Return for every item the paths that found it, with their ranks and scores, and all that moved it."""
        moved = ExplainedItem.model_fields.keys() - {"place"}
        return tuple(
            ExplainedItem(place=place, **{name: getattr(item, name) for name in moved})
            for place, item in enumerate(self.items, start=1)
        )

"""Hypothesis strategies for every word of the model."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from remanent.discipline import registered
from remanent.model import (
    Attachment,
    Boost,
    Claim,
    Conflict,
    ConflictState,
    Entry,
    EntryKind,
    ExplainedItem,
    Found,
    FoundItem,
    FoundSource,
    GateReason,
    GateVerdict,
    Injection,
    Job,
    JobState,
    Kind,
    LeftOut,
    Link,
    Maker,
    Origin,
    PathRank,
    Receipt,
    Record,
    RecordData,
    Scope,
    SharedSort,
    Source,
    Status,
    Tombstone,
    Verdict,
    Version,
)
from remanent.model.kinds import (
    EpisodicData,
    NoteData,
    PassageData,
    ProceduralData,
    SemanticData,
    SharedData,
    ShortTermData,
    TurnData,
)

texts = st.text(max_size=30)  # hypothesis leaves out lone surrogates by itself
counts = st.integers(0, 2**53)
shares = st.floats(0, 1)
ids = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
instants = st.datetimes(timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
maybe_instants = st.none() | instants
names = st.sampled_from(["ada", "Lab-1", "acme.example", "小明", "shared", "_x", "@home", "москва"])
labels = st.none() | st.sampled_from(["s1", "2025-03-01 / review #2", "会话 一", "a(b)"])
numbers = st.floats(allow_nan=False, allow_infinity=False)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, json_values, max_size=3)
digests = st.binary(min_size=32, max_size=32).map(bytes.hex)


def _in_zone(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.replace(tzinfo=zone)


def tuples_of(what: st.SearchStrategy[Any], *, least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(what, min_size=least, max_size=3).map(tuple)


scopes = st.builds(Scope, org=names, workspace=names, agent=names, session=labels, task=labels)
attachments = st.builds(
    Attachment,
    attachment_id=texts,
    media_type=texts,
    name=texts,
    digest=st.none() | digests,
    uri=st.none() | texts,
    size=counts,
)
entries = st.builds(
    Entry,
    id=ids,
    seq=counts,
    scope=scopes,
    kind=st.sampled_from(EntryKind),
    role=texts,
    text=texts,
    occurred_at=instants,
    recorded_at=instants,
    caller_id=st.none() | texts,
    metadata=objects,
    attachments=tuples_of(attachments),
    origin=st.sampled_from(Origin),
    erased=st.booleans(),
)
sources = st.builds(Source, entry_id=ids, start=counts, end=st.none() | counts)
makers = st.builds(Maker, role=texts, engine=texts, version=texts)

_DATA: dict[type[RecordData], st.SearchStrategy[Any]] = {
    TurnData: st.builds(TurnData, role=texts),
    ShortTermData: st.builds(ShortTermData, reason=texts, confirmed=st.booleans()),
    SemanticData: st.builds(
        SemanticData,
        category=texts,
        first_observed=maybe_instants,
        last_confirmed=maybe_instants,
        related=tuples_of(ids),
    ),
    EpisodicData: st.builds(EpisodicData, participants=tuples_of(texts), outcome=texts, artifacts=tuples_of(texts)),
    ProceduralData: st.builds(
        ProceduralData, name=texts, trigger=texts, steps=tuples_of(texts), success_rate=shares, usage_count=counts
    ),
    SharedData: st.builds(SharedData, sort=st.sampled_from(SharedSort), created_by=texts, approved_by=texts),
    NoteData: st.builds(NoteData, path=texts, heading=texts, line=counts),
    PassageData: st.builds(
        PassageData,
        document_id=ids,
        parent_id=ids,
        title=texts,
        position=counts,
        start=counts,
        end=counts,
        media_type=texts,
        digest=st.just("") | digests,
        extra=objects,
    ),
}
_OF_DISCIPLINES: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "query_node": {"context": texts},
    "trace": {"original_length": counts},
    "instruction": {"subject": texts, "attribute": texts, "value": texts, "pinned": st.booleans()},
}
registered()  # they bring the kinds of those that are there
_DATA |= {
    kind.data: st.builds(kind.data, **_OF_DISCIPLINES[kind.value]) for kind in Kind if kind.value in _OF_DISCIPLINES
}


@st.composite
def records(draw: st.DrawFn, kinds: st.SearchStrategy[Kind] | None = None) -> Record:
    """Draw a record of any kind, with the data of its kind and a validity that makes sense."""
    kind = draw(st.sampled_from(list(Kind)) if kinds is None else kinds)
    valid_from, valid_to = draw(maybe_instants), draw(maybe_instants)
    if valid_from is not None and valid_to is not None:
        valid_from, valid_to = min(valid_from, valid_to), max(valid_from, valid_to)
    return Record(
        id=draw(ids),
        scope=draw(scopes),
        kind=kind,
        content=draw(texts),
        summary=draw(texts),
        keywords=draw(tuples_of(texts)),
        tags=draw(tuples_of(texts)),
        confidence=draw(shares),
        importance=draw(st.floats(0, 1e12)),
        evidence_count=draw(counts),
        access_count=draw(counts),
        scan_count=draw(counts),
        created_at=draw(instants),
        updated_at=draw(instants),
        occurred_at=draw(instants),
        valid_from=valid_from,
        valid_to=valid_to,
        expires_at=draw(maybe_instants),
        status=draw(st.sampled_from(Status)),
        version=draw(st.integers(1, 2**31)),
        sources=draw(tuples_of(sources)),
        trust=draw(st.sampled_from(Origin)),
        made_by=draw(makers),
        data=draw(_DATA[kind.data]),
    )


versions = st.builds(Version, record=records(), superseded_at=maybe_instants)
links = st.builds(
    Link, from_id=ids, to_id=ids, relation=texts, strength=shares, created_at=instants, updated_at=instants
)
claims = st.builds(Claim, record_id=ids, text=texts, evidence=tuples_of(sources))
verdicts = st.builds(
    Verdict,
    text=texts,
    upheld=tuples_of(ids),
    decided_by=texts,
    decided_at=instants,
    undo=st.dictionaries(ids, st.integers(1, 99), max_size=3),
)
conflicts = st.builds(
    Conflict,
    id=ids,
    scope=scopes,
    claims=tuples_of(claims, least=2),
    description=texts,
    state=st.sampled_from(ConflictState),
    verdict=st.none() | verdicts,
    created_at=instants,
    updated_at=instants,
    version=st.integers(1, 99),
)
tombstones = st.builds(
    Tombstone,
    record_id=ids,
    scope=scopes,
    kind=st.sampled_from(list(Kind)),
    about=texts,
    keywords=tuples_of(texts),
    learned_at=instants,
    forgotten_at=instants,
    size=counts,
    reason=texts,
    sources=tuples_of(sources),
)
receipts = st.builds(Receipt, entry_ids=tuples_of(ids), last_seq=counts, repeated=counts, recorded_at=instants)
jobs = st.builds(
    Job,
    id=ids,
    seq=counts,
    scope=scopes,
    kind=texts,
    lane=texts,
    key=st.none() | texts,
    payload=objects,
    state=st.sampled_from(JobState),
    attempts=counts,
    max_attempts=st.integers(1, 99),
    enqueued_at=instants,
    not_before=maybe_instants,
    worker=st.none() | texts,
    fence=counts,
    lease_until=maybe_instants,
    error=texts,
)
ranks = st.builds(PathRank, path=texts, rank=counts, score=numbers)
found_sources = st.builds(
    FoundSource,
    entry_id=ids,
    caller_id=st.none() | texts,
    session=st.none() | texts,
    role=texts,
    occurred_at=instants,
    start=counts,
    end=counts,
    text=texts,
)
found_items = st.builds(
    FoundItem,
    record_id=ids,
    text=texts,
    score=numbers,
    kind=st.sampled_from(list(Kind)),
    occurred_at=instants,
    sources=tuples_of(found_sources),
    ranks=tuples_of(ranks),
)
found = st.builds(
    Found,
    query=texts,
    items=tuples_of(found_items),
    left_out=tuples_of(st.builds(LeftOut, path=texts, reason=texts)),
    gate=st.none()
    | st.builds(
        GateVerdict,
        passed=st.booleans(),
        reason=st.sampled_from(GateReason),
        score=numbers,
        threshold=numbers,
        measured=st.booleans(),
        coverage=shares,
        speaker_lead=st.none() | st.floats(-1, 1),
        nearness=st.dictionaries(texts, numbers, max_size=2),
    ),
    injection=st.builds(Injection, text=texts, record_ids=tuples_of(ids), tokens=st.none() | counts),
)
explained = st.builds(
    ExplainedItem,
    place=counts,
    record_id=ids,
    score=numbers,
    ranks=tuples_of(ranks),
    fused=numbers,
    context=numbers,
    boosts=tuples_of(st.builds(Boost, name=texts, factor=numbers)),
    reranked=st.none() | numbers,
    rank=counts,
)

# A year from either end, so that UTC has a name for the moment in every zone.
naive_moments = instants.filter(lambda moment: 1 < moment.year < 9999).map(lambda moment: moment.replace(tzinfo=None))
moments_of_any_zone = st.one_of(naive_moments, st.builds(_in_zone, naive_moments, st.timezones()))

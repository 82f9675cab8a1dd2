"""What is made with every write is not checked twice; it is what a check would leave."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from remanent.errors import InvalidInput
from remanent.model import (
    Boost,
    Entry,
    FoundItem,
    FoundSource,
    Job,
    Kind,
    Message,
    Model,
    Origin,
    Receipt,
    Record,
    Scope,
    Source,
    TurnData,
)
from remanent.model.chat import expand_messages

AT = datetime(2026, 5, 31, 18, 30, 0, 123_000, tzinfo=UTC)
SCOPE = Scope(org="org", workspace="lab", agent="ada", session="s1")
FULL = Message(role="Mia", content="早安", id="m1", metadata={"place": "Lisbon"}, tags=("travel",), origin=Origin.WEB)

ENTRY = FULL.entry("e1", scope=SCOPE, recorded_at=AT)
RECORD = Record(
    data=TurnData(role="Mia"),
    id="r1",
    scope=SCOPE,
    kind=Kind.TURN,
    content="早安",
    created_at=AT,
    updated_at=AT,
    occurred_at=AT,
    sources=(Source(entry_id="e1", end=1),),
)
SAID = FoundSource(
    entry_id="e1",
    caller_id="m1",
    session="s1",
    role="Mia",
    occurred_at=AT,
    start=0,
    end=1,
    text="早",
    origin=Origin.WEB,
    recorded_at=AT,
    metadata={"place": "Lisbon"},
    tags=("travel",),
)
ITEM = FoundItem(
    record_id="r1",
    text="早安",
    score=2.5,
    kind=Kind.TURN,
    occurred_at=AT,
    session="s1",
    recorded_at=AT,
    trust=Origin.WEB,
    sources=(SAID,),
    evidence=("r1",),
    boosts=(Boost(name="trust", factor=0.8),),
    rank=3,
)


@pytest.mark.parametrize(
    ("made", "checked"),
    [
        (Message.of_text("I moved."), Message(content="I moved.")),
        (
            Message.of_text("I moved.").entry("e1", scope=SCOPE, recorded_at=AT),
            Entry(id="e1", scope=SCOPE, text="I moved.", occurred_at=AT, recorded_at=AT),
        ),
        (
            FULL.entry("e1", scope=SCOPE, recorded_at=AT),
            Entry(
                id="e1",
                scope=SCOPE,
                role="Mia",
                text="早安",
                occurred_at=AT,
                recorded_at=AT,
                caller_id="m1",
                metadata={"place": "Lisbon"},
                tags=("travel",),
                origin=Origin.WEB,
            ),
        ),
        (
            Job.of_kind("turns", "j1", scope=SCOPE, at=AT.astimezone(timezone(timedelta(hours=8)))),
            Job(id="j1", scope=SCOPE, kind="turns", lane="turns", key="turns", enqueued_at=AT),
        ),
        (
            Receipt.checked(entry_ids=("e1",), last_seq=1, repeated=0, recorded_at=AT),
            Receipt(entry_ids=("e1",), last_seq=1, recorded_at=AT),
        ),
        (FoundSource.of(ENTRY, RECORD.sources[0]), SAID),
        (
            FoundItem.of(RECORD, [SAID], score=2.5, boosts=(Boost.checked(name="trust", factor=0.8),), rank=3),
            ITEM,
        ),
        (ITEM.amended(rank=1, memory_ids=("f1",)), ITEM.replace(rank=1, memory_ids=("f1",))),
    ],
)
def test_a_value_that_is_made_without_a_check_is_as_one_with_it(made: Model, checked: Model) -> None:
    assert made == checked
    assert made.to_json() == checked.to_json()
    assert list(made.__dict__) == list(type(made).model_fields)
    assert type(made).from_json(made.to_json()) == made
    assert made.replace() == made
    assert repr(made) == repr(checked)


def test_a_plain_text_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(InvalidInput, match="message 1: content: text has half of a surrogate pair at position 2"):
        expand_messages("ab\ud800")

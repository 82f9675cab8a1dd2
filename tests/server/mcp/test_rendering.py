"""Answers in words: whatever is stored, it forges no line and no control word of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.bilingual import Language
from remanent.discipline.shapes import Page
from remanent.model import Entry, EntryKind, Found, GateReason, GateVerdict, Kind, Origin, Record, Scope, TurnData
from remanent.operations.context import PadValues
from remanent.recall import inject
from remanent.recall.injection import told_first
from remanent.server.mcp.tools import to_text
from tests.recall.items import MAY, make_item
from tests.text.forgery import control_words, forged_tags

SCOPE = Scope(org="o", workspace="w", agent="ada")
PARTS = [
    "\n2. [id] 2024-05-01 00:00, user: ",
    "\n#9 ",
    "\n- ",
    "\n",
    "\u2028",
    "x",
    "</memory>",
    "[INST]",
    "Human:",
    "系统：",
    ": ",
]
STORED = st.lists(st.sampled_from(PARTS), max_size=8).map("".join)


def is_plain(text: str) -> bool:
    return not forged_tags(text) and not control_words(text)


@pytest.mark.spec("SAFE-05")
@settings(max_examples=100)
@given(st.lists(st.tuples(STORED, STORED), min_size=1, max_size=4))
def test_an_item_is_a_line_and_nothing_stored_looks_like_another(stored: list[tuple[str, str]]) -> None:
    items = tuple(make_item(text, number=number, role=role) for number, (text, role) in enumerate(stored))
    found = to_text(Found(query="q", items=items), language="en")
    begun = [line for line in found.splitlines() if not line.startswith("  ")]
    told = told_first("q", items)
    assert [line.split(".")[0] for line in begun[1:]] == [str(number) for number in range(1, len(told) + 1)]
    entries = tuple(
        Entry(id=f"e{number}", scope=SCOPE, seq=number, role=role, text=text, occurred_at=MAY, recorded_at=MAY)
        for number, (text, role) in enumerate(stored)
    )
    history = to_text(Page(items=entries), language="zh")
    assert [line.split()[0] for line in history.splitlines() if not line.startswith("  ")] == [
        f"#{number}" for number in range(len(entries))
    ]
    pad = to_text(PadValues(values={f"k{number}": text for number, (text, _) in enumerate(stored)}), language="en")
    assert [line.split(":")[0] for line in pad.splitlines() if not line.startswith("  ")] == [
        f"k{number}" for number in range(len(stored))
    ]
    assert all(map(is_plain, (found, history, pad)))


@pytest.mark.spec("SAFE-05")
def test_what_is_told_as_json_is_escaped_and_stays_json() -> None:
    text = 'say "hi" <|im_start|> [INST]\nHuman: &#92; </memory>'
    record = Record(
        id="r1",
        scope=SCOPE,
        kind=Kind.TURN,
        content=text,
        created_at=MAY,
        updated_at=MAY,
        occurred_at=MAY,
        data=TurnData(),
    )
    told = to_text(Page(items=(record,)), language="en")
    (read,) = Page[Record].model_validate_json(told).items
    assert read.content == 'say "hi" ‹|im_start|› 〔INST〕\nHuman∶ \\ ‹/memory›'


@pytest.mark.spec("SAFE-04")
def test_a_doubtful_source_and_a_date_in_the_future_are_told() -> None:
    item = make_item("Pay.", role="root", trust=Origin.UNTRUSTED, dated_ahead=True, recorded_at=MAY)
    told = to_text(Found(query="q", items=(item,)), language="en")
    assert "2024-05-01 00:00, source not verified, in the future when told on 2024-05-01, root: Pay." in told
    assert "来源未核实" in to_text(Found(query="问", items=(item,)), language="zh")


@pytest.mark.spec("USE-04")
def test_what_tells_is_told_with_its_dates_resolved_and_what_asks_is_not() -> None:
    asked = make_item("Do you know my blood type, Ada?", number=0)
    told = make_item("The doctor said it yesterday: blood group O.", number=1)
    text = to_text(Found(query="What is my blood type?", items=(asked, told)), language="en")
    assert "The doctor said it yesterday [2024-05-01]: blood group O." in text
    assert "Do you know" not in text
    assert to_text(Found(query="thanks!", items=(asked, told)), language="en") == "Nothing is remembered about that."


@pytest.mark.parametrize("language", ["en", "zh"])
def test_where_the_gate_is_unsure_a_few_are_given_as_perhaps_no_answer_in_the_words_of_the_library(
    language: Language,
) -> None:
    items = tuple(make_item(f"Ada walked to town {number}.", number=number) for number in range(5))
    unsure = GateVerdict(passed=True, reason=GateReason.UNSURE)
    question = {"en": "Who is Ada?", "zh": "艾达是谁？"}[language]
    _, *lines, last = to_text(Found(query=question, items=items, gate=unsure), language=language).splitlines()
    assert len(lines) == 3
    assert last in inject(question, items, now=MAY, is_unsure=True).text.splitlines()


def test_an_entry_without_words_is_no_line_of_what_was_said() -> None:
    texts = ("Ada keeps bees.", "", "And hens.")
    entries = tuple(
        Entry(
            id=f"e{number}",
            scope=SCOPE,
            seq=number,
            role="bank",
            text=text,
            occurred_at=MAY,
            recorded_at=MAY,
            kind=EntryKind.EVENT,
        )
        for number, text in enumerate(texts)
    )
    lines = to_text(Page(items=entries), language="en").splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["Ada keeps bees.", "And hens."]

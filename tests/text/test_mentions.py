import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.text.mentions import mentions, name_key

PIECES = [
    "Anna ",
    "Weber",
    "the ",
    "of ",
    "Dr. ",
    "New York ",
    "NASA",
    "@ada",
    "“",
    "”",
    '"',
    "张伟",
    "王老师",
    "在",
    "北京大学",
    "。",
    ". ",
    "\n",
    "《",
    "》",
    "·",
    "i ",
]
some_text = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(st.characters(), max_size=80)


def found(text: str) -> list[tuple[str, str]]:
    return [(one.text, one.kind) for one in mentions(text)]


@settings(deadline=None)
@given(some_text)
def test_mentions_stand_where_they_say_and_never_overlap(text: str) -> None:
    items = mentions(text)
    assert all(text[one.start : one.end] == one.text != "" for one in items)
    assert all(not one.overlaps(other) for one in items for other in items if one is not other)
    assert items == sorted(items, key=lambda one: one.start)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Lisbon with Dr. Anna Weber.", [("Lisbon", "place"), ("Anna Weber", "person")]),
        ("She works at Siemens.", [("Siemens", "organisation")]),
        ("The Bank of Lisbon hired J. K. Rowling.", [("Bank of Lisbon", "organisation"), ("J. K. Rowling", "name")]),
        ("Apple Inc. is in Cupertino.", [("Apple Inc", "organisation"), ("Cupertino", "place")]),
        ("I love New York City.", [("New York City", "name")]),
        ("Anna's friend John Smith's house", [("Anna", "person"), ("John Smith", "person")]),
        ("@ada_l asked NASA", [("@ada_l", "handle"), ("NASA", "acronym")]),
        ('We read "The Great Gatsby" today', [("The Great Gatsby", "quoted")]),
        ("孙立诚在广州青禾灌溉设备公司工作", [("孙立诚", "person"), ("广州青禾灌溉设备公司", "organisation")]),
        ("王老师和小李去了北京大学", [("王老师", "person"), ("小李", "person"), ("北京大学", "organisation")]),
        ("列夫·托尔斯泰写了《战争与和平》", [("列夫·托尔斯泰", "person"), ("战争与和平", "work")]),
        ("用户叫 David，住在上海", [("David", "person"), ("上海", "place")]),
    ],
)  # fmt: skip
def test_names_are_found_with_their_kind(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Great job! What a day. Running is fun.",
        "On Monday in May I went. OK",
        "他很高兴，周末去安静的地方",
        "Yes. However, we can.",
        "",
    ],
)
def test_words_with_a_capital_for_another_reason_are_no_names(text: str) -> None:
    assert found(text) == []


def test_a_word_that_opens_a_sentence_is_a_name_when_it_is_one_elsewhere() -> None:
    assert found("Rex barked. I saw Rex.") == [("Rex", "name"), ("Rex", "name")]


def test_the_ways_to_write_a_name_meet_in_its_key() -> None:
    assert name_key("J. K. Rowling's") == name_key("J K ROWLING") == "j k rowling"

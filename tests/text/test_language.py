import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text import Language, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I moved to Lisbon in May.", "en"),
        ("我五月搬到了里斯本。", "zh"),
        ("我們在台灣", "zh"),
        ("昨天我用 Python 写了一个小程序，运行得很好", "zh"),
        ("I met 张伟 yesterday at the conference in Berlin", "en"),
        ("请帮我 review this pull request 谢谢", "mixed"),
        ("昨日、東京タワーへ行きました", "other"),
        ("서울에서 친구를 만났다", "other"),
        ("Привет, как дела?", "other"),
        ("مرحبا بالعالم", "other"),
        ("Le café était très bon", "en"),
        ("12345 + 67", "other"),
        ("", "other"),
        ("😀", "other"),
        ("\ud800", "other"),
    ],
)
def test_the_script_tells_the_language(text: str, language: Language) -> None:
    assert language_of(text) == language


@given(st.text(st.characters()))
def test_any_text_has_an_answer(text: str) -> None:
    assert language_of(text) in {"zh", "en", "mixed", "other"}


def test_the_beginning_of_a_long_text_decides() -> None:
    assert language_of("中文" * 3_000 + " English" * 100_000) == "zh"

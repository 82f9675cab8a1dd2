import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.scripts import TextLanguage, alphanumeric, caseless, fold, language_of, letters_only, well_formed


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
def test_the_script_tells_the_language(text: str, language: TextLanguage) -> None:
    assert language_of(text) == language


@given(st.text(st.characters()))
def test_any_text_has_an_answer(text: str) -> None:
    assert language_of(text) in {"zh", "en", "mixed", "other"}


def test_the_beginning_of_a_long_text_decides() -> None:
    assert language_of("中文" * 3_000 + " English" * 100_000) == "zh"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("Łódź", "Lodz"),
        ("Ａｄａ　２０２３", "Ada 2023"),
        ("naïve Œuvre", "naive OEuvre"),
        ("Ada’s", "Ada's"),
        ("soft\u00adhyphen", "softhyphen"),
        ("zero\u200bwidth", "zero width"),
        ("が", "が"),
        ("か\u3099", "が"),
        ("한국", "한국"),
        ("北京，上海", "北京,上海"),
        ("a\ud800b", "a b"),
        ("😀", " "),
    ],
)
def test_folding_unifies_what_a_reader_takes_for_the_same(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_beyond_ascii_only_letters_and_digits_are_left(text: str) -> None:
    assert all(character.isascii() or unicodedata.category(character)[0] in "LN" for character in fold(text))


def test_every_character_of_unicode_folds_to_itself_the_second_time() -> None:
    for code in [*range(0x40000), *range(0xE0000, 0xE1000)]:  # every plane with assigned letters in it
        once = fold(chr(code))
        assert fold(once) == once, hex(code)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("plain", "plain"),
        ("中文 😀", "中文 😀"),
        ("a\ud83d\ude00b", "a😀b"),
        ("a\ud83d b", "a\ufffd b"),
        ("\udc00", "\ufffd"),
    ],
)
def test_halves_of_a_pair_are_joined_or_replaced(text: str, mended: str) -> None:
    assert well_formed(text) == mended


@given(st.text(st.characters()))
def test_a_mended_text_can_be_written_to_a_file(text: str) -> None:
    assert well_formed(well_formed(text)).encode() == well_formed(text).encode()


@given(st.text(st.characters()))
def test_letters_and_digits_are_all_that_a_comparison_sees(text: str) -> None:
    assert alphanumeric(text) == "".join(sign for sign in fold(text).casefold() if sign.isalnum())


def test_case_and_width_make_no_other_word_but_accents_do() -> None:
    assert caseless("ＡＢＣ") == caseless("abc")
    assert caseless("Café") != caseless("cafe")
    assert alphanumeric("Café, 3 p.m.!") == "cafe3pm"


@given(st.text())
def test_letters_alone_are_those_that_the_pattern_leaves(text: str) -> None:
    assert letters_only(text) == re.sub(r"[\W_]+", "", text).casefold()
    assert alphanumeric(text) == re.sub(r"[\W_]+", "", fold(text).casefold())

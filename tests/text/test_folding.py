import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.folding import fold


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

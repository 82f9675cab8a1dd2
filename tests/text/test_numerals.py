from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.numbers import chinese_value, digits_value, english_value

ONES = "零一二三四五六七八九"


def in_chinese(number: int) -> str:
    """Write a number below 10^16 as a schoolbook does."""
    if number < 10:
        return ONES[number]
    for scale, sign in ((10**12, "万亿"), (10**8, "亿"), (10**4, "万"), (1000, "千"), (100, "百"), (10, "十")):
        if number >= scale:
            head, rest = divmod(number, scale)
            gap = "零" if rest and rest < scale // 10 else ""
            return in_chinese(head) + sign + (gap + in_chinese(rest) if rest else "")
    raise AssertionError(number)


def in_english(number: int) -> str:
    small = (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen"
    ).split()
    tens = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
    if number < 20:
        return small[number]
    if number < 100:
        return tens[number // 10] + (f"-{small[number % 10]}" if number % 10 else "")
    for scale, word in ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            head, rest = divmod(number, scale)
            return f"{in_english(head)} {word}" + (f" and {in_english(rest)}" if rest else "")
    raise AssertionError(number)


@given(st.integers(0, 10**13 - 1))
def test_chinese_numerals_have_their_value(number: int) -> None:
    assert chinese_value(in_chinese(number)) == number


@given(st.integers(0, 10**12 - 1))
def test_english_numerals_have_their_value(number: int) -> None:
    assert english_value(in_english(number)) == number


@given(st.integers(0, 9999))
def test_rows_of_chinese_digits_have_their_value(number: int) -> None:
    assert chinese_value("".join(ONES[int(digit)] for digit in str(number))) == number


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("一万二", 12_000),
        ("三百二", 320),
        ("两千零五", 2005),
        ("十", 10),
        ("二〇二四", 2024),
        ("三点一四", Fraction(314, 100)),
    ],
)
def test_spoken_chinese_numerals(written: str, value: Fraction) -> None:
    assert chinese_value(written) == value


@pytest.mark.parametrize("written", ["", "人", "三人", "点五", "三点", "一" * 50])
def test_what_is_no_chinese_numeral_has_no_value(written: str) -> None:
    assert chinese_value(written) is None


def test_parts() -> None:
    assert english_value("one and a half") == Fraction(3, 2)
    assert english_value("three quarters") == Fraction(3, 4)
    assert english_value("half a million") == 500_000
    assert english_value("two apples") is None
    assert digits_value("1/2") == digits_value("½") == Fraction(1, 2)
    assert digits_value("1/0") is None


@pytest.mark.spec("SAFE-07")
def test_numbers_that_nobody_reckons_with_are_none() -> None:
    assert english_value("hundred " * 200) is None
    assert digits_value("1e99999999") is None
    assert english_value("nine hundred ninety-nine trillion nine hundred and ninety-nine") == 999 * 10**12 + 999


@pytest.mark.spec("SAFE-07")
@given(st.text("0123456789.,/½+-e_ 零一二三四五六七八九十百千万亿点", max_size=80))
def test_whatever_is_written_has_a_value_that_can_be_reckoned_with_or_none(written: str) -> None:
    for value in (digits_value(written), english_value(written), chinese_value(written)):
        assert value is None or abs(float(value)) < 1e100

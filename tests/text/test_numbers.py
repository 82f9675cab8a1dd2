import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.numbers import measures, quantities, units


def found(text: str) -> list[tuple[str, float, str]]:
    return [(one.text, round(one.value, 6), one.unit) for one in quantities(text)]


@given(st.text(st.characters() | st.sampled_from("0123456789.,-/%$万亿千百十一二三半点个kg ")))
def test_quantities_stand_where_they_say_and_never_overlap(text: str) -> None:
    items = quantities(text)
    assert all(text[one.start : one.end] == one.text for one in items)
    assert all(before.end <= after.start for before, after in pairwise(items))
    assert all(math.isfinite(one.value) and math.isfinite(one.base_value) for one in items)


@given(st.integers(0, 10**12), st.sampled_from(["", ",", "w"]))
def test_digits_have_their_value(number: int, style: str) -> None:
    written = f"{number:,}" if style == "," else f"{number}"
    assert [one.value for one in quantities(f"it has {written} in it")] == [number]


@given(st.decimals(0, 10**6, places=2), st.sampled_from(sorted(units())))
def test_a_number_with_a_unit_comes_to_the_base_unit(number: float, name: str) -> None:
    unit = units()[name]
    (quantity,) = quantities(f"{number} {name}")[:1]
    assert quantity.value == pytest.approx(float(number))
    assert quantity.dimension == unit.dimension
    if unit.name != "°F":
        assert quantity.base_value == pytest.approx(float(number) * unit.factor)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("三百二十", [("三百二十", 320, "")]),
        ("1.2万元", [("1.2万元", 12_000, "CNY")]),
        ("50K followers", [("50K", 50_000, "follower")]),
        ("3.5 kg", [("3.5 kg", 3.5, "kg")]),
        ("$1,200 or €20", [("$1,200", 1200, "USD"), ("€20", 20, "EUR")]),
        ("25% off", [("25%", 25, "%")]),
        ("twenty-five people", [("twenty-five", 25, "people")]),
        ("half an hour", [("half an hour", 0.5, "h")]),
        ("one and a half hours", [("one and a half hours", 1.5, "h")]),
        ("two hundred and five pages", [("two hundred and five", 205, "page")]),
        ("1.5 billion dollars", [("1.5 billion dollars", 1.5e9, "USD")]),
        ("3½ lbs, -5°C", [("3½ lbs", 3.5, "lb"), ("-5°C", -5, "°C")]),
        ("5-10 km", [("5", 5, "km"), ("10 km", 10, "km")]),
        ("a 3-hour flight", [("3-hour", 3, "h")]),
        ("the third time, 21st", [("third", 3, ""), ("21st", 21, "")]),
        ("两个半小时", [("两个半小时", 2.5, "h")]),
        ("身高一米八", [("一米八", 1.8, "m")]),
        ("百分之二十五，三分之二", [("百分之二十五", 25, "%"), ("三分之二", round(2 / 3, 6), "")]),
        ("规模是二千人", [("二千人", 2000, "人")]),
        ("一亿两千万", [("一亿两千万", 120_000_000, "")]),
        ("一万二", [("一万二", 12_000, "")]),
        ("三点五公斤", [("三点五公斤", 3.5, "kg")]),
        ("大约两百多块", [("两百多块", 200, "CNY")]),
        ("第三次", [("第三", 3, "")]),
        ("其中三成由地方承担，两成半归总部", [("三成", 30, "%"), ("两成半", 25, "%")]),
        ("我家有三只猫和5条狗", [("三只", 3, "只"), ("5条", 5, "条")]),
    ],
)
def test_numbers_are_read_with_their_units(text: str, expected: list[tuple[str, float, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "一起去吃饭，一定要来，一些人，一点也不，十分好，千万不要，一成不变",
        "2023-05-08 07:47, v2.0.1, GPT-4, A320, 星岚Note35, http://x.y/12, a1@b2.com",
        "2024年3月5日下午3点",
        "one of them, no one",
    ],
)
def test_what_is_no_quantity_is_left_out(text: str) -> None:
    assert found(text) == []


def test_equal_amounts_in_different_units_meet_in_the_base_unit() -> None:
    (kilos, grams, jin) = quantities("2 kg, 2000 克, 四斤")
    assert kilos.base_value == grams.base_value == jin.base_value
    assert kilos.base_unit == grams.base_unit == jin.base_unit == "g"
    (hot, cold) = quantities("212°F 0 ℃")
    assert (hot.base_value, cold.base_value) == (100, 0)


@pytest.mark.parametrize("evil", ["1", "一", "1,111", "one ", "a", "1-", "a@", "万", "半", "$-", "½"])
def test_no_text_takes_more_than_its_share_of_time(evil: str) -> None:
    quantities(evil * 10_000)


@given(st.sampled_from(sorted(units())), st.lists(st.booleans(), min_size=12, max_size=12))
def test_a_unit_is_read_in_whatever_case_it_is_written(name: str, upper: list[bool]) -> None:
    cased = "".join(sign.upper() if up else sign.lower() for sign, up in zip(name, upper, strict=False))
    written = cased + name[len(upper) :]
    (quantity,) = quantities(f"18 {written}")[:1]
    assert quantity.value == 18
    if not name.isalpha() or name.islower():
        assert quantity.dimension == units()[name].dimension


@pytest.mark.parametrize(
    ("text", "unit"),
    [("18 °c", "°C"), ("64 °f", "°F"), ("90 KM/H", "km/h"), ("5 μm", "µm"), ("5 mſ", ""), ("5 mİn", "")],
)
def test_signs_that_a_pattern_takes_for_the_same_are_read_or_passed_over(text: str, unit: str) -> None:
    assert [one.unit for one in quantities(text)] == [unit]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("库温是-18℃", [-18]), ("库温-18℃", [-18]), ("零下五度", [-5]), ("零下18℃", [-18]), ("零下摄氏五度", [-5]),
        ("minus 18 °C", [-18]), ("利润为-200万元", [-2_000_000]), ("零下十度到零上五度", [-10, 5]),
        ("10-20", [10, 20]), ("2024-05-01", []), ("A-18", []), ("图-160", [160]), ("2019年-2021年", []),
        ("10℃-20℃", [10, 20]), ("68°F-70°F", [68, 70]), ("10度-20度", [10, 20]), ("五-10度", [10]),
        ("10 minus 5", [10, 5]),
    ],
)  # fmt: skip
def test_a_minus_is_told_from_the_hyphen_of_ranges_and_names(text: str, values: list[float]) -> None:
    assert [one.value for one in quantities(text)] == values


def test_a_range_of_degrees_has_their_base_value() -> None:
    low, high = quantities("68°F-70°F")
    assert low.base_value == pytest.approx(20)
    assert high.base_value == pytest.approx(21.111111)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("seventy-five minutes", [4500]), ("1 hour 15 minutes", [4500]), ("one hour and fifteen minutes", [4500]),
        ("an hour and a half", [5400]), ("one hour and a half", [5400]), ("一小时十五分", [4500]),
        ("2小时30分钟", [9000]), ("1 h 15 min", [4500]), ("15 minutes and 2 hours", [900, 7200]),
        ("1 hour and 90 minutes", [3600, 5400]), ("3 days, then 2 hours", [259200, 7200]),
    ],
)  # fmt: skip
def test_what_makes_one_duration_is_measured_as_one(text: str, seconds: list[float]) -> None:
    assert [one.base_value for one in measures(text)] == seconds

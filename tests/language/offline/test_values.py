from datetime import UTC, datetime, timedelta

import pytest

from remanent.language.offline.values import Amount, When, amounts, whens

MAY = datetime(2025, 5, 1, tzinfo=UTC)


def amount(text: str) -> Amount:
    (found,) = amounts(text)
    return found


def when(text: str, said_at: datetime | None = MAY) -> When:
    (found,) = whens(text, said_at)
    return found


def agree(one: Amount | When, other: Amount | When) -> bool:
    return one.comparable(other) and one.agrees(other)  # type: ignore[arg-type]


def differ(one: Amount | When, other: Amount | When) -> bool:
    return one.comparable(other) and not one.agrees(other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2 kg", "2000 grams"),
        ("1.5 hours", "90 minutes"),
        ("about 10 minutes", "11 minutes"),
        ("at least 90 euros", "120 euros"),
        ("at most 90 euros", "70 euros"),
        ("三千五百元", "3500元"),
        ("30层左右", "31层"),
        ("1.2万", "12000"),
    ],
)
def test_amounts_that_may_mean_the_same_agree(one: str, other: str) -> None:
    assert agree(amount(one), amount(other))
    assert not differ(amount(one), amount(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2 kg", "3 kg"),
        ("about 10 minutes", "20 minutes"),
        ("at least 90 euros", "70 euros"),
        ("within 2 hours", "within 24 hours"),
        ("5个孩子", "3个孩子"),
        ("$40", "$55"),
    ],
)
def test_amounts_of_one_sort_that_cannot_mean_the_same_differ(one: str, other: str) -> None:
    assert differ(amount(one), amount(other))
    assert not agree(amount(one), amount(other))


@pytest.mark.parametrize(("one", "other"), [("3 dogs", "2 cats"), ("5 kg", "5 hours"), ("$40", "€55")])
def test_amounts_of_different_sorts_neither_agree_nor_differ(one: str, other: str) -> None:
    assert not agree(amount(one), amount(other))
    assert not differ(amount(one), amount(other))


def test_people_are_people_whatever_they_are_called() -> None:
    assert differ(amount("12 members"), amount("20 people"))


def test_a_rounded_amount_is_the_same_and_one_as_exact_is_not() -> None:
    assert agree(amount("20.4%"), amount("20%"))
    assert differ(amount("20.4%"), amount("20.6%"))


def test_two_bounds_of_one_sort_are_the_same_when_they_are_equal() -> None:
    assert differ(amount("more than 150 euros"), amount("more than 113 euros"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on 3 May", "on May 3rd"),
        ("at 6 pm", "at 18:00"),
        ("on Friday", "every Friday"),
        ("in May", "on 12 May"),
        ("in June 2025", "on 6 June"),
        ("早上七点", "7:00"),
        ("5月8日", "五月八号"),
    ],
)
def test_times_that_may_be_the_same_agree(one: str, other: str) -> None:
    assert agree(when(one), when(other, MAY + timedelta(days=19)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on 3 May", "on 9 May"),
        ("at 6 pm", "at 9 pm"),
        ("at six", "at nine"),
        ("on Friday", "on Monday"),
        ("in June 2025", "in June 2026"),
        ("早上七点", "晚上九点"),
        ("星期二", "星期四"),
    ],
)
def test_times_of_one_form_that_are_not_the_same_differ(one: str, other: str) -> None:
    assert differ(when(one), when(other, MAY + timedelta(days=19)))


def test_a_clock_and_a_date_are_not_compared() -> None:
    assert not differ(when("at 9:30"), when("on 3 May"))
    assert not agree(when("at 9:30"), when("on 3 May"))


def test_yesterday_is_another_day_when_it_is_said_later() -> None:
    assert differ(when("yesterday"), when("yesterday", MAY + timedelta(days=19)))
    assert agree(when("yesterday"), when("on 30 April 2025"))


def test_of_what_was_put_off_the_later_day_counts() -> None:
    (moved,) = whens("The talk was moved from 3 May to 9 May.", MAY, changed=True)
    assert agree(moved, when("on 9 May"))
    assert differ(moved, when("on 3 May"))


def test_two_ranges_are_the_same_when_both_ends_are() -> None:
    assert differ(when("from 1981 to 1989"), when("from 1975 to 1989"))
    assert agree(when("from 1981 to 1989"), when("1985"))

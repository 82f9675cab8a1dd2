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
    assert amount(one).agrees(amount(other))
    assert not amount(one).differs(amount(other))


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
    assert amount(one).differs(amount(other))
    assert not amount(one).agrees(amount(other))


@pytest.mark.parametrize(("one", "other"), [("3 dogs", "2 cats"), ("5 kg", "5 hours"), ("$40", "€55")])
def test_amounts_of_different_sorts_neither_agree_nor_differ(one: str, other: str) -> None:
    assert not amount(one).agrees(amount(other))
    assert not amount(one).differs(amount(other))


def test_what_is_counted_may_be_left_aside() -> None:
    assert amount("12 members").differs(amount("20 people"), loosely=True)
    assert amount("nine years").differs(amount("seven"), loosely=True)


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
    assert when(one).agrees(when(other, MAY + timedelta(days=19)))


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
    assert when(one).differs(when(other, MAY + timedelta(days=19)))


def test_a_clock_and_a_date_are_not_compared() -> None:
    assert not when("at 9:30").differs(when("on 3 May"))
    assert not when("at 9:30").agrees(when("on 3 May"))


def test_yesterday_is_another_day_when_it_is_said_later() -> None:
    assert when("yesterday").differs(when("yesterday", MAY + timedelta(days=19)))
    assert when("yesterday").agrees(when("on 30 April 2025"))


def test_from_one_day_to_another_is_two_days_where_something_was_put_off() -> None:
    assert len(whens("The talk was moved from 3 May to 9 May.", MAY, apart=True)) == 2
    assert len(whens("会议从5月3日改到5月9日。", MAY, apart=True)) == 2

"""Dates behind words that had a meaning only on the day they were said."""

from datetime import UTC, datetime

import pytest

from remanent.text.dated import with_certain_days, with_dates

SUNDAY = datetime(2024, 5, 12, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "dated"),
    [
        ("I moved yesterday.", "I moved yesterday (2024-05-11)."),
        ("我昨天搬家了。", "我昨天（2024-05-11）搬家了。"),
        ("I moved yesterday (2024-05-11).", "I moved yesterday (2024-05-11)."),
        ("我昨天（2024-05-11）搬家了。", "我昨天（2024-05-11）搬家了。"),
        ("I swim on Friday.", "I swim on Friday."),
    ],
)
def test_what_is_kept_has_the_date_of_certain_days_once(said: str, dated: str) -> None:
    assert with_certain_days(said, SUNDAY) == dated


def test_what_is_shown_has_every_date_once() -> None:
    assert with_dates("I moved yesterday.", SUNDAY) == "I moved yesterday [2024-05-11]."
    assert with_dates("I moved yesterday (2024-05-11).", SUNDAY) == "I moved yesterday (2024-05-11)."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Friday mornings, ten to twelve.", "Friday mornings, ten to twelve."),
        ("I always swim on Friday evening.", "I always swim on Friday evening."),
        ("周五晚上我固定上古琴课。", "周五晚上我固定上古琴课。"),
        ("我们周六都去爬山。", "我们周六都去爬山。"),
        ("周五我们都去了。", "周五[2024-05-10]我们都去了。"),
        ("I always swim, but not last Friday.", "I always swim, but not last Friday [2024-05-10]."),
        ("We met last Sunday morning.", "We met last Sunday morning [2024-05-05]."),
        ("周会改到下周五上午十点。", "周会改到下周五上午十点[2024-05-17]。"),
        ("明天下午三点开会。", "明天下午三点[2024-05-13]开会。"),
    ],
)
def test_dates_stand_behind_whole_times_and_not_behind_habits(said: str, shown: str) -> None:
    assert with_dates(said, SUNDAY) == shown

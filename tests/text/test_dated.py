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

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.model import Entry, Scope, from_millis, system_clock, to_instant, to_millis
from remanent.model.clock import read_moment, to_text
from tests.model.strategies import instants, moments_of_any_zone


def test_the_system_clock_is_in_utc_and_shows_whole_milliseconds() -> None:
    now = system_clock()
    assert now.tzinfo is UTC
    assert now.microsecond % 1000 == 0


@given(instants)
def test_milliseconds_and_back_is_the_same_instant(instant: datetime) -> None:
    assert from_millis(to_millis(instant)) == instant


@given(st.integers(-(2**45), 2**47))
def test_an_instant_and_back_is_the_same_number_of_milliseconds(millis: int) -> None:
    assert to_millis(from_millis(millis)) == millis


@given(moments_of_any_zone)
def test_a_moment_of_any_zone_is_cut_to_the_millisecond_before(moment: datetime) -> None:
    instant = to_instant(moment)
    aware = moment.astimezone() if moment.tzinfo is None else moment
    assert instant.tzinfo is UTC
    assert timedelta() <= aware.astimezone(UTC) - instant < timedelta(milliseconds=1)
    assert to_instant(instant) == instant


@given(instants)
def test_the_text_of_an_instant_reads_back_and_sorts_by_time(instant: datetime) -> None:
    text = to_text(instant)
    assert len(text) == 24
    assert datetime.fromisoformat(text) == instant
    assert (text < to_text(datetime(2025, 3, 1, tzinfo=UTC))) == (instant < datetime(2025, 3, 1, tzinfo=UTC))


def test_microseconds_are_cut_not_rounded() -> None:
    assert to_instant(datetime(2025, 3, 1, 0, 0, 0, 999_999, tzinfo=UTC)).microsecond == 999_000


EAST, WEST = timezone(timedelta(hours=5)), timezone(-timedelta(hours=5))


@pytest.mark.parametrize("moment", [datetime(1, 1, 1, tzinfo=EAST), datetime(9999, 12, 31, 23, tzinfo=WEST)])
def test_a_moment_that_utc_cannot_name_is_refused_with_our_own_error(moment: datetime) -> None:
    scope = Scope(org="acme", workspace="lab", agent="ada")
    with pytest.raises(InvalidInput, match="outside the years 1 to 9999"):
        Entry(id="e", scope=scope, text="x", occurred_at=moment, recorded_at=datetime(2025, 3, 1, tzinfo=UTC))


@pytest.mark.spec("USE-05")
@pytest.mark.usefixtures("eight_hours_east")
@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 5, 31, 18, 30),  # noqa: DTZ001 - what has no zone is what this is about
        datetime(2026, 5, 31, 10, 30, tzinfo=UTC),
        datetime(2026, 5, 31, 15, 30, tzinfo=EAST),
        "2026-05-31T18:30:00",
        "2026-05-31 18:30",
        "2026-05-31T10:30:00Z",
        "2026-05-31T18:30:00+08:00",
    ],
    ids=str,
)
def test_every_way_to_write_a_moment_means_the_same(moment: Any) -> None:
    meant = datetime(2026, 5, 31, 10, 30, tzinfo=UTC)
    assert read_moment(moment) == meant
    scope = Scope(org="acme", workspace="lab", agent="ada")
    assert Entry(id="e", scope=scope, text="x", occurred_at=moment, recorded_at=moment).occurred_at == meant


@pytest.mark.usefixtures("eight_hours_east")
def test_a_day_is_its_beginning_where_it_is_asked() -> None:
    for day in (date(2026, 5, 31), "2026-05-31"):
        assert read_moment(day) == datetime(2026, 5, 30, 16, tzinfo=UTC)


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize("moment", ["yesterday", "", "31.5.2026", 1_700_000_000, None, b"2026-05-31"], ids=str)
def test_what_is_no_moment_is_refused_with_how_to_write_one(moment: Any) -> None:
    with pytest.raises(InvalidInput, match="2026-05-31"):
        read_moment(moment)

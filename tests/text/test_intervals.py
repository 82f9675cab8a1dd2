from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from remanent.text import calendar
from remanent.text.calendar import Interval

days = st.dates(date(1000, 1, 1), date(2900, 1, 1))


@given(days)
def test_every_stretch_around_a_day_holds_it(day: date) -> None:
    moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    quarter = calendar.quarter(day.year, (day.month + 2) // 3)
    half = calendar.half(day.year, 1 if day.month < 7 else 2)
    around = [calendar.day(day), calendar.week(day), calendar.month(day.year, day.month), quarter, half]
    around += [
        calendar.year(day.year),
        calendar.decade(day.year // 10 * 10),
        calendar.century((day.year + 99) // 100),
    ]
    assert all(moment in one for one in around)
    assert all(one.finish not in one for one in around)


@given(st.integers(1000, 2900))
def test_the_parts_of_a_year_make_the_year(year: int) -> None:
    for parts in (
        [calendar.month(year, number) for number in range(1, 13)],
        [calendar.quarter(year, number) for number in range(1, 5)],
        [calendar.half(year, number) for number in (1, 2)],
        [calendar.part_of_year(year, part) for part in ("early", "mid", "late")],
    ):
        assert parts[0].to(parts[-1]) == Interval(calendar.year(year).begin, calendar.year(year).finish, "range")
        assert all(before.finish == after.begin for before, after in pairwise(parts))


@given(days)
def test_the_parts_of_a_month_make_the_month(day: date) -> None:
    early, mid, late = (calendar.part_of_month(day.year, day.month, part) for part in ("early", "mid", "late"))
    assert early.finish == mid.begin
    assert mid.finish == late.begin
    assert early.to(late).finish == calendar.month(day.year, day.month).finish


@given(days, st.integers(0, 6))
def test_weekdays_lie_where_they_are_looked_for(day: date, weekday: int) -> None:
    before, after = calendar.weekday_before(day, weekday), calendar.weekday_after(day, weekday)
    assert before.weekday() == after.weekday() == weekday
    assert day - timedelta(days=7) <= before < day < after <= day + timedelta(days=7)
    assert calendar.weekday_in_week(day, weekday).isocalendar()[:2] == day.isocalendar()[:2]


@given(st.integers(1000, 2900), st.integers(-30, 30))
def test_months_beyond_the_year_run_on(year: int, number: int) -> None:
    first = calendar.first_of(year, number)
    assert (first.year - year) * 12 + first.month == number

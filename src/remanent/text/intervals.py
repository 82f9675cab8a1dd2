"""The calendar as half-open intervals: days, weeks, months, seasons and years, their parts, those near a moment.

Half-open, so that neighbours neither overlap nor leave a gap. It reckons with what a clock on the wall shows, written
as UTC because that has no summer time; `dates` turns it into moments.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from remanent.values import dataclass

Granularity = Literal[
    "second", "minute", "hour", "part", "day", "weekend", "week", "month", "quarter", "season", "half", "year",
    "decade", "century", "range",
]  # fmt: skip
Season = Literal["spring", "summer", "autumn", "winter"]
DayPart = Literal["dawn", "morning", "noon", "afternoon", "evening", "night"]

_SEASON_STARTS: dict[Season, int] = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
# From hour to hour; a night ends on the next morning.
PART_HOURS: dict[DayPart, tuple[int, int]] = {
    "dawn": (0, 6), "morning": (6, 12), "noon": (11, 13), "afternoon": (12, 18), "evening": (18, 22), "night": (18, 30),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Interval:
    """From a moment on, up to another that no longer belongs to it; both as a clock on the wall shows them."""

    begin: datetime
    finish: datetime
    granularity: Granularity

    def __contains__(self, moment: datetime) -> bool:
        return self.begin <= moment < self.finish

    def to(self, other: "Interval") -> "Interval":
        """Return the stretch from the beginning of this one to the end of the other."""
        return Interval(self.begin, max(self.finish, other.finish), "range")


def midnight(day: date) -> datetime:
    """Return the moment at which a day begins."""
    return datetime.combine(day, time(), UTC)


def days(first: date, count: int, granularity: Granularity) -> Interval:
    """Return so many days from the first on."""
    return Interval(midnight(first), midnight(first + timedelta(days=count)), granularity)


def day(moment: date) -> Interval:
    """Return one day."""
    return days(moment, 1, "day")


def week(within: date) -> Interval:
    """Return the week from Monday to Sunday that a day lies in."""
    return days(within - timedelta(days=within.weekday()), 7, "week")


def weekend(within: date) -> Interval:
    """Return Saturday and Sunday of the week that a day lies in."""
    return days(within - timedelta(days=within.weekday()) + timedelta(days=5), 2, "weekend")


def months(year: int, month: int, count: int, granularity: Granularity) -> Interval:
    """Return so many months from this one on; month 13 is January of the next year."""
    return Interval(midnight(first_of(year, month)), midnight(first_of(year, month + count)), granularity)


def month(year: int, number: int) -> Interval:
    """Return one month; month 0 is December of the year before."""
    return months(year, number, 1, "month")


def quarter(year: int, number: int) -> Interval:
    """Return a quarter of a year; quarter 0 is the last one of the year before."""
    return months(year, 3 * number - 2, 3, "quarter")


def half(year: int, number: int) -> Interval:
    """Return the first or the second half of a year."""
    return months(year, 6 * number - 5, 6, "half")


def season(year: int, name: Season) -> Interval:
    """Return a season as the north has it; the winter of a year begins in its December."""
    return months(year, _SEASON_STARTS[name], 3, "season")


def year(number: int) -> Interval:
    """Return one year."""
    return months(number, 1, 12, "year")


def decade(first: int) -> Interval:
    """Return ten years from the first on."""
    return months(first, 1, 120, "decade")


def century(number: int) -> Interval:
    """Return the so-manieth century: the 19th begins in 1801."""
    return months(100 * number - 99, 1, 1200, "century")


def hour(moment: datetime) -> Interval:
    """Return the hour that a moment lies in."""
    begin = moment.replace(minute=0, second=0, microsecond=0)
    return Interval(begin, begin + timedelta(hours=1), "hour")


def minute(moment: datetime) -> Interval:
    """Return the minute that a moment lies in."""
    begin = moment.replace(second=0, microsecond=0)
    return Interval(begin, begin + timedelta(minutes=1), "minute")


def part_of_day(within: date, part: DayPart) -> Interval:
    """Return the morning, the afternoon … of a day; its night reaches into the next day."""
    first, last = PART_HOURS[part]
    start = midnight(within)
    return Interval(start + timedelta(hours=first), start + timedelta(hours=last), "part")


def part_of_month(year: int, number: int, part: Literal["early", "mid", "late"]) -> Interval:
    """Return the first ten days of a month, the second ten, or the rest."""
    whole = month(year, number)
    tenth, twentieth = whole.begin + timedelta(days=10), whole.begin + timedelta(days=20)
    begin, finish = {"early": (whole.begin, tenth), "mid": (tenth, twentieth), "late": (twentieth, whole.finish)}[part]
    return Interval(begin, finish, "range")


def part_of_year(number: int, part: Literal["early", "mid", "late"]) -> Interval:
    """Return the first four months of a year, the second four, or the last four."""
    return months(number, {"early": 1, "mid": 5, "late": 9}[part], 4, "range")


def first_of(year: int, month: int) -> date:
    """Return the first day of a month whose number may lie outside of 1 to 12."""
    years, index = divmod(month - 1, 12)
    return date(year + years, index + 1, 1)


def weekday_before(day: date, weekday: int) -> date:
    """Return the last such weekday (0 is Monday) strictly before a day."""
    return day - timedelta(days=(day.weekday() - weekday - 1) % 7 + 1)


def weekday_after(day: date, weekday: int) -> date:
    """Return the first such weekday strictly after a day."""
    return day + timedelta(days=(weekday - day.weekday() - 1) % 7 + 1)


def weekday_in_week(day: date, weekday: int) -> date:
    """Return such a weekday of the week, Monday to Sunday, that a day lies in."""
    return day + timedelta(days=weekday - day.weekday())


# ── near a moment ────────────────────────────────────────────────────────────


def unit_near(unit: str, shift: int, today: date) -> Interval:
    """Return the week, month, year … so many units away from the one that a day lies in."""
    if unit == "week":
        return week(today + timedelta(weeks=shift))
    if unit == "weekend":
        return weekend(today + timedelta(weeks=shift))
    if unit == "month":
        return month(today.year, today.month + shift)
    if unit == "quarter":
        return quarter(today.year, (today.month - 1) // 3 + 1 + shift)
    if unit == "decade":
        return decade((today.year // 10 + shift) * 10)
    return year(today.year + shift)


def unit_at_distance(amount: float, unit: str, now: datetime) -> Interval:
    """Return the day, week, month … that lies so far from now; the unit is the width of the answer.

    "Two weeks ago" is a week and not a second: whoever says it does not mean more.
    """
    if unit in {"second", "sec", "minute", "min"}:
        return minute(now + timedelta(seconds=amount * (1 if unit.startswith("sec") else 60)))
    if unit in {"hour", "hr"}:
        moment = now + timedelta(hours=amount)
        return hour(moment) if amount == round(amount) else minute(moment)
    today = now.date()
    if unit in {"day", "night"}:
        return day(today + timedelta(days=round(amount)))
    if unit == "fortnight":
        return week(today + timedelta(weeks=round(2 * amount)))
    if unit == "year" and abs(amount) == 0.5:  # half a year ago is a month, not a year
        return unit_near("month", round(12 * amount), today)
    return unit_near(unit, round(amount), today)


def window(amount: float, unit: str, now: datetime, *, ahead: bool) -> Interval:
    """Return the time from so many units ago up to now, or from now on; in whole days from a day up.

    In whole days from a day up: who asks for the last three days means days, not 72 hours.
    """
    direction = 1 if ahead else -1
    if unit in {"second", "sec", "minute", "min", "hour", "hr"}:
        seconds = amount * {"s": 1, "m": 60, "h": 3600}[unit[0]]
        far_moment = now + direction * timedelta(seconds=seconds)
        return Interval(min(now, far_moment), max(now, far_moment), "range")
    today = now.date()
    width_days = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14}.get(unit)
    if width_days:
        far = today + timedelta(days=direction * round(amount * width_days))
    else:
        count = direction * round(amount * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit])
        start = first_of(today.year, today.month + count)
        last = first_of(start.year, start.month + 1) - timedelta(days=1)
        far = start.replace(day=min(today.day, last.day))  # a month before the 31st of March is the 28th
    return Interval(midnight(min(far, today)), midnight(max(far, today)) + timedelta(days=1), "range")


def season_near(name: Season, lead: str, now: datetime, *, ahead: bool) -> Interval:
    """Return the season that "last", "this" or "next" leads to; without such a word, the nearest behind or ahead."""
    near = [season(now.year + shift, name) for shift in (-2, -1, 0, 1)]
    if lead in {"last", "this past"}:
        return next(one for one in reversed(near) if one.finish <= now)
    if lead in {"next", "this coming"}:
        return next(one for one in near if one.begin > now)
    if lead == "this":
        return near[2]
    if ahead:
        return next(one for one in near if one.finish > now)
    return next(one for one in reversed(near) if one.begin <= now)

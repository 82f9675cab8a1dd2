"""Dates and times in digits, which read alike in every language: 2023-05-08, 5/8/2023, 07:47, 1:56 pm."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

from remanent.text.date_rules import Clock, Meaning, RuleBook, View
from remanent.text.intervals import Interval, day, month

NUMERIC = RuleBook()

_ZONE = r"(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"


@NUMERIC.rule(
    r"(?<![\w/.-])(?P<year>[12]\d{3})(?P<bar>[-/.])(?P<month>\d{1,2})(?P=bar)(?P<day>\d{1,2})"
    rf"(?:T(?P<hour>\d{{2}}):(?P<minute>\d{{2}})(?::(?P<second>\d{{2}})(?:\.\d+)?)?{_ZONE})?(?![\d/-])"
)
def _year_first(match: re.Match[str], view: View) -> Meaning:
    """2023-05-08, 2023/05/20, 2023-05-08T07:47:00Z."""
    if match["hour"] is None:
        return Meaning(day(date(int(match["year"]), int(match["month"]), int(match["day"]))))
    year, number, day_number = int(match["year"]), int(match["month"]), int(match["day"])
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    begin = datetime(year, number, day_number, hour, minute, second, tzinfo=_zone(match["zone"])).astimezone(UTC)
    exact = match["second"] is not None
    length = timedelta(seconds=1) if exact else timedelta(minutes=1)
    return Meaning(Interval(begin, begin + length, "second" if exact else "minute"))


@NUMERIC.rule(
    r"(?<![\w/.-])(?P<first>\d{1,2})(?P<bar>[-/.])(?P<second>\d{1,2})(?P=bar)(?P<year>(?:19|20)\d\d)(?![\d/-])"
)
def _year_last(match: re.Match[str], view: View) -> Meaning:
    """5/8/2023 is May as in America, 8.5.2023 is May as in Europe; a number over 12 settles it."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    day_first = match["bar"] == "." or first > 12
    month_number, day_number = (second, first) if day_first and second <= 12 else (first, second)
    return Meaning(day(date(year, month_number, day_number)))


@NUMERIC.rule(r"(?<![\w/.-])(?P<year>(?:19|20)\d\d)[-/](?P<month>0[1-9]|1[0-2])(?![\d/-])")
def _year_month(match: re.Match[str], view: View) -> Meaning:
    """2023-05."""
    return Meaning(month(int(match["year"]), int(match["month"])))


@NUMERIC.rule(
    r"(?<![\w:.])(?P<hour>\d{1,2})[:：](?P<minute>[0-5]\d)(?:[:：](?P<second>[0-5]\d))?(?![\d:])"
    rf"(?:\s?(?P<half>[ap])\.?m\b\.?)?\s?{_ZONE}"
)
def _clock(match: re.Match[str], view: View) -> Meaning | None:
    """07:47, 13:56:20, 1:56 pm."""
    exact = match["second"] is not None
    return clock_time(
        int(match["hour"]), int(match["minute"]), match["half"], seconds=int(match["second"] or 0) if exact else None
    )


@NUMERIC.rule(r"(?<![\w:.])(?P<hour>\d{1,2})\s?(?P<half>[ap])\.?m\b\.?")
def _hour(match: re.Match[str], view: View) -> Meaning | None:
    """5pm, 11 a.m."""
    return clock_time(int(match["hour"]), None, match["half"])


def clock_time(hour: int, minute: int | None, half: str | None, *, seconds: int | None = None) -> Meaning | None:
    """Return a time of day; `half` is "a" or "p" as in a.m. and p.m."""
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    if hour > 24 or (hour == 24 and (minute or seconds)):
        return None
    begin = timedelta(hours=hour, minutes=minute or 0, seconds=seconds or 0)
    if seconds is not None:
        return Meaning(clock=Clock(begin, timedelta(seconds=1), "second"), relative=True)
    if minute is not None:
        return Meaning(clock=Clock(begin, timedelta(minutes=1), "minute"), relative=True)
    return Meaning(clock=Clock(begin, timedelta(hours=1), "hour"), relative=True)


def _zone(written: str | None) -> timezone:
    if written is None or written[0] not in "+-":
        return UTC
    hours, minutes = int(written[1:3]), int(written[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if written[0] == "-" else offset)

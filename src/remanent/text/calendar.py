"""The calendar as half-open intervals, and what a rule is that reads a date of a text as one.

Half-open, so that neighbours neither overlap nor leave a gap. It reckons with what a clock on the wall shows, written
as UTC because that has no summer time; `dates` turns it into moments.

A rule is a pattern and what its match means as seen from a moment. Dates in digits read alike in every language:
2023-05-08, 5/8/2023, 07:47, 1:56 pm. Each language has a book of rules of its own beside them. Rules only say what they
see; what belongs together is put together afterwards (`dates`).
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cached_property
from typing import Literal, cast

from remanent.lightweight import dataclass
from remanent.model.clock import local
from remanent.text.regex import lazy_regex

Granularity = Literal[
    "second", "minute", "hour", "part", "day", "weekend", "week", "month", "quarter", "season", "half", "year",
    "decade", "century", "range",
]  # fmt: skip
Season = Literal["spring", "summer", "autumn", "winter"]
DayPart = Literal["dawn", "morning", "noon", "afternoon", "evening", "night"]

MONTHS = tuple("january february march april may june july august september october november december".split())
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())
ANY_MONTH, ANY_WEEKDAY = "|".join(MONTHS), "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
"""Forms of either, for the patterns of others."""
_SEASON_STARTS: dict[Season, int] = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
# From hour to hour; a night ends on the next morning.
_PART_HOURS: dict[DayPart, tuple[int, int]] = {
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


def days_of_month(year: int, month: int, first: int, last: int) -> Interval | None:
    """Return a day of a month, or the days up to another; nothing where that one comes before it."""
    begin, finish = day(date(year, month, first)), day(date(year, month, last))
    return begin if first == last else begin.to(finish) if first < last else None


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
    first, last = _PART_HOURS[part]
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
    if unit == "month" and abs(amount) == 0.5:
        return week(today + timedelta(days=round(30 * amount)))
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


# ── rules for dates ──────────────────────────────────────────────────────────

# How much of the text around a date is looked at to tell whether it lies ahead.
_AROUND = 60
_AHEAD = re.compile(
    r"\b(?:will|shall|'ll|going to|gonna|plan|plans|planning|planned|upcoming|schedule|scheduled|due|deadline|let's|"
    r"remind|looking forward|about to|hope to|want to|agreed to|booked|until|by)\b|\b(?:have|has|['’]ve got)(?: got)? "
    r"(?:an?|my|the|our) (?:[\w'’-]+ ){0,3}?(?:appointment|interview|meeting|exam|test|flight|presentation|surgery|"
    r"check-?up|call|party|wedding|date|rehearsal|match|game|race)\b|(?:周|星期|礼拜)[一二三四五六日天末](?:早上|上午|"
    r"中午|下午|晚上|之?前)?(?:我们?)?(?:还|就|也|又|都)?(?:要(?![了求么过是])|得(?![了知到过]))|将|打算|计划|准备|"
    r"即将|会在|要去|要在|想在|预定|截止|约好|约定|约了|说好",
    re.IGNORECASE,
)
_CLAUSE_END = lazy_regex("[，。！？；,.!?;\n]")
_OVER = lazy_regex(
    r"^(?!.*(?:[太最更]|真是|不过了)).*?(?:[^要快就会极多]了(?!解)|[^通超不]过(?![于来去程度敏期年生])|已经|当时)"
)
"""Of the past: 去了, 去过. Not 太好了, 快到了, 过来."""


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day that has no day of its own."""

    begin: timedelta
    length: timedelta
    granularity: Granularity

    def on(self, day: date) -> Interval:
        """Return the interval on a day."""
        begin = midnight(day) + self.begin
        return Interval(begin, begin + self.length, self.granularity)


@dataclass(frozen=True, slots=True)
class DateMeaning:
    """What a match says: an interval, or a time of day that waits for one."""

    interval: Interval | None = None
    clock: TimeOfDay | None = None
    relative: bool = False
    """Whether the interval depends on the moment from which it is seen."""
    weekday: bool = False
    """Whether only a weekday was named: beside a full date it adds nothing."""
    within: Literal["week", "year"] | None = None
    """Of which stretch it is only said a part, without which one is meant: Friday of some week, May of some year."""
    waits: bool = False
    """Whether it says nothing alone: "in the morning" needs a day beside it."""


def day_or_part(on: date, part: str | None) -> DateMeaning:
    """Return what a day seen from the moment means, or the part of it that is named."""
    named = cast("DayPart", part.lower()) if part else None
    return DateMeaning(part_of_day(on, named) if named else day(on), relative=True)


def waiting_part(part: DayPart) -> DateMeaning:
    """Return what a part of the day means that belongs to whatever day stands beside it."""
    first, last = _PART_HOURS[part]
    return DateMeaning(
        clock=TimeOfDay(timedelta(hours=first), timedelta(hours=last - first), "part"), relative=True, waits=True
    )


def speaks_of_future(text: str, start: int, end: int) -> bool:
    """Tell whether the words around a place in a text speak of the future."""
    return _AHEAD.search(text, max(0, start - _AROUND), end + _AROUND // 2) is not None


def speaks_of_past(text: str, end: int) -> bool:
    """Tell whether the Chinese words that follow a place, up to the end of the clause, speak of the past."""
    clause = _CLAUSE_END.split(text[end : end + _AROUND], maxsplit=1)[0]
    return _OVER.search(clause) is not None


def _on_the_wall(moment: datetime) -> datetime:
    """Return what the clocks of this machine's zone show at a moment, written as UTC."""
    return local(moment).replace(tzinfo=UTC)


@dataclass(frozen=True)
class DateContext:
    """The text and the moment from which it is read."""

    text: str
    reference: datetime

    @cached_property
    def now(self) -> datetime:
        """The moment as a clock on the wall shows it."""
        return _on_the_wall(self.reference)

    @cached_property
    def today(self) -> date:
        """The day of the moment."""
        return self.now.date()

    @cached_property
    def lowered(self) -> str:
        """The text in lower case, to look for words in."""
        return self.text.lower()

    def is_ahead(self, match: re.Match[str]) -> bool:
        """Tell whether the words around a match speak of the future."""
        return speaks_of_future(self.text, match.start(), match.end())

    def is_over(self, match: re.Match[str]) -> bool:
        """Tell whether the Chinese words behind a match speak of the past."""
        return not self.is_ahead(match) and speaks_of_past(self.text, match.end())

    def year_of(self, month: int, day: int, match: re.Match[str]) -> int:
        """Return the year of a date without one: the nearest, the coming one when the words speak of the future."""
        this = self.today.year
        offset = (month, day) > (self.today.month, self.today.day)
        distance = (month - self.today.month) % 12
        if self.is_ahead(match):
            return this if offset or (month, day) == (self.today.month, self.today.day) else this + 1
        if not offset:
            return this
        return this if distance <= 3 else this - 1


Resolve = Callable[[re.Match[str], DateContext], DateMeaning | None]


@dataclass(frozen=True, slots=True)
class DateRule:
    """A pattern and what its matches mean; what its group `skip` takes belongs to the sentence and not to the date."""

    pattern: re.Pattern[str]
    resolve: Resolve
    words: tuple[str, ...] = ()
    """One of these, in lower case, stands in every match; without any the text is not searched at all."""


class RuleBook:
    """Rules in the order of their writing; each is compiled when the first text is read that it may match."""

    def __init__(self) -> None:
        self.rules: list[DateRule] = []

    def rule(self, *patterns: str, flags: int = re.IGNORECASE, words: str = "") -> Callable[[Resolve], Resolve]:
        """Add the function under it as the meaning of patterns; `words` are what a match cannot be without."""

        def add(resolve: Resolve) -> Resolve:
            needed = tuple(words.split())
            self.rules += (DateRule(lazy_regex(pattern, flags), resolve, needed) for pattern in patterns)
            return resolve

        return add


NUMERIC_DATES = RuleBook()

# Times without a zone are those of this machine, as everywhere.
_ZONE = r"(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"


@NUMERIC_DATES.rule(
    r"(?<![\w/.-])(?P<year>[12]\d{3})(?P<bar>[-/.])(?P<month>\d{1,2})(?P=bar)(?P<day>\d{1,2})"
    rf"(?:T(?P<hour>\d{{2}}):(?P<minute>\d{{2}})(?::(?P<second>\d{{2}})(?:\.\d+)?)?{_ZONE})?(?![\d/-])"
)
def _year_first(match: re.Match[str], view: DateContext) -> DateMeaning:
    """2023-05-08, 2023/05/20, 2023-05-08T07:47:00Z."""
    on = date(int(match["year"]), int(match["month"]), int(match["day"]))
    if match["hour"] is None:
        return DateMeaning(day(on))
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    begin = datetime.combine(on, time(hour, minute, second), UTC)
    if match["zone"] is not None:
        begin = _on_the_wall(begin.replace(tzinfo=_zone(match["zone"])))
    exact = match["second"] is not None
    length = timedelta(seconds=1) if exact else timedelta(minutes=1)
    return DateMeaning(Interval(begin, begin + length, "second" if exact else "minute"))


@NUMERIC_DATES.rule(
    r"(?<![\w/.-])(?P<first>\d{1,2})(?P<bar>[-/.])(?P<second>\d{1,2})(?P=bar)(?P<year>(?:19|20)\d\d)(?![\d/-])"
)
def _year_last(match: re.Match[str], view: DateContext) -> DateMeaning:
    """5/8/2023 is May as in America, 8.5.2023 is May as in Europe; a number over 12 settles it."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    day_first = match["bar"] == "." or first > 12
    month_number, day_number = (second, first) if day_first and second <= 12 else (first, second)
    return DateMeaning(day(date(year, month_number, day_number)))


@NUMERIC_DATES.rule(r"(?<![\w/.-])(?P<year>(?:19|20)\d\d)[-/](?P<month>0[1-9]|1[0-2])(?![\d/-])")
def _year_month(match: re.Match[str], view: DateContext) -> DateMeaning:
    """2023-05."""
    return DateMeaning(month(int(match["year"]), int(match["month"])))


@NUMERIC_DATES.rule(
    (
        r"(?<![\w:.])(?P<hour>\d{1,2})[:：](?P<minute>[0-5]\d)(?:[:：](?P<second>[0-5]\d))?(?![\d:])"
        rf"(?:\s?(?P<half>[ap])\.?m\b\.?)?\s?{_ZONE}"
    ),
    r"(?<![\w:.])(?P<hour>\d{1,2})\s?(?P<half>[ap])\.?m\b\.?",
)
def _clock(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """07:47, 13:56:20, 1:56 pm, 5pm, 11 a.m."""
    minute, second = (match.groupdict().get(name) for name in ("minute", "second"))
    return clock_time(
        int(match["hour"]), int(minute) if minute else None, match["half"], seconds=int(second) if second else None
    )


def clock_time(hour: int, minute: int | None, half: str | None, *, seconds: int | None = None) -> DateMeaning | None:
    """Return a time of day; `half` is "a" or "p" as in a.m. and p.m."""
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    if hour > 24 or (hour == 24 and (minute or seconds)):
        return None
    begin = timedelta(hours=hour, minutes=minute or 0, seconds=seconds or 0)
    finest: Granularity = "second" if seconds is not None else "minute" if minute is not None else "hour"
    return DateMeaning(clock=TimeOfDay(begin, timedelta(**{f"{finest}s": 1}), finest), relative=True)


def _zone(written: str) -> timezone:
    """Return the offset that is written; for a name, UTC."""
    if written[0] not in "+-":
        return UTC
    hours, minutes = int(written[1:3]), int(written[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if written[0] == "-" else offset)

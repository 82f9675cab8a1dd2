"""What a rule for dates is: a pattern, and what its match means as seen from a moment; and the rules for digits.

Dates in digits read alike in every language: 2023-05-08, 5/8/2023, 07:47, 1:56 pm. Each language has a book of rules
of its own beside them. Rules only say what they see; what belongs together is put together afterwards (`dates`).
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cached_property

from remanent.model.clock import local
from remanent.text.intervals import Granularity, Interval, day, midnight, month
from remanent.text.regex import lazy_regex
from remanent.values import dataclass

# How much of the text around a date is looked at to tell whether it lies ahead.
_AROUND = 60
_AHEAD = re.compile(
    r"\b(?:will|shall|'ll|going to|gonna|plan|plans|planning|planned|upcoming|schedule|scheduled|due|deadline|let's|"
    r"remind|looking forward|about to|hope to|want to|agreed to|booked|until|by)\b"
    r"|将|打算|计划|准备|即将|会在|要去|要在|想在|预定|截止|约好|约定|约了|说好",
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
    waits: bool = False
    """Whether it says nothing alone: "in the morning" needs a day beside it."""
    first: int = 0
    """How many characters at the beginning of the match belong to the sentence and not to the date."""


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
    """A pattern and what its matches mean."""

    pattern: re.Pattern[str]
    resolve: Resolve
    words: tuple[str, ...] = ()
    """One of these, in lower case, stands in every match; without any the text is not searched at all."""

    def may_match(self, view: DateContext) -> bool:
        """Tell whether it is worth while to search the text."""
        return not self.words or any(word in view.lowered for word in self.words)


class RuleBook:
    """Rules in the order of their writing; each is compiled when the first text is read that it may match."""

    def __init__(self) -> None:
        self.rules: list[DateRule] = []

    def rule(self, pattern: str, flags: int = re.IGNORECASE, *, words: str = "") -> Callable[[Resolve], Resolve]:
        """Add the function under it as the meaning of a pattern; `words` are what a match cannot be without."""

        def add(resolve: Resolve) -> Resolve:
            self.rules.append(DateRule(lazy_regex(pattern, flags), resolve, tuple(words.split())))
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
    if match["hour"] is None:
        return DateMeaning(day(date(int(match["year"]), int(match["month"]), int(match["day"]))))
    year, number, day_number = int(match["year"]), int(match["month"]), int(match["day"])
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    begin = datetime(year, number, day_number, hour, minute, second, tzinfo=UTC)
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
    r"(?<![\w:.])(?P<hour>\d{1,2})[:：](?P<minute>[0-5]\d)(?:[:：](?P<second>[0-5]\d))?(?![\d:])"
    rf"(?:\s?(?P<half>[ap])\.?m\b\.?)?\s?{_ZONE}"
)
def _clock(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """07:47, 13:56:20, 1:56 pm."""
    exact = match["second"] is not None
    return clock_time(
        int(match["hour"]), int(match["minute"]), match["half"], seconds=int(match["second"] or 0) if exact else None
    )


@NUMERIC_DATES.rule(r"(?<![\w:.])(?P<hour>\d{1,2})\s?(?P<half>[ap])\.?m\b\.?")
def _hour(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """5pm, 11 a.m."""
    return clock_time(int(match["hour"]), None, match["half"])


def clock_time(hour: int, minute: int | None, half: str | None, *, seconds: int | None = None) -> DateMeaning | None:
    """Return a time of day; `half` is "a" or "p" as in a.m. and p.m."""
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    if hour > 24 or (hour == 24 and (minute or seconds)):
        return None
    begin = timedelta(hours=hour, minutes=minute or 0, seconds=seconds or 0)
    if seconds is not None:
        return DateMeaning(clock=TimeOfDay(begin, timedelta(seconds=1), "second"), relative=True)
    if minute is not None:
        return DateMeaning(clock=TimeOfDay(begin, timedelta(minutes=1), "minute"), relative=True)
    return DateMeaning(clock=TimeOfDay(begin, timedelta(hours=1), "hour"), relative=True)


def _zone(written: str) -> timezone:
    """Return the offset that is written; for a name, UTC."""
    if written[0] not in "+-":
        return UTC
    hours, minutes = int(written[1:3]), int(written[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if written[0] == "-" else offset)

"""Amounts and times in a sentence, in a form that can be compared."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Literal

from remanent.language.offline.lexicon import LONGEST_SENTENCE
from remanent.text.dates import TimeMention, find_dates
from remanent.text.numbers import Quantity, quantities

_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|nearly|almost|some|circa|ca\.?)|~|大约|大概|约|将近|近|差不多|"
    r"接近)\s*\Z",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"(?:\b(?:at least|over|more than|no less than|above|minimum(?: of)?|exceeds?)|≥|>|至少|超过|多于|不少于|"
    r"不低于|起码|逾)\s*\Z",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"(?:\b(?:at most|(?<!went )(?<!gone )(?<!goes )(?<!grown )up to|under|less than|fewer than|no more than|below|"
    r"maximum(?: of)?|within)|≤|<|最多|至多|不超过|少于|不到|不足|低于)\s*\Z",
    re.IGNORECASE,
)
_AFTER_ABOUT = re.compile(r"\s*(?:左右|上下|or so\b|来)")
_AFTER_LEAST = re.compile(r"\s*(?:以上|or more\b|\+|多)")
_AFTER_MOST = re.compile(r"\s*(?:以下|以内|之内|or less\b)")
_NUMBER_OF = re.compile(r"\bnumber of (?:\w+ )?(?P<noun>\w+s)\b.*\b(?:is|was|to|:)\s*\Z", re.IGNORECASE)
_LOOKED_BACK = 24
# Where "the number of …" that a figure tells may begin.
_CLAUSE = 200
# What is meant by "about": a tenth more or less.
_SLACK = 0.1
_EXACT = 1e-9


_PEOPLE = frozenset("people peopl person 人 名 位 口 个".split())
_SORTS_OF_PEOPLE = frozenset(
    "member employee guest child man woman visitor worker student pupil resident inhabitant passenger spectator "
    "tourist soldier player".split()
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit, as the range of what it may mean."""

    start: int
    end: int
    shown: float
    unit: str
    dimension: str
    low: float
    high: float
    bound: Literal["", "low", "high"] = ""
    """Which end is left open: at least so much has no high end."""

    def agrees(self, other: "Amount") -> bool:
        """Tell whether both may mean the same."""
        if self._bare or other._bare:
            return abs(self.shown - other.shown) <= _EXACT and "ordinal" not in {self.dimension, other.dimension}
        return self._comparable(other) and self._overlaps(other)

    def differs(self, other: "Amount", *, loosely: bool = False) -> bool:
        """Tell whether they are of one sort and cannot mean the same; loosely, whatever it is that they count."""
        if self._bare != other._bare:
            return loosely and not self.agrees(other)
        return (self._comparable(other) or (loosely and self._counts_like(other))) and not self._overlaps(other)

    def _counts_like(self, other: "Amount") -> bool:
        """Tell whether both count people, or one does not say what it counts."""
        if {self.dimension, other.dimension} != {"count"}:
            return False
        units = {self.unit, other.unit}
        people = units <= _PEOPLE | _SORTS_OF_PEOPLE and bool(units & _PEOPLE)
        return people or bool(units & {"个", ""})

    @property
    def _limit(self) -> float:
        """The end that is not open."""
        return self.high if self.bound == "low" else self.low

    @property
    def _bare(self) -> bool:
        return self.dimension == "number"

    def _comparable(self, other: "Amount") -> bool:
        return self.dimension == other.dimension and self.unit == other.unit

    def _overlaps(self, other: "Amount") -> bool:
        if self.bound and self.bound == other.bound:
            return abs(self._limit - other._limit) <= _EXACT * max(
                1.0, abs(self._limit)
            )  # two limits are one when they are equal
        slack = _EXACT * max(1.0, abs(self._limit), abs(other._limit))
        return self.low <= other.high + slack and other.low <= self.high + slack


def amounts(text: str) -> list[Amount]:
    """Return the amounts of a sentence in order; of a very long one, of its beginning."""
    text = text[:LONGEST_SENTENCE]
    halves = [_amount(text, quantity) for match in _AND_A_HALF.finditer(text) if (quantity := _and_a_half(match))]
    plain = [_amount(text, _plainly(quantity)) for quantity in quantities(text) if not _is_article(quantity)]
    rest = [one for one in plain if not any(one.start < half.end and half.start < one.end for half in halves)]
    return sorted([*halves, *rest], key=lambda one: one.start)


_AND_A_HALF = re.compile(
    r"\b(?:an?|one|(?P<number>\w+)) (?P<unit>second|minute|hour|day|week|month|year|mile|kilo|metre|meter|litre)s? "
    r"and a half\b",
    re.IGNORECASE,
)


def _and_a_half(match: re.Match[str]) -> Quantity | None:
    """Return the amount that "two hours and a half" is."""
    found = quantities(f"{match['number'] or 1} {match['unit']}s")
    if len(found) != 1:
        return None
    whole = found[0]
    half = 0.5 * whole.base_value / whole.value if whole.value else 0.0
    return replace(
        whole,
        start=match.start(),
        end=match.end(),
        text=match[0],
        value=whole.value + 0.5,
        base_value=whole.base_value + half,
    )


_RATE = re.compile(r"(?P<number>[\d.,]+) (?:an?|per) (?:day|week|month|year|hour|minute|second)", re.IGNORECASE)


def _plainly(quantity: Quantity) -> Quantity:
    """Return how many it is in so much time, which is no time: 120,000 a year."""
    rate = _RATE.fullmatch(quantity.text)
    if rate is None or quantity.dimension != "time":
        return quantity
    (number,) = quantities(rate["number"])
    return replace(number, start=quantity.start, end=quantity.start + len(rate["number"]))


def _is_article(quantity: Quantity) -> bool:
    """Tell whether a number only says that there is one of something: 一名护士."""
    return quantity.value == 1 and quantity.dimension == "count" and quantity.text.startswith("一")


def _amount(text: str, quantity: Quantity) -> Amount:
    before, after = text[max(0, quantity.start - _LOOKED_BACK) : quantity.start], text[quantity.end :]
    clause = text[max(0, quantity.start - _CLAUSE) : quantity.start]
    low = high = quantity.base_value
    bound: Literal["", "low", "high"] = ""
    if _ABOUT.search(before) or _AFTER_ABOUT.match(after):
        low, high = low - _SLACK * abs(low), high + _SLACK * abs(high)
    elif _AT_LEAST.search(before) or _AFTER_LEAST.match(after):
        high, bound = float("inf"), "high"
    elif _AT_MOST.search(before) or _AFTER_MOST.match(after):
        low, bound = float("-inf"), "low"
    unit, dimension = quantity.base_unit, quantity.dimension
    if dimension == "number" and (counted := _NUMBER_OF.search(clause)) is not None:
        unit, dimension = counted["noun"].lower().removesuffix("s"), "count"
    if unit in {"个", "位", "名", "口"} and after.startswith("人"):
        unit = "人"
    return Amount(quantity.start, quantity.end, quantity.value, unit, dimension, low, high, bound)


class Form(StrEnum):
    """How a time is said, which decides what it can be compared with."""

    CLOCK = "clock"
    """A time of day, of whatever day."""
    WEEKDAY = "weekday"
    MONTH_DAY = "month_day"
    """A day of whatever month: 每月5号."""
    YEARLESS = "yearless"
    """A month, or a day of a month, of whatever year."""
    MOMENT = "moment"
    """A stretch of time that is fixed, by itself or by when it was said."""


@dataclass(frozen=True, slots=True)
class When:
    """A date or time of a sentence."""

    start: int
    end: int
    form: Form
    begin: datetime
    finish: datetime
    is_fine: bool
    """Whether it tells the day or the time of day, not just a month, a season or a year."""
    is_half_day: bool = False
    """Whether it may be meant of the morning or of the evening: at seven."""

    def agrees(self, other: "When") -> bool:
        """Tell whether both may mean the same time."""
        return self._comparable(other) and not self._apart(other)

    def differs(self, other: "When") -> bool:
        """Tell whether they can be compared and mean different times."""
        return self._comparable(other) and self._apart(other)

    def _comparable(self, other: "When") -> bool:
        dates = {Form.YEARLESS, Form.MOMENT}
        return self.form is other.form or {self.form, other.form} <= dates

    def _apart(self, other: "When") -> bool:
        if self.form is Form.WEEKDAY:
            return self.begin.weekday() != other.begin.weekday() or not self._same_hours(other)
        if self.form is Form.MONTH_DAY:
            return self.begin.day != other.begin.day
        if self.form is Form.CLOCK:
            turn = 12 * 60 if self.is_half_day or other.is_half_day else 24 * 60
            return (_minute(self.begin) - _minute(other.begin)) % turn != 0
        if Form.YEARLESS in {self.form, other.form}:
            return self._yearless() != other._yearless() and not self._in_year_of(other)._overlaps(other)
        return not self._overlaps(other)

    def _same_hours(self, other: "When") -> bool:
        """Tell whether the times of day have some time in common."""
        first, second = _minute(self.begin), _minute(other.begin)
        lengths = [(when.finish - when.begin) / timedelta(minutes=1) for when in (self, other)]
        return first < second + lengths[1] and second < first + lengths[0]

    def _yearless(self) -> tuple[int, int, timedelta]:
        return self.begin.month, self.begin.day, self.finish - self.begin

    def _in_year_of(self, other: "When") -> "When":
        begin = _in_year(self.begin, other.begin.year)
        return replace(self, begin=begin, finish=begin + (self.finish - self.begin))

    def _overlaps(self, other: "When") -> bool:
        return self.begin < other.finish and other.begin < self.finish


# Where nobody says when something was said, both sides are read from this day on.
_SOME_DAY = datetime(2024, 7, 3, 12, tzinfo=UTC)
_FINE = frozenset({"minute", "hour", "part", "day"})
_CLOCK = re.compile(
    r"(?:(?:at|around|by)\s+)?(?:早上|上午|中午|下午|晚上|凌晨|傍晚|清晨|夜里|"
    r"早晨)?\s*[\d一二三四五六七八九十两零〇]{1,3}\s*"
    r"(?:[:：.点时]\s*(?:[\d一二三四五六七八九十零〇]{1,3}|半|一刻|三刻|整|钟)?\s*分?)?\s*(?:[ap]\.?m\.?|"
    r"o['’]clock|noon)?"
    r"|(?:at\s+)?(?:noon|midnight)|中午|午夜|零点",
    re.IGNORECASE,
)
_HALF_KNOWN = re.compile(
    r"[ap]\.?m|noon|midnight|早|上午|中午|下午|晚|凌晨|傍晚|清晨|夜|午夜|\b(?:0\d|1[3-9]|2\d):", re.IGNORECASE
)
_WEEKDAY = re.compile(
    r"(?:on\s+)?(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|(?:每?(?:周|星期|"
    r"礼拜))[一二三四五六日天]",
    re.IGNORECASE,
)
_YEARLESS = re.compile(
    r"(?:(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"(?:\s+(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?)?|"
    r"[\d一二三四五六七八九十]{1,3}月份?(?:[\d一二三四五六七八九十]{1,3}[日号])?"
    r"|\d{1,2}/\d{1,2}|spring|summer|autumn|fall|winter|[春夏秋冬][天季]",
    re.IGNORECASE,
)


_DELAY = re.compile(
    r"(?:in\s+|after\s+)?[\d.]+\s*(?:m?s|sec\w*|min\w*)|[\d零一二三四五六七八九十百两半]+\s*(?:毫秒|秒钟?|分钟)[之以]?后"
)
_BETWEEN = re.compile(r"\s+(?:to|into|until)\s+|\s*(?:到|至|改到|推迟到|延到|提前到)\s*")


def whens(text: str, said_at: datetime | None, *, apart: bool = False) -> list[When]:
    """Return the dates and times of a sentence in order; of a very long one, of its beginning.

    Where something was put off from one day to another, the two are no stretch of time: then take them apart.
    """
    reference = said_at or _SOME_DAY
    text = text[:LONGEST_SENTENCE]
    found: list[When] = []
    for mention in find_dates(text, reference=reference):
        if _DELAY.fullmatch(mention.text.strip()):
            continue  # how long something takes is an amount
        between = _BETWEEN.search(mention.text) if apart else None
        parts = [(0, between.start()), (between.end(), len(mention.text))] if between else []
        pieces = [(start, find_dates(mention.text[start:end], reference=reference)) for start, end in parts]
        if len(pieces) == 2 and all(len(dates) == 1 for _, dates in pieces):
            found += [_when(dates[0], shift=mention.start + start) for start, dates in pieces]
        else:
            found.append(_when(mention))
    found += [*_bare_hours(text, found, reference), *_bare_days(text, found, reference), *_bare_years(text, found)]
    return sorted(found, key=lambda when: when.start)


_AT_HOUR = re.compile(
    r"\bat\s+(?P<hour>1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"(?=\s*(?:[.,;!?]|$|on\b|in the\b|every\b|each\b|and\b|instead\b|sharp\b))",
    re.IGNORECASE,
)
_HOURS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def _bare_hours(text: str, found: Sequence[When], reference: datetime) -> Iterator[When]:
    """Yield the hours that are said without any sign of it: up at six, not at 6:00."""
    for match in _AT_HOUR.finditer(text):
        start, end = match.span("hour")
        if any(start < when.end and when.start < end for when in found):
            continue
        said = match["hour"].lower()
        hour = int(said) if said.isdigit() else _HOURS.index(said)
        begin = reference.replace(hour=hour, minute=0, second=0, microsecond=0)
        yield When(start, end, Form.CLOCK, begin, begin + timedelta(hours=1), is_fine=True, is_half_day=True)


_BARE_YEAR = re.compile(r"\byear\b.*\b(?:is|was|:)\s+(?P<year>1[0-9]{3}|20[0-9]{2})\b(?!\s+\w)", re.IGNORECASE)


def _bare_years(text: str, found: Sequence[When]) -> Iterator[When]:
    """Yield a number that is called a year: the founding year is 1931."""
    for match in _BARE_YEAR.finditer(text):
        start, end = match.span("year")
        if not any(start < when.end and when.start < end for when in found):
            begin = datetime(int(match["year"]), 1, 1, tzinfo=UTC)
            yield When(start, end, Form.MOMENT, begin, begin.replace(year=begin.year + 1), is_fine=False)


_BARE_DAY = re.compile(r"(?<!\d)(?<![\d一二三四五六七八九十]月)(?P<day>[12]?\d|3[01])[号日](?![楼线门院期\d])")


def _bare_days(text: str, found: Sequence[When], reference: datetime) -> Iterator[When]:
    """Yield the days of a month that is not named: 每月5号."""
    for match in _BARE_DAY.finditer(text):
        free = not any(match.start() < when.end and when.start < match.end() for when in found)
        if free and int(match["day"]):
            begin = reference.replace(month=1, day=int(match["day"]))
            yield When(match.start(), match.end(), Form.MONTH_DAY, begin, begin + timedelta(days=1), is_fine=True)


def _when(mention: TimeMention, *, shift: int = 0) -> When:
    shown = mention.text.strip()
    form, half_day = Form.MOMENT, False
    if mention.relative and _CLOCK.fullmatch(shown):
        form, half_day = Form.CLOCK, _HALF_KNOWN.search(shown) is None
    elif mention.relative and _WEEKDAY.match(shown):
        form = Form.WEEKDAY
    elif mention.relative and _YEARLESS.fullmatch(shown):
        form = Form.YEARLESS
    fine = mention.granularity in _FINE
    return When(mention.start + shift, mention.end + shift, form, mention.begin, mention.finish, fine, half_day)


def _minute(moment: datetime) -> int:
    return 60 * moment.hour + moment.minute


def _in_year(moment: datetime, year: int) -> datetime:
    day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
    return moment.replace(year=year, day=day)

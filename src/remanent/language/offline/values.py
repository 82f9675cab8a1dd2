"""Amounts and times of a sentence in a form that can be compared."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from remanent.text.dates import find_dates
from remanent.text.numbers import Quantity, measures
from remanent.text.regex import lazy_regex
from remanent.values import dataclass

_ABOUT = lazy_regex(
    r"(?:\b(?:about|around|roughly|approximately|nearly|almost|some|circa|ca\.?)|~|大约|大概|约|将近|近|接近)\s*\Z",
    re.IGNORECASE,
)
_AT_LEAST = lazy_regex(
    r"(?:\b(?:at least|over|more than|no less than|above|exceeds?)|[≥>]|至少|超过|多于|逾)\s*\Z", re.IGNORECASE
)
_AT_MOST = lazy_regex(
    r"(?:\b(?:at most|(?<!went )(?<!gone )(?<!rose )up to|under|less than|fewer than|no more than|below|within)"
    r"|[≤<]|最多|至多|不超过|少于|不到|不足)\s*\Z",
    re.IGNORECASE,
)
_AFTER_ABOUT = lazy_regex(r"\s*(?:左右|上下|or so\b|多|余|来)")
_AFTER_LEAST = lazy_regex(r"\s*(?:以上|or more\b|\+)")
_LOOKED_BACK = 24
"""Characters before an amount or a time that are read for "about", "at least" and the like. Chosen by hand."""
_SLACK = 0.1
"""What "about" leaves open: a tenth more or less. Chosen by hand."""
_EXACT = 1e-9
"""What rounding leaves between two equal numbers, of their size."""
_PEOPLE = frozenset("people person 人 名 位 口 member employee guest visitor student resident inhabitant".split())


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit, as the range of what it may mean."""

    start: int
    end: int
    unit: str
    dimension: str
    low: float
    high: float
    decimals: int = 9
    """How exactly it is said: another that is rounded so is the same."""
    said: str = ""
    """How it is bounded: about, least, most; two that are bounded alike are one when they are equal."""

    def comparable(self, other: "Amount") -> bool:
        """Tell whether both measure in one unit; a bare number may be of any."""
        if "number" in {self.dimension, other.dimension}:
            return {self.dimension, other.dimension} <= {"number", "count"}
        people = {self.unit, other.unit} <= _PEOPLE
        return self.dimension == other.dimension and (
            self.unit == other.unit or people or "个" in {self.unit, other.unit}
        )

    def agrees(self, other: "Amount") -> bool:
        """Tell whether both may mean the same."""
        if self.said and self.said == other.said:
            limit, its = (one.low if abs(one.low) < float("inf") else one.high for one in (self, other))
            return abs(limit - its) <= _EXACT * max(1.0, abs(limit))
        if (
            not self.said
            and not other.said
            and round(self.low, decimals := min(self.decimals, other.decimals)) == round(other.low, decimals)
        ):
            return self.decimals != other.decimals or abs(self.low - other.low) <= _EXACT * max(1.0, abs(self.low))
        return self.low <= other.high * (1 + _EXACT) + _EXACT and other.low <= self.high * (1 + _EXACT) + _EXACT


def amounts(text: str) -> Iterator[Amount]:
    """Yield the amounts of a sentence in order."""
    for found in measures(text):
        if found.value == 1 and found.dimension == "count" and found.text.startswith("一"):
            continue  # 一名护士: an article
        before = text[max(0, found.start - _LOOKED_BACK) : found.start]
        low = high = found.base_value
        said = ""
        if _ABOUT.search(before) or _AFTER_ABOUT.match(text, found.end):
            low, high, said = low - _SLACK * abs(low), high + _SLACK * abs(high), "about"
        elif _AT_LEAST.search(before) or _AFTER_LEAST.match(text, found.end):
            high, said = float("inf"), "least"
        elif _AT_MOST.search(before):
            low, said = float("-inf"), "most"
        yield Amount(found.start, found.end, found.base_unit, found.dimension, low, high, _decimals(found), said)


def _decimals(found: Quantity) -> int:
    """Return how many places behind the point are said, where the base unit is the one that is said."""
    written = re.search(r"\d+(?:\.(\d+))?(?=\D*\Z)", found.text)
    return len(written[1] or "") if written is not None and found.value == found.base_value else 9


class Form(StrEnum):
    """How a time is said, which decides what it can be compared with."""

    CLOCK = "clock"
    """A time of day, of whatever day."""
    WEEKDAY = "weekday"
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
    is_range: bool = False
    """From one time to another: two ranges are one when both ends are the same."""

    def comparable(self, other: "When") -> bool:
        """Tell whether both say a time in one way."""
        return self.form is other.form or {self.form, other.form} <= {Form.YEARLESS, Form.MOMENT}

    def agrees(self, other: "When") -> bool:
        """Tell whether both may mean the same time."""
        if self.form is Form.WEEKDAY:
            return self.begin.weekday() == other.begin.weekday()
        if self.form is Form.CLOCK:
            apart = (60 * self.begin.hour + self.begin.minute) - (60 * other.begin.hour + other.begin.minute)
            # A bare hour may be meant of the morning or of the evening: at seven.
            is_bare = any(one.begin.hour <= 12 and one.end - one.start <= 4 for one in (self, other))
            return apart % (12 * 60) == 0 if is_bare else apart == 0
        if self.is_range and other.is_range and self.form is other.form:
            return (self.begin, self.finish) == (other.begin, other.finish)
        one = self
        if Form.YEARLESS in {self.form, other.form}:
            day = 28 if (self.begin.month, self.begin.day) == (2, 29) else self.begin.day
            begin = self.begin.replace(year=other.begin.year, day=day)
            one = replace(self, begin=begin, finish=begin + (self.finish - self.begin))
        return one.begin < other.finish and other.begin < one.finish


# Where nobody says when something was said, both sides are read from this day on.
_SOME_DAY = datetime(2024, 7, 3, 12, tzinfo=UTC)
_CLOCK = lazy_regex(
    r"(?:(?:at|around|by)\s+)?(?:早上|上午|中午|下午|晚上|凌晨|傍晚|清晨|夜里|早晨)?\s*[\d一二三四五六七八九十两零〇]{1,3}\s*"
    r"(?:[:：.点时]\s*(?:[\d一二三四五六七八九十零〇]{1,3}|半|一刻|三刻|整|钟)?\s*分?)?\s*(?:[ap]\.?m\.?|o['’]clock|noon)?"
    r"|(?:at\s+)?(?:noon|midnight)|中午|午夜|零点",
    re.IGNORECASE,
)
_WEEKDAY = lazy_regex(
    r"(?:on\s+)?(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|每?(?:周|星期|礼拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_YEARLESS = lazy_regex(
    r"(?:(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"(?:\s+(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?)?|[\d一二三四五六七八九十]{1,3}月份?(?:[\d一二三四五六七八九十]{1,3}[日号])?"
    r"|\d{1,2}/\d{1,2}|spring|summer|autumn|fall|winter|[春夏秋冬][天季]",
    re.IGNORECASE,
)
_AT_HOUR = lazy_regex(
    r"\bat\s+(?P<hour>1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?=\s*(?:[.,;!?]|$|on\b))",
    re.IGNORECASE,
)
_HOURS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_BARE_DAY = lazy_regex(r"(?<![\d月])(?P<day>[12]?\d|3[01])[号日](?![楼线门院期站\d])")
_BARE_YEAR = lazy_regex(r"(?<![\w,.$€£¥-])(?P<year>1\d{3}|20\d{2})(?![\w%]|[,.]\d)")
# Before a word that it may count, a number is a year where something says so: built in 1825 and enlarged.
_DATING = lazy_regex(
    r"\b(?:in|since|until|till|during|before|after|from|from 1\d{3} to|between|between 1\d{3} and|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: \d{1,2},)?)\s+\Z",
    re.IGNORECASE,
)
_COUNTING = lazy_regex(r"\s+[a-z]")


_BETWEEN = lazy_regex(r"\s+(?:to|into|until)\s+|\s*(?:到|至)\s*")
_RANGE = lazy_regex(rf"{_BETWEEN.pattern}|\bbetween\b|[\d月日]\s*[–—-]\s*[\dA-Z]")


def whens(text: str, said_at: datetime | None, *, changed: bool = False) -> list[When]:
    """Return the dates and times of a sentence in order; where something was put off, the day that holds now."""
    reference = said_at or _SOME_DAY
    found = []
    for whole in find_dates(text, reference=reference):
        mention = whole
        if changed and (border := _BETWEEN.search(whole.text)):
            at = whole.start + border.end()
            later = find_dates(whole.text[border.end() :], reference=reference)
            mention = replace(later[0], start=at + later[0].start, end=at + later[0].end) if later else whole
        shown, form = mention.text.strip(), Form.MOMENT
        if mention.relative and _CLOCK.fullmatch(shown):
            form = Form.CLOCK
        elif mention.relative and _WEEKDAY.match(shown):
            form = Form.WEEKDAY
        elif mention.relative and _YEARLESS.fullmatch(shown):
            form = Form.YEARLESS
        ranged = _RANGE.search(mention.text) is not None
        found.append(When(mention.start, mention.end, form, mention.begin, mention.finish, ranged))
    bare = [one for one in _bare(text, reference) if not any(one.start < o.end and o.start < one.end for o in found)]
    return _joined(sorted([*found, *bare], key=lambda when: when.start))


def _joined(times: list[When]) -> list[When]:
    """Put a month and the year after it together, where the year is too long ago for a date: May 1896."""
    made: list[When] = []
    for time in times:
        last = made[-1] if made else None
        year = time.form is Form.MOMENT and time.finish - time.begin > timedelta(days=360)
        if last is not None and last.form is Form.YEARLESS and year and 0 < time.start - last.end <= 2:
            begin = last.begin.replace(year=time.begin.year, day=min(last.begin.day, 28))
            made[-1] = replace(
                last, end=time.end, form=Form.MOMENT, begin=begin, finish=begin + (last.finish - last.begin)
            )
        else:
            made.append(time)
    return made


def _bare(text: str, reference: datetime) -> Iterator[When]:
    """Yield times that are said without any sign of it: up at six; 每月5号; the founding year is 1931."""
    for match in _AT_HOUR.finditer(text):
        said = match["hour"].lower()
        hour = int(said) if said.isdigit() else _HOURS.index(said)
        begin = reference.replace(hour=hour, minute=0, second=0, microsecond=0)
        yield When(*match.span("hour"), Form.CLOCK, begin, begin + timedelta(hours=1))
    for match in _BARE_DAY.finditer(text):
        begin = reference.replace(month=1, day=max(1, int(match["day"])), hour=0, minute=0, second=0, microsecond=0)
        yield When(match.start(), match.end(), Form.YEARLESS, begin, begin + timedelta(days=1))
    for match in _BARE_YEAR.finditer(text):
        before = text[max(0, match.start() - _LOOKED_BACK) : match.start()]
        if _COUNTING.match(text, match.end()) and not _DATING.search(before):
            continue
        begin = datetime(int(match["year"]), 1, 1, tzinfo=UTC)
        yield When(*match.span("year"), Form.MOMENT, begin, begin.replace(year=begin.year + 1))

"""Dates and times in Chinese and English text, as half-open intervals in UTC with the place where they stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from remanent.errors import InvalidInput
from remanent.text.date_joining import Found, chosen, with_clocks, with_ranges, with_sides
from remanent.text.date_rules import Meaning, View
from remanent.text.dates_chinese import CHINESE_DATES
from remanent.text.dates_english import ENGLISH_DATES
from remanent.text.dates_numeric import NUMERIC
from remanent.text.intervals import Granularity
from remanent.text.numbers import quantities
from remanent.text.scripts import HAN
from remanent.text.spans import Span, Taken


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A date or time in a text: where it stands, what it covers, how fine it is."""

    start: int
    end: int
    text: str
    begin: datetime
    finish: datetime
    """The first moment that no longer belongs to it."""
    granularity: Granularity
    relative: bool
    """Whether it depends on the moment from which the text was read."""

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time in a text, tied to no date."""

    start: int
    end: int
    text: str
    length: timedelta
    unit: str


_HAS_HAN = re.compile(rf"[{HAN}]")
_HAS_LATIN = re.compile("[A-Za-z0-9]")
# What no text with a date in it is without; most messages hold none and are spared the rules.
_HINT = re.compile(
    rf"[\d{HAN}]|day|week|month|year|night|morn|noon|ago\b|\blast\b|\bnext\b|past|spring|summer|fall|autumn|winter|jan|feb|mar"
    r"|apr|may|jun|jul|aug|sep|oct|nov|dec|hour|minute|christmas|halloween|thanksgiving|o'clock|\btoday|tomorrow",
    re.IGNORECASE,
)
_AROUND = re.compile(r"[\s.,，。()（）]*(?:on|at|in|by)?[\s.,，。()（）]*", re.IGNORECASE)
_BLANK = " \t\n\r,，、"
# Longer lengths of time cannot be written down as one.
_LONGEST = 1e13


def find_dates(text: str, *, reference: datetime) -> list[TimeMention]:
    """Return the dates and times of a text in order, as seen from the reference moment.

    "Last" and "next", "ago" and weekdays count from the day that the reference is in UTC; weeks begin on Monday. A date
    without a year is the nearest, or the coming one when the words around it speak of the future.
    """
    if reference.tzinfo is None:
        raise InvalidInput("the reference moment needs a time zone: pass an aware datetime")
    if not _HINT.search(text):
        return []
    view = View(text, reference)
    found = with_ranges(text, with_sides(text, with_clocks(text, chosen(list(_found(view))))))
    return [mention for one in found if (mention := _mention(one, view))]


def parse_date(text: str, *, reference: datetime) -> TimeMention | None:
    """Return what a text says that is a date and nothing else; None when it is none, or more than one."""
    found = find_dates(text, reference=reference)
    if len(found) != 1:
        return None
    outside = text[: found[0].start] + text[found[0].end :]
    return found[0] if _AROUND.fullmatch(outside) else None


def find_durations(text: str, *, reference: datetime | None = None) -> list[Duration]:
    """Return the lengths of time in a text; with a reference, without those that make a date ("two weeks ago")."""
    taken = Taken()
    for date in find_dates(text, reference=reference) if reference else []:
        taken.cover(date.span)
    return [
        Duration(one.start, one.end, one.text, timedelta(seconds=one.base_value), one.unit)
        for one in quantities(text)
        if one.dimension == "time" and abs(one.base_value) < _LONGEST and taken.take(one.span)
    ]


def _found(view: View) -> Iterator[Found]:
    books = [NUMERIC]
    if _HAS_LATIN.search(view.text):
        books.append(ENGLISH_DATES)
    if _HAS_HAN.search(view.text):
        books.append(CHINESE_DATES)
    for rule in (rule for book in books for rule in book.rules if rule.may_match(view)):
        for match in rule.pattern.finditer(view.text):
            try:
                meaning = rule.resolve(match, view)
            except (ValueError, OverflowError):
                continue  # the 31st of February, the year 0: no date
            if meaning:
                yield _trimmed(view.text, match.start() + meaning.first, match.end(), meaning)


def _trimmed(text: str, start: int, end: int, meaning: Meaning) -> Found:
    """Leave white space, commas and the full stop of the sentence out of a match; "p.m." keeps its own."""
    part = text[start:end]
    bare = part.strip(_BLANK)
    start += part.index(bare[0]) if bare else 0
    if bare.endswith(".") and not bare.endswith(".m."):
        bare = bare[:-1]
    return Found(start, start + len(bare), meaning)


def _mention(found: Found, view: View) -> TimeMention | None:
    meaning = found.meaning
    if meaning.waits:
        return None
    try:
        interval = meaning.clock.on(view.today) if meaning.clock else meaning.interval
    except OverflowError:  # midnight after the last day of the calendar
        return None
    if interval is None:
        return None
    text = view.text[found.start : found.end]
    return TimeMention(
        found.start, found.end, text, interval.begin, interval.finish, interval.granularity, meaning.relative
    )

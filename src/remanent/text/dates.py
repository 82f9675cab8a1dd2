"""Dates and times in Chinese and English text, as half-open intervals with the place where they stand.

First every rule of every book is tried, and of matches that overlap the longest is kept. Then what belongs together is
joined: a day with its time, "the week before" with its date, the two ends of a range.

A date is put behind words that had a meaning only on the day they were said: "yesterday [2023-05-07]". Who reads a
memory later takes "yesterday" for another day. A weekday in a sentence that tells of a habit has no date ("every
Tuesday" was given that of the last one), nor has one inside a word: "Sunday morning [2026-10-25]s" stood in what a
model reads.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass, memoized_by_hash
from remanent.model import local
from remanent.text import calendar
from remanent.text.calendar import (
    NUMERIC_DATES,
    DateContext,
    DateMeaning,
    Granularity,
    Interval,
    TimeOfDay,
    speaks_of_future,
    speaks_of_past,
)
from remanent.text.dates_chinese import CHINESE_DATES
from remanent.text.dates_english import ENGLISH_DATES, amount_of
from remanent.text.regex import lazy_regex
from remanent.text.scripts import has_han, working_language
from remanent.text.sentences import sentences
from remanent.text.spans import Span, without_overlaps
from remanent.text.words import is_past_form

_BESIDE = lazy_regex(
    r"[\s,，]*+[(（]?\s*+|\s*+(?:at|on|@|的|，|,)\s*+(?:around\s++|about\s++)?|[\s)）,，]*+", re.IGNORECASE
)
_JOIN = lazy_regex(r"\s*(?:-|–|—|~|～|to|through|thru|until|till|到|至|and|和|与)\s*", re.IGNORECASE)
_FROM = lazy_regex(r"(?:\b(?P<between>between)\s+|\bfrom\s+|从|自)\Z", re.IGNORECASE)
# Searched backwards from each date within a fixed reach, so that the work stays proportional to the text.
_SIDE = lazy_regex(
    r"\b(?:(?:the|about)\s+)?(?:(?P<number>an?|\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"a\s+couple\s+of|a\s+few|several)\s+)?(?P<unit>day|weekend|week|fortnight|month|year|night|evening|morning|(?:Mon|"
    r"Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\s+(?P<side>before|after|prior\s+to|following|of)\s+\Z",
    re.IGNORECASE,
)
_HALF_A_DAY = timedelta(hours=12)
_A_WEEK = timedelta(days=8)
"""From a weekday to the same one of the next week, at whatever time of it."""
_ABOVE_DAYS = frozenset({"weekend", "week", "month", "quarter", "season", "half", "year", "decade", "century", "range"})
# How far before a date the words, and before its end the bracket, that belong to it may begin.
_REACH = 60


@dataclass(frozen=True, slots=True)
class DateMatch(Span):
    """What a rule found: where it stands and what it means."""

    meaning: DateMeaning


# ── a day and its time ───────────────────────────────────────────────────────


def _paired(found: Sequence[DateMatch], pair: Callable[[DateMatch, DateMatch], DateMatch | None]) -> list[DateMatch]:
    """Put each match together with what stands before it, where the two are one."""
    result: list[DateMatch] = []
    for one in found:
        both = pair(result[-1], one) if result else None
        if both:
            result[-1] = both
        else:
            result.append(one)
    return result


def with_clocks(text: str, found: Sequence[DateMatch]) -> list[DateMatch]:
    """Bring a day and the time of day, or the weekday, beside it together."""

    def pair(left: DateMatch, right: DateMatch) -> DateMatch | None:
        both = _together(left, right) if _BESIDE.fullmatch(text, left.end, right.start) else None
        return replace(both, end=_closed(text, both)) if both else None

    return _paired(found, pair)


def _closed(text: str, found: DateMatch) -> int:
    """Return the end of a stretch with the bracket that closes one opened inside."""
    part = text[max(found.start, found.end - _REACH) : found.end]
    is_open = part.count("(") + part.count("（") > part.count(")") + part.count("）")
    return found.end + 1 if is_open and text[found.end : found.end + 1] in {")", "）"} else found.end


def _together(left: DateMatch, right: DateMatch) -> DateMatch | None:
    """Return a day and what stands beside it as one date, whichever comes first; None when they are two."""
    for day, other in ((left, right), (right, left)):
        whole = day.meaning.interval
        if whole is not None and whole.granularity in {"day", "part"}:
            with suppress(OverflowError):  # beyond the last day of the calendar
                meaning = _day_with(day.meaning, whole, other.meaning)
                if meaning:
                    return DateMatch(left.start, right.end, meaning)
    return None


def _day_with(day: DateMeaning, whole: Interval, other: DateMeaning) -> DateMeaning | None:
    """Return what a day means with a time of day or a weekday beside it."""
    if other.clock and (whole.granularity == "day" or not other.waits):
        within = whole.begin.date()
        interval = other.clock.on(within)
        if whole.granularity == "part" and interval.begin not in whole and other.clock.begin < _HALF_A_DAY:
            later = replace(other.clock, begin=other.clock.begin + _HALF_A_DAY).on(within)
            interval = later if later.begin in whole else interval  # "tomorrow evening at 8:00"
        return replace(day, interval=interval, weekday=False)
    if other.weekday and not day.weekday and not day.relative and whole.granularity == "day":
        return day
    return None


# ── beside a date ────────────────────────────────────────────────────────────


def with_sides(text: str, found: Sequence[DateMatch]) -> list[DateMatch]:
    """Read "the week before", "two days after", "the week of" in front of a date."""
    result: list[DateMatch] = []
    for one in found:
        side = _SIDE.search(text, max(0, one.start - _REACH), one.start) if one.meaning.interval else None
        interval = None
        with suppress(ValueError, OverflowError):  # before the first year there is, or after the last
            interval = _beside(side, one.meaning.interval) if side and one.meaning.interval else None
        if side is None or interval is None:
            result.append(one)
            continue
        if result and result[-1].meaning.weekday and result[-1].start >= side.start():
            result.pop()  # "the Friday before": the Friday is no date of its own
        result.append(
            DateMatch(side.start(), one.end, replace(one.meaning, interval=interval, weekday=False, within=None))
        )
    return result


def _beside(side: re.Match[str], interval: Interval) -> Interval | None:
    """Return the interval that "the week before", "two days after", "the week of" make of a date."""
    unit, word = side["unit"].lower(), side["side"].lower()
    if word == "of":
        around = {"week": calendar.week, "weekend": calendar.weekend}.get(unit)
        return around(interval.begin.date()) if around and interval.granularity == "day" else None
    count = round(amount_of(side["number"])) if side["number"] else 1
    if word in {"before", "prior to"}:
        return _units_away(unit, -count, interval.begin.date())
    return _units_away(unit, count, (interval.finish - timedelta(microseconds=1)).date())


def _units_away(unit: str, count: int, day: date) -> Interval:
    """Return the unit that ends where a day begins, or begins where it ends; weeks count from the day, not a Monday."""
    weekday = calendar.weekday_before if count < 0 else calendar.weekday_after
    if unit in calendar.WEEKDAYS:
        return calendar.day(weekday(day, calendar.WEEKDAYS.index(unit)))
    if unit == "weekend":
        return calendar.days(weekday(day, 5) + timedelta(weeks=count + 1 if count < 0 else count - 1), 2, "weekend")
    if unit in {"week", "fortnight"}:
        width = 7 if unit == "week" else 14
        first = width * count if count < 0 else 1 + width * (count - 1)
        return calendar.days(day + timedelta(days=first), width, "week")
    if unit == "month":
        return calendar.month(day.year, day.month + count)
    if unit == "year":
        return calendar.year(day.year + count)
    away = day + timedelta(days=count)
    if unit in {"night", "evening", "morning"}:
        return calendar.part_of_day(away, unit)  # type: ignore[arg-type]  # one of the three
    return calendar.day(away)


# ── ranges ───────────────────────────────────────────────────────────────────


def with_ranges(text: str, found: Sequence[DateMatch]) -> list[DateMatch]:
    """Read "from May to July", 五月到七月, "between 2019 and 2021" as one stretch."""
    return _paired(found, partial(_range, text))


def _range(text: str, left: DateMatch, right: DateMatch) -> DateMatch | None:
    """Return two dates with a word of joining between them as one; None when they are only neighbours."""
    join = _JOIN.fullmatch(text, left.end, right.start)
    if not join or left.meaning.waits or right.meaning.waits:
        return None
    opening = _FROM.search(text, max(0, left.start - _REACH), left.start)
    if join[0].strip().lower() in {"and", "和", "与"} and not (opening and opening["between"]):
        return None
    try:
        meaning = _from_to(left.meaning, right.meaning)
    except (ValueError, OverflowError):
        return None  # one end lies before the first year there is, or after the last
    return DateMatch(opening.start() if opening else left.start, right.end, meaning) if meaning else None


def _from_to(left: DateMeaning, right: DateMeaning) -> DateMeaning | None:
    """Return the stretch between two dates, each end filled in with what only the other one says.

    "May to July 2021" says the year at the end, "from November to February 2023" begins in the year before.
    """
    if left.clock and right.clock:
        clock = _clock_range(left.clock, right.clock)
        return DateMeaning(clock=clock, relative=True) if clock else None
    first = left.interval
    second = right.clock.on(first.begin.date()) if first and right.clock else right.interval
    if not (first and second):
        return None
    if right.within == "week" and first.granularity not in _ABOVE_DAYS:
        second = _next_after(first, second)  # 下周一到周三: the first behind the other day, whichever week is named
    elif left.within == "week" and not right.within and not first.begin < second.begin <= first.begin + _A_WEEK:
        return None  # 周一到下周三: this Monday as well as the next
    elif left.within == "year" and not right.relative and first.granularity in {"day", "month"}:
        first = _moved(first, second.begin.year - first.begin.year)  # "May to July 2021": the year holds for both
    elif right.within == "year" and not left.within and first.granularity in {"day", "month"}:
        second = _moved(second, first.begin.year - second.begin.year)  # 去年五月到七月
    if first.begin >= second.finish and left.within == "year":
        first = _moved(first, -1)  # from November to February 2023
    if first.begin >= second.finish and right.within == "year":
        second = _moved(second, 1)
    if first.begin >= second.finish:
        return None
    return DateMeaning(first.to(second), relative=left.relative or right.relative)


def _next_after(first: Interval, second: Interval) -> Interval:
    """Return a weekday, or a part of one, moved by whole weeks to where it first comes behind another day."""
    weeks = (first.begin.date() - second.begin.date()).days // 7 + 1
    if second.begin - timedelta(weeks=1) + timedelta(weeks=weeks) > first.begin:
        weeks -= 1  # 周一上午到周一下午
    away = timedelta(weeks=weeks)
    return Interval(second.begin + away, second.finish + away, second.granularity)


def _clock_range(left: TimeOfDay, right: TimeOfDay) -> TimeOfDay | None:
    """Return the time from one hour to another; the later one may leave out that it is in the afternoon."""
    length = right.begin + right.length - left.begin
    if length <= timedelta(0) and left.begin >= _HALF_A_DAY:
        length += _HALF_A_DAY  # 下午三点到五点
    if length <= timedelta(0):
        length += _HALF_A_DAY  # from 5 pm to 3 am
    return TimeOfDay(left.begin, length, "range") if length > timedelta(0) else None


def _moved(interval: Interval, years: int) -> Interval:
    """Return the same days in another year."""
    return Interval(_in_year(interval.begin, years), _in_year(interval.finish, years), interval.granularity)


def _in_year(moment: datetime, years: int) -> datetime:
    """Return the moment so many years later; the 29th of February becomes the 28th."""
    day = 28 if (moment.month, moment.day) == (2, 29) else moment.day
    return moment.replace(year=moment.year + years, day=day)


@dataclass(frozen=True, slots=True)
class TimeMention(Span):
    """A date or time in a text: where it stands, what it covers, how fine it is."""

    text: str
    begin: datetime
    finish: datetime
    """The first moment that no longer belongs to it."""
    granularity: Granularity
    relative: bool
    """Whether it depends on the moment from which the text was read."""


_HAS_LATIN = lazy_regex("[A-Za-z0-9]")
# What no text with a date in it is without; most messages hold none and are spared the rules.
_HINT = lazy_regex(
    r"\d|day|week|month|year|night|morn|noon|ago\b|\blast\b|\bnext\b|past|spring|summer|fall|autumn|winter|jan|feb|mar"
    r"|apr|may|jun|jul|aug|sep|oct|nov|dec|hour|minute|christmas|halloween|thanksgiving|o'clock|\btoday|tomorrow",
    re.IGNORECASE,
)
_BLANK = " \t\n\r,，、"
_LONGEST_STAMP = 60
"""Characters of a date with its weekday, time and zone; longer is no date alone."""
_REST_OF_STAMP = lazy_regex(
    r"[\s,，.;()（）\[\]|-]|\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|(?:星期|周|礼拜)[一二三四五六日天]", re.IGNORECASE
)
_OF_A_DAY = frozenset({"second", "minute", "hour", "day"})
_FIRST_SECOND = 946_684_800
"""The year 2000: a smaller number counts something else."""
_MILLISECONDS_FROM = 100_000_000_000
"""As seconds it is the year 5138, as milliseconds 1973."""


def find_dates(text: str, *, reference: datetime) -> list[TimeMention]:
    """Return the dates and times of a text in order, as seen from the reference moment.

    Days are those of this machine's zone: what was said on Tuesday at seven in Shanghai was said on Tuesday, though it
    was Monday in UTC. "Last" and "next", "ago" and weekdays count from the day of the reference there; weeks begin on
    Monday. A date without a year is the nearest, or the coming one when the words around it speak of the future.

    In UTC, "yesterday" said in Shanghai at seven in the morning was dated a day early.
    """
    if reference.tzinfo is None:
        raise InvalidInput("the reference moment needs a time zone: pass an aware datetime")
    if not _HINT.search(text) and not has_han(text):
        return []
    view = DateContext(text, reference)
    # The longest of matches that overlap; of equals the one that waits for nothing.
    longest = without_overlaps(_matches(view), rank=lambda one: (one.start - one.end, one.meaning.waits, one.start))
    found = with_ranges(text, with_sides(text, with_clocks(text, longest)))
    return [mention for one in found if (mention := _mention(one, view))]


def _matches(view: DateContext) -> Iterator[DateMatch]:
    """Yield what every rule finds, overlaps included; rules whose words the text lacks are not tried.

    A date that is none (31 February) is not an error: people mistype, and the rest of the text has its dates all the
    same.
    """
    books = [NUMERIC_DATES] if any(map(str.isdecimal, view.text)) else []
    if _HAS_LATIN.search(view.text):
        books.append(ENGLISH_DATES)
    if has_han(view.text):
        books.append(CHINESE_DATES)
    for rule in (rule for book in books for rule in book.rules):
        if rule.words and not any(word in view.lowered for word in rule.words):
            continue
        for match in rule.pattern.finditer(view.text):
            try:
                meaning = rule.resolve(match, view)
            except (ValueError, OverflowError):
                continue  # the 31st of February, the year 0: no date
            if meaning:
                skips = match.groupdict().get("skip")
                yield _trimmed(view.text, match.end("skip") + 1 if skips else match.start(), match.end(), meaning)


def _trimmed(text: str, start: int, end: int, meaning: DateMeaning) -> DateMatch:
    """Leave white space, commas and the full stop of the sentence out of a match; "p.m." keeps its own."""
    part = text[start:end]
    bare = part.strip(_BLANK)
    start += part.index(bare[0]) if bare else 0
    if bare.endswith(".") and not bare.endswith(".m."):
        bare = bare[:-1]
    return DateMatch(start, start + len(bare), meaning)


def _mention(found: DateMatch, view: DateContext) -> TimeMention | None:
    """Return a match as the caller sees it; None for what found no day to belong to."""
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
    begin, finish = _moment(interval.begin), _moment(interval.finish)
    if finish <= begin:  # in the hour that summer time leaves out
        finish = begin + (interval.finish - interval.begin)
    return TimeMention(found.start, found.end, text, begin, finish, interval.granularity, meaning.relative)


def _moment(shown: datetime) -> datetime:
    """Return the moment at which the clocks of this machine show so, in its zone."""
    try:
        return shown.replace(tzinfo=None).astimezone()
    except (OverflowError, ValueError, OSError):  # the ends of the calendar
        return shown


def said_at(stamp: object, *, now: datetime) -> datetime | None:
    """Return the moment that a note of when something was said tells: a date to the day or finer and nothing else.

    A number is seconds or milliseconds since 1970. What lies ahead is no such note: nothing is said before its time.

    A message without a moment was taken as said now, so that questions by date missed it and relative dates counted
    from today: with the dates that logs keep in their metadata, any@5 of LoCoMo went from .790 to .816 (580 questions).
    """
    if isinstance(stamp, bool) or not isinstance(stamp, str | int | float):
        return None
    if isinstance(stamp, str):
        mentions = find_dates(stamp, reference=now) if len(stamp) <= _LONGEST_STAMP else []
        whole = len(mentions) == 1 and not _REST_OF_STAMP.sub("", stamp[: mentions[0].start] + stamp[mentions[0].end :])
        if not whole or mentions[0].relative or mentions[0].granularity not in _OF_A_DAY:
            return None
        moment = mentions[0].begin.astimezone(UTC)
    else:
        seconds = stamp / 1000 if abs(stamp) >= _MILLISECONDS_FROM else stamp
        if not _FIRST_SECOND <= seconds < _MILLISECONDS_FROM:
            return None
        moment = datetime.fromtimestamp(seconds, UTC)
    return moment if moment <= now else None


# ── dates written behind words ───────────────────────────────────────────────

_RELATIVE = lazy_regex(
    r"\b(?:yesterday|tomorrow|tonight|today|ago|recently|(?:last|past|next|this|coming|previous|earlier)\s+"
    rf"(?!one\b|time\b|thing\b|is\b|was\b|and\b|to\b)|{calendar.ANY_WEEKDAY}|weekend)\b|"
    r"[昨今明前后去上下本][天日晚早晨夜年月周个儿]|大[前后]天|[周上下]末|星期|礼拜|周[一二三四五六日天]|[天日周月年]前|[天日周月年][之以]?后",
    re.IGNORECASE,
)
_IN_RELATIVE = (
    *("day", "tomorrow", "tonight", "ago", "recently", "weekend"),
    *("last", "past", "next", "this", "coming", "previous", "earlier"),
)
"""Without any of these, nothing in ASCII is one: told many times as quickly, and of every memory that is given."""
_REPEATED = lazy_regex(r"\b(?:every|each|any|most)\s+\Z|每[个逢到]?\Z", re.IGNORECASE)
"""Before "Tuesday" it says that no certain one is meant."""
_NEAR = 12
"""Characters before a date within which such a word stands."""
_WEEKDAY = lazy_regex(
    rf"(?:from\s+|between\s+|从|自)?(?:{calendar.ANY_WEEKDAY}|(?:周|星期|礼拜)[一二三四五六日天末])",
    re.IGNORECASE,
)
_HABIT = lazy_regex(
    r"\b(?:every|usually|always|normally|generally|regularly|weekly|(?:like|love|prefer|enjoy)s?)\b"
    r"|[每总]|固定|一般|通常|平[时常]|定期|照例|喜欢|爱",
    re.IGNORECASE,
)
"""What tells that a weekday without "last" or "next" comes again each week."""
_PAST_FORM = lazy_regex(
    r"(?<!\bis )(?<!\bare )(?<!\bam )(?<!\bbe )(?<!'s )(?<!'re )\b[a-z]{2,}+(?<!need)(?<!feed)", re.IGNORECASE
)
"""A word that may be a verb in the past, and not what is "closed" on a Sunday or "booked" for one."""
_PUT_RIGHT = lazy_regex(
    r"\bi(?:['’]ve|\s+had|\s+have|\s+just)?\s+(?:meant|said|wrote|typed|mistyped|misspoke|was\s+wrong|"
    r"(?:got|mixed)\s+(?:it|that|this|them)\s+(?:wrong|up))\b",
    re.IGNORECASE,
)
"""Who puts something right spoke of it in the past, and the day may be to come: "Sorry, I meant Wednesday at 3"."""
DATE_BEHIND = lazy_regex(r"\s*[\[(（]\d{4}(?:-\d\d){0,2}(?: – \d{4}(?:-\d\d){0,2})?[\])）]")
"""A date behind words, in whichever brackets: a memory that was made of a turn may have it already."""
RESOLVED = lazy_regex(r" ?\[\d{4}(?:-\d\d){0,2}(?: – \d{4}(?:-\d\d){0,2})?\]")
"""A date that was put behind words such as "yesterday"."""
_FOR_IT = lazy_regex(
    r"\b(?:for|until|till|onto)\s+(?:the\s+)?\Z|\b(?:booked|rebooked|moved|switched|swapped|changed|transferred|bumped|"
    r"upgraded|scheduled|rescheduled|postponed|pushed|put|shifted|delayed|deferred|invited|entered|signed|registered|"
    r"enroll?ed|brought)\b[^.!?;,]*?\b(?:to|into|from)\s+(?:the\s+)?\Z|(?:改签?|换|挪|移|推迟?|延期?|提前|调|排|订|定|"
    r"买|抢|约|报名?|选|安排)(?:到|好|了|上|成|在|至|为){0,2}\Z",
    re.IGNORECASE,
)
"""Before a weekday: what was done for it, or put on it, does not tell that it is over. "I got tickets for Saturday"."""
_GOT = lazy_regex(
    r"\b(?:entered|booked|rebooked|bought|got|gotten|ordered|reserved|moved|put|switched|swapped|changed|tickets?|seats?)\b"
    r"[^.!?;,]*\Z",
    re.IGNORECASE,
)
"""Before what is of a weekday: "I bought Friday's tickets"."""
_CLAUSE = 200
"""Characters before a date in which it is looked for whether its sentence tells of the past."""
_DAYS = frozenset({"second", "minute", "hour", "part", "day"})


def with_dates(text: str, occurred_at: datetime, *, is_dated: bool = True) -> str:
    """Return a text with the date behind what had a meaning only on the day it was said: "yesterday [2023-05-07]".

    Where the date of that day is told (`is_dated`), "today" needs no other.
    """
    if not _has_relative(text):
        return text
    today = local(occurred_at).date() if is_dated else None
    dates = _dates_behind(text, occurred_at, today, time.tzname)
    return _with_notes(text, ((end, f" [{told}]" if text[end - 1].isascii() else f"[{told}]") for end, told in dates))


def _with_notes(text: str, notes: Iterable[tuple[int, str]]) -> str:
    """Return a text with something written in at some of its places, which are in order."""
    parts, position = list[str](), 0
    for place, note in notes:
        parts += text[position:place], note
        position = place
    return "".join([*parts, text[position:]])


@memoized_by_hash
def _dates_behind(
    text: str, occurred_at: datetime, today: date | None, _zone: tuple[str, str]
) -> tuple[tuple[int, str], ...]:
    """Return the dates that belong behind words of a text and where these end, without that of a day that is told."""
    dates: list[tuple[int, str]] = []
    for sentence in sentences(text):
        words = sentence.of(text)
        if not _has_relative(words):
            continue
        is_told_past: bool | None = None
        is_habit = _HABIT.search(words) or ("都" in words and not {"了", "过"} & set(words))
        for mention in find_dates(words, reference=occurred_at):
            if not mention.relative or mention.begin.date() == today:
                continue
            if _WEEKDAY.match(mention.text):
                if is_told_past is None:  # once for a sentence, however many weekdays it has
                    is_told_past = _tells_of_past(_PUT_RIGHT.sub("", words))
                if is_habit or not _is_settled(words, mention, occurred_at, is_told_past=is_told_past):
                    continue
            if _REPEATED.search(words[max(0, mention.start - _NEAR) : mention.start]) or DATE_BEHIND.match(
                words, mention.end
            ):
                continue
            dates.append((sentence.start + mention.end, _date_of(mention)))
    return tuple(dates)


def _has_relative(text: str) -> bool:
    """Tell whether a text has words whose meaning hangs on the day they were said."""
    if text.isascii():
        lowered = text.lower()
        if not any(word in lowered for word in _IN_RELATIVE):
            return False
    return _RELATIVE.search(text) is not None


def _tells_of_past(words: str) -> bool:
    """Tell whether an English sentence has a verb in the past."""
    told = (word.lower() for word in _PAST_FORM.findall(words))
    return any(word.endswith("ed") or is_past_form(word) for word in told)


def _is_settled(words: str, mention: TimeMention, occurred_at: datetime, *, is_told_past: bool) -> bool:
    """Tell whether a sentence says on which side of its saying a bare weekday lies.

    "See you on Friday", "the shop is closed on Sunday": a date there was as often wrong as right.
    """
    if mention.text.endswith(("week", "weeks")) or speaks_of_future(words, mention.start, mention.end):
        return True
    start, is_range = max(0, mention.start - _CLAUSE), mention.text[:5].lower() == "from "
    if _FOR_IT.search(words, start, mention.start + 5 * is_range) or (
        words[mention.end : mention.end + 2] in {"'s", "’s"} and _GOT.search(words, start, mention.start)
    ):
        return False
    today = local(occurred_at).date()
    is_past = mention.begin.date() < today and (mention.finish - timedelta(seconds=1)).date() <= today
    if not mention.text.isascii():
        return is_past and speaks_of_past(words, mention.end)
    return is_past and is_told_past


def _date_of(mention: TimeMention) -> str:
    """Return when something was, no finer than its words."""
    first, last = mention.begin, mention.finish - timedelta(seconds=1)
    if mention.granularity in _DAYS or first.date() == last.date():
        return f"{first:%Y-%m-%d}"
    if mention.granularity == "month":
        return f"{first:%Y-%m}"
    if mention.granularity == "year":
        return f"{first:%Y}"
    form = "%Y" if mention.granularity in {"decade", "century"} else "%Y-%m-%d"
    return f"{first:{form}} – {last:{form}}"


# “周五之前” on a Sunday means the coming Friday, “周五很累” the past one, and a birthday comes every year: a day that
# the moment of saying does not settle is kept as it is.
_OPEN_DAY = lazy_regex(
    rf"(?:on )?{calendar.ANY_WEEKDAY}|(?:周|星期|礼拜)[一二三四五六日天]|.*\d月.*"
    r"|.*\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\b.*",
    re.IGNORECASE,
)


_ROUGHLY = lazy_regex(r"in\s+(?:an?|one|few|several|some)\b", re.IGNORECASE)
_UNTIL_NOW = lazy_regex(r"\b(?:have|has|had|did|was|were|(?:ha(?:ve|s|d)|did|was|were|could)n['’]t)\b", re.IGNORECASE)
_LAST_SENTENCE = lazy_regex(r"[^.!?\n]*\Z")
"""What stands of a sentence before a date."""


def _is_duration(text: str, found: TimeMention) -> bool:
    """Tell whether "in … days" says how long something took, or roughly when: "not built in a day", "in a few days"."""
    if found.text[:3].lower() != "in ":
        return False
    before = _LAST_SENTENCE.search(text, max(0, found.start - _CLAUSE), found.start)
    words = before[0] if before else ""
    return bool(_ROUGHLY.match(found.text) or _UNTIL_NOW.search(words) or _tells_of_past(words))


def with_certain_days(text: str, occurred_at: datetime) -> str:
    """Return a text that is kept with the date behind days that are certain, as people do: yesterday (2024-05-11).

    What is only shown may be dated in full (`with_dates`): it is made anew when the reading of dates gets better.
    """
    days: list[tuple[int, str]] = []
    chinese = working_language(text) == "zh"
    for found in find_dates(text, reference=occurred_at):
        is_certain = found.relative and found.granularity == "day" and not _OPEN_DAY.fullmatch(found.text)
        if is_certain and not DATE_BEHIND.match(text, found.end) and not _is_duration(text, found):
            day = found.begin.date().isoformat()
            days.append((found.end, f"（{day}）" if chinese else f" ({day})"))
    return _with_notes(text, days)

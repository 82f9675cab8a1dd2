"""Dates and times as English writes them: "last Tuesday", "two weeks ago", "8 May, 2023", "the summer of 2022"."""

import re
from dataclasses import replace
from datetime import date, timedelta

from remanent.text import calendar
from remanent.text.calendar import DateContext, DateMeaning, Interval, RuleBook, Season
from remanent.text.numbers import ENGLISH_NUMERALS, english_value
from remanent.text.regex import alternation

ENGLISH_DATES = RuleBook()

_MONTH_NAMES, _WEEKDAY_NAMES = ([name[:3] for name in names] for names in (calendar.MONTHS, calendar.WEEKDAYS))
MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
# These are names of months and nothing else; "may" and "march" are verbs, too.
_SURE_MONTH = r"(?:January|February|April|June|July|August|September|October|November|December)\b"
_WEEKDAY = (
    r"(?:Mon(?:day)?|Tue(?:s|sday)?|Wed(?:s|nesday)?|Thu(?:r|rs|rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)\b\.?"
)
_FULL_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b(?!\s*(?:%|percent|people|dollars|words|times|miles|kg|km))"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_SEASON = r"(?P<season>spring|summer|fall|autumn|winter)"
_PART = r"(?P<part>morning|afternoon|evening|night)\b"
_NO_HABIT = r"(?!\s+(?:morning|afternoon|evening|night)s\b)"
# "The last Friday of the month", "the second Tuesday of October": one of several, whenever they were counted.
_NOT_OF = r"(?!\s+of\b)"
_STAGE = r"(?:(?P<stage>early|mid|late|(?:the\s+)?(?:beginning|start|middle|end)\s+of)[\s-]+(?:in\s+)?)?"
_NUMERAL = f"(?:{alternation(ENGLISH_NUMERALS)})"
_NUMBER = (
    r"(?P<number>\d{1,4}|an?|half\s+an?|(?:a\s+)?couple(?:\s+of)?|(?:a\s+)?few|several|"
    rf"{_NUMERAL}(?:[\s-]{_NUMERAL}){{0,20}}+)"  # as many words as it takes to say 999,999,999,999
)
_UNIT = r"(?P<unit>second|sec|minute|min|hour|hr|day|night|week|weekend|fortnight|month|quarter|year|decade)s?\b"
_MONTH_WORDS, _WEEKDAY_WORDS = " ".join(_MONTH_NAMES), " ".join(_WEEKDAY_NAMES)
# What a rule needs to find anything: most texts lack it and are not searched.
_UNIT_WORDS = "sec min hour hr day night week month quarter year decade"
_BEFORE = frozenset({"last", "past", "previous", "prior"})


# ── days, months, years ──────────────────────────────────────────────────────


@ENGLISH_DATES.rule(
    rf"\b(?P<month>{MONTH})(?:\s+(?:the\s+)?|-){_DAY}\b(?![:\d])(?:[\s,-]+{_YEAR})?",
    rf"\b(?:the\s+)?{_DAY}(?:(?:\s+of\s+)|\s*|-)(?P<month>{MONTH})(?:[\s,-]+{_YEAR})?",
    rf"\b{_DAY}\s?(?:[-–—]|to)\s?(?P<last>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<month>{MONTH})(?:[\s,]+{_YEAR})?",
    rf"\b(?P<month>{MONTH})\s+{_DAY}\s?[-–—]\s?(?P<last>\d{{1,2}})(?:st|nd|rd|th)?\b(?:[\s,]+{_YEAR})?",
    words=_MONTH_WORDS,
)
def _days_of_month(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """8 May 2023, the 8th of May, May 8, March-15-2024; May 8-10, 2023; 8 to 10 May."""
    last = match.groupdict().get("last")
    if not last and match["month"] in {"may", "march"} and match[0][-1].isdecimal() and not match["year"]:
        return None  # rather the verb: "I may 5 times"
    number, first = _month_number(match["month"]), int(match["day"])
    year = int(match["year"]) if match["year"] else view.year_of(number, first, match)
    span = calendar.days_of_month(year, number, first, int(last or first))
    return _of_year(span, is_known=bool(match["year"])) if span else None


@ENGLISH_DATES.rule(rf"\b{_STAGE}(?P<month>{MONTH})\s*,?\s*(?:of\s+|')?{_YEAR}", words=_MONTH_WORDS)
@ENGLISH_DATES.rule(
    (
        rf"(?i:\b(?:(?P<skip>in|since|until|till|by|during|from|to|through|before|after|around|of|and|between)\s+){_STAGE})"
        rf"(?P<month>{MONTH})(?!\s+\d)"
    ),
    rf"(?i:\b{_STAGE}(?P<lead>last|this|next)\s+)(?P<month>{MONTH})",
    flags=0,
    words=_MONTH_WORDS,
)
@ENGLISH_DATES.rule(
    rf"(?i:\b{_STAGE})(?P<month>{_SURE_MONTH})(?!\s+\d)", flags=0, words="uary april june july august ber"
)
@ENGLISH_DATES.rule(rf"(?P<month>May|March)(?=\s?(?:[-–—]|to|through|until)\s?{MONTH})", flags=0, words=_MONTH_WORDS)
def _month(match: re.Match[str], view: DateContext) -> DateMeaning:
    """May 2023, in May, last May, early June, the end of October 2022."""
    groups = match.groupdict()
    number = _month_number(match["month"])
    year = int(groups["year"]) if groups.get("year") else _year_of_month(number, groups.get("lead"), match, view)
    interval = _staged(groups.get("stage"), calendar.month(year, number), year, number)
    if groups.get("lead"):
        return DateMeaning(interval, relative=True)
    return _of_year(interval, is_known=bool(groups.get("year")))


def _of_year(interval: Interval, *, is_known: bool) -> DateMeaning:
    """Return what a part of a year means, whose year is either known or what the moment makes likely."""
    return DateMeaning(interval, relative=not is_known, within=None if is_known else "year")


def _year_of_month(number: int, lead: str | None, match: re.Match[str], view: DateContext) -> int:
    """Return the year of a month without one: "last May" is over, "next May" is to come, "May" the nearest."""
    this = view.today.year
    if lead is None:
        return view.year_of(number, 1, match)
    if lead.lower() == "last":
        return this if number < view.today.month else this - 1
    if lead.lower() == "next":
        return this if number > view.today.month else this + 1
    return this


def _staged(stage: str | None, whole: Interval, year: int, number: int | None) -> Interval:
    """Return the part of a month or year that "early", "mid", "the end of" name."""
    if not stage:
        return whole
    first = stage.lower().removeprefix("the").split()[0]
    early = first in {"early", "beginning", "start"}
    name = "early" if early else "mid" if first in {"mid", "middle"} else "late"
    if number is None:
        return calendar.part_of_year(year, name)  # type: ignore[arg-type]  # one of the three
    return calendar.part_of_month(year, number, name)  # type: ignore[arg-type]  # one of the three


@ENGLISH_DATES.rule(
    r"(?<=(?:19|20)\d\d[-–—])(?P<year>(?:19|20)\d\d)(?![\d/-])",
    r"(?<![\w.,/$-])(?P<year>(?:19|20)\d\d)(?=\s?[-–—]\s?(?:19|20)\d\d(?![\d-]))",
    r"\A\s*(?P<year>(?:19|20)\d\d)(?=[\s.。]*\Z)",
    r"(?<=\()(?P<year>(?:19|20)\d\d)(?=\))",
    rf"\b(?P<stage>early|mid|late|(?:the\s+)?(?:beginning|start|middle|end)\s+of)[\s-]+{_YEAR}",
    (
        rf"\b(?P<skip>in|since|by|until|till|before|after|during|of|from|to|through|around|circa|year|and|between)\s+{_STAGE}"
        rf"{_YEAR}(?![,.]\d|:|\s+[a-z]+s\b)"
    ),
    words="19 20",
)
def _year(match: re.Match[str], view: DateContext) -> DateMeaning:
    """in 2022, late 2021, (2019)."""
    groups = match.groupdict()
    number = int(match["year"])
    return DateMeaning(_staged(groups.get("stage"), calendar.year(number), number, None))


@ENGLISH_DATES.rule(
    rf"\b(?P<skip>in the|during the|over the|in|by|since)\s+{_SEASON}\b(?!\s+of)",
    rf"\b(?P<lead>last|this past|this|next|this coming)\s+{_SEASON}\b",
    rf"\b(?:the\s+)?{_SEASON}(?:\s+of)?\s+{_YEAR}",
    words="spring summer fall autumn winter",
)
def _season(match: re.Match[str], view: DateContext) -> DateMeaning:
    """summer 2022, the summer of 2022, last winter, over the summer."""
    groups = match.groupdict()
    name: Season = "autumn" if match["season"].lower() == "fall" else match["season"].lower()  # type: ignore[assignment]
    if groups.get("year"):
        return DateMeaning(calendar.season(int(groups["year"]), name))
    lead = (groups.get("lead") or "").lower()
    return DateMeaning(calendar.season_near(name, lead, view.now, ahead=view.is_ahead(match)), relative=True)


@ENGLISH_DATES.rule(rf"\bQ(?P<number>[1-4])(?:[\s,/'-]*(?:of\s+)?{_YEAR})?", flags=0)
@ENGLISH_DATES.rule(rf"\b(?:the\s+)?(?P<number>first|second|third|fourth|last)\s+quarter(?:\s+of\s+{_YEAR})")
def _quarter(match: re.Match[str], view: DateContext) -> DateMeaning:
    """Q3 2023, the third quarter of 2023."""
    names = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
    number = names.get(match["number"].lower()) or int(match["number"])
    year = int(match["year"]) if match["year"] else view.today.year
    return DateMeaning(calendar.quarter(year, number), relative=not match["year"])


@ENGLISH_DATES.rule(r"\bthe\s+(?P<stage>early|mid|late)?[\s-]?(?P<first>(?:1[89]|20)\d0|'?[2-9]0)'?s\b", words="0s 0's")
def _decade(match: re.Match[str], view: DateContext) -> DateMeaning:
    """the 1990s, the '80s."""
    first = int(match["first"].lstrip("'"))
    return DateMeaning(calendar.decade(first if first > 100 else 1900 + first))


@ENGLISH_DATES.rule(r"\b(?:the\s+)?(?P<number>\d{1,2})(?:st|nd|rd|th)\s+century\b", words="century")
def _century(match: re.Match[str], view: DateContext) -> DateMeaning:
    """the 19th century."""
    return DateMeaning(calendar.century(int(match["number"])))


# ── seen from the moment ─────────────────────────────────────────────────────


@ENGLISH_DATES.rule(
    r"\b(?P<word>(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|yesterday|today|tomorrow)"
    rf"(?:\s+{_PART})?\b",
    r"\b(?P<word>tomorrow|today)\s+(?P<on>week)\b(?!\s+(?:\d|one\b|two\b|three\b|four\b))",
    r"(?<!\bbe )(?<!\bbeen )(?<!\bis )(?<!['’]s )(?<!\bwas )(?<!\bfor )(?<!\bof )(?<!\bhere )(?<!\b(?:lo|wa|co)st )"
    r"\ba\s+(?P<on>week)\s+(?:from\s+)?(?P<word>tomorrow|today)\b",
    r"\ba\s+(?P<on>week)\s+from\s+(?P<word>tomorrow|today)\b",
    words="yesterday today tomorrow",
)
def _near_day(match: re.Match[str], view: DateContext) -> DateMeaning:
    """yesterday, tomorrow morning, the day before yesterday, tomorrow week."""
    word, groups = match["word"].lower(), match.groupdict()
    shift = {"yesterday": -1, "today": 0, "tomorrow": 1}.get(word, -2 if "before" in word else 2)
    return calendar.day_or_part(
        view.today + timedelta(days=shift, weeks=1 if groups.get("on") else 0), groups.get("part")
    )


@ENGLISH_DATES.rule(
    r"\b(?P<word>tonight|last\s+night|this\s+(?:morning|afternoon|evening)|earlier\s+today)\b",
    words="tonight night this earlier",
)
def _part_of_today(match: re.Match[str], view: DateContext) -> DateMeaning:
    """this morning, tonight, last night."""
    word = match["word"].lower().split()
    if word[0] == "last":
        return calendar.day_or_part(view.today - timedelta(days=1), "night")
    part = {"earlier": None, "tonight": "night"}.get(word[0], word[-1])
    return calendar.day_or_part(view.today, part)


@ENGLISH_DATES.rule(
    r"\bthe\s+(?P<unit>weekend|week|month|quarter|year)\s+(?P<twice>before\s+last|after\s+next)\b",
    (
        r"\b(?:the\s+)?(?P<lead>last|past|previous|prior|this\s+past|this\s+coming|this|current|next|coming|following)\s+"
        rf"(?P<unit>weekend|week|month|quarter|year|decade)\b(?!\s+(?:before|after)\s){_NOT_OF}"
    ),
    words="week month quarter year decade",
)
def _near_unit(match: re.Match[str], view: DateContext) -> DateMeaning:
    """last week, this month, next year, the week before last."""
    groups = match.groupdict()
    if groups.get("twice"):
        shift = -2 if groups["twice"].lower().startswith("before") else 2
    else:
        lead = groups["lead"].lower().split()
        shift = -1 if lead[-1] in _BEFORE else 1 if lead[-1] in {"next", "coming", "following"} else 0
        if lead == ["this", "coming"] and match["unit"].lower() == "weekend":
            shift = 0
    return DateMeaning(calendar.unit_near(match["unit"].lower(), shift, view.today), relative=True)


@ENGLISH_DATES.rule(
    rf"\b(?P<lead>last|this\s+past|this\s+coming|this|next|the\s+previous|the\s+following)\s+(?P<weekday>{_WEEKDAY})"
    rf"{_NOT_OF}(?:\s+{_PART})?",
    words=_WEEKDAY_WORDS,
)
@ENGLISH_DATES.rule(
    rf"\b(?P<weekday>{_FULL_WEEKDAY}){_NO_HABIT}(?:\s+{_PART})?(?:\s+(?:of\s+)?(?P<lead>last|next|this)\s+week\b)?"
    rf"{_NOT_OF}",
    words="monday tuesday wednesday thursday friday saturday sunday",
)
@ENGLISH_DATES.rule(rf"(?<=[(（,])\s?(?P<weekday>{_WEEKDAY})(?=\s?[)）,])", words=_WEEKDAY_WORDS)
def _weekday(match: re.Match[str], view: DateContext) -> DateMeaning:
    """last Tuesday, next Friday evening, on Monday, Monday next week."""
    number = _WEEKDAY_NAMES.index(match["weekday"][:3].lower())
    groups = match.groupdict()
    lead = (groups.get("lead") or "").lower().removeprefix("the ")
    if match[0].lower().endswith(" week"):
        shift = {"last": -1, "this": 0, "next": 1}[lead]
        day = calendar.weekday_in_week(view.today + timedelta(weeks=shift), number)
    elif lead in {"last", "this past", "previous"}:
        day = calendar.weekday_before(view.today, number)
    elif lead in {"next", "following", "this coming"} or (not lead and view.is_ahead(match)):
        day = calendar.weekday_after(view.today, number)
    elif lead == "this":
        day = calendar.weekday_in_week(view.today, number)
    else:
        day = view.today if view.today.weekday() == number else calendar.weekday_before(view.today, number)
    meaning = calendar.day_or_part(day, groups.get("part"))
    return replace(meaning, weekday=not groups.get("part"), within=None if lead else "week")


@ENGLISH_DATES.rule(
    rf"\b(?:the\s+)?(?P<weekday>{_FULL_WEEKDAY})\s+(?P<way>before\s+last|after\s+next|week)\b{_NOT_OF}",
    rf"\b{_NUMBER}\s+(?P<weekday>{_FULL_WEEKDAY[:-2]})s\s+(?P<way>ago|from\s+now)\b",
    rf"\b{_NUMBER}\s+(?P<unit>week)s?\s+(?P<way>from|on|ago\s+on|ago\s+last)\s+(?P<weekday>{_FULL_WEEKDAY})",
    words=_WEEKDAY_WORDS,
)
def _counted_weekday(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """the Sunday before last, two Fridays ago, a week on Monday, two weeks ago on Tuesday."""
    groups, way = match.groupdict(), match["way"].lower()
    number = _WEEKDAY_NAMES.index(match["weekday"][:3].lower())
    count = round(amount_of(groups["number"])) if groups.get("number") else 1
    if groups.get("unit") and way.startswith("ago"):
        return calendar.day_or_part(calendar.weekday_in_week(view.today - timedelta(weeks=count), number), None)
    weeks = count - ("from now" in " ".join(way.split()) or way == "ago")
    if way == "ago" or way.startswith("before"):
        return calendar.day_or_part(calendar.weekday_before(view.today, number) - timedelta(weeks=weeks), None)
    return calendar.day_or_part(calendar.weekday_after(view.today, number) + timedelta(weeks=weeks), None)


@ENGLISH_DATES.rule(
    rf"\b{_NUMBER}\s+{_UNIT}\s+(?P<way>ago|back|earlier|from\s+now|from\s+today|hence)\b",
    words="ago back earlier from hence",
)
@ENGLISH_DATES.rule(
    rf"\b(?P<way>in)\s+(?:about\s+)?{_NUMBER}\s+{_UNIT}(?!\s+(?:of|to|ago|on)\b)(?:'\s+time)?", words=_UNIT_WORDS
)
def _distance(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """two weeks ago, in three days, a couple of months from now."""
    amount = amount_of(match["number"])
    ahead = match["way"].lower().startswith(("in", "from", "hence"))
    return DateMeaning(
        calendar.unit_at_distance(amount if ahead else -amount, match["unit"].lower(), view.now), relative=True
    )


def amount_of(written: str) -> float:
    """Return how many "three", "a couple of", "half an" are; a few are three."""
    word = re.sub(r"\s+", " ", written.lower())
    if word.isdecimal():
        return int(word)
    if "couple" in word:
        return 2
    if "few" in word:
        return 3
    if word == "several":
        return 4
    if word.startswith("half"):
        return 0.5
    return 1 if word in {"a", "an"} else float(english_value(word) or 1)


@ENGLISH_DATES.rule(
    rf"\b(?:the\s+|these\s+)?(?P<lead>last|past|previous|next|coming)\s+{_NUMBER}\s+{_UNIT}", words=_UNIT_WORDS
)
def _stretch(match: re.Match[str], view: DateContext) -> DateMeaning:
    """the last three days, the past few weeks, the next two months."""
    ahead = match["lead"].lower() in {"next", "coming"}
    return DateMeaning(
        calendar.window(amount_of(match["number"]), match["unit"].lower(), view.now, ahead=ahead), relative=True
    )


# ── times of day, holidays ───────────────────────────────────────────────────


@ENGLISH_DATES.rule(
    r"\b(?:in\s+the\s+(?P<part>morning|afternoon|evening)|at\s+(?P<night>night))\b",
    words="morning afternoon evening night",
)
def _waiting_part(match: re.Match[str], view: DateContext) -> DateMeaning:
    """in the morning: of whatever day stands beside it."""
    return calendar.waiting_part((match["part"] or "night").lower())  # type: ignore[arg-type]  # one of the parts


@ENGLISH_DATES.rule(
    r"\b(?P<near>half\s+past|quarter\s+past|quarter\s+to)\s+(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    r"\b(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+o'?’?clock\b",
    r"\b(?:at|around|by|until|before|after)\s+(?P<word>noon|midday|midnight)\b",
    words="noon midday midnight clock past quarter",
)
def _spoken_clock(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """at noon, five o'clock, half past five."""
    groups = match.groupdict()
    if word := groups.get("word"):
        return calendar.clock_time(0 if word.lower() == "midnight" else 12, None, None)
    written = match["hour"]
    hour = int(written) if written.isdecimal() else int(english_value(written) or 0)
    near = (groups.get("near") or "").lower().split()
    if not near:
        return calendar.clock_time(hour, None, None)
    minute = 30 if near[0] == "half" else 15 if near[-1] == "past" else 45
    return calendar.clock_time(hour - (near[-1] == "to"), minute, None)


_HOLIDAYS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "new year's eve": (12, 31),
    "new year's day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14), "independence day": (7, 4),
}  # fmt: skip


@ENGLISH_DATES.rule(
    r"\b(?:(?P<lead>last|this|next)\s+)?(?P<name>Christmas(?:\s+(?:Eve|Day))?|New\s+Year['’]s\s+(?:Eve|Day)|Halloween"
    rf"|Valentine['’]s\s+Day|Independence\s+Day|Thanksgiving)\b(?:[\s,]+(?:of\s+|in\s+)?{_YEAR})?",
    words="christmas new halloween valentine independence thanksgiving",
)
def _holiday(match: re.Match[str], view: DateContext) -> DateMeaning:
    """Christmas 2022, last Halloween, Thanksgiving."""
    name = re.sub(r"\s+", " ", match["name"].lower()).replace("’", "'")
    if match["year"]:
        return DateMeaning(calendar.day(_holiday_in(name, int(match["year"]))))
    this = [_holiday_in(name, view.today.year + shift) for shift in (-1, 0, 1)]
    lead = (match["lead"] or "").lower()
    if lead == "next" or (not lead and view.is_ahead(match)):
        day = next(one for one in this if one >= view.today)
    elif lead == "this":
        day = this[1]
    else:
        day = next(one for one in reversed(this) if one <= view.today and not (lead == "last" and one == view.today))
    return DateMeaning(calendar.day(day), relative=True, within=None if lead else "year")


def _holiday_in(name: str, year: int) -> date:
    """Return the day of a holiday in a year; Thanksgiving is the fourth Thursday of November."""
    if name == "thanksgiving":
        first = date(year, 11, 1)
        return first + timedelta(days=(3 - first.weekday()) % 7 + 21)
    return date(year, *_HOLIDAYS[name])


def _month_number(name: str) -> int:
    """Return the number of a month from its English name."""
    return _MONTH_NAMES.index(name[:3].lower()) + 1

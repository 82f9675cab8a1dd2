"""Dates behind words that had a meaning only on the day they were said: "yesterday [2023-05-07]".

Who reads a memory later takes "yesterday" for another day. A weekday in a sentence that tells of a habit has no date
("every Tuesday" was given that of the last one), nor has one inside a word: "Sunday morning [2026-10-25]s" stood in
what a model reads.
"""

import re
from datetime import datetime, timedelta

from remanent.model import local
from remanent.text.date_rules import speaks_of_future, speaks_of_past
from remanent.text.dates import TimeMention, find_dates
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.sentences import sentences
from remanent.text.stemming import is_past_form

_RELATIVE = lazy_regex(
    r"\b(?:yesterday|tomorrow|tonight|today|ago|recently|(?:last|past|next|this|coming|previous|earlier)\s+"
    r"(?!one\b|time\b|thing\b|is\b|was\b|and\b|to\b)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend)\b|"
    r"[昨今明前后去上下本][天日晚早晨夜年月周个]|大[前后]天|[周上下]末|星期|礼拜|周[一二三四五六日天]|[天日周月年]前|[天日周月年][之以]?后",
    re.IGNORECASE,
)
_REPEATED = lazy_regex(r"\b(?:every|each|any|most)\s+\Z|每[个逢到]?\Z", re.IGNORECASE)
"""Before "Tuesday" it says that no certain one is meant."""
_REACH = 12
"""Characters before a date within which such a word stands."""
_WEEKDAY = lazy_regex(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天末]", re.IGNORECASE)
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
DATE_BEHIND = lazy_regex(r"\s*[\[(（]\d{4}(?:-\d\d){0,2}(?: – \d{4}(?:-\d\d){0,2})?[\])）]")
"""A date behind words, in whichever brackets: a memory that was made of a turn may have it already."""
RESOLVED = lazy_regex(r" ?\[\d{4}(?:-\d\d){0,2}(?: – \d{4}(?:-\d\d){0,2})?\]")
"""A date that was put behind words such as "yesterday"."""
_CLAUSE = 200
"""Characters before a date in which it is looked for whether its sentence tells of the past."""
_DAYS = frozenset({"second", "minute", "hour", "part", "day"})


def with_dates(text: str, occurred_at: datetime, *, is_dated: bool = True) -> str:
    """Return a text with the date behind what had a meaning only on the day it was said: "yesterday [2023-05-07]".

    Where the date of that day is told (`is_dated`), "today" needs no other.
    """
    if not _RELATIVE.search(text):
        return text
    parts, position = list[str](), 0
    for sentence in sentences(text):
        words = sentence.of(text)
        if not _RELATIVE.search(words):
            continue
        is_told_past: bool | None = None
        is_habit = _HABIT.search(words) or ("都" in words and not {"了", "过"} & set(words))
        for mention in find_dates(words, reference=occurred_at):
            if not mention.relative or (is_dated and mention.begin.date() == local(occurred_at).date()):
                continue
            if _WEEKDAY.match(mention.text):
                if is_told_past is None:  # once for a sentence, however many weekdays it has
                    is_told_past = _tells_of_past(words)
                if is_habit or not _is_settled(words, mention, occurred_at, is_told_past=is_told_past):
                    continue
            if _REPEATED.search(words[max(0, mention.start - _REACH) : mention.start]) or DATE_BEHIND.match(
                words, mention.end
            ):
                continue
            end = sentence.start + mention.end
            space = " " if text[end - 1].isascii() else ""
            parts.append(f"{text[position:end]}{space}[{_date_of(mention)}]")
            position = end
    return "".join([*parts, text[position:]])


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
    is_past = mention.begin.date() < local(occurred_at).date()
    if not mention.text.isascii():
        return is_past and speaks_of_past(words, mention.end)
    return is_past and is_told_past


def _date_of(mention: TimeMention) -> str:
    """Return when something was, no finer than its words."""
    first, last = mention.begin, mention.finish - timedelta(seconds=1)
    if mention.granularity in _DAYS:
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
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天]|.*\d月.*"
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
    parts, position = list[str](), 0
    chinese = working_language(text) == "zh"
    for found in find_dates(text, reference=occurred_at):
        is_certain = found.relative and found.granularity == "day" and not _OPEN_DAY.fullmatch(found.text)
        if is_certain and not DATE_BEHIND.match(text, found.end) and not _is_duration(text, found):
            day = found.begin.date().isoformat()
            parts.append(text[position : found.end] + (f"（{day}）" if chinese else f" ({day})"))
            position = found.end
    return "".join([*parts, text[position:]])

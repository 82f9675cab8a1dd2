"""Amounts and times of a sentence in a form that can be compared, and the cases that an amount falls into.

A sentence with several cases (1 to 10 years: 5 days; 10 to 20 years: 10 days) has the words of whoever asks of one of
them and the figures of all: the first one answered everybody. An amount that bounds something by itself, as a limit
does, makes no case.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from remanent.lightweight import dataclass
from remanent.text.dates import find_dates
from remanent.text.numbers import Quantity, chinese_value, measures, quantities
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language

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
PEOPLE = frozenset("people person 人 名 位 口 member employee guest visitor student resident inhabitant".split())


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
        people = {self.unit, other.unit} <= PEOPLE
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


_INCLUDED = r"\s*+(?:[(（]不?含[^()（）]{0,6}[)）]|及|或|and|or)?+\s*+"
# From a lower bound on, above it, up to an upper bound, and below it: what stands before the amount, and behind it.
_BEFORE = {
    name: lazy_regex(rf"(?:{zh}|\b(?:{en}))\s*\Z", re.IGNORECASE)
    for name, zh, en in (
        ("below", "[不未]满|不足|不到|少于|低于|小于", "under|below|less than|fewer than"),
        ("to", "不超过|最多|至多", "up to|at most|(?:no|not) more than|within"),
        ("from", "(?<![不未])满|达到?|至少|不少于|不低于", "at least|from|(?:no|not) less than"),
        ("above", "(?<!不)超过|大于|高于", r"over|(?<!no )(?<!not )more than|above|exceeding|beyond"),
    )
}
_BEHIND = {
    "to": lazy_regex(rf"{_INCLUDED}(?:[以之][下内]|\b(?:less|fewer|under|below|younger)\b)", re.IGNORECASE),
    "from": lazy_regex(rf"{_INCLUDED}(?:[以之]上|起(?!步)|\+|\b(?:more|above|over|longer|older|up)\b)", re.IGNORECASE),
}
_TO_NEXT = lazy_regex(r"\s*(?:[-–—~～]|[至到]|to)\s*", re.IGNORECASE)
_ON = lazy_regex(rf"{_INCLUDED}(?:[以之]上|起)?的?{_INCLUDED}[、，,]?\s*(?:but|and|但|而|且)?\s*", re.IGNORECASE)
"""What may stand between the two bounds of one case: 满3年（含），不满8年."""
_BORDER = lazy_regex(r"[;；,，。]\s*|(?<!\d)\.\s+|\s(?=and (?:those|for|with|from|over|under|up|between)\b)")
_LABEL = lazy_regex(r"(?P<label>[^:：,，;；。]{1,40})[:：][^:：,，;；。]{0,12}\Z")
_NUMERAL = lazy_regex(r"[\d.,\s零〇一二两三四五六七八九十百千万亿半+-]+|\b[a-z]+-(?=[a-z])")
_NEAR = 16
"""Characters before an amount in which what makes it a bound may stand. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class AmountCase:
    """The bounds of a case, and where they stand in a text."""

    start: int
    end: int
    low: float
    high: float


def amounts_of(question: str) -> list[Quantity]:
    """Return the amounts that a question tells: each may be what its case goes by."""
    return [one for one in quantities(_plain(question)) if one.dimension != "ordinal"]


@lru_cache(maxsize=2_048)
def cases_of(asked: Quantity, text: str) -> tuple[AmountCase, ...]:
    """Return the cases of a text that go by an amount of the sort that is asked of."""
    text = _plain(text)
    known = [one for one in quantities(text) if _is_alike(asked, one, text)]
    found: list[AmountCase] = []
    at = 0
    while at < len(known):
        one, other = known[at], known[at + 1] if at + 1 < len(known) else None
        bound = _bound(text, one)
        if other is not None and _is_range(text, one, other, bound):
            high = _limit(other, _bound(text, other))
            found.append(AmountCase(one.start, other.end, _limit(one, bound), high))
            at += 1
        elif bound in {"from", "above"}:
            found.append(AmountCase(one.start, one.end, _limit(one, bound), math.inf))
        elif bound:
            found.append(AmountCase(one.start, one.end, -math.inf, _limit(one, bound)))
        at += 1
    return tuple(found)


def _limit(one: Quantity, bound: str) -> float:
    """Return the first amount that is of a case, or the last: above three is the next number after three."""
    beyond = {"above": math.inf, "below": -math.inf}.get(bound)
    return one.base_value if beyond is None else math.nextafter(one.base_value, beyond)


def holding(value: float, cases: Sequence[AmountCase]) -> list[AmountCase]:
    """Return the cases that an amount is of; of those open to one side, which hold for all beyond, the nearest."""
    held = [one for one in cases if one.low <= value <= one.high]
    low = max((one.low for one in held), default=0.0)
    high = min((one.high for one in held), default=0.0)
    return [
        one
        for one in held
        if not (one.high == math.inf and one.low < low) and not (one.low == -math.inf and one.high > high)
    ]


def case_told(question: str, text: str) -> str | None:
    """Return of a text with several cases what it says of the one that a question asks of, word for word.

    What is left out between stands for itself; nothing where no case is its, and None where the text has no two cases.
    """
    for asked in amounts_of(question):
        cases = cases_of(asked, text)
        if len(cases) < 2:
            continue
        held = holding(asked.base_value, cases)
        starts = [0, *(_border(text, one.end, other.start) for one, other in pairwise(cases))]
        if 0 in starts[1:]:
            return text if held else ""
        first = max(text.rfind(colon, 0, cases[0].start) for colon in ":：") + 1
        spans = list(zip([first, *starts[1:]], [*starts[1:], len(text)], strict=True))
        return _with_head(text, first, [span for span, case in zip(spans, cases, strict=True) if case in held])
    return None


def _with_head(text: str, head: int, spans: Sequence[tuple[int, int]]) -> str:
    """Return the head of a text and some stretches of it, with a mark for what is left out."""
    if not spans:
        return ""
    between = "" if working_language(text) == "zh" else " "
    parts = [text[:head].strip()] if head else []
    at = head
    for start, end in spans:
        if start > at:
            parts.append("…")
        parts.append(text[start:end].strip())
        at = end
    if at < len(text.rstrip()):
        parts[-1] = parts[-1].rstrip(";；,，、 ")
        parts.append("…")
    return between.join(parts)


def _border(text: str, start: int, end: int) -> int:
    """Return where a case begins that is told behind another one; 0 where nothing parts them."""
    return max((start + found.end() for found in _BORDER.finditer(text[start:end])), default=0)


_AND = lazy_regex(r"(?<=\bbetween )(\S+) and (?=\S)", re.IGNORECASE)
_ONE_SIGN = lazy_regex(
    r"(?<![零〇一二两三四五六七八九十百千万亿第])[一二两三四五六七八九](?=[到至~～-][\d一二两三四五六七八九十])"
)


def _plain(text: str) -> str:
    """Return a text, as long as it is, with ranges as they are read best, and without weeks that are none: 周岁."""
    text = _AND.sub(r"\1 to  ", text.replace("周岁", " 岁").replace("周年", " 年"))
    return _ONE_SIGN.sub(lambda found: str(chinese_value(found[0])), text)


def _is_alike(asked: Quantity, one: Quantity, text: str) -> bool:
    """Tell whether an amount is of the sort that is asked of; a bare one may have its unit in a label: Years: 1–10."""
    if one.base_unit == asked.base_unit:
        return True
    unit = _NUMERAL.sub("", asked.text).strip().rstrip("s")
    label = _LABEL.search(text, max(0, one.start - 60), one.start) if one.dimension == "number" and unit else None
    return label is not None and unit.casefold() in label["label"].casefold()


def _bound(text: str, one: Quantity) -> str:
    before = text[max(0, one.start - _NEAR) : one.start]
    found = next((name for name, pattern in _BEFORE.items() if pattern.search(before)), "")
    return found or next((name for name, pattern in _BEHIND.items() if pattern.match(text, one.end)), "")


def _is_range(text: str, one: Quantity, other: Quantity, bound: str) -> bool:
    """Tell whether two amounts are the bounds of one case: 3 to 8 years, 满3年不满8年."""
    between = text[one.end : other.start]
    if _TO_NEXT.fullmatch(between):
        return True
    if bound not in {"from", "above"} or _bound(text, other) not in {"below", "to"}:
        return False
    return any(_ON.fullmatch(pattern.sub("", between)) for pattern in (_BEFORE["below"], _BEFORE["to"]))


# ── values that others came in the place of ──────────────────────────────────

_END = r"(?=\s*[,;.!?，；。！？)）]|\s*\Z|\s(?:to|by|from|on|since|because|for|as|in|and|but)\b)"
_OLD_VALUE = lazy_regex(
    r"\b(?:instead of|rather than|in place of|no longer|not any more|replac(?:e[sd]?|ing))\s+"
    rf"(?:(?:at|in|on|by|the|from|for)\s+)*(?P<en>\S[^,;!?]{{0,40}}?){_END}(?<!\d[.])|"
    r"\b(?:moved|changed|postponed|brought forward|raised|lowered|cut|reduced|increased|shifted|extended|delayed|"
    r"dropped|rose|fell|went (?:up|down))\s+from\s+(?P<moved>\S[^,;!?]{0,40}?)\s+to\b|"
    r"[由从](?P<zh>[^，,；;。由从]{1,20}?)(?=(?:推迟|延[后期长迟]|提[前高升]|顺延|改|调[整高低]|更[换改]|变更|换|升|降|增|减|涨|搬|迁)"
    r"[^，,；;。]{0,3}?[到至为成])|(?:不再|而不|取代|代替|替换)(?:是|为|从|在|由)?(?P<gone>[^，,；;。！？]{1,20})",
    re.IGNORECASE,
)
"""What a sentence says was so before, where it says that something else is so now."""
_LEADING_ZERO = lazy_regex(r"(?<!\d)0(?=\d[:：])")


def old_values(text: str) -> tuple[str, ...]:
    """Return the values that a sentence says others came in the place of: 08:10 of "now at 08:40 instead of 08:10"."""
    return tuple(found[found.lastgroup or 0].strip() for found in _OLD_VALUE.finditer(text))


def tells_value(text: str, value: str) -> bool:
    """Tell whether a sentence tells a value as one that holds, and not as one that something came in the place of."""
    text, value = (_LEADING_ZERO.sub("", one).casefold() for one in (_OLD_VALUE.sub(" ", text), value))
    bounded = rf"(?<![A-Za-z0-9.:]){re.escape(value)}(?![A-Za-z0-9:]|\.\d)" if value.isascii() else re.escape(value)
    return re.search(bounded, text) is not None

"""Cases told apart by an amount, and which of them a question asks of: 1 to 10 years: 5 days; 10 to 20 years: 10 days.

A sentence with several cases has the words of whoever asks of one of them and the figures of all: the first one
answered everybody. An amount that bounds something by itself, as a limit does, makes no case.
"""

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from remanent.text.numbers import Quantity, chinese_value, quantities
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.values import dataclass

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
_RANGE = lazy_regex(r"\s*(?:[-–—~～]|[至到]|to)\s*", re.IGNORECASE)
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
        return _joined(text, first, [span for span, case in zip(spans, cases, strict=True) if case in held])
    return None


def _joined(text: str, head: int, spans: Sequence[tuple[int, int]]) -> str:
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
    if _RANGE.fullmatch(between):
        return True
    if bound not in {"from", "above"} or _bound(text, other) not in {"below", "to"}:
        return False
    return any(_ON.fullmatch(pattern.sub("", between)) for pattern in (_BEFORE["below"], _BEFORE["to"]))

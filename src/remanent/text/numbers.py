"""Numbers in Chinese and English text, with their units and their values made comparable."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from remanent.text.english import stem
from remanent.text.numerals import (
    CHINESE_NUMERAL,
    ENGLISH_NUMERALS,
    ENGLISH_ORDINALS,
    ENGLISH_PARTS,
    SCALES,
    chinese_value,
    digits_value,
    english_value,
    ordinal_value,
)
from remanent.text.spans import Span
from remanent.text.stopwords import ENGLISH
from remanent.text.units import Dimension, Unit, units
from remanent.text.wordlists import word_set


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it stands in a text, its value, and its unit ("" for a bare number)."""

    start: int
    end: int
    text: str
    value: float
    unit: str
    dimension: Dimension
    base_value: float
    """The value in the base unit of its dimension: grams, metres, seconds, …; equal to the value where none is."""
    base_unit: str

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.start, self.end)


_NO_UNIT = Unit("", "number")
_ORDINAL = Unit("", "ordinal")
# After 一 these make a word that counts nothing: 一些, 一下, 一点.
_NOT_AFTER_ONE = frozenset("些下点样边面直起定般切旦共向")
# Words made of numerals that are no numbers, or say a number by chance only.
_NO_NUMBER = word_set("一一 千万 万一 十分 一万万 百 千 万 亿 零 两 百千 万千 三两")
_CURRENCY_PREFIX = r"(?:(?:US|HK|NT|C|A)?[$€£¥￥₩₹₿]|(?:USD|CNY|RMB|EUR|GBP|JPY|HKD|BTC|人民币)(?=\s?\d))\s?"


_DIGITS = r"(?:[0-9０-９]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9０-９]+)(?:[.．][0-9０-９]+)?"
# Digits that are no quantity: addresses, codes (A320, GPT-4), dates, clock times, versions.
_SKIPPED = r"""
    (?:https?://|www\.)\S+
  | (?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.\w+
  | (?<![A-Za-z0-9_])[A-Za-z_]+(?:-?[0-9]+(?:\.[0-9]+)*)+(?![0-9])[A-Za-z0-9_]*
  | [0-9]+(?:[-/.][0-9]+){2,}
  | [0-9]{1,2}[:：][0-9]{2}(?:[:：][0-9]{2})?
  | [0-9]{4}[-/][0-9]{1,2}(?![0-9])
  | (?:[0-9]{4}|[零〇一二三四五六七八九]{4})年
  | (?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})(?:月|日|号(?!楼|线|门)|点(?![0-9零一二三四五六七八九])|时(?!间))
"""


@cache
def _number() -> re.Pattern[str]:
    numeral = _either(ENGLISH_NUMERALS)
    parts = _either(ENGLISH_PARTS - {"third", "fourth", "fifth"})
    scales = _either(scale for scale in SCALES if scale.isascii() and len(scale) > 2)
    words = rf"(?:an?[ ])?(?:{numeral})(?:(?:[ -]|[ ]and[ ])(?:{numeral}))*"
    return re.compile(
        rf"""
        (?P<skip>{_SKIPPED})
      | 百分之(?P<percent>[{CHINESE_NUMERAL}点]+|{_DIGITS})
      | (?P<below>[{CHINESE_NUMERAL}]+)分之(?P<above>[{CHINESE_NUMERAL}]+)
      | 第(?P<place>[{CHINESE_NUMERAL}]+|[0-9]+)
      | (?P<currency>{_CURRENCY_PREFIX})?
        (?P<sign>(?<![\w)\]])[-−])?
        (?P<digits>(?:{_DIGITS}[ ]?)?[½⅓⅔¼¾⅛]|(?<![0-9/])[0-9]{{1,3}}/[0-9]{{1,3}}(?![0-9/])|{_DIGITS})
        (?P<scale>[ ]?(?:{scales})(?![A-Za-z])
          | (?-i:[kKMB]|bn|mn)(?![A-Za-z])
          | (?:[十百千]?[万亿]亿?|千|百)(?![{CHINESE_NUMERAL}]))?
        (?P<suffix>(?:st|nd|rd|th)(?![A-Za-z]))?
      | (?<![A-Za-z'-])
        (?P<words>(?:{words})(?:[ ]and[ ]a[ ](?:half|quarter)|[ ](?:{parts}))?|(?:an?[ ])?(?:{parts}))
        (?![A-Za-z])
      | (?<=\bthe[ ])(?P<ordinal>{_either(ENGLISH_ORDINALS)})(?![A-Za-z])
      | (?P<chinese>负?[{CHINESE_NUMERAL}]+(?:点[零一二三四五六七八九]+)?|半)
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


@cache
def _unit_after() -> re.Pattern[str]:
    latin = _either(name for name in units() if name[0].isascii() and name[0].isalpha())
    other = _either(name for name in units() if not (name[0].isascii() and name[0].isalpha()))
    return re.compile(
        rf"[ -]?(?:of[ ]an?[ ]|an?[ ])?(?P<latin>{latin})(?![A-Za-z0-9])"
        rf"|[ ]?(?:多|来|余)?(?:个(?P<half_time>半)(?P<time>小时|钟头|月|星期|礼拜)|(?P<other>{other})(?P<half>半)?"
        rf"(?:(?<=[米块斤])(?P<tenth>[一二三四五六七八九])(?![{CHINESE_NUMERAL}]))?)",
        re.IGNORECASE,
    )


_NOUN = re.compile(r" (?:[a-z]+ )??([a-z]{2,}s|people|children|men|women|mice|geese)(?![A-Za-z'])")
_RANGE = re.compile(r"\s?(?:[-–—~～]|to|到|至)\s?")


def quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text in order; dates with separators, clock times, versions and codes are left out."""
    found: list[Quantity] = []
    for match in _number().finditer(text):
        quantity = None if match["skip"] else _quantity(text, match)
        if quantity and (not found or quantity.start >= found[-1].end):
            found.append(quantity)
    return list(_with_range_units(text, found))


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    value = _value(match)
    if value is None:
        return None
    start, end = match.span()
    if match["percent"]:
        unit = units()["%"]
    elif match["place"] or match["suffix"] or match["ordinal"]:
        unit = _ORDINAL
    elif match["below"]:
        unit = _NO_UNIT
    else:
        unit, end, more = _unit(text, match)
        value += more
        if unit is _NO_UNIT and not _stands_alone(match):
            return None
    return _made(text, Span(start, end), value, unit)


def _made(text: str, span: Span, value: Fraction, unit: Unit) -> Quantity:
    amount = float(value)
    base = float(value * Fraction(unit.factor))
    if unit.name == "°F":
        base = float((value - 32) * Fraction(5, 9))
    return Quantity(span.start, span.end, span.of(text), amount, unit.name, unit.dimension, base, unit.base)


def _value(match: re.Match[str]) -> Fraction | None:
    if match["percent"]:
        return chinese_value(match["percent"]) or digits_value(match["percent"])
    if match["below"]:
        above, below = chinese_value(match["above"]), chinese_value(match["below"])
        return above / below if above is not None and below else None
    if match["place"]:
        return chinese_value(match["place"]) or digits_value(match["place"])
    if match["ordinal"]:
        return Fraction(ordinal_value(match["ordinal"]) or 0)
    if match["words"]:
        return english_value(match["words"])
    if match["chinese"]:
        written = match["chinese"].removeprefix("负")
        value = Fraction(1, 2) if written == "半" else chinese_value(written)
        return -value if value is not None and written != match["chinese"] else value
    return _digits(match)


def _digits(match: re.Match[str]) -> Fraction | None:
    written = match["digits"]
    whole, fraction = (written[:-1], written[-1]) if written[-1] in "½⅓⅔¼¾⅛" else (written, "")
    value = digits_value(whole) if whole.strip() else Fraction(0)
    if value is None:
        return None
    if fraction:
        value += digits_value(fraction) or 0
    if match["scale"]:
        scale = match["scale"].strip().lower()
        value *= SCALES[scale] if scale in SCALES else chinese_value(scale) or 1
    return -value if match["sign"] else value


def _unit(text: str, match: re.Match[str]) -> tuple[Unit, int, Fraction]:
    """Return the unit before or after a number, where it ends, and what stands after it and adds to the number."""
    end = match.end()
    nothing = Fraction(0)
    if match["currency"]:
        sign = match["currency"].strip()
        return units().get(sign) or units().get(sign.lower()) or _NO_UNIT, end, nothing
    after = _unit_after().match(text, end)
    if after and after["latin"]:
        name = after["latin"]
        unit = units().get(name) or units().get(name.lower())
        if unit and not (len(name) == 1 and text[end] == "-"):
            return unit, after.end(), nothing
    elif after and after["time"]:
        return units()["个月" if after["time"] == "月" else after["time"]], after.end(), Fraction(1, 2)
    elif after:
        if _is_idle(match, after["other"]):
            return _NO_UNIT, end, nothing
        more = Fraction(1, 2) if after["half"] else chinese_value(after["tenth"] or "零") or nothing
        return units()[after["other"]], after.end(), more / 10 if after["tenth"] else more
    return _counted_noun(text, end), end, nothing


def _counted_noun(text: str, end: int) -> Unit:
    noun = _NOUN.match(text, end)
    if not noun or noun[1] in ENGLISH or noun[1].endswith("ss"):
        return _NO_UNIT
    name = "people" if noun[1] == "people" else stem(noun[1])
    return Unit(name, "count", 1.0, name)


def _is_idle(match: re.Match[str], unit: str) -> bool:
    written = match["chinese"]
    return (written == "一" and unit in _NOT_AFTER_ONE) or f"{written}{unit}" in _NO_NUMBER


def _stands_alone(match: re.Match[str]) -> bool:
    """Tell whether a number without a unit is one: not "one" the pronoun, not a numeral inside a Chinese word."""
    if match["chinese"]:
        written = match["chinese"]
        return len(written) > 1 and written not in _NO_NUMBER and not written.startswith(("一一", "千万", "万一"))
    return not (match["words"] and match["words"].lower() == "one")


def _with_range_units(text: str, found: list[Quantity]) -> Iterator[Quantity]:
    """Give the first number of a range the unit of the second: 5–10 kg is 5 kg to 10 kg."""
    for number, quantity in enumerate(found):
        following = found[number + 1] if number + 1 < len(found) else None
        if (
            following
            and following.unit
            and quantity.dimension == "number"
            and _RANGE.fullmatch(text, quantity.end, following.start)
        ):
            ratio = following.base_value / following.value if following.value else 1.0
            yield replace(
                quantity,
                unit=following.unit,
                dimension=following.dimension,
                base_value=quantity.value * ratio,
                base_unit=following.base_unit,
            )
        else:
            yield quantity

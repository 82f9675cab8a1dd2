"""Numbers in Chinese and English text: the value of a numeral, and amounts with their units made comparable.

A numeral is written in digits, in English words or in Chinese characters. Values are fractions, so that a third and
0.333 differ, and three tenths are what 0.3 is. There is one list of number words for all who read them: a second one
had lost forty, so that "Forty people fit in" was no answer to "How many?".

Two texts may say the same amount in kilograms and in 斤: both are brought to the base unit of what they measure, so
that a contradiction can be told from another way to say it.
"""

import re
import unicodedata
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Literal, cast

from remanent.lightweight import dataclass
from remanent.text.regex import alternation
from remanent.text.scripts import HAN
from remanent.text.spans import Span
from remanent.text.words import ENGLISH_STOP_WORDS, stem, word_list, word_set, word_tables

_ENGLISH_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split(" ")
    )
} | {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(" "), start=2)
}
_ENGLISH_SCALES = {
    "dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_ENGLISH_PARTS = {
    "half": Fraction(1, 2), "halves": Fraction(1, 2), "third": Fraction(1, 3), "thirds": Fraction(1, 3),
    "quarter": Fraction(1, 4), "quarters": Fraction(1, 4), "fourth": Fraction(1, 4), "fourths": Fraction(1, 4),
    "fifth": Fraction(1, 5), "fifths": Fraction(1, 5),
}  # fmt: skip
_ENGLISH_ORDINALS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" "), start=1
    )
}
_CHINESE_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0, "两": 2, "俩": 2, "仨": 3, "壹": 1, "贰": 2, "叁": 3, "肆": 4, "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9,
}  # fmt: skip
_CHINESE_TENS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_CHINESE_SCALES = {"万": 10**4, "亿": 10**8, "萬": 10**4, "億": 10**8, "兆": 10**12}
# What may follow digits beside numerals: 3.5k, 20 million.
_SCALES: dict[str, int] = {
    "k": 1000, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9, "t": 10**12, **_ENGLISH_SCALES,
}  # fmt: skip

_CHINESE_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
ENGLISH_NUMERALS = frozenset([*_ENGLISH_SMALL, *_ENGLISH_SCALES])
_JOINERS = word_set("and a an of")
_WORD = re.compile(r"[a-z]+")
# Longer rows of digits are no numbers that anyone reckons with, and neither are more words than it takes to say
# 999,999,999,999,999 with every "and" there may be.
_LONGEST = 40
_MAX_WORDS = 30
_PLAIN_DIGITS = re.compile(r"[-+]?\d+(?:\.\d*)?|[-+]?\.\d+")


def has_digit(word: str) -> bool:
    """Tell whether a word has a digit in it, of whatever script."""
    return any(char.isdigit() for char in word)


def digits_value(written: str) -> Fraction | None:
    """Return the value of digits with separators, a decimal point, a fraction bar or ½; None when it is none."""
    text = unicodedata.normalize("NFKC", written).replace("\u2044", "/").replace(",", "").replace("，", "").strip()
    if len(text) > _LONGEST:
        return None
    if "/" in text:
        above, _, below = text.rpartition("/")
        whole, _, above = above.rpartition(" ")
        if not (above.isdecimal() and below.isdecimal() and int(below)):
            # "3½" comes as "31/2": the fraction is one character, so it is told apart before.
            return None
        return (Fraction(int(whole)) if whole.isdecimal() else Fraction(0)) + Fraction(int(above), int(below))
    return Fraction(text) if _PLAIN_DIGITS.fullmatch(text) else None


def english_value(written: str) -> Fraction | None:
    """Return the value of a number in English words: "two hundred and five", "one and a half", "three quarters"."""
    total = current = Fraction(0)
    counted = False
    words = [found[0] for found in islice(_WORD.finditer(written.lower()), _MAX_WORDS + 1)]
    if len(words) > _MAX_WORDS:
        return None
    after_and = "and" in words
    for word in words:
        if word in _ENGLISH_SMALL:
            current += _ENGLISH_SMALL[word]
        elif word in _ENGLISH_SCALES:
            scale = _ENGLISH_SCALES[word]
            current = (current or Fraction(1)) * scale
            if scale >= 1000:
                total, current = total + current, Fraction(0)
        elif word in _ENGLISH_PARTS:
            part = _ENGLISH_PARTS[word]
            current = current + part if after_and or not current else current * part
        elif word in _JOINERS:
            continue
        else:
            return None
        counted = True
    return total + current if counted else None


def chinese_value(written: str) -> Fraction | None:
    """Return the value of a Chinese numeral: 三百二十, 两千零五, 一万二, 三点五, 二〇二四; None when it is none."""
    if len(written) > _LONGEST:
        return None
    whole, point, decimals = written.partition("点")
    if point:
        digits = [_CHINESE_DIGITS.get(char) for char in decimals]
        head = chinese_value(whole)
        if head is None or not digits or None in digits:
            return None
        return head + Fraction(int("".join(map(str, digits))), 10 ** len(digits))
    if not whole:
        return None
    if all(char in _CHINESE_DIGITS for char in whole):
        return Fraction(int("".join(str(_CHINESE_DIGITS[char]) for char in whole)))
    return _with_places(whole)


def _with_places(written: str) -> Fraction | None:
    """Return the value of a numeral that names its places: 三百二十, 一亿二千万."""
    total = section = digit = 0
    place = last_scale = 1
    for char in written:
        if char in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[char]
            if digit == 0:
                place = 10  # 两千零五 is 2005, not 2500
        elif char in _CHINESE_TENS:
            place = _CHINESE_TENS[char]
            section += (digit or 1) * place
            digit = 0
        elif char in _CHINESE_SCALES:
            place = _CHINESE_SCALES[char]
            amount = section + digit
            if place > last_scale:
                total = (total + amount or 1) * place  # 一万亿: the greater scale holds for all before it
            else:
                total += amount * place
            section, digit, last_scale = 0, 0, place
        else:
            return None
    # The last digit without a place counts for the next lower one: 一万二 is 12000, 三百二 is 320.
    if digit and place > 10:
        digit *= place // 10
    return Fraction(total + section + digit)


# ── amounts ──────────────────────────────────────────────────────────────────

Dimension = Literal[
    "angle", "area", "count", "data", "energy", "frequency", "length", "mass", "money", "number", "ordinal", "percent",
    "power", "speed", "temperature", "time", "times", "volume",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class MeasurementUnit:
    """A unit under its usual sign, and how much of the base unit of its dimension it is."""

    name: str
    dimension: Dimension
    factor: float = 1.0
    base: str = ""


@cache
def units() -> dict[str, MeasurementUnit]:
    """Return every unit under each of its names, in lower case where that leaves no doubt."""
    found: dict[str, MeasurementUnit] = {}
    for head, rows in word_tables("units").items():
        dimension, _, base = head.partition(" ")
        for name, *others in map(str.split, rows.split("|")):
            factor = float(others.pop(0)) if base else 1.0
            unit = MeasurementUnit(name, cast(Dimension, dimension), factor, base or name)
            found |= dict.fromkeys([name, *others], unit)
    counting = (word for word in word_list("measure_words") if word not in found)
    return found | {word: MeasurementUnit(word, "count", 1.0, word) for word in counting}


def _unit_called(name: str) -> MeasurementUnit | None:
    """Return the unit of a name in whatever case, since they are looked for in any: °c, KM/H, μm with Greek μ."""
    known = units()
    return known.get(name) or known.get(name.lower()) or _signs_folded().get(name.casefold())


@cache
def _signs_folded() -> dict[str, MeasurementUnit]:
    """Return the units whose names have a sign in them, which say the same in any case, unlike mW and MW."""
    return {name.casefold(): unit for name, unit in units().items() if not (name.isascii() and name.isalpha())}


@dataclass(frozen=True, slots=True)
class Quantity(Span):
    """A number as it stands in a text, its value, and its unit ("" for a bare number)."""

    text: str
    value: float
    unit: str
    dimension: Dimension
    base_value: float
    """The value in the base unit of its dimension: grams, metres, seconds, …; equal to the value where none is."""
    base_unit: str


_NO_UNIT = MeasurementUnit("", "number")
_ORDINAL = MeasurementUnit("", "ordinal")
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
  | (?<![A-Za-z0-9_°])[A-Za-z_]+(?:-?[0-9]+(?:\.[0-9]+)*)+(?![0-9])[A-Za-z0-9_]*
  | [0-9]+(?:[-/.][0-9]+){2,}
  | [0-9]{1,2}[:：][0-9]{2}(?:[:：][0-9]{2})?
  | [0-9]{4}[-/][0-9]{1,2}(?![0-9])
  | (?:[0-9]{4}|[零〇一二三四五六七八九]{4})年
  | (?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})(?:月|日|号(?!楼|线|门)|点(?![0-9零一二三四五六七八九])|时(?!间))
"""

# A hyphen is a minus behind a space, behind a Chinese verb or preposition (气温是-18), and behind another Chinese word
# only where degrees or a share follow (气温-18℃): 歼-20 is a name.
_MINUS = rf"""
    (?:(?<![\w)\]])|(?<=[是为达至到约于升降])|(?<=[{HAN}])(?<![{_CHINESE_NUMERAL}])
      (?=[-−]{_DIGITS}[ ]?(?:[°℃℉%％度]|摄氏|华氏)))[-−]
  | 零下(?:摄氏)?[ ]?(?=[0-9０-９]) | (?<!\w)(?<![0-9][ ])minus[ ](?=[0-9])
"""


@cache
def _number() -> re.Pattern[str]:
    """Return the pattern of every way to write a number; compiled by the first text, as it takes 10 ms."""
    numeral = alternation(ENGLISH_NUMERALS)
    parts = alternation(_ENGLISH_PARTS.keys() - {"third", "fourth", "fifth"})
    scales = alternation(scale for scale in _SCALES if scale.isascii() and len(scale) > 2)
    words = rf"(?:an?[ ])?(?:{numeral})(?:(?:[ -]|[ ]and[ ])(?:{numeral}))*"
    return re.compile(
        rf"""
        (?P<skip>{_SKIPPED})
      | 百分之(?P<percent>[{_CHINESE_NUMERAL}点]+|{_DIGITS})
      | (?P<tenths>[一二两三四五六七八九])成(?![为立功本交果分就长都语品双行形像熟年群不变]|员(?!工))(?P<and_half>半)?
      | (?P<below>[{_CHINESE_NUMERAL}]+)分之(?P<above>[{_CHINESE_NUMERAL}]+)
      | 第(?P<place>[{_CHINESE_NUMERAL}]+|[0-9]+)
      | (?P<currency>{_CURRENCY_PREFIX})?
        (?P<sign>{_MINUS})?
        (?P<digits>(?:{_DIGITS}[ ]?)?[½⅓⅔¼¾⅛]|(?<![0-9/])[0-9]{{1,3}}/[0-9]{{1,3}}(?![0-9/])|{_DIGITS})
        (?P<scale>[ ]?(?:{scales})(?![A-Za-z])
          | (?-i:[kKMB]|bn|mn)(?![A-Za-z])
          | (?:[十百千]?[万亿]亿?|千|百)(?![{_CHINESE_NUMERAL}]))?
        (?P<suffix>(?:st|nd|rd|th)(?![A-Za-z]))?
      | (?<![A-Za-z'-])
        (?P<words>(?:{words})(?:[ ]and[ ]a[ ](?:half|quarter)|[ ](?:{parts}))?|(?:an?[ ])?(?:{parts}))
        (?![A-Za-z])
      | (?<=\bthe[ ])(?P<ordinal>{alternation(_ENGLISH_ORDINALS)})(?![A-Za-z])
      | (?P<chinese>(?:负|零下(?:摄氏)?)?[{_CHINESE_NUMERAL}]+(?:点[零一二三四五六七八九]+)?|半)
        """,
        re.VERBOSE | re.IGNORECASE,
    )


@cache
def _unit_after() -> re.Pattern[str]:
    """Return the pattern of the unit that may follow a number."""
    latin = alternation(name for name in units() if name[0].isascii() and name[0].isalpha())
    other = alternation(name for name in units() if not (name[0].isascii() and name[0].isalpha()))
    return re.compile(
        rf"[ -]?(?:of[ ]an?[ ]|(?:(?<=half )|(?<=quarter )|(?<=[½⅓⅔¼¾] ))an?[ ])?(?P<latin>{latin})(?![A-Za-z0-9])"
        rf"|[ ]?(?:多|来|余)?(?:个(?P<half_time>半)(?P<time>小时|钟头|月|星期|礼拜)|(?P<other>{other})(?P<half>半)?"
        rf"(?:(?<=[米块斤])(?P<tenth>[一二三四五六七八九])(?![{_CHINESE_NUMERAL}]))?)",
        re.IGNORECASE,
    )


_NOUN = re.compile(r" (?:[a-z]+ )??([a-z]{2,}s|people|children|men|women|mice|geese)(?![A-Za-z'])")
_RANGE = re.compile(r"\s{0,2}(?:[-–—~～]|to|到|至)\s{0,2}")


def quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text in order; dates with separators, clock times, versions and codes are left out.

    What looks like a number and is none is matched first and passed over: a date read as three amounts would contradict
    every other date.
    """
    found: list[Quantity] = []
    for looked_at in _number().finditer(text):
        match = looked_at
        if found and match["sign"] and match.start() == found[-1].end:
            match = _number().match(text, match.start() + 1) or match  # 10℃-20℃: the hyphen of a range
        quantity = None if match["skip"] else _quantity(text, match)
        if quantity and (not found or quantity.start >= found[-1].end):
            if found and quantity.unit and found[-1].dimension == "number":
                found[-1] = _in_unit_of(quantity, found[-1], text)
            found.append(quantity)
    return found


_AND = re.compile(r"(?:,? and |,? )?")
_ONE = re.compile(r"\ban? (?P<unit>[a-z]+) and \Z", re.IGNORECASE)


def measures(text: str) -> list[Quantity]:
    """Return the numbers of a text with those that make one amount put together: 1 hour 15 minutes, an hour and a half.

    Held against 75 minutes each of the two is another amount.
    """
    made: list[Quantity] = []
    for one in quantities(text):
        last = made[-1] if made else None
        if one.text == "a half" and one.dimension == "number":
            said = None if last and text[last.end : one.start] == " and " else _ONE.search(text, 0, one.start)
            unit = _unit_called(said["unit"]) if said else None
            if said and unit and unit.dimension in _COMPOUND:
                made.append(_made(text, Span(said.start(), one.end), Fraction(3, 2), unit))
                continue
        if last and (more := _more(text, last, one)):
            base = last.base_value + more
            value = last.value * base / last.base_value
            made[-1] = replace(last, end=one.end, text=text[last.start : one.end], value=value, base_value=base)
        else:
            made.append(one)
    return made


_COMPOUND = frozenset({"time", "length", "mass"})


def _more(text: str, first: Quantity, second: Quantity) -> float:
    """Return what an amount adds to the one before it, in base units; 0 where it is one of its own."""
    if first.dimension not in _COMPOUND or first.value < 1 or not _AND.fullmatch(text, first.end, second.start):
        return 0
    whole = first.base_value / first.value
    if second.text == "a half" and second.dimension == "number":
        return whole / 2
    if first.dimension == "time" and second.unit == "分" and text[first.end : second.start] == "":
        return 60 * second.value if second.value < 60 else 0
    smaller = second.dimension == first.dimension and second.unit != first.unit and second.base_value < whole
    return second.base_value if smaller and second.value > 0 else 0


def with_numbers_of(text: str, other: str) -> str:
    """Return a text with the amounts that another one has, too, in that one's writing: 一百五十八天 as 158天."""
    if not (written := measures(other)):
        return text
    known = {(one.base_value, one.base_unit, one.dimension): one.text for one in reversed(written)}
    said = set(known.values())
    for one in reversed(measures(text)):
        same = known.get((one.base_value, one.base_unit, one.dimension))
        if same is not None and one.text not in said:
            text = text[: one.start] + same + text[one.end :]
    return text


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    """Return a match as a number with its unit; None for a numeral that counts nothing."""
    value = _value(match)
    if value is None:
        return None
    start, end = match.span()
    if match["percent"] or match["tenths"]:
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


def _made(text: str, span: Span, value: Fraction, unit: MeasurementUnit) -> Quantity:
    """Return a quantity with its value in the base unit, reckoned in fractions and rounded once."""
    amount = float(value)
    base = float(value * Fraction(unit.factor))
    if unit.name == "°F":
        base = float((value - 32) * Fraction(5, 9))
    return Quantity(span.start, span.end, span.of(text), amount, unit.name, unit.dimension, base, unit.base)


def _value(match: re.Match[str]) -> Fraction | None:
    """Return the value of a number, in whichever way it is written.

    In fractions: a third of three is one, and amounts are compared for equality.
    """
    if match["percent"]:
        return chinese_value(match["percent"]) or digits_value(match["percent"])
    if match["tenths"]:
        return 10 * Fraction(_CHINESE_DIGITS[match["tenths"]]) + (5 if match["and_half"] else 0)
    if match["below"]:
        above, below = chinese_value(match["above"]), chinese_value(match["below"])
        return above / below if above is not None and below else None
    if match["place"]:
        return chinese_value(match["place"]) or digits_value(match["place"])
    if match["ordinal"]:
        return Fraction(_ENGLISH_ORDINALS[match["ordinal"].lower()])
    if match["words"]:
        return english_value(match["words"])
    if match["chinese"]:
        written = match["chinese"].removeprefix("负").removeprefix("零下").removeprefix("摄氏")
        value = Fraction(1, 2) if written == "半" else chinese_value(written)
        return -value if value is not None and written != match["chinese"] else value
    return _digits(match)


def _digits(match: re.Match[str]) -> Fraction | None:
    """Return the value of digits with a fraction sign (3½), a scale (3.5 million) and a sign."""
    written = match["digits"]
    whole, fraction = (written[:-1], written[-1]) if written[-1] in "½⅓⅔¼¾⅛" else (written, "")
    value = digits_value(whole) if whole.strip() else Fraction(0)
    if value is None:
        return None
    if fraction:
        value += digits_value(fraction) or 0
    if match["scale"]:
        scale = match["scale"].strip().lower()
        value *= _SCALES[scale] if scale in _SCALES else chinese_value(scale) or 1
    return -value if match["sign"] else value


def _unit(text: str, match: re.Match[str]) -> tuple[MeasurementUnit, int, Fraction]:
    """Return the unit before or after a number, where it ends, and what stands after it and adds to the number."""
    end = match.end()
    nothing = Fraction(0)
    if match["currency"]:
        return _unit_called(match["currency"].strip()) or _NO_UNIT, end, nothing
    after = _unit_after().match(text, end)
    if after and after["latin"]:
        name = after["latin"]
        unit = _unit_called(name)
        if unit and not (len(name) == 1 and text[end] == "-"):
            return unit, after.end(), nothing
    elif after and after["time"]:
        return units()["个月" if after["time"] == "月" else after["time"]], after.end(), Fraction(1, 2)
    elif after and (unit := _unit_called(after["other"])):
        if _is_idle(match, after["other"]):
            return _NO_UNIT, end, nothing
        more = Fraction(1, 2) if after["half"] else chinese_value(after["tenth"] or "零") or nothing
        return unit, after.end(), more / 10 if after["tenth"] else more
    return _counted_noun(text, end), end, nothing


def _counted_noun(text: str, end: int) -> MeasurementUnit:
    """Return the noun that a number counts: "three cats". Only plurals, else "5 apple" would be a unit."""
    noun = _NOUN.match(text, end)
    if not noun or noun[1] in ENGLISH_STOP_WORDS or noun[1].endswith("ss"):
        return _NO_UNIT
    name = "people" if noun[1] == "people" else stem(noun[1])
    return MeasurementUnit(name, "count", 1.0, name)


def _is_idle(match: re.Match[str], unit: str) -> bool:
    """Tell whether a numeral and what follows make a word that counts nothing."""
    written = match["chinese"]
    return (written == "一" and unit in _NOT_AFTER_ONE) or f"{written}{unit}" in _NO_NUMBER


def _stands_alone(match: re.Match[str]) -> bool:
    """Tell whether a number without a unit is one: not "one" the pronoun, not a numeral inside a Chinese word."""
    if match["chinese"]:
        written = match["chinese"]
        return len(written) > 1 and written not in _NO_NUMBER and not written.startswith(("一一", "千万", "万一"))
    return not (match["words"] and match["words"].lower() == "one")


def _in_unit_of(second: Quantity, first: Quantity, text: str) -> Quantity:
    """Return the first number of a range with the unit of the second: 5–10 kg is 5 kg to 10 kg.

    "5–10 kg" without it is five of nothing, and agrees with five of anything.
    """
    if not _RANGE.fullmatch(text, first.end, second.start):
        return first
    base = first.value * (second.base_value / second.value if second.value else 1.0)
    return replace(first, unit=second.unit, dimension=second.dimension, base_value=base, base_unit=second.base_unit)

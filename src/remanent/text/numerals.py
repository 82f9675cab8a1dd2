"""Numerals: the value of a number that is written in digits, in English words or in Chinese characters.

Values are fractions, so that a third and 0.333 differ, and three tenths are what 0.3 is.

There is one list of number words for all who read them: a second one had lost forty, so that "Forty people fit in" was
no answer to "How many?".
"""

import re
import unicodedata
from fractions import Fraction
from itertools import islice

from remanent.text.wordlists import word_set

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
_CHINESE_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0, "两": 2, "俩": 2, "仨": 3, "壹": 1, "贰": 2, "叁": 3, "肆": 4, "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9,
}  # fmt: skip
_CHINESE_TENS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_CHINESE_SCALES = {"万": 10**4, "亿": 10**8, "萬": 10**4, "億": 10**8, "兆": 10**12}
# What may follow digits: 3.5k, 20 million, 3万.
SCALES: dict[str, int] = {
    "k": 1000, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9, "t": 10**12, **_ENGLISH_SCALES,
    "百": 100, "千": 1000, "万": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8, "十亿": 10**9, "百亿": 10**10,
    "千亿": 10**11, "万亿": 10**12,
}  # fmt: skip

CHINESE_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
ENGLISH_NUMERALS = frozenset([*_ENGLISH_SMALL, *_ENGLISH_SCALES])
ENGLISH_PARTS = frozenset(_ENGLISH_PARTS)
ENGLISH_ORDINALS = frozenset(_ENGLISH_ORDINALS)
_JOINERS = word_set("and a an of")
_WORD = re.compile(r"[a-z]+")
# Longer rows of digits are no numbers that anyone reckons with, and neither are more words than it takes to say
# 999,999,999,999,999 with every "and" there may be.
_LONGEST = 40
_MAX_WORDS = 30
_DIGITS = re.compile(r"[-+]?\d+(?:\.\d*)?|[-+]?\.\d+")


def has_digit(word: str) -> bool:
    """Tell whether a word has a digit in it, of whatever script."""
    return any(sign.isdigit() for sign in word)


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
    return Fraction(text) if _DIGITS.fullmatch(text) else None


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


def ordinal_value(word: str) -> int | None:
    """Return which place an English ordinal names: "third", "3rd"."""
    if word.lower() in _ENGLISH_ORDINALS:
        return _ENGLISH_ORDINALS[word.lower()]
    number = re.match(r"\d{1,18}(?=(?:st|nd|rd|th)\Z)", word.lower())
    return int(number[0]) if number else None


def chinese_value(written: str) -> Fraction | None:
    """Return the value of a Chinese numeral: 三百二十, 两千零五, 一万二, 三点五, 二〇二四; None when it is none."""
    if len(written) > _LONGEST:
        return None
    whole, point, decimals = written.partition("点")
    if point:
        digits = [_CHINESE_DIGITS.get(sign) for sign in decimals]
        head = chinese_value(whole)
        if head is None or not digits or None in digits:
            return None
        return head + Fraction(int("".join(map(str, digits))), 10 ** len(digits))
    if not whole:
        return None
    if all(sign in _CHINESE_DIGITS for sign in whole):
        return Fraction(int("".join(str(_CHINESE_DIGITS[sign]) for sign in whole)))
    return _with_places(whole)


def _with_places(written: str) -> Fraction | None:
    """Return the value of a numeral that names its places: 三百二十, 一亿二千万."""
    total = section = digit = 0
    place = last_scale = 1
    for sign in written:
        if sign in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[sign]
            if digit == 0:
                place = 10  # 两千零五 is 2005, not 2500
        elif sign in _CHINESE_TENS:
            place = _CHINESE_TENS[sign]
            section += (digit or 1) * place
            digit = 0
        elif sign in _CHINESE_SCALES:
            place = _CHINESE_SCALES[sign]
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

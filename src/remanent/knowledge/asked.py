"""What a question asks for: a time, an amount, or a way to do something, and what of a passage gives it.

A sentence that has the words of "What time is breakfast?" may tell that it is free. It answers if it holds a time. How
something is done stands in steps, and one of them is no answer.
"""

import re
from collections.abc import Sequence

from remanent.language.offline.questions import AnswerType, answer_type
from remanent.text.numerals import has_digit
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language

_NUMBER = (
    r"\d|[零一二两三四五六七八九十百千万亿半]|数[十百千万]|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"(?:thir|four|fif|six|seven|eigh|nine)(?:teen|ty)|twenty|thirty|hundreds?|thousands?|[mb]illions?|dozens?|half|"
    r"halves|quarters?|"
    r"once|twice|thrice|an? (?:second|minute|hour|day|week|month|year|couple|pair)|"
    r"single|double|both|several|few|many|most|all|none|no|never|always)\b"
)
_AMOUNT = lazy_regex(
    rf"{_NUMBER}|\b(?:free|without charge|every|each|daily|weekly|monthly|yearly|annual(?:ly)?|regularly)\b|"
    r"免费|不收|无需|每|全部|所有|几|多次|没有|无",
    re.IGNORECASE,
)
_TIME = lazy_regex(
    r"\d|[零〇一二两三四五六七八九十百千半][年月日号点时天周岁]|\b(?:noon|midnight|morning|afternoon|evening|night|dawn|dusk|today|"
    r"tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?|weekends?|january|february|march|april|"
    r"may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|century|decade|"
    r"o['’]clock|always|never|daily|hours?|weeks?|months?|years?|days?|easter|christmas|war|childhood|birth|death|age|"
    r"after|before|during|until|till|since|when(?:ever)?|while|once|early|late|later|soon|immediately|at once|now)\b|"
    r"早[上晨]|上午|中午|下午|傍晚|晚上|夜|凌晨|今|明天|昨|周[一二三四五六日末]|星期|春|夏|秋|冬|世纪|年代|时期|期间|之?[前后]|以来|时候|"
    r"同时|当时|随时|全天|每[天日周月年]|战|朝|元年|初|末|立即|马上|节",
    re.IGNORECASE,
)
_CLOCK = lazy_regex(r"\bwhat time\b|几点", re.IGNORECASE)
_OF_CLOCK = lazy_regex(
    r"\d|\b(?:noon|midnight|dawn|dusk|sunrise|sunset|o['’]clock|hours?|any ?time|always|(?:one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve)\b)|[一二两三四五六七八九十]+[点时]|中午|正午|午夜|随时|全天|天亮|日[出落]",
    re.IGNORECASE,
)

_PRICE = lazy_regex(r"\bhow much\b|多少钱", re.IGNORECASE)
_HOURS = lazy_regex(
    r"\b(?:from|between) \d{1,2}(?:[:.]\d\d)? (?:to|and|until) \d{1,2}(?:[:.]\d\d)?\b|\d{1,2}:\d\d|"
    r"\b\d{1,2} ?[ap]\.?m\b|[一二两三四五六七八九十\d]+点",
    re.IGNORECASE,
)
"""Figures that are no price."""
_FIGURES = lazy_regex(r"\d+")
_NUMBERED = lazy_regex(r"^\s*\(?\d{1,2}[.)、）]\s*")
_OTHER = lazy_regex(
    r"\s*(?:who|whose|whom|where|(?:in )?(?:which|what)(?! (?:time|year|date|day|month|century|season|decade|age)))\b",
    re.IGNORECASE,
)
"""How a question begins that asks for no time, though it may tell when something was."""


def is_of_kind(question: str, sentence: str) -> bool:
    """Tell whether a sentence may give what a question asks for: a time or an amount where it asks for one."""
    # What the question says itself is not what it asks for.
    told = frozenset(_FIGURES.findall(question))
    sentence = _FIGURES.sub(lambda found: "" if found[0] in told else found[0], _NUMBERED.sub("", sentence))
    if _CLOCK.search(question):
        return _OF_CLOCK.search(sentence) is not None
    kind = answer_type(question)
    if kind is AnswerType.TIME:
        return _OTHER.match(question) is not None or _TIME.search(sentence) is not None
    if kind is AnswerType.NUMBER and _PRICE.search(question):
        sentence = _HOURS.sub("", sentence)
    return kind is not AnswerType.NUMBER or _AMOUNT.search(sentence) is not None


_STEP = lazy_regex(
    r"\s*(?:\(?\d{1,2}[.)、）:：]\s*|[-*•·]\s+|(?:step\s+\d+|第[一二三四五六七八九十\d]+步)[.:：、，,]?\s*)\S",
    re.IGNORECASE,
)
MAX_STEPS = 30
"""Steps of one list that are given. Chosen by hand."""


def steps(question: str, sentence: str, text: str) -> Sequence[str]:
    """Return all steps of the list that a sentence of a passage is in or stands right before, if a way is asked for."""
    lines = [line for line in text.splitlines() if line.strip()]
    if answer_type(question) is not AnswerType.WAY:
        return ()
    bare = " ".join(sentence.split())
    at = next((place for place, line in enumerate(lines) if _same(bare, " ".join(line.split()))), None)
    if at is None:
        return ()
    if not _STEP.match(lines[at]):
        at += 1
    first = at
    while first > 0 and _STEP.match(lines[first - 1]):
        first -= 1
    found = []
    for line in lines[first : first + MAX_STEPS]:
        if not _STEP.match(line):
            break
        found.append(line.strip())
    return found if len(found) > 1 else ()


def _same(sentence: str, line: str) -> bool:
    """Tell whether a sentence stands in a line, or begins with what the line says."""
    return bool(line) and (sentence in line or line in sentence)


# ── tables ───────────────────────────────────────────────────────────────────

_TABLE = lazy_regex(r"(?:^[ \t]*+\|[^\n]*+(?:\n|\Z)){2,}+", re.MULTILINE)
_RULE = lazy_regex(r"[\s|:-]*")
"""The line between a table's head and its rows."""
_FULLER = 6
"""How many times as long as its table what is read of it may be: a head may be longer than all rows."""


def with_rows_read(text: str) -> str:
    """Return a text with each row of its tables as a sentence under the head: Grade: Senior, Bonus: 9 %.

    Without a line below it, a first row with figures, or one above rows without any, may be no head: such a table stays
    as it is.
    """
    return _TABLE.sub(lambda table: _rows_of(table[0]) or table[0], text)


def _rows_of(table: str) -> str:
    """Return the rows of a table as sentences, or nothing where it has no head or they would be far too long."""
    lines = table.splitlines()
    ruled = _RULE.fullmatch(lines[1]) is not None
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if not _RULE.fullmatch(line)
    ]
    head, rows = next(iter(cells), []), cells[1:]
    told_apart = not any(map(has_digit, head)) and all(any(map(has_digit, row)) for row in rows)
    if not rows or not (ruled or told_apart):
        return ""
    chinese = working_language(table) == "zh"
    colon, comma, stop = ("：", "，", "。") if chinese else (": ", ", ", ".")
    read = (
        comma.join(f"{name}{colon}{cell}" if name else cell for name, cell in zip(head, row, strict=False) if cell)
        for row in rows
    )
    told = "\n".join(f"{row}{stop}" for row in read) + "\n"
    return told if len(told) <= _FULLER * len(table) else ""

"""Lists and tables within a passage: all steps where a way is asked for, and the rows of a table as sentences.

How something is done stands in steps, and one of them is no answer; a cell tells nothing without the head it is under.
"""

import re
from collections.abc import Sequence

from remanent.language.offline.questions import AnswerType, answer_type
from remanent.text.numerals import has_digit
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language

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

"""Tables within a passage: rows read as sentences under their head, and what their cells say of a claim.

A cell tells nothing without the head above it and the thing before it, and a name behind a label nothing without the
label. A row has the figures of all its columns: whoever looks for a figure must look in the column that a claim names,
or the wholesale price bears out whatever is said of the retail price.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from io import StringIO
from pathlib import PurePath

from remanent.knowledge.model import Passage
from remanent.language.offline.claims import read_claim
from remanent.language.offline.evidence import bearing
from remanent.language.offline.questions import AnswerType, answer_type, may_answer
from remanent.lightweight import dataclass
from remanent.loaders.plain import delimiter_of
from remanent.text.chinese import tagged
from remanent.text.dates import TimeMention, find_dates
from remanent.text.keywords import content_words
from remanent.text.markdown import (
    TABLE,
    TABLE_RULE,
    Table,
    row_as_sentence,
    rows_as_sentences,
    table_cells,
    with_rows_read,
)
from remanent.text.numbers import Quantity, has_digit, quantities
from remanent.text.regex import lazy_regex
from remanent.text.scripts import has_han, working_language
from remanent.text.terms import query_terms
from remanent.text.words import word_set

# ── where a table stands, and its head ───────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage with the head of the table whose rows it begins with, where that stands in a passage before it."""

    passage: Passage
    head: str = ""

    @property
    def heading(self) -> str:
        """The headings that it stands under; nothing where its own first words are the document's title."""
        heading = " › ".join(self.passage.path) or self.passage.title
        if is_separated(self.passage) or (self.passage.text.startswith("|") and (not heading or heading[0] == "|")):
            return PurePath(self.passage.document).stem  # its first row is no title of the others
        return "" if self.passage.text.startswith(heading.rstrip("….")) else heading

    @property
    def text(self) -> str:
        """Its text with each row of its tables as a sentence: Grade: Senior, Bonus: 9 %."""
        whole = self.head + _with_bars(self.passage)
        if not is_separated(self.passage):
            return with_rows_read(whole)
        between = delimiter_of(whole)
        # Each in its own language: names of one may stand under a head in another.
        read = [
            rows_as_sentences(one.head, [row], between.join((*one.head, *row)))
            for one in self.tables
            for row in one.rows
        ]
        return "".join(read) if all(read) and read else self.passage.text

    @property
    def tables(self) -> list[Table]:
        """Its tables, or the one that a file of separated values is."""
        text = self.head + _with_bars(self.passage)
        if not is_separated(self.passage):
            return [table_cells(found[0]) for found in TABLE.finditer(text)]
        if not self.head and self.passage.place.line != 1:
            return []
        # A quoted cell may have several lines, which the reader must see to tell where it ends.
        read = csv.reader(StringIO(text, newline=""), delimiter=delimiter_of(text))
        names, *rows = [[" ".join(cell.split()) for cell in row] for row in read if row] or [[]]
        is_table = len(names) > 1 and not any(map(has_digit, names)) and all(len(row) == len(names) for row in rows)
        return [Table(names, rows)] if is_table else []


def is_separated(passage: Passage) -> bool:
    """Tell whether a passage is of a file of separated values."""
    return passage.document.casefold().endswith((".csv", ".tsv"))


def begins_within(passage: Passage) -> bool:
    """Tell whether a passage begins with the rows of a table whose head stands in a passage before it."""
    if is_separated(passage):
        return passage.place.line != 1
    if passage.place.sheet is not None:
        return not _begins_sheet(passage.text, passage)
    lines = passage.text.splitlines()[:2]
    return passage.text.startswith("|") and not (len(lines) > 1 and TABLE_RULE.fullmatch(lines[1]))


def table_head(passage: Passage, before: Sequence[str]) -> str:
    """Return the head of the table that goes on in a passage, from what stands before it, the nearest first."""
    if is_separated(passage):
        return before[-1].partition("\n")[0] + "\n" if before else ""
    if passage.place.sheet is not None:
        begun = next((_with_bars(passage, text) for text in before if _begins_sheet(text, passage)), "")
        return next((_ruled(found[0]) for found in TABLE.finditer(begun) if table_cells(found[0]).rows), "")
    for text in before:
        tables = list(TABLE.finditer(text))
        if not tables or tables[-1].end() < len(text.rstrip()):
            break
        lines = tables[-1][0].splitlines(keepends=True)
        if TABLE_RULE.fullmatch(lines[1]):
            return "".join(lines[:2])
        if tables[-1].start() > 0:
            break
    return ""


def _begins_sheet(text: str, passage: Passage) -> bool:
    """Tell whether a text is the beginning of the sheet that a passage is of: the sheet's name stands over it."""
    return passage.place.sheet is not None and text.partition("\n")[0] == " ".join(passage.place.sheet.split())


def _with_bars(passage: Passage, text: str | None = None) -> str:
    """Return a text, that of a passage unless one is given, with the rows of sheets and slides as Markdown has them.

    Above their head a line has a single cell.
    """
    told = passage.text if text is None else text
    if passage.place.sheet is None and passage.place.slide is None:
        return told
    lines, begins = told.splitlines(), text is not None or not begins_within(passage)
    rows = [at for at, line in enumerate(lines) if " | " in f"{line} "]
    if passage.place.sheet is not None and (rows or not begins):
        # A row of which only the first cell is filled has no bar.
        rows = [at for at in range(rows[0] if begins else 0, len(lines)) if lines[at]]
    for at in rows:
        lines[at] = f"| {lines[at]} |"
    return "\n".join(lines)


def _ruled(table: str) -> str:
    """Return the head of a table with the rule under it."""
    head = table.partition("\n")[0]
    return f"{head}\n|{'---|' * (head.count('|') - 1)}\n"


# ── which rows answer a question ─────────────────────────────────────────────

_EMPTY = lazy_regex(r"[\s\-–—/?？·.]*|#?n/?a|nan|null", re.IGNORECASE)
_LETTER = lazy_regex(r"[A-Za-z]|\d+")
_DEEDS = ("v", "d", "a", "p", "u", "c", "r")
"""The segmenter's tags of words that name no thing."""
_ASKING = ("哪", "几", "谁", "何", "什么", "多少", "怎")
_NAMES = ("nr", "ns", "nt", "nz")
_NO_MATTER = word_set(
    "left remain remains remaining now currently current today have there exist actual full whole year date day time "
    "number amount long far tall high deep wide heavy fast old 长 久 远 高 重 快 多长 多久 多远 多高 多重 多少 几 还有 "
    "剩 剩下 剩余 还剩 现有 目前 现在 当前 有 共 总共 一共 年 月 日 日期 时间 时候 数量 数目 是 叫 钱"
)
"""Words without which a question asks for the same."""
_OF_SORT: Mapping[AnswerType, re.Pattern[str]] = {
    AnswerType.TIME: lazy_regex(r"\b(?:date|time|day|year|when|month)\b|日期|时间|年份|月份", re.IGNORECASE),
    AnswerType.NUMBER: lazy_regex(r"\b(?:amount|number|count|quantity|qty)\b|数量|数目|金额|人数", re.IGNORECASE),
    AnswerType.PLACE: lazy_regex(r"\b(?:place|location|city|address|where)\b|地点|地址|位置|城市", re.IGNORECASE),
    AnswerType.REASON: lazy_regex(r"\b(?:reasons?|causes?|why)\b|原因|理由", re.IGNORECASE),
}
"""How columns are called by what sort of answer their cells give."""
_PRICED = lazy_regex(r"\bhow much (?:is|are|does|do)\b|\b(?:costs?|price)\b|多少钱|价钱|怎么卖", re.IGNORECASE)
_PRICE = lazy_regex(r"\b(?:prices?|costs?|fees?|fares?|rates?|rent)\b|价|费|租金|票款", re.IGNORECASE)
_MEASURED = {
    lazy_regex(r"\bhow long\b|多[长久]", re.IGNORECASE): {"length", "time"},
    lazy_regex(r"\bhow (?:far|tall|high|deep|wide)\b|多[远高深宽]", re.IGNORECASE): {"length"},
    lazy_regex(r"\bhow heavy\b|多重", re.IGNORECASE): {"mass"},
    lazy_regex(r"\bhow fast\b|多快", re.IGNORECASE): {"speed"},
}
_AT_SOME_TIME = datetime(2000, 1, 1, tzinfo=UTC)
_MOST_TOLD = 3
"""Rows that answer a question together. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A row as it is read, and whether it answers a question.

    It does if it is the one that is meant and its cell in the column that is asked for is filled, and does not if
    another one is meant or that cell is empty; None where the question does not tell which row or column it means.
    """

    text: str
    answers: bool | None


@dataclass(frozen=True, slots=True)
class _AskedWord:
    """A word of a question, or two of which one tells which of its kind the other is: line 9, 丁仓库."""

    text: str
    start: int
    tells_apart: bool
    """Whether it is a name, a letter, a figure or a date: such a word means something else where no row has it."""
    is_deed: bool = False
    core: str = ""
    kind: str = ""
    when: TimeMention | None = None

    def stands_in(self, cells: Sequence[str], key: str) -> bool:
        """Tell whether a row has it; the figure of a thing only as that, or in what the row is called."""
        said = "\n".join(cells)
        if self.when is not None:
            return self.text in said or any(_is_within(cell, self.when) for cell in cells)
        if self.core and not has_han(self.core):
            bounded = rf"(?<![^\W\d_]){re.escape(self.kind)}\W{{0,3}}{re.escape(self.core)}(?!\w)"
            return _has_word(key, self.core) or any(re.search(bounded, cell, re.IGNORECASE) for cell in cells)
        if self.core:
            bounded = rf"(?<![一二三四五六七八九十百千]){self.text}|{self.kind}{self.core}"
            return self.core in cells or re.search(bounded, said) is not None
        if has_han(self.text):
            return self.text in said or any(len(cell) > 1 and cell in self.text for cell in cells)
        return _has_word(said, self.text) or frozenset(query_terms(self.text)) <= frozenset(query_terms(said))

    def is_part_of(self, key: str) -> bool:
        """Tell whether it is of what a row is called by, and not of its kind, as a unit is."""
        return self.text.casefold() in key.casefold()

    def is_called(self, word: str) -> bool:
        """Tell whether it is a word of a name."""
        if has_han(word) or has_han(self.text):
            return word in self.text or self.text in word or word == self.core
        return word.casefold() == self.core.casefold() or query_terms(word) == query_terms(self.text)


def asked_rows(read: ReadPassage, question: str) -> Iterator[AskedRow]:
    """Yield the rows of a passage's tables with whether they answer a question.

    What tells rows apart decides: a row on another thing has nearly all words of the question.
    """
    about = f"{read.heading}\n{PurePath(read.passage.document).stem}"
    for table in read.tables:
        if table.rows:
            yield from _AskedTable(table, question, about).rows()


class _AskedTable:
    """What a question asks of a table."""

    def __init__(self, table: Table, question: str, about: str) -> None:
        self._table, self._kind = table, answer_type(question)
        self._question = question = _as_columns_say(question, table.head)
        self._first = _naming_column(table, question)
        self._keys = [_ASIDE.sub("", row[self._first]) if self._first < len(row) else "" for row in table.rows]
        names = [frozenset(query_terms(key)) for key in self._keys]
        # What all are called is the name of none, unless one is called so and no more: sick leave, paid sick leave.
        common = frozenset[str].intersection(*names) if len(names) > 1 else frozenset[str]()
        common = frozenset() if common in names else common
        self._heads = "\n".join((about, *table.head))
        self._known = frozenset(query_terms(self._heads)) | common
        self._words = self._asked()
        held = [
            frozenset(one for one in self._words if one.stands_in([cell for cell in row if cell], key))
            for row, key in zip(table.rows, self._keys, strict=True)
        ]
        # What stands in each row, as a unit does, tells none from the others.
        everywhere = frozenset.intersection(*held) if len(held) > 1 else frozenset[_AskedWord]()
        everywhere = frozenset(one for one in everywhere if not any(one.is_part_of(key) for key in self._keys))
        self._words = [one for one in self._words if one not in everywhere]
        self._held = [one - everywhere for one in held]
        self._found = frozenset[_AskedWord]().union(*self._held)
        self._missing = [one for one in self._words if one not in self._found and not self._is_foreign(one)]
        # 红日 before 公司 is a name, too, where 公司 is no more than a part of one.
        begun = {one.start for one in self._found if has_han(one.text)}
        self._missing = [
            replace(one, tells_apart=True) if not one.is_deed and one.start + len(one.text) in begun else one
            for one in self._missing
        ]

    def _asked(self) -> list[_AskedWord]:
        """Return the words that tell which row is meant, and what else is asked than the columns' names."""
        ending, name = _shared_end(self._keys), self._table.head[self._first]
        kept = []
        for one in _asked_words(self._question, self._known):
            is_sibling = bool(ending) and one.text.endswith(ending) and one.text not in (ending, name)
            is_asking = one.text.startswith(_ASKING)
            if is_asking or one.text.casefold() in _NO_MATTER or (not is_sibling and self._is_head(one)):
                continue
            kept.append(replace(one, tells_apart=one.tells_apart or is_sibling))
        return kept

    def _is_foreign(self, one: _AskedWord) -> bool:
        """Tell whether a word is of another language than the table: of those, names and figures may be missed only."""
        if one.core or one.when or has_digit(one.text):
            return False
        heads = "".join(self._table.head)
        cells = "".join(cell for row in self._table.rows for cell in row)
        if has_han(one.text):
            return not has_han(heads) and not (one.tells_apart and has_han(cells))
        return has_han(heads) and not one.tells_apart

    def _is_head(self, one: _AskedWord) -> bool:
        """Tell whether a word says what the table is of, or names a column."""
        if one.core or one.when:
            return one.text in self._heads
        if has_han(one.text):
            return one.text in self._heads or any(len(n) > 1 and n in one.text for n in self._heads.split())
        return frozenset(query_terms(one.text)) <= self._known

    def rows(self) -> Iterator[AskedRow]:
        """Yield each row with whether it answers."""
        meant = self._meant()
        for at, row in enumerate(self._table.rows):
            answers = self._answers(at) if at in meant else False
            # Which of many is meant the question does not tell.
            doubtful = answers and (len(meant) > _MOST_TOLD or not self._found)
            yield AskedRow(
                row_as_sentence(self._table.head, row, _written(self._table, row)), None if doubtful else answers
            )

    def _meant(self) -> frozenset[int]:
        """Return the rows that are meant: by their names, or by all that is said of them; each where nothing is."""
        everyone = range(len(self._held))
        if any(one.tells_apart for one in self._missing):
            return frozenset()
        if not self._found:
            return frozenset(everyone if all(one.is_deed for one in self._missing) else ())
        fitting = [at for at in everyone if self._held[at] and (self._is_named(at) or self._held[at] == self._found)]
        fitting = self._without_longer_names(fitting)
        return frozenset(at for at in fitting if not any(self._held[at] < self._held[other] for other in fitting))

    def _without_longer_names(self, fitting: Sequence[int]) -> list[int]:
        """Leave out rows whose names hold, or are held in, the one that the question has: 陪产假, 产假.

        A longer name of the same words may be what is meant where no row is called by them alone: 带薪年假; one that
        is another word with a sign before it is not.
        """
        asked, meant = self._question.casefold(), set[str]()
        for key in sorted({self._keys[at].strip().casefold() for at in fitting}, key=len, reverse=True):
            pattern = re.escape(key) if has_han(key) else rf"(?<!\w){re.escape(key)}(?!\w)"
            if key and re.search(pattern, asked):
                meant.add(key)
                asked = re.sub(pattern, " ", asked)
        kept = [at for at in fitting if self._keys[at].strip().casefold() in meant]
        keys = {at: self._keys[at].strip().casefold() for at in fitting if at not in kept}
        others = [at for at, key in keys.items() if not any(one in key or key in one for one in meant)]
        return sorted([*kept, *(at for at in others if not self._is_longer_word(keys[at]))])

    def _is_longer_word(self, key: str) -> bool:
        """Tell whether a name is a word of the question with one sign more before it: 陪产假 where 产假 is asked of."""
        return any(
            has_han(one.text)
            and len(one.text) > 1
            and not one.core
            and key[1:] == one.text
            and key not in self._question
            for one in self._found
        )

    def _is_named(self, at: int) -> bool:
        """Tell whether the question has all of a row's name that others do not share."""
        words = [word for word in _words(self._keys[at]) if not frozenset(query_terms(word)) <= self._known]
        return bool(words) and all(any(one.is_called(word) for one in self._held[at]) for word in words)

    def _answers(self, at: int) -> bool | None:
        """Tell whether a row that is meant answers, by its cells in the columns that are asked for."""
        columns, row = self._columns, self._table.rows[at]
        if not columns and self._is_named(at):
            # A column that is not there is asked for.
            return False if self._missing or self._kind in {AnswerType.TIME, AnswerType.NUMBER} else None
        if not columns:
            # By what its cells say the row's name is asked for.
            is_sure = (not self._missing and self._kind is AnswerType.PERSON) or self._asks_whose(at)
            return True if is_sure and self._may_tell(self._keys[at]) else None
        cells = [row[column] for column in columns if column < len(row) and not _EMPTY.fullmatch(row[column])]
        if not any(map(self._may_tell, cells)) or any(self._is_kind_of(column) for column in columns):
            return False
        return True if self._kind not in {AnswerType.WHETHER, AnswerType.WAY} else None

    def _asks_whose(self, at: int) -> bool:
        """Tell whether the name of a row is asked for by what its cells say: which line 王小军 is responsible for."""
        name, row = self._table.head[self._first], self._table.rows[at]
        if not name or not re.search(
            rf"(?:哪一?\w?|什么|\b(?:which|what) ){re.escape(name)}", self._question, re.IGNORECASE
        ):
            return False
        said = [
            head
            for column, head in enumerate(self._table.head[: len(row)])
            if column != self._first and any(one.stands_in([row[column]], "") for one in self._held[at])
        ]
        return all(any(_is_of_column(one.text, head) for head in said) for one in self._missing)

    def _may_tell(self, cell: str) -> bool:
        if self._kind in {AnswerType.PERSON, AnswerType.PLACE}:
            return _FIGURE.fullmatch(cell) is None
        return may_answer(self._question, cell)

    def _is_kind_of(self, column: int) -> bool:
        """Tell whether a kind of what a column gives is asked for: the minimum stock, where it has the stock."""
        words = content_words(self._table.head[column].casefold())
        begins = tuple(word[: 4 if word.isascii() else 2] for word in words)
        kinds = (
            one for one in self._missing if (has_han(one.text) or not one.is_deed) and not _PRICED.search(one.text)
        )
        behind = (self._question[one.start + len(one.text) :].lstrip(" 的").casefold() for one in kinds)
        return bool(begins) and any(text.startswith(begins) for text in behind)

    @cached_property
    def _columns(self) -> list[int]:
        """Return the columns that are asked for: by name, by a part of it, by unit, or by the sort of answer."""
        rest = self._question
        for one in self._found:
            rest = rest.replace(one.text, " ")
        head = self._table.head
        others = [at for at, name in enumerate(head) if at != self._first and name]
        sort = _OF_SORT.get(self._kind)
        # What the question says of a column itself it does not ask of it.
        others = [at for at in others if not self._is_said_of(at)]
        named = (
            [at for at in _columns_named(head, self._first, rest) if not self._is_said_of(at)]
            or [at for at in others if _is_hinted(head[at], rest)]
            or [at for at in others if any(_counts(self._question, unit) for unit in self._units(at))]
            or [at for at in others if _PRICED.search(self._question) and _PRICE.search(head[at])]
            or [at for at in others if not self._missing and sort is not None and sort.search(head[at])]
            or [at for at in others if not self._missing and self._is_of_sort(at)]
        )
        if self._kind is AnswerType.REASON:
            return [at for at in named if _OF_SORT[AnswerType.REASON].search(head[at])]
        return named

    def _is_said_of(self, column: int) -> bool:
        """Tell whether the question has what a cell of a column says: who started on 1 March is not asked when."""
        return any(
            one.stands_in([row[column]], "")
            for one in self._found
            for row, held in zip(self._table.rows, self._held, strict=True)
            if one in held and column < len(row)
        )

    def _filled(self, column: int) -> list[str]:
        return [row[column] for row in self._table.rows if column < len(row) and not _EMPTY.fullmatch(row[column])]

    def _units(self, column: int) -> set[str]:
        """Return what the figures of a column count, as its name says it in brackets or each of its cells does."""
        told = {_COUNT.sub("", cell).strip() for cell in self._filled(column) if has_digit(cell)}
        asides = (aside.strip(" ()（）") for aside in _ASIDE.findall(self._table.head[column]))
        return {*asides, *(told if len(told) == 1 else ())} - {""}

    def _is_of_sort(self, column: int) -> bool:
        """Tell whether the cells of a column are such as are asked for: dates, or amounts measured in such a way."""
        cells = self._filled(column)
        dated = bool(cells) and all(find_dates(cell, reference=_AT_SOME_TIME) for cell in cells)
        if self._kind is not AnswerType.NUMBER:
            return self._kind is AnswerType.TIME and dated
        measures = next((held for pattern, held in _MEASURED.items() if pattern.search(self._question)), None)
        amounts = [quantities(cell) for cell in cells]
        if measures is None:
            return bool(cells) and all(amounts) and not dated
        return bool(cells) and all(any(one.dimension in measures for one in told) for told in amounts)


_HOW_OFTEN = lazy_regex(r"\b(?P<span>hour|dai|night|week|month|quarter|year)ly\b", re.IGNORECASE)
_DOES = lazy_regex(r"\bwho (?:[a-z]+ly )?(?!is\b|are\b|was\b|were\b|will\b|else\b)([a-z]+)", re.IGNORECASE)


def _as_columns_say(question: str, head: Sequence[str]) -> str:
    """Return a question with how often something is in the words of a column: daily, where one is per day."""
    known = frozenset(query_terms("\n".join(head)))

    def spelt(found: re.Match[str]) -> str:
        span = found["span"].casefold().replace("dai", "day")
        return span if span in known and found[0].casefold() not in known else found[0]

    return _HOW_OFTEN.sub(spelt, question)


def _is_of_column(word: str, name: str) -> bool:
    """Tell whether a word says what a column says of somebody: 管 of 管理员, manages of Manager."""
    return word[0] in name if has_han(word) and has_han(name) else _is_hinted(name, word)


_LETTERED = lazy_regex(r"(?P<word>[A-Za-z]{2,})[ -](?P<letter>[A-Z]|[a-z](?=\W*\Z))(?![\w'’])")
_DOER = lazy_regex(r"(?<=\w{3})[eo]r\Z")
_COUNT = lazy_regex(r"[\d.,+-]+")


def _is_hinted(name: str, text: str) -> bool:
    """Tell whether a text has what a column is called but for what sort of thing it gives: opened, Opening date."""
    name = _ASIDE.sub("", name)
    if has_han(name):
        return any(word in name for word in content_words(text) if has_han(word) and len(word) > 1)
    own = [term for word in content_words(name) if word.casefold() not in _NO_MATTER for term in query_terms(word)]
    said = frozenset(query_terms(text))
    return bool(own) and all(term in said or _DOER.sub("", term) in said for term in own)


def _counts(question: str, unit: str) -> bool:
    """Tell whether a question asks how many of a unit there are: 多少箱, how many boxes."""
    if has_han(unit):
        return re.search(rf"(?:多少|几)个?{re.escape(unit)}", question) is not None
    own = frozenset(query_terms(unit))
    return bool(own) and own <= frozenset(query_terms(question))


def _words(text: str) -> list[str]:
    """Return the words that say what a text is about, with a letter behind one of them: the A of warehouse A."""
    words = content_words(text)
    for found in _LETTERED.finditer(text):
        if found["word"] in words and found["letter"] not in words:
            words.insert(words.index(found["word"]) + 1, found["letter"])
    return words


def _asked_words(question: str, known: frozenset[str]) -> list[_AskedWord]:
    """Return the words of a question that say what it is about, with what belongs together as one."""
    dates = [one for one in find_dates(question, reference=_AT_SOME_TIME) if _DATED.search(one.text)]
    found = [_AskedWord(one.text, one.start, tells_apart=True, when=one) for one in dates]
    tags = {one.start: one.tag for one in tagged(question)} if has_han(question) else {}
    does = {found.start(1) for found in _DOES.finditer(question)}
    last, end = _AskedWord("", -9, tells_apart=False), -9
    for word in _words(question):
        bounded = rf"(?<![A-Za-z0-9]){re.escape(word)}" if word[0].isascii() else re.escape(word)
        placed = re.compile(bounded).search(question, max(end, 0))
        start = placed.start() if placed else max(end, 0)
        gap, end = start - end, start + len(word)
        if any(one.start <= start < one.end for one in dates):
            continue
        tag = tags.get(start, "")
        is_sign = _LETTER.fullmatch(last.text) is not None or (has_han(last.text) and len(last.text) == 1)
        if is_sign and not gap and has_han(word) and not last.is_deed:
            found.remove(last)
            last = _AskedWord(last.text + word, last.start, tells_apart=True, core=last.text, kind=word)
        elif _LETTER.fullmatch(word) and gap == 1 and frozenset(query_terms(last.text)) <= known:
            last = _AskedWord(f"{last.text} {word}", last.start, tells_apart=True, core=word, kind=last.text)
        else:
            is_name = has_digit(word) or len(word) == 1 or (start > 0 and word[0].isascii() and word[0].isupper())
            is_deed = tag.startswith(_DEEDS) or start in does
            tells_apart = (is_name and not is_deed) or tag[:2] in _NAMES
            last = _AskedWord(word, start, tells_apart=tells_apart, is_deed=is_deed)
        found.append(last)
    return found


def _is_within(cell: str, when: TimeMention) -> bool:
    """Tell whether a cell has a date that is within the one that is asked of; without a year, of the same day."""
    of_year = _YEAR.search(when.text) is not None
    for one in find_dates(cell, reference=_AT_SOME_TIME):
        if when.begin <= one.begin and one.finish <= when.finish:
            return True
        if not of_year and one.granularity == when.granularity == "day":
            return (one.begin.month, one.begin.day) == (when.begin.month, when.begin.day)
    return False


_YEAR = lazy_regex(r"\d{4}")
_DATED = lazy_regex(r"\d{4}|[a-z]{3,} \d|\d(?:st|nd|rd|th)? [a-z]{3,}|月", re.IGNORECASE)
"""What has a date that is no number of a thing: 9号线."""


def _shared_end(names: Sequence[str]) -> str:
    """Return what all of some Chinese names end in: 库 of 甲库 and 乙库."""
    if len(names) < 2 or not all(map(has_han, names)):
        return ""
    shared = 0
    while len({name[-shared - 1 :] for name in names}) == 1 and shared < len(names[0]):
        shared += 1
    return names[0][len(names[0]) - shared :]


# ── what cells and labels say of a claim ─────────────────────────────────────

_ASIDE = lazy_regex(r"\s*[(（][^()（）]*[)）]")
_LABEL = lazy_regex(r"(?P<label>[^\W\d_][^：:，,。；;、\n|]{1,11})[：:][ \t]*(?P<names>[^：:。；;.\n|]{2,80})")
_LISTED = lazy_regex(r"[、，,]\s*")
_FIGURE = lazy_regex(r"[\W\d_]*")
_CODE = lazy_regex(r"(?<![A-Za-z0-9])[A-Za-z]+-?\d[A-Za-z0-9]*")
"""What things are called by that differ in a letter or a figure only."""
_BOUNDED = lazy_regex(
    r"\b(?:more|less|fewer|over|under|above|below|least|most|about|around|up to|between)\b|"
    r"[超高低多少大小]于|超过|不足|不到|以[上下内]|至[少多]|最[多少]|大?约|左右",
    re.IGNORECASE,
)
"""What says that a figure is no exact one."""
_SAYS_SO = 0.6
"""The share of a claim's words from which on a cell of the figure that it names bears it out, since a table lacks the
verb: guests pay 20 for a copy. Chosen by hand."""


def labels(text: str, claim: str) -> Iterator[str]:
    """Yield what labels say of the names that a claim has, each as a sentence."""
    chinese = working_language(text) == "zh"
    for found in _LABEL.finditer(_ASIDE.sub("", text)):
        names = [name.strip() for name in _LISTED.split(found["names"])]
        label = found["label"].strip()
        yield from (
            f"{name}{label}。" if chinese else f"{name} is {label}." for name in names if name and name in claim
        )


@dataclass(frozen=True, slots=True)
class CellReading:
    """A row that a claim must be held against by its cells alone, or cells and how they bear on the claim."""

    row: str
    quoted: str = ""
    """The cells that the claim speaks of, each with its head."""
    coverage: float = 0.0
    verdict: str = ""


def cell_readings(read: ReadPassage, claim: str) -> Iterator[CellReading]:
    """Yield how the cells of the row that a claim speaks of bear on it: those of the columns that it names, or each.

    Where it names a column, the rows themselves are of no account: a figure of another column bears nothing out.
    """
    about = " ".join((read.passage.title, *read.passage.path))
    for table in read.tables:
        first = _naming_column(table, claim)
        of = _row_named(table, first, claim)
        key = "" if of is None else _ASIDE.sub("", table.rows[of][first])
        rest = claim
        for word in sorted(content_words(key), key=len, reverse=True):
            rest = re.sub(re.escape(word), " ", rest, flags=re.IGNORECASE)
        columns = _columns_named(table.head, first, rest)
        if columns:
            yield from (CellReading(row_as_sentence(table.head, row, _written(table, row))) for row in table.rows)
        if of is None:
            continue
        row = table.rows[of]
        cells = [at for at, cell in enumerate(row[: len(table.head)]) if cell and at != first and table.head[at]]
        # One at a time where none is named: of whom or what each cell speaks the claim need not say.
        for chosen in [[at for at in columns if at in cells]] if columns else [[at] for at in cells]:
            places = sorted({first, *chosen})
            quoted = row_as_sentence(
                [table.head[at] for at in places], [row[at] for at in places], _written(table, row)
            )
            named = [(table.head[at], row[at]) for at in chosen]
            if named:
                yield CellReading("", quoted, *_bearing_of(claim, rest, key, named, about=about, exact=bool(columns)))


def _written(table: Table, row: Sequence[str]) -> str:
    return "\n".join((*table.head, *row))


def _naming_column(table: Table, text: str) -> int:
    """Return the column that says what each row is of: the first that has more than figures, or is named with one.

    Week 41 names a row by a figure.
    """
    columns = range(len(table.head))
    name = re.escape(table.head[0].strip()) if table.head else ""
    if name and re.search(rf"(?<!\w){name}\W{{0,3}}\d|\d\s?个?{name}", text, re.IGNORECASE):
        return 0
    return next((at for at in columns if any(not _FIGURE.fullmatch(row[at]) for row in table.rows if at < len(row))), 0)


def _row_named(table: Table, first: int, claim: str) -> int | None:
    """Return the row that a claim speaks of: it has all words of its name, or most and more than of any other's."""
    codes = _CODE.findall(claim)
    held: list[tuple[float, int, int]] = []
    for place, row in enumerate(table.rows):
        key = _ASIDE.sub("", row[first]) if first < len(row) else ""
        words = content_words(key)
        count = sum(_has_word(claim, word) for word in words)
        told = any(has_digit(word) and _has_word(claim, word) for word in words) or 2 * count > len(words)
        if count and told and all(_has_word(" ".join(row), code) for code in codes):
            held.append((count / len(words) if count == len(words) else 0.0, count, place))
    held.sort(reverse=True)
    is_one = len(held) == 1 or (len(held) > 1 and held[0][:2] > held[1][:2])
    return held[0][2] if is_one else None


def _has_word(text: str, word: str) -> bool:
    """Tell whether a text has a word: "L25" is not "L2"."""
    bounded = rf"(?<![A-Za-z0-9]){re.escape(word)}(?![0-9])" if word.isascii() else re.escape(word)
    return re.search(bounded, text, re.IGNORECASE) is not None


def _columns_named(head: Sequence[str], first: int, text: str) -> list[int]:
    """Return the columns that a text names, in its order, by the words that tell each from the others: retail price."""
    terms = {at: frozenset(query_terms(name)) for at, name in enumerate(head) if at != first and name}
    said, folded = frozenset(query_terms(text)), text.casefold()
    found: dict[int, tuple[int, frozenset[str]]] = {}
    for at, own in terms.items():
        name = _ASIDE.sub("", head[at]).casefold()
        others = [_ASIDE.sub("", head[other]).casefold() for other in terms if other != at]
        if name.isascii():
            apart = own - frozenset[str]().union(*(terms[other] for other in terms if other != at)) or own
            place = min((folded.find(word[:4]) for word in apart), default=0) if apart <= said else -1
        else:
            shared = max((_same_end(name, other) for other in others), default=0)
            short = name[: len(name) - shared]
            place = max(folded.find(name), folded.find(short) if len(short) > 1 else -1)
        if place >= 0 or (name.isascii() and own and own <= said):
            found[at] = (max(place, 0), own)
    # "Price" is not named where "wholesale price" is.
    kept = [at for at, (_, own) in found.items() if not any(own < other for _, other in found.values())]
    return sorted(kept, key=lambda at: found[at][0])


def _same_end(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(reversed(one), reversed(other), strict=False)) if a != b), 0)


def _bearing_of(
    claim: str, rest: str, key: str, named: Sequence[tuple[str, str]], *, about: str, exact: bool
) -> tuple[float, str]:
    """Return how much of a claim some cells cover, and whether they bear it out or contradict it.

    Where it names their columns, another figure in the place of theirs contradicts them, whatever words stand around.
    """
    chinese = working_language(claim) == "zh"
    said = (
        "，".join(f"{key}的{name}是{cell}" for name, cell in named) + "。"
        if chinese
        else "T" + " and ".join(f"the {name} of {key} is {cell}" for name, cell in named)[1:] + "."
    )
    coverage, verdict = bearing(claim, said, title=about)
    for name, _ in named:
        rest = rest.replace(name, " ")
    claimed, told = quantities(rest), [quantity for _, cell in named for quantity in quantities(cell)]
    denied = any(token.denied for token in read_claim(claim).tokens)
    if not exact or denied or _BOUNDED.search(claim) or len(claimed) != len(told) or not told:
        return coverage, verdict
    if not all(map(_same_amount, claimed, told)):
        return coverage, "contradicted"
    return coverage, "supported" if coverage >= _SAYS_SO else verdict


def _same_amount(one: Quantity, other: Quantity) -> bool:
    """Tell whether two figures are the same: a cell has no unit where its head, or nobody, names one."""
    if one.base_unit == other.base_unit:
        return one.base_value == other.base_value
    return one.value == other.value

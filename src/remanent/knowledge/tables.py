"""Tables within a passage: rows read as sentences under their head, and what their cells say of a claim.

A cell tells nothing without the head above it and the thing before it, and a name behind a label nothing without the
label. A row has the figures of all its columns: whoever looks for a figure must look in the column that a claim names,
or the wholesale price bears out whatever is said of the retail price.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import PurePath
from typing import NamedTuple

from remanent.knowledge.model import Passage
from remanent.language.offline.claims import read_claim
from remanent.language.offline.evidence import bearing
from remanent.lightweight import dataclass
from remanent.loaders.plain import delimiter_of
from remanent.text.keywords import content_words
from remanent.text.numbers import Quantity, has_digit, quantities
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.terms import query_terms

_TABLE = lazy_regex(r"(?:^[ \t]*+\|[^\n]*+(?:\n|\Z)){2,}+", re.MULTILINE)
_RULE = lazy_regex(r"[\s|:-]*")
"""The line between a table's head and its rows."""
_FULLER = 6
"""How many times as long as its table what is read of it may be: a head may be longer than all rows."""


_LABELLED = 2
"""Columns of a table that may have no head, but a label before each cell."""


class Table(NamedTuple):
    """The names of the columns, and the cells of each row."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


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
            _as_sentences(one.head, [row], between.join((*one.head, *row))) for one in self.tables for row in one.rows
        ]
        return "".join(read) if all(read) and read else self.passage.text

    @property
    def tables(self) -> list[Table]:
        """Its tables, or the one that a file of separated values is."""
        text = self.head + _with_bars(self.passage)
        if not is_separated(self.passage):
            return [_cells(found[0]) for found in _TABLE.finditer(text)]
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
    return passage.text.startswith("|") and not (len(lines) > 1 and _RULE.fullmatch(lines[1]))


def table_head(passage: Passage, before: Sequence[str]) -> str:
    """Return the head of the table that goes on in a passage, from what stands before it, the nearest first."""
    if is_separated(passage):
        return before[-1].partition("\n")[0] + "\n" if before else ""
    if passage.place.sheet is not None:
        begun = next((_with_bars(passage, text) for text in before if _begins_sheet(text, passage)), "")
        return next((_ruled(found[0]) for found in _TABLE.finditer(begun) if _cells(found[0]).rows), "")
    for text in before:
        tables = list(_TABLE.finditer(text))
        if not tables or tables[-1].end() < len(text.rstrip()):
            break
        lines = tables[-1][0].splitlines(keepends=True)
        if _RULE.fullmatch(lines[1]):
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


def with_rows_read(text: str) -> str:
    """Return a text with each row of its tables as a sentence under the head: Grade: Senior, Bonus: 9 %.

    Without a line below it, a first row with figures, or one above rows without any, may be no head: such a table stays
    as it is.
    """
    return _TABLE.sub(lambda found: _as_sentences(*_cells(found[0]), found[0]) or found[0], text)


def _as_sentences(head: Sequence[str], rows: Sequence[Sequence[str]], table: str) -> str:
    """Return the rows of a table as sentences, or nothing where it has no head or they would be far too long."""
    told = "".join(f"{_row_read(head, row, table)}\n" for row in rows)
    return told if len(told) <= _FULLER * len(table) else ""


def _row_read(head: Sequence[str], row: Sequence[str], table: str) -> str:
    colon, comma, stop = ("：", "，", "。") if working_language(table) == "zh" else (": ", ", ", ".")
    said = (f"{name}{colon}{cell}" if name else cell for name, cell in zip(head, row, strict=False) if cell)
    return comma.join(said) + stop


def _cells(table: str) -> Table:
    """Return the head of a table and its rows; no rows where it has no head."""
    lines = table.splitlines()
    ruled = _RULE.fullmatch(lines[1]) is not None
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if not _RULE.fullmatch(line)
    ]
    head, rows = next(iter(cells), []), cells[1:]
    # In two columns each row may have a label and what it labels, the first one too.
    told_apart = not any(map(has_digit, head)) and (
        len(head) > _LABELLED or all(any(map(has_digit, row)) for row in rows)
    )
    return Table(head, rows if ruled or told_apart else [])


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
        first = _naming_column(table)
        of = _row_named(table, first, claim)
        key = "" if of is None else _ASIDE.sub("", table.rows[of][first])
        rest = claim
        for word in sorted(content_words(key), key=len, reverse=True):
            rest = re.sub(re.escape(word), " ", rest, flags=re.IGNORECASE)
        columns = _columns_named(table.head, first, rest)
        if columns:
            yield from (CellReading(_row_read(table.head, row, _written(table, row))) for row in table.rows)
        if of is None:
            continue
        row = table.rows[of]
        cells = [at for at, cell in enumerate(row[: len(table.head)]) if cell and at != first and table.head[at]]
        # One at a time where none is named: of whom or what each cell speaks the claim need not say.
        for chosen in [[at for at in columns if at in cells]] if columns else [[at] for at in cells]:
            places = sorted({first, *chosen})
            quoted = _row_read([table.head[at] for at in places], [row[at] for at in places], _written(table, row))
            named = [(table.head[at], row[at]) for at in chosen]
            if named:
                yield CellReading("", quoted, *_bearing_of(claim, rest, key, named, about=about, exact=bool(columns)))


def _written(table: Table, row: Sequence[str]) -> str:
    return "\n".join((*table.head, *row))


def _naming_column(table: Table) -> int:
    """Return the first column that has more than figures: it says what each row is of."""
    columns = range(len(table.head))
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

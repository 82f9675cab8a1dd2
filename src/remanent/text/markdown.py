"""Markdown: its sections with their heading paths, its front matter, its fenced code, as spans of the text; its tables.

Not a renderer: only what decides where a text may be cut and what is prose. Fences come first, so that nobody takes
code for prose or a comment in it for a heading.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from remanent.lightweight import dataclass
from remanent.text.numbers import has_digit
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.spans import Span

_OPENING = lazy_regex(r"^(?: {0,3}|[ ]*(?:[-*+]|\d{1,9}[.)])[ ]+)(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$", re.MULTILINE)


def fences(text: str) -> list[Span]:
    """Return the fenced code blocks of a text in order, from the opening line to the end of the closing one.

    One that is never closed reaches to the end, as renderers have it: a model's reply that was cut inside of code is
    code.
    """
    found: list[Span] = []
    if "```" not in text and "~~~" not in text:
        return found
    position = 0
    while opening := _OPENING.search(text, position):
        mark = opening[1]
        closing = re.compile(rf"^[ ]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(text, min(opening.end() + 1, len(text)))
        stop = len(text) if end is None else min(end.end() + 1, len(text))
        found.append(Span(opening.start(), stop))
        position = stop
        if position >= len(text):
            break
    return found


def fence_at(blocks: Sequence[Span], position: int) -> Span | None:
    """Return the block, out of those in the order of the text, that the position lies in."""
    index = bisect_right(blocks, position, key=lambda block: block.start) - 1
    return blocks[index] if index >= 0 and position < blocks[index].end else None


_FRONT_MATTER = lazy_regex(r"\ufeff?---[ \t]*\r?\n(?P<body>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_FIELD = lazy_regex(r"(?P<key>[^\s:#\-][^:\n]*?)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_ITEM = lazy_regex(r"[ \t]*-[ \t]+(.*)")
_ATX = lazy_regex(r"^ {0,3}(?P<marks>#{1,6})(?![^ \t\r\n])(?P<title>.*)$", re.MULTILINE)
_UNDERLINE = lazy_regex(r"^ {0,3}(?P<mark>=+|-{2,})[ \t]*\r?$", re.MULTILINE)
# A line that cannot be the text of an underlined heading.
_NO_TITLE = lazy_regex(r"\s*\Z|\s{4}|\t| {0,3}(?:[-*+>|#]|\d{1,9}[.)][ \t]|```|~~~)")


@dataclass(frozen=True, slots=True)
class MarkdownSection(Span):
    """A heading with the text up to the next heading; the text before the first heading is a section of level 0."""

    level: int
    title: str
    path: tuple[str, ...]
    """The titles from the top down to this one."""


@dataclass(frozen=True, slots=True)
class Markdown:
    """A Markdown text taken apart: the fields of its front matter, then its sections."""

    fields: Mapping[str, str | list[str]]
    """What stands between two lines of dashes at the very beginning; of a key that stands twice the last value."""
    sections: tuple[MarkdownSection, ...]


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading line, or two with its underline."""

    start: int
    end: int
    level: int
    title: str


def parse_markdown(text: str) -> Markdown:
    """Take a Markdown text apart; headings inside fenced code are code."""
    front_matter = _FRONT_MATTER.match(text)
    start = front_matter.end() if front_matter else 0
    headings = [heading for heading in _headings(text) if heading.start >= start]
    if start < len(text) and (not headings or headings[0].start > start):
        headings.insert(0, _Heading(start, start, 0, ""))
    fields = _fields(front_matter["body"]) if front_matter else {}
    return Markdown(fields, tuple(_sections(headings, len(text))))


def _fields(front_matter: str) -> dict[str, str | list[str]]:
    """Read the fields of front matter: `key: value`, `key: [a, b]`, and lists with a dash per line.

    No YAML parser: it would take anything that stands between two lines of dashes, and refuse half of it.
    """
    fields: dict[str, str | list[str]] = {}
    key = ""
    for line in front_matter.splitlines():
        if (item := _ITEM.fullmatch(line)) and key and isinstance(listed := fields[key] or [], list):
            listed.append(_unquoted(item[1]))
            fields[key] = listed
        elif field := _FIELD.fullmatch(line):
            key = field["key"]
            fields[key] = _value(field["value"] or "")
    return fields


def _value(raw: str) -> str | list[str]:
    """Return a value: a list in square brackets, else a text."""
    raw = raw.strip()
    if raw.startswith("[") and raw.endswith("]"):
        return [_unquoted(part) for part in raw[1:-1].split(",") if part.strip()]
    return _unquoted(raw)


def _unquoted(raw: str) -> str:
    """Return a text without the quotation marks around it."""
    raw = raw.strip()
    return raw[1:-1] if len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'" else raw


def _headings(text: str) -> list[_Heading]:
    """Return the headings in order: those with hashes and those that are underlined, none of them in code."""
    found = [
        _Heading(match.start(), _line_end(text, match.end()), len(match["marks"]), _title(match["title"]))
        for match in _ATX.finditer(text)
    ]
    found += [heading for match in _UNDERLINE.finditer(text) if (heading := _underlined(text, match))]
    blocks = fences(text)
    found = [heading for heading in found if not fence_at(blocks, heading.start)]
    headings: list[_Heading] = []
    for heading in sorted(found, key=lambda heading: heading.start):
        if not headings or heading.start >= headings[-1].end:  # the line under a title is no title itself
            headings.append(heading)
    return headings


def _title(written: str) -> str:
    """Return a title without the hashes that may close it."""
    bare = written.removesuffix("\r").rstrip(" \t")
    open_end = bare.rstrip("#")
    return (open_end if open_end[-1:] in {" ", "\t"} else bare).strip()


def _underlined(text: str, underline: re.Match[str]) -> _Heading | None:
    """Return the heading that the line above an underline is; None when there is no such line."""
    end = underline.start() - 1
    if end <= 0:
        return None
    start = text.rfind("\n", 0, end) + 1
    title = text[start:end]
    before = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
    if _NO_TITLE.match(title) or (before.strip() and not _ATX.match(before) and not _UNDERLINE.match(before)):
        return None  # not a title, or the last line of a longer paragraph: then the dashes part two paragraphs
    level = 1 if underline["mark"][0] == "=" else 2
    return _Heading(start, _line_end(text, underline.end()), level, title.strip())


def _line_end(text: str, position: int) -> int:
    """Return the place after a line break that stands here."""
    return position + 1 if text[position : position + 1] == "\n" else position


def _sections(headings: list[_Heading], length: int) -> list[MarkdownSection]:
    """Return the sections that the headings make, each with the titles above it."""
    sections: list[MarkdownSection] = []
    above: list[_Heading] = []
    for number, heading in enumerate(headings):
        end = headings[number + 1].start if number + 1 < len(headings) else length
        above = [higher for higher in above if 0 < higher.level < heading.level] + [heading]
        path = tuple(higher.title for higher in above if higher.level)
        sections.append(MarkdownSection(heading.start, end, heading.level, heading.title, path))
    return sections


# ── tables, their rows read as sentences ─────────────────────────────────────

TABLE = lazy_regex(r"(?:^[ \t]*+\|[^\n]*+(?:\n|\Z)){2,}+", re.MULTILINE)
TABLE_RULE = lazy_regex(r"[\s|:-]*")
"""The line between a table's head and its rows."""
_FULLER = 6
"""How many times as long as its table what is read of it may be: a head may be longer than all rows."""
_LABELLED = 2
"""Columns of a table that may have no head, but a label before each cell."""


class Table(NamedTuple):
    """The names of the columns, and the cells of each row."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def with_rows_read(text: str) -> str:
    """Return a text with each row of its tables as a sentence under the head: Grade: Senior, Bonus: 9 %.

    Without a line below it, a first row with figures, or one above rows without any, may be no head: such a table stays
    as it is.
    """
    return TABLE.sub(lambda found: rows_as_sentences(*table_cells(found[0]), found[0]) or found[0], text)


def rows_as_sentences(head: Sequence[str], rows: Sequence[Sequence[str]], table: str) -> str:
    """Return the rows of a table as sentences, or nothing where it has no head or they would be far too long."""
    told = "".join(f"{row_as_sentence(head, row, table)}\n" for row in rows)
    return told if len(told) <= _FULLER * len(table) else ""


def row_as_sentence(head: Sequence[str], row: Sequence[str], table: str) -> str:
    """Return a row as a sentence under its head, in the language of its table."""
    colon, comma, stop = ("：", "，", "。") if working_language(table) == "zh" else (": ", ", ", ".")
    said = (f"{name}{colon}{cell}" if name else cell for name, cell in zip(head, row, strict=False) if cell)
    return comma.join(said) + stop


def table_cells(table: str) -> Table:
    """Return the head of a table and its rows; no rows where it has no head."""
    lines = table.splitlines()
    ruled = any(TABLE_RULE.fullmatch(line) for line in lines[1:2])
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in lines
        if not TABLE_RULE.fullmatch(line)
    ]
    head, rows = next(iter(cells), []), cells[1:]
    # In two columns each row may have a label and what it labels, the first one too.
    told_apart = not any(map(has_digit, head)) and (
        len(head) > _LABELLED or all(any(map(has_digit, row)) for row in rows)
    )
    return Table(head, rows if ruled or told_apart else [])

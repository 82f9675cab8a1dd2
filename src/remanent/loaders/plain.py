"""Files that are text already: notes, Markdown, comma-separated tables, chats as JSON lines.

Their text is kept as it stands, so that lines can be counted in it; only chats are written anew.
"""

import csv
import json
import re
from collections.abc import Iterator

from remanent.loaders.decoding import decoded
from remanent.loaders.document import PARAGRAPH, Block, DocumentBuilder, LoadedDocument, Place, PlaceMark, assemble
from remanent.loaders.reading import Reading
from remanent.loaders.types import JSON_LINES, TSV
from remanent.model.chat import text_of
from remanent.text.markdown import fence_at, fences, parse_markdown

FIRST_LINE = PlaceMark(start=0, place=Place(line=1), counts_lines=True)
# The line under the head of a table in Markdown.
_RULE = re.compile(r"[ \t]*+\|?[ \t]*+:?-[-:| \t]*+\r?\n?")


def read_text(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a text without any structure but its lines."""
    return assemble(decoded(data, charset=reading.charset), reading.media_type, places=[FIRST_LINE])


def read_markdown(data: bytes, reading: Reading) -> LoadedDocument:
    """Read Markdown: headings are sections; tables and fenced code stay whole."""
    text = decoded(data, charset=reading.charset)
    parsed = parse_markdown(text)
    titled = parsed.front_matter.get("title") if parsed.front_matter else None
    fenced = fences(text)
    code = [Block(kind="code", start=fence.start, end=fence.end) for fence in fenced]
    return assemble(
        text,
        reading.media_type,
        title=titled if isinstance(titled, str) else None,
        headings=[(part.start, part.level, part.title) for part in parsed.sections if part.level],
        places=[FIRST_LINE],
        blocks=[*code, *(table for table in _tables(text) if not fence_at(fenced, table.start))],
    )


def _tables(text: str) -> Iterator[Block]:
    """Yield the tables: a line with bars, the rule under it, and the lines with bars that follow."""
    rows: list[int] = []
    start, before = 0, ""
    for line in [*text.splitlines(keepends=True), ""]:
        if rows and "|" not in line:
            yield Block(kind="table", start=rows[0], end=start, borders=tuple(rows[2:]))
            rows = []
        elif rows:
            rows.append(start)
        elif "|" in line and "|" in before and _RULE.fullmatch(line):
            rows = [start - len(before), start]
        start, before = start + len(line), line


def read_csv(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a table of separated values as it stands; a row in quotes may go over several lines."""
    text = decoded(data, charset=reading.charset)
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    rows = csv.reader(lines, delimiter="\t" if reading.media_type == TSV else _delimiter(text))
    borders = []
    try:
        for _ in rows:
            borders.append(starts[rows.line_num])  # noqa: PERF401 - the rows before a fault are kept
    except csv.Error:
        borders.append(len(text))  # a field without an end: what follows is one row
    return assemble(
        text,
        reading.media_type,
        places=[FIRST_LINE],
        blocks=[Block(kind="table", start=0, end=len(text), borders=tuple(b for b in borders if b < len(text)))],
    )


def _delimiter(text: str) -> str:
    """Return what parts the fields: what the first line has most of."""
    first = text[:10_000].partition("\n")[0]
    return max(",;\t|", key=first.count)


def read_chat(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a chat as JSON lines: each message is a section that says who speaks; other JSON lines stay text."""
    text = decoded(data, charset=reading.charset)
    draft = DocumentBuilder()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        message = _message(line)
        if message is None:
            return assemble(text, reading.media_type, places=[FIRST_LINE])
        who, said = message
        draft.gap(PARAGRAPH)
        draft.mark(Place(line=number))
        draft.write(f"{who}: {said}")
        draft.headings.append((draft.places[-1].start, 1, who))
    return draft.finish(JSON_LINES).model_copy(update={"title": None})


def _message(line: str) -> tuple[str, str] | None:
    """Return who says what in a line of a chat; None when it is no message."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    who = next((value[key] for key in ("role", "speaker", "sender", "from", "author") if value.get(key)), None)
    said = next((value[key] for key in ("content", "text", "message", "value") if key in value), None)
    return (who, text_of(said).strip()) if isinstance(who, str) and isinstance(said, str | list) else None

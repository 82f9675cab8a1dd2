"""Files that are text already: notes, Markdown, comma-separated tables, chats as JSON lines, source code.

Their text is kept as it stands, so that lines can be counted in it; only chats are written anew.
"""

import ast
import csv
import json
import re
from collections.abc import Iterator
from itertools import accumulate

from remanent.loaders.document import (
    PARAGRAPH,
    Block,
    DocumentBuilder,
    LoadedDocument,
    Place,
    PlaceMark,
    Reading,
    assemble,
)
from remanent.loaders.types import JSON_LINES, TSV, decoded
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
    titled = parsed.fields.get("title")
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
    starts = [0, *accumulate(map(len, lines))]
    rows = csv.reader(lines, delimiter="\t" if reading.media_type == TSV else delimiter_of(text))
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


def delimiter_of(text: str) -> str:
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


# ── source code: kept as it stands, with the borders of functions and classes as the places to cut it ──

# A definition in the languages with braces, and in Ruby, Lua, Julia and shell: at the margin, or one step in, as
# methods are. Not a parser: a wrong border costs a chunk that is cut in a poor place, no more.
_DEFINITION = re.compile(
    r"^(?P<indent>[ \t]{0,4})(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|"
    r"pub(?:\([a-z]+\))?|unsafe|extern|inline|virtual|override|open|data|sealed)[ \t]+)*"
    r"(?:(?:func|fn|function|def|class|struct|enum|interface|trait|impl|module|namespace|object|type|protocol|"
    r"record|macro|create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:function|procedure|table|view))\b[^\n]*"
    r"|[A-Za-z_][\w:<>,*&\[\] \t]{0,200}[ \t*&]+~?[A-Za-z_][\w:]{0,100}\([^;\n]{0,500}\{[ \t]*)$",
    re.MULTILINE | re.IGNORECASE,
)
_NAME = re.compile(
    r"(?:class|struct|enum|interface|trait|impl|module|namespace|func|fn|function|def|type|object|protocol|record|macro|"
    r"procedure|table|view)\s+(?:\([^)\n]{0,200}\)\s*)?([\w:.<>]{1,100})"
)


def read_code(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a program: its definitions are sections, and the whole is one listing that is cut between them."""
    text = decoded(data, charset=reading.charset)
    found = _python(text) if reading.name.lower().endswith((".py", ".pyi")) else None
    headings = found if found is not None else _by_pattern(text)
    borders = tuple(start for start, _, _ in headings if start)
    block = Block(kind="code", start=0, end=len(text), borders=borders)
    document = assemble(
        text, reading.media_type, headings=[each for each in headings if each[2]], places=[FIRST_LINE], blocks=[block]
    )
    return document.model_copy(update={"title": None})


def _python(text: str) -> list[tuple[int, int, str]] | None:
    """Return functions and classes with their decorators and the comments above; None when it is no Python of today."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found: list[tuple[int, int, str]] = []
    todo: list[tuple[ast.AST, int]] = [(tree, 0)]
    while todo:
        node, level = todo.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                while first > 1 and lines[first - 2].lstrip().startswith("#"):
                    first -= 1
                found.append((starts[first - 1], level + 1, child.name))
                if isinstance(child, ast.ClassDef):
                    todo.append((child, level + 1))
    return sorted(found)


def _by_pattern(text: str) -> list[tuple[int, int, str]]:
    """Return what looks like a definition in any other language."""
    found = []
    for match in _DEFINITION.finditer(text):
        named = _NAME.search(match[0])
        name = named[1] if named else match[0].partition("(")[0].split()[-1].lstrip("*&")
        found.append((match.start(), 2 if match["indent"] else 1, name))
    return found

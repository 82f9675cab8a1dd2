"""Source code: kept as it stands, with the borders of functions and classes as the places to cut it."""

import ast
import re

from remanent.loaders.decoding import decoded
from remanent.loaders.document import Block, LoadedDocument, assemble
from remanent.loaders.plain import FIRST_LINE
from remanent.loaders.reading import Reading

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


def read(data: bytes, reading: Reading) -> LoadedDocument:
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
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
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

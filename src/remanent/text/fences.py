"""Fenced code in Markdown: where it stands, so that nobody takes code for prose or headings."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_OPENING = re.compile(
    r"^(?: {0,3}|[ ]*(?:[-*+]|\d{1,9}[.)])[ ]+)(`{3,}(?=[^`\n]*$)|~{3,})[ \t]*([^\n]*)$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block from its opening line to the end of its closing line, and what the opening line says."""

    start: int
    end: int
    info: str


def fences(text: str) -> list[Fence]:
    """Return the fenced code blocks of a text in order; one that is never closed reaches to the end."""
    found: list[Fence] = []
    position = 0
    while opening := _OPENING.search(text, position):
        mark = opening[1]
        closing = re.compile(rf"^[ ]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(text, min(opening.end() + 1, len(text)))
        stop = len(text) if end is None else min(end.end() + 1, len(text))
        found.append(Fence(opening.start(), stop, opening[2].strip()))
        position = stop
        if position >= len(text):
            break
    return found


def fence_at(blocks: Sequence[Fence], position: int) -> Fence | None:
    """Return the block, out of those in the order of the text, that the position lies in."""
    index = bisect_right(blocks, position, key=lambda block: block.start) - 1
    return blocks[index] if index >= 0 and position < blocks[index].end else None

"""Summary: the levels at which a conversation is shortened."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from remanent.errors import InvalidInput
from remanent.language.exchanges.shapes import LONGEST_SUMMARY, Remark, Summary, Utterance
from remanent.language.tidying import lines, remark, within_tokens
from remanent.language.tongue import Tongue
from remanent.model import Model
from remanent.text.tokens import ESTIMATE


class Level(StrEnum):
    """How far a conversation is shortened."""

    SEGMENT = "segment"
    """Some ten messages become a line that starts with `[摘要]` (`[summary]` in English)."""
    SESSION = "session"
    """Everything becomes one digest with decisions, to-dos and agreements."""
    COMPACTION = "compaction"
    """The beginning of a conversation becomes a message that starts with `[compacted]`."""


TOKENS = {Level.SEGMENT: 200, Level.SESSION: 800, Level.COMPACTION: 400}
"""How long the text of each level may be unless the request says otherwise."""

_MARKS: dict[Level, dict[Tongue, str]] = {
    Level.SEGMENT: {"zh": "[摘要]", "en": "[summary]"},
    Level.SESSION: {"zh": "[会话概要]", "en": "[session digest]"},
    Level.COMPACTION: {"zh": "[compacted]", "en": "[compacted]"},
}
_ANY_MARK = re.compile(r"(?:\s*\[(?:摘要|会话概要|summary|session digest|compacted)\]\s*)+", re.IGNORECASE)
_LISTS: dict[Tongue, tuple[str, str, str]] = {
    "zh": ("决策：", "待办：", "约定："),
    "en": ("Decisions:", "To do:", "Agreements:"),
}
_MOST_ITEMS = 30
_LONGEST_ITEM = 300


class SummaryRequest(Model):
    """What was said, after what was summarised before."""

    level: Level = Level.SEGMENT
    utterances: Annotated[tuple[Utterance, ...], Field(max_length=2000)] = ()
    earlier: Annotated[tuple[Summary, ...], Field(max_length=1000)] = ()
    """Summaries of what was said before the utterances, oldest first; they go into the new one."""
    max_tokens: Annotated[int, Field(ge=20, le=8000)] | None = None
    """How long the text may be; by default as `TOKENS` says for the level."""

    @model_validator(mode="after")
    def _check_that_something_was_said(self) -> "SummaryRequest":
        if not any(text.strip() for text in (*self.earlier, *(said.text for said in self.utterances))):
            raise InvalidInput("there is nothing to summarise")
        return self

    @property
    def limit(self) -> int:
        """The number of tokens that the text may have."""
        return self.max_tokens or TOKENS[self.level]


class SummaryResponse(Model):
    """The shortened conversation, ready to stand in for what it shortens."""

    text: Annotated[Summary, Field(min_length=1)]
    """With its mark at the beginning; a session's lists are part of it."""
    decisions: tuple[Remark, ...] = ()
    todos: tuple[Remark, ...] = ()
    agreements: tuple[Remark, ...] = ()


def render(
    request: SummaryRequest,
    text: str,
    *,
    decisions: Sequence[str] = (),
    todos: Sequence[str] = (),
    agreements: Sequence[str] = (),
    tongue: Tongue,
) -> SummaryResponse:
    """Return a summary with its mark and within its tokens; only a session's has lists, which outlive its prose."""
    mark = _MARKS[request.level][tongue]
    listed = [lines(items, most=_MOST_ITEMS, limit=_LONGEST_ITEM) for items in (decisions, todos, agreements)]
    if request.level is not Level.SESSION:
        listed = [(), (), ()]
    room = (request.limit - ESTIMATE(mark)) * 2 // 3
    while any(listed) and ESTIMATE(_listed(listed, tongue)) > room:
        longest = max(range(3), key=lambda place: len(listed[place]))
        listed[longest] = listed[longest][:-1]
    tail = _listed(listed, tongue)
    whole = _fitted(mark, unmarked(text), tail, limit=request.limit)
    return SummaryResponse(text=whole, decisions=listed[0], todos=listed[1], agreements=listed[2])


def _fitted(mark: str, prose: str, tail: str, *, limit: int) -> str:
    """Return mark, prose and lists together, with as much of the prose as the tokens leave room for."""
    room = limit - ESTIMATE(mark) - ESTIMATE(tail)
    while True:
        kept = within_tokens(prose, room)
        whole = f"{mark} {kept}".rstrip() + (f"\n{tail}" if tail else "")
        over = ESTIMATE(whole) - limit
        if over <= 0 or not kept:
            return whole
        room -= over  # texts that are put together may take more tokens than they took apart


def unmarked(text: str) -> str:
    """Return a summary without the mark that it may begin with."""
    marked = _ANY_MARK.match(text)
    return remark(text[marked.end() :] if marked else text, LONGEST_SUMMARY)


def _listed(listed: Sequence[Sequence[str]], tongue: Tongue) -> str:
    parts = [
        "\n".join([heading, *(f"- {item}" for item in items)])
        for heading, items in zip(_LISTS[tongue], listed, strict=True)
        if items
    ]
    return "\n".join(parts)

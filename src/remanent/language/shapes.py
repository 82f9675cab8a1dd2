"""The shapes that requests and responses share: texts of bounded length, what was said, nodes of a task's graph.

Bounds are here so that neither a caller's text nor a model's reply can make a prompt, a row or a page of any size; no
measurement stands behind them but where one is named.
"""

from typing import Annotated

from pydantic import AfterValidator, Field

from remanent.errors import InvalidInput
from remanent.model import Instant, Model, Origin
from remanent.model.base import Count, Text
from remanent.model.ids import Id

MAX_TEXT = 1_000_000
MAX_SUMMARY = 20_000
MAX_REMARK = 2_000
"""Characters of a text that a role is given, of a summary that it writes, and of a remark: each far above what is
usual, so that nothing runs away. Chosen by hand."""
SHORT_TEXT = 300
"""Characters of two or three sentences: one topic, of which each sentence is a fact (chosen by hand)."""
MAX_CONTEXT = 500
MAX_KEYWORD = 60
"""Characters of the sentence that says what something is about, and of one keyword. Chosen by hand."""
MAX_SEGMENT = 200
"""Characters of a piece of memory, as the design of the associative memory has it."""
MAX_KEYWORDS = 12
"""Keywords of one thing; models are asked for eight at most. Chosen by hand."""


def _check_said(text: str) -> str:
    if not text.strip():
        raise InvalidInput("must not be blank")
    return text


LongText = Annotated[Text, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(_check_said)]
"""A text that somebody wrote; not blank."""

Summary = Annotated[Text, Field(max_length=MAX_SUMMARY)]
Remark = Annotated[Text, Field(max_length=MAX_REMARK)]
"""A few sentences: a reason, a description, a task."""

Context = Annotated[Text, Field(max_length=MAX_CONTEXT)]
"""One sentence that says what something is about."""

Keyword = Annotated[Text, Field(min_length=1, max_length=MAX_KEYWORD)]
Keywords = Annotated[tuple[Keyword, ...], Field(max_length=MAX_KEYWORDS)]


class Utterance(Model):
    """Something that was said: by whom, and when if that is known."""

    speaker: Annotated[Text, Field(min_length=1, max_length=200)] = "user"
    text: Annotated[Text, Field(max_length=MAX_TEXT)]
    occurred_at: Instant | None = None
    origin: Origin | None = None
    """Whose word it is, where that is known; what a tool or a page says commands nothing."""


class UtteranceSpan(Model):
    """A stretch of one of the utterances that were given: its number from 0, and characters, the end exclusive."""

    utterance: Count
    start: Count
    end: Count


class TextSpan(Model):
    """A stretch of the text that was given, in characters, the end exclusive."""

    start: Count
    end: Count


class GraphNode(Model):
    """A node of a task's graph as a role sees it: no embedding, no edges."""

    node_id: Id
    summary: Summary
    context: Context = ""
    keywords: Keywords = ()
    timestamp: Instant | None = None
    texts: tuple[Id, ...] = ()
    """The texts that it was made from; no prompt shows them."""


class Neighbour(Model):
    """A node beside those at hand: what it is about, without what it says."""

    node_id: Id
    context: Context = ""
    keywords: Keywords = ()

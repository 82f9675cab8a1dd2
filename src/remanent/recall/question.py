"""What is asked: the words, of whom, when, and what can be read from the words alone."""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from remanent.model import Scope
from remanent.stores import RecordFilter
from remanent.text.dates import TimeMention, find_dates
from remanent.text.language import Language, language_of
from remanent.text.mentions import Mention, mentions
from remanent.text.words import query_terms

# Questions whose answer is a course of events: they are answered in the order in which it happened.
_ORDER = re.compile(
    r"\b(?:what|which|the|in|chronological)\s+order\b|\bchronolog|\btimeline\b|\bover\s+time\b|\bsequence\s+of\b"
    r"|\bhow\s+(?:has|have|did)\b.{0,60}\b(?:change|evolve|progress|develop)|\bfrom\s+(?:first|earliest)\s+to\b"
    r"|先后|顺序|时间线|按时间|来龙去脉|经过是|如何(?:变化|演变|发展)|怎么(?:变化|演变|发展)",
    re.IGNORECASE,
)
# Questions about what the assistant itself said before.
_OF_THE_AGENT = re.compile(
    r"\b(?:you|assistant)(?:'ve|\s+have|\s+had)?\s+(?:\w+\s+)?(?:recommend|suggest|told|tell|said|say|mention|advise"
    r"|list|provid|gave|give|propos|explain|describ|wrote|write|answer|show|creat|generat)"
    r"|\b(?:your|assistant's)\s+(?:\w+\s+)?(?:recommend|suggest|advice|answer|list|repl|respons|explan|proposal)"
    r"|(?:你|您|助手)(?:之前|上次|曾|曾经|刚才|当时)?(?:给我|向我|跟我|对我|为我)?"
    r"(?:推荐|建议|说过|说的|提到|提过|告诉|介绍|列出|列的|给出|解释|写的|回答)",
    re.IGNORECASE,
)
# "Can you list", "would you suggest": asked to do something now, not what was said.
_REQUEST = re.compile(r"\b(?:can|could|would|will|should|do)\s+you\b", re.IGNORECASE)
_LONGEST_QUESTION = 200
"""Characters; who writes more tells and asks for work, with what was worked out before."""


@dataclass(frozen=True)
class Question:
    """What is asked, of whom, and which records count.

    `asked_at` is the moment from which "yesterday" and "last May" are read; without it, they say nothing. `seeds` are
    the records found so far, best first, for paths that follow others.
    """

    text: str
    scope: Scope
    record_filter: RecordFilter = field(default_factory=RecordFilter)
    asked_at: datetime | None = None
    seeds: tuple[str, ...] = ()

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The search terms of the words."""
        return tuple(query_terms(self.text))

    @cached_property
    def language(self) -> Language:
        """The language it is asked in."""
        return language_of(self.text)

    @cached_property
    def dates(self) -> tuple[TimeMention, ...]:
        """The dates and times that the words name."""
        return () if self.asked_at is None else tuple(find_dates(self.text, reference=self.asked_at))

    @cached_property
    def names(self) -> tuple[Mention, ...]:
        """Whom and what the words name."""
        return tuple(mentions(self.text))

    @cached_property
    def asks_for_order(self) -> bool:
        """Whether the answer is a course of events."""
        return _ORDER.search(self.text) is not None

    @cached_property
    def asks_the_agent(self) -> bool:
        """Whether the assistant's word may be the answer: it is asked for, or a long message goes on with the work."""
        return len(self.text) > _LONGEST_QUESTION or _OF_THE_AGENT.search(_REQUEST.sub(" ", self.text)) is not None

    def following(self, seeds: tuple[str, ...]) -> "Question":
        """Return the same question for paths that start from what others found; what was read stays read."""
        other = replace(self, seeds=seeds)
        read = ("terms", "language", "dates", "names", "asks_for_order", "asks_the_agent")
        other.__dict__.update({name: self.__dict__[name] for name in read if name in self.__dict__})
        return other

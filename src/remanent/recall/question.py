"""What is asked: the words, of whom, when, and what can be read from the words alone."""

import asyncio
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Self, TypeVar, overload

from remanent.lightweight import dataclass
from remanent.model import Entry, Scope, TurnData
from remanent.model.filters import USER_KEY, MetadataCondition
from remanent.stores import RecordFilter, Standing
from remanent.text.dates import TimeMention, find_dates
from remanent.text.regex import lazy_regex
from remanent.text.scripts import TextLanguage, fold, language_of
from remanent.text.talk import asked_part, questions, without_words_for_names
from remanent.text.terms import query_terms
from remanent.text.words import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS

# Questions whose answer is a course of events: they are answered in the order in which it happened.
_ORDER = lazy_regex(
    r"\b(?:what|which|the|in|chronological)\s+order\b|\bchronolog|\btimeline\b|\bover\s+time\b|\bsequence\s+of\b"
    r"|\bhow\s+(?:has|have|did)\b.{0,60}\b(?:change|evolve|progress|develop)|\bfrom\s+(?:first|earliest)\s+to\b"
    r"|先后|顺序|时间线|按时间|来龙去脉|经过是|如何(?:变化|演变|发展)|怎么(?:变化|演变|发展)",
    re.IGNORECASE,
)
# Questions about what the assistant itself said before.
_OF_THE_AGENT = lazy_regex(
    r"\b(?:you|assistant)(?:'ve|\s+have|\s+had)?\s+(?:\w+\s+)?(?:recommend|suggest|told|tell|said|say|mention|advise"
    r"|list|provid|gave|give|propos|explain|describ|wrote|write|answer|show|creat|generat)"
    r"|\b(?:your|assistant's)\s+(?:\w+\s+)?(?:recommend|suggest|advice|answer|list|repl|respons|explan|proposal)"
    r"|(?:你|您|助手)(?:之前|上次|曾|曾经|刚才|当时)?(?:给我|向我|跟我|对我|为我)?"
    r"(?:推荐|建议|说过|说的|提到|提过|告诉|介绍|列出|列的|给出|解释|写的|回答)",
    re.IGNORECASE,
)
# "Can you list", "would you suggest": asked to do something now, not what was said.
_REQUEST = lazy_regex(r"\b(?:can|could|would|will|should|do)\s+you\b", re.IGNORECASE)
# A question for a fact, by how it begins. "How should I", "do you" and "what about" ask for a thought, not for a fact.
_FOR_A_FACT = lazy_regex(
    r"^\W*(?:(?:and|so|also|by\s+the\s+way|remind\s+me|tell\s+me)[,\s]+)?(?:(?:in|on|at|for|to|from|of|with|by)\s+)?"
    r"(?:what|when|where|who|whom|whose|which|how|why|did|does|do|is|are|was|were|has|have|had)\b"
    r"(?!\s+(?:you|should|could|can|about)\b)|什么|谁|哪|几|多少|吗|怎么|为何|何时|呢",
    re.IGNORECASE,
)
_SENTENCE_END = lazy_regex(r"[.。!！]\s+\S|[。！]\S")
_SEVERAL_SENTENCES = 2
_MAX_PARTS = 4
"""Questions in one message that are searched each by itself; every one of them is a search more."""
MAX_READ_CHARACTERS = 4000
"""Characters of a question that are analysed; of a longer text, as many at its beginning as at its end, where people
ask. The words of 4,000 characters take 45 ms at worst (nothing but dates), those of 100,000 took 3.9 s."""
READ_ON_THE_LOOP = 400
"""Characters up to which the words are read on the event loop, in 4 ms at most; more are read in a thread."""
_MAX_QUESTION_CHARACTERS = 200
"""Characters; who writes more tells and asks for work, with what was worked out before."""


# People tell of a time for a while after it.
_LATER = 0.25  # of its length: of a week, two days; chosen by hand
_AT_LEAST = timedelta(days=1)


def told_within(mention: TimeMention) -> tuple[datetime, datetime]:
    """Return the beginning of a time and the end of the while in which people tell of it."""
    return mention.begin, mention.finish + max(_AT_LEAST, (mention.finish - mention.begin) * _LATER)


def search_terms(text: str) -> list[str]:
    """Return the terms that a question is searched by: without what asks for a name, as far as anything else is left.

    >>> search_terms("What's my dog called?"), search_terms("What's it called?")
    (['dog'], ['call'])
    """
    terms = query_terms(text)
    of_it = query_terms(asked) if (asked := without_words_for_names(text)) != text else terms
    return of_it if any(one not in ENGLISH_STOP_WORDS and one not in CHINESE_STOP_WORDS for one in of_it) else terms


T = TypeVar("T")


class _ReadOnce(cached_property[T]):
    """What is read of the words when it is first asked for: once for a question and all its amended copies."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Self | T:
        """Return what was read, of this question or of another copy."""
        if instance is None:
            return self
        name, known = str(self.attrname), instance.analysed
        if name not in known:
            known[name] = self.func(instance)
        value: T = known[name]
        instance.__dict__[name] = value
        return value


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
    standing: Standing | None = None
    """How the agent stood when the search began, with the named values that paths go by; else each asks for itself."""
    foreign: bool = False
    """Whether what is searched is written in another language: words tell little then, and of the models only the one
    that knows both languages is asked."""
    answer_by: float | None = field(default=None, compare=False)
    """When whoever asks goes on with what was found, by the event loop's clock; None: paths have all their time."""
    beside: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What disciplines read along with the candidates, by their names: so that looking through costs no call more."""
    analysed: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What was read of the words already, in all copies that have the same words and the same moment of asking."""

    @_ReadOnce
    def read(self) -> str:
        """The part of the words that is analysed: all of them, or the beginning and the end of a very long text."""
        if len(self.text) <= MAX_READ_CHARACTERS:
            return self.text
        half = MAX_READ_CHARACTERS // 2
        return f"{self.text[:half]}\n{self.text[-half:]}"

    @_ReadOnce
    def asked(self) -> str:
        """The words without those of which their writer says that they are not the question."""
        return asked_part(self.read)

    @_ReadOnce
    def parts(self) -> tuple[str, ...]:
        """The questions in it, each to be searched by itself; of a great many, all as one."""
        parts = tuple(questions(self.read))
        return parts if len(parts) <= _MAX_PARTS else (self.asked,)

    @_ReadOnce
    def terms(self) -> tuple[str, ...]:
        """The search terms of the words."""
        return tuple(search_terms(self.asked))

    @_ReadOnce
    def whose(self) -> tuple[MetadataCondition, ...]:
        """What is asked of the user whose memories answer; nothing where all of the agent's do."""
        return tuple(one for one in self.record_filter.where if one.key == USER_KEY)

    @_ReadOnce
    def written_in(self) -> TextLanguage:
        """The language of the words."""
        return language_of(self.read)

    @property
    def language(self) -> TextLanguage:
        """The language it is asked in, as far as that helps to find what answers it."""
        return "other" if self.foreign else self.written_in

    @_ReadOnce
    def dates(self) -> tuple[TimeMention, ...]:
        """The dates and times that the words name."""
        return () if self.asked_at is None else tuple(find_dates(self.read, reference=self.asked_at))

    @_ReadOnce
    def dates_asked(self) -> tuple[TimeMention, ...]:
        """Those of the part that is the question."""
        if self.asked == self.read or self.asked_at is None:
            return self.dates
        return tuple(find_dates(self.asked, reference=self.asked_at))

    @_ReadOnce
    def times(self) -> tuple[tuple[datetime, datetime], ...]:
        """From when to when people told of the times that the words name."""
        return tuple(map(told_within, self.dates))

    def recorded(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Return those of the entries that had been taken down by the moment from which it is answered."""
        as_of = self.record_filter.as_of
        return entries if as_of is None else [entry for entry in entries if entry.recorded_at <= as_of]

    @_ReadOnce
    def asks_for_order(self) -> bool:
        """Whether the answer is a course of events."""
        return _ORDER.search(self.read) is not None

    @_ReadOnce
    def asks_the_agent(self) -> bool:
        """Whether the assistant's word may be the answer: it is asked for, or a long message goes on with the work."""
        return (
            len(self.text) > _MAX_QUESTION_CHARACTERS or _OF_THE_AGENT.search(_REQUEST.sub(" ", self.read)) is not None
        )

    @_ReadOnce
    def asks_for_a_fact(self) -> bool:
        """Whether it asks for something that was said once, rather than goes on with what is being talked about."""
        asked = self.asked.strip()
        short = len(asked) <= _MAX_QUESTION_CHARACTERS and len(_SENTENCE_END.findall(asked)) < _SEVERAL_SENTENCES
        return short and _FOR_A_FACT.search(asked) is not None

    def person_among(self, roles: Iterable[str]) -> str | None:
        """Return the one of those who spoke whom the words name, None when they name none or several."""
        folded = fold(self.read).casefold()
        speakers = {role: fold(TurnData(role=role).speaker).casefold().strip() for role in roles}
        named = [role for role, name in speakers.items() if name and _names(folded, name)]
        return named[0] if len(named) == 1 else None

    def seconds_left(self) -> float:
        """Return how long whoever asks still waits.

        A server that has just started loads its models for some seconds; a chat that came meanwhile waited two seconds
        for recall and then went to the model with no memory at all, though words would have found it. So whoever asks
        says how long to wait, and a path that is late is left out and named.
        """
        if self.answer_by is None:
            return math.inf
        return max(0.0, self.answer_by - asyncio.get_running_loop().time())

    def analyse(self) -> None:
        """Read all that can be read from the words; what was read stays read.

        In one go, for a thread: what is read lazily on the event loop would be read there.
        """
        for name in _ANALYSED:
            getattr(self, name)

    def amended(self, **changes: Any) -> "Question":
        """Return the question with something changed besides its words; what was read of them stays read.

        For paths that start from what others found, of an agent whose counters are known, of another scope.
        """
        return replace(self, **changes)


_ANALYSED = tuple(name for name, read in vars(Question).items() if isinstance(read, _ReadOnce))
"""What can be read from the words alone."""


def _names(text: str, name: str) -> bool:
    """Tell whether a text holds a name: as whole words where words are set apart."""
    edge = r"\b" if name.isascii() else ""
    return name in text and re.search(f"{edge}{re.escape(name)}{edge}", text) is not None

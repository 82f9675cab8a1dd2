"""What a rule for dates is: a pattern, and what its match means as seen from a moment."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property

from remanent.text.intervals import Granularity, Interval, midnight

# How much of the text around a date is looked at to tell whether it lies ahead.
_AROUND = 60
_AHEAD = re.compile(
    r"\b(?:will|shall|'ll|going to|gonna|plan|plans|planning|planned|upcoming|schedule|scheduled|due|deadline|let's|"
    r"remind|looking forward|about to|hope to|want to|booked|until|by)\b"
    r"|将|打算|计划|准备|即将|会在|要去|要在|想在|预定|截止",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day that has no day of its own."""

    begin: timedelta
    length: timedelta
    granularity: Granularity

    def on(self, day: date) -> Interval:
        """Return the interval on a day."""
        begin = midnight(day) + self.begin
        return Interval(begin, begin + self.length, self.granularity)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a match says: an interval, or a time of day that waits for one."""

    interval: Interval | None = None
    clock: Clock | None = None
    relative: bool = False
    """Whether the interval depends on the moment from which it is seen."""
    weekday: bool = False
    """Whether only a weekday was named: beside a full date it adds nothing."""
    waits: bool = False
    """Whether it says nothing alone: "in the morning" needs a day beside it."""
    first: int = 0
    """How many characters at the beginning of the match belong to the sentence and not to the date."""


@dataclass(frozen=True)
class View:
    """The text and the moment from which it is read."""

    text: str
    reference: datetime

    @cached_property
    def now(self) -> datetime:
        """The moment in UTC."""
        return self.reference.astimezone(UTC)

    @cached_property
    def today(self) -> date:
        """The day of the moment."""
        return self.now.date()

    @cached_property
    def lowered(self) -> str:
        """The text in lower case, to look for words in."""
        return self.text.lower()

    def is_ahead(self, match: re.Match[str]) -> bool:
        """Tell whether the words around a match speak of the future."""
        start = max(0, match.start() - _AROUND)
        return _AHEAD.search(self.text, start, match.end() + _AROUND // 2) is not None

    def year_of(self, month: int, day: int, match: re.Match[str]) -> int:
        """Return the year of a date without one: the nearest, the coming one when the words speak of the future."""
        this = self.today.year
        offset = (month, day) > (self.today.month, self.today.day)
        distance = (month - self.today.month) % 12
        if self.is_ahead(match):
            return this if offset or (month, day) == (self.today.month, self.today.day) else this + 1
        if not offset:
            return this
        return this if distance <= 3 else this - 1


Resolve = Callable[[re.Match[str], View], Meaning | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what its matches mean."""

    pattern: re.Pattern[str]
    resolve: Resolve
    words: tuple[str, ...] = ()
    """One of these, in lower case, stands in every match; without any the text is not searched at all."""

    def may_match(self, view: View) -> bool:
        """Tell whether it is worth while to search the text."""
        return not self.words or any(word in view.lowered for word in self.words)


class RuleBook:
    """Rules in the order of their writing; patterns are compiled when the first text is read."""

    def __init__(self) -> None:
        self._written: list[tuple[str, int, str, Resolve]] = []
        self._rules: list[Rule] | None = None

    def rule(self, pattern: str, flags: int = re.IGNORECASE, *, words: str = "") -> Callable[[Resolve], Resolve]:
        """Add the function under it as the meaning of a pattern; `words` are what a match cannot be without."""

        def add(resolve: Resolve) -> Resolve:
            self._written.append((pattern, flags, words, resolve))
            return resolve

        return add

    @property
    def rules(self) -> Sequence[Rule]:
        """The rules, compiled."""
        if self._rules is None:
            self._rules = [
                Rule(re.compile(pattern, flags), resolve, tuple(words.split()))
                for pattern, flags, words, resolve in self._written
            ]
        return self._rules

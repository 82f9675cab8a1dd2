"""The port of recall paths: each ranks records for a question in its own way."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from remanent.model import Kind, Scope
from remanent.recall.question import Question
from remanent.stores import RecordPosition

BY_WORDS_ALONE = "new: so far by its words alone"
"""The reason of what holds most of the question's words and has no vector yet, so that no other path can find it."""


class Candidate(NamedTuple):
    """A record that one path found, with that path's own score (higher is better) and its reason.

    Plain, because a question has hundreds.
    """

    record_id: str
    score: float
    reason: str = ""
    """What the path has to say beyond its name: the date it matched, the link it followed."""
    place: RecordPosition | None = None
    """Where it stands, if the search told that as well: it need not be looked up then."""


_SOME_TIME = datetime.min.replace(tzinfo=UTC)


def placeless(record_id: str) -> RecordPosition:
    """Return the place of what a recipe ranks by scores alone: where it stands and when it happened does not count."""
    return RecordPosition(record_id, Kind.NOTE, None, _SOME_TIME)


class RecallPath(ABC):
    """One way to find records for a question.

    The part of the name before a colon is the family: recipes weigh families, and `vector:bge` is one of `vector`.
    """

    name: str
    adds: bool = True
    """Whether what only this path found belongs in the answer; else it just moves what others found."""
    follows: bool = False
    """Whether it is asked after the others, with what they found as the question's seeds."""
    yields: bool = False
    """Whether a record counts for it only if no other path of its family found it."""

    dispensable: bool = False
    """Whether another path of its family may make it superfluous, so that `needed` is to be asked before it is."""

    certain: bool = False
    """Whether what it finds is known to answer, so that the gate has nothing to hold back."""

    rates: bool = False
    """Whether it can tell at once how near to the question is what other paths found."""

    @property
    def family(self) -> str:
        """The name under which recipes know it."""
        return self.name.partition(":")[0]

    def share(self, question: Question) -> float:
        """Return how much of its recipe's weight the path takes for a question; 0 when it need not be asked."""
        return 1.0

    async def needed(self, question: Question) -> bool:
        """Return whether it can find anything that others of its family cannot find better."""
        return True

    def preparing(self, question: Question) -> bool:
        """Return whether it is late only because it makes itself ready, which it need not do for the next question."""
        return False

    async def expect(self, questions: Sequence[Question]) -> None:  # noqa: B027 - most have nothing to prepare
        """Hear of questions that will be asked together, so that what each takes can be made ready in one go."""

    async def prepare(self, scope: Scope) -> None:  # noqa: B027 - most have nothing to load
        """Load what the first question about an agent would have to wait for; the path's own trouble is raised."""

    def rate(self, question: Question, record_ids: Sequence[str]) -> list[Candidate]:
        """Return those of the records that it scores as well, after `find` was asked; best first."""
        return []

    @abstractmethod
    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Return records that pass the question's filter, best first."""

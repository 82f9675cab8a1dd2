"""What recall says: items with their sources and the reason for their place."""

from remanent.model.clock import Instant
from remanent.model.ids import Id
from remanent.model.kinds import Kind
from remanent.model.word import Count, Text, Word


class FoundSource(Word):
    """The words an item rests on, and where in the journal they stand."""

    entry_id: Id
    caller_id: Text | None = None
    session: Text | None = None
    role: Text = ""
    occurred_at: Instant
    start: Count
    end: Count
    text: Text


class PathRank(Word):
    """Where one recall path placed an item, with that path's own score."""

    path: Text
    rank: Count
    score: float


class FoundItem(Word):
    """One recalled memory."""

    record_id: Id
    text: Text
    score: float
    kind: Kind
    occurred_at: Instant
    sources: tuple[FoundSource, ...] = ()
    ranks: tuple[PathRank, ...] = ()


class LeftOut(Word):
    """A recall path that did not answer, and why."""

    path: Text
    reason: Text


class ExplainedItem(Word):
    """How one item came to its place."""

    place: Count
    record_id: Id
    score: float
    ranks: tuple[PathRank, ...]


class Found(Word):
    """The answer to a recall, best first."""

    query: Text
    items: tuple[FoundItem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def text(self) -> str:
        """The recalled texts, best first, one block each."""
        return "\n---\n".join(item.text for item in self.items)

    def explain(self) -> tuple[ExplainedItem, ...]:
        """Return for every item the paths that found it, with their ranks and scores."""
        return tuple(
            ExplainedItem(place=place, record_id=item.record_id, score=item.score, ranks=item.ranks)
            for place, item in enumerate(self.items, start=1)
        )

"""Paths over what lies in memory: an array has a score for each row, and a table tells whose row it is."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.recall.path import Candidate, RecallPath, placeless
from remanent.recall.question import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RowTable(Mapping[str, int]):
    """The rows that ids have in arrays, small numbers; a row that becomes free is used again."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._free: list[int] = []
        self.ids: list[str | None] = []
        """By row."""

    def add(self, one: str) -> int:
        """Return the row of an id, a new one where it has none."""
        row = self._rows.get(one)
        if row is None:
            if not self._free:
                self._free.append(len(self.ids))
                self.ids.append(None)
            row = self._rows[one] = self._free.pop()
            self.ids[row] = one
        return row

    def remove(self, one: str) -> int | None:
        """Free the row of an id and return it."""
        row = self._rows.pop(one, None)
        if row is not None:
            self.ids[row] = None
            self._free.append(row)
        return row

    def clear(self) -> None:
        """Free all rows."""
        for held in (self._rows, self._free, self.ids):
            held.clear()

    def __getitem__(self, one: str) -> int:
        """Return the row of an id."""
        return self._rows[one]

    def __iter__(self) -> Iterator[str]:
        """Go through the ids, in the order in which they came."""
        return iter(self._rows)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._rows)


class InMemoryPath(RecallPath):
    """Ranks what lies in memory by an array of scores; what scores nothing has nothing to do with the question."""

    rates = True

    def __init__(self, rows: RowTable) -> None:
        self._rows = rows

    @abstractmethod
    async def scores(self, question: Question) -> "NDArray[np.float32]":
        """Return the score of each row."""

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Return what scores best; of equals, what has the first row."""
        scores = await self.scores(question)
        # As they are now: a row that is freed while other paths are asked may soon be another's.
        ids = self._rows.ids[: len(scores)]
        question.beside[self.name] = ids, (scores := scores[: len(ids)])
        best = ((ids[row], scores[row]) for row in best_rows(scores, limit))
        return [self._candidate(one, score) for one, score in best if one is not None]

    def rate(self, question: Question, record_ids: Sequence[str]) -> list[Candidate]:
        """Return what else scores anything."""
        ids, scores = question.beside[self.name]
        found = ((one, row) for one in record_ids if (row := self._rows.get(one)) is not None and row < len(scores))
        rated = [self._candidate(one, scores[row]) for one, row in found if ids[row] == one and scores[row] > 0]
        return sorted(rated, key=lambda one: -one.score)

    def _candidate(self, one: str, score: float) -> Candidate:
        return Candidate(one, float(score), place=placeless(one))


def best_rows(scores: "NDArray[np.float32]", limit: int) -> list[int]:
    """Return the rows that score best, of those that score anything; without sorting them all."""
    import numpy as np

    held = np.flatnonzero(scores > 0)
    if len(held) > limit:
        least = np.partition(scores[held], -limit)[-limit]
        held = held[scores[held] >= least]
    best: list[int] = held[np.argsort(-scores[held], kind="stable")[:limit]].tolist()
    return best

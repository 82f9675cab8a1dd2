"""The second reading: what a model that knows a language better reads after the general one has read everything.

Both take several times as long as the general model alone, by which all is found by its meaning. So that one goes
first through all that waits; the other follows, record by record in the order in which the first has read them, and is
asked once it has read nearly all. Until then a question goes as if there were the general model alone: of two records,
the one that was read twice must not win by that.
"""

from typing import NamedTuple, Self

from pydantic import JsonValue

from remanent.embedding import Embedders
from remanent.model import Record, Scope
from remanent.recall.windows import as_read, vector_names
from remanent.stores import Standing, Store
from remanent.stores.queries import VectorChangeQuery
from remanent.stores.store import HIDDEN

FINER = f"{HIDDEN}finer"
"""The state that says how far the second reading is; it counts by revisions of this place, which no export holds."""
_MOST_LEFT = 0.05
"""The share that may be left to read while the finer model is asked: what it lacks is found by the general one, as
if that had been the only one. Chosen by hand."""
PAGE = 32
"""Records that it reads at a time, about a second: what comes meanwhile waits so long for its first vector. As few as
these are read by both models at once: two jobs for them would take a store over a network half as many calls again.
Thirty messages took 78 calls with jobs of their own, 54 so; 60 are promised."""
_PAGES = 16
"""Pages of records that were read twice already that one job passes by."""


class FinerState(NamedTuple):
    """How far the second reading is."""

    through: int = 0
    """The vector of the general model, by its revision, up to which it went."""
    left: int = 0
    """Records that were read once and wait."""
    of: int = 0
    """How many waited or were read since it was last at its end."""
    held: int = 0
    """Records that it has read in all."""

    @classmethod
    def of_state(cls, value: JsonValue) -> Self | None:
        """Return what was noted, if anything was."""
        if not isinstance(value, list) or len(value) != len(cls._fields):
            return None
        return cls(*(number if isinstance(number, int) else 0 for number in value))

    @property
    def usable(self) -> bool:
        """Whether it has read enough to be asked."""
        return self.left <= _MOST_LEFT * (self.left + self.held)

    def waiting(self, more: int) -> Self:
        """Return it with more records that wait."""
        return self._replace(left=self.left + more, of=(self.of if self.left else 0) + more)

    def ended(self, held: int) -> Self:
        """Return it when all is read."""
        return self._replace(left=0, of=0, held=held)

    def read(self, records: int) -> Self:
        """Return it after so many records; until its end, something is left."""
        left = max(1, self.left - records)
        return self._replace(left=left, of=max(self.of, left), held=self.held + records)


def finer_of(standing: Standing | None) -> FinerState:
    """Return how far the second reading was when a question was asked; where nothing was noted, nothing waits."""
    return (None if standing is None else FinerState.of_state(standing.states.get(FINER))) or FinerState()


class FinerReading:
    """Finds what the finer model has yet to read."""

    def __init__(self, store: Store, embedders: Embedders) -> None:
        self._store = store
        self._embedders = embedders
        self.general, self.model_id = embedders.model_ids

    async def state(self, scope: Scope) -> FinerState:
        """Return how far it is; where that was never noted, as many wait as the general model has read more."""
        noted = FinerState.of_state(await self._store.state(scope, FINER))
        if noted is not None:
            return noted
        counts = await self._store.vector_counts(scope)
        held = counts.get(self.model_id, 0)
        return FinerState(held=held).waiting(max(0, counts.get(self.general, 0) - held))

    async def held(self, scope: Scope) -> int:
        """Count what it has read."""
        return (await self._store.vector_counts(scope)).get(self.model_id, 0)

    def reads(self, record: Record) -> bool:
        """Tell whether it has anything to read of a record."""
        return any(self._embedders.suits(self.model_id, text) for text in as_read(record))

    async def next(self, scope: Scope, after: int) -> tuple[list[Record], int]:
        """Return the next records behind a revision that it has to read, and where their page begins.

        The page is looked at again before the next one: one of them may have changed while it was read.
        """
        for _ in range(_PAGES):
            page = await self._store.ask(scope, VectorChangeQuery(self.general, after=after, limit=PAGE))
            records = await self._store.records_by_id(scope, page.record_ids)
            unread = {record_id: record for record_id, record in records.items() if self.reads(record)}
            for name in vector_names(self.model_id):  # of some it has read a part only: the rest is not in its language
                known = await self._store.vectors(scope, tuple(unread), model=name) if unread else {}
                unread = {record_id: record for record_id, record in unread.items() if record_id not in known}
            if unread or page.after is None:
                return list(unread.values()), after
            after = page.after
        return [], after

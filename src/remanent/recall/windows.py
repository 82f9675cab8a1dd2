"""What a model reads of a record: all or the beginning of it, and the parts of a long turn each by itself.

What somebody mentions in passing lies far from the vector of the turn that holds it. A store keeps one vector for each
record and model; those of the parts stand under names made of the model's, so that every store keeps, searches, exports
and erases them like any other. A record is as near to a question as the nearest of its vectors.
"""

from collections.abc import Iterable
from typing import NamedTuple, Self

from pydantic import JsonValue

from remanent.embedding import Embedders
from remanent.model import Origin, PassageData, Record, Scope, TurnData
from remanent.stores import Standing, Store
from remanent.stores.queries import VectorChangeQuery
from remanent.stores.store import HIDDEN
from remanent.text.sentences import sentences

PARTS = "vector_parts"
"""The state that says that some turn here has vectors of parts; where none has, nothing is searched for them."""
SPOKEN_CHARACTERS = 300
"""Characters of a turn that a model embeds; chosen with an eye on the public sets of docs/figures.md."""
WINDOWS = 3
"""Parts of a turn that have vectors of their own, at most: each is one more search for every question."""
_WINDOW_CHARACTERS = 150
"""How long a part is, about, unless there would be too many. One half of the questions of LongMemEval's pool chose it
(all@5 .51 to .57), the other confirmed it (.61 to .64)."""
MAX_CHARACTERS = 1200
"""Characters of a turn that are cut into parts; behind them stands what was pasted rather than said. Chosen by hand."""


def vector_name(model_id: str, part: int) -> str:
    """Return the name under which the vector of a part stands; the first, 0, is of the record itself."""
    return f"{model_id}#{part}" if part else model_id


def vector_names(*model_ids: str) -> tuple[str, ...]:
    """Return all names under which vectors of these models stand."""
    return tuple(vector_name(model_id, part) for model_id in model_ids for part in range(WINDOWS + 1))


def models_among(names: Iterable[str]) -> set[str]:
    """Return the models that such names belong to."""
    known = set(names)
    parts = {name for model_id in known for name in vector_names(model_id)[1:]}
    return known - parts


def as_read(record: Record) -> list[str]:
    """Return the texts of a record that get vectors, the record itself first."""
    return [as_spoken(record), *_windows(record)]


def as_spoken(record: Record, *, most: int = SPOKEN_CHARACTERS) -> str:
    """Return the text that a model reads of a record: the beginning of a turn after the name of who spoke, if any.

    What a long turn is about shows in its beginning; a vector of all of it is near to everything and to nothing, and
    takes many times as long. Its words are searched to the last.
    """
    if isinstance(record.data, PassageData):
        # A passage after what it stands under, unless it begins with those very words: a title alone names no matter.
        # All of it: what is longer than a model's window is read in several, whose mean is kept. 40 questions over
        # chunks of 3,000 characters: any@5 .93 by the beginning, 1.0 by all.
        under = record.summary
        return record.content if not under or record.content.startswith(under) else f"{under}: {record.content}"
    if not isinstance(record.data, TurnData):
        return record.content
    speaker = record.data.speaker
    return (f"{speaker}: {record.content}" if speaker else record.content)[:most]


def _windows(record: Record) -> list[str]:
    """Return the parts of a user's long turn, none of a short one: sentences that stand together.

    Users tell an agent of themselves while they ask for something else. An agent's turns are long and seldom asked for:
    they would take ten times as long as all the rest. People who talk with each other come to the point: parts won
    nothing among LoCoMo's (200 questions, any@5 .840 without and .835 with them).
    """
    if not isinstance(record.data, TurnData) or record.trust is not Origin.USER:
        return []
    text = record.content[:MAX_CHARACTERS]
    count = min(WINDOWS, round(len(text) / _WINDOW_CHARACTERS))
    if count < 2:
        return []
    parts = [""] * count
    for span in sentences(text):
        parts[(span.start + span.end) * count // (2 * len(text))] += span.of(text)
    parts = [part.strip() for part in parts if part.strip()]
    return parts if len(parts) > 1 else []


# ── the second reading ───────────────────────────────────────────────────────
# What a model that knows a language better reads after the general one has read everything. Both take several times as
# long as the general model alone, by which all is found by its meaning. So that one goes first through all that waits;
# the other follows, record by record in the order in which the first has read them, and is asked once it has read
# nearly all. Until then a question goes as if there were the general model alone: of two records, the one that was read
# twice must not win by that.

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

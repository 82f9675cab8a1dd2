"""Recall paths: their port, and the built-in ones over the store alone, by words, times, what is new, and links.

A path tells candidates and scores of its own measure; what they are worth beside those of other paths is the recipe's
to say. None of the built-in ones here needs a model, so that something is found whatever else is out of order.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from remanent.model import Entry, Kind, Scope
from remanent.model.entry import AHEAD
from remanent.recall.indexing import embedded_through
from remanent.recall.question import Question, search_terms, told_within
from remanent.stores import EntryQuery, Hit, LatestQuery, RecordFilter, RecordPosition, Store, WalkQuery
from remanent.text.dates import TimeMention
from remanent.text.terms import held_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


_TAIL = 200
"""How many of the newest entries are searched word by word while their index is not made yet; bounds the time
that a question takes behind a large import. Chosen by hand."""


class KeywordPath(RecallPath):
    """By BM25, and word by word in what was said since the index was made."""

    name = "keyword"

    def __init__(self, store: Store, *, places: bool = True) -> None:
        """Take whether to tell where candidates stand: a recipe of scores alone has no use for it."""
        self._store = store
        self._places = places

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search the text index, and the tail of the journal that it does not cover yet.

        Both are asked at the same time. What is not indexed yet has no BM25, so that its words are counted as they are;
        it is placed by how many of the question's words it holds.
        """
        terms = question.terms
        if not terms:
            return []
        may_be_unindexed = _may_be_unindexed(question)
        # Asked first: what is indexed meanwhile is then found twice rather than not at all.
        covered = 0
        if may_be_unindexed:
            covered = await embedded_through(self._store, question.scope, standing=question.standing)
        searching = indexed_by_words(self._store, question, question.record_filter, limit=limit, places=self._places)
        if not may_be_unindexed:
            return best_of_parts(await searching, limit=limit)
        hits, entries = await asyncio.gather(
            searching, self._store.entries(question.scope, _tail(question, covered=covered))
        )
        found, tail = best_of_parts(hits, limit=limit), _by_shared_words(question.recorded(entries), frozenset(terms))
        if not tail:
            return found
        known = {one.record_id for one in found}
        fresh = [one for one in tail if one.record_id not in known]
        near = {one.record_id for one in tail if 2 * one.score > len(terms)}
        found = [one._replace(reason=BY_WORDS_ALONE) if one.record_id in near else one for one in found]
        if not fresh:
            return found
        # No common measure with BM25: what holds most of the question's words is put level with the best, the rest
        # with the worst, in the order of how many words they hold.
        high = found[0].score if found else 1.0
        low = found[-1].score if found else 0.0
        close = [Candidate(one.record_id, high + one.score, BY_WORDS_ALONE) for one in fresh if one.record_id in near]
        far = [
            Candidate(one.record_id, low - 1 / (1 + one.score), "not indexed yet")
            for one in fresh
            if one.record_id not in near
        ]
        return close + found + far


def indexed_by_words(
    store: Store, question: Question, wanted: RecordFilter, *, limit: int, places: bool = True
) -> "asyncio.Future[list[list[Hit]]]":
    """Search the text index for each part of a question: asked at once, so that it goes with what else is asked."""
    parts = [own for part in question.parts if (own := search_terms(part))] or [list(question.terms)]
    return asyncio.gather(
        *(store.search_text(question.scope, part, record_filter=wanted, limit=limit, places=places) for part in parts)
    )


def best_of_parts(searched: Sequence[Sequence[Hit]], *, limit: int) -> list[Candidate]:
    """Return what was found for any part of the question: what answers one of them best is as good as any."""
    if len(searched) == 1:
        return [Candidate(record_id, score, "", place) for record_id, score, place in searched[0]]
    high = max((hits[0].score for hits in searched if hits), default=0.0)
    best: dict[str, Candidate] = {}
    for hits in searched:
        for hit in hits:
            score = high * hit.score / hits[0].score if hits[0].score > 0 else 0.0
            if hit.record_id not in best or score > best[hit.record_id].score:
                best[hit.record_id] = Candidate(hit.record_id, score, place=hit.place)
    return sorted(best.values(), key=lambda one: (-one.score, one.record_id))[:limit]


def _tail(question: Question, *, covered: int) -> EntryQuery:
    """Ask for the newest entries that have no record yet: what was just said must be found at once."""
    wanted = question.record_filter
    return EntryQuery(
        after_seq=covered,
        occurred_from=wanted.occurred_from,
        occurred_before=wanted.occurred_before,
        where=wanted.where,
        tags=wanted.tags,
        any_tags=wanted.any_tags,
        newest_first=True,
        limit=_TAIL,
    )


def _by_shared_words(entries: Sequence[Entry], terms: frozenset[str]) -> list[Candidate]:
    """Return the entries that share words with the question, most words first."""
    hits = [Candidate(entry.id, float(len(held_terms(entry.text, terms)))) for entry in entries]
    return sorted((hit for hit in hits if hit.score), key=lambda hit: -hit.score)


def _may_be_unindexed(question: Question) -> bool:
    """Tell whether a turn without a record could pass the filter; other kinds are searchable from their commit on."""
    wanted = question.record_filter
    return wanted.kinds is None or Kind.TURN in wanted.kinds


MAX_TIMES = 8
"""Times of a question that are searched, the first of them. Chosen by hand: people name two or three, and each is a
search of its own, so that a pasted calendar of hundreds would keep every reader busy. One such calendar made 130
searches."""


class TimePath(RecallPath):
    """Records of that time; those that share the question's words first, then whatever happened then."""

    name = "time"

    def __init__(self, store: Store) -> None:
        self._store = store

    def share(self, question: Question) -> float:
        """Take no part when the question names no time."""
        return 1.0 if question.dates else 0.0

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search each time that is named.

        Words first and then whatever else happened then: somebody who asks what happened last Tuesday names nothing of
        it.
        """
        times = ((mention, _within(question.record_filter, mention)) for mention in question.dates)
        named = list(islice(((mention, wanted) for mention, wanted in times if wanted is not None), MAX_TIMES))
        scope, terms = question.scope, question.terms
        searches = (
            self._store.search_text(scope, terms, record_filter=wanted, limit=limit, places=True) for _, wanted in named
        )
        lists = (self._store.ask(scope, LatestQuery(wanted, limit)) for _, wanted in named)
        searched, listed = await asyncio.gather(asyncio.gather(*searches), asyncio.gather(*lists))
        found: dict[str, Candidate] = {}
        for (mention, _), hits, latest in zip(named, searched, listed, strict=True):
            for hit in hits:
                found.setdefault(hit.record_id, Candidate(hit.record_id, 1.0 + hit.score, mention.text, hit.place))
            for place in latest[: max(0, limit - len(found))]:
                found.setdefault(place.record_id, Candidate(place.record_id, 1.0, mention.text, place))
        return sorted(found.values(), key=lambda one: (-one.score, one.record_id))[:limit]


def _within(wanted: RecordFilter, mention: TimeMention) -> RecordFilter | None:
    """Narrow a filter to a time and the while after it, when people tell of it; None when nothing can pass."""
    begin, finish = told_within(mention)
    if wanted.occurred_from is not None:
        begin = max(begin, wanted.occurred_from)
    if wanted.occurred_before is not None:
        finish = min(finish, wanted.occurred_before)
    return replace(wanted, occurred_from=begin, occurred_before=finish) if begin < finish else None


_DAY = timedelta(days=1)


class RecencyPath(RecallPath):
    """The newest records, newest first."""

    name = "recency"
    adds = False  # that something is new does not make it an answer

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Return the newest records; the score is how many days ago they happened, below 0."""
        wanted = question.record_filter
        if question.asked_at is not None and question.asked_at < datetime.max.replace(tzinfo=UTC) - AHEAD:
            # A date that has not come makes nothing the latest.
            today = question.asked_at + AHEAD
            before = today if wanted.occurred_before is None else min(wanted.occurred_before, today)
            wanted = replace(wanted, occurred_before=before)
        latest = await self._store.ask(question.scope, LatestQuery(wanted, limit))
        if not latest:
            return []
        now = question.asked_at or latest[0].occurred_at
        return [Candidate(place.record_id, -((now - place.occurred_at) / _DAY), place=place) for place in latest]


_WEAKEST = 0.01
"""A link below it is broken: the strength at which the associative memory drops one."""
_SEEDS, _HOPS, _WIDTH = 8, 2, 32
"""From how many of the seeds links are followed, how far, and how many records a hop begins at. Chosen by hand."""


class GraphPath(RecallPath):
    """Best first from the seeds along links: what the strongest chain of links leads to comes first."""

    name = "graph"
    follows = True

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Follow links in both directions, a hop for all at a time; the seeds themselves are not found again."""
        seeds = question.seeds[:_SEEDS]
        if not seeds:
            return []
        walk = WalkQuery(seeds, question.record_filter, limit, hops=_HOPS, width=_WIDTH, min_strength=_WEAKEST)
        reached = await self._store.ask(question.scope, walk)
        return [Candidate(one.place.record_id, one.strength, one.relation, one.place) for one in reached]


# ── paths over what lies in memory: an array has a score for each row, and a table tells whose row it is ──


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

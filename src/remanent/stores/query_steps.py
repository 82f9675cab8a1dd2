"""How each query of the `Store` port is answered: the SQL it takes, step by step, and the answer made of the rows.

What answers a query is a generator: it gives statements, gets their rows, may give further ones, and returns the
answer. An engine drives it as suits it: one after the other over a file, all side by side over a network, so that many
queries take as many round trips as the longest of them has steps.

A `Snapshot` answers as the store stood at one moment, held while an agent is read whole and others go on writing to it.
What is erased meanwhile must not live on in what is read from it: it looks whether anything of the agent was erased,
with every answer and in between, and then lets go of the moment it held.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from heapq import heappop, heappush
from typing import Any, Self, TypeVar

import numpy as np

from remanent.errors import RemanentError, StoreBusy
from remanent.lightweight import dataclass
from remanent.model import Link, Scope, Version
from remanent.stores import queries as q
from remanent.stores import rows, sql
from remanent.stores.queries import Query
from remanent.stores.sql import Dialect, SqlStatement
from remanent.stores.store import StoreReader
from remanent.stores.vectors import VectorSearch

A = TypeVar("A")
Rows = Sequence[Sequence[Any]]
Steps = Generator[list[SqlStatement], Sequence[Rows], A]
"""Statements out, their rows in, and at the end the answer."""
Answer = Callable[[Any, Scope, Any], Steps[Any]]
"""Of a dialect, a scope and a question."""


def nothing_stored(query: q.Query[Any] | VectorSearch) -> Any:
    """Return the answer of an agent that has no data; asking makes none."""
    nothing = _NOTHING.get(type(query))
    return [] if nothing is None else nothing(query)


def no_vectors(query: q.VectorChangeQuery, *, revision: int = 0) -> q.VectorChanges:
    """Return the answer of a model that has no vectors here."""
    return q.VectorChanges(revision, query.since > 0, [], [], np.empty((0, 0), np.float32), [])


_NOTHING: dict[type[Any], Callable[[Any], Any]] = {
    q.StandingQuery: lambda _: q.Standing(),
    q.StateQuery: lambda _: None,
    q.TermCountQuery: lambda query: q.TermCounts(0, dict.fromkeys(query.terms, 0)),
    q.VectorChangeQuery: no_vectors,
    q.QueueQuery: lambda _: q.QueueState(),
    **dict.fromkeys(
        (q.StatesQuery, q.SessionTermQuery, q.VectorQuery, q.VectorModelQuery, q.VectorCountQuery), lambda _: {}
    ),
}
"""Where it is no empty list."""


def each(statement: Callable[[Any, Scope, Any], SqlStatement], make: Callable[[Scope, Any], Any]) -> Answer:
    """Return what answers with one object for each row of one statement."""

    def read(dialect: Dialect, scope: Scope, query: Any) -> Steps[list[Any]]:
        [found] = yield [statement(dialect, scope, query)]
        return [make(scope, row) for row in found]

    return read


def pairs(statement: Callable[[Any, Scope, Any], SqlStatement], make: Callable[[Any], Any] = lambda it: it) -> Answer:
    """Return what answers with a dictionary of the two columns of one statement."""

    def read(dialect: Dialect, scope: Scope, query: Any) -> Steps[dict[str, Any]]:
        [found] = yield [statement(dialect, scope, query)]
        return {row[0]: make(row[1]) for row in found}

    return read


def _match(dialect: Dialect, scope: Scope, query: q.MatchQuery) -> Steps[list[str]]:
    [found] = yield [sql.match(dialect, scope, query)]
    passing = {row[0] for row in found}
    return [record_id for record_id in query.record_ids if record_id in passing]


def _in_order(record_ids: Sequence[str], found: Rows) -> dict[str, q.RecordPosition]:
    """Return places by id, in the order of the ids."""
    by_id = {row[0]: rows.place_of(row) for row in found}
    return {record_id: by_id[record_id] for record_id in record_ids if record_id in by_id}


def _places(dialect: Dialect, scope: Scope, query: q.PlaceQuery) -> Steps[list[q.RecordPosition]]:
    """Places, then those of their neighbours, a step for each entry further."""
    if not (query.neighbours or query.reach):  # hundreds for a question, and nothing to go on to
        [there] = yield [sql.places(dialect, scope, query.record_ids, query.filter)]
        return list(_in_order(query.record_ids, there).values())
    found: dict[str, q.RecordPosition] = {}
    asked: set[str] = set()
    wanted = list(query.record_ids)
    for _ in range(query.reach + 1):
        [near] = yield [sql.places(dialect, scope, wanted, query.filter, neighbours=True)]
        asked.update(wanted)
        places = _in_order(wanted, near)
        found |= places
        beside = (one for place in places.values() for one in (place.before_id, place.after_id))
        wanted = list(dict.fromkeys(one for one in beside if one is not None and one not in asked))
        if not wanted:
            break
    return list(found.values())


def _walk(dialect: Dialect, scope: Scope, query: q.WalkQuery) -> Steps[list[q.Reached]]:
    """What links lead to, a step for each hop."""
    walked = Walk(query.record_ids, hops=query.hops, width=query.width)
    while walked.border:
        leaving, arriving = yield [
            sql.links(dialect, scope, q.LinkQuery(from_ids=walked.border, min_strength=query.min_strength)),
            sql.links(dialect, scope, q.LinkQuery(to_ids=walked.border, min_strength=query.min_strength)),
        ]
        walked.follow([rows.link_of(row) for row in (*leaving, *arriving)])
    reached = walked.reached
    if not reached:
        return []
    [found] = yield [sql.places(dialect, scope, list(reached), query.filter)]
    ends = [q.Reached(place, *reached[place.record_id]) for place in map(rows.place_of, found)]
    return sorted(ends, key=lambda one: (-one.strength, one.place.record_id))[: query.limit]


def _versions(dialect: Dialect, scope: Scope, query: q.VersionQuery) -> Steps[list[Version]]:
    past, current = yield sql.versions(dialect, scope, query)
    return [rows.version_of(scope, row) for row in (*past, *current)]


def _state(dialect: Dialect, _: Scope, query: q.StateQuery) -> Steps[Any]:
    [found] = yield [sql.named_states(dialect, [query.key])]
    return rows.parse(found[0][1]) if found else None


def _session_terms(dialect: Dialect, scope: Scope, query: q.SessionTermQuery) -> Steps[dict[str, q.SessionTerms]]:
    """Return how long sessions are and how often they hold the terms, counted here from what is indexed of them."""
    if query.filter.as_of is not None:
        return {}
    [found] = yield [sql.session_terms(dialect, scope, query)]
    asked = frozenset(query.terms)
    lengths: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {}
    for session, text in found:
        words = text.split()
        lengths[session] += len(words)
        held = counts.setdefault(session, Counter())
        for word in asked.intersection(words):
            held[word] += words.count(word)
    return {session: q.SessionTerms(lengths[session], dict(held)) for session, held in counts.items()}


ANSWERS: dict[type[Any], Answer] = {
    q.EntryQuery: each(sql.entries, rows.entry_of),
    q.RecordQuery: each(sql.records, rows.record_of),
    q.MatchQuery: _match,
    q.PlaceQuery: _places,
    q.LatestQuery: each(sql.latest, lambda _, row: rows.place_of(row)),
    q.WalkQuery: _walk,
    q.VersionQuery: _versions,
    q.PastVersionQuery: each(sql.past_versions, rows.version_of),
    q.LinkQuery: each(sql.links, lambda _, row: rows.link_of(row)),
    q.ConflictQuery: each(sql.conflicts, rows.conflict_of),
    q.TombstoneQuery: each(sql.tombstones, rows.tombstone_of),
    q.StatesQuery: pairs(sql.states, rows.parse),
    q.StateQuery: _state,
    q.SessionTermQuery: _session_terms,
    q.JobQuery: each(sql.jobs, rows.job_of),
}
"""What is answered alike everywhere; the rest is in the `reads` of each engine."""


async def answer_together(
    table: Mapping[type[Any], Answer],
    dialect: Dialect,
    scope: Scope,
    questions: Sequence[Any],
    fetch: Callable[[list[SqlStatement]], Awaitable[Sequence[Rows]]],
) -> list[Any]:
    """Return the answer to each of the questions, in order, taking the steps of all side by side."""
    answers: dict[int, Any] = {}
    waiting: dict[int, tuple[Steps[Any], list[SqlStatement]]] = {}

    def go_on(place: int, steps: Steps[Any], found: Sequence[Rows] | None) -> None:
        try:
            waiting[place] = (steps, next(steps) if found is None else steps.send(found))
        except StopIteration as end:
            answers[place] = end.value

    for place, question in enumerate(questions):
        go_on(place, table[type(question)](dialect, scope, question), None)
    while waiting:
        asked, waiting = waiting, {}
        found = iter(await fetch([statement for _, step in asked.values() for statement in step]))
        for place, (steps, step) in asked.items():
            go_on(place, steps, [next(found) for _ in step])
    return [answers[place] for place in range(len(questions))]


def answer_in_turn(steps: Steps[A], fetch: Callable[[SqlStatement], Rows]) -> A:
    """Return an answer, fetching the rows of one statement after the other."""
    try:
        asked = next(steps)
        while True:
            asked = steps.send([fetch(statement) for statement in asked])
    except StopIteration as end:
        found: A = end.value
        return found


class Walk:
    """Best first from the seeds along links, both ways, a hop for all at a time: what is reached and how strongly.

    Apart from any engine, because every adapter must come to the same end: it fetches the links of a border, as it can.

    While there is a `border`, all links that leave or reach it are to be given to `follow`.
    """

    def __init__(self, seeds: Iterable[str], *, hops: int, width: int) -> None:
        self._seeds = tuple(dict.fromkeys(seeds))
        self._strength = dict.fromkeys(self._seeds, 1.0)
        self._relations: dict[str, str] = {}
        self._hops = hops
        self._width = width
        self.border: tuple[str, ...] = self._seeds if hops > 0 else ()
        """The records whose links are needed next."""

    def follow(self, links: Iterable[Link]) -> None:
        """Take one hop along these links; the strongest that are reached anew or better become the next border."""
        reached = self._carry(links)
        self._hops -= 1
        best = sorted(reached, key=lambda one: (-self._strength[one], one))[: self._width]
        self.border = tuple(best) if self._hops > 0 else ()

    @property
    def reached(self) -> dict[str, tuple[float, str]]:
        """What a walk along links reached beside its seeds: the best chain's strength, and the relation at its end."""
        return {
            record_id: (strength, self._relations[record_id])
            for record_id, strength in self._strength.items()
            if record_id in self._relations and record_id not in self._seeds
        }

    def _carry(self, links: Iterable[Link]) -> set[str]:
        """Carry strength along one hop, strongest first; return what is reached anew or better than before."""
        ties: dict[str, list[tuple[str, float, str]]] = {}
        for link in links:
            ties.setdefault(link.from_id, []).append((link.to_id, link.strength, link.relation))
            ties.setdefault(link.to_id, []).append((link.from_id, link.strength, link.relation))
        queue: list[tuple[float, str]] = []
        for record_id in ties:
            if record_id in self._strength:
                heappush(queue, (-self._strength[record_id], record_id))
        reached: set[str] = set()
        while queue:
            carried, record_id = heappop(queue)
            for other, tie, relation in ties[record_id]:
                along = -carried * tie
                if along > self._strength.get(other, 0.0):
                    self._strength[other] = along
                    self._relations[other] = relation
                    reached.add(other)
        return reached


LOOK = 0.25
"""Seconds between looks whether something was erased, which waits for the snapshot to go. Chosen by hand."""

Ask = Callable[[Scope, Sequence[Query[Any]]], Awaitable[list[Any]]]


@dataclass(frozen=True, slots=True)
class HeldMoment:
    """What answers as of one moment until it is let go; that may be said twice."""

    answer: Ask
    has_erased: Callable[[], Awaitable[bool]] | None = None
    """Whether something of the agent was erased since; `None` where no erasure waits for this, or ever will."""
    let_go: Callable[[], Awaitable[None]] | None = None


async def _nothing(_: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
    return [nothing_stored(query) for query in queries]


NOTHING = HeldMoment(_nothing)
"""Of an agent that has no data."""


class Snapshot(StoreReader):
    """Answers as of one moment while its `async with` lasts, until something of its agent is erased.

    A class, and no generator: the loop closes generators that were left half-way all at once, in no order.
    """

    def __init__(self, scope: Scope, hold: Callable[[Scope, AsyncExitStack], Awaitable[HeldMoment]]) -> None:
        super().__init__()
        self._scope = scope
        self._hold = hold
        self._stack = AsyncExitStack()
        self._ended: RemanentError | None = None

    async def read(self, scope: Scope, queries: Sequence[Query[Any]]) -> list[Any]:
        """Answer, unless what the answer holds is erased by now."""
        answers: list[Any] = []
        if self._ended is None:
            try:
                answers = await self._held.answer(scope, queries)
            except RemanentError as error:
                self._ended = error
        await self._look()
        if self._ended is not None:
            raise self._ended
        return answers

    async def __aenter__(self) -> Self:
        """Hold the moment, and look for erasures: whoever reads slowly, or no more, must not hold them back."""
        try:
            self._held = await self._hold(self._scope, self._stack)
        except BaseException:
            await self._stack.aclose()
            raise
        if self._held.let_go is not None:
            self._stack.push_async_callback(self._held.let_go)
            watching = asyncio.create_task(self._watch(self._held.let_go))
            self._stack.push_async_callback(lambda: asyncio.gather(watching, return_exceptions=True))
            self._stack.callback(watching.cancel)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let go of all that holds it, the last first."""
        await self._stack.aclose()

    async def _watch(self, let_go: Callable[[], Awaitable[None]]) -> None:
        while self._ended is None:
            await asyncio.sleep(LOOK)
            await self._look()
        await let_go()

    async def _look(self) -> None:
        """End it where something was erased, or where nobody can tell any more."""
        if self._ended is not None or self._held.has_erased is None:
            return
        try:
            if await self._held.has_erased():
                owner = self._scope.owner
                self._ended = StoreBusy(f"something of {owner} was erased during the export; export it again")
        except RemanentError as error:
            self._ended = self._ended or error

"""Which function answers which type of question.

Each is a generator: it gives statements, gets their rows, may give further ones, and returns the answer. `answer`
drives all of them side by side, so that many questions take as many round trips as the longest of them has steps.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from remanent.model import Scope, from_millis
from remanent.stores import queries as q
from remanent.stores.postgres import reads
from remanent.stores.postgres.connection import SqlStatement
from remanent.stores.sqlite import rows
from remanent.stores.vectors import VectorSearch
from remanent.stores.walking import Walk

A = TypeVar("A")
Rows = list[tuple[Any, ...]]
Steps = Generator[list[SqlStatement], list[Rows], A]
"""Statements out, their rows in, and at the end the answer."""
Fetch = Callable[[Sequence[SqlStatement]], Awaitable[list[Rows]]]


async def answer(agent: int, scope: Scope, questions: Sequence[Any], fetch: Fetch) -> list[Any]:
    """Return the answer to each of the questions, in order."""
    answers: dict[int, Any] = {}
    waiting: dict[int, tuple[Steps[Any], list[SqlStatement]]] = {}

    def go_on(place: int, steps: Steps[Any], found: list[Rows] | None) -> None:
        try:
            waiting[place] = (steps, next(steps) if found is None else steps.send(found))
        except StopIteration as end:
            answers[place] = end.value

    for place, question in enumerate(questions):
        go_on(place, _ANSWERS[type(question)].read(agent, scope, question), None)
    while waiting:
        asked, waiting = waiting, {}
        found = iter(await fetch([statement for _, statements in asked.values() for statement in statements]))
        for place, (steps, statements) in asked.items():
            go_on(place, steps, [next(found) for _ in statements])
    return [answers[place] for place in range(len(questions))]


def nothing_stored(question: Any) -> Any:
    """Return the answer of an agent that has no data; asking makes none."""
    return _ANSWERS[type(question)].nothing(question)


def _each(
    statement: Callable[[int, Scope, Any], SqlStatement], make: Callable[[Scope, Any], A]
) -> Callable[[int, Scope, Any], Steps[list[A]]]:
    """Return what answers with one object for each row of one statement."""

    def read(agent: int, scope: Scope, query: Any) -> Steps[list[A]]:
        [found] = yield [statement(agent, scope, query)]
        return [make(scope, row) for row in found]

    return read


def _standing(agent: int, scope: Scope, query: q.StandingQuery) -> Steps[q.Standing]:
    counters, states = yield [
        SqlStatement(reads.STANDING, (agent, agent)),
        SqlStatement(reads.NAMED_STATES, (agent, list(query.states))),
    ]
    revision, vector_revision, graphs = counters[0]
    return q.Standing(revision, vector_revision, graphs or {}, {key: rows.parse(value) for key, value in states})


def _tally(agent: int, scope: Scope, query: q.TallyQuery) -> Steps[list[q.Tally]]:
    [found] = yield [reads.tally(agent, query)]
    return [rows.tally_of(query.flags, row) for row in found]


def _match(agent: int, scope: Scope, query: q.MatchQuery) -> Steps[list[str]]:
    [found] = yield [reads.match(agent, scope, query.record_ids, query.filter)]
    passing = {row[0] for row in found}
    return [record_id for record_id in query.record_ids if record_id in passing]


def _places(agent: int, scope: Scope, query: q.PlaceQuery) -> Steps[list[q.RecordPosition]]:
    """Places, then those of their neighbours, a step for each entry further."""
    around = bool(query.neighbours or query.reach)
    found: dict[str, q.RecordPosition] = {}
    asked: set[str] = set()
    wanted = dict.fromkeys(query.record_ids)
    for _ in range(query.reach + 1):
        [near] = yield [reads.places(agent, scope, list(wanted), query.filter, neighbours=around)]
        asked |= wanted.keys()
        places = [rows.place_of(row) for row in near]
        found |= {place.record_id: place for place in places}
        beside = (one for place in places for one in (place.before_id, place.after_id))
        wanted = dict.fromkeys(one for one in beside if one is not None and one not in asked)
        if not wanted:
            break
    return list(found.values())


def _walk(agent: int, scope: Scope, query: q.WalkQuery) -> Steps[list[q.Reached]]:
    """What links lead to, a step for each hop."""
    walked = Walk(query.record_ids, hops=query.hops, width=query.width)
    while walked.border:
        leaving, arriving = yield [
            reads.links(agent, q.LinkQuery(from_ids=walked.border, min_strength=query.min_strength)),
            reads.links(agent, q.LinkQuery(to_ids=walked.border, min_strength=query.min_strength)),
        ]
        walked.follow([rows.link_of(row) for row in (*leaving, *arriving)])
    reached = walked.reached
    if not reached:
        return []
    [found] = yield [reads.places(agent, scope, list(reached), query.filter, neighbours=False)]
    ends = [q.Reached(place, *reached[place.record_id]) for place in map(rows.place_of, found)]
    return sorted(ends, key=lambda one: (-one.strength, one.place.record_id))[: query.limit]


def _hits(found: Rows, *, places: bool) -> list[q.Hit]:
    """Return the hits of rows that end with the score and with how many were ranked."""
    return [q.Hit(row[0], row[-2], rows.place_of(row[:-2]) if places else None) for row in found]


def _best(
    scope: Scope, query: q.TextQuery | VectorSearch, statement: Callable[[int], SqlStatement]
) -> Steps[list[q.Hit]]:
    """Rank first and look up few rows; all of them when too many of the best do not pass the filter."""
    width = query.limit + 8 if reads.is_plain(scope, query.filter) else reads.ALL
    [found] = yield [statement(width)]
    if width != reads.ALL and len(found) < query.limit and not (found and found[0][-1] < width):
        [found] = yield [statement(reads.ALL)]
    return _hits(found, places=query.places)


def _search_text(agent: int, scope: Scope, query: q.TextQuery) -> Steps[list[q.Hit]]:
    if not reads.asked_terms(query.terms) or query.limit <= 0:
        return []
    if query.filter.as_of is not None:
        [found] = yield [reads.search_history(agent, scope, query)]
        return _hits(found, places=query.places)
    return (yield from _best(scope, query, lambda width: reads.search_text(agent, scope, query, width=width)))


@dataclass(frozen=True, slots=True)
class IndexedSearch:
    """A search among the vectors of a large agent, which has an index of its own."""

    search: VectorSearch
    index: reads.VectorIndex


MAX_INDEXED: Final = 200
"""Neighbours that an index is asked for; for more, all are compared. Half of what it looks at."""


def _nearest_by_index(agent: int, scope: Scope, asked: IndexedSearch) -> Steps[list[q.Hit]]:
    """Ask the index, and compare all when too few of what it finds pass the filter, or it is asked for too much."""
    search, width = asked.search, asked.search.limit + 8
    # A model that was dropped and came again has another number, and perhaps another size, than the index.
    fits = len(search.vector) == asked.index.dimension and width <= MAX_INDEXED
    if search.limit > 0 and fits and reads.is_plain(scope, search.filter):
        _, found = yield [reads.EFFORT, reads.nearest(agent, scope, search, width=width, index=asked.index)]
        if len(found) >= search.limit:
            return _hits(found, places=search.places)
    return (yield from _nearest(agent, scope, search))


def _nearest(agent: int, scope: Scope, search: VectorSearch) -> Steps[list[q.Hit]]:
    if search.limit <= 0:
        return []
    return (yield from _best(scope, search, lambda width: reads.nearest(agent, scope, search, width=width)))


def _term_counts(agent: int, scope: Scope, query: q.TermCountQuery) -> Steps[q.TermCounts]:
    [found] = yield [reads.term_counts(agent, [term for term in query.terms if term], query.most)]
    (_, records), *counts = found
    return q.TermCounts(records, dict.fromkeys(query.terms, 0) | {str(term): int(held) for term, held in counts})


def _session_terms(agent: int, scope: Scope, query: q.SessionTermQuery) -> Steps[dict[str, q.SessionTerms]]:
    if query.filter.as_of is not None:
        return {}
    [found] = yield [reads.session_terms(agent, scope, query)]
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


def _vector_changes(agent: int, scope: Scope, query: q.VectorChangeQuery) -> Steps[q.VectorChanges]:
    standing, put, removed = yield reads.vector_changes(agent, query.model, query.since)
    revision, floor, dimension = standing[0]
    if dimension is None:
        return _no_vectors(query, revision=revision)
    reset = 0 < query.since < floor
    matrix = np.stack([row[2] for row in put]) if put else np.empty((0, dimension), np.float32)
    kind_of = rows.KindsByName()
    record_ids = [row[0] for row in put]
    there = set(record_ids)
    gone = [] if reset or query.since == 0 else [row[0] for row in removed if row[0] not in there]
    return q.VectorChanges(revision, reset, record_ids, [kind_of[row[1]] for row in put], matrix, gone)


def _no_vectors(query: q.VectorChangeQuery, *, revision: int = 0) -> q.VectorChanges:
    return q.VectorChanges(revision, query.since > 0, [], [], np.empty((0, 0), np.float32), [])


def _queue(agent: int, scope: Scope, query: q.QueueQuery) -> Steps[q.QueueState]:
    [found] = yield [SqlStatement(reads.QUEUE, (agent, agent))]
    pending, running, dead, oldest, wake = found[0]
    moments = (None if moment is None else from_millis(moment) for moment in (oldest, wake))
    return q.QueueState(pending, running, dead, *moments)


def _states(agent: int, scope: Scope, query: q.StatesQuery) -> Steps[dict[str, Any]]:
    [found] = yield [reads.states(agent, query.prefix)]
    return {key: rows.parse(value) for key, value in found}


def _state(agent: int, scope: Scope, query: q.StateQuery) -> Steps[Any]:
    [found] = yield [SqlStatement(reads.NAMED_STATES, (agent, [query.key]))]
    return rows.parse(found[0][1]) if found else None


def _pairs(statement: Callable[[int, Any], SqlStatement]) -> Callable[[int, Scope, Any], Steps[dict[str, Any]]]:
    """Return what answers with a dictionary of the two columns of one statement."""

    def read(agent: int, scope: Scope, query: Any) -> Steps[dict[str, Any]]:
        [found] = yield [statement(agent, query)]
        return {row[0]: row[1] for row in found}

    return read


@dataclass(frozen=True, slots=True)
class _QueryHandler:
    """How one type of question is answered."""

    read: Callable[[int, Scope, Any], Steps[Any]]
    nothing: Callable[[Any], Any] = lambda _: []
    """Of an agent that was never written to."""


_ANSWERS: dict[type[Any], _QueryHandler] = {
    q.StandingQuery: _QueryHandler(_standing, lambda _: q.Standing()),
    q.EntryQuery: _QueryHandler(_each(reads.entries, rows.entry_of)),
    q.RecordQuery: _QueryHandler(_each(reads.records, rows.record_of)),
    q.TallyQuery: _QueryHandler(_tally),
    q.MatchQuery: _QueryHandler(_match),
    q.PlaceQuery: _QueryHandler(_places),
    q.LatestQuery: _QueryHandler(_each(reads.latest, lambda _, row: rows.place_of(row))),
    q.WalkQuery: _QueryHandler(_walk),
    q.UnembeddedQuery: _QueryHandler(
        _each(
            lambda agent, _, query: reads.unembedded(agent, query.limit),
            lambda scope, row: rows.record_of(scope.owner, row),
        )
    ),
    q.VersionQuery: _QueryHandler(
        _each(lambda agent, scope, query: reads.versions(agent, scope, query.record_id), rows.version_of)
    ),
    q.PastVersionQuery: _QueryHandler(
        _each(lambda agent, scope, query: reads.past_versions(agent, scope, query.after, query.limit), rows.version_of)
    ),
    q.LinkQuery: _QueryHandler(
        _each(lambda agent, _, query: reads.links(agent, query), lambda _, row: rows.link_of(row))
    ),
    q.ConflictQuery: _QueryHandler(_each(reads.conflicts, rows.conflict_of)),
    q.TombstoneQuery: _QueryHandler(
        _each(lambda agent, scope, query: reads.tombstones(agent, scope, query.record_ids), rows.tombstone_of)
    ),
    q.StatesQuery: _QueryHandler(_states, lambda _: {}),
    q.StateQuery: _QueryHandler(_state, lambda _: None),
    q.TextQuery: _QueryHandler(_search_text),
    q.TermCountQuery: _QueryHandler(_term_counts, lambda query: q.TermCounts(0, dict.fromkeys(query.terms, 0))),
    q.SessionTermQuery: _QueryHandler(_session_terms, lambda _: {}),
    q.VectorChangeQuery: _QueryHandler(_vector_changes, _no_vectors),
    q.VectorQuery: _QueryHandler(
        _pairs(lambda agent, query: reads.vectors(agent, query.record_ids, query.model)), lambda _: {}
    ),
    q.VectorModelQuery: _QueryHandler(
        _pairs(lambda agent, _: SqlStatement(reads.VECTOR_MODELS, (agent,))), lambda _: {}
    ),
    q.VectorCountQuery: _QueryHandler(
        _pairs(lambda agent, query: SqlStatement(reads.VECTOR_COUNTS, (agent, query.since))), lambda _: {}
    ),
    q.QueueQuery: _QueryHandler(_queue, lambda _: q.QueueState()),
    q.JobQuery: _QueryHandler(_each(lambda agent, _, query: reads.jobs(agent, query), rows.job_of)),
    VectorSearch: _QueryHandler(_nearest),
    IndexedSearch: _QueryHandler(_nearest_by_index),
}

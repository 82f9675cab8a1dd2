"""Which function answers which type of question, and on how many threads a read is spread."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from remanent.model import Scope
from remanent.stores import queries as q
from remanent.stores.sqlite import queue, reads, search


@dataclass(frozen=True, slots=True)
class _Answer:
    """How one type of question is answered."""

    read: Callable[[apsw.Connection, Scope, Any], Any]
    nothing: Callable[[Any], Any] = lambda _: []
    """Of an agent that was never written to."""
    apart: bool = False
    """Whether it may take long enough to be worth a thread and a reader of its own."""


_ANSWERS: dict[type[q.Query[Any]], _Answer] = {
    q.StandingQuery: _Answer(lambda c, _, query: reads.standing(c, query), lambda _: q.Standing()),
    q.EntryQuery: _Answer(reads.entries),
    q.RecordQuery: _Answer(reads.records),
    q.TallyQuery: _Answer(lambda c, _, query: reads.tally(c, query), apart=True),
    q.MatchQuery: _Answer(lambda c, scope, query: reads.match(c, scope, query.record_ids, query.filter)),
    q.PlaceQuery: _Answer(reads.places),
    q.LatestQuery: _Answer(reads.latest),
    q.WalkQuery: _Answer(reads.walk),
    q.UnembeddedQuery: _Answer(lambda c, scope, query: reads.unembedded(c, scope.owner, query.limit)),
    q.VersionQuery: _Answer(lambda c, scope, query: reads.versions(c, scope, query.record_id)),
    q.PastVersionQuery: _Answer(lambda c, scope, query: reads.past_versions(c, scope, query.after, query.limit)),
    q.LinkQuery: _Answer(lambda c, _, query: reads.links(c, query)),
    q.ConflictQuery: _Answer(reads.conflicts),
    q.TombstoneQuery: _Answer(lambda c, scope, query: reads.tombstones(c, scope, query.record_ids)),
    q.StatesQuery: _Answer(lambda c, _, query: reads.states(c, query.prefix), lambda _: {}),
    q.StateQuery: _Answer(lambda c, _, query: reads.state(c, query.key), lambda _: None),
    q.TextQuery: _Answer(search.search_text, apart=True),
    q.TermCountQuery: _Answer(
        lambda c, _, query: search.term_counts(c, query.terms, query.most),
        lambda query: q.TermCounts(0, dict.fromkeys(query.terms, 0)),
    ),
    q.SessionTermQuery: _Answer(search.session_terms, lambda _: {}, apart=True),
    q.VectorChangeQuery: _Answer(
        lambda c, _, query: search.vector_changes(c, query.model, query.since),
        lambda query: search.no_vectors(reset=query.since > 0),
        apart=True,
    ),
    q.VectorQuery: _Answer(lambda c, _, query: search.vectors(c, query.record_ids, query.model), lambda _: {}),
    q.VectorModelQuery: _Answer(lambda c, _, query: search.vector_models(c), lambda _: {}),
    q.VectorCountQuery: _Answer(lambda c, _, query: search.vector_counts(c, query.since), lambda _: {}),
    q.QueueQuery: _Answer(lambda c, _, query: queue.state(c), lambda _: q.QueueState()),
    q.JobQuery: _Answer(queue.jobs),
}


def nothing_stored(query: q.Query[Any]) -> Any:
    """Return the answer of an agent that has no data; asking makes none."""
    return _ANSWERS[type(query)].nothing(query)


def spread(queries: Sequence[q.Query[Any]], *, threads: int) -> list[list[int]]:
    """Return the places of questions that are answered one after the other, a list for each thread.

    Text searches of large agents take longer than the way to another thread; all the rest goes together, on one
    snapshot. The first of the long ones goes with the rest, since that thread is under way anyhow. They are given but
    some of the threads that read, so that a hundred searches for one do not keep others waiting.
    """
    groups: list[list[int]] = [[]]
    long = 0
    for place, query in enumerate(queries):
        if not _ANSWERS[type(query)].apart:
            groups[0].append(place)
            continue
        if 0 < long < threads:
            groups.append([place])
        else:
            groups[long % threads].append(place)
        long += 1
    return groups


def answer(connection: apsw.Connection, scope: Scope, queries: Sequence[q.Query[Any]]) -> list[Any]:
    """Answer questions one after the other."""
    return [_ANSWERS[type(query)].read(connection, scope, query) for query in queries]

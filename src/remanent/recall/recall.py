"""The read path: paths in parallel, joined by reciprocal rank, answered with their sources."""

import asyncio
import logging
from collections.abc import Mapping, Sequence

from remanent.errors import InvalidInput, RemanentError
from remanent.model import Entry, Found, FoundItem, FoundSource, LeftOut, PathRank, Record, Scope, Status
from remanent.recall.fusion import reciprocal_rank
from remanent.recall.paths import Question, RecallPath
from remanent.recall.turns import turn_of
from remanent.stores import EntryQuery, Hit, RecordFilter, RecordQuery, Store

WEIGHTS: Mapping[str, float] = {"keyword": 1.0, "vector": 1.0, "recency": 0.1}
"""How much each path's ranks count. Recency says little: it breaks ties."""

MOST = 1000
WIDTH = 20
"""How many candidates each path gives, at least."""

_logger = logging.getLogger(__name__)


class Recall:
    """Answers questions from everything that an agent remembers."""

    def __init__(self, store: Store, paths: Sequence[RecallPath]) -> None:
        self._store = store
        self._paths = paths

    async def find(self, question: Question, *, limit: int) -> Found:
        """Return the best items; a path that fails is left out, and the answer says so."""
        if not question.text.strip():
            raise InvalidInput("the question is empty; ask something")
        if not 1 <= limit <= MOST:
            raise InvalidInput(f"limit must be between 1 and {MOST}, not {limit}")
        width = max(WIDTH, 2 * limit)
        answers = await asyncio.gather(*(self._ask(path, question, width) for path in self._paths))
        found = {
            path.name: hits for path, hits in zip(self._paths, answers, strict=True) if not isinstance(hits, LeftOut)
        }
        left_out = tuple(answer for answer in answers if isinstance(answer, LeftOut))
        own = {path.name: weight for path in self._paths if (weight := path.weight(question)) is not None}
        fused = reciprocal_rank(
            {name: [hit.record_id for hit in hits] for name, hits in found.items()}, weights={**WEIGHTS, **own}
        )
        answers_found = {hit.record_id for path in self._paths if path.adds for hit in found.get(path.name, ())}
        scores = {record_id: score for record_id, score in fused.items() if record_id in answers_found}
        ranks = _ranks(found)
        records = await self._records(question, list(scores)[: limit + WIDTH])
        chosen = [records[record_id] for record_id in scores if record_id in records][:limit]
        sources = await self._sources(question.scope, chosen)
        items = tuple(
            FoundItem(
                record_id=record.id,
                text=record.content,
                score=scores[record.id],
                kind=record.kind,
                occurred_at=record.occurred_at,
                sources=_spans(record, sources),
                ranks=tuple(ranks[record.id]),
            )
            for record in chosen
        )
        return Found(query=question.text, items=items, left_out=left_out)

    async def _ask(self, path: RecallPath, question: Question, width: int) -> list[Hit] | LeftOut:
        try:
            return await path.find(question, limit=width)
        except RemanentError as error:
            if isinstance(error, InvalidInput):
                raise
            _logger.warning("recall path %s failed: %s", path.name, type(error).__name__)
            return LeftOut(path=path.name, reason=f"{type(error).__name__}: {error}")

    async def _records(self, question: Question, record_ids: Sequence[str]) -> dict[str, Record]:
        """Return the records of the ids; an entry that is not indexed yet stands for its turn."""
        wanted = RecordFilter(statuses=None, as_of=question.record_filter.as_of)
        query = RecordQuery(filter=wanted, record_ids=tuple(record_ids), limit=len(record_ids))
        records = {record.id: record for record in await self._store.records(question.scope, query)}
        missing = tuple(record_id for record_id in record_ids if record_id not in records)
        if missing:
            entries = await self._store.entries(question.scope, EntryQuery(entry_ids=missing, limit=len(missing)))
            records |= {entry.id: turn_of(entry) for entry in entries if not entry.erased}
        return {record_id: record for record_id, record in records.items() if record.status is not Status.FORGOTTEN}

    async def _sources(self, scope: Scope, records: Sequence[Record]) -> dict[str, Entry]:
        wanted = tuple({source.entry_id for record in records for source in record.sources})
        if not wanted:
            return {}
        entries = await self._store.entries(scope.owner, EntryQuery(entry_ids=wanted, limit=len(wanted)))
        return {entry.id: entry for entry in entries if not entry.erased}


def _ranks(found: Mapping[str, Sequence[Hit]]) -> dict[str, list[PathRank]]:
    ranks: dict[str, list[PathRank]] = {}
    for name, hits in found.items():
        for place, hit in enumerate(hits, start=1):
            ranks.setdefault(hit.record_id, []).append(PathRank(path=name, rank=place, score=hit.score))
    return ranks


def _spans(record: Record, entries: Mapping[str, Entry]) -> tuple[FoundSource, ...]:
    spans = []
    for source in record.sources:
        entry = entries.get(source.entry_id)
        if entry is None:
            continue
        end = len(entry.text) if source.end is None else min(source.end, len(entry.text))
        spans.append(
            FoundSource(
                entry_id=entry.id,
                caller_id=entry.caller_id,
                session=entry.scope.session,
                role=entry.role,
                occurred_at=entry.occurred_at,
                start=source.start,
                end=end,
                text=entry.text[source.start : end],
            )
        )
    return tuple(spans)

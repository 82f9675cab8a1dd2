"""Records of the time that the question names."""

from dataclasses import replace

from remanent.recall.path import Candidate, RecallPath
from remanent.recall.question import Question, told_within
from remanent.stores import Order, RecordFilter, RecordQuery, Store
from remanent.text.dates import TimeMention


class TimePath(RecallPath):
    """Records of that time; those that share the question's words first, then whatever happened then."""

    name = "time"

    def __init__(self, store: Store) -> None:
        self._store = store

    def share(self, question: Question) -> float:
        """Take no part when the question names no time."""
        return 1.0 if question.dates else 0.0

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search each time that is named."""
        found: dict[str, Candidate] = {}
        for mention in question.dates:
            wanted = _within(question.record_filter, mention)
            if wanted is None:
                continue
            hits = await self._store.search_text(question.scope, question.terms, record_filter=wanted, limit=limit)
            for hit in hits:
                found.setdefault(hit.record_id, Candidate(hit.record_id, 1.0 + hit.score, mention.text))
            if len(found) < limit:
                query = RecordQuery(filter=wanted, order=Order.LAST_OCCURRED, limit=limit - len(found))
                for record in await self._store.records(question.scope, query):
                    found.setdefault(record.id, Candidate(record.id, 1.0, mention.text))
        return sorted(found.values(), key=lambda one: (-one.score, one.record_id))[:limit]


def _within(wanted: RecordFilter, mention: TimeMention) -> RecordFilter | None:
    """Narrow a filter to a time and the while after it, when people tell of it; None when nothing can pass."""
    begin, finish = told_within(mention)
    if wanted.occurred_from is not None:
        begin = max(begin, wanted.occurred_from)
    if wanted.occurred_before is not None:
        finish = min(finish, wanted.occurred_before)
    return replace(wanted, occurred_from=begin, occurred_before=finish) if begin < finish else None

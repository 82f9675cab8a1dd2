"""What happened last."""

from datetime import timedelta

from remanent.recall.path import Candidate, RecallPath
from remanent.recall.question import Question
from remanent.stores import Order, RecordQuery, Store

_DAY = timedelta(days=1)


class RecencyPath(RecallPath):
    """The newest records, newest first."""

    name = "recency"
    adds = False  # that something is new does not make it an answer

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Return the newest records; the score is how many days ago they happened, below 0."""
        query = RecordQuery(filter=question.record_filter, order=Order.LAST_OCCURRED, limit=limit)
        records = await self._store.records(question.scope, query)
        if not records:
            return []
        now = question.asked_at or records[0].occurred_at
        return [Candidate(record.id, -((now - record.occurred_at) / _DAY)) for record in records]

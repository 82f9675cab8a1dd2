"""What happened last."""

from remanent.model import to_millis
from remanent.recall.path import Candidate, RecallPath
from remanent.recall.question import Question
from remanent.stores import Order, RecordQuery, Store


class RecencyPath(RecallPath):
    """The newest records, newest first."""

    name = "recency"
    adds = False  # that something is new does not make it an answer

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Return the newest records; the score is when they happened, in milliseconds since the epoch."""
        query = RecordQuery(filter=question.record_filter, order=Order.LAST_OCCURRED, limit=limit)
        records = await self._store.records(question.scope, query)
        return [Candidate(record.id, float(to_millis(record.occurred_at))) for record in records]

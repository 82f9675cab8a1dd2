"""What happened last."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from remanent.model.entry import AHEAD
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
        wanted = question.record_filter
        if question.asked_at is not None and question.asked_at < datetime.max.replace(tzinfo=UTC) - AHEAD:
            # A date that has not come makes nothing the latest.
            today = question.asked_at + AHEAD
            before = today if wanted.occurred_before is None else min(wanted.occurred_before, today)
            wanted = replace(wanted, occurred_before=before)
        query = RecordQuery(filter=wanted, order=Order.LAST_OCCURRED, limit=limit)
        records = await self._store.records(question.scope, query)
        if not records:
            return []
        now = question.asked_at or records[0].occurred_at
        return [Candidate(record.id, -((now - record.occurred_at) / _DAY)) for record in records]

"""Records that share a name with the question."""

import asyncio

from remanent.recall.path import Candidate, RecallPath
from remanent.recall.question import Question
from remanent.stores import Hit, Store
from remanent.text.terms import query_terms

MOST_NAMES = 4
_WHOLE = 0.6
"""The share of the best score below which a record is taken to hold but a part of a name."""


class EntityPath(RecallPath):
    """The more of the question's names a record holds, and the rarer they are, the better."""

    name = "entity"

    def __init__(self, store: Store) -> None:
        self._store = store

    def share(self, question: Question) -> float:
        """Take no part when the question names nobody and nothing."""
        return 1.0 if question.names else 0.0

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search each name by itself and add up."""
        names = list({mention.key: mention.text for mention in question.names}.values())[:MOST_NAMES]
        searched = await asyncio.gather(*(self._search(question, name, limit) for name in names))
        scores: dict[str, float] = {}
        held: dict[str, list[str]] = {}
        for name, hits in zip(names, searched, strict=True):
            for hit in hits:
                scores[hit.record_id] = scores.get(hit.record_id, 0.0) + hit.score
                held.setdefault(hit.record_id, []).append(name)
        ordered = sorted(scores, key=lambda one: (-scores[one], one))[:limit]
        return [Candidate(one, scores[one], ", ".join(held[one])) for one in ordered]

    async def _search(self, question: Question, name: str, limit: int) -> list[Hit]:
        terms = query_terms(name)
        hits = await self._store.search_text(question.scope, terms, record_filter=question.record_filter, limit=limit)
        return [hit for hit in hits if hit.score >= _WHOLE * hits[0].score]

"""Records that hold the question's words."""

import asyncio

from remanent.model import Kind
from remanent.recall.path import Candidate, RecallPath
from remanent.recall.question import Question
from remanent.recall.turns import indexed_through
from remanent.stores import EntryQuery, Store
from remanent.text.words import index_terms, query_terms

TAIL = 200
"""How many of the newest entries are searched word by word while their index is not made yet."""


class KeywordPath(RecallPath):
    """By BM25, and word by word in what was said since the index was made."""

    name = "keyword"

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search the text index, and the tail of the journal that it does not cover yet."""
        terms = question.terms
        if not terms:
            return []
        if not _may_be_unindexed(question):
            return await self._find_parts(question, limit=limit)
        # Asked first: what is indexed meanwhile is then found twice rather than not at all.
        covered = await indexed_through(self._store, question.scope)
        found, tail = await asyncio.gather(
            self._find_parts(question, limit=limit),
            self._find_in_tail(question, frozenset(terms), covered=covered),
        )
        if not tail:
            return found
        known = {one.record_id for one in found}
        fresh = [one for one in tail if one.record_id not in known]
        if not fresh:
            return found
        # No common measure with BM25: what holds most of the question's words is put level with the best, the rest
        # with the worst, in the order of how many words they hold.
        high = found[0].score if found else 1.0
        low = found[-1].score if found else 0.0
        close = [_placed(one, high + one.score) for one in fresh if 2 * one.score > len(terms)]
        far = [_placed(one, low - 1 / (1 + one.score)) for one in fresh if 2 * one.score <= len(terms)]
        return close + found + far

    async def _find_parts(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search for each part of the question by itself: what answers one of them best is as good as any."""
        parts = [terms for part in question.parts if (terms := query_terms(part))] or [list(question.terms)]
        searched = await asyncio.gather(
            *(
                self._store.search_text(question.scope, terms, record_filter=question.record_filter, limit=limit)
                for terms in parts
            )
        )
        if len(parts) == 1:
            return [Candidate(hit.record_id, hit.score) for hit in searched[0]]
        high = max((hits[0].score for hits in searched if hits), default=0.0)
        best: dict[str, Candidate] = {}
        for hits in searched:
            for hit in hits:
                score = high * hit.score / hits[0].score if hits[0].score > 0 else 0.0
                if hit.record_id not in best or score > best[hit.record_id].score:
                    best[hit.record_id] = Candidate(hit.record_id, score)
        return sorted(best.values(), key=lambda one: (-one.score, one.record_id))[:limit]

    async def _find_in_tail(self, question: Question, terms: frozenset[str], *, covered: int) -> list[Candidate]:
        """Return turns that are not indexed yet and share words with the question, most words first."""
        wanted = question.record_filter
        tail = await self._store.entries(
            question.scope,
            EntryQuery(
                after_seq=covered,
                occurred_from=wanted.occurred_from,
                occurred_before=wanted.occurred_before,
                newest_first=True,
                limit=TAIL,
            ),
        )
        hits = [Candidate(entry.id, float(len(terms.intersection(index_terms(entry.text))))) for entry in tail]
        return sorted((hit for hit in hits if hit.score), key=lambda hit: -hit.score)


def _placed(candidate: Candidate, score: float) -> Candidate:
    return Candidate(candidate.record_id, score, "not indexed yet")


def _may_be_unindexed(question: Question) -> bool:
    """Tell whether a turn without a record could pass the filter; other kinds are searchable from their commit on."""
    wanted = question.record_filter
    return (wanted.kinds is None or Kind.TURN in wanted.kinds) and not wanted.tags and wanted.as_of is None

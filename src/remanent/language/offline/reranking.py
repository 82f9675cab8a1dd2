"""Reranking without a model: shared words, rare ones first, together with how close the meanings are."""

import math
from collections import Counter

from remanent.language.exchanges.reranking import RankedPassage, RerankingRequest, RerankingResponse
from remanent.language.offline.toolbox import Toolbox
from remanent.text.terms import index_terms, query_terms

# The usual constants of BM25: how soon a repeated word stops counting, and how much a long passage is held back.
_SATURATION = 1.2
_LENGTH = 0.75
_BY_WORDS = 0.5


async def rerank(request: RerankingRequest, toolbox: Toolbox) -> RerankingResponse:
    """Score every passage from 0 to 1; equal ones stay in the order in which they came."""
    texts = [passage.text for passage in request.passages]
    scores = word_scores(request.query, texts)
    if toolbox.embedder is not None:
        vectors = await toolbox.embedder.embed([request.query, *texts])
        meanings = [max(0.0, min(1.0, float(value))) for value in vectors[1:] @ vectors[0]]
        scores = [
            _BY_WORDS * words + (1 - _BY_WORDS) * meaning for words, meaning in zip(scores, meanings, strict=True)
        ]
    ranked = [
        RankedPassage(passage_id=passage.passage_id, score=round(score, 6))
        for passage, score in zip(request.passages, scores, strict=True)
    ]
    return RerankingResponse(ranked=tuple(sorted(ranked, key=lambda passage: -passage.score)))


def word_scores(query: str, texts: list[str]) -> list[float]:
    """Return how well each text covers the words of the question, from 0 to 1; 1 has all of them, often, in few "
    "words."""
    asked = query_terms(query)
    counts = [Counter(index_terms(text)) for text in texts]
    if not asked:
        return [0.0] * len(texts)
    spread = {term: sum(term in count for count in counts) for term in asked}
    weights = {term: math.log(1 + (len(texts) - found + 0.5) / (found + 0.5)) for term, found in spread.items()}
    average = sum(count.total() for count in counts) / len(counts) or 1.0
    best = sum(weights.values()) * (_SATURATION + 1)
    scores = []
    for count in counts:
        held_back = _SATURATION * (1 - _LENGTH + _LENGTH * count.total() / average)
        score = sum(
            weights[term] * times * (_SATURATION + 1) / (times + held_back) for term in asked if (times := count[term])
        )
        scores.append(min(1.0, score / best) if best else 0.0)
    return scores

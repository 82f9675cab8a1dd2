"""Which sessions answer a question: by their best turns and by the words of all that was said in them.

Where a message goes on talking, likeness to the best session counts too: what people talk on about runs through many.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.model import Origin
from remanent.recall.fusion import min_max
from remanent.recall.question import Question
from remanent.recall.recipe import Surroundings
from remanent.recall.scoring import Factor, RankedCandidate, discounted
from remanent.stores import SessionTerms, Store, TermCounts
from remanent.text.bm25 import rarity, saturation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_RECORDS = 4000
"""Records of all sessions together that are read for their words; bounds the time that one huge session can take."""
_MAX_COUNTED = 20_000
"""A term that as many records hold tells nothing."""
# An assistant's long answers hold every word of a field; what a session is about is what people said in it.
_PEOPLE = (Origin.USER, Origin.IMPORT, Origin.TOOL, Origin.UNTRUSTED)


def by_their_turns(groups: Mapping[str, Sequence[RankedCandidate]], around: Surroundings) -> dict[str, float]:
    """Return how much the candidates of each session speak for it."""
    read_again = any(one.reranked is not None for group in groups.values() for one in group)
    return {
        name: discounted(
            (one.score if read_again else one.own for one in group),
            discount=around.grain_discount,
            depth=around.grain_depth,
        )
        for name, group in groups.items()
    }


async def by_their_words(
    store: Store, question: Question, scores: Mapping[str, float], around: Surroundings
) -> dict[str, float]:
    """Return the scores with the words of whole sessions weighed in; of all but the best, the scores as they are.

    Only of the best, because reading the words of a session costs, and only for facts: who goes on talking uses the
    words of every talk.
    """
    best = sorted(scores, key=lambda name: (-scores[name], name))[: around.words_of]
    if not around.words or not question.asks_for_a_fact or len(best) < 2:
        return dict(scores)
    held = await store.session_terms(
        question.scope,
        best,
        question.terms,
        record_filter=question.record_filter,
        origins=None if question.asks_the_agent else _PEOPLE,
        most=_MAX_RECORDS,
    )
    if not held:
        return dict(scores)
    known = await store.term_counts(question.scope.owner, question.terms, most=_MAX_COUNTED)
    words = min_max(session_bm25(held, known))
    turns = min_max({name: scores[name] for name in best})
    # From 1 to 2, so that all of the rest fit between 0 and 1.
    lead = max(scores.values()) or 1.0
    rest = {name: score / lead for name, score in scores.items()}
    return rest | {name: 1 + (1 - around.words) * turns[name] + around.words * words.get(name, 0.0) for name in best}


def session_bm25(held: Mapping[str, SessionTerms], known: TermCounts) -> dict[str, float]:
    """Return the BM25 of each session as one text among the others, rarity taken from single records."""
    mean = sum(one.length for one in held.values()) / len(held) if held else 0.0
    if not mean:
        return dict.fromkeys(held, 0.0)
    return {
        name: sum(
            rarity(known.holding.get(term, 0), known.records) * saturation(count, one.length / mean)
            for term, count in one.counts.items()
        )
        for name, one in held.items()
    }


SEEDS = 3
"""The sessions that the others are compared with: the best. Chosen by hand."""
_TURNS = 5
"""How many of its best turns stand for a session. Chosen by hand."""
_LEAST = 1e-9
"""Keeps what has no length from being divided by nothing."""


async def by_their_likeness(
    store: Store,
    question: Question,
    scores: Mapping[str, float],
    groups: Mapping[str, Sequence[RankedCandidate]],
    around: Surroundings,
    *,
    models: Mapping[str, str],
) -> dict[str, float]:
    """Return the scores with the likeness to the best weighed in, and note it in the best turn of each session.

    `models` names the model of each path that goes by vectors; the one that found most of the turns compares them.
    """
    best = sorted(scores, key=lambda name: (-scores[name], name))[: around.likeness_of]
    turns = {name: groups[name][:_TURNS] for name in best}
    finders = Counter(path for group in turns.values() for one in group for path, _, _ in one.found if path in models)
    if not around.likeness or question.asks_for_a_fact or len(best) <= SEEDS or not finders:
        return dict(scores)
    model = models[finders.most_common(1)[0][0]]
    vectors = await store.vectors(
        question.scope, [one.record_id for group in turns.values() for one in group], model=model
    )
    held = {
        name: [vectors[one.record_id] for one in group if one.record_id in vectors] for name, group in turns.items()
    }
    lifts = session_likeness({name: scores[name] for name in best}, {name: rows for name, rows in held.items() if rows})
    lead = scores[best[0]] or 1.0
    lifted = {name: score / lead + around.likeness * lifts.get(name, 0.0) for name, score in scores.items()}
    for name, gain in lifts.items():
        if gain > 0 and scores[name] > 0:
            groups[name][0].boosts += (Factor("likeness", lifted[name] * lead / scores[name]),)
    return lifted


def session_likeness(
    scores: Mapping[str, float], held: "Mapping[str, Sequence[NDArray[np.float32]]]"
) -> dict[str, float]:
    """Return how like the best sessions each is, from 0 to 1: what half of all pairs have in common counts nothing.

    `scores` go from the best down; `held` are the vectors that stand for a session, one of length 1 for each turn.
    """
    import numpy as np

    names = [name for name in scores if name in held]
    if len(names) <= SEEDS:
        return {}
    middles = np.stack([np.mean(held[name], axis=0) for name in names])
    middles /= np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), _LEAST)
    alike = middles @ middles.T
    usual = float(np.median(alike[~np.eye(len(names), dtype=bool)]))
    alike = np.clip((alike - usual) / max(1 - usual, _LEAST), 0.0, 1.0)
    np.fill_diagonal(alike, 0.0)
    seeds = np.array([scores[name] for name in names[:SEEDS]])
    gains = alike[:, :SEEDS] @ seeds / max(float(seeds.sum()), _LEAST)
    return {name: float(gain) for name, gain in zip(names, gains, strict=True)}

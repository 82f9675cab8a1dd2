"""Sessions that are like those found best: who goes on talking means a matter that runs through several of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remanent.recall.boosts import Factor
from remanent.recall.question import Question
from remanent.recall.recipe import Surroundings
from remanent.recall.weighing import Weighed
from remanent.stores import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEEDS = 3
"""The sessions that the others are compared with: the best."""
TURNS = 5
"""How many of its best turns stand for a session."""
_LEAST = 1e-9


async def by_their_likeness(
    store: Store,
    question: Question,
    scores: Mapping[str, float],
    groups: Mapping[str, Sequence[Weighed]],
    around: Surroundings,
    *,
    models: Mapping[str, str],
) -> dict[str, float]:
    """Return the scores with the likeness to the best weighed in, and note it in the best turn of each session.

    `models` names the model of each path that goes by vectors; the one that found most of the turns compares them.
    """
    best = sorted(scores, key=lambda name: (-scores[name], name))[: around.likeness_of]
    turns = {name: groups[name][:TURNS] for name in best}
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
    lifts = lift({name: scores[name] for name in best}, {name: rows for name, rows in held.items() if rows})
    lead = scores[best[0]] or 1.0
    lifted = {name: score / lead + around.likeness * lifts.get(name, 0.0) for name, score in scores.items()}
    for name, gain in lifts.items():
        if gain > 0 and scores[name] > 0:
            groups[name][0].boosts += (Factor("likeness", lifted[name] * lead / scores[name]),)
    return lifted


def lift(scores: Mapping[str, float], held: "Mapping[str, Sequence[NDArray[np.float32]]]") -> dict[str, float]:
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

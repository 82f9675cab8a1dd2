"""How a bank searches its nodes, in the terms of the one read path."""

from remanent.recall.recipe import PathUse, Recipe

_POOL = 200
"""Nodes that words and embeddings each name, far above any number of candidates. Of what only one of them names the
other tells its score as well, so that just what both have behind 200 others is missed. Chosen by hand."""

BANK = Recipe(
    name="bank",
    paths={"keyword": PathUse(weight=0.5, limit=_POOL, scale="best"), "vector": PathUse(weight=0.5, limit=_POOL)},
    other=None,
    fusion="sum",
    flood_share=1.0,
)
"""The design's score, `alpha * attribute + (1 - alpha) * embedding`, with its weight; `with_alpha` sets another.
Nothing else counts: no boosts, no surroundings, no diversity."""

"""How a bank searches its nodes, in the terms of the one read path."""

from remanent.recall.recipe import PathUse, Recipe

_POOL = 50
"""Nodes that words and embeddings each name. Of what only one of them names the other tells its score as well, so that
just what both have behind 50 others is missed: of 120 questions to 400 paragraphs (HotpotQA) that was none of the
first five. With 200 a search among 10,000 nodes took twice as long."""

BANK = Recipe(
    name="bank",
    paths={"keyword": PathUse(weight=0.5, limit=_POOL, scale="best"), "vector": PathUse(weight=0.5, limit=_POOL)},
    other=None,
    fusion="sum",
    flood_share=1.0,
)
"""The design's score, `alpha * attribute + (1 - alpha) * embedding`, with its weight; `with_alpha` sets another.
Nothing else counts: no boosts, no surroundings, no diversity."""

"""The built-in recipes."""

from remanent.model import Kind
from remanent.recall.recipe import Boosts, PathUse, Recipe, Recipes, Rerank, Surroundings

DEFAULT = Recipe(
    name="default",
    paths={
        "keyword": PathUse(weight=0.55, limit=200),
        "vector": PathUse(weight=0.45, limit=200),
        "entity": PathUse(weight=0.05, limit=100),
        "time": PathUse(weight=0.5, limit=50),
        "graph": PathUse(weight=0.1, limit=20),
        # Being new counts by a boost; reading the newest records besides would cost time and change next to nothing.
        "recency": PathUse(weight=0.0),
    },
    other=PathUse(weight=0.2, limit=20),
    fusion="hybrid",
    surroundings=Surroundings(
        session=0.25, discount=0.8, depth=5, grain_discount=0.6, grain_depth=4, words=0.1, likeness=0.5
    ),
    boosts=Boosts(recency=0.05, confidence=0.2, usage=0.05, trust=0.375, speaker=0.5, time=0.6),
    diversity=0.5,
)
"""What answers when nothing else is asked for."""

SESSIONS = DEFAULT.replace(
    name="default/session", boosts=DEFAULT.boosts.replace(recency=0.0, recency_in_talk=0.6, speaker=0.0)
)
"""The same where whole sessions are wanted: in one of them everybody speaks. Who goes on talking means what was talked
about of late; who asks for a fact means whenever it was told."""

QUALITY = DEFAULT.replace(name="quality", rerank=Rerank())
"""The default, read again by a cross-encoder: slower, better."""

QUALITY_SESSIONS = SESSIONS.replace(name="quality/session")
"""Whole sessions: what the cross-encoder says of single turns moves none of them up, so it is not asked."""

TIERS = Recipe(
    name="tiers",
    paths={
        "vector": PathUse(weight=1.0, limit=10),
        "keyword": PathUse(weight=1.0, limit=10),
        "recency": PathUse(weight=0.5, limit=5),
    },
    strict=True,
    boosts=Boosts(
        recency=0.2,
        confidence=0.2,
        usage=0.1,
        kinds={Kind.PROCEDURAL: 1.2, Kind.SEMANTIC: 1.1, Kind.EPISODIC: 1.0},
    ),
)
"""Ten by meaning, ten by words, the five latest; then what is new, certain, used, and tells how to do things."""

HYBRID = Recipe(
    name="hybrid",
    paths={"keyword": PathUse(weight=0.5, limit=50), "vector": PathUse(weight=0.5, limit=50)},
    other=None,
    fusion="hybrid",
    source_share=1.0,
)
"""Words and meaning by their scores alone; `with_alpha` sets how much words count."""

WORDS = HYBRID.replace(name="words", paths={"keyword": PathUse(limit=50)})
"""By words alone."""

MEANING = HYBRID.replace(name="meaning", paths={"vector": PathUse(limit=50)})
"""By meaning alone."""


def built_in(default: str = "default") -> Recipes:
    """Return the built-in recipes, the one named as the default."""
    return Recipes(DEFAULT, SESSIONS, QUALITY, QUALITY_SESSIONS, TIERS, HYBRID, WORDS, MEANING, default=default)

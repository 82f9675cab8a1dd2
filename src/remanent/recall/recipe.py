"""How a question is answered, as data: which paths, how they are joined, what moves their answers."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, model_validator

from remanent.errors import InvalidInput
from remanent.model import Kind
from remanent.model.base import Model, Share, Text
from remanent.text.scripts import TextLanguage

RRF_K = 60
"""Dampens the lead of first places; the value of the original paper."""
Weight = Annotated[float, Field(ge=0, le=100)]
Boosting = Annotated[float, Field(ge=0, le=0.9)]
"""How far a boost may move a score: between 1 - this and 1 + this times what it was."""


class PathUse(Model):
    """How much a family of paths counts, and how many candidates each of them gives."""

    weight: Weight = 1.0
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    by_language: dict[TextLanguage, Weight] = Field(default_factory=dict)
    """Other weights for questions in these languages."""
    scale: Literal["plain", "best", "rise"] = "plain"
    """How scores are told where a recipe adds them up: as they are, as shares of the best one, or by how far they lie
    above the last of a full list, and above 0 where the list is not full. Where scores are brought to [0, 1], the last
    lie counts likewise with "rise"; else what a path found last counts nothing."""

    def weight_in(self, language: TextLanguage) -> float:
        """Return the weight for a question in a language."""
        return self.by_language.get(language, self.weight)


class Boosts(Model):
    """How far each of these may move a score; 0 turns it off. What is unknown of a record moves nothing."""

    recency: Boosting = 0.0
    recency_in_talk: Boosting | None = None
    """The same for a message that goes on talking, where it differs from a question for a fact."""
    half_life_days: Annotated[float, Field(gt=0)] = 30.0
    """Days after which half of the boost for being new is left."""
    confidence: Boosting = 0.0
    usage: Boosting = 0.0
    trust: Boosting = 0.0
    """How much less the word of an agent or of the web counts than a person's."""
    speaker: Boosting = 0.0
    """How much more counts what was said by the one person whom the question names."""
    time: Boosting = 0.0
    """How much more counts what happened in a time that the question names, or was told soon after."""
    asking: Boosting = 0.0
    """How much less the part of a turn counts that asks; one that does nothing else stands behind all that tell."""
    brevity: Boosting = 0.0
    """How much less a turn counts that says next to nothing: words and vectors alike overrate the shortest."""
    instruction: Boosting = 0.0
    """How much more counts what a user said is to be done from now on; it fits many questions and resembles none."""
    kinds: dict[Kind, Annotated[float, Field(ge=0.5, le=1.5)]] = Field(default_factory=dict)
    """What a kind multiplies by; others by 1."""


class Surroundings(Model):
    """How far what stands around a turn speaks for it."""

    session: Weight = 0.0
    """The share of its session's evidence that a turn gets in addition. What is said in no session at all counts as
    a session of its own, since one that words and meaning put first stood behind twenty turns of a long session
    without it."""
    reply: Weight = 0.0
    """The share of a question's score that the turn which answers it gets in addition, where people talk."""
    discount: Share = 0.5
    """In the evidence of a session, how much each further turn counts of what the one before does."""
    depth: Annotated[int, Field(ge=1)] = 3
    """How many of its turns count."""
    with_agent: Annotated[int, Field(ge=1)] | None = None
    """How many count where an agent speaks in it, if that is another number: its user goes on with one matter there,
    while people among themselves and in diaries come back to what they told. With two everywhere, MemDaily's diaries
    lost all of the evidence for 6 of 150 questions (all@5 .327 to .287); with five everywhere, places of LongMemEval's
    talks went to follow-ups of one talk."""
    grain_discount: Share = 0.5
    """The same where whole sessions are ranked."""
    grain_depth: Annotated[int, Field(ge=1)] = 3
    words: Share = 0.0
    """Of a session's rank, the share that all of its words decide, whichever turns were found; in answers to
    questions for facts."""
    words_of: Annotated[int, Field(ge=1, le=200)] = 20
    """How many of the best sessions are read for their words."""
    likeness: Weight = 0.0
    """How much a session's likeness to the best ones adds to its score, where a message goes on talking."""
    likeness_of: Annotated[int, Field(ge=1, le=200)] = 20
    """How many of the best sessions are compared."""


class Rerank(Model):
    """The cross-encoder: how many candidates it reads, and how far it decides."""

    candidates: Annotated[int, Field(ge=1, le=200)] = 30
    share: Share = 0.5


class Recipe(Model):
    """One way to answer: named, checked, and nothing but data."""

    name: Annotated[Text, Field(min_length=1)]
    paths: Annotated[dict[str, PathUse], Field(min_length=1)]
    strict: bool = False
    """Whether the paths' limits hold as they are; else they widen when many answers are wanted."""
    other: PathUse | None = PathUse(weight=0.5, limit=20)
    """How paths are used that are not named here, such as those of disciplines; `None` leaves them out."""
    fusion: Literal["rrf", "hybrid", "sum"] = "rrf"
    """By rank, by scores brought to [0, 1], or by scores added up as the scale of each path says."""
    k: Annotated[int, Field(ge=1)] = RRF_K
    surroundings: Surroundings = Surroundings()
    boosts: Boosts = Boosts()
    rerank: Rerank | None = None
    diversity: Share = 0.0
    """How much likeness to what is chosen already counts against a candidate."""
    twins: Share = 0.8
    """The likeness from which on it counts."""
    further: Share = 0.0
    """How much less each further turn of one talk with an agent counts, from the third of an answer on. Two are heard
    in full. Together with one item for what a user tells in several messages it brought LongMemEval's pool from
    .839/.615 (any@5/all@5, n = 143) to .902/.741. Where no agent speaks nothing gives way: in a diary the whole answer
    often stands in one session (MemDaily's all@5 fell from .327 to .227 while it did, n = 150)."""
    source_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """How much of an answer one session may fill while others have something to say; 1 where talk is searched, which
    often has the whole answer in one place."""
    flood_share: Annotated[float, Field(gt=0, le=1)] = 0.4
    """The same for a flood: near-duplicates, wherever they come from; a session's words that are not the user's or the
    agent's, beside such that are; and any session among the candidates that an answer is chosen from."""

    @model_validator(mode="after")
    def _check_that_something_counts(self) -> "Recipe":
        if not any(use.weight or any(use.by_language.values()) for use in self.paths.values()):
            raise InvalidInput(f"recipe {self.name!r} gives every path the weight 0; give at least one path more")
        return self

    @cached_property
    def cache_key(self) -> str:
        """All of it as text: two recipes with the same key answer alike."""
        return self.to_json()

    @cached_property
    def by_scores_alone(self) -> bool:
        """Whether nothing moves what the paths say: neither who said it and when, nor what stands around it."""
        return self.boosts == Boosts() and self.surroundings == Surroundings()

    def use_of(self, family: str) -> PathUse | None:
        """Return how a family of paths is used, `None` when not at all."""
        return self.paths.get(family, self.other)

    def with_alpha(self, alpha: float) -> "Recipe":
        """Return the hybrid of words and meaning in which words count alpha and meaning the rest."""
        if not 0 <= alpha <= 1:
            raise InvalidInput(f"alpha must be between 0 and 1, not {alpha}")
        shares = {"keyword": alpha, "vector": 1 - alpha}
        paths = {
            family: self.paths.get(family, PathUse()).replace(weight=share, by_language={})
            for family, share in shares.items()
        }
        return self.replace(paths=paths, fusion="sum" if self.fusion == "sum" else "hybrid")


class Recipes(Mapping[str, Recipe]):
    """The recipes by name; disciplines add theirs, by discipline and intent: `cognition/bug_fix`."""

    def __init__(self, *recipes: Recipe, default: str = "default") -> None:
        self._recipes: dict[str, Recipe] = {}
        for recipe in recipes:
            self.add(recipe)
        self.default = default
        self[default]

    def add(self, recipe: Recipe) -> None:
        """Add a recipe, or put it in place of the one of its name."""
        self._recipes[recipe.name] = recipe

    def choose(self, *, discipline: str | None = None, intent: str | None = None) -> Recipe:
        """Return the most special recipe there is: of discipline and intent, of either, or the default."""
        for name in (f"{discipline}/{intent}", discipline, intent):
            if name in self._recipes:
                return self._recipes[name]
        return self[self.default]

    def __getitem__(self, name: str) -> Recipe:
        """Return the recipe of a name; refuse an unknown one."""
        recipe = self._recipes.get(name)
        if recipe is None:
            raise InvalidInput(f"unknown recipe {name!r}; choose one of {', '.join(sorted(self._recipes))}")
        return recipe

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a recipe of that name."""
        return name in self._recipes

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self._recipes)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._recipes)


_DEFAULT = Recipe(
    name="default",
    paths={
        "keyword": PathUse(weight=0.55, limit=200, scale="rise"),
        "vector": PathUse(weight=0.45, limit=200),
        "time": PathUse(weight=0.5, limit=50),
        "graph": PathUse(weight=0.1, limit=20),
        # Being new counts by a boost; reading the newest records besides would cost time and change next to nothing.
        "recency": PathUse(weight=0.0),
    },
    other=PathUse(weight=0.2, limit=20),
    fusion="hybrid",
    surroundings=Surroundings(
        session=0.25,
        reply=0.3,
        discount=0.8,
        depth=5,
        with_agent=2,
        grain_discount=0.6,
        grain_depth=4,
        words=0.1,
        likeness=0.5,
    ),
    boosts=Boosts(
        recency=0.05,
        confidence=0.2,
        usage=0.05,
        trust=0.375,
        speaker=0.5,
        time=0.6,
        asking=0.5,
        brevity=0.3,
        instruction=0.9,
    ),
    diversity=0.5,
    further=0.2,
)
"""What answers when nothing else is asked for.

The weights were chosen with an eye on the public sets of docs/figures.md (LoCoMo, LongMemEval, BEAM, MemDaily, CMRC);
that page says what this means for the figures. `trust` makes an agent's word count 0.625 of a person's. `asking`,
`brevity` and `reply` were chosen on one half of LoCoMo's questions (any@5 .772 to .796) and held on the other (.716 to
.754), with no loss above a question in a hundred on the other sets. `instruction` was chosen by reading the questions
that BEAM's talks failed: 12 of 39 asked for work for which the user had given a standing instruction. `further` and
`with_agent` were chosen on one half of LongMemEval's pool and held on the other; LoCoMo stays as it was."""

_SESSIONS = _DEFAULT.replace(
    name="default/session",
    surroundings=_DEFAULT.surroundings.replace(reply=0.0),
    boosts=_DEFAULT.boosts.replace(
        recency=0.0, recency_in_talk=0.6, speaker=0.0, asking=0.0, brevity=0.0, instruction=0.0
    ),
)
"""The same where whole sessions are wanted: in one of them everybody speaks, asks and tells. Who goes on talking
means what was talked about of late; who asks for a fact means whenever it was told."""

QUALITY = _DEFAULT.replace(name="quality", rerank=Rerank())
"""The default, read again by a cross-encoder: slower, better."""

_QUALITY_SESSIONS = _SESSIONS.replace(name="quality/session")
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
"""Ten by meaning, ten by words, the five latest; then what is new, certain, used, and tells how to do things.

The counts and the order of the kinds follow the cognition discipline; the boosts are chosen by hand."""

HYBRID = Recipe(
    name="hybrid",
    paths={"keyword": PathUse(weight=0.5, limit=50), "vector": PathUse(weight=0.5, limit=50)},
    other=None,
    fusion="hybrid",
    flood_share=1.0,
)
"""Words and meaning by their scores alone; `with_alpha` sets how much words count. No boosts, no surroundings, no
diversity: disciplines search their own records by it."""

_WORDS = HYBRID.replace(name="words", paths={"keyword": PathUse(limit=50)})
"""By words alone."""

_MEANING = HYBRID.replace(name="meaning", paths={"vector": PathUse(limit=50)})
"""By meaning alone."""


def built_in(default: str = "default") -> Recipes:
    """Return the built-in recipes, the one named as the default."""
    return Recipes(_DEFAULT, _SESSIONS, QUALITY, _QUALITY_SESSIONS, TIERS, HYBRID, _WORDS, _MEANING, default=default)

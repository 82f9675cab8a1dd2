"""Reranking: a model scores how well passages answer a question; code puts them in order and loses none."""

from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from remanent.bilingual import Bilingual, Language
from remanent.errors import InvalidInput
from remanent.language.offline.similarity import word_scores
from remanent.language.reply_fields import MAX_ITEMS, require_known
from remanent.language.role import Bounds, Defaults, Role, Tier, Toolbox
from remanent.language.shapes import LongText, Remark
from remanent.language.wording import abridged, block, group, passage_blocks
from remanent.model import Model
from remanent.model.base import Share
from remanent.model.ids import Id
from remanent.text.scripts import working_language


class RankedPassage(Model):
    """A passage and how well it answers, from 0 to 1."""

    passage_id: Id
    score: Share


class PassageToRank(Model):
    """A passage that may answer the question."""

    passage_id: Id
    text: LongText


class RerankingRequest(Model):
    """A question and passages, in the order in which they were found."""

    query: Annotated[Remark, Field(min_length=1)]
    passages: Annotated[tuple[PassageToRank, ...], Field(min_length=1, max_length=100)]

    @model_validator(mode="after")
    def _check_the_ids(self) -> "RerankingRequest":
        if len({passage.passage_id for passage in self.passages}) < len(self.passages):
            raise InvalidInput("a passage is given twice; every passage needs an id of its own")
        return self


class RerankingResponse(Model):
    """Every passage once, best first; those of equal score stay in the order in which they were given."""

    ranked: tuple[RankedPassage, ...]


_LONGEST_SHOWN = 1_200
"""Characters of a passage that a model is shown; of a longer one, beginning and end."""
_BEST = 10
"""The highest score that a model is asked for; in the response it is 1."""
_INSTRUCTIONS: Bilingual = Bilingual(
    """
You judge how far each passage (<p n="number">) helps to answer a question (<query>).
score: 10 answers it directly and fully; 7 answers a part; 4 is on the topic without an answer; 0 has nothing to do \
with it. Go by what is said, not by shared words.
Field scores: a list with one item per passage, each with passage (its number) and score (a whole number, 0 to 10).
""",
    """
你负责判断每个段落（<p n="编号">）对回答问题（<query>）有多大用处。
score：10 表示直接、完整地回答；7 表示回答了一部分；4 表示同一主题但没有答案；0 表示无关。看内容，不看字面相似。
字段 scores：列表，每个段落一项，含 passage（编号）和 score（0 到 10 的整数）。
""",
)


_BOUNDS: Bilingual = Bilingual(
    "There are {n} passages, numbered 1 to {n}; write one item for each.", "共 {n} 个段落，编号 1 到 {n}；每个写一项。"
)


class ScoreReply(Model):
    """How well one passage answers."""

    passage: Annotated[int, Field(ge=0)]
    score: Annotated[float, Field(ge=0, le=_BEST)]


_BLANK = '{"scores": [{"passage": 1, "score": 0}, {"passage": 2, "score": 0}]}'


class RerankingReply(Model):
    """How well the passages answer."""

    scores: Annotated[tuple[ScoreReply, ...], Field(max_length=MAX_ITEMS)]


class Reranking(Role[RerankingRequest, RerankingReply, RerankingResponse]):
    """Order passages by how well they answer."""

    name = "reranking"
    defaults = Defaults(tier=Tier.RERANK, temperature=0.0, top_p=0.9, max_tokens=2048)
    instructions = _INSTRUCTIONS
    form_shown: ClassVar[Bilingual | None] = Bilingual(_BLANK, _BLANK)

    def language(self, request: RerankingRequest) -> Language:
        """Speak the language of the question."""
        return working_language(request.query, *(passage.text for passage in request.passages))

    def material(self, request: RerankingRequest, *, language: Language) -> list[str]:
        """Show the passages with their numbers, then the question."""
        shown = [abridged(passage.text, _LONGEST_SHOWN) for passage in request.passages]
        bounds = _BOUNDS[language].format(n=len(shown))
        return [group("passages", passage_blocks(shown)), block("query", request.query), bounds]

    def bounds(self, request: RerankingRequest) -> Bounds:
        """Hold the list to one score for each passage."""
        count = len(request.passages)
        return {"scores": {"minItems": count, "maxItems": count}, "scores.passage": {"minimum": 1, "maximum": count}}

    def read(self, request: RerankingRequest, reply: RerankingReply) -> RerankingResponse:
        """Order by score; a passage without one comes last."""
        require_known([score.passage for score in reply.scores], shown=len(request.passages))
        scores: dict[int, float] = {}
        for score in reply.scores:
            scores.setdefault(score.passage, score.score / _BEST)
        ranked = [
            RankedPassage(passage_id=passage.passage_id, score=scores.get(number, 0.0))
            for number, passage in enumerate(request.passages, 1)
        ]
        return RerankingResponse(ranked=tuple(sorted(ranked, key=lambda passage: -passage.score)))

    async def offline(self, request: RerankingRequest, toolbox: Toolbox) -> RerankingResponse:
        """Score by shared words and by vectors."""
        return await rerank(request, toolbox)


_BY_WORDS = 0.5
"""The share of shared words in a score, the rest being meaning; chosen by hand."""


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


RERANKING = Reranking()

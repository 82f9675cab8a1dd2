"""Reranking: a model scores how well passages answer a question; code puts them in order and loses none."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from remanent.language.aliases import check_numbers
from remanent.language.exchanges.reranking import RankedPassage, RerankingRequest, RerankingResponse
from remanent.language.replies import MOST_ITEMS
from remanent.language.role import Defaults, Prompt, Role, Tier
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, abridged, block, group, passage_blocks, prompt
from remanent.model import Model

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_SHOWN = 1_200
_BEST = 10
_INSTRUCTIONS: Wording = {
    "zh": """
你负责判断每个段落（<p n="编号">）对回答问题（<query>）有多大用处。
score：10 表示直接、完整地回答；7 表示回答了一部分；4 表示同一主题但没有答案；0 表示无关。看内容，不看字面相似。
字段 scores：列表，每个段落一项，含 passage（编号）和 score（0 到 10 的整数）。
示例：{"scores": [{"passage": 1, "score": 7}, {"passage": 2, "score": 0}]}
""",
    "en": """
You judge how far each passage (<p n="number">) helps to answer a question (<query>).
score: 10 answers it directly and fully; 7 answers a part; 4 is on the topic without an answer; 0 has nothing to do \
with it. Go by what is said, not by shared words.
Field scores: a list with one item per passage, each with passage (its number) and score (a whole number, 0 to 10).
Example: {"scores": [{"passage": 1, "score": 7}, {"passage": 2, "score": 0}]}
""",
}


class ScoreReply(Model):
    """How well one passage answers."""

    passage: Annotated[int, Field(ge=0)]
    score: Annotated[float, Field(ge=0, le=_BEST)]


class RerankingReply(Model):
    """How well the passages answer."""

    scores: Annotated[tuple[ScoreReply, ...], Field(max_length=MOST_ITEMS)]


class Reranking(Role[RerankingRequest, RerankingReply, RerankingResponse]):
    """Order passages by how well they answer."""

    name = "reranking"
    defaults = Defaults(tier=Tier.RERANK, temperature=0.0, top_p=0.9, max_tokens=2048)
    request = RerankingRequest
    reply = RerankingReply

    def tongue(self, request: RerankingRequest) -> Tongue:
        """Speak the language of the question."""
        return tongue_of(request.query, *(passage.text for passage in request.passages))

    def prompt(self, request: RerankingRequest, *, tongue: Tongue) -> Prompt:
        """Show the passages with their numbers, then the question."""
        shown = [abridged(passage.text, _LONGEST_SHOWN) for passage in request.passages]
        parts = [group("passages", passage_blocks(shown)), block("query", request.query)]
        return prompt(_INSTRUCTIONS[tongue], parts, tongue=tongue)

    def read(self, request: RerankingRequest, reply: RerankingReply) -> RerankingResponse:
        """Order by score; a passage without one comes last."""
        check_numbers([score.passage for score in reply.scores], shown=len(request.passages))
        scores: dict[int, float] = {}
        for score in reply.scores:
            scores.setdefault(score.passage, score.score / _BEST)
        ranked = [
            RankedPassage(passage_id=passage.passage_id, score=scores.get(number, 0.0))
            for number, passage in enumerate(request.passages, 1)
        ]
        return RerankingResponse(ranked=tuple(sorted(ranked, key=lambda passage: -passage.score)))

    async def offline(self, request: RerankingRequest, toolbox: "Toolbox") -> RerankingResponse:
        """Score by shared words and by vectors."""
        from remanent.language.offline.reranking import rerank

        return await rerank(request, toolbox)

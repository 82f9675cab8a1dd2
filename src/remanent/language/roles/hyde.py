"""HyDE: a model writes the passage that would answer a question, to be searched with."""

from typing import TYPE_CHECKING

from remanent.errors import Refused
from remanent.language.exchanges.hyde import LONGEST_PASSAGE, HydeRequest, HydeResponse
from remanent.language.role import Defaults, Prompt, Role, TextReply, Tier
from remanent.language.tidying import remark
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, block, prompt

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_INSTRUCTIONS: Wording = {
    "zh": """
你负责为一个问题（<question>）写一段“假设的理想答案”：就像从回答它的文档里摘出来的一段，用来做向量检索，不给用户看。
规则：三到五句陈述句，不超过 200 字；直接写内容，用这类文档会用的术语；不要开场白，不要说“不知道”，\
不要编造具体的数字和人名。
使用问题的语言。
""",
    "en": """
You write the passage that would answer a question (<question>): as if cut from a document that answers it. It is \
used for vector search and shown to nobody.
Rules: three to five plain sentences, at most 120 words; go straight to the matter in the terms such a document \
would use; no opening remarks, no "I do not know", no made-up figures or names of people.
Write in the language of the question.
""",
}


class Hyde(Role[HydeRequest, TextReply, HydeResponse]):
    """Imagine an answer to search with."""

    name = "hyde"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.4, top_p=0.9, max_tokens=512, window=8_000)
    form = "text"
    request = HydeRequest
    reply = TextReply

    def tongue(self, request: HydeRequest) -> Tongue:
        """Speak the language of the question."""
        return tongue_of(request.question)

    def prompt(self, request: HydeRequest, *, tongue: Tongue) -> Prompt:
        """Show the question."""
        return prompt(_INSTRUCTIONS[tongue], [block("question", request.question)], tongue=tongue, form="text")

    def read(self, request: HydeRequest, reply: TextReply) -> HydeResponse:
        """Hold the length."""
        passage = remark(reply.text, LONGEST_PASSAGE)
        if not passage:
            raise Refused("the passage is empty; write three to five sentences")
        return HydeResponse(passage=passage)

    async def offline(self, request: HydeRequest, toolbox: "Toolbox") -> HydeResponse:
        """Turn the question into a statement."""
        from remanent.language.offline.hypotheses import imagine

        return await imagine(request, toolbox)

"""HyDE: a model writes the passage that would answer a question, to be searched with.

The passage is only searched with and shown to nobody, so that it may be wrong; offline it is the question put as a
statement, which has the same words in the order of an answer.
"""

from typing import Annotated

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.errors import Refused
from remanent.language.offline.questions import statement_form
from remanent.language.role import Defaults, Role, TextReply, Tier, Toolbox
from remanent.language.shapes import Remark
from remanent.language.tidying import multi_line, one_line
from remanent.language.wording import block
from remanent.model import Model
from remanent.text.keywords import content_words
from remanent.text.scripts import working_language

LONGEST_PASSAGE = 800
"""Characters: a paragraph, about as long as the passages that it is searched among. Chosen by hand."""


class HydeRequest(Model):
    """A question."""

    question: Annotated[Remark, Field(min_length=1)]


class HydeResponse(Model):
    """A passage as it could stand in a document that answers the question; for searching, never for showing."""

    passage: Annotated[Remark, Field(min_length=1, max_length=LONGEST_PASSAGE)]


_INSTRUCTIONS: Bilingual = Bilingual(
    """
You write the passage that would answer a question (<question>): as if cut from a document that answers it. It is \
used for vector search and shown to nobody.
Rules: three to five plain sentences, at most 120 words; go straight to the matter in the terms such a document \
would use; no opening remarks, no "I do not know", no made-up figures or names of people.
Write in the language of the question.
""",
    """
你负责为一个问题（<question>）写一段“假设的理想答案”：就像从回答它的文档里摘出来的一段，用来做向量检索，不给用户看。
规则：三到五句陈述句，不超过 200 字；直接写内容，用这类文档会用的术语；不要开场白，不要说“不知道”，\
不要编造具体的数字和人名。
使用问题的语言。
""",
)


class Hyde(Role[HydeRequest, TextReply, HydeResponse]):
    """Imagine an answer to search with."""

    name = "hyde"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.4, top_p=0.9, max_tokens=512, window=8_000)
    form = "text"
    instructions = _INSTRUCTIONS

    def language(self, request: HydeRequest) -> Language:
        """Speak the language of the question."""
        return working_language(request.question)

    def material(self, request: HydeRequest, *, language: Language) -> list[str]:
        """Show the question."""
        return [block("question", request.question)]

    def read(self, request: HydeRequest, reply: TextReply) -> HydeResponse:
        """Hold the length."""
        passage = multi_line(reply.text, LONGEST_PASSAGE)
        if not passage:
            raise Refused("the passage is empty; write three to five sentences")
        return HydeResponse(passage=passage)

    async def offline(self, request: HydeRequest, toolbox: Toolbox) -> HydeResponse:
        """Turn the question into a statement."""
        return await imagine(request, toolbox)


_MOST_WORDS = 12
"""Words of the question that are put behind its statement. Chosen by hand."""


async def imagine(request: HydeRequest, toolbox: Toolbox) -> HydeResponse:
    """Return a passage made of the question's own words; nothing in it is made up but its form."""
    statement = statement_form(request.question) or request.question.strip()
    words = content_words(request.question)[:_MOST_WORDS]
    if working_language(request.question) == "zh":
        passage = f"{statement}。{'、'.join(words)}。" if words else f"{statement}。"
    else:
        passage = f"{statement}. {', '.join(words)}." if words else f"{statement}."
    return HydeResponse(passage=one_line(passage, LONGEST_PASSAGE))


HYDE = Hyde()

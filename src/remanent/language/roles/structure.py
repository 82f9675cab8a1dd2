"""Structure: a model takes one topic's text apart into facts, evidence and reasoning; code renders the summary."""

from typing import TYPE_CHECKING

from remanent.errors import Refused
from remanent.language.exchanges.structure import StructureRequest, StructureResponse, render
from remanent.language.replies import Lines, Prose
from remanent.language.role import Defaults, Prompt, Role
from remanent.language.tidying import lines, remark
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, block, prompt
from remanent.model import Model
from remanent.text.scripts import fold

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_MOST_FACTS = 40
_MOST_QUOTES = 20
_LONGEST_FACT = 600
_INSTRUCTIONS: Wording = {
    "zh": """
你负责把同一主题的原文压缩成结构化摘要，后续只凭摘要工作，所以不能遗漏要紧的内容。
字段：
facts：要点列表。每条一句完整的话，写明主语；人名、数字、单位、日期、否定、条件照原文保留，不推测，\
不添加原文没有的内容。
evidence：证据列表。从原文逐字摘录支持要点的短句（每条不超过 100 字），可为空。
reasoning：一到三句话，说明这些要点之间的逻辑（原因、先后、对比、结论）；没有则为空字符串。
使用原文的语言。与当前任务（<task>）有关的内容要写得更细。
示例：{"facts": ["IBM 于 2023 年发布 1121 量子比特的 Condor 芯片"], "evidence": ["Condor 芯片共有 1121 \
个量子比特"], "reasoning": "比特数首次过千，但文中未提纠错能力。"}
""",
    "en": """
You compress the text of one topic into a structured summary. Others will work from the summary alone, so leave out \
nothing that matters.
Fields:
facts: list of key facts. Each a full sentence that names its subject; keep names, numbers, units, dates, negations \
and conditions as in the text; do not guess and add nothing that is not in the text.
evidence: list of short quotes, copied word for word from the text, that support the facts; may be empty.
reasoning: one to three sentences on how the facts hang together (cause, order, contrast, conclusion); "" if they \
do not.
Write in the language of the text. Be more detailed on what serves the current task (<task>).
Example: {"facts": ["IBM presented Condor, a chip of 1,121 qubits, in 2023."], "evidence": ["Condor has 1,121 \
qubits"], "reasoning": "The first chip past 1,000 qubits; the text says nothing on error correction."}
""",
}


class StructureReply(Model):
    """A text taken apart."""

    facts: Lines
    evidence: Lines = ()
    reasoning: Prose = ""


class Structure(Role[StructureRequest, StructureReply, StructureResponse]):
    """Summarise one topic."""

    name = "structure"
    defaults = Defaults(temperature=0.1, top_p=0.8)
    request = StructureRequest
    reply = StructureReply

    def tongue(self, request: StructureRequest) -> Tongue:
        """Speak the language of the text."""
        return tongue_of(request.content, request.context)

    def prompt(self, request: StructureRequest, *, tongue: Tongue) -> Prompt:
        """Show the text with what it is about."""
        parts = [
            block("task", request.task),
            block("context", request.context),
            block("keywords", ", ".join(request.keywords)),
            block("text", request.content),
        ]
        return prompt(_INSTRUCTIONS[tongue], parts, tongue=tongue)

    def read(self, request: StructureRequest, reply: StructureReply) -> StructureResponse:
        """Render the summary; a quote that is not in the text is left out."""
        facts = lines(reply.facts, most=_MOST_FACTS, limit=_LONGEST_FACT)
        if not facts:
            raise Refused("facts must hold at least one key fact of the text")
        content = _bare(request.content)
        quotes = lines(reply.evidence, most=_MOST_QUOTES, limit=_LONGEST_FACT)
        evidence = [quote for quote in quotes if (bare := _bare(quote)) and bare in content]
        summary = render(
            facts=facts,
            evidence=evidence,
            reasoning=remark(reply.reasoning),
            tongue=self.tongue(request),
        )
        return StructureResponse(summary=summary)

    async def offline(self, request: StructureRequest, toolbox: "Toolbox") -> StructureResponse:
        """Extract the sentences that say most."""
        from remanent.language.offline.structuring import structure

        return await structure(request, toolbox)


def _bare(text: str) -> str:
    """Return the letters and digits of a text: a quote is one whatever its punctuation and spacing."""
    return "".join(character for character in fold(text).casefold() if character.isalnum())

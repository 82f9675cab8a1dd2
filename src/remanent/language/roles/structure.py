"""Structure: a model takes one topic's text apart into facts, evidence and reasoning; code renders the summary.

Without a model nothing is worded anew: sentences are chosen, those with names, numbers, dates and denials before all
others, and what is left out and could be checked is quoted.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.errors import Refused
from remanent.language.offline.claims import TokenKind, read_claim
from remanent.language.offline.salience import sentence_weights, summary_statements
from remanent.language.reply_fields import Lines, Prose
from remanent.language.role import Bounds, Defaults, Role, Toolbox
from remanent.language.shapes import MAX_SUMMARY, SHORT_TEXT, Context, Keywords, LongText, Remark, Summary
from remanent.language.tidying import lines, multi_line, one_line
from remanent.language.wording import block
from remanent.model import Model
from remanent.text.scripts import alphanumeric, working_language

_HEADINGS = (Bilingual("Key facts:", "要点："), Bilingual("Evidence:", "证据："), Bilingual("Reasoning:", "逻辑："))


class StructureRequest(Model):
    """One topic's text, with what it is about and the task that it serves."""

    content: LongText
    context: Context = ""
    keywords: Keywords = ()
    task: Remark = ""


class StructureResponse(Model):
    """A summary that is detailed enough to work from: key facts, evidence, reasoning, each under its heading."""

    summary: Annotated[Summary, Field(min_length=1)]


def render(*, facts: Sequence[str], evidence: Sequence[str], reasoning: str, language: Language) -> str:
    """Return the summary that these parts make; too much of it is left out from the end, evidence first."""

    def without(dropped: int) -> str:
        kept = max(0, len(evidence) - dropped)
        rest = dropped - (len(evidence) - kept)
        is_reasoned = bool(reasoning) and rest == 0
        fewer = max(0, rest - bool(reasoning))
        return _rendered(facts[: len(facts) - fewer], evidence[:kept], reasoning if is_reasoned else "", language)

    most = len(evidence) + bool(reasoning) + max(0, len(facts) - 1)
    # Halving, since each part is written out anew at every try.
    dropped = bisect_left(range(most), 1, key=lambda many: int(len(without(many)) <= MAX_SUMMARY))
    return without(dropped)[:MAX_SUMMARY]


def _rendered(facts: Sequence[str], evidence: Sequence[str], reasoning: str, language: Language) -> str:
    headings = [heading[language] for heading in _HEADINGS]
    parts = []
    if facts:
        parts.append("\n".join([headings[0], *(f"- {fact}" for fact in facts)]))
    if evidence:
        parts.append("\n".join([headings[1], *(f"- {quote}" for quote in evidence)]))
    if reasoning:
        parts.append(f"{headings[2]}{'' if language == 'zh' else ' '}{reasoning}")
    return "\n".join(parts)


_MOST_FACTS = 40
_MOST_QUOTES = 20
_LONGEST_FACT = 600
"""What is kept of a model's lists, and characters of each item: far more than a topic has, so that a runaway reply is
bounded and nothing else. Chosen by hand."""
_INSTRUCTIONS: Bilingual = Bilingual(
    """
You compress the text of one topic into a structured summary. Others will work from the summary alone, so leave out \
nothing that matters.
Fields:
facts: list of key facts. Each a full sentence that names its subject; keep names, numbers, units, dates, negations \
and conditions as in the text; do not guess and add nothing that is not in the text.
evidence: list of short quotes, copied word for word from the text, that support the facts; may be empty.
reasoning: one to three sentences on how the facts hang together (cause, order, contrast, conclusion); "" if they \
do not.
Write in the language of the text. Be more detailed on what serves the current task (<task>).
""",
    """
你负责把同一主题的原文压缩成结构化摘要，后续只凭摘要工作，所以不能遗漏要紧的内容。
字段：
facts：要点列表。每条一句完整的话，写明主语；人名、数字、单位、日期、否定、条件照原文保留，不推测，\
不添加原文没有的内容。
evidence：证据列表。从原文逐字摘录支持要点的短句（每条不超过 100 字），可为空。
reasoning：一到三句话，说明这些要点之间的逻辑（原因、先后、对比、结论）；没有则为空字符串。
使用原文的语言。与当前任务（<task>）有关的内容要写得更细。
""",
)


class StructureReply(Model):
    """A text taken apart."""

    facts: Lines
    evidence: Lines = ()
    reasoning: Prose = ""


class Structure(Role[StructureRequest, StructureReply, StructureResponse]):
    """Summarise one topic."""

    name = "structure"
    defaults = Defaults(temperature=0.1, top_p=0.8)
    instructions = _INSTRUCTIONS
    form_shown: ClassVar[Bilingual | None] = Bilingual(
        '{"facts": ["[fact]", "[fact]"], "evidence": ["[quote]"], "reasoning": "[how they hang together]"}',
        '{"facts": ["【要点】", "【要点】"], "evidence": ["【原文短句】"], "reasoning": "【逻辑】"}',
    )

    def language(self, request: StructureRequest) -> Language:
        """Speak the language of the text."""
        return working_language(request.content, request.context)

    def material(self, request: StructureRequest, *, language: Language) -> list[str]:
        """Show the text with what it is about."""
        return [
            block("task", request.task),
            block("context", request.context),
            block("keywords", ", ".join(request.keywords)),
            block("text", request.content),
        ]

    def bounds(self, request: StructureRequest) -> Bounds:
        """Hold the lists to what is kept of them."""
        return {"facts": {"minItems": 1, "maxItems": _MOST_FACTS}, "evidence": {"maxItems": _MOST_QUOTES}}

    def read(self, request: StructureRequest, reply: StructureReply) -> StructureResponse:
        """Render the summary; a quote that is not in the text is left out."""
        facts = lines(reply.facts, most=_MOST_FACTS, limit=_LONGEST_FACT)
        if not facts:
            raise Refused("facts must hold at least one key fact of the text")
        content = alphanumeric(request.content)
        quotes = lines(reply.evidence, most=_MOST_QUOTES, limit=_LONGEST_FACT)
        evidence = [quote for quote in quotes if (bare := alphanumeric(quote)) and bare in content]
        summary = render(
            facts=facts, evidence=evidence, reasoning=multi_line(reply.reasoning), language=self.language(request)
        )
        return StructureResponse(summary=summary)

    def needs_model(self, request: StructureRequest) -> bool:
        """Take apart what is longer than its own summary would be."""
        return len(request.content) > SHORT_TEXT

    async def offline(self, request: StructureRequest, toolbox: Toolbox) -> StructureResponse:
        """Extract the sentences that say most."""
        return await structure(request, toolbox)


_LONGEST_OFFLINE_FACT = 400
"""Characters of a sentence that is chosen: longer ones are lists or tables. Chosen by hand."""
_MOST_STATEMENTS = 2_000
"""Statements of a text that are weighed. Chosen by hand."""
# Of a short text all is kept; of a long one at least so many statements, all that tell something, or one in so many.
# Chosen by hand.
_FEW = 12
_ONE_IN = 3
_MOST_OFFLINE_FACTS = 80
_MOST_OFFLINE_QUOTES = 5
"""The most that is kept of a very long topic, and what is quoted of the rest. Chosen by hand."""
_CERTAIN = frozenset({TokenKind.AMOUNT, TokenKind.TIME})


async def structure(request: StructureRequest, toolbox: Toolbox) -> StructureResponse:
    """Return a summary under headings; names, numbers, dates and denials are kept before anything else."""
    every = summary_statements(request.content, most=_MOST_STATEMENTS) or [
        one_line(request.content, _LONGEST_OFFLINE_FACT)
    ]
    about = f"{request.task}\n{request.context}\n{' '.join(request.keywords)}"
    weights = sentence_weights(every, about=about)
    telling = sum(_says_something(statement) for statement in every)
    room = min(_MOST_OFFLINE_FACTS, max(_FEW, -(-len(every) // _ONE_IN), telling))
    best = sorted(range(len(every)), key=lambda place: (-weights[place], place))
    facts = [one_line(every[place], _LONGEST_OFFLINE_FACT) for place in sorted(best[:room])]
    # Where something was left out, what could be checked is quoted: figures, dates, denials.
    left_out = [place for place in best[room:] if _is_checkable(every[place])]
    quotes = [one_line(every[place], _LONGEST_OFFLINE_FACT) for place in sorted(left_out[:_MOST_OFFLINE_QUOTES])]
    evidence = quotes or [fact for fact in facts if _is_checkable(fact)][:1]
    language = working_language(request.content, request.context)
    return StructureResponse(summary=render(facts=facts, evidence=evidence, reasoning="", language=language))


def _says_something(statement: str) -> bool:
    """Tell whether a statement has a name, a figure, a date or a denial: what others may need to know exactly."""
    claim = read_claim(statement)
    return any(token.part in _CERTAIN or token.part is TokenKind.NAME or token.denied for token in claim.tokens)


def _is_checkable(statement: str) -> bool:
    claim = read_claim(statement)
    return any(token.part in _CERTAIN or token.denied for token in claim.tokens)


STRUCTURE = Structure()

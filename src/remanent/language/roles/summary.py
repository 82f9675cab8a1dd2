"""Summaries: one topic's text taken apart into facts, evidence and reasoning, and a conversation shortened.

A model proposes; code renders the summary of a topic, sets the mark of a conversation's and holds the lengths. Without
a model nothing is worded anew: sentences are chosen, those with names, numbers, dates and denials before all others,
and what is left out and could be checked is quoted.

Whose a decision was is said with it, once and under that name: a segment told "The agent decided: User: We agreed to
meet Clara", twice.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from remanent.bilingual import Bilingual, Language
from remanent.errors import InvalidInput, Refused
from remanent.language import shapes
from remanent.language.offline.claims import TokenKind, read_claim
from remanent.language.offline.commitments import Commitments, find_commitments
from remanent.language.offline.salience import sentence_weights, speaker_name, summary_statements, with_speaker
from remanent.language.prompt_blocks import block, group, spoken_language, utterance_blocks
from remanent.language.role import Bounds, Defaults, Role, Tier, Toolbox
from remanent.language.shapes import MAX_SUMMARY, SHORT_TEXT, lines, multi_line, one_line, within_tokens
from remanent.model import Model
from remanent.model.entry import chat_role
from remanent.text.regex import lazy_regex
from remanent.text.scripts import alphanumeric, working_language
from remanent.text.summary import DialogueSentence, joined, statements, summarize, telling
from remanent.text.talk import says_nothing_alone
from remanent.text.tokens import ESTIMATE

_HEADINGS = (Bilingual("Key facts:", "要点："), Bilingual("Evidence:", "证据："), Bilingual("Reasoning:", "逻辑："))


class StructureRequest(Model):
    """One topic's text, with what it is about and the task that it serves."""

    content: shapes.LongText
    context: shapes.Context = ""
    keywords: shapes.Keywords = ()
    task: shapes.Remark = ""


class StructureResponse(Model):
    """A summary that is detailed enough to work from: key facts, evidence, reasoning, each under its heading."""

    summary: Annotated[shapes.Summary, Field(min_length=1)]


def render_topic(*, facts: Sequence[str], evidence: Sequence[str], reasoning: str, language: Language) -> str:
    """Return the summary that these parts make; too much of it is left out from the end, evidence first."""

    def without(dropped: int) -> str:
        kept = max(0, len(evidence) - dropped)
        rest = dropped - (len(evidence) - kept)
        is_reasoned = bool(reasoning) and rest == 0
        fewer = max(0, rest - bool(reasoning))
        return _topic_text(facts[: len(facts) - fewer], evidence[:kept], reasoning if is_reasoned else "", language)

    most = len(evidence) + bool(reasoning) + max(0, len(facts) - 1)
    # Halving, since each part is written out anew at every try.
    dropped = bisect_left(range(most), 1, key=lambda many: int(len(without(many)) <= MAX_SUMMARY))
    return without(dropped)[:MAX_SUMMARY]


def _topic_text(facts: Sequence[str], evidence: Sequence[str], reasoning: str, language: Language) -> str:
    told = _listed(_HEADINGS[:2], [facts, evidence], language)
    why = f"{_HEADINGS[2][language]}{'' if language == 'zh' else ' '}{reasoning}" if reasoning else ""
    return "\n".join(filter(None, [told, why]))


_MOST_FACTS = 40
_MOST_QUOTES = 20
_LONGEST_FACT = 600
"""What is kept of a model's lists, and characters of each item: far more than a topic has, so that a runaway reply is
bounded and nothing else. Chosen by hand."""


class StructureReply(Model):
    """A text taken apart."""

    facts: shapes.Lines
    evidence: shapes.Lines = ()
    reasoning: shapes.Prose = ""


class Structure(Role[StructureRequest, StructureReply, StructureResponse]):
    """Summarise one topic."""

    name = "structure"
    defaults = Defaults(temperature=0.1, top_p=0.8)
    instructions = Bilingual(
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
    form_shown = Bilingual(
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
        summary = render_topic(
            facts=facts, evidence=evidence, reasoning=multi_line(reply.reasoning), language=self.language(request)
        )
        return StructureResponse(summary=summary)

    def needs_model(self, request: StructureRequest) -> bool:
        """Take apart what is longer than its own summary would be."""
        return len(request.content) > SHORT_TEXT

    async def offline(self, request: StructureRequest, toolbox: Toolbox) -> StructureResponse:
        """Extract the sentences that say most: names, numbers, dates and denials before anything else."""
        every = summary_statements(request.content, most=_MOST_STATEMENTS) or [
            one_line(request.content, _LONGEST_OFFLINE_FACT)
        ]
        about = f"{request.task}\n{request.context}\n{' '.join(request.keywords)}"
        weights = sentence_weights(every, about=about)
        telling = sum(_is_checkable(statement, or_named=True) for statement in every)
        room = min(_MOST_OFFLINE_FACTS, max(_FEW, -(-len(every) // _ONE_IN), telling))
        best = sorted(range(len(every)), key=lambda place: (-weights[place], place))
        facts = [one_line(every[place], _LONGEST_OFFLINE_FACT) for place in sorted(best[:room])]
        # Where something was left out, what could be checked is quoted: figures, dates, denials.
        left_out = [place for place in best[room:] if _is_checkable(every[place])]
        quotes = [one_line(every[place], _LONGEST_OFFLINE_FACT) for place in sorted(left_out[:_MOST_OFFLINE_QUOTES])]
        evidence = quotes or [fact for fact in facts if _is_checkable(fact)][:1]
        language = working_language(request.content, request.context)
        return StructureResponse(summary=render_topic(facts=facts, evidence=evidence, reasoning="", language=language))


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


def _is_checkable(statement: str, *, or_named: bool = False) -> bool:
    """Tell whether a statement has a figure, a date or a denial, or a name: what others may need to know exactly."""
    parts = _CERTAIN | {TokenKind.NAME} if or_named else _CERTAIN
    return any(token.part in parts or token.denied for token in read_claim(statement).tokens)


STRUCTURE = Structure()


class SummaryLevel(StrEnum):
    """How far a conversation is shortened."""

    SEGMENT = "segment"
    """Some ten messages become a line that starts with `[摘要]` (`[summary]` in English)."""
    SESSION = "session"
    """Everything becomes one digest with decisions, to-dos and agreements."""
    COMPACTION = "compaction"
    """The beginning of a conversation becomes a message that starts with `[compacted]`."""


TOKENS = {SummaryLevel.SEGMENT: 200, SummaryLevel.SESSION: 800, SummaryLevel.COMPACTION: 400}
"""How long the text of each level may be unless the request says otherwise."""

MARKS: dict[SummaryLevel, Bilingual] = {
    SummaryLevel.SEGMENT: Bilingual("[summary]", "[摘要]"),
    SummaryLevel.SESSION: Bilingual("[session digest]", "[会话概要]"),
    SummaryLevel.COMPACTION: Bilingual("[compacted]", "[compacted]"),
}
_ANY_MARK = re.compile(r"(?:\s*\[(?:摘要|会话概要|summary|session digest|compacted)\]\s*)+", re.IGNORECASE)
LIST_HEADINGS = (Bilingual("Decisions:", "决策："), Bilingual("To do:", "待办："), Bilingual("Agreements:", "约定："))
_MAX_ITEMS = 30
_LONGEST_ITEM = 300
"""Characters of an item of a list; above, items of each list. Chosen by hand."""


class SummaryRequest(Model):
    """What was said, after what was summarised before."""

    level: SummaryLevel = SummaryLevel.SEGMENT
    utterances: Annotated[tuple[shapes.Utterance, ...], Field(max_length=2000)] = ()
    earlier: Annotated[tuple[shapes.Summary, ...], Field(max_length=1000)] = ()
    """Summaries of what was said before the utterances, oldest first; they go into the new one."""
    max_tokens: Annotated[int, Field(ge=20, le=8000)] | None = None
    """How long the text may be; by default as `TOKENS` says for the level."""

    @model_validator(mode="after")
    def _check_that_something_was_said(self) -> "SummaryRequest":
        if not any(text.strip() for text in (*self.earlier, *(said.text for said in self.utterances))):
            raise InvalidInput("there is nothing to summarise")
        return self

    @property
    def limit(self) -> int:
        """The number of tokens that the text may have."""
        return self.max_tokens or TOKENS[self.level]


class SummaryResponse(Model):
    """The shortened conversation, ready to stand in for what it shortens."""

    text: Annotated[shapes.Summary, Field(min_length=1)]
    """With its mark at the beginning; a session's lists are part of it."""
    decisions: tuple[shapes.Remark, ...] = ()
    todos: tuple[shapes.Remark, ...] = ()
    agreements: tuple[shapes.Remark, ...] = ()


def render(request: SummaryRequest, text: str, lists: Commitments, *, language: Language) -> SummaryResponse:
    """Return a summary with its mark and within its tokens; only a session's has lists, which outlive its prose."""
    mark = MARKS[request.level][language]
    kinds = (lists.decisions, lists.todos, lists.agreements)
    listed = [lines(items, most=_MAX_ITEMS, limit=_LONGEST_ITEM) for items in kinds]
    if request.level is not SummaryLevel.SESSION:
        listed = [(), (), ()]
    room = (request.limit - ESTIMATE(mark)) * 2 // 3
    while any(listed) and ESTIMATE(_listed(LIST_HEADINGS, listed, language)) > room:
        longest = max(range(3), key=lambda place: len(listed[place]))
        listed[longest] = listed[longest][:-1]
    tail, prose = _listed(LIST_HEADINGS, listed, language), unmarked(text)
    room = request.limit - ESTIMATE(mark) - ESTIMATE(tail)
    while True:
        kept = within_tokens(prose, room)
        whole = f"{mark} {kept}".rstrip() + (f"\n{tail}" if tail else "")
        over = ESTIMATE(whole) - request.limit
        if over <= 0 or not kept:
            break
        room -= over  # texts that are put together may take more tokens than they took apart
    return SummaryResponse(text=whole, decisions=listed[0], todos=listed[1], agreements=listed[2])


def unmarked(text: str) -> str:
    """Return a summary without the mark that it may begin with."""
    marked = _ANY_MARK.match(text)
    return multi_line(text[marked.end() :] if marked else text, MAX_SUMMARY)


def _listed(headings: Sequence[Bilingual], listed: Sequence[Sequence[str]], language: Language) -> str:
    """Return lists under their headings; of an empty one nothing."""
    return "\n".join(
        "\n".join([heading[language], *(f"- {item}" for item in items)])
        for heading, items in zip(headings, listed, strict=True)
        if items
    )


_LONGEST_SHOWN = 8_000
"""Characters of an utterance that a model is shown; of a longer one, beginning and end."""
_TASK: dict[SummaryLevel, Bilingual] = {
    SummaryLevel.SEGMENT: Bilingual(
        """
You compress a stretch of a conversation (<said>) into a short summary.
Field summary: what the user talked about, what the assistant did or decided, and the key conclusion, in one \
paragraph: "The user discussed X, the assistant decided Y, the conclusion is Z".
""",
        """
你负责把一段对话（<said>）压缩成一小段摘要。
字段 summary：写明用户讨论了什么、助手做了或决定了什么、关键结论是什么；像“用户讨论了 X，助手决定了 Y，关键结论是 \
Z”这样连成一段。
""",
    ),
    SummaryLevel.SESSION: Bilingual(
        """
You compress a whole session (<earlier> is summaries of its older part, <said> what followed) into one digest, from \
which alone the session will go on.
Fields:
summary: the goal, the progress and where things stand, in one paragraph.
decisions: decisions made, with reasons. todos: what is to be done, with who and by when. agreements: what was \
agreed on (preferences, constraints, names, interfaces).
Each item of the three lists is one sentence, [] if none; leave out what is done and what was overturned.
""",
        """
你负责把整个会话（<earlier> 是较早部分的摘要，<said> 是其后的对话）压缩成一份会话概要，会话将只凭它继续。
字段：
summary：目标、进展和当前状态，一段话。
decisions：已作出的决策及理由。todos：待办事项，写明谁做、期限。agreements：关键约定（偏好、约束、名称、接口等）。
三个列表每项一句话，没有则为 []；已完成的待办、被推翻的决策不再列出。
""",
    ),
    SummaryLevel.COMPACTION: Bilingual(
        """
You compress the beginning of a conversation (<earlier> is older summaries, <said> what followed); your text will \
stand in its place.
Field summary: in order of time, what the user asked for, what was done with what result, what was decided, what is \
still open, and the names, paths and numbers that are needed to go on.
""",
        """
你负责压缩对话的开头部分（<earlier> 是更早的摘要，<said> 是其后的对话），压缩后的文字将代替它们留在上下文里。
字段 summary：按先后写明用户的要求、已做的事和结果、作出的决定、尚未解决的问题，以及继续工作所需的名称、路径、数字。
""",
    ),
}
_RULES: Bilingual = Bilingual(
    """Rules: at most as many tokens as <limit> says; names, numbers, dates and negations as they were said; \
no comments, nothing that was not said; write in the language of the conversation.
""",
    """规则：不超过 <limit> 指定的 token 数；名称、数字、日期、否定照原文；不评论，不添加对话中没有的内容；\
使用对话的语言。
""",
)
_BLANK: Bilingual = Bilingual('"summary": "[summary]"', '"summary": "【摘要】"')
_LISTS_BLANK: Bilingual = Bilingual(
    ', "decisions": ["[decision]"], "todos": ["[to-do]"], "agreements": ["[agreement]"]',
    ', "decisions": ["【决策】"], "todos": ["【待办】"], "agreements": ["【约定】"]',
)


class SummaryReply(Model):
    """A conversation shortened."""

    summary: shapes.Prose
    decisions: shapes.Lines = ()
    todos: shapes.Lines = ()
    agreements: shapes.Lines = ()


class Summarisation(Role[SummaryRequest, SummaryReply, SummaryResponse]):
    """Shorten a conversation."""

    name = "summary"
    defaults = Defaults(tier=Tier.COMPRESSION, temperature=0.0, top_p=0.95, max_tokens=1500)

    def language(self, request: SummaryRequest) -> Language:
        """Speak the language of what was said."""
        return spoken_language(request.utterances, *map(unmarked, request.earlier))

    def told(self, request: SummaryRequest, *, language: Language) -> str:
        """Tell what the level asks for."""
        return _TASK[request.level][language] + _RULES[language]

    def material(self, request: SummaryRequest, *, language: Language) -> list[str]:
        """Show earlier summaries and what was said after them."""
        return [
            group("earlier", [block("summary", unmarked(summary)) for summary in request.earlier]),
            group("said", utterance_blocks(request.utterances, longest=_LONGEST_SHOWN)),
            block("limit", str(request.limit)),
        ]

    def blank(self, request: SummaryRequest, *, language: Language) -> str:
        """Show the text, and for a session the lists."""
        lists = _LISTS_BLANK[language] if request.level is SummaryLevel.SESSION else ""
        return f"{{{_BLANK[language]}{lists}}}"

    def bounds(self, request: SummaryRequest) -> Bounds:
        """Hold the lists to what is kept of them."""
        return {name: {"maxItems": _MAX_ITEMS} for name in ("decisions", "todos", "agreements")}

    def read(self, request: SummaryRequest, reply: SummaryReply) -> SummaryResponse:
        """Set the mark and hold the length."""
        if not unmarked(reply.summary):
            raise Refused("summary must not be empty")
        lists = Commitments(reply.decisions, reply.todos, reply.agreements)
        return render(request, reply.summary, lists, language=self.language(request))

    async def offline(self, request: SummaryRequest, toolbox: Toolbox) -> SummaryResponse:
        """Keep the sentences that say most, with the lists of a session where it is one."""
        language = SUMMARY.language(request)
        texts, speakers = _texts(request)
        said = [one for number, text in enumerate(texts) for one in statements(text, message=number)][:_MAX_STATEMENTS]
        room = int(_FOR_SENTENCES * request.limit)
        chosen = telling(said, limit=room, measure=ESTIMATE)
        is_listed = request.level is not SummaryLevel.COMPACTION and request.utterances
        lists = find_commitments(request.utterances) if is_listed else Commitments()
        if not chosen:  # not one sentence fits: parts of them
            text = summarize("\n".join(texts), limit=max(1, room), measure=ESTIMATE).text
        elif request.level is SummaryLevel.SEGMENT:
            text = segment_text(chosen, speakers, lists.decisions, language)
        else:
            text = _told(chosen, speakers, language)
        return render(request, text, lists, language=language)


# The mark, names of speakers and what joins the sentences take some of the tokens.
_FOR_SENTENCES = 0.8
"""The share of the tokens that is left to them; chosen by hand."""
_MAX_STATEMENTS = 3_000
"""Statements of a conversation that are weighed without a model: some thousand messages. Chosen by hand."""
_DISCUSSED = Bilingual("The user discussed: ", "用户讨论了：")
_RETURNED = Bilingual("Tools returned: ", "工具返回了：")
_DECIDED = Bilingual("{who} decided: ", "{who}决定了：")
_TO_DECIDE = lazy_regex(r"\b(?:shall|should|decide|which)\b[^.!]*\?|(?:要不要|该|怎么定|定哪|选哪|用哪)[^。！]*[？?]")
"""What is asked for a decision. What is answered to anything else decides nothing, and a heading would invent that."""
_ANSWERED = Bilingual("The agent said: ", "Agent 说：")
_CONCLUDED = Bilingual("Key conclusion: ", "关键结论是：")
_AGENT = Bilingual("The agent", "Agent ")
_USER = Bilingual("The user", "用户")


def _texts(request: SummaryRequest) -> tuple[list[str], list[str]]:
    """Return what was said without small talk, and who said each; nobody for what a summary says."""
    said = [(unmarked(summary), "") for summary in request.earlier]
    said += [(one.text, one.speaker) for one in request.utterances if not says_nothing_alone(one.text)]
    said = said or [(one.text, one.speaker) for one in request.utterances]
    return [text for text, _ in said], [speaker for _, speaker in said]


def _told(chosen: Sequence[DialogueSentence], speakers: Sequence[str], language: Language) -> str:
    """Return the sentences in order; who speaks is said where that changes."""
    who = [speakers[one.message] for one in chosen]
    return joined(
        with_speaker(one.text, now, language) if now and now != before else one.text
        for one, now, before in zip(chosen, who, ["", *who], strict=False)
    )


def segment_text(
    chosen: Sequence[DialogueSentence], speakers: Sequence[str], decisions: Sequence[str], language: Language
) -> str:
    """Return what was discussed, what was decided and what came out of it, each in the words that were used."""
    join = "" if language == "zh" else " "
    decided = _by_speaker(decisions[:3], {one.text: speakers[one.message] for one in chosen}, language)
    once = {text for texts in decided.values() for text in texts}
    new = [one for one in chosen if one.text not in once]
    answers = [one.text for one in new if chat_role(speakers[one.message]) == "assistant"]
    returned = [one.text for one in new if chat_role(speakers[one.message]) == "tool"]
    discussed = [one.text for one in new if chat_role(speakers[one.message]) not in {"assistant", "tool"}]
    rest = answers[:-1]
    if not decided and rest and any(_TO_DECIDE.search(text) for text in discussed):
        decided, rest = {_AGENT[language]: rest}, []
    told = [(_DISCUSSED[language], discussed), (_RETURNED[language], returned)]
    told += [(_DECIDED[language].format(who=who), texts) for who, texts in decided.items()]
    told += [(_ANSWERED[language], rest), (_CONCLUDED[language], answers[-1:])]
    said = [f"{heading}{joined(texts)}" for heading, texts in told if texts]
    return join.join([MARKS[SummaryLevel.SEGMENT][language], joined(said)])


def _by_speaker(decisions: Sequence[str], said: Mapping[str, str], language: Language) -> dict[str, list[str]]:
    """Return decisions by who made them, known from the speaker before one or from who `said` the sentence.

    What a user decided is not told as the agent's; what nobody is known to have said is told as the seed tells it.
    """
    speakers = {speaker_name(one, "zh"): one for one in said.values()}
    speakers |= {speaker_name(one, "en"): one for one in said.values()}
    decided: dict[str, list[str]] = {}
    for text in decisions:
        before, _, rest = text.replace(": ", "：", 1).partition("：")
        speaker, words = (speakers[before], rest) if before in speakers else (said.get(text, ""), text)
        if not speaker or chat_role(speaker) == "assistant":
            who = _AGENT[language]
        else:
            who = _USER[language] if chat_role(speaker) == "user" else speaker_name(speaker, language)
        decided.setdefault(who, []).append(words)
    return decided


SUMMARY = Summarisation()

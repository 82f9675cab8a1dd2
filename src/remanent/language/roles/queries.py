"""What a message asks for, and how to search for it: its intent, other wordings, and a passage that would answer it.

The passage that would answer a question is used only for searching and never shown, so it may be wrong; offline it
is the question put as a statement, which has the same words in the order of an answer.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.errors import Refused
from remanent.language.offline.lexicon import other_word
from remanent.language.offline.questions import keyword_form, statement_form
from remanent.language.offline.salience import term_overlap
from remanent.language.prompt_blocks import abridged, block, group, utterance_blocks
from remanent.language.role import Bounds, Defaults, Role, TextReply, Tier, Toolbox
from remanent.language.shapes import Confidence, Lines, LongText, Prose, Remark, Utterance, lines, multi_line, one_line
from remanent.model import Model
from remanent.model.base import Share, Text
from remanent.text.keywords import content_words
from remanent.text.regex import word_regex
from remanent.text.scripts import alphanumeric, working_language


class Intent(StrEnum):
    """What a message is after."""

    NEW_TASK = "new_task"
    FOLLOW_UP = "follow_up"
    BUG_FIX = "bug_fix"
    PREFERENCE = "preference"
    CROSS_AGENT = "cross_agent"


AgentName = Annotated[Text, Field(min_length=1, max_length=64)]


class IntentRequest(Model):
    """A message, what was said right before it, and the other agents that it could be for."""

    message: LongText
    earlier: Annotated[tuple[Utterance, ...], Field(max_length=20)] = ()
    agents: Annotated[tuple[AgentName, ...], Field(max_length=100)] = ()


class IntentResponse(Model):
    """What the message is after, and how sure that is."""

    intent: Intent
    confidence: Share
    target_agent: AgentName | None = None
    """For a cross-agent task, the agent that it is for, if it is one of those given."""


_LONGEST_MESSAGE = 4_000
"""Characters of a message that a model is shown; of a longer one, beginning and end. Chosen by hand."""
_LONGEST_EARLIER = 500
"""Characters of an earlier message that a model is shown. Chosen by hand."""


class IntentReply(Model):
    """What a message is after."""

    intent: Literal["new_task", "follow_up", "bug_fix", "preference", "cross_agent"]
    confidence: Confidence = 0.5
    target_agent: Prose | None = None


class IntentRecognition(Role[IntentRequest, IntentReply, IntentResponse]):
    """Judge what a message is after."""

    name = "intent"
    defaults = Defaults(tier=Tier.INTENT, temperature=0.0, top_p=0.9, max_tokens=256, window=8_000)
    instructions = Bilingual(
        """
You judge what the user's latest message (<message>) is after; <earlier> is what was said before, <agents> the \
names of other agents.
intent is one of:
- new_task: a new task or question.
- follow_up: asks back, clarifies, adds to or goes on with what was said before.
- bug_fix: reports an error or a failure, or wants it fixed.
- preference: states or asks about preferences, habits or style.
- cross_agent: is for another agent, or needs another agent's work.
If several hold, take the most specific: cross_agent, bug_fix and preference before follow_up, follow_up before \
new_task.
Fields: intent; confidence (0 to 1); target_agent (for cross_agent a name from <agents>, else null).
""",
        """
你负责判断用户最新消息（<message>）的意图；<earlier> 是之前的对话，<agents> 是其他智能体的名称。
intent 取以下之一：
- new_task：提出新的任务或问题。
- follow_up：对之前内容的追问、澄清、补充或继续。
- bug_fix：报告错误、异常、故障，或要求修复。
- preference：表达或询问偏好、习惯、风格。
- cross_agent：要交给其他智能体，或需要其他智能体的工作成果。
同时符合多个时，取最具体的一个：cross_agent、bug_fix、preference 优先于 follow_up，follow_up 优先于 new_task。
字段：intent；confidence（0 到 1）；target_agent（cross_agent 时写 <agents> 中的名称，否则为 null）。
""",
    )
    form_shown = Bilingual(
        '{"intent": "[one of the above]", "confidence": 0.5, "target_agent": null}',
        '{"intent": "【意图】", "confidence": 0.5, "target_agent": null}',
    )

    def language(self, request: IntentRequest) -> Language:
        """Speak the language of the message."""
        return working_language(request.message, *(said.text for said in reversed(request.earlier)))

    def material(self, request: IntentRequest, *, language: Language) -> list[str]:
        """Show the message after what was said before it."""
        earlier = utterance_blocks(request.earlier, longest=_LONGEST_EARLIER, are_numbered=False)
        return [
            group("agents", [block("agent", name) for name in request.agents]),
            group("earlier", earlier),
            block("message", abridged(request.message, _LONGEST_MESSAGE)),
        ]

    def read(self, request: IntentRequest, reply: IntentReply) -> IntentResponse:
        """Let only an agent that was shown be the target."""
        intent = Intent(reply.intent)
        named = (reply.target_agent or "").strip()
        target = named if intent is Intent.CROSS_AGENT and named in request.agents else None
        return IntentResponse(intent=intent, confidence=reply.confidence, target_agent=target)

    async def offline(self, request: IntentRequest, toolbox: Toolbox) -> IntentResponse:
        """Judge by the words of the message and by what was said before it."""
        message = request.message[:_READ]
        agent = _addressed(message, request.agents)
        if agent is not None:
            return IntentResponse(intent=Intent.CROSS_AGENT, confidence=0.9, target_agent=agent)
        if _OTHER_AGENT.search(message):
            return IntentResponse(intent=Intent.CROSS_AGENT, confidence=0.7)
        if _BUG.search(message):
            return IntentResponse(intent=Intent.BUG_FIX, confidence=0.85 if _FIX.search(message) else 0.65)
        if _PREFERENCE.search(message):
            return IntentResponse(intent=Intent.PREFERENCE, confidence=0.8)
        confidence = _goes_on(request, message)
        if confidence:
            return IntentResponse(intent=Intent.FOLLOW_UP, confidence=confidence)
        return IntentResponse(intent=Intent.NEW_TASK, confidence=0.7 if request.earlier else 0.8)


_READ = 2_000
"""Characters of a message that are read; what it is after is said at its beginning. Chosen by hand."""
# The confidences below were chosen by hand and are ranks, not frequencies: who names an agent means it more surely
# than who uses a word for a bug, or a pronoun.


_BUG = word_regex(
    r"bugs?|errors?|exceptions?|traceback|stack ?trace|crash(?:es|ed|ing)?|segfaults?|broken|regressions?|(?:does|do|"
    r"did|is|was)(?: not|n['’]t) (?:work|working|start|load|compile|build|respond)|not working|fail(?:s|ed|ing|ure)?|"
    r"hangs?|fix(?:es|ed|ing)?|debug(?:ging)?|troubleshoot(?:ing)?|wrong (?:result|output|answer)",
    r"报错|出错|错误|异常|崩溃|闪退|故障|缺陷|漏洞|修复|修一下|修改?bug|调试|排查|跑不起来|打不开|不工作|没反应|"
    r"失败了?|卡死|死机",
)
_FIX = word_regex(
    r"fix|debug|solve|resolve|why (?:does|is|do|did)|how (?:do|can) (?:i|we)|help", r"修|解决|排查|为什么|怎么办|帮"
)
_PREFERENCE = word_regex(
    r"i(?:['’]d)? (?:prefer|rather)|i (?:really )?(?:like|love|hate|dislike|don['’]?t like|want you to)|my preference|"
    r"my favou?rite|from now on|in (?:the )?future|(?:please )?(?:always|never) (?:use|write|answer|reply|call|give|"
    r"show|add|send|do|be)|remember (?:that|this|to)|call me|by default|stop (?:using|doing|adding)",
    r"我(?:比较|更|最|还是|一直)?(?:喜欢|偏好|偏爱|讨厌|不喜欢|习惯)|我更?希望你|以后(?:都|请|不要|别|回答|回复|用)|"
    r"今后|从现在起|从今往后|记住|叫我|默认(?:用|使用)|不要再|别再|总是用|我的偏好",
)
_GOING_ON = word_regex(
    r"(?:please )?(?:continue|go on|carry on|proceed)|as (?:i|we) (?:said|discussed|mentioned)|(?:like|as) before|"
    r"last time|previous(?:ly)?|earlier|again|the same|what about|how about|and (?:then|what|now|also)|"
    r"also|instead|above|follow(?:ing)?[- ]up|you (?:said|told|mentioned|suggested)|that one|more (?:details?|about)",
    r"继续|接着|接下来|然后呢|再来|上次|之前|刚才|刚刚|前面|上面|还是那个|你说的|你提到|另外|那么|那.{0,6}呢|呢[？?]|"
    r"同样|也一样|进一步|详细说|展开|补充一下",
)
_POINTING_BACK = word_regex(
    r"it|that|this|those|these|they|them|he|she|there|the first|the second|the last",
    r"它|这个|那个|这些|那些|他|她|这样|那样|第一个|第二个",
)
_OTHER_AGENT = word_regex(
    r"(?:another|other|different|second) (?:agent|assistant|bot)s?|all agents|hand (?:this|it) (?:over|off)",
    r"(?:另一个|其他|其它|别的|另外的?)(?:智能体|助手|机器人|代理|agent)|所有智能体|转交|移交|协作完成",
)
_ADDRESSING = (
    r"(?:@|\b(?:ask|tell|let|have|get|notify|with|to|for)\s+(?:the\s+)?|让|请|叫|问|找|通知|告诉|交给|转给|和|跟)\s*"
)
_SHORT = 60
"""Characters up to which a message with "it" or 那个 in it needs the one before to be understood. Chosen by hand."""


def _addressed(message: str, agents: tuple[str, ...]) -> str | None:
    """Return the agent that the message is for; one that is only spoken of is none."""
    for agent in sorted(agents, key=len, reverse=True):
        name = re.escape(agent)
        beginning = rf"\A\s*@?{name}\s*[,，:：]"
        if re.search(rf"{beginning}|{_ADDRESSING}{name}(?![A-Za-z0-9_])", message, re.IGNORECASE):
            return agent
    return None


def _goes_on(request: IntentRequest, message: str) -> float:
    """Return how sure it is that the message goes on with what was said before; 0 when nothing says so."""
    if not request.earlier:
        return 0.0
    if _GOING_ON.search(message):
        return 0.85
    if len(message) <= _SHORT and _POINTING_BACK.search(message):
        return 0.75
    shared = max(term_overlap(message, said.text[:_READ]) for said in request.earlier)
    return 0.6 if shared >= 0.5 else 0.0


INTENT = IntentRecognition()


_LONGEST_QUERY = 300
"""Characters of a query: a long question; more words would search for everything. Chosen by hand."""


class RewritingRequest(Model):
    """A question, and what was said right before it, for telling what it is about."""

    query: Annotated[Remark, Field(min_length=1)]
    earlier: Annotated[tuple[Utterance, ...], Field(max_length=20)] = ()
    count: Annotated[int, Field(ge=1, le=10)] = 3


class RewritingResponse(Model):
    """Other wordings of the question, best first; the question itself is not among them."""

    queries: tuple[Annotated[Remark, Field(min_length=1, max_length=_LONGEST_QUERY)], ...]


class RewritingReply(Model):
    """Queries that search well."""

    queries: Lines


class Rewriting(Role[RewritingRequest, RewritingReply, RewritingResponse]):
    """Model a question in several ways."""

    name = "rewriting"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.4, top_p=0.9, max_tokens=512, window=8_000)
    instructions = Bilingual(
        """
You rewrite the user's question (<query>) into queries that search well; <earlier> is what was said before: use it \
to tell what "that" and "it" mean.
Rules:
1. Each query makes sense alone: fill in what is meant or left out, drop small talk; keep names, numbers and dates.
2. Each takes another angle: synonyms or technical terms, the cause, the method or the symptom.
3. Do not answer the question and do not guess details. At most as many queries as <limit> says, the best first.
Field queries: a list of strings.
""",
        """
你负责把用户的问题（<query>）改写成便于检索的查询；<earlier> 是之前的对话，用来弄清“那个”“它”指什么。
规则：
1. 每条查询独立可懂：补全指代和省略，去掉口语；名称、数字、日期照写。
2. 各条角度不同：换用同义词或术语，问原因、做法或现象；其中一条用英文。
3. 不回答问题，不猜测对话里没有的细节。最多写 <limit> 条，最好的在前。
字段 queries：字符串列表。
""",
    )
    form_shown = Bilingual('{"queries": ["[query]", "[query]"]}', '{"queries": ["【查询】", "【查询】"]}')

    def language(self, request: RewritingRequest) -> Language:
        """Speak the language of the question."""
        return working_language(request.query)

    def material(self, request: RewritingRequest, *, language: Language) -> list[str]:
        """Show the question after what was said before it."""
        earlier = utterance_blocks(request.earlier, longest=_LONGEST_EARLIER, are_numbered=False)
        return [group("earlier", earlier), block("query", request.query), block("limit", str(request.count))]

    def bounds(self, request: RewritingRequest) -> Bounds:
        """Hold the list to as many as are asked for."""
        return {"queries": {"minItems": 1, "maxItems": request.count}}

    def read(self, request: RewritingRequest, reply: RewritingReply) -> RewritingResponse:
        """Keep other wordings, each once."""
        asked = one_line(request.query, _LONGEST_QUERY)
        queries = lines((asked, *reply.queries), most=request.count + 1, limit=_LONGEST_QUERY)
        if not any(query.strip() for query in reply.queries):
            raise Refused("queries must hold at least one query")
        return RewritingResponse(queries=queries[1 if asked else 0 :][: request.count])

    async def offline(self, request: RewritingRequest, toolbox: Toolbox) -> RewritingResponse:
        """Leave only the telling words, and what the words before tell that they mean."""
        said = {alphanumeric(request.query): ""}
        for wording in _wordings(request):
            query = one_line(wording, _LONGEST_QUERY)
            said.setdefault(alphanumeric(query), query)
        return RewritingResponse(queries=tuple(filter(None, said.values()))[: request.count])


_POINTING = re.compile(
    r"\b(?:it|its|that|this|those|these|they|them|their|he|him|his|she|her|there|one)\b|[他她它]|这|那", re.IGNORECASE
)
_FEW_WORDS = 3
"""Words below which a question leans on what was said before, and the longest so many that make its shortest wording.
Chosen by hand."""
# What was said last is most likely what a question points back to. Chosen by hand.
_LOOKED_BACK = 3
_ADDED = 6
"""Words of earlier messages that are put before a question: more would outweigh its own. Chosen by hand."""


def _wordings(request: RewritingRequest) -> Iterator[str]:
    words = content_words(request.query)
    before = _pointed_to(request, words)
    if before:
        yield " ".join([*before, *words])
    yield keyword_form(request.query)
    yield statement_form(request.query)
    exchanged = [other_word(word) or word for word in words]
    if exchanged != words:
        yield " ".join(exchanged)
    if len(words) > _FEW_WORDS:
        longest = sorted(words, key=len, reverse=True)[:_FEW_WORDS]
        yield " ".join(word for word in words if word in longest)


def _pointed_to(request: RewritingRequest, words: list[str]) -> list[str]:
    """Return words of what was said before when the question makes no sense without it."""
    if not request.earlier or (len(words) >= _FEW_WORDS and not _POINTING.search(request.query)):
        return []
    known = {word.casefold() for word in words}
    found: list[str] = []
    for said in reversed(request.earlier[-_LOOKED_BACK:]):
        found += [word for word in content_words(said.text[:500]) if word.casefold() not in known]
        known.update(word.casefold() for word in found)
        if len(found) >= _ADDED:
            break
    return found[:_ADDED]


REWRITING = Rewriting()


LONGEST_PASSAGE = 800
"""Characters: a paragraph, about as long as the passages that it is searched among. Chosen by hand."""


class HydeRequest(Model):
    """A question."""

    question: Annotated[Remark, Field(min_length=1)]


class HydeResponse(Model):
    """A passage as it could stand in a document that answers the question; for searching, never for showing."""

    passage: Annotated[Remark, Field(min_length=1, max_length=LONGEST_PASSAGE)]


class Hyde(Role[HydeRequest, TextReply, HydeResponse]):
    """Imagine an answer to search with."""

    name = "hyde"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.4, top_p=0.9, max_tokens=512, window=8_000)
    form = "text"
    instructions = Bilingual(
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
        """Turn the question into a statement; nothing in the passage is made up but its form."""
        statement = statement_form(request.question) or request.question.strip()
        words = content_words(request.question)[:_MOST_WORDS]
        comma, stop, space = ("、", "。", "") if self.language(request) == "zh" else (", ", ".", " ")
        passage = f"{statement}{stop}" + (f"{space}{comma.join(words)}{stop}" if words else "")
        return HydeResponse(passage=one_line(passage, LONGEST_PASSAGE))


_MOST_WORDS = 12
"""Words of the question that are put behind its statement. Chosen by hand."""


HYDE = Hyde()

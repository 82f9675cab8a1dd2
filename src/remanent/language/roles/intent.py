"""Intent: a model says what sort of message it is."""

import re
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.language.offline.similarity import term_overlap
from remanent.language.reply_fields import Confidence, Prose
from remanent.language.role import Defaults, Role, Tier, Toolbox
from remanent.language.shapes import LongText, Utterance
from remanent.language.wording import abridged, block, group, utterance_blocks
from remanent.model import Model
from remanent.model.base import Share, Text
from remanent.text.regex import word_regex
from remanent.text.scripts import working_language


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
_INSTRUCTIONS: Bilingual = Bilingual(
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


class IntentReply(Model):
    """What a message is after."""

    intent: Literal["new_task", "follow_up", "bug_fix", "preference", "cross_agent"]
    confidence: Confidence = 0.5
    target_agent: Prose | None = None


class IntentRecognition(Role[IntentRequest, IntentReply, IntentResponse]):
    """Judge what a message is after."""

    name = "intent"
    defaults = Defaults(tier=Tier.INTENT, temperature=0.0, top_p=0.9, max_tokens=256, window=8_000)
    instructions = _INSTRUCTIONS
    form_shown: ClassVar[Bilingual | None] = Bilingual(
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
        target = (reply.target_agent or "").strip()
        if intent is not Intent.CROSS_AGENT or target not in request.agents:
            target = ""
        return IntentResponse(intent=intent, confidence=reply.confidence, target_agent=target or None)

    async def offline(self, request: IntentRequest, toolbox: Toolbox) -> IntentResponse:
        """Judge by the words of the message."""
        return await recognise(request, toolbox)


_READ = 2_000
"""Characters of a message that are read; what it is after is said at its beginning. Chosen by hand."""
# The confidences below were chosen by hand and are ranks, not frequencies: who names an agent means it more surely
# than who uses a word for a bug, or a pronoun.


_BUG = word_regex(
    r"bugs?|errors?|exceptions?|traceback|stack ?trace|crash(?:es|ed|ing)?|segfaults?|broken|regressions?|"
    r"(?:does|do|did|is|was)(?: not|n['’]t) (?:work|working|start|load|compile|build|respond)|not working|"
    r"fail(?:s|ed|ing|ure)?|hangs?|fix(?:es|ed|ing)?|debug(?:ging)?|troubleshoot(?:ing)?|wrong (?:result|output|"
    r"answer)",
    r"报错|出错|错误|异常|崩溃|闪退|故障|缺陷|漏洞|修复|修一下|修改?bug|调试|排查|跑不起来|打不开|不工作|没反应|"
    r"失败了?|卡死|死机",
)
_FIX = word_regex(
    r"fix|debug|solve|resolve|why (?:does|is|do|did)|how (?:do|can) (?:i|we)|help", r"修|解决|排查|为什么|怎么办|帮"
)
_PREFERENCE = word_regex(
    r"i(?:['’]d)? (?:prefer|rather)|i (?:really )?(?:like|love|hate|dislike|don['’]?t like|want you to)|my preference|"
    r"my favou?rite|from now on|in (?:the )?future|(?:please )?(?:always|never) (?:use|write|answer|reply|call|"
    r"give|show|"
    r"add|send|do|be)|remember (?:that|this|to)|call me|by default|stop (?:using|doing|adding)",
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
_POINTING = word_regex(
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


async def recognise(request: IntentRequest, toolbox: Toolbox) -> IntentResponse:
    """Tell what a message is after from its words and from what was said before it."""
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
    if len(message) <= _SHORT and _POINTING.search(message):
        return 0.75
    shared = max(term_overlap(message, said.text[:_READ]) for said in request.earlier)
    return 0.6 if shared >= 0.5 else 0.0


INTENT = IntentRecognition()

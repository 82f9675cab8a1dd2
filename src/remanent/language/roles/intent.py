"""Intent: a model says what sort of message it is."""

from typing import TYPE_CHECKING, Literal

from remanent.errors import Refused
from remanent.language.exchanges.intent import Intent, IntentRequest, IntentResponse
from remanent.language.replies import Confidence, Prose
from remanent.language.role import Defaults, Prompt, Role, Tier
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, abridged, block, group, prompt, utterance_block
from remanent.model import Model

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_MESSAGE = 4_000
_LONGEST_EARLIER = 500
_INSTRUCTIONS: Wording = {
    "zh": """
你负责判断用户最新消息（<message>）的意图；<earlier> 是之前的对话，<agents> 是其他智能体的名称。
intent 取以下之一：
- new_task：提出新的任务或问题。
- follow_up：对之前内容的追问、澄清、补充或继续。
- bug_fix：报告错误、异常、故障，或要求修复。
- preference：表达或询问偏好、习惯、风格。
- cross_agent：要交给其他智能体，或需要其他智能体的工作成果。
同时符合多个时，取最具体的一个：cross_agent、bug_fix、preference 优先于 follow_up，follow_up 优先于 new_task。
字段：intent；confidence（0 到 1）；target_agent（cross_agent 时写 <agents> 中的名称，否则为 null）。
示例：{"intent": "bug_fix", "confidence": 0.9, "target_agent": null}
""",
    "en": """
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
Example: {"intent": "bug_fix", "confidence": 0.9, "target_agent": null}
""",
}


class IntentReply(Model):
    """What a message is after."""

    intent: Literal["new_task", "follow_up", "bug_fix", "preference", "cross_agent"]
    confidence: Confidence = 0.5
    target_agent: Prose | None = None


class IntentRecognition(Role[IntentRequest, IntentReply, IntentResponse]):
    """Judge what a message is after."""

    name = "intent"
    defaults = Defaults(tier=Tier.INTENT, temperature=0.0, top_p=0.9, max_tokens=256, window=8_000)
    request = IntentRequest
    reply = IntentReply

    def tongue(self, request: IntentRequest) -> Tongue:
        """Speak the language of the message."""
        return tongue_of(request.message, *(said.text for said in reversed(request.earlier)))

    def prompt(self, request: IntentRequest, *, tongue: Tongue) -> Prompt:
        """Show the message after what was said before it."""
        earlier = [utterance_block(said, abridged(said.text, _LONGEST_EARLIER)) for said in request.earlier]
        parts = [
            group("agents", [block("agent", name) for name in request.agents]),
            group("earlier", earlier),
            block("message", abridged(request.message, _LONGEST_MESSAGE)),
        ]
        return prompt(_INSTRUCTIONS[tongue], parts, tongue=tongue)

    def read(self, request: IntentRequest, reply: IntentReply) -> IntentResponse:
        """Let only an agent that was shown be the target."""
        intent = Intent(reply.intent)
        target = (reply.target_agent or "").strip()
        if intent is not Intent.CROSS_AGENT or not request.agents:
            target = ""
        elif target and target not in request.agents:
            raise Refused(f"target_agent must be one of {', '.join(request.agents)}, or null")
        return IntentResponse(intent=intent, confidence=reply.confidence, target_agent=target or None)

    async def offline(self, request: IntentRequest, toolbox: "Toolbox") -> IntentResponse:
        """Judge by the words of the message."""
        from remanent.language.offline.intents import recognise

        return await recognise(request, toolbox)

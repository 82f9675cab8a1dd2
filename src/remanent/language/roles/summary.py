"""Summary: a model shortens a conversation at one of three levels; code sets the mark and holds the length."""

from typing import TYPE_CHECKING

from remanent.errors import Refused
from remanent.language.exchanges.summary import Level, SummaryRequest, SummaryResponse, render, unmarked
from remanent.language.replies import Lines, Prose
from remanent.language.role import Defaults, Prompt, Role, Tier
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, block, group, prompt, utterance_blocks
from remanent.model import Model

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_SHOWN = 8_000
_TASK: dict[Level, Wording] = {
    Level.SEGMENT: {
        "zh": """
你负责把一段对话（<said>）压缩成一小段摘要。
字段 summary：写明用户讨论了什么、助手做了或决定了什么、关键结论是什么；像“用户讨论了 X，助手决定了 Y，关键结论是 \
Z”这样连成一段。
""",
        "en": """
You compress a stretch of a conversation (<said>) into a short summary.
Field summary: what the user talked about, what the assistant did or decided, and the key conclusion, in one \
paragraph: "The user discussed X, the assistant decided Y, the conclusion is Z".
""",
    },
    Level.SESSION: {
        "zh": """
你负责把整个会话（<earlier> 是较早部分的摘要，<said> 是其后的对话）压缩成一份会话概要，会话将只凭它继续。
字段：
summary：目标、进展和当前状态，一段话。
decisions：已作出的决策及理由。todos：待办事项，写明谁做、期限。agreements：关键约定（偏好、约束、名称、接口等）。
三个列表每项一句话，没有则为 []；已完成的待办、被推翻的决策不再列出。
""",
        "en": """
You compress a whole session (<earlier> is summaries of its older part, <said> what followed) into one digest, from \
which alone the session will go on.
Fields:
summary: the goal, the progress and where things stand, in one paragraph.
decisions: decisions made, with reasons. todos: what is to be done, with who and by when. agreements: what was \
agreed on (preferences, constraints, names, interfaces).
Each item of the three lists is one sentence, [] if none; leave out what is done and what was overturned.
""",
    },
    Level.COMPACTION: {
        "zh": """
你负责压缩对话的开头部分（<earlier> 是更早的摘要，<said> 是其后的对话），压缩后的文字将代替它们留在上下文里。
字段 summary：按先后写明用户的要求、已做的事和结果、作出的决定、尚未解决的问题，以及继续工作所需的名称、路径、数字。
""",
        "en": """
You compress the beginning of a conversation (<earlier> is older summaries, <said> what followed); your text will \
stand in its place.
Field summary: in order of time, what the user asked for, what was done with what result, what was decided, what is \
still open, and the names, paths and numbers that are needed to go on.
""",
    },
}
_RULES: Wording = {
    "zh": """规则：不超过 <limit> 指定的 token 数；名称、数字、日期、否定照原文；不评论，不添加对话中没有的内容；\
使用对话的语言。
""",
    "en": """Rules: at most as many tokens as <limit> says; names, numbers, dates and negations as they were said; \
no comments, nothing that was not said; write in the language of the conversation.
""",
}
_EXAMPLE: dict[Level, Wording] = {
    Level.SEGMENT: {
        "zh": """示例：{"summary": "用户讨论了登录页按钮错位，助手把 flex 布局改为 grid，关键结论是问题已修复，\
尚未发布。"}
""",
        "en": """Example: {"summary": "The user reported misplaced buttons on the login page, the assistant \
replaced flex by grid, the conclusion is that it is fixed but not released."}
""",
    },
    Level.SESSION: {
        "zh": """示例：{"summary": "目标是修复登录页；布局已改，等待发布。", "decisions": ["用 grid 代替 flex，\
因为要兼容旧浏览器"], "todos": ["用户周五前发布"], "agreements": ["注释用中文"]}
""",
        "en": """Example: {"summary": "The goal is a working login page; the layout is fixed and waits for \
release.", "decisions": ["Use grid instead of flex, for old browsers"], "todos": ["The user releases by Friday"], \
"agreements": ["Comments in English"]}
""",
    },
    Level.COMPACTION: {"zh": "", "en": ""},
}


class SummaryReply(Model):
    """A conversation shortened."""

    summary: Prose
    decisions: Lines = ()
    todos: Lines = ()
    agreements: Lines = ()


class Summary(Role[SummaryRequest, SummaryReply, SummaryResponse]):
    """Shorten a conversation."""

    name = "summary"
    defaults = Defaults(tier=Tier.COMPRESSION, temperature=0.0, top_p=0.95, max_tokens=1500)
    request = SummaryRequest
    reply = SummaryReply

    def tongue(self, request: SummaryRequest) -> Tongue:
        """Speak the language of what was said."""
        said = "\n".join(said.text[:1000] for said in request.utterances)
        return tongue_of(said, *(unmarked(summary) for summary in request.earlier))

    def prompt(self, request: SummaryRequest, *, tongue: Tongue) -> Prompt:
        """Show earlier summaries and what was said after them."""
        level = request.level
        told = "".join([_TASK[level][tongue], _RULES[tongue], _EXAMPLE[level][tongue]])
        parts = [
            group("earlier", [block("summary", unmarked(summary)) for summary in request.earlier]),
            group("said", utterance_blocks(request.utterances, longest=_LONGEST_SHOWN)),
            block("limit", str(request.limit)),
        ]
        return prompt(told, parts, tongue=tongue)

    def read(self, request: SummaryRequest, reply: SummaryReply) -> SummaryResponse:
        """Set the mark and hold the length."""
        if not unmarked(reply.summary):
            raise Refused("summary must not be empty")
        return render(
            request,
            reply.summary,
            decisions=reply.decisions,
            todos=reply.todos,
            agreements=reply.agreements,
            tongue=self.tongue(request),
        )

    async def offline(self, request: SummaryRequest, toolbox: "Toolbox") -> SummaryResponse:
        """Keep the sentences that say most."""
        from remanent.language.offline.summarising import summarise

        return await summarise(request, toolbox)

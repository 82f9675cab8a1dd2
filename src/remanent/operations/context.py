"""Making a conversation fit, for whoever holds it elsewhere."""

from typing import Annotated, Any

from remanent.context import ContextView
from remanent.discipline.operation import Face, Permission, operation
from remanent.discipline.shapes import about
from remanent.model import Model
from remanent.operations.call import ServiceCall

MAX_MESSAGES = 10_000


class ShrinkContext(Model):
    """A conversation, and how long it may be."""

    messages: Annotated[
        tuple[dict[str, Any], ...],
        about(
            "Messages as OpenAI's or Anthropic's API takes them, oldest first.",
            "消息，OpenAI 或 Anthropic 接口的格式，由旧到新。",
            min_length=1,
            max_length=MAX_MESSAGES,
        ),
    ]
    budget: Annotated[
        int | None, about("Tokens that it may have; without it, as set.", "允许的 token 数；不给则按设置。", ge=1)
    ] = None
    level: Annotated[
        int | None,
        about(
            "How far, whatever its length: 0 not at all, 1 trimmed, 2 summaries of ten, 3 one digest.",
            "不论长短，缩短到何种程度：0 不缩短，1 修剪，2 每十条摘要，3 一份概要。",
            ge=0,
            le=3,
        ),
    ] = None


@operation(
    "context",
    zh="使一段对话适合预算：缩短工具结果，再将较早的消息合为摘要或一份概要。不丢失任何内容，工具调用与其结果不会分开。",
    permission=Permission.READ,
    route="POST context",
    examples=({"messages": [{"role": "user", "content": "Where did we leave off?"}], "budget": 8000},),
    face=Face("context"),
    command=None,
)
async def shrink_context(call: ServiceCall, request: ShrinkContext) -> ContextView:
    """Make a conversation fit: results of tools shortened, older messages summarised; calls stay with their results."""
    return await call.agent.context(request.messages, budget=request.budget, level=request.level)


OPERATIONS = (shrink_context,)

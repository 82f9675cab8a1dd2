"""The scratchpad: small values that an agent keeps at hand while it works.

Values are replaced and removed, not remembered: they are states of the store and no part of what recall searches.
"""

from typing import Annotated

from pydantic import Field, JsonValue

from remanent.bilingual import Bilingual
from remanent.context.scratchpad import LONGEST_KEY, LONGEST_VALUE
from remanent.discipline.operation import Command, Face, Tool, operation
from remanent.discipline.permission import Permission
from remanent.discipline.shapes import Done, about
from remanent.model import Model
from remanent.model.base import Text
from remanent.operations.call import ServiceCall

READ, WRITE = Permission.READ, Permission.WRITE

Key = Annotated[
    str,
    about("The key of the value.", "值的名称。", min_length=1, max_length=LONGEST_KEY, pattern=r"^[^\x00-\x1f\x7f]+$"),
]
Pad = Annotated[
    str | None,
    about(
        "The session that the scratchpad belongs to; without one, the agent's own scratchpad.",
        "草稿板所属的会话；不给则为智能体自己的草稿板。",
        min_length=1,
        max_length=200,
    ),
]


class ReadPad(Model):
    """Which scratchpad."""

    key: Annotated[str | None, about("Only this value.", "只要这个值。", min_length=1, max_length=LONGEST_KEY)] = None
    session: Pad = None


class PadValues(Model):
    """What a scratchpad holds, by key."""

    values: dict[str, JsonValue] = Field(default_factory=dict)


@operation(
    "scratchpad.read",
    zh="显示草稿板上的内容。",
    permission=READ,
    route="GET scratchpad",
    examples=({}, {"key": "plan", "session": "monday"}),
    face=Face("scratchpad_read", give=lambda answer: answer.values),
    tool=Tool(
        "scratchpad_read",
        Bilingual(
            "Read your scratchpad: the plan, interim results and notes to yourself that you wrote with "
            "scratchpad_write, also before a restart. Look here first when you go on with work that was begun earlier.",
            "读取你的草稿板：此前用 scratchpad_write 写下的计划、中间结果和备忘，重启后仍在。"
            "继续先前的工作时，先看这里。",
        ),
    ),
)
async def read_pad(call: ServiceCall, request: ReadPad) -> PadValues:
    """Show the contents of a scratchpad."""
    return PadValues(values=await call.agent.scratchpad_read(key=request.key, session=request.session))


class WritePad(Model):
    """What to write where."""

    key: Key
    value: Annotated[
        Text | None,
        about(
            "The new text; without it, the value is removed.",
            "新的文本；不给则删除该值。",
            max_length=LONGEST_VALUE,
        ),
    ] = None
    session: Pad = None


@operation(
    "scratchpad.write",
    zh="在草稿板上写入或删除一个值。返回即已落盘；检索不会搜到草稿板。",
    permission=WRITE,
    route="POST scratchpad",
    examples=({"key": "plan", "value": "1. read the report 2. compare the figures"},),
    face=Face("scratchpad_write", give=lambda _: None),
    command=Command(arguments=("key", "value")),
    tool=Tool(
        "scratchpad_write",
        Bilingual(
            "Write a note to yourself that you will need later in this work: the plan, what is done, interim results. "
            "It replaces what stood under the key; without a value it is removed. Durable when this returns. For what "
            "matters beyond this work use remember instead.",
            "为当前工作写下以后要用的备忘：计划、已完成的步骤、中间结果。会取代该名称下原有的内容；不给值则删除。"
            "返回即已持久保存。超出当前工作仍然有用的内容请改用 remember。",
        ),
    ),
)
async def write_pad(call: ServiceCall, request: WritePad) -> Done:
    """Set or remove a value on a scratchpad. It is durable on return; recall does not search scratchpads."""
    await call.agent.scratchpad_write(request.key, request.value, session=request.session)
    return Done()


OPERATIONS = (read_pad, write_pad)

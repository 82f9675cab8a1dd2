"""What does the language work, and one piece of it by hand.

`try` is for people who choose a model or write a prompt: it shows what a role makes of a request, and changes nothing.
"""

import json
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import JsonValue

from remanent.bilingual import Bilingual
from remanent.discipline.operation import Command, Level, Permission, Screen, operation
from remanent.discipline.shapes import Nothing, Page, about
from remanent.embedding import open_embedder
from remanent.errors import InvalidInput
from remanent.language import Role
from remanent.language.engines import RoleSetup, open_engine, role_setups
from remanent.language.role import Usage
from remanent.language.roles import all_roles
from remanent.model import Maker, Model
from remanent.model.base import JsonObject
from remanent.operations.call import ServiceCall

READ, WRITE = Permission.READ, Permission.WRITE


_HEADINGS = (
    Bilingual("role", "角色"),
    Bilingual("engine", "引擎"),
    Bilingual("model", "模型"),
    Bilingual("tier", "层级"),
    Bilingual("temperature", "温度"),
    Bilingual("top-p", "top-p"),
    Bilingual("max tokens", "最大输出"),
    Bilingual("window", "窗口"),
)
_NO_MODEL = Bilingual(
    "No model is configured: everything runs offline. Set model.provider and model.name to use one.",
    "未配置模型：全部离线运行。设置 model.provider 与 model.name 即可使用模型。",
)


def _show_roles(screen: Screen, answer: Page[RoleSetup]) -> None:
    """Show every role with what does its work."""
    rows = []
    for setup in answer.items:
        model = "–" if setup.model is None else f"{setup.model} ({setup.provider})"
        numbers = (f"{setup.temperature:g}", f"{setup.top_p:g}", str(setup.max_tokens), str(setup.window))
        rows.append((setup.role, setup.engine, model, setup.tier, *numbers))
    screen.rows([screen.word(heading) for heading in _HEADINGS], rows)
    if all(setup.engine == "offline" for setup in answer.items):
        screen.tell(_NO_MODEL)


@operation(
    "roles",
    zh="显示各项语言任务由什么完成：每个角色的引擎、模型与设置。",
    permission=READ,
    level=Level.WORKSPACE,
    route="GET roles",
    command=Command(show=_show_roles),
)
async def roles(call: ServiceCall, _: Nothing) -> Page[RoleSetup]:
    """Show what handles each language task: every role with its engine, model and settings."""
    return Page(items=tuple(role_setups(call.memory.settings)))


class Try(Model):
    """Which role, and what it is asked."""

    role: Annotated[
        str, about("The name of a role, as shown by `roles`.", "角色名，见 `roles`。", min_length=1, max_length=100)
    ]
    request: Annotated[JsonObject, about("The request for the role, as JSON.", "给角色的请求（JSON）。")]


class Tried(Model):
    """What a role answered, what made the answer and what it cost."""

    response: JsonValue
    made_by: Maker
    usage: Usage


_ROLE_DONE = Bilingual(
    "{role} by {engine}, {input} tokens in, {output} out.",
    "{role} 由 {engine} 完成，输入 {input}、输出 {output} 个 token。",
)


def _show_tried(screen: Screen, tried: Tried) -> None:
    """Show the response as data, and beside it what made it and what that cost."""
    screen.line(json.dumps(tried.response, ensure_ascii=False, indent=2))
    tokens = {"input": tried.usage.input_tokens, "output": tried.usage.output_tokens}
    screen.tell(_ROLE_DONE, style="dim", role=tried.made_by.role, engine=tried.made_by.engine, **tokens)


@operation(
    "try",
    zh="手动运行一个角色：给出请求，得到经过检查的回答。",
    permission=WRITE,
    level=Level.WORKSPACE,
    route="POST roles/{role}/try",
    changes=False,
    examples=({"role": "intent", "request": {"query": "where does she live?"}},),
    command=Command(takes="request", show=_show_tried),
)
async def attempt(call: ServiceCall, request: Try) -> Tried:
    """Run one role by hand: give it a request, get its validated response."""
    settings = call.memory.settings
    role = role_of(request.role)
    asked = role.request.model_validate(request.request)
    engine = open_engine(settings, embedder=open_embedder(settings.embedder, embedding=settings.embedding))
    try:
        answer = await engine.run(role, asked)
    finally:
        await engine.close()
    return Tried(response=answer.value.model_dump(mode="json"), made_by=answer.made_by, usage=answer.usage)


def role_of(name: str) -> Role[Any, Any, Any]:
    """Return a role by its name."""
    if name not in all_roles():
        close = get_close_matches(name, all_roles(), n=1)
        nearest = f"; did you mean {close[0]}?" if close else "."
        raise InvalidInput(f"there is no role {name!r}{nearest} The roles are: {', '.join(all_roles())}")
    return all_roles()[name]


OPERATIONS = (roles, attempt)

"""What is on a server, as far as the caller's key reaches: its organisations, workspaces and agents, and its settings.

These name no place in their address: what they answer follows from the key alone.
"""

import asyncio

from remanent.bilingual import Bilingual
from remanent.discipline.operation import Command, Level, Permission, Screen, operation
from remanent.discipline.shapes import Nothing, Page
from remanent.errors import NotPermitted
from remanent.model import Scope
from remanent.operations.access.keys import Reach, Target
from remanent.operations.call import ServiceCall
from remanent.settings import ShownSetting, shown_settings

_PLACE = (Bilingual("organisation", "组织"), Bilingual("workspace", "工作区"), Bilingual("agent", "智能体"))
_SETTING = (Bilingual("setting", "设置项"), Bilingual("value", "值"), Bilingual("meaning", "含义"))
_SET = Bilingual("(set)", "（已设置）")


def _show_places(screen: Screen, answer: Page[Scope]) -> None:
    screen.rows([screen.word(one) for one in _PLACE], ((one.org, one.workspace, one.agent) for one in answer.items))


@operation(
    "places",
    zh="列出密钥可及的所有组织、工作区和智能体。",
    permission=Permission.READ,
    level=Level.SERVER,
    route="GET places",
    command=Command(show=_show_places),
)
async def places(call: ServiceCall, request: Nothing) -> Page[Scope]:
    """List every agent within the key's reach, with its organisation and workspace."""
    del request
    # A server may have thousands of agents: all would else wait while one asks for the list again and again.
    return Page(items=await asyncio.to_thread(_within, call.principal.reach, await call.memory.agents()))


def _within(reach: Reach, scopes: list[Scope]) -> tuple[Scope, ...]:
    found = (one for one in scopes if reach.org is None or reach.org == one.org)
    covered = (one for one in found if reach.covers(Target(org=one.org, workspace=one.workspace, agent=one.agent)))
    return tuple(sorted(covered, key=lambda one: (one.org, one.workspace, one.agent)))


def _show_settings(screen: Screen, answer: Page[ShownSetting]) -> None:
    """Show settings; of a secret only whether it is set."""
    rows = []
    for one in answer.items:
        secret = "" if one.is_default else screen.word(_SET)
        meaning = one.chinese if screen.language == "zh" else one.english
        rows.append((one.name, secret if one.value is None else one.value, meaning))
    screen.rows([screen.word(one) for one in _SETTING], rows)


@operation(
    "settings",
    zh="列出服务器当前生效的设置；密文只说明是否已设置。",
    permission=Permission.ADMIN,
    level=Level.SERVER,
    route="GET settings",
    changes=False,
    command=Command(show=_show_settings),
)
async def settings(call: ServiceCall, request: Nothing) -> Page[ShownSetting]:
    """List the settings in force, to whoever runs the server: its own organisation's administrators."""
    del request
    own, reach = call.memory.settings, call.principal.reach
    if not (reach.org in {None, own.org} and reach.workspace is None and reach.agent is None):
        raise NotPermitted("this key does not allow to see the settings of the server")
    return Page(items=tuple(shown_settings(own)))


OPERATIONS = (places, settings)

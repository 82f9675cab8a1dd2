"""Keys, the audit log, what is on a server, and what does the language work there.

A key can make, see and revoke only keys within its own reach. A token that is asked for again under the same
idempotency key is derived anew from it, because tokens are written down nowhere. The organisations, workspaces and
agents, and the settings, name no place in their address: what they answer follows from the key alone.

`try` is for people who choose a model or write a prompt: it shows what a role makes of a request, and changes nothing.
"""

import asyncio
import json
from collections import deque
from datetime import timedelta
from difflib import get_close_matches
from functools import partial
from itertools import islice
from typing import Annotated, Any

from pydantic import JsonValue

from remanent.bilingual import Bilingual, bilingual_words
from remanent.discipline.operation import Command, Level, Permission, Screen, operation
from remanent.discipline.shapes import Cursor, Limit, Moment, Nothing, Page, about, page_of, read_cursor
from remanent.embedding import open_embedder
from remanent.errors import InvalidInput, NotFound, NotPermitted
from remanent.language import Role
from remanent.language.engines import RoleSetup, open_engine, role_setups
from remanent.language.role import Usage
from remanent.language.roles import all_roles
from remanent.model import Maker, Model, Scope
from remanent.model.base import JsonObject
from remanent.operations.access.chain import AuditLine, AuditVerification
from remanent.operations.access.keys import Key, Name, Reach, Target
from remanent.operations.call import ServiceCall
from remanent.settings import ShownSetting, shown_settings

_admin = partial(operation, permission=Permission.ADMIN, level=Level.ORG)


class MakeKey(Model):
    """What a new key is called, allows, and reaches."""

    name: Annotated[
        str, about("A name that says what the key is for.", "密钥的名称，说明其用途。", min_length=1, max_length=200)
    ]
    permissions: Annotated[
        tuple[Permission, ...],
        about(
            "What it allows: read, write, approve, admin; `metrics` allows only the server's metrics.",
            "允许的操作：read、write、approve、admin；metrics 仅限服务器的运行指标。",
            min_length=1,
            max_length=5,
        ),
    ] = (Permission.READ, Permission.WRITE)
    within_workspace: Annotated[
        Name | None,
        about("Only valid in this workspace; defaults to the whole organisation.", "仅限此工作区；默认为整个组织。"),
    ] = None
    within_agent: Annotated[Name | None, about("Only for this agent.", "仅限此智能体。")] = None
    everywhere: Annotated[bool, about("Valid in every organisation on the server.", "适用于服务器上的所有组织。")] = (
        False
    )
    expires_at: Annotated[Moment | None, about("When it expires.", "失效时刻。")] = None


class NewKey(Model):
    """A key with its token, which is shown this once."""

    key: Key
    token: str
    is_first: bool = False
    """Whether none was ever made on this home: from now on nobody is served without a key."""
    replaces_damaged: bool = False
    """Whether the file of keys could not be read and was set aside: the keys in it open nothing."""


_KEY_MADE = Bilingual(
    "Key {key_id}. Its token is above and is shown only this once; only its hash is stored.",
    "密钥 {key_id}。令牌如上，仅显示这一次；只保存其散列。",
)
_FIRST_KEY = Bilingual(
    "This is the first key here. From now on, a server on this memory refuses every request without a "
    "key, even from this machine: REST, MCP over HTTP, the proxy and /metrics (only /livez, /readyz and "
    "/docs stay open). Give every program that uses it a key. This remains so even if the last key "
    "expires, is revoked or is lost; run `remanent keys create` on this machine to "
    "create another. The command line itself needs no key.",
    "这是此处的第一个密钥。从现在起，使用此记忆的服务器不再接受任何无密钥的请求，本机也不例外："
    "REST、HTTP 上的 MCP、代理和 /metrics 均需密钥（只有 /livez、/readyz 和 /docs 仍然开放）。"
    "请为每个使用它的程序配置密钥。即使最后一个密钥过期、被吊销或丢失，也依然如此；"
    "届时可在本机用 `remanent keys create` 另建一个。命令行本身不需要密钥。",
)
_KEYS_SET_ASIDE = Bilingual(
    "The key file was damaged and has been set aside under .access/ in the home folder; the keys in it no "
    "longer work. Create new ones for everyone who had one, or restore the file from a backup.",
    "密钥文件已损坏，已移到数据目录的 .access/ 下；其中的密钥均已失效。请为原持有者重新创建密钥，或从备份恢复该文件。",
)


def _show_key(screen: Screen, answer: NewKey) -> None:
    """Show the token as data, so that it can be piped, and everything to know about it beside."""
    screen.line(answer.token)
    screen.tell(_KEY_MADE, key_id=answer.key.key_id)
    if answer.replaces_damaged:
        screen.tell(_KEYS_SET_ASIDE, style="yellow")
    if answer.is_first:
        screen.tell(_FIRST_KEY, style="yellow")


@_admin(
    "keys.create",
    zh="创建密钥。令牌只显示这一次，只保存其散列。",
    route="POST keys",
    secret=True,
    examples=({"name": "my agent", "permissions": ["read", "write"], "within_workspace": "lab"},),
    command=Command(arguments=("name",), show=_show_key),
)
async def create(call: ServiceCall, request: MakeKey) -> NewKey:
    """Create a key. Its token is shown only this once; only its hash is stored."""
    org = None if request.everywhere else call.place.org
    reach = Reach(org=org, workspace=request.within_workspace, agent=request.within_agent)
    if not call.principal.reach.covers(reach):
        raise NotPermitted("a new key cannot allow more than the key that creates it")
    is_first, is_damaged = await asyncio.to_thread(lambda: (not call.keys.was_ever_used, call.keys.is_damaged))
    key, token = await asyncio.to_thread(
        call.keys.create,
        request.name,
        reach=reach,
        permissions=request.permissions,
        expires_at=request.expires_at,
        seed=_seed(call, request),
    )
    return NewKey(key=key, token=token, is_first=is_first, replaces_damaged=is_damaged)


@_admin("keys.list", zh="列出密钥，包括已吊销的。", route="GET keys", changes=False)
async def listed(call: ServiceCall, _: Nothing) -> Page[Key]:
    """List all keys, including revoked ones."""
    found = await asyncio.to_thread(call.keys.list)
    return Page(items=tuple(key for key in found if _is_theirs(call, key)))


class ByKey(Model):
    """Which key."""

    key_id: Annotated[
        str,
        about("The id of a key, as shown by `keys list`.", "密钥的 id，见 `keys list`。", pattern=r"^[0-9a-f]{12}$"),
    ]


class Rotate(ByKey):
    """Which key, and how long its old token keeps working."""

    grace: Annotated[
        int, about("Seconds for which the old token keeps working.", "旧令牌继续有效的秒数。", ge=0, le=30 * 86_400)
    ] = 0


@_admin(
    "keys.rotate",
    zh="更换密钥的令牌；旧令牌在宽限期后失效。",
    route="POST keys/{key_id}/rotate",
    secret=True,
    command=Command(show=_show_key),
)
async def rotate(call: ServiceCall, request: Rotate) -> NewKey:
    """Replace a key's token; the old one keeps working until the grace period ends."""
    await _require_theirs(call, request.key_id)
    key, token = await asyncio.to_thread(
        call.keys.rotate, request.key_id, grace=timedelta(seconds=request.grace), seed=_seed(call, request)
    )
    return NewKey(key=key, token=token)


@_admin("keys.revoke", zh="吊销密钥，立即生效。", route="DELETE keys/{key_id}", command=Command(repeated="key_id"))
async def revoke(call: ServiceCall, request: ByKey) -> Key:
    """Revoke keys, effective immediately."""
    await _require_theirs(call, request.key_id)
    return await asyncio.to_thread(call.keys.revoke, request.key_id)


def _seed(call: ServiceCall, request: Model) -> str | None:
    """Return what a token follows from where the caller has a key for the request: asked again, it is the same one."""
    if call.key is None:
        return None
    return f"{call.principal.name}\n{call.place.org}\n{call.key}\n{request.to_json()}"


def _is_theirs(call: ServiceCall, key: Key) -> bool:
    """Whether a key lies within the reach of who asks, and belongs to this organisation or to all."""
    return call.principal.reach.covers(key.reach) and key.reach.org in {None, call.place.org}


async def _require_theirs(call: ServiceCall, key_id: str) -> None:
    if not _is_theirs(call, await asyncio.to_thread(call.keys.get, key_id)):
        raise NotFound(f"there is no key {key_id}")


class ReadAudit(Model):
    """Which lines of the audit log."""

    limit: Limit = 100
    cursor: Cursor = None
    newest_first: Annotated[bool, about("Newest lines first.", "由新到旧。")] = False


@_admin("audit.list", zh="显示审计日志：谁对谁的记忆做了什么。", route="GET audit", changes=False)
async def audit(call: ServiceCall, request: ReadAudit) -> Page[AuditLine]:
    """Show who did what to whose memory, oldest first by default."""
    place = None if request.cursor is None else read_cursor(request.cursor, int)

    def read() -> list[AuditLine]:
        lines = call.audit.read(call.place.org)
        if request.newest_first:
            before = (line for line in lines if place is None or line.seq < place)
            return list(reversed(deque(before, maxlen=request.limit + 1)))
        return list(islice((line for line in lines if line.seq > (place or 0)), request.limit + 1))

    return page_of(await asyncio.to_thread(read), limit=request.limit, after=lambda line: line.seq)


@_admin(
    "audit.verify",
    zh="沿整条链核对本组织的审计日志：每一行是否都在，且与写入时一致。",
    route="GET audit/verify",
    changes=False,
)
async def verify(call: ServiceCall, _: Nothing) -> AuditVerification:
    """Verify the organisation's audit log: whether every line is present and unchanged."""
    return await asyncio.to_thread(call.audit.verify, call.place.org)


# ── what is on the server ────────────────────────────────────────────────────

_PLACE = bilingual_words("organisation 组织, workspace 工作区, agent 智能体")
_SETTING = bilingual_words("setting 设置项, value 值, meaning 含义")
_SET = Bilingual("(set)", "（已设置）")


def _show_places(screen: Screen, answer: Page[Scope]) -> None:
    screen.rows(_PLACE, ((one.org, one.workspace, one.agent) for one in answer.items))


@operation(
    "places",
    zh="列出密钥可及的所有组织、工作区和智能体。",
    permission=Permission.READ,
    level=Level.SERVER,
    route="GET places",
    command=Command(show=_show_places),
)
async def places(call: ServiceCall, _: Nothing) -> Page[Scope]:
    """List every agent within the key's reach, with its organisation and workspace."""
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
    screen.rows(_SETTING, rows)


@operation(
    "settings",
    zh="列出服务器当前生效的设置；密文只说明是否已设置。",
    permission=Permission.ADMIN,
    level=Level.SERVER,
    route="GET settings",
    changes=False,
    command=Command(show=_show_settings),
)
async def settings(call: ServiceCall, _: Nothing) -> Page[ShownSetting]:
    """List the settings in force. Only for those who run the server: the administrators of its own organisation."""
    own, reach = call.memory.settings, call.principal.reach
    if not (reach.org in {None, own.org} and reach.workspace is None and reach.agent is None):
        raise NotPermitted("this key may not see the server's settings")
    return Page(items=tuple(shown_settings(own)))


_HEADINGS = bilingual_words(
    "role 角色, engine 引擎, model 模型, tier 层级, temperature 温度, top-p top-p, max tokens 最大输出, window 窗口"
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
    screen.rows(_HEADINGS, rows)
    if all(setup.engine == "offline" for setup in answer.items):
        screen.tell(_NO_MODEL)


@operation(
    "roles",
    zh="显示各项语言任务由什么完成：每个角色的引擎、模型与设置。",
    permission=Permission.READ,
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
    "{role} by {engine}: {input} tokens in, {output} out.",
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
    permission=Permission.WRITE,
    level=Level.WORKSPACE,
    route="POST roles/{role}/try",
    changes=False,
    examples=({"role": "intent", "request": {"query": "where does she live?"}},),
    command=Command(takes="request", show=_show_tried),
)
async def attempt(call: ServiceCall, request: Try) -> Tried:
    """Run one role by hand: give it a request and get its validated response."""
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


OPERATIONS = (roles, attempt, create, listed, rotate, revoke, audit, verify, places, settings)

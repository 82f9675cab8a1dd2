"""Authentication: whichever interface somebody comes through, one rate holds."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.requests import Request

from remanent.client import connection
from remanent.discipline.operation import operation
from remanent.discipline.shapes import Nothing
from remanent.errors import KeysDamaged, NotAuthenticated, NotPermitted, RateLimited
from remanent.memory import aopen
from remanent.operations import LOCAL, Permission, Service, Target
from remanent.operations.access.keys import KeyRing, Reach
from remanent.operations.call import ServiceCall
from remanent.operations.service import CATALOGUE
from remanent.server import authentication
from remanent.server.authentication import Authenticator, watch_of
from tests.server.rest.conftest import AGENT, FILE, Served, running
from tests.server.test_limits import never


def request(*, peer: str = "127.0.0.1", **headers: str) -> Request:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": raw, "client": (peer, 1)})


async def test_every_interface_of_a_server_takes_from_the_same_bucket(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", server={"rate": 1, "burst": 4}) as memory, Service(memory) as service:
        settings = memory.settings.server
        rest, mcp, proxy = (Authenticator(service, settings, timer=lambda: 100.0) for _ in range(3))
        for authenticator in (rest, mcp, proxy, rest):
            assert (await authenticator.principal(request())).name
        for authenticator in (rest, mcp, proxy):
            with pytest.raises(RateLimited):
                await authenticator.principal(request())


async def test_guessing_keys_costs_the_same_bucket_everywhere(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", server={"rate": 1, "burst": 50}) as memory, Service(memory) as service:
        await service.perform("keys.create", {"name": "a", "permissions": ["read"]}, place=Target(org="acme"))
        authenticators = [Authenticator(service, memory.settings.server, timer=lambda: 100.0) for _ in range(2)]
        for authenticator in authenticators:
            with pytest.raises(NotAuthenticated):
                await authenticator.principal(request(authorization="Bearer wrong"))
        with pytest.raises(RateLimited):
            await authenticators[0].principal(request(authorization="Bearer wrong"))


async def test_two_servers_do_not_share_theirs(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", server={"rate": 1, "burst": 1}) as memory:
        for _ in range(2):
            async with Service(memory) as service:
                await Authenticator(service, memory.settings.server, timer=lambda: 100.0).principal(request())


@pytest.mark.spec("SAFE-01")
async def test_without_a_key_only_the_machine_itself_comes_in_and_each_request_is_judged(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        authenticator = Authenticator(service, memory.settings.server, timer=lambda: 100.0)
        assert (await authenticator.principal(request())) == LOCAL
        with pytest.raises(NotAuthenticated, match="from the server's own machine"):
            await authenticator.principal(request(peer="192.0.2.1"))
        KeyRing(tmp_path).create("made elsewhere", reach=Reach(org="acme"), permissions=(Permission.READ,))
        with pytest.raises(NotAuthenticated, match="a key is required"):
            await authenticator.principal(request())


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(
    ("reach", "permission", "lets_in"),
    [
        (Reach(), Permission.METRICS, True),
        (Reach(), Permission.ADMIN, True),
        (Reach(), Permission.READ, False),
        (Reach(org="acme"), Permission.METRICS, False),
        (Reach(org="acme"), Permission.ADMIN, False),
    ],
)
async def test_what_concerns_the_whole_server_is_told_to_its_operator_only(
    tmp_path: Path, reach: Reach, permission: Permission, lets_in: bool
) -> None:
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        authenticator = Authenticator(service, memory.settings.server, timer=lambda: 100.0)
        assert (await authenticator.operator(request())) == LOCAL
        _, token = service.keys.create("k", reach=reach, permissions=(permission,))
        with pytest.raises(NotAuthenticated):
            await authenticator.operator(request())
        if lets_in:
            assert (await authenticator.operator(request(peer="192.0.2.1", authorization=f"Bearer {token}"))).may(
                permission
            )
            return
        with pytest.raises(NotPermitted, match="--permission metrics --everywhere"):
            await authenticator.operator(request(authorization=f"Bearer {token}"))


@pytest.mark.spec("SAFE-02")
async def test_an_organisation_has_one_rate_however_many_keys_it_makes(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", server={"rate": 1, "burst": 4}) as memory, Service(memory) as service:
        authenticator = Authenticator(service, memory.settings.server, timer=lambda: 100.0)

        async def key(name: str, org: str) -> Request:
            asked = {"name": name, "permissions": ["read"]}
            made = await service.perform("keys.create", asked, place=Target(org=org))
            return request(authorization=f"Bearer {made.token}")

        acme = [await key(f"acme-{number}", "acme") for number in range(5)]
        for one in acme[:4]:
            await authenticator.principal(one)
        with pytest.raises(RateLimited):
            await authenticator.principal(acme[4])
        assert (await authenticator.principal(await key("other", "other"))).name


# ── answers that last ────────────────────────────────────────────────────────


@operation("drip", zh="滴。", permission=Permission.READ, route="GET drip")
async def drip(call: ServiceCall, request: Nothing) -> AsyncIterator[str]:
    """Say one thing for ever."""
    del call, request
    while True:
        yield "drop"
        await asyncio.sleep(0)


@pytest.fixture
async def dripping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Served]:
    """A server with operations that never end, which looks at keys at every turn."""
    monkeypatch.setattr(authentication, "LOOK_AGAIN", 0.001)
    async with running(tmp_path, catalogue=CATALOGUE.with_more([never, drip])) as served:
        yield served


async def revoked(served: Served) -> None:
    for key in served.service.keys.list():
        await served.service.perform("keys.revoke", {"key_id": key.key_id}, place=Target(org="acme"))


async def rotated(served: Served) -> None:
    (key,) = served.service.keys.list()
    await served.service.perform("keys.rotate", {"key_id": key.key_id}, place=Target(org="acme"))


async def damaged(served: Served) -> None:
    (served.service.memory.settings.home / ".access" / "keys.json").write_text("{")


async def first_key_is_made(served: Served) -> None:
    await served.key("admin")


ENDS = [(revoked, "NotAuthenticated"), (rotated, "NotAuthenticated"), (damaged, "KeysDamaged")]


async def followed(served: Served, path: str, headers: dict[str, str], then: Callable[[Served], Any]) -> list[str]:
    """Return the lines of an answer that was begun before something befell its key."""
    lines: list[str] = []
    async with served.http.stream("GET", path, headers=headers, timeout=30) as answer:
        assert answer.status_code == 200
        try:
            async for line in answer.aiter_lines():
                lines.append(line)
                if len(lines) == 1:
                    await then(served)
        except httpx2.RemoteProtocolError:
            lines.append("(broken off)")
    return [line for line in lines if line]


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(("then", "error"), ENDS)
async def test_the_events_of_long_work_end_with_the_key_and_say_why(dripping: Served, then: Any, error: str) -> None:
    key = await dripping.key("read")
    begun = await dripping.http.post(f"{AGENT}/never", json={}, headers=key)
    told = await followed(dripping, f"{begun.headers['location']}/events", key, then)
    assert [line for line in told if line.startswith("event: ")] == ["event: progress", "event: error"]
    problem = json.loads(told[-1].removeprefix("data: "))
    assert problem["type"] == f"urn:remanent:error:{error}"


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(("then", "error"), ENDS)
async def test_an_answer_in_lines_ends_with_the_key_and_says_why(dripping: Served, then: Any, error: str) -> None:
    key = await dripping.key("read")
    told = await followed(dripping, f"{AGENT}/drip", {**key, "accept-language": "zh-CN"}, then)
    assert (told[0], told[-1]) == ("drop", "(broken off)")
    problem = json.loads(told[-2])
    assert problem["type"] == f"urn:remanent:error:{error}"
    assert problem["title"] in {"需要密钥", "密钥文件已损坏"}


@pytest.mark.spec("SAFE-01")
async def test_what_was_begun_without_a_key_ends_when_the_first_one_is_made(dripping: Served) -> None:
    told = await followed(dripping, f"{AGENT}/drip", {}, first_key_is_made)
    assert "NotAuthenticated" in told[-2]


@pytest.mark.spec("SAFE-01")
async def test_the_client_raises_what_ended_its_answer(dripping: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CATALOGUE", dripping.service.catalogue)
    one, other = [(await dripping.key("read"))["authorization"].removeprefix("Bearer ") for _ in range(2)]
    place = Target(org="acme", workspace="lab", agent="ada")
    followed, read = (connection.Connection(dripping.url, key=key, timeout=30) for key in (one, other))
    work = asyncio.create_task(followed.do("never", {}, place=place, on_progress=lambda _: begun.set()))
    begun, lines = asyncio.Event(), read.lines("drip", place=place)
    assert await anext(lines) == "drop"
    await begun.wait()
    await revoked(dripping)
    with pytest.raises(NotAuthenticated, match="revoked"):
        await work
    with pytest.raises(NotAuthenticated, match="revoked"):
        [line async for line in lines]
    await asyncio.gather(followed.close(), read.close())


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("headers", [{}, {"idempotency-key": "once"}])
async def test_a_file_that_was_still_coming_when_its_key_was_revoked_is_not_stored(
    dripping: Served, headers: dict[str, str]
) -> None:
    key = await dripping.key("read", "write")

    async def pieces() -> AsyncIterator[bytes]:
        yield b"first half, "
        await revoked(dripping)
        yield b"second half"

    sent = {**key, **headers, **FILE}
    answer = await dripping.http.post(f"{AGENT}/attachments?name=a.txt", content=pieces(), headers=sent, timeout=30)
    assert answer.status_code == 401, answer.text
    home = dripping.service.memory.settings.home
    assert [file for file in home.rglob("*") if file.is_file() and b"first half" in file.read_bytes()] == []


async def test_a_key_that_nobody_can_look_at_for_a_moment_ends_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        key = await service.perform("keys.create", {"name": "a", "permissions": ["read"]}, place=Target(org="acme"))
        asked = request(authorization=f"Bearer {key.token}")
        await Authenticator(service, memory.settings.server).principal(asked)
        monkeypatch.setattr(authentication, "LOOK_AGAIN", 0)
        keys = tmp_path / ".access" / "keys.json"
        keys.rename(tmp_path / "away")
        keys.mkdir()
        await watch_of(asked).check()
        keys.rmdir()
        keys.write_text("{")
        with pytest.raises(KeysDamaged):
            await watch_of(asked).check()
        (tmp_path / "away").rename(keys)
        await watch_of(asked).check()

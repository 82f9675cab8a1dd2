"""Authentication: whichever interface somebody comes through, one rate holds."""

from pathlib import Path

import pytest
from starlette.requests import Request

from remanent.errors import NotAuthenticated, NotPermitted, RateLimited
from remanent.memory import aopen
from remanent.operations import LOCAL, Permission, Service, Target
from remanent.operations.access.keys import KeyRing, Reach
from remanent.server.authentication import Authenticator


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
        with pytest.raises(NotAuthenticated, match="on the machine itself"):
            await authenticator.principal(request(peer="192.0.2.1"))
        KeyRing(tmp_path).create("made elsewhere", reach=Reach(org="acme"), permissions=(Permission.READ,))
        with pytest.raises(NotAuthenticated, match="a key is needed"):
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

"""The door: whichever interface somebody comes through, one rate holds."""

from pathlib import Path

import pytest
from starlette.requests import Request

from remanent.errors import NotAuthenticated, RateLimited
from remanent.memory import aopen
from remanent.operations import Place, Service
from remanent.server.door import Door


def request(**headers: str) -> Request:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": raw, "client": ("192.0.2.1", 1)})


async def test_every_interface_of_a_server_takes_from_the_same_bucket(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", server={"rate": 1, "burst": 4}) as memory, Service(memory) as service:
        settings = memory.settings.server
        rest, mcp, proxy = (Door(service, settings, timer=lambda: 100.0) for _ in range(3))
        for door in (rest, mcp, proxy, rest):
            assert door.principal(request()).name
        for door in (rest, mcp, proxy):
            with pytest.raises(RateLimited):
                door.principal(request())


async def test_guessing_keys_costs_the_same_bucket_everywhere(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", server={"rate": 1, "burst": 50}) as memory, Service(memory) as service:
        await service.perform("keys.create", {"name": "a", "permissions": ["read"]}, place=Place(org="acme"))
        doors = [Door(service, memory.settings.server, timer=lambda: 100.0) for _ in range(2)]
        for door in doors:
            with pytest.raises(NotAuthenticated):
                door.principal(request(authorization="Bearer wrong"))
        with pytest.raises(RateLimited):
            doors[0].principal(request(authorization="Bearer wrong"))


async def test_two_servers_do_not_share_theirs(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", server={"rate": 1, "burst": 1}) as memory:
        for _ in range(2):
            async with Service(memory) as service:
                Door(service, memory.settings.server, timer=lambda: 100.0).principal(request())

"""Every role against everything that a provider can do wrong: a typed outcome each, in time, and nothing unhandled."""

import asyncio
import json
from typing import Any

import pytest

from remanent.errors import LanguageError, Refused
from remanent.language import Answer, Role
from remanent.language.models.engine import ModelEngine
from remanent.language.roles import all_roles
from tests.language.models.hostility import HOSTILITIES, MEGABYTE, Hostility
from tests.language.models.samples import engine_at, taken
from tests.language.roles.good import GOOD, request_of
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import floods

pytestmark = pytest.mark.usefixtures("loaded")

SLACK = 60.0
"""Seconds that a busy machine may add."""


def text_of(name: str) -> str:
    good = GOOD[name][1]
    return good if isinstance(good, str) else json.dumps(good, ensure_ascii=False)


@pytest.mark.parametrize(
    ("role", "hostility"),
    [
        pytest.param(role, hostility, id=f"{name}: {hostility.name}")
        for name, role in all_roles().items()
        for hostility in HOSTILITIES
    ],
)
async def test_every_role_ends_in_a_typed_outcome_and_in_time(role: Role[Any, Any, Any], hostility: Hostility) -> None:
    step = hostility.step(text_of(role.name)) if hostility.step else None
    expected = None if hostility.is_about_json and role.form == "text" else hostility.outcome
    with hostility.place() as address:
        async with ScriptedServer(forever=step) as server, engine_at(address or server, **hostility.settings) as engine:
            outcome = await outcome_of(engine, role)
            requests = taken(engine, role.name).requests
    assert type(outcome) is (expected or Answer), repr(outcome)
    assert requests <= 3


async def outcome_of(engine: ModelEngine, role: Role[Any, Any, Any]) -> Any:
    try:
        async with asyncio.timeout(SLACK):
            return await engine.run(role, request_of(role.name))
    except LanguageError as error:
        return error


async def test_a_flood_is_left_as_soon_as_it_shows() -> None:
    name = "intent"
    for step in (floods(100 * MEGABYTE), floods(100 * MEGABYTE, says_so=True)):
        async with ScriptedServer(step) as server, engine_at(server, max_answer=MEGABYTE) as engine:
            with pytest.raises(Refused):
                await engine.run(all_roles()[name], request_of(name))
        # The rest of what was sent waits in the buffers of the two sockets.
        assert server.wires[0].sent < 32 * MEGABYTE

"""The same scenario over MCP: what is offered as a tool is done by the official client, the rest beside it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent import errors
from remanent.memory import aopen
from remanent.operations import CATALOGUE, Service, Target
from remanent.server.mcp.tools import chosen, offered
from tests.scenario.play import play
from tests.scenario.test_same_everywhere import through
from tests.server.mcp.world import TRANSPORTS, Transport, connected

TOOLS = {operation.name: (name, offered(operation)) for name, operation in chosen(CATALOGUE).items()}
ADA = Target(org="default", workspace="default", agent="ada")


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_the_official_client_gives_the_same(tmp_path: Path, transport: Transport) -> None:
    def expected() -> list[Any]:
        with remanent.open(tmp_path / "library", embedder="none") as memory:
            return play(through(memory.agent("ada")))

    loop = asyncio.get_running_loop()
    called: set[str] = set()
    async with (
        aopen(tmp_path / "mcp", embedder="none") as memory,
        Service(memory) as service,
        connected(tmp_path / "mcp", transport) as client,
    ):

        async def perform(name: str, given: dict[str, Any]) -> Any:
            tool, fields = TOOLS.get(name, ("", {}))
            if not given.keys() <= fields.keys() or not tool:
                answer = await service.perform(name, given, place=ADA)
                return getattr(answer, "items", answer)
            called.add(tool)
            result = await client.call_tool(tool, given)
            if result.is_error:
                told = result.structured_content
                raise getattr(errors, told["error"])(told["message"])
            # A page of entries is a list for those who call a method, and a scratchpad its values.
            inner = {"history": "items", "scratchpad_read": "values"}.get(tool)
            return result.structured_content[inner] if inner else result.structured_content

        def do(name: str, given: dict[str, Any]) -> Any:
            return asyncio.run_coroutine_threadsafe(perform(name, given), loop).result()

        outcome = await asyncio.to_thread(play, do)
    assert outcome == await asyncio.to_thread(expected)
    assert called == {
        "remember", "recall", "history", "forget", "deep_retrieval", "scratchpad_read", "scratchpad_write",
    }  # fmt: skip

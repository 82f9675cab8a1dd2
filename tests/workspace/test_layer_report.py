"""The six layers: each says what it holds, and follows what is there."""

import json
from pathlib import Path

import pytest

from tests.workspace.world import TALK, agent_in


@pytest.mark.spec("WORK-10")
async def test_one_call_says_which_layer_holds_what(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        empty = {layer.name: {one.what: one.count for one in layer.holds} for layer in await agent.workspace.layers()}
        assert [*empty] == ["core", "episodic", "semantic", "working", "long_term", "workspace"]
        assert empty["episodic"] == {"journal": 0}
        await agent.remember("Ada lives in Lisbon.")
        await agent.scratchpad_write("plan", "1. read")
        await agent.workspace.end(TALK)
        (tmp_path / "ws" / "SOUL.md").write_text("Be brief.", encoding="utf-8")
        talk = [*TALK, {"role": "tool", "tool_call_id": "1", "content": "42"}]
        (tmp_path / "ws" / "messages.json").write_text(json.dumps(talk), encoding="utf-8")
        await agent.workspace.index()
        held = {layer.name: {one.what: one.count for one in layer.holds} for layer in await agent.workspace.layers()}
    assert held["core"]["SOUL.md"] == len("Be brief.")
    assert held["episodic"] == {"journal": 1}
    assert held["semantic"]["indexed passages"] > empty["semantic"]["indexed passages"]
    assert held["working"] == {"scratchpad": 1, "messages.json": 7, "tool traces": 1}
    assert held["long_term"]["MEMORY.md"] > empty["long_term"]["MEMORY.md"]
    assert held["workspace"]["memory/<day>.md"] == 1


async def test_saying_what_the_layers_hold_writes_nothing(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await agent.workspace.end(TALK)
        before = [line async for line in agent.export()]
        held = {layer.name: {one.what: one.count for one in layer.holds} for layer in await agent.workspace.layers()}
        assert held["semantic"]["indexed passages"] == 0
        assert [line async for line in agent.export()] == before

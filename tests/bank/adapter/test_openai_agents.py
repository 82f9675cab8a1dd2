"""The OpenAI Agents SDK itself on a bank's steps, its model spoken to over real HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from remanent.agents.tools import FunctionTool
from remanent.bank.adapter.openai_agents import OpenAIAgentsFramework
from remanent.errors import InvalidInput, ToolFailed
from tests.bank.adapter.frameworks import ANSWER, PICTURE, check, picture_of, see_through, tools_of
from tests.bank.desk import desk
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import calls, fails, says


@asynccontextmanager
async def framework_at(server: ScriptedServer, *, max_turns: int = 60) -> AsyncIterator[OpenAIAgentsFramework]:
    from agents import Agent, OpenAIChatCompletionsModel
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
        model = OpenAIChatCompletionsModel(model="scripted", openai_client=client)
        yield OpenAIAgentsFramework(Agent(name="worker", model=model), max_turns=max_turns)


@pytest.mark.spec("BANK-21", "BANK-22", "BANK-27")
async def test_the_sdk_sees_a_task_through_on_the_same_adapter(tmp_path: Path) -> None:
    steps = (
        says(PICTURE).expecting("<uploads>", "Karl Brandt"),
        calls("lookup", {"name": "The station of Vell"}).expecting("<task>", "<memory>", "six platforms"),
        says(ANSWER).expecting("says the register"),
    )
    async with ScriptedServer(*steps) as server, framework_at(server) as framework:
        made, result = await see_through(framework, tmp_path)
        assert picture_of(server.requests[0]).startswith("data:image/png;base64,iVBOR")
        assert tools_of(server.requests[1]) == ["deep_retrieval", "lookup"]
    check(made, result)


@pytest.mark.spec("BANK-24", "BANK-27")
async def test_the_sdk_can_read_what_stands_behind_a_node(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("When was it opened?", context="The station of Vell was opened in 1904.")
    await made.adapter.plan()
    prompt = await made.adapter.enhance()
    node_id = prompt.nodes[0].node.id
    steps = (
        calls("deep_retrieval", {"node_id": node_id}),
        says("In 1904.").expecting('"entries"', "opened in 1904"),
    )
    async with ScriptedServer(*steps) as server, framework_at(server) as framework:
        done = await framework.execute(framework.present(prompt, tools=[made.adapter.tool]))
    execution = framework.capture(done)
    assert (execution.answer, execution.context) == ("In 1904.", "In 1904.")
    assert [call.name for call in execution.tool_calls] == ["deep_retrieval"]


async def test_what_goes_wrong_with_a_tool_is_told_to_the_model(tmp_path: Path) -> None:
    def refuse() -> str:
        raise ToolFailed("not today")

    made = desk(tmp_path)
    await made.bank.start("Go.")
    await made.adapter.plan()
    steps = (calls("refuse", "no json"), calls("refuse", {}), says("So be it.").expecting("error: not today"))
    async with ScriptedServer(*steps) as server, framework_at(server) as framework:
        step = framework.present(await made.adapter.enhance(), tools=[FunctionTool(refuse)])
        execution = framework.capture(await framework.execute(step))
        sent = json.dumps(server.requests[1].body)
    assert execution.answer == "So be it."
    assert "the arguments are not a JSON object" in sent


@pytest.mark.spec("BANK-26")
async def test_an_agent_that_fails_fails_the_step(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("Go.")
    await made.adapter.plan()
    prompt = await made.adapter.enhance()
    async with ScriptedServer(fails(500)) as server, framework_at(server) as framework:
        with pytest.raises(ToolFailed, match="the agent failed"):
            await framework.execute(framework.present(prompt, tools=[]))
    again = calls("deep_retrieval", {"node_id": "n"})
    async with ScriptedServer(again, again) as server, framework_at(server, max_turns=2) as framework:
        with pytest.raises(ToolFailed, match="MaxTurnsExceeded"):
            await framework.execute(framework.present(prompt, tools=[made.adapter.tool]))


def test_limits_that_make_no_sense_are_refused() -> None:
    from agents import Agent

    with pytest.raises(InvalidInput):
        OpenAIAgentsFramework(Agent(name="worker"), max_turns=0)

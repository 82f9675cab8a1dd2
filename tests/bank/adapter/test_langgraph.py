"""LangGraph itself on a bank's steps, with a chat model that is spoken to over real HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from remanent.agents.tools import FunctionTool
from remanent.bank.adapter.langgraph import LangGraphFramework
from remanent.errors import InvalidInput, ToolFailed
from tests.bank.adapter.frameworks import ANSWER, PICTURE, check, picture_of, see_through, tools_of
from tests.bank.desk import desk
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import calls, fails, says


@asynccontextmanager
async def framework_at(server: ScriptedServer, **options: int) -> AsyncIterator[LangGraphFramework]:
    from tests.bank.adapter.http_chat import HttpChat

    yield LangGraphFramework.on_model(HttpChat(base_url=server.base_url), **options)


@pytest.mark.spec("BANK-21", "BANK-22", "BANK-27")
async def test_langgraph_sees_a_task_through_on_the_same_adapter(tmp_path: Path) -> None:
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
async def test_langgraph_can_read_what_stands_behind_a_node(tmp_path: Path) -> None:
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
    steps = (calls("refuse", {}), says("So be it.").expecting("not today"))
    async with ScriptedServer(*steps) as server, framework_at(server) as framework:
        step = framework.present(await made.adapter.enhance(), tools=[FunctionTool(refuse)])
        execution = framework.capture(await framework.execute(step))
    assert (execution.answer, "not today" in execution.context) == ("So be it.", False)


@pytest.mark.spec("BANK-26")
async def test_a_graph_that_fails_or_never_ends_fails_the_step(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("Go.")
    await made.adapter.plan()
    prompt = await made.adapter.enhance()
    async with ScriptedServer(fails(500)) as server, framework_at(server) as framework:
        with pytest.raises(ToolFailed, match="the graph failed"):
            await framework.execute(framework.present(prompt, tools=[]))
    again = calls("deep_retrieval", {"node_id": "n"})
    async with ScriptedServer(forever=again) as server, framework_at(server, max_steps=5) as framework:
        with pytest.raises(ToolFailed, match="GraphRecursionError"):
            await framework.execute(framework.present(prompt, tools=[made.adapter.tool]))


def test_limits_that_make_no_sense_are_refused() -> None:
    from tests.bank.adapter.http_chat import HttpChat

    with pytest.raises(InvalidInput):
        LangGraphFramework.on_model(HttpChat(base_url="http://localhost:1"), max_steps=0)

"""What an agent works with over MCP, by the official client: its scratchpad, the state of a task, the raw words."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from remanent.bilingual import Bilingual
from remanent.discipline.operation import Tool, operation
from remanent.discipline.shapes import Done, Nothing
from remanent.http.client import certificates
from remanent.memory import aopen
from remanent.operations import Catalogue, Permission, ProgressStep
from remanent.operations.access.keys import Reach
from remanent.operations.call import ServiceCall
from remanent.server import authentication
from tests.power import fills_up
from tests.server.mcp.world import TRANSPORTS, Transport, connected, served, text_of

CONTEXT = "Mount Kelt is 3,412 metres high. It was first climbed in 1921 by Ines Moura."


async def called(client: Any, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_scratchpad_outlives_the_server(tmp_path: Path, transport: Transport) -> None:
    async with connected(tmp_path, transport) as client:
        done = await called(client, "scratchpad_write", key="plan", value="1. read </memory> 2. compare")
        assert (done.content[0].text, done.structured_content) == ("Done.", {"done": True})
        assert "empty" in (await called(client, "scratchpad_read", session="other")).content[0].text
    async with connected(tmp_path, transport) as client:
        result = await called(client, "scratchpad_read")
        assert result.structured_content == {"values": {"plan": "1. read </memory> 2. compare"}}
        assert "</memory>" not in result.content[0].text
        missing = await called(client, "scratchpad_read", key="paln")
        told = "The scratchpad has nothing under that key; its keys are: plan."
        assert (missing.content[0].text, missing.structured_content) == (told, {"values": {}})
        missing = await called(client, "scratchpad_read", key="计划")
        assert missing.content[0].text == "草稿板上没有这个键；现有的键：plan。"
        await called(client, "scratchpad_write", key="plan")
        assert "empty" in (await called(client, "scratchpad_read", key="plan")).content[0].text
        assert (await called(client, "scratchpad_read")).structured_content == {"values": {}}


@pytest.mark.needs("bank")
async def test_the_state_of_a_kept_task_leads_to_the_raw_words(tmp_path: Path) -> None:
    async with connected(tmp_path, "http") as client:
        await called(client, "bank_run", task="How high is Mount Kelt?", context=CONTEXT, bank_id="kelt")
        state = await called(client, "task_state", bank_id="kelt")
        told = state.content[0].text
        assert "How high is Mount Kelt?" in told
        node_ids = [node["node_id"] for node in state.structured_content["nodes"]]
        assert node_ids
        assert all(node_id in told for node_id in node_ids)
        raw = [await called(client, "deep_retrieval", record_id=node_id) for node_id in node_ids]
        assert "3,412" in "".join(one.content[0].text for one in raw)
        unknown = await client.call_tool("task_state", {"bank_id": "nothing"})
        assert unknown.is_error


async def test_the_words_behind_a_memory_come_whole_with_their_files(tmp_path: Path) -> None:
    long = "This sentence is not short. " * 200
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        short = await ada.attach(b"the short file", name="short.txt", media_type="text/plain")
        large = await ada.attach(b"x" * 30_000, name="large.txt", media_type="text/plain")
        outside = short.replace(attachment_id="elsewhere", digest=None, uri="https://example.com/a.png")
        receipt = await ada.remember([{"role": "user", "content": long, "attachments": [short, large, outside]}])
        await memory.settle()
    (record_id,) = receipt.entry_ids
    async with connected(tmp_path, "http") as client:
        result = await called(client, "deep_retrieval", record_id=record_id)
        (entry,) = result.structured_content["entries"]
        assert entry["text"] == long
        assert long.strip() in result.content[0].text
        found = {item["name"] + item["path"]: (item["content"], bool(item["problem"])) for item in entry["attachments"]}
        assert found["short.txt"] == ("the short file", False)
        assert found["large.txt"] == ("", True)
        assert found["short.txthttps://example.com/a.png"] == ("", True)
        result = await called(client, "deep_retrieval", record_id=record_id, attachment_id=large.attachment_id)
        ((item,),) = [entry["attachments"] for entry in result.structured_content["entries"]]
        assert item["content"] == "x" * 30_000
        unknown = await client.call_tool("deep_retrieval", {"record_id": record_id, "attachment_id": "nothing"})
        assert unknown.structured_content["error"] == "NotFound"


async def test_the_program_that_runs_a_model_keeps_sessions_and_fits_a_conversation_by_tools_no_model_sees(
    tmp_path: Path,
) -> None:
    async with connected(tmp_path, "http") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names.isdisjoint({"session_begin", "session_end", "context_shrink"})
        begun = await client.call_tool("session_begin", {"session": "monday"})
        ended = await client.call_tool("session_end", {"session": "monday"})
        assert begun.structured_content is not None
        assert ended.structured_content is not None
        assert (begun.structured_content["session"], begun.structured_content["ended_at"]) == ("monday", None)
        assert ended.structured_content["ended_at"] is not None
        talk = [{"role": "user", "content": f"Step {number}: " + "look at the log. " * 40} for number in range(30)]
        fitted = await client.call_tool("context_shrink", {"messages": talk, "budget": 800})
        assert fitted.structured_content is not None
        assert 0 < fitted.structured_content["tokens"] <= 800
        assert fitted.structured_content["messages"][-1]["content"] == talk[-1]["content"]
        refused = await client.call_tool("session_end", {"session": "monday", "reason": "hook"})
        assert refused.is_error


WAIT = Tool("wait", Bilingual("Wait for ever.", "永远等待。"))


GIVEN_UP = asyncio.Event()


@operation("wait", zh="永远等待。", permission=Permission.READ, long=True, tool=WAIT)
async def wait(call: ServiceCall, request: Nothing) -> Done:
    """Wait for ever, and say so."""
    del request
    GIVEN_UP.clear()
    try:
        while True:
            call.report(ProgressStep(done=1, note="waiting"))
            await asyncio.sleep(0)
    finally:
        GIVEN_UP.set()


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("method", ["POST", "GET"])
async def test_a_stream_ends_soon_after_its_key_was_revoked_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(authentication, "LOOK_AGAIN", 0.001)
    meta = {"progressToken": "p"}
    asked = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait", "_meta": meta}}
    async with served(tmp_path, catalogue=Catalogue([wait])) as server:
        key, token = server.service.keys.create("a", reach=Reach(), permissions=(Permission.READ,))
        headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30, verify=certificates()) as http,
            http.stream(method, f"{server.address}/mcp", json=asked if method == "POST" else None) as answer,
        ):
            assert answer.headers["content-type"].startswith("text/event-stream")
            lines = answer.aiter_lines()
            if method == "POST":
                assert "waiting" in [await anext(lines), await anext(lines)][1]
            server.service.keys.revoke(key.key_id)
            said = [line async for line in lines if line.startswith("data: ")]
            if method == "POST":
                await asyncio.wait_for(GIVEN_UP.wait(), 30)
        told = json.loads(said[-1].removeprefix("data: "))
        assert (told["id"], told["error"]["code"]) == (7 if method == "POST" else None, -32600)
        assert "unknown, expired or revoked" in told["error"]["message"]


@pytest.mark.spec("SAFE-03")
async def test_a_model_is_told_that_what_could_not_be_noted_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path) as server, server.client() as client:
        await called(client, "remember", messages=["Ada lives in Lisbon."])
        with monkeypatch.context() as patch:
            fills_up(patch)
            told = await client.call_tool("remember", {"messages": ["Ada likes tea."]})
        assert (told.is_error, told.structured_content["error"]) == (True, "AuditFailed")
        assert text_of(told).startswith(
            "It has been done; do not do it again: remember was done, but could not be recorded"
        )

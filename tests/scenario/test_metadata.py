"""Metadata and tags go in, come back and filter through every door."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.errors import InvalidInput
from remanent.plugins import ours_available
from tests.cli.conftest import Cli, cli
from tests.client.serving import serving
from tests.server.mcp.world import connected

__all__ = ["cli"]

ALICE: dict[str, Any] = {"metadata": {"user_id": "alice", "year": 2023}, "tags": ["drinks", "morning"]}
BOB: dict[str, Any] = {"metadata": {"user_id": "bob", "year": 2025, "vip": True}, "tags": ["drinks", "evening"]}
QUESTIONS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"alice", "bob"}),
    ({"where": {"user_id": "alice"}}, {"alice"}),
    ({"where": {"user_id": ["alice", "bob"], "vip": True}}, {"bob"}),
    ({"where": {"year": {"gte": 2024}}}, {"bob"}),
    ({"where": {"user_id": "nobody"}}, set()),
    ({"tags": ["drinks", "morning"]}, {"alice"}),
    ({"any_tags": ["morning", "evening"]}, {"alice", "bob"}),
    ({"where": {"user_id": "bob' OR '1'='1"}}, set()),
]


def check_library(agent: Any, settle: Callable[[], None]) -> None:
    agent.remember("I always drink tea at breakfast.", **ALICE)
    agent.remember([{"role": "user", "content": "I always drink tea at night.", **BOB}])
    for _ in range(2):  # before it is indexed, and after
        for narrowed, users in QUESTIONS:
            found = agent.recall("Who drinks tea?", **narrowed)
            assert {item.metadata["user_id"] for item in found.items} == users, narrowed
            assert {entry.metadata["user_id"] for entry in agent.entries(**narrowed)} == users, narrowed
        settle()
        assert {record.tags for record in agent.records(where={"vip": True})} == {("drinks", "evening")}
    (item,) = agent.recall("tea", where={"user_id": "alice"}).items
    assert (item.metadata, list(item.tags)) == (ALICE["metadata"], ALICE["tags"])
    assert (item.sources[0].metadata, list(item.sources[0].tags)) == (ALICE["metadata"], ALICE["tags"])
    for refused in ({"where": {"a": {"like": "%"}}}, {"where": 7}, {"tags": [7]}):
        with pytest.raises(InvalidInput, match=r"where|tags"):
            agent.recall("tea", **refused)
    with pytest.raises(InvalidInput, match="metadata"):
        agent.remember("x", metadata={"long": "x" * 20_000})


@pytest.mark.spec("USE-02")
def test_the_library_keeps_and_filters_by_them(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        check_library(memory.agent("ada"), memory.settle)
        if "associative" not in ours_available():
            return
        memory.agent("ada").associative.remember("A cat.", metadata={"user_id": "carol"})
        assert [entry.text for entry in memory.agent("ada").entries(where={"user_id": "carol"})] == ["A cat."]


@pytest.mark.spec("USE-02")
def test_a_server_keeps_and_filters_by_them(tmp_path: Path) -> None:
    with serving(tmp_path) as served, remanent.connect(served.url) as memory:
        agent = memory.agent("ada", org="acme", workspace="lab")
        check_library(agent, agent.settle)
        import httpx2

        path = f"{served.url}/v1/orgs/acme/workspaces/lab/agents/ada"
        with httpx2.Client(timeout=30) as http:
            for where in ('{"user_id": "bob"}', "user_id=bob"):
                listed = http.get(f"{path}/entries", params={"where": where, "any_tags": "evening"})
                assert [entry["tags"] for entry in listed.json()["items"]] == [BOB["tags"]]
            refused = http.get(f"{path}/entries", params={"where": "bob"})
            assert (refused.status_code, "user_id=u1" in refused.text) == (422, True)


@pytest.mark.spec("USE-02")
async def test_tools_of_mcp_keep_and_filter_by_them(tmp_path: Path) -> None:
    async with connected(tmp_path, "http") as client:
        for text, noted in (("I drink tea at breakfast.", ALICE), ("I drink tea at night.", BOB)):
            assert not (await client.call_tool("remember", {"messages": text, **noted})).is_error
        for narrowed, users in QUESTIONS:
            found = (await client.call_tool("recall", {"query": "Who drinks tea?", **narrowed})).structured_content
            assert {item["metadata"]["user_id"] for item in found["items"]} == users, narrowed
            listed = (await client.call_tool("history", narrowed)).structured_content
            assert {entry["metadata"]["user_id"] for entry in listed["items"]} == users, narrowed


@pytest.mark.spec("USE-02")
def test_commands_keep_and_filter_by_them(cli: Cli) -> None:
    for text, noted in (("I drink tea at breakfast.", ALICE), ("I drink tea at night.", BOB)):
        pairs = [f"--metadata={key}={str(value).lower()}" for key, value in noted["metadata"].items()]
        assert cli("remember", text, *pairs, *(f"--tag={tag}" for tag in noted["tags"])).code == 0
    for options, users in (
        (["--where", "user_id=alice"], {"alice"}),
        (["--where", "year>=2024", "--where", "vip=true"], {"bob"}),
        (["--where", '{"user_id": ["alice", "bob"]}', "--tag", "evening"], {"bob"}),
        (["--any-tag", "morning", "--any-tag", "evening"], {"alice", "bob"}),
    ):
        items = cli("recall", "who drinks tea?", *options, "--json").json["items"]
        assert {item["metadata"]["user_id"] for item in items} == users, options
        assert {entry["metadata"]["user_id"] for entry in cli("entries", *options, "--json").json} == users
    assert cli("entries", "--where", "year").code == 65

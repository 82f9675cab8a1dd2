"""A conversation as a vendor's API has it is remembered alike through every door."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.errors import InvalidInput
from tests.cli.conftest import Cli, cli
from tests.client.serving import serving
from tests.server.mcp.world import connected

__all__ = ["cli"]

PICTURE = b"\x89PNG a cat"
CONVERSATION: list[Any] = [
    "I keep bees on the roof.",
    {
        "role": "user",
        "name": "Alice",
        "content": [
            {"type": "text", "text": "This is my cat Miso."},
            {
                "type": "image_url",
                "image_url": {"url": f"data:image/png;base64,{base64.b64encode(PICTURE).decode()}"},
            },
        ],
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find_vet", "arguments": '{"city": "Porto"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "Dr. Sousa, Rua das Flores 12"},
    {"role": "assistant", "content": [{"type": "text", "text": "Dr. Sousa is near you."}]},
]
EXPECTED = [
    ("message", "user", "I keep bees on the roof."),
    ("message", "Alice", "This is my cat Miso."),
    ("tool_call", "assistant", 'find_vet({"city": "Porto"})'),
    ("tool_result", "tool", "Dr. Sousa, Rua das Flores 12"),
    ("message", "assistant", "Dr. Sousa is near you."),
]


def kept(agent: Any) -> list[tuple[str, str, str]]:
    entries = agent.entries()
    (attachment,) = entries[1].attachments
    assert agent.attachment(attachment) == PICTURE
    return [(entry.kind.value, entry.role, entry.text) for entry in entries]


@pytest.mark.spec("USE-01")
def test_the_library_takes_it(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        agent = memory.agent("ada")
        agent.remember(CONVERSATION)
        assert kept(agent) == EXPECTED
        agent.remember("A plain text.")
        with pytest.raises(InvalidInput, match="text is empty"):
            agent.remember([*CONVERSATION, ""])
        assert len(agent.entries()) == len(EXPECTED) + 1
        assert "Dr. Sousa" in agent.recall("Which vet is in the Rua das Flores?").text


@pytest.mark.spec("USE-01")
def test_a_server_takes_it_from_its_client_and_as_plain_json(tmp_path: Path) -> None:
    with serving(tmp_path) as served, remanent.connect(served.url) as memory:
        agent = memory.agent("ada", org="acme", workspace="lab")
        agent.remember(CONVERSATION)
        assert kept(agent) == EXPECTED
        agent.remember("A plain text.")
        assert agent.entries()[-1].text == "A plain text."
        with pytest.raises(InvalidInput, match="text is empty"):
            agent.remember("")
        import httpx2

        path = f"{served.url}/v1/orgs/acme/workspaces/lab/agents/bob/entries"
        with httpx2.Client(timeout=30) as http:
            assert http.post(path, json={"messages": CONVERSATION}).status_code == 200
            assert http.post(path, json={"messages": "A plain text."}).status_code == 200
            refused = http.post(path, json={"messages": [{"role": "user", "content": ""}]})
        assert refused.status_code == 422
        assert "text is empty" in refused.json()["detail"]
        bob = memory.agent("bob", org="acme", workspace="lab")
        assert [(entry.kind.value, entry.role, entry.text) for entry in bob.entries()][:-1] == EXPECTED


@pytest.mark.spec("USE-01")
async def test_a_tool_of_mcp_takes_it(tmp_path: Path) -> None:
    async with connected(tmp_path, "http") as client:
        for messages in (CONVERSATION, "A plain text."):
            result = await client.call_tool("remember", {"messages": messages})
            assert not result.is_error, result.content
        refused = await client.call_tool("remember", {"messages": [{"content": " "}]})
        assert refused.structured_content["error"] == "InvalidInput"
        listed = await client.call_tool("history", {})
        found = [(one["kind"], one["role"], one["text"]) for one in listed.structured_content["items"]]
    assert found == [*EXPECTED, ("message", "user", "A plain text.")]


@pytest.mark.spec("USE-01")
def test_the_command_line_takes_it_from_a_file(cli: Cli) -> None:
    lines = "\n".join(json.dumps(one) for one in CONVERSATION)
    assert cli("remember", "--file", "-", given=lines).code == 0
    entries = cli("entries", "--json").json
    assert [(one["kind"], one["role"], one["text"]) for one in entries] == EXPECTED

"""A chat longer than the window is made to fit before it is sent, in every dialect, and never breaks for it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from remanent.context import Compactor
from remanent.memory import aopen
from remanent.model import Scope
from remanent.server.proxy.conversation import read_body
from remanent.server.proxy.dialects import CHAT_COMPLETIONS, MESSAGES, RESPONSES, ChatDialect
from remanent.server.proxy.memory import ChatShrinking
from tests.context.dialogues import dialogue
from tests.language.scripted.steps import says
from tests.server.proxy.world import MODEL, world

ADA = Scope(org="default", workspace="default", agent="ada")
QUESTION = {"role": "user", "content": "So where did we leave off?"}
SMALL = {"window": 5000}


def openai_items() -> list[dict[str, Any]]:
    return [{"role": "system", "content": "Be brief."}, *dialogue("en", messages=80, tokens=20_000), QUESTION]


def anthropic_items() -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for one in dialogue("en", messages=80, tokens=20_000):
        if one["role"] == "tool":
            block = {"type": "tool_result", "tool_use_id": one["tool_call_id"], "content": one["content"]}
            items.append({"role": "user", "content": [block]})
        elif "tool_calls" in one:
            uses = [{"type": "tool_use", "id": call["id"], "name": "run", "input": {}} for call in one["tool_calls"]]
            items.append({"role": "assistant", "content": [{"type": "text", "text": one["content"]}, *uses]})
        else:
            items.append(one)
    return [*items, QUESTION]


def responses_items() -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for one in dialogue("en", messages=80, tokens=20_000):
        if one["role"] == "tool":
            items.append({"type": "function_call_output", "call_id": one["tool_call_id"], "output": one["content"]})
            continue
        items.append({"type": "message", "role": one["role"], "content": one["content"]})
        for call in one.get("tool_calls", ()):
            items.append({"type": "reasoning", "id": f"rs_{call['id']}", "summary": []})
            items.append({"type": "function_call", "call_id": call["id"], "name": "run", "arguments": "{}"})
    return [*items, QUESTION]


def calls_and_results(dialect: ChatDialect, items: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    if dialect is RESPONSES:
        calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
        return calls, [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    if dialect is CHAT_COMPLETIONS:
        calls = [call["id"] for item in items for call in item.get("tool_calls", ())]
        return calls, [item["tool_call_id"] for item in items if item["role"] == "tool"]
    blocks = [block for item in items if isinstance(item["content"], list) for block in item["content"]]
    calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return calls, [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]


EVERY = pytest.mark.parametrize(
    ("dialect", "items"),
    [(CHAT_COMPLETIONS, openai_items()), (MESSAGES, anthropic_items()), (RESPONSES, responses_items())],
    ids=["chat completions", "messages", "responses"],
)


@EVERY
@pytest.mark.spec("COG-03")
async def test_a_long_chat_fits_its_window_and_no_call_is_parted_from_its_result(
    tmp_path: Path, dialect: ChatDialect, items: list[dict[str, Any]]
) -> None:
    data = json.dumps({"model": MODEL, dialect.items: items, "temperature": 0}).encode()
    async with aopen(tmp_path, embedder="none", context=SMALL) as memory:
        shrunk = await ChatShrinking(memory, timeout=300).shrink(ADA, dialect, read_body(data, items=dialect.items))
        assert shrunk is not None
        sent = json.loads(shrunk.body.data)
        assert (sent["model"], sent["temperature"]) == (MODEL, 0)
        kept = sent[dialect.items]
        assert shrunk.view.tokens <= 3500 < shrunk.view.tokens_before
        assert len(shrunk.body.data) < len(data) / 4
        assert kept[-1] == QUESTION
        assert "remanent_place" not in shrunk.body.text
        calls, results = calls_and_results(dialect, kept)
        assert calls == results
        if dialect is MESSAGES:
            assert {item["role"] for item in kept} <= {"user", "assistant"}
            assert kept[0]["role"] == "user"
        if dialect is RESPONSES:
            for place, item in enumerate(kept):
                if item.get("type") == "reasoning":
                    assert kept[place + 1]["type"] == "function_call"


@EVERY
async def test_a_chat_that_fits_goes_as_it_came(
    tmp_path: Path, dialect: ChatDialect, items: list[dict[str, Any]]
) -> None:
    data = json.dumps({"model": MODEL, dialect.items: items}).encode()
    async with aopen(tmp_path, embedder="none", context={"window": 200_000}) as memory:
        body = read_body(data, items=dialect.items)
        assert await ChatShrinking(memory, timeout=300).shrink(ADA, dialect, body) is None


@pytest.mark.spec("COG-17")
async def test_the_header_tells_what_was_done_and_recall_tells_what_was_left_out(tmp_path: Path) -> None:
    fact = "The harbour master's name is Ottoline Quell."
    chat = openai_items()[1:-1]
    # Said in the middle of a tool's long result, which shortening cuts out.
    place = next(number for number, one in enumerate(chat) if one["role"] == "tool")
    lines = chat[place]["content"].splitlines()
    lines.insert(len(lines) // 2, fact)
    chat[place] = {**chat[place], "content": "\n".join(lines)}
    asked = {"role": "user", "content": "Who is the harbour master, Ottoline Quell?"}
    async with (
        world(tmp_path, forever=says("She is."), shrink=True, context=SMALL) as one,
        one.client() as client,
    ):
        await one.agent().remember(fact, session="s1")
        await one.agent().settle()
        raw = await client.chat.completions.with_raw_response.create(model=MODEL, messages=[*chat, asked])
        header = raw.headers["x-remanent-context"]
        assert re.fullmatch(
            r"level=[23], messages=81>\d\d, tokens=2\d{4}>[23]\d{3}, tool-results=\d+>\d+, summaries=\d+>\d+.*", header
        )
        *history, (_, memory), (_, question) = one.asked()
        assert len(json.dumps(history)) < 30_000
        assert "Quell" not in json.dumps(history)
        assert memory.startswith("<memory")
        assert fact in memory
        assert question == asked["content"]
        short = await client.chat.completions.with_raw_response.create(model=MODEL, messages=[asked])
        assert "x-remanent-context" not in short.headers


async def test_where_shrinking_fails_the_chat_goes_as_it_came(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(Compactor, "view", fails)
    async with world(tmp_path, forever=says("Yes."), shrink=True, context=SMALL) as one, one.client() as client:
        answer = await client.chat.completions.create(model=MODEL, messages=openai_items())
        assert answer.choices[0].message.content == "Yes."
        assert len(one.asked()) >= 80


async def test_without_the_setting_nothing_is_shortened(tmp_path: Path) -> None:
    async with world(tmp_path, forever=says("Yes."), context=SMALL) as one, one.client() as client:
        raw = await client.chat.completions.with_raw_response.create(model=MODEL, messages=openai_items())
        assert "x-remanent-context" not in raw.headers

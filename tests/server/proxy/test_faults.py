"""A fault of memory never breaks a chat, and no turn is lost or kept twice by it."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from remanent.errors import QueueFull, StorageError
from remanent.http.client import certificates
from remanent.memory import AsyncAgent, aopen
from remanent.model import Entry, Found, RecallOptions
from remanent.operations import Service, Target
from remanent.server import authentication
from remanent.server.proxy import Proxy
from remanent.server.proxy.memory import ChatTurn
from tests.language.scripted.places import nobody
from tests.language.scripted.steps import cuts, hangs_up, says, stalls
from tests.power import fills_up
from tests.server.proxy.steps import Pausing, delta, event, sends_raw, streams
from tests.server.proxy.world import MODEL, broken, question, texts, world

ASKS = [question("Where did I move?")]
FAULTS = [StorageError("the disk is gone"), QueueFull("too much"), ZeroDivisionError(), OSError(28, "no space")]


def unanswered(entries: list[Entry]) -> list[tuple[str, object]]:
    return [(entry.text, entry.metadata["unanswered"]) for entry in entries]


async def chat(here: Any, *, stream: bool = False, **more: Any) -> Any:
    async with here.client() as client:
        raw = await client.chat.completions.with_raw_response.create(
            model=MODEL, messages=more.get("messages", ASKS), stream=stream
        )
        answer = raw.parse()
        if stream:
            return raw.headers, "".join([e.choices[0].delta.content or "" async for e in answer if e.choices])
        return raw.headers, answer.choices[0].message.content


# ── memory fails ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
async def test_a_memory_that_cannot_answer_is_told_in_a_header_and_the_chat_goes_on(
    tmp_path: Path, fault: Exception, is_stream: bool
) -> None:
    async with world(tmp_path, says("Hello.")) as here:
        await here.agent().remember("I moved to Lisbon.")
        with broken("recall", fault=fault):
            headers, said = await chat(here, stream=is_stream)
        assert said == "Hello."
        assert headers["x-remanent"] == "degraded"
        assert here.asked() == [("user", "Where did I move?")]
        assert len(await here.journal()) == 3


async def test_a_memory_that_hangs_delays_a_chat_no_longer_than_settings_say(tmp_path: Path) -> None:
    async with world(tmp_path, says("Hello."), recall_timeout=0.01, keep_timeout=0.3) as here:
        with broken("recall", "remember", "entries", hangs=True):
            headers, said = await chat(here)
        assert (said, headers["x-remanent"]) == ("Hello.", "degraded")
        assert await here.said() == []
    async with world(tmp_path) as here:  # without those limits, which a busy machine may need longer than
        assert await here.proxy.keeper.drain() == 0
        assert await here.said() == [("user", "Where did I move?"), ("assistant", "Hello.")]


async def test_a_chat_goes_on_with_what_words_find_while_models_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes: list[RecallOptions] = []
    recall = AsyncAgent.recall

    async def noting(agent: AsyncAgent, query: str, **given: Any) -> Found:
        wishes.append(given["options"])
        return await recall(agent, query, **given)

    monkeypatch.setattr(AsyncAgent, "recall", noting)
    async with world(tmp_path, says("To Lisbon."), recall_timeout=300) as here:
        await chat(here)
    assert [one.within for one in wishes] == [150], "time is left to make a text of what was found"


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
async def test_a_turn_that_memory_cannot_take_is_stored_later_once(
    tmp_path: Path, fault: Exception, is_stream: bool
) -> None:
    async with world(tmp_path, says("To Lisbon.")) as here:
        with broken("remember", fault=fault):
            headers, said = await chat(here, stream=is_stream)
            assert await here.proxy.keeper.drain() == 1
        assert said == "To Lisbon."
        # The header of a stream is sent before there is anything to keep.
        assert headers["x-remanent"] == ("ok" if is_stream else "degraded")
        assert await here.said() == []
        for _ in range(2):
            assert await here.proxy.keeper.drain() == 0
        assert await here.said() == [("user", "Where did I move?"), ("assistant", "To Lisbon.")]


async def test_a_turn_that_was_stored_although_memory_failed_is_not_stored_again(tmp_path: Path) -> None:
    async with world(tmp_path, says("To Lisbon.")) as here:
        keeper = here.proxy.keeper
        deliver = keeper._deliver

        async def deliver_and_fail(turn: Any) -> None:
            await deliver(turn)
            raise TimeoutError

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(keeper, "_deliver", deliver_and_fail)
            await chat(here)
        assert len(await here.journal()) == 2
        await keeper.drain()
        assert len(await here.journal()) == 2


async def test_a_spooled_turn_outlives_the_process_and_keeps_its_times(tmp_path: Path) -> None:
    async with world(tmp_path, says("To Lisbon.")) as here:
        with broken("remember"):
            await chat(here)
        said_at = here.clock.now
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        proxy = Proxy(service)
        assert await proxy.keeper.drain() == 0
        entries = await memory.agent("ada").entries()
    assert texts(entries) == ["Where did I move?", "To Lisbon."]
    assert {entry.occurred_at for entry in entries} == {said_at}
    assert {entry.scope.session for entry in entries} == {"s1"}


async def test_the_running_proxy_empties_its_spool_by_itself(tmp_path: Path) -> None:
    async with world(tmp_path, says("To Lisbon.")) as here:
        with broken("remember"):
            await chat(here)
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        async with Proxy(service).running(), asyncio.timeout(30):
            while list((tmp_path / ".proxy").glob("*.json")):  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
        assert texts(await memory.agent("ada").entries()) == ["Where did I move?", "To Lisbon."]


async def test_not_even_a_full_disk_breaks_a_chat(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with world(tmp_path, says("To Lisbon.")) as here:
        (tmp_path / ".proxy").write_text("no folder can be here")
        with broken("remember"):
            headers, said = await chat(here)
    assert (said, headers["x-remanent"]) == ("To Lisbon.", "degraded")
    assert "a turn is lost" in caplog.text


# ── the client leaves, the model breaks off ──────────────────────────────────


async def test_what_a_client_got_before_it_left_is_kept_and_said_to_be_cut(tmp_path: Path) -> None:
    pausing = Pausing(event(delta(content="To Lis")), event(delta(content="bon, ")))
    async with world(tmp_path, pausing.step) as here:
        async with here.client() as client:
            answer = await client.chat.completions.create(model=MODEL, messages=ASKS, stream=True)
            async for piece in answer:
                if piece.choices[0].delta.content == "bon, ":
                    break
            await answer.close()
        await asyncio.wait_for(pausing.was_left.wait(), 30)
        kept = await here.kept(2)
    assert texts(kept) == ["Where did I move?", "To Lisbon, "]
    assert (kept[1].metadata["cut"], kept[1].metadata["cut_by"]) == (True, "client")
    assert "unanswered" not in kept[0].metadata


async def test_a_client_that_leaves_after_the_last_event_has_a_turn_that_is_whole(tmp_path: Path) -> None:
    pausing = Pausing(event(delta(content="Yes.", finish="stop")), b"data: [DONE]\n\n")
    async with world(tmp_path, pausing.step) as here, here.client() as client:
        answer = await client.chat.completions.create(model=MODEL, messages=ASKS, stream=True)
        async for piece in answer:
            assert piece.choices[0].delta.content == "Yes."
            break
        await answer.close()
        await asyncio.wait_for(pausing.was_left.wait(), 30)
        kept = await here.kept(2)
    assert texts(kept) == ["Where did I move?", "Yes."]
    assert "cut" not in kept[1].metadata


async def test_the_turn_is_safe_before_the_client_sees_the_end_of_a_stream(tmp_path: Path) -> None:
    step = streams(event(delta(content="Yes.", finish="stop")), b"data: [DONE]\n\n")
    async with world(tmp_path, step) as here, httpx2.AsyncClient(verify=certificates()) as client:
        body = {"model": MODEL, "messages": ASKS, "stream": True}
        async with client.stream("POST", f"{here.address}/v1/chat/completions", json=body) as answer:
            async for line in answer.aiter_lines():
                if line == "data: [DONE]":
                    assert len(await here.journal("default")) == 2
                    break
            else:
                pytest.fail("the stream had no end")


@pytest.mark.parametrize("is_polite", [False, True])
async def test_a_model_that_breaks_off_is_seen_to_and_what_came_is_kept(tmp_path: Path, is_polite: bool) -> None:
    import openai

    async with world(tmp_path, cuts("To Lisbon, to Porto.", after=2, politely=is_polite)) as here:
        async with here.client() as client:
            answer = await client.chat.completions.create(model=MODEL, messages=ASKS, stream=True)
            heard: list[str] = []
            try:
                async for piece in answer:
                    heard.append(piece.choices[0].delta.content or "")  # noqa: PERF401 - the loop ends in an error
                was_cut = False
            except openai.APIConnectionError:
                was_cut = True
        kept = await here.kept(2)
    assert was_cut is not is_polite
    assert texts(kept) == ["Where did I move?", "".join(heard)]
    assert kept[1].metadata["cut_by"] == "upstream"


async def test_a_model_out_of_reach_is_a_502_in_the_form_of_the_api(tmp_path: Path) -> None:
    import openai

    with nobody() as address:
        async with world(tmp_path, base_url=address) as here, here.client() as client:
            with pytest.raises(openai.InternalServerError) as caught:
                await client.chat.completions.create(model=MODEL, messages=ASKS)
            assert caught.value.status_code == 502
            assert caught.value.code == "upstream_unavailable"
            assert unanswered(await here.kept(1)) == [("Where did I move?", "upstream")]


@pytest.mark.parametrize("step", [hangs_up(), stalls("start"), stalls("middle")], ids=lambda step: step.name)
async def test_a_model_that_falls_silent_is_a_502_and_what_was_said_is_kept(tmp_path: Path, step: Any) -> None:
    import openai

    async with world(tmp_path, step, read_timeout=0.2) as here, here.client() as client:
        with pytest.raises(openai.InternalServerError) as caught:
            await client.chat.completions.create(model=MODEL, messages=ASKS)
        assert caught.value.code == "upstream_unavailable"
        assert unanswered(await here.kept(1)) == [("Where did I move?", "upstream")]


async def test_what_was_said_is_kept_where_the_client_leaves_before_the_answer_begins(tmp_path: Path) -> None:
    async with world(tmp_path, stalls("start")) as here, here.client() as client:
        asking = asyncio.create_task(client.chat.completions.create(model=MODEL, messages=ASKS))
        async with asyncio.timeout(30):
            while not here.upstream.requests:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
        asking.cancel()
        assert unanswered(await here.kept(1)) == [("Where did I move?", "client")]


async def test_an_answer_too_large_to_read_is_passed_on_whole(tmp_path: Path) -> None:
    body = b'{"choices": [{"message": {"content": "' + b"x" * 200_000 + b'"}}]}'
    async with (
        world(tmp_path, sends_raw(200, body), max_answer=2000) as here,
        httpx2.AsyncClient(verify=certificates()) as client,
    ):
        answer = await client.post(f"{here.address}/v1/chat/completions", json={"model": "m", "messages": ASKS})
        assert answer.content == body
        kept = await here.journal("default")
    assert unanswered(kept) == [("Where did I move?", "size")]


async def test_a_compressed_answer_is_passed_on_as_it_is(tmp_path: Path) -> None:
    step = sends_raw(200, b"\x1f\x8b not really", headers={"Content-Encoding": "br"})
    async with world(tmp_path, step) as here, httpx2.AsyncClient(verify=certificates()) as client:
        url, body = f"{here.address}/v1/chat/completions", {"model": "m", "messages": ASKS}
        async with client.stream("POST", url, json=body) as answer:
            assert b"".join([piece async for piece in answer.aiter_raw()]) == b"\x1f\x8b not really"
            assert answer.headers["content-encoding"] == "br"
        assert texts(await here.journal("default")) == ["Where did I move?"]


async def test_texts_that_are_too_long_for_one_entry_are_kept_in_parts(tmp_path: Path) -> None:
    async with world(tmp_path, says("b" * 120)) as here:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(here.memory.settings), "__setattr__", object.__setattr__)
            patch.setattr(here.memory.settings, "max_text_length", 50)
            await chat(here, messages=[question("a" * 130)])
        kept = await here.journal()
    assert [len(entry.text) for entry in kept] == [50, 50, 30, 50, 50, 20]


@pytest.mark.spec("SAFE-06")
async def test_a_turn_does_not_overtake_older_ones_that_wait(tmp_path: Path) -> None:
    async with world(tmp_path, says("One."), says("Two."), says("Three.")) as here:
        with broken("remember"):
            await chat(here, messages=[question("First")])
        headers, _ = await chat(here, messages=[question("Second")])
        assert headers["x-remanent"] == "degraded"
        async with here.client(agent="bob") as client:  # who is not concerned is not kept waiting
            await client.chat.completions.create(model=MODEL, messages=[question("Other")])
        assert [text for _, text in await here.said("bob")] == ["Other", "Three."]
        while await here.proxy.keeper.drain():
            pass
        assert [text for _, text in await here.said()] == ["First", "One.", "Second", "Two."]


@pytest.mark.spec("SAFE-06")
async def test_a_turn_does_not_overtake_one_that_memory_is_about_to_refuse(tmp_path: Path) -> None:
    refusing = asyncio.Event()
    begun: list[str] = []

    async with world(tmp_path, says("One."), says("Two.")) as here:
        deliver = here.proxy.keeper._deliver

        async def slow(turn: ChatTurn) -> None:
            begun.append(str(turn.messages[0].content))
            if len(begun) == 1:
                await refusing.wait()
                raise StorageError("the disk is gone")
            await deliver(turn)

        here.proxy.keeper._deliver = slow  # type: ignore[method-assign]
        first = asyncio.create_task(chat(here, messages=[question("First")]))
        while not begun:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)
        second = asyncio.create_task(chat(here, messages=[question("Second")]))
        while len(here.upstream.requests) < 2:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)
        refusing.set()
        await asyncio.gather(first, second)
        while await here.proxy.keeper.drain():
            pass
        assert [text for _, text in await here.said()] == ["First", "One.", "Second", "Two."]


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("is_anthropic", [False, True])
async def test_a_chat_ends_soon_after_its_key_has_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_anthropic: bool
) -> None:
    import anthropic
    import openai

    monkeypatch.setattr(authentication, "LOOK_AGAIN", 0.001)
    start = {"type": "message_start", "message": {"id": "m", "model": "x", "content": [], "role": "assistant"}}
    said = event(start) if is_anthropic else event(delta(content="To Lis"))
    pausing = Pausing(b"event: message_start\n" * is_anthropic + said)
    async with world(tmp_path, pausing.step) as here:
        made = await here.service.perform(
            "keys.create",
            {"name": "guest", "permissions": ["read", "write"], "expires_at": here.clock() + timedelta(hours=1)},
            place=Target(org="default"),
        )
        async with here.anthropic(key=made.token) if is_anthropic else here.client(key=made.token) as client:
            if is_anthropic:
                answer = await client.messages.create(model=MODEL, messages=ASKS, max_tokens=9, stream=True)
            else:
                answer = await client.chat.completions.create(model=MODEL, messages=ASKS, stream=True)
            await anext(answer)
            here.clock.now += timedelta(hours=1)
            with pytest.raises((openai.APIError, anthropic.APIError), match="unknown, expired or revoked"):
                [piece async for piece in answer]
        await asyncio.wait_for(pausing.was_left.wait(), 30)


@pytest.mark.spec("SAFE-03")
async def test_a_turn_that_is_stored_and_could_not_be_noted_counts_as_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, says("To Lisbon."), says("Yes, in May.")) as here:
        await chat(here)
        with monkeypatch.context() as patch:
            fills_up(patch)
            headers, _ = await chat(here, messages=[question("In May?")])
        assert headers["x-remanent"] == "ok"
        assert [text for _, text in await here.said()] == ["Where did I move?", "To Lisbon.", "In May?", "Yes, in May."]
        assert await here.proxy.keeper.drain() == 0

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from remanent.errors import InvalidSettings, ModelRejected, ModelUnavailable, Refused
from remanent.language.models.engine import CircuitOpen, ModelEngine
from remanent.language.role import TextReply, Usage
from remanent.model import Maker
from remanent.settings import ModelSettings
from remanent.text.tokens import token_counter
from tests.language.models.samples import (
    ANSWER,
    GOOD,
    KEY,
    PICK,
    QUESTION,
    TELL,
    Patience,
    PickReply,
    PickRequest,
    Tell,
    TellRequest,
    TellResponse,
    engine_at,
    taken,
)
from tests.language.scripted.places import nobody
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import INPUT_TOKENS, OUTPUT_TOKENS, Step, calls, fails, gives, says, stalls
from tests.language.scripted.wire import Request, Wire


async def test_a_role_is_answered_by_the_model_with_who_made_it_and_what_it_took() -> None:
    async with (
        ScriptedServer(gives(GOOD).expecting("Pick an option.", "Which is red?")) as server,
        engine_at(server) as engine,
    ):
        answer = await engine.run(PICK, QUESTION)
    assert answer.value == ANSWER
    assert answer.made_by == Maker(role="pick", engine="scripted", version="7")
    assert answer.usage == Usage(requests=1, input_tokens=INPUT_TOKENS, output_tokens=OUTPUT_TOKENS, cost=None)


async def test_a_model_is_called_as_the_role_says_and_settings_change() -> None:
    async with ScriptedServer(gives(GOOD), gives(GOOD), says("Once.")) as server:
        async with engine_at(server) as engine:
            await engine.run(PICK, QUESTION)
        roles = {"pick": {"temperature": 1.5, "max_tokens": 50, "name": "other"}}
        async with engine_at(server, top_p=0.7, roles=roles) as engine:
            await engine.run(PICK, QUESTION)
            await engine.run(TELL, TellRequest(question="Why?"))
    sent = [{name: request.body.get(name) for name in ("model", "temperature", "top_p", "max_tokens", "stop")}
            for request in server.requests]  # fmt: skip
    assert sent == [
        {"model": "scripted", "temperature": 0.2, "top_p": 0.8, "max_tokens": 200, "stop": None},
        {"model": "other", "temperature": 1.5, "top_p": 0.7, "max_tokens": 50, "stop": None},
        {"model": "scripted", "temperature": 0.6, "top_p": 0.7, "max_tokens": 4096, "stop": None},
    ]
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}


async def test_an_unusable_answer_is_sent_back_once_with_what_is_wrong() -> None:
    steps = (
        says("I would say blood."),
        gives(GOOD).expecting("I would say blood.", "could not be used: it contains no JSON object", "Which is red?"),
    )
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        answer = await engine.run(PICK, QUESTION)
        assert answer.value == ANSWER
        assert answer.usage.requests == 2
        assert taken(engine, "pick").requests == 2
    assert [speaker for speaker, _ in server.requests[1].turns] == ["system", "user", "assistant", "user"]


async def test_a_role_of_plain_text_is_given_what_was_written_and_asks_again_when_that_is_nothing() -> None:
    story = "Once upon a time there was a memory. 从前有一段记忆。"
    steps = (says(""), says(story).expecting("could not be used: it is empty"))
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        answer = await engine.run(TELL, TellRequest(question="Why?"))
    assert answer.value.story == story
    assert "response_format" not in server.requests[0].body


async def test_the_answer_is_sent_back_in_the_language_of_the_question() -> None:
    question = PickRequest(question="哪个是红色的？", options=("blood", "grass"))
    steps = (says("不知道").expecting("选择一项。", "按下面的格式填写"), gives(GOOD).expecting("你的回复无法使用"))
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        assert (await engine.run(PICK, question)).value == ANSWER


@pytest.mark.parametrize(
    ("first", "told"),
    [
        pytest.param(gives({**GOOD, "option": "sky"}), "none of those that were shown", id="an id not shown"),
        pytest.param(gives({**GOOD, "confidence": "high"}), "confidence: Input should be a valid number", id="type"),
        pytest.param(gives({"option": "blood"}), "confidence: Field required", id="missing"),
        pytest.param(says(""), "it is empty", id="empty"),
        pytest.param(calls("search", {"q": "red"}), "it calls the tool search, but there is no such tool", id="tool"),
        pytest.param(says('{"option": "blo', finish="length"), "cut off at its limit, so be brief", id="cut"),
        pytest.param(
            says('{"option": "blood", "confidence": 0.9', finish="length"), "its JSON ends in the middle", id="no list"
        ),
    ],
)
async def test_each_kind_of_bad_answer_gets_one_repair_and_is_then_refused(first: Step, told: str) -> None:
    async with ScriptedServer(first, gives(GOOD).expecting(told)) as server, engine_at(server) as engine:
        assert (await engine.run(PICK, QUESTION)).value == ANSWER
    async with ScriptedServer(first, first.expecting(told)) as server, engine_at(server) as engine:
        with pytest.raises(Refused, match="scripted gave no usable answer for pick, not even when told why"):
            await engine.run(PICK, QUESTION)
        assert taken(engine, "pick").failures == 1


async def test_a_long_bad_answer_is_shown_again_in_part_only() -> None:
    steps = (says("x" * 30_000), gives(GOOD))
    async with ScriptedServer(*steps) as server, engine_at(server, window=100_000) as engine:
        await engine.run(PICK, QUESTION)
    assert len(server.requests[1].prompt) < 10_000


async def test_a_model_that_declines_is_not_asked_again() -> None:
    async with ScriptedServer(says("", finish="content_filter")) as server, engine_at(server) as engine:
        with pytest.raises(ModelRejected, match="declined to answer pick"):
            await engine.run(PICK, QUESTION)


async def test_a_request_longer_than_the_window_is_not_sent() -> None:
    question = PickRequest(question="Which is red? " * 2000, options=("blood",))
    async with ScriptedServer() as server, engine_at(server) as engine:
        with pytest.raises(ModelRejected, match=r"request for pick has about \d+ tokens, but its window is 1000"):
            await engine.run(PICK, question)
        assert taken(engine, "pick").requests == 0


@pytest.mark.spec("USE-08")
async def test_no_more_tokens_are_asked_for_than_the_window_has_left() -> None:
    question = PickRequest(question="Which is red? " * 145, options=("blood",))
    async with ScriptedServer(gives(GOOD), gives(GOOD)) as server, engine_at(server) as engine:
        await engine.run(PICK, QUESTION)
        await engine.run(PICK, question)
    few, fewer = (request.body["max_tokens"] for request in server.requests)
    assert few == 200
    assert 0 < fewer < 200


# ── trying again ──


async def test_failures_that_may_pass_are_tried_again_with_growing_waits() -> None:
    patience = Patience()
    steps = (fails(503), fails(429), fails(500), gives(GOOD))
    async with ScriptedServer(*steps) as server, engine_at(server, patience=patience, attempts=4) as engine:
        answer = await engine.run(PICK, QUESTION)
        assert taken(engine, "pick").requests == 4
    assert answer.value == ANSWER
    assert answer.usage.requests == 4
    assert patience.waits == [0.75, 1.5, 3.0]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "Mon, 02 Mar 2026 12:00:11 GMT"}, 11.0),
        ({"Retry-After-Ms": "250"}, 0.25),
        ({"Retry-After": "rubbish"}, 0.75),
        ({}, 0.75),
    ],
)
async def test_a_provider_is_left_alone_for_as_long_as_it_asks(headers: dict[str, str], wait: float) -> None:
    patience = Patience()
    async with (
        ScriptedServer(fails(429, headers=headers), gives(GOOD)) as server,
        engine_at(server, patience=patience) as engine,
    ):
        await engine.run(PICK, QUESTION)
    assert patience.waits == [wait]


async def test_a_provider_that_asks_for_too_long_a_wait_is_not_waited_for() -> None:
    patience = Patience()
    async with (
        ScriptedServer(fails(429, headers={"Retry-After": "3600"})) as server,
        engine_at(server, patience=patience) as engine,
    ):
        with pytest.raises(ModelUnavailable) as caught:
            await engine.run(PICK, QUESTION)
    assert caught.value.retry_after == 3600
    assert patience.waits == []


async def test_no_attempt_is_waited_for_that_would_come_after_the_time_is_over() -> None:
    patience = Patience()
    async with (
        ScriptedServer(fails(503), fails(503)) as server,
        engine_at(server, patience=patience, timeout=2.0, attempts=9) as engine,
    ):
        with pytest.raises(ModelUnavailable, match="answers 503"):
            await engine.run(PICK, QUESTION)
    assert patience.waits == [0.75]


async def test_a_repair_has_only_the_time_that_is_left() -> None:
    patience = Patience()

    class Slow(Tell):
        def read(self, request: TellRequest, reply: TextReply) -> TellResponse:
            patience.seconds += 10
            raise Refused("no")

    async with ScriptedServer(says("x")) as server, engine_at(server, patience=patience, timeout=5.0) as engine:
        with pytest.raises(ModelUnavailable, match=r"the 5 s for tell are over; see model\.timeout"):
            await engine.run(Slow(), TellRequest(question="Why?"))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 422])
async def test_a_rejection_is_final(status: int) -> None:
    patience = Patience()
    async with ScriptedServer(fails(status)) as server, engine_at(server, patience=patience) as engine:
        with pytest.raises(ModelRejected, match=f"answers {status}: scripted {status}"):
            await engine.run(PICK, QUESTION)
        assert taken(engine, "pick").failures == 1
    assert patience.waits == []


async def test_a_429_for_an_empty_account_is_a_rejection() -> None:
    body = {"error": {"message": "You exceeded your current quota", "type": "x", "code": "insufficient_quota"}}
    async with ScriptedServer(fails(429, body=body)) as server, engine_at(server) as engine:
        with pytest.raises(ModelRejected, match="no quota left"):
            await engine.run(PICK, QUESTION)


async def test_a_redirect_is_not_followed() -> None:
    async with (
        ScriptedServer(fails(307, headers={"Location": "http://127.0.0.1:1/"})) as server,
        engine_at(server, attempts=1) as engine,
    ):
        with pytest.raises((ModelRejected, ModelUnavailable)):
            await engine.run(PICK, QUESTION)


# ── the breaker ──


async def test_a_provider_that_keeps_failing_is_left_alone_and_then_probed() -> None:
    patience = Patience()
    steps = (fails(500), fails(500), fails(500), gives(GOOD))
    async with (
        ScriptedServer(*steps) as server,
        engine_at(server, patience=patience, attempts=2, breaker_failures=3, breaker_rest=60.0) as engine,
    ):
        with pytest.raises(ModelUnavailable, match="answers 500"):
            await engine.run(PICK, QUESTION)
        with pytest.raises(CircuitOpen, match="failed 3 times in a row"):
            await engine.run(PICK, QUESTION)
        with pytest.raises(CircuitOpen):
            await engine.run(TELL, TellRequest(question="Why?"))
        assert len(server.requests) == 3
        patience.seconds += 60
        assert (await engine.run(PICK, QUESTION)).value == ANSWER


async def test_one_provider_that_fails_does_not_stand_in_the_way_of_another() -> None:
    with nobody() as address:
        async with ScriptedServer(gives(GOOD)) as server:
            roles = {"pick": {"base_url": server.base_url, "name": "scripted"}}
            async with engine_at(address, attempts=1, breaker_failures=1, roles=roles) as engine:
                with pytest.raises(ModelUnavailable):
                    await engine.run(TELL, TellRequest(question="Why?"))
                with pytest.raises(CircuitOpen):
                    await engine.run(TELL, TellRequest(question="Why?"))
                assert (await engine.run(PICK, QUESTION)).value == ANSWER
    assert "authorization" not in server.requests[0].headers or KEY not in server.requests[0].headers["authorization"]


# ── stopping ──


async def test_a_cancelled_run_ends_at_once_and_the_engine_goes_on() -> None:
    async with ScriptedServer(stalls("start"), gives(GOOD)) as server, engine_at(server) as engine:
        run = asyncio.create_task(engine.run(PICK, QUESTION))
        async with asyncio.timeout(30):
            await server.was_asked.wait()
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            assert (await engine.run(PICK, QUESTION)).value == ANSWER
        assert taken(engine, "pick").failures == 1


async def test_many_runs_at_once_each_get_their_own_answer() -> None:
    async def give_back(request: Request, wire: Wire) -> None:
        await gives({**GOOD, "option": request.prompt.splitlines()[-2]}).act(request, wire)

    async with ScriptedServer(forever=Step("gives back", give_back)) as server, engine_at(server) as engine:
        questions = [PickRequest(question="Which?", options=(f"option {number}",)) for number in range(20)]
        answers = await asyncio.gather(*(engine.run(PICK, question) for question in questions))
        assert [answer.value.option for answer in answers] == [f"option {number}" for number in range(20)]
        assert taken(engine, "pick").runs == 20


async def test_closing_twice_and_running_after_it_are_fine() -> None:
    async with ScriptedServer(gives(GOOD), gives(GOOD)) as server, engine_at(server) as engine:
        await engine.run(PICK, QUESTION)
        await engine.close()
        await engine.close()
        assert (await engine.run(PICK, QUESTION)).value == ANSWER


async def test_what_is_being_asked_when_the_engine_closes_ends_in_an_error() -> None:
    patience = Patience()
    async with ScriptedServer(stalls("start")) as server, engine_at(server, patience=patience) as engine:
        run = asyncio.create_task(engine.run(PICK, QUESTION))
        async with asyncio.timeout(30):
            await server.was_asked.wait()
            await engine.close()
            with pytest.raises(ModelUnavailable):
                await run


async def test_an_engine_without_a_provider_says_what_to_set() -> None:
    engine = ModelEngine(ModelSettings())
    with pytest.raises(InvalidSettings, match="no language model provider is set"):
        await engine.run(PICK, QUESTION)
    await engine.close()


def test_nothing_of_a_provider_is_loaded_before_the_first_question() -> None:
    code = """
        import sys, remanent, remanent.language, remanent.language.models.engine
        from remanent.settings import ModelSettings
        remanent.language.models.engine.ModelEngine(ModelSettings(provider="ollama", name="x"))
        print([name for name in sys.modules if name.split(".")[0] in
               {"pydantic_ai", "openai", "anthropic", "httpx2", "genai_prices", "opentelemetry"}])
    """
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(line[8:] for line in code.splitlines())],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == []


# ── forms ──


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("output", ["schema", "json", "text"])
async def test_a_model_is_shown_a_form_to_fill_in_and_no_schema(output: str) -> None:
    form = '{"option": "[option]", "confidence": 0.5, "reasons": ["[reasons]"]}'
    step = gives(GOOD).expecting(form, without=["maxLength", '"type"', "properties"])
    async with ScriptedServer(step) as server, engine_at(server, output=output) as engine:
        assert (await engine.run(PICK, QUESTION)).value == ANSWER


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("echo", "told"),
    [
        (PickReply.model_json_schema(), "it repeats the schema"),
        ({"option": "[option]", "confidence": 0.5, "reasons": ["[reasons]"]}, "it repeats the form"),
    ],
)
async def test_a_form_or_a_schema_that_is_given_back_is_recognised_and_said(echo: Any, told: str) -> None:
    steps = (says(json.dumps(echo)), gives(GOOD).expecting(told))
    async with ScriptedServer(*steps) as server, engine_at(server, output="text") as engine:
        assert (await engine.run(PICK, QUESTION)).value == ANSWER


@pytest.mark.spec("USE-08")
async def test_what_was_left_blank_in_a_form_counts_as_not_given() -> None:
    reply = {"option": "blood", "confidence": 0.9, "reasons": ["[reasons]", "colour"]}
    async with ScriptedServer(gives(reply)) as server, engine_at(server) as engine:
        assert (await engine.run(PICK, QUESTION)).value == ANSWER


@pytest.mark.spec("USE-08")
async def test_what_was_filled_in_between_the_brackets_of_a_form_is_taken_out_of_them() -> None:
    reply = {"option": "[blood]", "confidence": 0.9, "reasons": ["[colour]"]}
    async with ScriptedServer(gives(reply)) as server, engine_at(server) as engine:
        assert (await engine.run(PICK, QUESTION)).value == ANSWER


@pytest.mark.spec("USE-08")
async def test_an_empty_answer_is_asked_for_again_without_words_in_its_place() -> None:
    steps = (says(""), gives(GOOD).expecting("it is empty", without=["(no reply)"]))
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        assert (await engine.run(PICK, QUESTION)).value == ANSWER
    assert [message["role"] for message in server.requests[1].body["messages"]] == ["system", "user"]


@pytest.mark.spec("USE-08")
async def test_of_a_list_that_was_cut_the_whole_items_are_kept() -> None:
    text = '{"option": "blood", "confidence": 0.9, "reasons": ["colour", "it is re'
    async with ScriptedServer(says(text, finish="length")) as server, engine_at(server, output="text") as engine:
        assert (await engine.run(PICK, QUESTION)).value == ANSWER


@pytest.mark.spec("USE-08")
async def test_an_answer_is_never_longer_than_what_a_small_window_leaves() -> None:
    async with ScriptedServer(gives(GOOD)) as server, engine_at(server, window=300, max_tokens=4096) as engine:
        await engine.run(PICK, QUESTION)
    body = server.requests[0].body
    told = sum(token_counter()(message["content"]) for message in body["messages"])
    assert 0 < body["max_tokens"] <= 300 - told + 20

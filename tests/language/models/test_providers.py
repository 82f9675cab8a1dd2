"""Each provider is spoken to in its own way; what goes over the wire is looked at."""

from typing import Any

import pytest

from remanent.errors import ModelRejected
from tests.language.models.samples import ANSWER, GOOD, KEY, PICK, QUESTION, TELL, TellRequest, engine_at
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import CHAT, MESSAGES, answers_with, completion, fails, gives, says

FORM_WORDS = "this form, with the real content"
UNSUPPORTED = {"error": {"message": "'response_format' of type 'json_schema' is not supported", "type": "invalid"}}


@pytest.mark.spec("BANK-29")
@pytest.mark.parametrize(
    ("provider", "model", "output"),
    [
        ("openai", "gpt-4o-mini", "schema"),
        ("deepseek", "deepseek-chat", "json"),
        ("anthropic", "claude-sonnet-5", "schema"),
        ("ollama", "llama3.2", "schema"),
        ("local", "whatever", "schema"),
    ],
)
async def test_every_provider_is_asked_in_the_strictest_form_it_has(provider: str, model: str, output: str) -> None:
    async with ScriptedServer(gives(GOOD)) as server:
        url = server.origin if provider == "anthropic" else server.base_url
        async with engine_at(url, provider=provider, name=model) as engine:
            assert (await engine.run(PICK, QUESTION)).value == ANSWER
    (request,) = server.requests
    assert request.path == (MESSAGES if provider == "anthropic" else CHAT)
    assert request.body["model"] == model
    assert request.output == output
    assert request.prompt.count(FORM_WORDS) == 1
    assert KEY in {request.headers.get("x-api-key"), request.headers["authorization"].removeprefix("Bearer ")}
    assert request.turns[0] == ("system", request.turns[0][1])
    assert request.turns[0][1].startswith("Pick an option.")
    assert request.turns[-1] == ("user", "Which is red?\nblood, grass\nNow return the JSON object.")


@pytest.mark.parametrize(
    ("provider", "output"),
    [
        (provider, output)
        for provider in ("openai", "deepseek", "anthropic", "ollama", "local")
        for output in ("schema", "tool", "json", "text")
        if (provider, output) != ("deepseek", "schema")  # whose API has no such form
    ],
)
async def test_every_form_of_answer_can_be_set_for_every_provider(provider: str, output: str) -> None:
    model = {"anthropic": "claude-sonnet-5", "openai": "gpt-4o-mini"}.get(provider, "m")
    async with ScriptedServer(gives(GOOD)) as server:
        url = server.origin if provider == "anthropic" else server.base_url
        async with engine_at(url, provider=provider, name=model, output=output) as engine:
            assert (await engine.run(PICK, QUESTION)).value == ANSWER
    (request,) = server.requests
    # Anthropic has no form for any JSON: there it is asked for in words.
    assert request.output == ("text" if (provider, output) == ("anthropic", "json") else output)
    assert request.prompt.count(FORM_WORDS) == 1


async def test_a_form_that_the_provider_does_not_have_is_a_rejection_that_says_so() -> None:
    choice: dict[str, Any] = {"provider": "deepseek", "name": "deepseek-chat", "output": "schema"}
    async with ScriptedServer() as server, engine_at(server, **choice) as engine:
        with pytest.raises(ModelRejected, match="Native structured output is not supported"):
            await engine.run(PICK, QUESTION)


@pytest.mark.parametrize("status", [400, 422, 501])
async def test_a_server_that_turns_the_form_down_is_asked_in_words_from_then_on(status: int) -> None:
    steps = (fails(status, body=UNSUPPORTED), gives(GOOD).expecting(FORM_WORDS), gives(GOOD))
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        assert (await engine.run(PICK, QUESTION)).value == ANSWER
        assert (await engine.run(PICK, QUESTION)).value == ANSWER
    assert [request.output for request in server.requests] == ["schema", "text", "text"]


async def test_a_form_that_was_set_is_not_given_up() -> None:
    async with ScriptedServer(fails(400, body=UNSUPPORTED)) as server, engine_at(server, output="schema") as engine:
        with pytest.raises(ModelRejected, match=r"Another value of model\.output may help"):
            await engine.run(PICK, QUESTION)


async def test_a_rejection_of_something_else_is_not_taken_for_one_of_the_form() -> None:
    body = {"error": {"message": "This content is not allowed", "type": "invalid_request_error"}}
    async with ScriptedServer(fails(400, body=body)) as server, engine_at(server) as engine:
        with pytest.raises(ModelRejected, match="This content is not allowed"):
            await engine.run(PICK, QUESTION)


async def test_too_long_a_request_is_told_from_other_rejections() -> None:
    body = {"error": {"message": "This model's maximum context length is 10 tokens", "type": "x"}}
    async with ScriptedServer(fails(400, body=body)) as server, engine_at(server) as engine:
        with pytest.raises(ModelRejected, match=r"lower model\.window"):
            await engine.run(PICK, QUESTION)


@pytest.mark.parametrize(
    ("provider", "model", "priced"),
    [
        ("openai", "gpt-4o-mini", True),
        ("anthropic", "claude-sonnet-5", True),
        ("openai", "a-model-that-nobody-knows", False),
        ("ollama", "gpt-4o-mini", False),
        ("local", "gpt-4o-mini", False),
    ],
)
async def test_the_cost_is_that_of_the_providers_price_or_not_known(provider: str, model: str, priced: bool) -> None:
    async with ScriptedServer(gives(GOOD), gives(GOOD)) as server:
        url = server.origin if provider == "anthropic" else server.base_url
        async with engine_at(url, provider=provider, name=model) as engine:
            answers = [await engine.run(PICK, QUESTION) for _ in range(2)]
            (figures,) = engine.figures
    assert (figures.role, figures.runs) == ("pick", 2)
    costs = [answer.usage.cost for answer in answers]
    if priced:
        assert all(cost is not None and 0 < cost < 0.01 for cost in costs)
        assert figures.cost == pytest.approx(sum(cost or 0 for cost in costs))
    else:
        assert costs == [None, None]
        assert figures.cost is None


@pytest.mark.parametrize("model", ["gpt-5", "o3", "gpt-5.5"])
async def test_a_model_that_reasons_is_not_given_a_temperature_that_it_would_turn_down(model: str) -> None:
    async with ScriptedServer(gives(GOOD)) as server, engine_at(server, provider="openai", name=model) as engine:
        await engine.run(PICK, QUESTION)
    assert not {"temperature", "top_p"} & server.requests[0].body.keys()
    assert server.requests[0].body["max_completion_tokens"] == 200


async def test_what_a_model_reasons_apart_from_its_answer_is_not_a_part_of_it() -> None:
    said: dict[str, Any] = {"content": "Once.", "reasoning_content": "Hm."}
    choice: dict[str, Any] = {"provider": "deepseek", "name": "deepseek-reasoner"}
    async with ScriptedServer(answers_with(completion(said))) as server, engine_at(server, **choice) as engine:
        assert (await engine.run(TELL, TellRequest(question="Why?"))).value.story == "Once."


async def test_tags_in_an_answer_are_the_roles_to_read() -> None:
    text = "<think>Hm.</think>Once <thinking>x</thinking>."
    async with ScriptedServer(says(text)) as server, engine_at(server) as engine:
        assert (await engine.run(TELL, TellRequest(question="Why?"))).value.story == text


async def test_a_provider_elsewhere_does_not_learn_of_the_account_at_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-openai")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-openai")
    async with ScriptedServer(gives(GOOD)) as server, engine_at(server, api_key=None) as engine:
        await engine.run(PICK, QUESTION)
    assert "openai" not in str({**server.requests[0].headers, "user-agent": ""})

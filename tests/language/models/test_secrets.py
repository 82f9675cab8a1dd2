"""A key is a canary: whatever goes wrong, it sings in no log, no error and no repr."""

import logging
import traceback
from typing import Any

import pytest

from remanent.errors import LanguageError, ModelRejected
from tests.language.models.hostility import HOSTILITIES, Hostility
from tests.language.models.samples import GOOD, KEY, PICK, QUESTION, engine_at
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step, fails, gives, says
from tests.language.scripted.wire import Request, Wire

GOOD_TEXT = '{"option": "blood", "confidence": 0.9}'


def shown(error: BaseException) -> str:
    """Everything that a person or a log could see of an error."""
    parts = [*traceback.format_exception(error), repr(error), str(error), str(error.args)]
    if error.__cause__ is not None:
        parts += [repr(error.__cause__), repr(vars(error.__cause__))]
    return "\n".join(parts)


@pytest.mark.parametrize("hostility", HOSTILITIES, ids=lambda hostility: hostility.name)
async def test_no_failure_shows_the_key(hostility: Hostility, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    step = hostility.step(GOOD_TEXT) if hostility.step else None
    seen = []
    with hostility.place() as address:
        async with ScriptedServer(forever=step) as server, engine_at(address or server, **hostility.settings) as engine:
            try:
                await engine.run(PICK, QUESTION)
            except LanguageError as error:
                seen.append(shown(error))
            seen += [repr(engine), repr(vars(engine)), repr(engine.figures), repr(engine.choice(PICK))]
    assert (hostility.outcome is not None) is any("Traceback" in text for text in seen)
    seen += [caplog.text, *(repr(record.__dict__) for record in caplog.records)]
    assert [text for text in seen if KEY in text] == []


def echoes(status: int, *, in_header: bool = False) -> Step:
    """A server that repeats the key it was sent."""

    async def act(request: Request, wire: Wire) -> None:
        said = f"the key {request.headers['authorization']} is not welcome"
        headers = {"X-Your-Key": request.headers["authorization"]} if in_header else {}
        await wire.reply_json({"error": {"message": said, "code": said}}, status=status, headers=headers)

    return Step(f"echoes with {status}", act)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
@pytest.mark.parametrize("provider", ["local", "openai", "anthropic"])
async def test_a_server_that_repeats_the_key_does_not_make_it_known(
    status: int, provider: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    model = "claude-sonnet-5" if provider == "anthropic" else "gpt-4o-mini"
    async with ScriptedServer(forever=echoes(status, in_header=True)) as server:
        url = server.origin if provider == "anthropic" else server.base_url
        async with engine_at(url, provider=provider, name=model) as engine:
            with pytest.raises(LanguageError) as caught:
                await engine.run(PICK, QUESTION)
    assert KEY not in shown(caught.value)
    assert KEY not in caplog.text


async def test_an_answer_that_holds_the_key_is_not_logged_when_it_is_sent_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with ScriptedServer(says(f"your key is {KEY}"), gives(GOOD)) as server, engine_at(server) as engine:
        await engine.run(PICK, QUESTION)
    assert KEY not in caplog.text


async def test_neither_questions_nor_answers_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    steps: list[Any] = [fails(500), says("a private answer"), gives(GOOD)]
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        await engine.run(PICK, QUESTION)
    assert caplog.records
    assert "Which is red?" not in caplog.text
    assert "a private answer" not in caplog.text


async def test_the_error_of_a_wrong_key_says_what_to_do() -> None:
    async with ScriptedServer(echoes(401)) as server, engine_at(server) as engine:
        with pytest.raises(ModelRejected, match=r"answers 401: the key \*\*\* is not welcome\. Check model\.api_key"):
            await engine.run(PICK, QUESTION)

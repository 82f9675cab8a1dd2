"""One real model, end to end: it is too small to be clever, but it speaks the protocol like the large ones."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from remanent.errors import ModelRejected, ModelUnavailable, Refused
from remanent.language import Answer
from remanent.language.models.engine import ModelEngine
from remanent.language.roles import all_roles
from remanent.language.roles.queries import HYDE, INTENT, HydeRequest, Intent, IntentRequest
from remanent.language.roles.summary import STRUCTURE, StructureRequest
from remanent.settings import ModelSettings
from tests.chaos.support.counts import FULL
from tests.chaos.support.places import ROOT, command
from tests.chaos.support.small_model import WINDOW, weights
from tests.language.models.samples import taken
from tests.language.roles.cases import CASES

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.slow,
    pytest.mark.skipif(not FULL, reason="takes minutes: run make chaos"),
    pytest.mark.skipif(
        weights() is None, reason="the packages of requirements/chaos.txt are not there: run make chaos"
    ),
]

MESSAGE = IntentRequest(message="The login page fails with an error, please fix it.")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    process = subprocess.Popen(
        command("small_model"),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line.startswith("http://"):
        _, said = process.communicate()
        pytest.skip(f"the server of the small model does not start here: {said[-500:]}")
    yield f"{line}/v1"
    process.communicate("", timeout=60)


def settings(address: str, **changes: Any) -> ModelSettings:
    values = {"base_url": address, "name": "smollm2", "temperature": 0.0, "max_tokens": 160, "window": WINDOW - 200}
    limits = {"timeout": 1200, "request_timeout": 600, "read_timeout": 600, "attempts": 1}
    return ModelSettings.model_validate({**values, **limits, **changes})


@asynccontextmanager
async def engine_for(address: str, **changes: Any) -> AsyncIterator[ModelEngine]:
    engine = ModelEngine(settings(address, **changes))
    try:
        yield engine
    finally:
        await engine.close()


@pytest.fixture
async def engine(address: str) -> AsyncIterator[ModelEngine]:
    async with engine_for(address) as engine:
        yield engine


async def test_a_structured_answer_is_held_to_its_schema(engine: ModelEngine) -> None:
    answer = await engine.run(INTENT, MESSAGE)
    assert answer.value.intent in Intent
    assert answer.made_by.engine == "smollm2"
    assert answer.usage.input_tokens > 50
    assert answer.usage.output_tokens > 3
    assert answer.usage.cost is None


@pytest.mark.parametrize("output", ["tool", "json", "text"])
async def test_the_looser_forms_end_in_an_answer_or_are_refused(address: str, output: str) -> None:
    async with engine_for(address, output=output) as engine:
        with suppress(Refused):
            assert (await engine.run(INTENT, MESSAGE)).value.intent in Intent
        assert 1 <= taken(engine, "intent").requests <= 2


async def test_a_text_is_written(engine: ModelEngine) -> None:
    answer = await engine.run(HYDE, HydeRequest(question="How are database queries made faster?"))
    assert answer.value.passage
    assert answer.usage.output_tokens > 5


async def test_the_same_question_at_temperature_0_has_the_same_answer(engine: ModelEngine) -> None:
    answers = [await engine.run(INTENT, MESSAGE) for _ in range(2)]
    assert answers[0].value == answers[1].value
    assert taken(engine, "intent").requests >= 2


@pytest.mark.parametrize("name", all_roles())
async def test_every_role_ends_in_an_answer_or_is_refused(engine: ModelEngine, name: str) -> None:
    request = next(request for case, request in CASES.items() if case.startswith(name) and case.endswith(".en"))
    with suppress(Refused):
        assert isinstance(await engine.run(all_roles()[name], request), Answer)
    assert 1 <= taken(engine, name).requests <= 2


async def test_a_request_that_is_given_up_leaves_the_server_well(address: str, engine: ModelEngine) -> None:
    async with engine_for(address, request_timeout=0.3) as hasty:
        with pytest.raises(ModelUnavailable, match=r"took longer than 0\.3 s"):
            await hasty.run(HYDE, HydeRequest(question="What is a very long story about everything?"))
    async with asyncio.timeout(600):
        assert (await engine.run(INTENT, MESSAGE)).value.intent in Intent


async def test_a_request_longer_than_the_models_own_window_is_rejected_by_it(address: str) -> None:
    async with engine_for(address, window=1_000_000) as engine:
        with pytest.raises(ModelRejected, match="exceeds the available context size"):
            await engine.run(STRUCTURE, StructureRequest(content="It rains in Leeds. " * 2 * WINDOW))

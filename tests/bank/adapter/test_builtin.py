"""The built-in agent on a bank's steps: with a model over real HTTP, and without one."""

import json
from pathlib import Path

import pytest

from remanent.agents import Limits
from remanent.bank.adapter import BuiltinReact
from remanent.bank.adapter.framework import Framework
from remanent.embedding.port import ImageReader, WrittenLine
from remanent.language.engines import OfflineEngine
from remanent.language.models import ModelEngine
from remanent.language.role import Toolbox
from remanent.settings import ModelSettings
from tests.bank.adapter.frameworks import ANSWER, PICTURE, check, picture_of, see_through
from tests.bank.desk import PNG, desk
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import fails, says


async def no_wait(seconds: float) -> None:
    del seconds


def engine_at(server: ScriptedServer, *, vision: bool = True) -> ModelEngine:
    settings = ModelSettings(base_url=server.base_url, name="scripted", attempts=1, vision=vision)
    return ModelEngine(settings, sleep=no_wait)


def call(name: str, /, **arguments: str) -> str:
    written = json.dumps({"name": name, "arguments": arguments})
    return f"<think>The register may know.</think><tool_call>{written}</tool_call>"


class Reader(ImageReader):
    """Reads the same line in every picture."""

    async def read_lines(self, image: bytes) -> list[WrittenLine]:
        return [WrittenLine("six platforms", 0.9)]


@pytest.mark.spec("BANK-21", "BANK-22", "BANK-27")
async def test_the_built_in_agent_sees_a_task_through(tmp_path: Path) -> None:
    steps = (
        says(f"<answer>{PICTURE}</answer>").expecting("<uploads>", "plan.png", "Karl Brandt"),
        says(call("lookup", name="The station of Vell")).expecting("<task>", "<memory>", "six platforms"),
        says(f"<think>Found.</think><answer>{ANSWER}</answer>").expecting("says the register"),
    )
    async with ScriptedServer(*steps) as server:
        engine = engine_at(server)
        made, result = await see_through(BuiltinReact(engine), tmp_path)
        await engine.close()
        assert picture_of(server.requests[0]).startswith("data:image/png;base64,iVBOR")
    check(made, result)


@pytest.mark.spec("BANK-23")
@pytest.mark.parametrize(
    ("reader", "told"), [(Reader(), "six platforms"), (None, "The picture plan.png could not be recognised")]
)
async def test_without_a_model_that_sees_writing_is_read_or_it_is_said_that_nothing_could_be(
    reader: ImageReader | None, told: str, tmp_path: Path
) -> None:
    made = desk(tmp_path)
    await made.bank.start("What is on the plan?")
    await made.adapter.upload(PNG, name="plan.png")
    await made.adapter.plan()
    framework = BuiltinReact(OfflineEngine(Toolbox()), reader=reader)
    prompt = await made.adapter.enhance()
    execution = framework.capture(await framework.execute(framework.present(prompt, tools=[made.adapter.tool])))
    await made.adapter.intercept(execution)
    (entry,) = [entry for entry in made.bank.tree.entries if entry.attachments]
    assert told in entry.text
    assert (len(await made.blob_digests()), made.adapter.waiting) == (1, ())
    await made.adapter.close()


@pytest.mark.spec("BANK-25", "BANK-26")
async def test_a_model_that_fails_twice_fails_the_step_and_the_run_goes_on(tmp_path: Path) -> None:
    steps = (fails(500), fails(500), says(f"<answer>{PICTURE}</answer>"), says(f"<answer>{ANSWER}</answer>"))
    async with ScriptedServer(*steps) as server:
        engine = engine_at(server)
        made, result = await see_through(BuiltinReact(engine), tmp_path)
        await engine.close()
    assert (result.answer, result.end, result.rounds) == (ANSWER, "failed", 3)
    assert [task.status for task in result.insight.completed] == ["failed", "success", "success"]
    assert made.temporary_files == []


async def test_a_limit_that_was_reached_is_reported_with_the_answer(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("Who designed it?")
    await made.adapter.plan()
    async with ScriptedServer(says("<answer>Ada Holm</answer>")) as server:
        engine = engine_at(server)
        framework = BuiltinReact(engine, limits=Limits(max_calls=1))
        presented = framework.present(await made.adapter.enhance(), tools=[])
        execution = framework.capture(await framework.execute(presented))
        await engine.close()
    assert (execution.answer, execution.failed, execution.detail) == ("Ada Holm", False, "max_calls")


def test_it_has_the_three_methods_that_any_framework_has() -> None:
    framework: Framework[object, object] = BuiltinReact(OfflineEngine(Toolbox()))  # type: ignore[assignment]
    assert all(callable(getattr(framework, name)) for name in ("present", "execute", "capture"))

"""The bank's operations as those who follow their progress see them."""

from pathlib import Path

import pytest

from remanent.memory import aopen
from remanent.operations import RunState, Service, Target


@pytest.mark.parametrize(
    ("task", "context", "told"),
    [
        ("凯尔特山有多高？", "凯尔特山高3412米。", "已清除"),
        (
            "How high is Mount Kelt?",
            "Mount Kelt is 3412 metres high.",
            "cleared",
        ),
    ],
)
async def test_a_run_tells_its_steps_in_the_language_of_its_task(
    task: str, context: str, told: str, tmp_path: Path
) -> None:
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        place = Target(org="acme", workspace="lab", agent="ada")
        run = await service.start("bank.run", {"task": task, "context": context}, place=place)
        states = [state async for state in service.runs.follow(run.run_id)]
    assert states[-1].state is RunState.DONE, states[-1].message
    assert states[-1].step.note == told

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


async def test_the_banks_of_an_agent_are_listed_the_last_used_first_until_they_are_cleared(tmp_path: Path) -> None:
    place, other = (Target(org="acme", workspace="lab", agent=agent) for agent in ("ada", "bob"))
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        for name in ("first", "second"):
            asked = {"task": f"How high is Mount {name.title()}?", "context": "It is 3412 m high.", "bank_id": name}
            await service.perform("bank.run", asked, place=place)
        listed = await service.perform("bank.list", {}, place=place)
        assert [one.bank_id for one in listed.items] == ["second", "first"]
        assert listed.items[0].goal == "How high is Mount Second?"
        assert listed.items[0].is_done
        assert [one.bank_id for one in (await service.perform("bank.list", {"limit": 1}, place=place)).items] == [
            "second"
        ]
        assert (await service.perform("bank.list", {}, place=other)).items == ()
        await service.perform("bank.clear", {"bank_id": "second"}, place=place)
        assert [one.bank_id for one in (await service.perform("bank.list", {}, place=place)).items] == ["first"]

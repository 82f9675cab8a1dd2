"""What is changed says who had it changed, and what would be destroyed is told before."""

from typing import Any

import pytest

from remanent.operations import Permission, Principal, Service, Target
from remanent.operations.access.keys import Reach

pytestmark = pytest.mark.needs("cognition")

PLACE = Target(org="acme", workspace="lab", agent="ada")
EVE = Principal(name="eve", permissions=frozenset({Permission.WRITE}), reach=Reach(org="acme"))


async def test_each_version_of_a_memory_names_whose_key_wrote_it(service: Service) -> None:
    said: dict[str, Any] = {"messages": ["I live in Lisbon."]}
    await service.perform("remember", said, place=PLACE, principal=EVE)
    agent = service.memory.agent("ada", workspace="lab", org="acme")
    await agent.settle()
    (home,) = await agent.cognition.memories()
    change = {"record_id": home.id, "content": "I live in Porto."}
    await service.perform("cognition.edit", change, place=PLACE, principal=EVE)
    await service.perform("forget", {"record_id": home.id}, place=PLACE)
    await agent.restore(home.id)
    # What the memory learned of itself is nobody's, though somebody's request had it learn; so is a call from Python.
    assert [one.record.changed_by for one in await agent.history(home.id)] == ["", "eve", "local", ""]


async def test_what_would_be_erased_is_told_and_nothing_is_changed(service: Service) -> None:
    await service.perform("remember", {"messages": ["I live in Lisbon.", "The pier is old."]}, place=PLACE)
    agent = service.memory.agent("ada", workspace="lab", org="acme")
    await agent.settle()
    (home,) = await agent.cognition.memories()
    told = await service.perform("erase_preview", {"record_ids": [home.id]}, place=PLACE)
    assert len(await agent.entries()) == 2
    erased = await agent.erase(record_ids=[home.id])
    assert (sorted(told.entry_ids), sorted(told.record_ids)) == (sorted(erased.entry_ids), sorted(erased.record_ids))
    assert len(told.entry_ids) == 1
    assert home.id in told.record_ids
    assert len(told.record_ids) == 2  # and the turn itself

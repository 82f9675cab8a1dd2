"""What a workspace shares: proposed, approved by another, read by all, and taken back at once."""

from pathlib import Path

import pytest

from remanent.errors import CallerError, InvalidInput, NotPermitted
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import ConflictState, SharedSort, Status
from remanent.operations import Permission, Principal, Reach, Service, Target
from remanent.stores import ConflictQuery


@pytest.mark.spec("COG-11")
@pytest.mark.parametrize("sort", list(SharedSort))
async def test_a_proposal_is_read_by_all_once_another_approved_it(memory: AsyncMemory, sort: SharedSort) -> None:
    dev, test = memory.agent("dev").cognition, memory.agent("test").cognition
    proposed = await dev.propose("The project is a monorepo", sort=sort)
    assert proposed.status is Status.PENDING
    assert await test.shared() == []
    assert [one.id for one in await test.shared(pending=True)] == [proposed.id]
    with pytest.raises(CallerError):
        await dev.approve(proposed.id, by="dev")
    await test.approve(proposed.id, by="lead")
    assert [one.content for one in await test.shared()] == ["The project is a monorepo"]
    await memory.settle()
    assert "monorepo" in (await test.brief("Is the project a monorepo?")).text
    await test.revoke(proposed.id, by="lead", reason="split up")
    assert await test.shared() == []
    assert "monorepo" not in (await test.brief("Is the project a monorepo?")).text
    with pytest.raises(InvalidInput):
        await test.revoke(proposed.id, by="lead")


@pytest.mark.spec("COG-11")
async def test_a_refused_proposal_never_shows_and_an_edit_waits_for_approval_again(memory: AsyncMemory) -> None:
    dev, other = memory.agent("dev").cognition, memory.agent("other").cognition
    bad = await dev.propose("Tabs are forbidden", sort="convention")
    await other.refuse(bad.id, by="lead")
    good = await dev.propose("Names are in camelCase", sort="convention")
    await other.approve(good.id, by="lead")
    with pytest.raises(CallerError):
        await other.amend(good.id, "Names are in snake_case")
    amended = await dev.amend(good.id, "Names are in snake_case")
    assert amended.status is Status.PENDING
    assert await other.shared() == []
    await other.approve(good.id, by="lead")
    assert [one.content for one in await other.shared()] == ["Names are in snake_case"]


@pytest.mark.spec("COG-11")
async def test_the_newest_with_the_highest_confidence_wins_and_else_the_conflict_stays_open(
    memory: AsyncMemory, ada: AsyncAgent
) -> None:
    shared = ada.cognition
    for text, confidence in (("We use MySQL", 0.6), ("We use PostgreSQL", 0.9), ("We use SQLite", 0.5)):
        proposed = await shared.propose(text, sort="decision_record", number="ADR-003", confidence=confidence)
        await shared.approve(proposed.id, by="lead")
    assert {one.content for one in await shared.shared()} == {"We use PostgreSQL", "We use SQLite"}
    store = memory._parts.store
    found = await store.conflicts(ada.scope.shared, ConflictQuery())
    assert [one.state for one in found] == [ConflictState.RESOLVED, ConflictState.OPEN]


@pytest.mark.spec("COG-11")
async def test_a_coordinators_own_entry_takes_effect_at_once(ada: AsyncAgent) -> None:
    made = await ada.cognition.propose("The release is frozen", coordinator=True, by="lead")
    assert made.status is Status.ACTIVE
    with pytest.raises(InvalidInput):
        await ada.cognition.propose("The password is hunter2")


@pytest.mark.spec("COG-11")
async def test_over_an_interface_nobody_approves_his_own_under_another_name(tmp_path: Path) -> None:
    place = Target(org="acme", workspace="lab", agent="dev")

    def holder(name: str, *permissions: Permission) -> Principal:
        return Principal(name=name, reach=Reach(org="acme", workspace=None), permissions=frozenset(permissions))

    writer = holder("key:writer", Permission.READ, Permission.WRITE)
    both = holder("key:both", Permission.WRITE, Permission.APPROVE)
    lead = holder("key:lead", Permission.APPROVE)
    async with aopen(tmp_path, embedder="none") as memory:
        service = Service(memory)
        made = await service.perform(
            "cognition.propose", {"content": "Deploys are on Monday"}, place=place, principal=both
        )
        asked = {"record_id": made.id}
        with pytest.raises(NotPermitted):
            await service.perform("cognition.approve", asked, place=place, principal=writer)
        with pytest.raises(CallerError):
            await service.perform("cognition.approve", asked, place=place, principal=both)
        with pytest.raises(InvalidInput):
            await service.perform("cognition.approve", {**asked, "by": "lead"}, place=place, principal=both)
        approved = await service.perform("cognition.approve", asked, place=place, principal=lead)
        assert approved.data.approved_by == "key:lead"
        await service.aclose()


async def test_without_keys_whoever_sits_at_the_machine_approves_what_an_agent_proposed(tmp_path: Path) -> None:
    place = Target(org="acme", workspace="lab", agent="dev")
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        made = await service.perform("cognition.propose", {"content": "Deploys are on Monday"}, place=place)
        approved = await service.perform("cognition.approve", {"record_id": made.id}, place=place)
    assert (approved.status, approved.data.created_by) == (Status.ACTIVE, "dev")

"""What a workspace shares: proposed, approved by somebody else, read by all, and taken back at once."""

from pathlib import Path

import pytest

from remanent.errors import CallerError, InvalidInput, NotPermitted
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import ConflictState, SharedSort, Status
from remanent.operations import Permission, Principal, Service, Target
from remanent.operations.access.keys import Reach
from remanent.stores import ConflictQuery

SORTS = ("convention", "known_issue", "decision_record")


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


async def test_the_same_proposal_again_is_the_one_that_waits_or_is_in_force(memory: AsyncMemory) -> None:
    dev, other = memory.agent("dev").cognition, memory.agent("other").cognition
    first = await dev.propose("Names are in camelCase", sort="convention")
    assert (await dev.propose("Names are in camelCase ", sort="convention")).id == first.id
    assert (await other.propose("Names are in camelCase", sort="convention")).id == first.id
    assert [one.id for one in await dev.shared(pending=True)] == [first.id]
    assert (await dev.propose("Names are in camelCase", sort="known_issue")).id != first.id
    await other.approve(first.id, by="lead")
    assert (await dev.propose("Names are in camelCase", sort="convention")).status is Status.ACTIVE
    await other.revoke(first.id, by="lead")
    assert (await dev.propose("Names are in camelCase", sort="convention")).status is Status.PENDING


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
    promoted = holder("key:writer", Permission.WRITE, Permission.APPROVE)
    lead = holder("key:lead", Permission.APPROVE)
    async with aopen(tmp_path, embedder="none") as memory:
        service = Service(memory)
        made = await service.perform(
            "cognition.propose", {"content": "Deploys are on Monday"}, place=place, principal=writer
        )
        asked = {"record_id": made.id}
        with pytest.raises(NotPermitted):
            await service.perform("cognition.approve", asked, place=place, principal=writer)
        with pytest.raises(CallerError, match="approved by somebody else"):
            await service.perform("cognition.approve", asked, place=place, principal=promoted)
        with pytest.raises(InvalidInput):
            await service.perform("cognition.approve", {**asked, "by": "lead"}, place=place, principal=promoted)
        approved = await service.perform("cognition.approve", asked, place=place, principal=lead)
        assert approved.data.approved_by == "key:lead"
        history = await service.perform("cognition.shared_history", asked, place=place, principal=writer)
        assert [(one.record.data.user, one.record.data.approved_by) for one in history.items] == [
            ("key:writer", ""),
            ("key:writer", "key:lead"),
        ]
        await service.aclose()


@pytest.mark.spec("COG-11")
async def test_over_an_interface_the_permission_to_approve_makes_a_coordinator(tmp_path: Path) -> None:
    place = Target(org="acme", workspace="lab", agent="dev")
    allowed = frozenset({Permission.WRITE, Permission.APPROVE})
    lead = Principal(name="key:lead", reach=Reach(org="acme", workspace=None), permissions=allowed)
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        asked = {"content": "The release is frozen"}
        made = await service.perform("cognition.propose", asked, place=place, principal=lead)
        assert (made.status, made.data.approved_by) == (Status.ACTIVE, "key:lead")
        (line,) = (await service.perform("audit.list", {}, place=Target(org="acme"))).items
        assert (line.deed.who, line.deed.what) == ("key:lead", "cognition.propose")


@pytest.mark.spec("COG-11")
async def test_what_is_meant_for_an_agents_role_comes_first_and_all_is_read_by_all(memory: AsyncMemory) -> None:
    lead = memory.agent("lead").cognition
    for sort in SORTS:
        for number in range(2):
            text = f"Deploys of the billing service: {sort.replace('_', ' ')} {number}"
            await lead.propose(text, sort=sort, number=f"{sort}-{number}", coordinator=True)
    await memory.settle()

    async def sorts(name: str) -> list[str]:
        found = await memory.agent(name).cognition.brief("How are deploys of the billing service done?")
        return [sort for item in found.items for sort in SORTS if sort.replace("_", " ") in item.text]

    for name, role, first in (
        ("runner", "operations", "known_issue"),
        ("checker", "tester", "decision_record"),
    ):
        agent = memory.agent(name).cognition
        await agent.set_role(role)
        assert await agent.role() == role
        told = await sorts(name)
        assert told[:2] == [first, first], told
        assert len(told) == 3, "others are read as well, behind"
        await agent.set_role(None)
        assert await sorts(name) == await sorts("nobody")
    with pytest.raises(InvalidInput, match="one of coordinator"):
        await lead.set_role("jester")


async def test_without_keys_whoever_sits_at_the_machine_approves_what_an_agent_proposed(tmp_path: Path) -> None:
    place = Target(org="acme", workspace="lab", agent="dev")
    async with aopen(tmp_path, embedder="none") as memory, Service(memory) as service:
        made = await service.perform("cognition.propose", {"content": "Deploys are on Monday"}, place=place)
        approved = await service.perform("cognition.approve", {"record_id": made.id}, place=place)
    assert (approved.status, approved.data.created_by) == (Status.ACTIVE, "dev")


@pytest.mark.spec("COG-11")
async def test_the_plain_recall_of_others_finds_what_was_approved_and_is_not_filled_with_it(
    memory: AsyncMemory,
) -> None:
    ada, bo = (memory.agent(name, workspace="team") for name in ("ada", "bo"))
    await bo.remember(["I had pasta for lunch.", "My sister visits on the weekend.", "The harbour was full of herons."])
    await memory.settle()
    question = "Where is our production database hosted?"
    before = await bo.recall(question)
    proposed = await ada.cognition.propose("Our production database is hosted in Frankfurt.")
    waiting = await bo.recall(question)
    await ada.cognition.approve(proposed.id, by="eve")
    await memory.settle()
    found = await bo.recall(question)
    assert [proposed.id in {item.record_id for item in one.items} for one in (before, waiting, found)] == [
        False,
        False,
        True,
    ]
    assert "Frankfurt" in found.text
    for other in ("What did I have for lunch?", "Which birds were in the harbour?"):
        assert "Frankfurt" not in (await bo.recall(other)).text
    assert "Frankfurt" not in (await bo.recall(question, user="zoe")).text
    assert "Frankfurt" not in (await bo.recall(question, session="s1")).text
    assert "Frankfurt" not in (await memory.agent("cy", workspace="other").recall(question)).text


@pytest.mark.spec("COG-11")
async def test_what_is_approved_before_its_index_is_made_is_found_at_once(tmp_path: Path) -> None:
    """No job is asked for then, since one waits: nothing tells that there is something shared now."""
    question = "Where is our production database hosted?"
    async with aopen(tmp_path, embedder="none", jobs={"enabled": False}) as memory:
        ada, bo = (memory.agent(name, workspace="team") for name in ("ada", "bo"))
        proposed = await ada.cognition.propose("Our production database is hosted in Frankfurt.")
        assert not (await bo.recall(question)).items
        await ada.cognition.approve(proposed.id, by="eve")
        async with aopen(tmp_path, embedder="none") as other:
            await other.settle()
        assert "Frankfurt" in (await bo.recall(question)).text


async def test_a_sort_that_there_is_none_of_is_refused_with_those_that_there_are(memory: AsyncMemory) -> None:
    with pytest.raises(InvalidInput, match=r"convention.*known_issue.*preference"):
        await memory.agent("dev").cognition.propose("We use pnpm", sort="decision")

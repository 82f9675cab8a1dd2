"""Long work is shared by organisations: one that starts all it can leaves room for the others."""

import asyncio
from typing import Any

import pytest

from remanent.discipline.operation import operation
from remanent.discipline.port import Call, Report
from remanent.discipline.shapes import Done, Nothing
from remanent.errors import NotPermitted, QueueFull
from remanent.operations import Permission, Principal, RunState, Service, Target
from remanent.operations.runs import KEPT_FREE, MAX_RUNNING, MAX_RUNNING_PER_ORG, RunFiles, Runs


@operation("wait_for_ever", zh="永远等待。", permission=Permission.READ, long=True)
async def wait_for_ever(call: Call, request: Nothing) -> Done:
    """Wait for ever."""
    raise AssertionError(f"{call} {request}: the test gives the work itself")


async def begin(service: Service, org: str) -> str:
    async def work(_: Report) -> Any:
        await asyncio.Event().wait()

    place = Target(org=org, workspace="lab", agent="ada")
    return (await service.runs.start(wait_for_ever, work, place=place)).run_id


@pytest.mark.spec("SAFE-02")
async def test_the_runs_of_one_organisation_do_not_keep_others_from_theirs(service: Service) -> None:
    mine = [await begin(service, "greedy") for _ in range(MAX_RUNNING_PER_ORG)]
    with pytest.raises(QueueFull, match="this organisation already has"):
        await begin(service, "greedy")
    assert MAX_RUNNING_PER_ORG < MAX_RUNNING
    for number in range(MAX_RUNNING - MAX_RUNNING_PER_ORG):
        await begin(service, f"other-{number}")
    with pytest.raises(QueueFull):
        await begin(service, "late")
    assert (await service.runs.cancel(mine[0])).state is RunState.CANCELLED
    await begin(service, "late")


@pytest.mark.spec("SAFE-02")
async def test_the_last_places_are_for_those_who_run_nothing(service: Service) -> None:
    for org in ("a", "b", "c"):
        for _ in range(MAX_RUNNING_PER_ORG):
            await begin(service, org)
    assert 3 * MAX_RUNNING_PER_ORG == MAX_RUNNING - KEPT_FREE
    await begin(service, "d")
    with pytest.raises(QueueFull):
        await begin(service, "d")
    await begin(service, "e")


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("run_id", ["../elsewhere", "..", "", "a/b", "a\0b", "runs/../../elsewhere", "ä"])
async def test_a_run_is_looked_for_in_its_own_folder_only(service: Service, run_id: str) -> None:
    known = await begin(service, "acme")
    files = service.runs._files
    run = await service.runs.get(known)
    files.write(run, place=Target(org="acme", workspace="lab", agent="ada"), permission=Permission.READ)
    assert files.read(known) is not None
    folder = service.memory.settings.home / ".access" / "runs"
    content = (folder / f"{known}.json").read_bytes()
    for place in (folder.parent / "elsewhere.json", folder / ".json", folder / "ä.json"):
        place.write_bytes(content)
    assert files.read(run_id) is None


@operation("make", zh="制作。", permission=Permission.WRITE, long=True)
async def make(call: Call, request: Nothing) -> Done:
    """Make something."""
    raise AssertionError(f"{call} {request}: the test gives the work itself")


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("is_later", [False, True])
async def test_a_run_is_shown_to_whoever_may_read_or_do_such_work_and_to_nobody_else(
    service: Service, is_later: bool
) -> None:
    async def work(_: Report) -> Done:
        return Done()

    begun = await service.runs.start(make, work, place=Target(org="acme", workspace="lab", agent="ada"))
    [*_, ended] = [run async for run in service.runs.follow(begun.run_id)]
    assert ended.state is RunState.DONE
    runs = service.runs if not is_later else Runs(RunFiles(service.memory.shelf, most=9), service.memory.notes)
    for permission in (Permission.READ, Permission.WRITE, Permission.ADMIN):
        holder = Principal(name="key:1", permissions=frozenset({permission}))
        assert (await runs.get(begun.run_id, principal=holder)).state is RunState.DONE
        assert len(await runs.list(principal=holder)) == 1
    watcher = Principal(name="key:2", permissions=frozenset({Permission.METRICS}))
    assert await runs.list(principal=watcher, org="acme") == []
    for asked in (runs.get, runs.cancel):
        with pytest.raises(NotPermitted):
            await asked(begun.run_id, principal=watcher)
    with pytest.raises(NotPermitted):
        [run async for run in runs.follow(begun.run_id, principal=watcher)]

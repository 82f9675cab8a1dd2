"""The one way in: what is allowed, what is as if it did not exist, what is noted."""

import asyncio
import inspect
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from remanent.discipline import registered
from remanent.discipline.operation import operation
from remanent.discipline.shapes import ZH, Done, Nothing, read_cursor, write_cursor
from remanent.errors import (
    AuditFailed,
    InvalidInput,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    StorageError,
    StorageFull,
    VersionConflict,
)
from remanent.memory import AsyncAgent, AsyncAgentAdmin
from remanent.model import Model, RecallOptions
from remanent.operations import (
    CATALOGUE,
    LOCAL,
    Body,
    Catalogue,
    Operation,
    Permission,
    Principal,
    ProgressStep,
    RunState,
    Service,
    Target,
)
from remanent.operations.access.keys import Reach
from remanent.operations.call import ServiceCall
from remanent.operations.runs import Run, RunFiles
from tests.power import Disk, fills_up

HERE = Target(org="acme", workspace="lab", agent="ada")


def holder(*permissions: Permission, org: str | None = "acme", workspace: str | None = None) -> Principal:
    return Principal(name="key:test", reach=Reach(org=org, workspace=workspace), permissions=frozenset(permissions))


async def test_what_is_remembered_through_an_operation_is_recalled_through_one(service: Service) -> None:
    receipt = await service.perform("remember", {"messages": ["I moved to Lisbon in May."]}, place=HERE)
    found = await service.perform("recall", {"query": "Lisbon"}, place=HERE)
    assert [item.record_id for item in found.items] == list(receipt.entry_ids)


async def test_pages_follow_each_other_without_gap_or_overlap(service: Service) -> None:
    await service.perform("remember", {"messages": [f"thing {number}" for number in range(7)]}, place=HERE)
    await service.memory.settle()
    wanted: tuple[dict[str, Any], ...] = ({}, {"newest_first": True}, {"order": "first_created"})
    for name, request in product(("entries", "records"), wanted):
        if not set(request) <= set(service.catalogue[name].request.model_fields):
            continue
        seen, cursor = [], None
        while True:
            page = await service.perform(name, {**request, "limit": 3, "cursor": cursor}, place=HERE)
            seen += [item.id for item in page.items]
            cursor = page.next
            if cursor is None:
                break
        whole = await service.perform(name, {**request, "limit": 100}, place=HERE)
        assert seen == [item.id for item in whole.items]
        assert len(seen) == 7


@pytest.mark.spec("UI-02")
async def test_records_are_listed_of_a_time_page_after_page(service: Service) -> None:
    told = [
        {"role": "user", "content": f"day {day}", "occurred_at": f"2024-05-{day:02}T12:00:00Z"} for day in range(1, 8)
    ]
    await service.perform("remember", {"messages": told}, place=HERE)
    await service.memory.settle()
    asked = {"kinds": ["turn"], "since": "2024-05-02T00:00:00Z", "until": "2024-05-06T12:00:00Z", "limit": 3}
    first = await service.perform("records", asked, place=HERE)
    second = await service.perform("records", {**asked, "cursor": first.next}, place=HERE)
    assert [one.content for one in (*first.items, *second.items)] == ["day 5", "day 4", "day 3", "day 2"]
    assert second.next is None


async def test_a_cursor_of_another_listing_is_refused(service: Service) -> None:
    await service.perform("remember", {"messages": ["a", "b"]}, place=HERE)
    page = await service.perform("entries", {"limit": 1}, place=HERE)
    with pytest.raises(InvalidInput, match="a different listing"):
        await service.perform("records", {"cursor": page.next}, place=HERE)
    with pytest.raises(InvalidInput, match="not a cursor"):
        await service.perform("records", {"cursor": "###"}, place=HERE)


async def test_outside_of_its_reach_a_principal_finds_nothing_whether_it_exists_or_not(service: Service) -> None:
    await service.perform("remember", {"messages": ["secret"]}, place=HERE)
    stranger = holder(Permission.ADMIN, org="other")
    messages = set()
    for place in (HERE, Target(org="acme", workspace="lab", agent="nobody"), Target(org="x", workspace="y", agent="z")):
        with pytest.raises(NotFound) as refused:
            await service.perform("recall", {"query": "secret"}, place=place, principal=stranger)
        messages.add(str(refused.value))
    assert len(messages) == 1


async def test_within_its_reach_a_principal_may_do_what_its_key_says(service: Service) -> None:
    reader = holder(Permission.READ, workspace="lab")
    await service.perform("recall", {"query": "x"}, place=HERE, principal=reader)
    with pytest.raises(NotPermitted):
        await service.perform("remember", {"messages": ["x"]}, place=HERE, principal=reader)
    with pytest.raises(NotFound):
        await service.perform("keys.list", {}, place=Target(org="acme"), principal=reader)
    assert await service.perform("entries", {}, place=HERE, principal=holder(Permission.ADMIN)) is not None


async def test_an_operation_must_be_told_where(service: Service) -> None:
    with pytest.raises(InvalidInput, match="told the agent"):
        await service.perform("recall", {"query": "x"}, place=Target(org="acme", workspace="lab"))


async def test_what_changes_something_is_noted_and_so_is_what_was_refused(service: Service) -> None:
    await service.perform("remember", {"messages": ["the word is swordfish"]}, place=HERE)
    await service.perform("recall", {"query": "swordfish"}, place=HERE)
    with pytest.raises(NotFound):
        await service.perform("forget", {"record_id": "no-such"}, place=HERE)
    with pytest.raises(NotPermitted):
        await service.perform("erase", {"everything": True}, place=HERE, principal=holder(Permission.READ))
    lines = list(service.audit.read("acme"))
    assert [(line.deed.who, line.deed.what, line.deed.outcome) for line in lines] == [
        ("local", "remember", "ok"),
        ("local", "forget", "NotFound"),
        ("key:test", "erase", "NotPermitted"),
    ]
    assert lines[1].deed.subjects == ("no-such",)
    assert "swordfish" not in "".join(line.to_json() for line in lines)


@pytest.mark.spec("SAFE-03")
async def test_what_only_an_administrator_may_see_is_noted_when_it_is_seen(service: Service) -> None:
    reads = [one.name for one in service.catalogue.values() if one.permission is Permission.ADMIN and not one.changes]
    assert {"keys.list", "audit.list", "audit.verify"} <= set(reads)
    for name in reads:
        await service.perform(name, {}, place=HERE)
        with pytest.raises(NotPermitted):
            await service.perform(name, {}, place=HERE, principal=holder(Permission.READ))
    noted = [(line.deed.who, line.deed.what, line.deed.outcome) for line in service.audit.read("acme")]
    assert noted == [told for name in reads for told in (("local", name, "ok"), ("key:test", name, "NotPermitted"))]


@operation("lines", zh="若干行。", permission=Permission.ADMIN, changes=False)
async def in_lines(call: ServiceCall, request: Nothing) -> AsyncIterator[str]:
    """Answer with lines."""
    del call, request
    yield "x"


@pytest.mark.spec("SAFE-03")
async def test_what_only_an_administrator_may_see_is_noted_before_its_first_line(service: Service) -> None:
    async with Service(service.memory, catalogue=service.catalogue.with_more([in_lines])) as able:
        await able.stream("lines", {}, place=HERE)
        assert [line.deed.what for line in able.audit.read("acme")] == ["lines"]


@pytest.mark.spec("SAFE-03")
async def test_what_cannot_be_noted_is_not_done(service: Service) -> None:
    await service.perform("remember", {"messages": ["before"]}, place=HERE)
    logs = service.memory.settings.home / ".access" / "audit"
    logs.rename(logs.with_name("away"))
    logs.write_text("in the way")
    for name, request in (("remember", {"messages": ["lost"]}), ("erase", {"everything": True}), ("keys.list", {})):
        with pytest.raises(StorageError):
            await asyncio.wait_for(service.perform(name, request, place=HERE), 30)
    if "bank.run" in service.catalogue:  # the long work of a discipline that may be taken out
        with pytest.raises(StorageError):
            await asyncio.wait_for(service.start("bank.run", {"task": "x", "context": "y"}, place=HERE), 30)
    found = await service.perform("entries", {}, place=HERE)
    assert [entry.text for entry in found.items] == ["before"]
    logs.unlink()
    logs.with_name("away").rename(logs)
    await service.perform("remember", {"messages": ["after"]}, place=HERE)
    assert service.audit.verify("acme").intact


@operation("fails", zh="失败。", permission=Permission.WRITE)
async def fails(call: ServiceCall, request: Nothing) -> Done:
    """Fail."""
    del call, request
    raise VersionConflict("somebody was faster")


@pytest.mark.spec("SAFE-03")
async def test_what_is_done_and_cannot_be_noted_is_said_to_be_done(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await service.perform("remember", {"messages": ["before"]}, place=HERE)
    with monkeypatch.context() as patch:
        fills_up(patch)
        with pytest.raises(AuditFailed, match="remember was done, but could not be recorded in the audit") as caught:
            await service.perform("remember", {"messages": ["during"]}, place=HERE)
        assert "nothing was" not in str(caught.value)
        with pytest.raises(StorageFull, match="nothing was changed"):
            await service.perform("remember", {"messages": ["refused"]}, place=HERE)
    found = await service.perform("entries", {}, place=HERE)
    assert [entry.text for entry in found.items] == ["before", "during"]
    await service.perform("remember", {"messages": ["after"]}, place=HERE)
    lines = [(line.deed.what, line.deed.outcome) for line in service.audit.read("acme")]
    assert lines == [("remember", "ok")] * 3, "noted once it could be"


@pytest.mark.spec("SAFE-03")
async def test_what_went_wrong_first_is_told_where_that_cannot_be_noted_either(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    @operation("hangs", zh="挂起。", permission=Permission.WRITE, long=True)
    async def hangs(call: ServiceCall, request: Nothing) -> Done:
        """Hang."""
        del call, request
        begun.set()
        await asyncio.Event().wait()
        return Done()

    async with Service(service.memory, catalogue=Catalogue([fails, hangs])) as able:
        await able.audit.require("acme")
        fills_up(monkeypatch)
        with pytest.raises(VersionConflict):
            await able.perform("fails", {}, place=HERE)
        monkeypatch.undo()
        await able.audit.require("acme")
        run = await able.start("hangs", {}, place=HERE)
        await begun.wait()
        fills_up(monkeypatch)
        assert (await able.runs.cancel(run.run_id)).state is RunState.CANCELLED
        monkeypatch.undo()
        await able.audit.require("acme")
        assert [line.deed.outcome for line in able.audit.read("acme")] == ["VersionConflict", "cancelled"]


@pytest.mark.spec("SAFE-03")
async def test_an_organisation_reads_and_verifies_its_own_log_only(service: Service) -> None:
    await service.perform("remember", {"messages": ["a"]}, place=HERE)
    admin, mine = holder(Permission.ADMIN), Target(org="acme")
    sound = await service.perform("audit.verify", {}, place=mine, principal=admin)
    assert (sound.intact, sound.lines) == (True, 1)
    other = Target(org="other", workspace="lab", agent="bob")
    for _ in range(3):
        await service.perform("remember", {"messages": ["b"]}, place=other)
    # Being refused elsewhere is told to whose key it was; nobody can fill another's log, or make one.
    for org in ("other", "nowhere"):
        with pytest.raises(NotFound):
            await service.perform(
                "recall", {"query": "b"}, place=Target(org=org, workspace="w", agent="a"), principal=admin
            )
    (service.memory.settings.home / ".access" / "audit" / "other.jsonl").write_bytes(b"")
    assert not (await service.perform("audit.verify", {}, place=Target(org="other"))).intact
    told = await service.perform("audit.verify", {}, place=mine, principal=admin)
    assert (told.intact, told.lines) == (True, 4)
    listed = await service.perform("audit.list", {}, place=mine, principal=admin)
    assert [(line.deed.what, line.deed.outcome) for line in listed.items] == [
        ("remember", "ok"),
        ("audit.verify", "ok"),
        ("recall", "NotFound"),
        ("recall", "NotFound"),
        ("audit.verify", "ok"),
    ]
    assert service.audit.orgs() == ["acme", "other"]
    newest = {"newest_first": True, "limit": 3}
    last = await service.perform("audit.list", newest, place=mine, principal=admin)
    rest = await service.perform("audit.list", newest | {"cursor": last.next}, place=mine, principal=admin)
    seen = [line.seq for line in (*last.items, *rest.items)]
    assert seen == sorted(seen, reverse=True)
    assert [line for line in reversed((*last.items, *rest.items)) if line.seq <= 5] == list(listed.items)


@pytest.mark.spec("SAFE-01")
async def test_until_a_first_key_a_local_caller_needs_none_and_any_other_does(service: Service) -> None:
    assert await service.authenticate(None, is_local=True) == LOCAL
    with pytest.raises(NotAuthenticated, match="remanent keys create"):
        await service.authenticate(None)
    made = await service.perform("keys.create", {"name": "k"}, place=Target(org="acme"))
    assert made.is_first
    with pytest.raises(NotAuthenticated, match="remanent keys create"):
        await service.authenticate(None, is_local=True)
    assert not (await service.perform("keys.create", {"name": "l"}, place=Target(org="acme"))).is_first
    principal = await service.authenticate(made.token)
    assert principal.reach == Reach(org="acme")
    assert principal.permissions == {Permission.READ, Permission.WRITE}


async def test_a_key_cannot_make_one_that_reaches_further(service: Service) -> None:
    admin = holder(Permission.ADMIN)
    with pytest.raises(NotPermitted):
        await service.perform(
            "keys.create", {"name": "k", "everywhere": True}, place=Target(org="acme"), principal=admin
        )
    await service.perform("keys.create", {"name": "own"}, place=Target(org="acme"), principal=admin)
    await service.perform("keys.create", {"name": "other"}, place=Target(org="other"))
    listed = await service.perform("keys.list", {}, place=Target(org="acme"), principal=admin)
    assert [key.name for key in listed.items] == ["own"]
    (foreign,) = (await service.perform("keys.list", {}, place=Target(org="other"))).items
    with pytest.raises(NotFound):
        await service.perform("keys.revoke", {"key_id": foreign.key_id}, place=Target(org="acme"), principal=admin)


async def test_long_work_is_started_followed_and_fetched(service: Service) -> None:
    await service.perform("remember", {"messages": ["a", "b"]}, place=HERE)
    run = await service.start("settle", {}, place=HERE)
    states = [state async for state in service.runs.follow(run.run_id)]
    assert states[0].state is RunState.RUNNING
    assert states[-1].state is RunState.DONE
    assert states[-1].response == {"done": True}
    assert await service.runs.get(run.run_id) == states[-1]


async def test_a_run_is_found_only_where_it_was_started(service: Service) -> None:
    run = await service.start("settle", {}, place=HERE)
    assert (await service.runs.get(run.run_id, principal=holder(Permission.READ), org="acme")).run_id == run.run_id
    with pytest.raises(NotFound):
        await service.runs.get(run.run_id, org="other")
    stranger = holder(Permission.ADMIN, org="other")
    with pytest.raises(NotFound):
        await service.runs.get(run.run_id, principal=stranger)
    assert await service.runs.list(principal=stranger) == []
    assert len(await service.runs.list(principal=holder(Permission.READ))) == 1


@operation("never", zh="永不。", permission=Permission.READ, long=True)
async def never(call: ServiceCall, request: Nothing) -> Done:
    """Wait for ever, after one step."""
    del request
    call.report(ProgressStep(done=1, total=2))
    await asyncio.Event().wait()
    return Done()


@operation("fail", zh="失败。", permission=Permission.READ, long=True)
async def fail(call: ServiceCall, request: Nothing) -> Done:
    """Fail."""
    del call, request
    raise InvalidInput("as told")


async def test_long_work_that_fails_says_with_what(service: Service) -> None:
    able = Service(service.memory, catalogue=service.catalogue.with_more([fail]))
    run = await able.start("fail", {}, place=HERE)
    last = [state async for state in able.runs.follow(run.run_id)][-1]
    assert (last.state, last.error, last.message) == (RunState.FAILED, "InvalidInput", "as told")


async def test_long_work_is_cancelled(service: Service) -> None:
    async with Service(service.memory, catalogue=service.catalogue.with_more([never])) as able:
        run = await able.start("never", {}, place=HERE)
        steps = able.runs.follow(run.run_id)
        assert (await anext(steps)).step.done == 0
        assert (await anext(steps)).step == ProgressStep(done=1, total=2)
        assert (await able.runs.cancel(run.run_id)).state is RunState.CANCELLED
        assert (await anext(steps)).state is RunState.CANCELLED
        assert [state async for state in steps] == []


async def test_closing_ends_what_still_runs(service: Service) -> None:
    able = Service(service.memory, catalogue=service.catalogue.with_more([never]))
    run = await able.start("never", {}, place=HERE)
    await able.aclose()
    assert (await able.runs.get(run.run_id)).state is RunState.INTERRUPTED


class Words(Model):
    """What was said."""

    text: str


@operation("tell", zh="讲述。", permission=Permission.WRITE, long=True)
async def tell(call: ServiceCall, request: Words) -> Words:
    """Tell something back."""
    del call
    return request


@operation("go_on", zh="不停。", permission=Permission.WRITE, long=True)
async def go_on(call: ServiceCall, request: Words) -> Words:
    """Go on for ever."""
    del call
    await asyncio.Event().wait()
    return request


async def test_what_long_work_came_to_is_known_to_a_process_that_was_started_since(service: Service) -> None:
    catalogue = service.catalogue.with_more([tell])
    first, second = (Service(service.memory, catalogue=catalogue) for _ in range(2))
    run = await first.start("tell", {"text": "the canary 77aa"}, place=HERE)
    last = [state async for state in first.runs.follow(run.run_id)][-1]
    await first.aclose()
    assert await second.runs.get(run.run_id) == last
    assert [state async for state in second.runs.follow(run.run_id)] == [last]
    assert [one.run_id for one in await second.runs.list()] == [run.run_id]
    assert await second.runs.cancel(run.run_id) == last
    with pytest.raises(NotFound):
        await second.runs.get(run.run_id, principal=holder(Permission.ADMIN, org="other"))
    # Only the agent's own store holds what was said, and erasing takes it from there.
    home = service.memory.settings.home
    outside = [file for file in (home / ".access").rglob("*") if file.is_file()]
    assert not any(b"the canary" in file.read_bytes() for file in outside)
    await service.perform("erase", {"everything": True}, place=HERE)
    for one in (first, second):
        again = await one.runs.get(run.run_id)
        assert (again.state, again.response) == (RunState.DONE, None)
        assert "no longer there" in again.message
        assert [state async for state in one.runs.follow(run.run_id)] == [again]
        assert "the canary" not in repr(await one.runs.list())
    await second.aclose()


async def test_work_whose_process_ended_is_told_as_interrupted(service: Service) -> None:
    catalogue = service.catalogue.with_more([go_on])
    first, second, third = (Service(service.memory, catalogue=catalogue) for _ in range(3))
    run = await first.start("go_on", {"text": "x"}, place=HERE)
    assert (await second.runs.get(run.run_id)).state is RunState.RUNNING
    with pytest.raises(NotPermitted):
        await second.runs.cancel(run.run_id)
    first.runs._files.close()  # as the system does for a process that is killed
    told = await second.runs.get(run.run_id)
    assert (told.state, "start it again" in told.message) == (RunState.INTERRUPTED, True)
    await first.aclose()
    stopped = await third.runs.get(run.run_id)
    assert (stopped.state, stopped.response) == (RunState.INTERRUPTED, None)
    for one in (second, third):
        await one.aclose()


async def test_runs_that_are_written_down_are_bounded(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    from remanent.operations import runs

    monkeypatch.setattr(runs, "MAX_KEPT", 3)
    monkeypatch.setattr(runs, "_TIDY_EVERY", 2)
    able = Service(service.memory, catalogue=service.catalogue.with_more([tell]))
    able.runs._files._most = 3
    for number in range(8):
        run = await able.start("tell", {"text": f"{number}"}, place=HERE)
        assert [state async for state in able.runs.follow(run.run_id)][-1].state is RunState.DONE
    folder = service.memory.settings.home / ".access" / "runs"
    assert len(list(folder.glob("*.json"))) <= 5
    assert len(able.runs._kept) <= 3
    await able.aclose()
    assert list(folder.glob("*.lock")) == []


@pytest.mark.spec("SAFE-06")
async def test_how_a_run_stands_survives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    files = RunFiles(disk.root, most=10)
    run = Run(run_id="a" * 32, operation="tell", started_at=datetime(2026, 3, 1, tzinfo=UTC))
    for state in (RunState.RUNNING, RunState.DONE):
        files.write(run.replace(state=state), place=HERE, permission=Permission.WRITE)
        left = RunFiles(disk.image(tmp_path / state), most=10).read(run.run_id)
        assert left is not None
        assert left.run.state is state
    files.close()


EVERY = pytest.mark.parametrize("one", CATALOGUE.values(), ids=CATALOGUE.keys())
# What only somebody at the machine itself can do.
LOCAL_ONLY = {
    "admin": {"dead_letters"},  # the client has it by way of `jobs`
    # A server opens and closes the memory itself, and single nodes are looked at where they lie.
    # Files and folders lie with whoever reads them; a server is sent their bytes.
    "knowledge": {"add", "preview", "sync", "watch"},
    "associative": {"close", "initialize"},
}
FACES: dict[str, type] = {"": AsyncAgent, "admin": AsyncAgentAdmin}
FACES |= {one.name: one.agent_face for one in registered() if one.agent_face is not None}


@EVERY
def test_an_operation_is_explained_in_both_languages(one: Operation[Any, Any]) -> None:
    assert one.help.en.endswith(".")
    assert re.search(r"[\u4e00-\u9fff]", one.help.zh)
    if one.tool is not None:
        assert re.search(r"[\u4e00-\u9fff]", one.tool.description.zh)
        assert {name.partition(".")[0] for name in one.tool.fields or ()} <= set(one.request.model_fields)


@EVERY
def test_every_field_of_a_request_is_explained_in_both_languages(one: Operation[Any, Any]) -> None:
    for name, field in one.request.model_fields.items():
        assert field.description, name
        assert isinstance(field.json_schema_extra, dict), name
        assert re.search(r"[\u4e00-\u9fff]", str(field.json_schema_extra[ZH])), name


@EVERY
def test_examples_are_requests(one: Operation[Any, Any]) -> None:
    for example in one.examples:
        assert isinstance(one.request.model_validate(dict(example)), one.request)


@EVERY
def test_the_shapes_of_request_and_answer_can_be_told_as_json_schema(one: Operation[Any, Any]) -> None:
    assert one.request.model_json_schema()["type"] == "object"
    if one.answers is Body.JSON:
        assert TypeAdapter(one.response).json_schema(mode="serialization")


@EVERY
def test_reading_changes_nothing_and_changing_is_no_get(one: Operation[Any, Any]) -> None:
    assert not (one.changes and one.method == "GET")
    assert not (one.changes and one.permission is Permission.READ)


@pytest.mark.parametrize(("part", "kind"), FACES.items())
def test_everything_that_an_agents_memory_can_do_is_an_operation(part: str, kind: type) -> None:
    able = {
        name
        for name, member in inspect.getmembers(kind)
        if not name.startswith("_") and (inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member))
    }
    offered = {one.face.method for one in CATALOGUE.values() if one.face is not None and one.face.part == part}
    assert able - LOCAL_ONLY.get(part, set()) == offered


def test_a_face_takes_the_same_arguments_as_its_operation() -> None:
    options = set(RecallOptions.model_fields)
    for one in CATALOGUE.values():
        if one.face is None or one.name == "attachment":
            continue
        method = getattr(FACES[one.face.part], one.face.method)
        taken = set(inspect.signature(method).parameters) - {"self", "on_progress", *one.face.by_key}
        if "options" in taken:
            taken = taken - {"options"} | options
        assert taken - {one.face.upload} <= set(one.request.model_fields), one.name


def test_no_more_than_thirteen_tools_are_shown_to_a_model() -> None:
    assert sum(one.tool is not None and one.tool.listed for one in CATALOGUE.values()) < 14


class _Wave(Model):
    times: int = 1


def _wave(name: str, **more: Any) -> Operation[_Wave, Done]:
    @operation(name, zh="挥手。", permission=Permission.READ, **more)
    async def wave(call: ServiceCall, request: _Wave) -> Done:
        """Wave."""
        del call, request
        return Done()

    return wave


def test_a_route_follows_from_the_name_unless_it_is_given() -> None:
    waved = _wave("sea.wave_twice")
    assert (waved.method, waved.path) == ("POST", "sea/wave-twice")


def test_two_operations_cannot_share_a_name_or_a_route() -> None:
    with pytest.raises(ValueError, match="two operations are called wave"):
        Catalogue([_wave("wave"), _wave("wave")])
    with pytest.raises(ValueError, match="same route"):
        Catalogue([_wave("wave", route="GET sea"), _wave("swell", route="GET sea")])


@pytest.mark.parametrize("name", ["Wave", "a.b.c", "wave-twice", ""])
def test_a_name_that_no_interface_could_show_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a valid name for an operation"):
        _wave(name)


def test_a_place_in_the_path_must_be_a_field_of_the_request() -> None:
    with pytest.raises(ValueError, match="sea_id in its path"):
        _wave("wave", route="GET seas/{sea_id}")


def test_an_operation_without_words_is_refused() -> None:
    async def silent(call: ServiceCall, request: Nothing) -> Done:
        del call, request
        return Done()

    with pytest.raises(ValueError, match="needs a docstring"):
        operation("silent", zh="无声。", permission=Permission.READ)(silent)


@pytest.mark.parametrize("place", [7, "0190-abc", 0])
def test_a_cursor_stands_for_its_place(place: int | str) -> None:
    assert read_cursor(write_cursor(place), type(place)) == place

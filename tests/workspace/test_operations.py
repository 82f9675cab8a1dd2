"""The workspace through operations: who may choose a folder, what a model's tool does."""

from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest

from remanent.discipline import Permission
from remanent.errors import InvalidInput, NotPermitted
from remanent.memory import aopen
from remanent.operations import CATALOGUE, Service, Target
from remanent.operations.access.keys import Principal, Reach
from remanent.workspace.operations import OneDay
from tests.workspace.world import FACTS, TALK

HERE = Target(org="acme", workspace="lab", agent="ada")
HOLDER = Principal(name="key:test", reach=Reach(org="acme"), permissions=frozenset({Permission.ADMIN}))


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    about = {"path": tmp_path / "ws"}
    async with aopen(tmp_path / "home", embedder="none", memory=about) as memory, Service(memory) as service:
        yield service


async def test_a_key_cannot_choose_a_folder_of_the_machine_whoever_sits_at_it_can(
    service: Service, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("secret of another\n", encoding="utf-8")
    with pytest.raises(NotPermitted):
        await service.perform("workspace.init", {"vault": str(vault)}, place=HERE, principal=HOLDER)
    found = await service.perform("workspace.search", {"query": "secret"}, place=HERE, principal=HOLDER)
    assert found.items == ()
    await service.perform("workspace.init", {"vault": str(vault)}, place=HERE)
    found = await service.perform("workspace.search", {"query": "secret"}, place=HERE)
    assert [hit.path for hit in found.items] == ["a.md"]


async def test_agents_of_one_server_do_not_see_each_others_files(service: Service) -> None:
    other = Target(org="acme", workspace="lab", agent="bob")
    tool = CATALOGUE["workspace.memory"].name
    await service.perform(tool, {"command": "create", "path": "/memories/a.md", "file_text": "of ada"}, place=HERE)
    seen = await service.perform(tool, {"command": "view", "path": "/memories"}, place=other)
    assert "a.md" not in seen.text
    with pytest.raises(InvalidInput):
        await service.perform(tool, {"command": "view", "path": "/memories/../a.md"}, place=other)


@pytest.mark.spec("WORK-02", "WORK-10")
async def test_facts_days_layers_and_changes_are_reached_by_every_interface(service: Service) -> None:
    report = await service.perform("workspace.end", {"messages": TALK, "session": "s1"}, place=HERE)
    assert report.facts == FACTS
    log = await service.perform("workspace.log", {}, place=HERE)
    assert FACTS[0] in log.text
    layers = await service.perform("workspace.layers", {}, place=HERE)
    assert len(layers.items) == 6
    changes = await service.perform("workspace.changes", {"limit": 5}, place=HERE)
    for change in changes.items:
        await service.perform("workspace.undo", {"change_id": change.id}, place=HERE)
    assert (await service.perform("workspace.log", {}, place=HERE)).text == ""
    prompt = await service.perform("workspace.prompt", {"messages": TALK}, place=HERE)
    assert prompt.text == (await service.perform("workspace.recalled", {"messages": TALK}, place=HERE)).text


def test_a_day_is_written_as_a_day_and_no_number_is_taken_for_one() -> None:
    assert OneDay.model_validate_strings({"day": "2026-05-31"}).day == date(2026, 5, 31)
    for given in ("0", "1780185600", "2026-5-31", "31.05.2026"):
        with pytest.raises(InvalidInput, match="write a day as"):
            OneDay.model_validate_strings({"day": given})

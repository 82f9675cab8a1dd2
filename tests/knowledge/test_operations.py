"""Knowledge bases as every interface offers them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import NotFound
from remanent.http.public import FetchedPage, PublicFetcher
from remanent.knowledge.face import AsyncKnowledgeBases, AsyncKnowledgeCollection
from remanent.knowledge.model import Added, DocumentView, KnowledgeFound
from remanent.memory import AsyncAgent
from remanent.model import Scope, Status
from remanent.operations import Service, Target
from tests.knowledge.world import MANUAL, opened

SHARED = Target(org="local", workspace="lab", agent="shared")
ADA = Target(org="local", workspace="lab", agent="ada")


async def sent(content: bytes) -> AsyncIterator[bytes]:
    yield content[:10]
    yield content[10:]


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with opened(tmp_path / "home", org="local") as (memory, _), Service(memory) as able:
        yield able


@pytest.mark.spec("KB-01")
async def test_a_file_is_sent_found_opened_and_removed(service: Service) -> None:
    added: Added = await service.perform(
        "knowledge.add", {"name": "pump.md", "tags": ["manual"]}, place=SHARED, upload=sent(MANUAL.encode())
    )
    assert (added.status, added.document.tags) == ("added", ("manual",))
    # An agent of the workspace finds what is shared; what it adds is its own.
    found: KnowledgeFound = await service.perform("knowledge.search", {"question": "gasket"}, place=ADA)
    assert found.items[0].document == "pump.md"
    await service.perform("knowledge.add", {"name": "own.md"}, place=ADA, upload=sent(b"A gasket of mine."))
    assert [one.name for one in (await service.perform("knowledge.list", {}, place=SHARED)).items] == ["pump.md"]
    view: DocumentView = await service.perform("knowledge.show", {"document": added.document.document_id}, place=SHARED)
    assert len(view.chunks) == 3
    tool = service.catalogue["knowledge.show"].tool
    assert tool is not None
    assert tool.tell is not None
    assert "Never run the pump dry" in tool.tell(view, "en")
    answer = await service.perform("knowledge.ask", {"question": "How often is the filter cleaned?"}, place=SHARED)
    assert answer.passages[0].document == "pump.md"
    await service.perform("knowledge.remove", {"document": "pump.md"}, place=SHARED)
    with pytest.raises(NotFound):
        await service.perform("knowledge.show", {"document": "pump.md"}, place=SHARED)


@pytest.mark.spec("KB-05")
async def test_recall_finds_what_the_workspace_shares_when_it_is_asked_for_chunks(service: Service) -> None:
    memory = service.memory
    bases = memory.face(AsyncKnowledgeBases)
    shared, board = bases(workspace="lab", org="local"), bases("board", workspace="lab", org="local")
    await shared.add(text="The garden pump is blue and stands in the cellar.", name="pump.txt")
    await board.add(text="The garden pump will be sold in spring.", name="board.txt")
    await board.configure(agents=["eve"])
    ada, eve, stranger = (
        memory.agent(name, workspace=workspace, org="local")
        for name, workspace in (("ada", "lab"), ("eve", "lab"), ("ada", "elsewhere"))
    )
    await ada.face(AsyncKnowledgeCollection).add(text="I keep the key of the garden pump in my desk.", name="mine.txt")
    await ada.remember("I painted the garden pump.")
    await memory.settle()

    async def names(agent: AsyncAgent, **asked: Any) -> list[str]:
        found = await agent.recall("garden pump", **asked)
        assert [item.rank for item in found.items] == list(range(1, len(found.items) + 1))
        assert all(item.text in found.text for item in found.items)
        return sorted(str(item.metadata.get("name", item.kind)) for item in found.items)

    assert await names(ada, kinds=["chunk"]) == ["mine.txt", "pump.txt"]
    assert await names(ada, kinds=["chunk", "turn"]) == ["mine.txt", "pump.txt", "turn"]
    assert len(await names(ada, kinds=["chunk"], limit=1)) == 1
    assert await names(eve, kinds=["chunk"]) == ["board.txt", "pump.txt"]
    assert await names(stranger, kinds=["chunk"]) == []
    assert await names(ada, kinds=["turn"]) == ["turn"]
    assert "pump.txt" not in await names(ada)
    over_rest = await service.perform("recall", {"query": "garden pump", "kinds": ["chunk"]}, place=ADA)
    assert len(over_rest.items) == 2
    # What is removed or closed is not given again from what was kept.
    await shared.remove("pump.txt")
    assert await names(ada, kinds=["chunk"]) == ["mine.txt"]
    await board.configure(agents=[])
    assert await names(eve, kinds=["chunk"]) == []


@pytest.mark.spec("KB-05")
async def test_what_recall_gives_of_shared_documents_can_be_read_and_not_changed(service: Service) -> None:
    memory = service.memory
    bases = memory.face(AsyncKnowledgeBases)
    await bases(workspace="lab", org="local").add(text="The garden pump is blue.", name="pump.txt")
    board = bases("board", workspace="lab", org="local")
    await board.add(text="The garden pump will be sold.", name="board.txt")
    await board.configure(agents=["eve"])
    await memory.settle()
    ada, eve, stranger = (
        memory.agent(name, workspace=workspace, org="local")
        for name, workspace in (("ada", "lab"), ("eve", "lab"), ("ada", "elsewhere"))
    )
    found = {item.text: item.record_id for item in (await eve.recall("garden pump", kinds=["chunk"])).items}
    blue, sold = found["The garden pump is blue."], found["The garden pump will be sold."]
    assert (await ada.get(blue)).content == "The garden pump is blue."
    assert [one.record.id for one in await ada.history(blue)] == [blue]
    assert (await ada.deep_retrieval(blue)).entries[0].metadata["name"] == "pump.txt"
    assert (await eve.get(sold)).content == "The garden pump will be sold."
    assert (await service.perform("get", {"record_id": blue}, place=ADA)).id == blue
    # Of what is closed to an agent, or another workspace's, it is not even told that it is there.
    for agent, record_id in ((ada, sold), (stranger, blue)):
        for read in (agent.get, agent.history, agent.deep_retrieval):
            with pytest.raises(NotFound):
                await read(record_id)
    with pytest.raises(NotFound):
        await ada.forget(blue)
    assert (await ada.get(blue)).status is Status.ACTIVE


async def test_a_recall_that_names_no_documents_asks_nothing_of_what_is_shared(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = service.memory.agent("ada", workspace="lab", org="local")
    await ada.remember("I painted the garden pump.")
    await service.memory.settle()
    asked: list[str] = []
    read, stand = ada._parts.store.states, ada._parts.store.standing

    async def states(scope: Scope, **given: Any) -> Any:
        asked.append(f"{scope.agent} states")
        return await read(scope, **given)

    async def standing(scope: Scope, **given: Any) -> Any:
        asked.append(f"{scope.agent} standing")
        return await stand(scope, **given)

    monkeypatch.setattr(ada._parts.store, "states", states)
    monkeypatch.setattr(ada._parts.store, "standing", standing)
    await ada.recall("garden pump")
    await ada.recall("garden pump", kinds=["turn"])
    assert asked == ["ada standing"] * 2
    asked.clear()
    await ada.recall("garden pump", kinds=["chunk"])
    assert sorted(asked) == ["ada standing", "shared standing", "shared states"]


async def test_recall_finds_an_agents_own_documents_when_it_is_asked_for_chunks(service: Service) -> None:
    agent = service.memory.agent("ada", workspace="lab", org="local")
    await agent.remember("The gasket is old.")
    await agent.face(AsyncKnowledgeCollection).add(text=MANUAL, name="pump.md")
    await service.memory.settle()
    found = await agent.recall("When is the gasket replaced?", kinds=["chunk"])
    assert [item.kind for item in found.items] == ["chunk"]
    assert "second year" in found.items[0].text


async def test_a_page_is_fetched_with_what_is_said_of_it(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fetch(_: PublicFetcher, url: str) -> FetchedPage:
        return FetchedPage(url, 200, "text/plain", "utf-8", b"The pump moves water to the garden.")

    monkeypatch.setattr(PublicFetcher, "fetch", fetch)
    said = {"metadata": {"year": 2020}, "tags": ["pump"], "occurred_at": "2020-02-03"}
    added = await service.perform("knowledge.fetch", {"url": "https://pumps.example/", "name": "p", **said}, place=ADA)
    document = added.document
    assert (document.name, document.metadata, document.tags) == ("p", {"year": 2020}, ("pump",))
    assert document.occurred_at.year == 2020
    found = await service.perform("knowledge.search", {"question": "pump", "where": {"year": 2020}}, place=ADA)
    assert [one.document for one in found.items] == ["p"]


async def test_an_agent_opens_what_it_found_among_the_documents_of_its_workspace(service: Service) -> None:
    await service.perform("knowledge.add", {"name": "pump.md"}, place=SHARED, upload=sent(MANUAL.encode()))
    found: KnowledgeFound = await service.perform("knowledge.search", {"question": "gasket"}, place=ADA)
    opened_one = {"document": found.items[0].document_id}
    assert (await service.perform("knowledge.show", opened_one, place=ADA)).document.name == "pump.md"
    with pytest.raises(NotFound, match="shares one"):
        await service.perform("knowledge.remove", opened_one, place=ADA)

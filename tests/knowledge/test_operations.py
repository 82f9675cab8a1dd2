"""Knowledge bases as every interface offers them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.errors import NotFound
from remanent.knowledge import Added, AsyncKnowledgeCollection, DocumentView, KnowledgeFound
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


async def test_recall_finds_an_agents_own_documents_when_it_is_asked_for_chunks(service: Service) -> None:
    agent = service.memory.agent("ada", workspace="lab", org="local")
    await agent.remember("The gasket is old.")
    await agent.face(AsyncKnowledgeCollection).add(text=MANUAL, name="pump.md")
    await service.memory.settle()
    found = await agent.recall("When is the gasket replaced?", kinds=["chunk"])
    assert [item.kind for item in found.items] == ["chunk"]
    assert "second year" in found.items[0].text

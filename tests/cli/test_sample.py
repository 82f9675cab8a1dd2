"""The sample workspace: whatever a newcomer opens first, there is something true to see."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remanent import aopen
from remanent.cli.demo import AGENT, BANK, COLLEAGUE, QUESTION, WORKSPACE, SampleWriter, Tell, sample_sessions
from remanent.errors import StorageError
from remanent.operations import Service, Target
from remanent.plugins import ours_available
from remanent.settings import load_settings

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


class Workspace:
    """A service over a workspace that is being filled."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def fill(self, tell: Tell = lambda *_: None) -> int:
        return await SampleWriter(self.service, "default", NOW, tell).fill()

    async def ask(self, name: str, /, *, of: str = AGENT, **asked: Any) -> Any:
        return await self.service.perform(name, asked, place=Target(org="default", workspace=WORKSPACE, agent=of))

    async def counts(self) -> dict[str, int]:
        """Return how much there is of everything."""
        entries = (await self.ask("entries", limit=1000)).items
        counts = {"entries": len(entries), "days": len({entry.occurred_at.date() for entry in entries})}
        if "cognition" in ours_available():
            health = [await self.ask("cognition.health", of=of) for of in (AGENT, COLLEAGUE)]
            shared = [await self.ask("cognition.shared", pending=pending) for pending in (False, True)]
            counts |= {
                "colleague": health[1].total, "pinned": health[0].pinned, "stale": health[0].stale,
                "conflicts": health[0].open_conflicts, "forgotten": health[0].forgotten, **health[0].by_kind,
                "shared": len(shared[0].items), "proposed": len(shared[1].items),
            }  # fmt: skip
        if "knowledge" in ours_available():
            counts["documents"] = len((await self.ask("knowledge.list", of="shared")).items)
        if "associative" in ours_available():
            graph = await self.ask("associative.state")
            counts |= {
                "nodes": graph.nodes, "links": graph.links, "focuses": len(graph.focuses), "ghosts": graph.forgotten,
                "dangling": graph.dangling,
            }  # fmt: skip
        if "bank" in ours_available():
            bank = await self.ask("bank.get", bank_id=BANK)
            counts |= {
                "bank nodes": len(bank.nodes), "bank edges": len(bank.edges), "bank conflicts": len(bank.conflicts),
                "completed": len(bank.insight.completed), "runs": len(await self.service.runs.list()),
            }  # fmt: skip
        return counts


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    settings = load_settings(home=tmp_path / "home", embedder="none")
    async with aopen(settings=settings) as memory, Service(memory) as service:
        yield Workspace(service)


async def test_every_page_has_something_to_show_of_the_sample_and_a_second_start_adds_nothing(
    workspace: Workspace,
) -> None:
    assert await workspace.fill() == sum(len(session.turns) for session in sample_sessions())
    counts = await workspace.counts()
    assert {name: count for name, count in counts.items() if count == 0} == {}
    assert counts["days"] > 5
    found = await workspace.ask("recall", query=QUESTION, limit=1)
    assert "Clara lives in" in found.items[0].text
    if "associative" in ours_available():
        assert counts["nodes"] >= 30
    if "cognition" in ours_available():
        for kind in ("semantic", "episodic", "procedural", "preference", "decision", "follow_up", "mood"):
            assert counts[kind] > 0
        assert (counts["conflicts"], counts["proposed"], counts["pinned"], counts["stale"]) == (1, 1, 1, 1)
        left = [one.expires_at for one in (await workspace.ask("cognition.list", kinds=["follow_up"])).items]
        assert all(left)
    await workspace.fill()
    assert await workspace.counts() == counts


async def test_the_first_question_has_its_answer_before_the_slow_parts_begin(workspace: Workspace) -> None:
    """Indexing, a bank and a graph take a minute on a busy machine; the server takes questions all the while."""

    class SlowPart(Exception):
        pass

    def stop_before_the_second_part(what: object, place: int, total: int) -> None:
        if place == 2:
            raise SlowPart

    with pytest.raises(SlowPart):
        await workspace.fill(stop_before_the_second_part)
    found = await workspace.ask("recall", query=QUESTION, limit=1)
    assert "Clara lives in" in found.items[0].text


@pytest.mark.parametrize("part", ["_talk", "_share", "_learn"])
async def test_a_sample_that_was_cut_off_is_completed_by_the_next_start(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    async def cut(self: SampleWriter) -> None:
        raise StorageError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(SampleWriter, part, cut)
        with pytest.raises(StorageError):
            await workspace.fill()
    await workspace.fill()
    counts = await workspace.counts()
    assert {name: count for name, count in counts.items() if count == 0} == {}
    if "cognition" in ours_available():
        assert counts["shared"] + counts["proposed"] == 3
    if "knowledge" in ours_available():
        assert counts["documents"] == 2


def test_the_sample_speaks_of_the_past_only_and_each_message_has_an_id_of_its_own() -> None:
    told = [message for session in sample_sessions() for message in session.messages(NOW)]
    assert all(message["occurred_at"] < NOW for message in told)
    assert len({message["id"] for message in told}) == len(told)
    assert all(session.turns for session in sample_sessions())

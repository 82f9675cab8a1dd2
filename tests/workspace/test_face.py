"""One agent's workspace: made on first use, edited by people, full at some point, chosen by several means."""

from pathlib import Path

import pytest

from remanent import RecallOptions
from remanent.errors import InvalidInput, InvalidSettings
from remanent.memory import aopen
from tests.workspace.world import DAY, FACTS, NOON, TALK, agent_in

FILES = ("IDENTITY.md", "MEMORY.md", "SOUL.md", "USER.md")


@pytest.mark.spec("WORK-01")
async def test_the_folder_is_made_on_first_use_and_what_a_person_removes_stays_away(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        assert not (tmp_path / "ws").exists()
        await agent.workspace.log()
        assert sorted(path.name for path in (tmp_path / "ws").iterdir() if path.suffix == ".md") == list(FILES)
        (tmp_path / "ws" / "SOUL.md").unlink()
        await agent.workspace.end(TALK)
        assert not (tmp_path / "ws" / "SOUL.md").exists()
        assert "- 用户请求: " in (await agent.workspace.log()).text


@pytest.mark.spec("WORK-01")
async def test_a_person_may_edit_at_any_time_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await agent.workspace.end(TALK[:4] + TALK[:2])
        day = tmp_path / "ws" / DAY
        day.write_text(f"by hand\n{day.read_text(encoding='utf-8')}- mine\n", encoding="utf-8")
        more = [{"role": "user", "content": "Please book a table for two."}, *TALK]
        await agent.workspace.end(more)
        text = day.read_text(encoding="utf-8")
        assert text.startswith("by hand\n")
        assert "\n- mine\n" in text
        assert "- User request: Please book a table for two." in text


async def test_what_stands_in_two_files_is_recalled_once(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        report = await agent.workspace.end(TALK)
        await agent.workspace.index()
        await agent.settle()
        found = await agent.recall("发布说明", options=RecallOptions(gate=False))
        texts = [item.text for item in found.items]
        assert set(texts) & set(report.facts)
        assert len(texts) == len(set(texts))
        assert max(len(item.evidence) for item in found.items) == 2, "MEMORY.md and the file of the day"


@pytest.mark.spec("WORK-03")
async def test_facts_that_do_not_fit_stay_in_the_journal_and_the_report_says_so(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await agent.workspace.init()
        day = tmp_path / "ws" / DAY
        day.write_text("by hand " * 990, encoding="utf-8")  # 7,920 of 8,000 characters
        report = await agent.workspace.end(TALK, session="s1")
        assert report.facts == ()
        assert report.skipped == FACTS
        assert "full" in report.reason
        assert day.read_text(encoding="utf-8") == "by hand " * 990
        (entry,) = await agent.entries(session="s1")
        assert report.entry_ids == (entry.id,)
        assert entry.text == "\n".join(FACTS)
        await agent.settle()
        assert "auth.py" in (await agent.recall("login bug in auth.py")).items[0].text


@pytest.mark.spec("WORK-03")
@pytest.mark.parametrize(("size", "grows"), [(3999, True), (4000, False), (None, False)])
async def test_memory_gets_facts_only_where_it_is_there_and_short(
    tmp_path: Path, size: int | None, grows: bool
) -> None:
    async with agent_in(tmp_path) as agent:
        await agent.workspace.init()
        memory = tmp_path / "ws" / "MEMORY.md"
        memory.unlink() if size is None else memory.write_text("x" * size, encoding="utf-8")
        await agent.workspace.end(TALK)
        assert (memory.exists() and "## Auto-extracted" in memory.read_text(encoding="utf-8")) is grows


@pytest.mark.spec("WORK-04")
async def test_a_day_over_2000_characters_is_compacted_by_the_hook_and_by_call(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await agent.workspace.end(TALK)
        day = tmp_path / "ws" / DAY
        block = day.read_text(encoding="utf-8").partition("\n\n")[2]
        day.write_text(f"# day\n\n{block}\n{block}\n{'by hand ' * 250}\n", encoding="utf-8")
        await agent.workspace.end([*TALK, {"role": "user", "content": "Please call Bob."}])
        text = day.read_text(encoding="utf-8")
        assert text.startswith("# day\n")
        assert text.count(FACTS[0]) == 1
        assert "by hand" in text
        day.write_text(f"# day\n\n{block}\n{block}", encoding="utf-8")
        done = await agent.workspace.compact()
        assert done.after < done.before
        assert done.change is not None
        await agent.workspace.undo(done.change.id)
        assert day.read_text(encoding="utf-8") == f"# day\n\n{block}\n{block}"


@pytest.mark.spec("WORK-05", "WORK-12")
async def test_the_folder_comes_from_a_variable_then_memory_path_then_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.chdir(tmp_path)

    async def root(**about: str) -> str:
        async with aopen(tmp_path / "home", memory=about, embedder="none", clock=lambda: NOON) as memory:
            return (await memory.agent("ada").workspace.init()).root

    assert await root() == str(tmp_path / "user" / ".remanent" / "workspace")
    (tmp_path / "remanent.yaml").write_text(
        f"memory:\n  backend: sqlite\n  path: {tmp_path}/by-file\n", encoding="utf-8"
    )
    assert await root() == str(tmp_path / "by-file")
    monkeypatch.setenv("REMANENT_MEMORY__PATH", str(tmp_path / "by-variable"))
    assert await root() == str(tmp_path / "by-variable")
    monkeypatch.setenv("AGX_WORKSPACE_ROOT", str(tmp_path / "agx"))
    assert await root(path=str(tmp_path / "by-call")) == str(tmp_path / "agx")
    monkeypatch.setenv("REMANENT_WORKSPACE_ROOT", str(tmp_path / "ours"))
    assert await root() == str(tmp_path / "ours")


@pytest.mark.spec("WORK-12")
async def test_backends_that_do_not_exist_are_refused_by_name_of_those_that_do(tmp_path: Path) -> None:
    async with agent_in(tmp_path / "sqlite", memory={"backend": "sqlite"}):
        pass
    for backend, place in (("postgresql", "store: postgresql://"), ("redis", "cache: redis://")):
        with pytest.raises(InvalidSettings, match=place):
            async with agent_in(tmp_path / backend, memory={"backend": backend}):
                pass
    async with agent_in(tmp_path / "both", memory={"backend": "redis"}, cache="redis://127.0.0.1:9/0"):
        pass
    with pytest.raises(InvalidSettings, match="'sqlite', 'postgresql' or 'redis'"):
        async with agent_in(tmp_path, memory={"backend": "mongodb"}):
            pass


async def test_another_agent_gets_a_folder_of_its_own_unless_they_share(tmp_path: Path) -> None:
    async with agent_in(tmp_path, "ada") as ada:
        first = await ada.workspace.init()
    async with agent_in(tmp_path, "bob") as bob:
        second = await bob.workspace.init()
        with pytest.raises(InvalidInput, match="another agent"):
            await bob.workspace.init(vault=first.root)
    assert first.root == str(tmp_path / "ws")
    assert not second.root.startswith(first.root)
    assert (Path(second.root) / "IDENTITY.md").exists()
    async with agent_in(tmp_path, "bob", memory={"shared": True}) as bob:
        assert (await bob.workspace.init()).root == first.root


async def test_a_folder_of_notes_becomes_the_workspace_and_nothing_is_made_in_it(tmp_path: Path) -> None:
    vault = tmp_path / "笔记"
    vault.mkdir()
    (vault / "计划.md").write_text("# 计划\n", encoding="utf-8")
    async with agent_in(tmp_path) as agent:
        assert (await agent.workspace.init(vault=str(vault))).root == str(vault)
        await agent.workspace.log()
        assert sorted(path.name for path in vault.iterdir()) == [".remanent", "计划.md"]
    async with agent_in(tmp_path) as agent:  # it is still chosen
        await agent.workspace.end(TALK)
    assert (vault / DAY).exists()

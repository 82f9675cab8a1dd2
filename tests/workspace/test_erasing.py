"""Erasing reaches what was taken down in files, with all that is kept of it there, and nothing that a person wrote."""

from pathlib import Path

import pytest

from remanent.memory import AsyncAgent
from remanent.workspace.hooks import Gone, with_facts
from tests.workspace.world import DAY, NOON, TALK, agent_in

pytestmark = pytest.mark.spec("SAFE-06")

BUG, NOTES = "login bug", "发布说明"


def files_with(folder: Path, words: str) -> list[str]:
    """Return the files of a folder that hold words, as they are or as JSON writes them."""
    pieces = (words.encode(), words.encode("unicode_escape"))
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path.relative_to(folder).as_posix() for path in files if any(one in path.read_bytes() for one in pieces)]


async def take_down(agent: AsyncAgent, *, session: str = "s1") -> list[str]:
    """Say something, have it taken down and indexed, and return the ids of what was said."""
    receipt = await agent.remember(TALK, session=session)
    await agent.workspace.end(TALK, session=session)
    assert (await agent.workspace.search("login bug", mode="fts")).items
    return list(receipt.entry_ids)


async def test_an_erased_entry_is_gone_from_files_changes_pads_and_the_index(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        entry_ids = await take_down(agent)
        day = tmp_path / "ws" / DAY
        day.write_text(day.read_text(encoding="utf-8") + "\n- a line of mine\n", encoding="utf-8")
        await agent.workspace.end([*TALK, {"role": "user", "content": "Please order new paper."}], session="s1")
        assert len(files_with(tmp_path, BUG)) > 4, "the look is blind"
        await agent.erase(entry_ids=[entry_ids[2], entry_ids[3]])
        assert files_with(tmp_path, BUG) == []
        left = day.read_text(encoding="utf-8")
        assert "- a line of mine" in left
        assert NOTES in left
        assert "new paper" in left
        assert not (await agent.workspace.search("login bug", mode="fts")).items
        assert (await agent.workspace.search(NOTES, mode="fts")).items
    assert files_with(tmp_path, BUG) == []


async def test_an_erased_session_takes_its_blocks_with_it_whether_or_not_the_journal_has_them(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await agent.remember("something else", session="s1")
        await agent.workspace.end(TALK, session="s1")  # of a conversation that only the runtime has
        other = [{**one, "content": one["content"].replace("login bug", "paper jam")} for one in TALK]
        await agent.workspace.end(other, session="s2")
        await agent.erase(session="s1")
        assert files_with(tmp_path, BUG) == []
        assert files_with(tmp_path / "ws" / "memory", "paper jam")


async def test_a_file_that_is_not_ours_to_read_keeps_nothing_from_being_erased(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        entry_ids = await take_down(agent)
        (tmp_path / "ws" / "memory" / "old.md").write_bytes("旧笔记".encode("gb18030"))
        await agent.erase(entry_ids=entry_ids)
    assert files_with(tmp_path, BUG) == []


async def test_an_erased_agent_leaves_no_bullet_of_ours_and_its_own_folder_goes(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent, agent_in(tmp_path, "bea") as other:
        await take_down(agent)
        await take_down(other)
        (tmp_path / "ws" / "USER.md").write_text("- likes tea\n", encoding="utf-8")
        await agent.erase(everything=True)
        await other.erase(everything=True)
    assert files_with(tmp_path, BUG) == []
    assert (tmp_path / "ws" / "USER.md").read_text(encoding="utf-8") == "- likes tea\n"
    assert list((tmp_path / "home").glob(".workspaces/*/*/*")) == []


async def test_erasing_makes_no_workspace_where_there_is_none(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        receipt = await agent.remember("I moved to Lisbon in May.")
        await agent.erase(entry_ids=receipt.entry_ids)
        await agent.erase(everything=True)
    assert not (tmp_path / "ws").exists()


def test_a_line_that_a_person_changed_is_the_persons() -> None:
    text = with_facts(None, ["- User request: fix the login bug"], at=NOON, session="s").replace("fix the", "never fix")
    assert Gone(["fix the login bug"]).without(text) == text


def test_a_bullet_that_shares_some_words_only_stays() -> None:
    gone = Gone(["Could you fix the login bug in auth.py?"])
    assert gone.says("- User request: Could you fix the login bug in auth.py?")
    assert not gone.says("- User request: Could you fix the printer of the office today?")

"""The six commands by which an agent edits its own files."""

from pathlib import Path

import pytest

from remanent.errors import InvalidInput, NotFound
from tests.workspace.world import agent_in


@pytest.mark.spec("WORK-01")
async def test_an_agent_creates_views_edits_renames_and_deletes_its_files(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        memory = agent.workspace.memory
        await memory("create", "/memories/计划.md", file_text="one\ntwo\n")
        assert "计划.md" in await memory("view", "/memories")
        await memory("str_replace", "计划.md", old_str="two", new_str="2")
        await memory("insert", "计划.md", insert_line=1, insert_text="between")
        assert (tmp_path / "ws" / "计划.md").read_text(encoding="utf-8") == "one\nbetween\n2\n"
        assert (await memory("view", "计划.md", view_range=[2, -1])).splitlines()[1:] == [
            "     2\tbetween",
            "     3\t2",
        ]
        await memory("rename", old_path="计划.md", new_path="plans/计划.md")
        await memory("delete", "plans/计划.md")
        with pytest.raises(NotFound):
            await memory("view", "plans/计划.md")
        for change in (await agent.workspace.changes())[:4]:  # back to before the first edit
            await agent.workspace.undo(change.id)
        assert (tmp_path / "ws" / "计划.md").read_text(encoding="utf-8") == "one\ntwo\n"


async def test_what_is_asked_wrongly_is_refused_with_a_reason(tmp_path: Path) -> None:
    async with agent_in(tmp_path, memory={"max_file_size": 50}) as agent:
        memory = agent.workspace.memory
        await memory("create", "a.md", file_text="x\nx\n")
        for wrong, match in (
            ({"command": "create", "path": "a.md", "file_text": "y"}, "already"),
            ({"command": "str_replace", "path": "a.md", "old_str": "x", "new_str": "y"}, "2 times"),
            ({"command": "str_replace", "path": "a.md", "old_str": "z"}, "not found in"),
            ({"command": "str_replace", "path": "a.md", "old_str": ""}, "empty"),
            ({"command": "insert", "path": "a.md", "insert_text": "y", "insert_line": 3}, "between 0 and 2"),
            ({"command": "insert", "path": "a.md", "insert_text": "y"}, "insert_line"),
            ({"command": "view", "path": "a.md", "view_range": [5, 6]}, "view_range"),
            ({"command": "create", "path": "../b.md", "file_text": "y"}, r"\.\."),
            ({"command": "create", "path": "b.md", "file_text": "y" * 51}, "max_file_size"),
            ({"command": "create", "path": "b.md"}, "file_text"),
            ({"command": "rename", "path": "a.md"}, "new_path"),
            ({"command": "burn", "path": "a.md"}, "one of view"),
        ):
            with pytest.raises(InvalidInput, match=match):
                await memory(**wrong)
        assert (tmp_path / "ws" / "a.md").read_text(encoding="utf-8") == "x\nx\n"


async def test_the_root_is_the_workspace_and_no_other_absolute_name_is(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        memory = agent.workspace.memory
        await memory("create", "a.md", file_text="x\n")
        assert "/memories/a.md" in await memory("view", "/")
        for outside in ("/etc/passwd", "//etc", "/..", "/../a.md"):
            with pytest.raises(InvalidInput):
                await memory("view", outside)
        for command in ("create", "delete"):
            with pytest.raises((InvalidInput, NotFound)):
                await memory(command, "/", file_text="y")
        assert "a.md" in await memory("view", "/memories")


async def test_a_long_file_is_shown_in_parts(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        await agent.workspace.memory("create", "a.md", file_text="word word word\n" * 2000)
        shown = await agent.workspace.memory("view", "a.md")
        assert len(shown) < 17_000
        assert "view_range" in shown.splitlines()[-1]

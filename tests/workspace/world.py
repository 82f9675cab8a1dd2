"""A workspace in a folder of its own, at a moment that a test decides about."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from remanent.memory import AsyncAgent, aopen

NOON = datetime(2026, 5, 31, 12, 0, tzinfo=UTC)
DAY = f"memory/{NOON.astimezone():%Y-%m-%d}.md"

WISH = "From now on, report every login bug to Dana."
TALK = [
    {"role": "user", "content": "请帮我把发布说明翻译成英文。"},
    {"role": "assistant", "content": "好的，发布说明已经翻译完成了。"},
    {"role": "user", "content": f"Could you fix the login bug in auth.py? {WISH}"},
    {"role": "assistant", "content": "I have fixed the login bug. The tests pass."},
    {"role": "user", "content": "谢谢"},
    {"role": "assistant", "content": "不客气"},
]
FACTS = (
    "- 用户请求: 请帮我把发布说明翻译成英文。",
    "- 完成事项: 好的，发布说明已经翻译完成了。",
    "- User request: Could you fix the login bug in auth.py?",
    f"- Preference: {WISH}",
    "- Completed: I have fixed the login bug.",
)


@asynccontextmanager
async def agent_in(folder: Path, name: str = "ada", **settings: Any) -> AsyncIterator[AsyncAgent]:
    """Open a memory whose workspace is `folder/ws`."""
    about: dict[str, Any] = {"path": folder / "ws", **settings.pop("memory", {})}
    settings.setdefault("embedder", "none")
    async with aopen(folder / "home", memory=about, clock=lambda: NOON, **settings) as memory:
        yield memory.agent(name)

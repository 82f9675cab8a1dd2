"""Mem0 beside the files: the real package, its local store, our vectors, and no word to anybody."""

import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from remanent import _sync
from remanent.errors import InvalidInput
from tests.workspace.world import agent_in

pytestmark = pytest.mark.skipif(find_spec("mem0") is None, reason="needs the extra mem0")

SAID = ["老王喜欢喝龙井茶。", "The hotel is called Avenida Palace."]


@pytest.mark.spec("WORK-11")
async def test_what_is_added_is_found_and_no_connection_leaves_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, address: tried.append(address))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **_: tried.append(asked))
    async with agent_in(tmp_path, embedder="multilingual") as agent:
        made = await agent.workspace.mem0.add(SAID, session="s1")
        assert [one.text for one in made] == SAID
        (best, *_) = await agent.workspace.mem0.search("Which hotel is it?", limit=2)
        assert (best.text, best.metadata["session"]) == (SAID[1], "s1")
    assert tried == []


@pytest.mark.spec("WORK-11")
def test_it_is_there_for_code_without_an_event_loop_and_after_a_restart(tmp_path: Path) -> None:
    for _ in range(2):
        with _sync.open(tmp_path / "home", memory={"path": tmp_path / "ws"}, embedder="multilingual") as memory:
            kept = memory.agent("ada").workspace.mem0
            if not kept.search("Which hotel is it?"):
                kept.add(SAID)
    with _sync.open(tmp_path / "home", memory={"path": tmp_path / "ws"}, embedder="multilingual") as memory:
        found = memory.agent("ada").workspace.mem0.search("Which hotel is it?", limit=10)
        assert [one.text for one in found] == [SAID[1]], "kept, and once"
        assert memory.agent("bob").workspace.mem0.search("Which hotel is it?") == []


@pytest.mark.spec("WORK-11")
def test_its_telemetry_is_off_before_it_is_imported_and_nothing_lies_in_the_users_home(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from remanent.memory import aopen\n"
        "async def main():\n"
        "    async with aopen(sys.argv[1], embedder='multilingual', memory={'path': sys.argv[1] + '/ws'}) as memory:\n"
        "        await memory.agent('ada').workspace.mem0.add('hello there')\n"
        "    import mem0.memory.telemetry as telemetry\n"
        "    print(telemetry.MEM0_TELEMETRY)\n"
        "asyncio.run(main())\n"
    )
    (tmp_path / "user").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "home")],
        env={"HOME": str(tmp_path / "user"), "PATH": "/usr/bin", "MEM0_TELEMETRY": "True"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False"]
    assert list((tmp_path / "user").iterdir()) == []


async def test_without_an_embedder_it_is_refused(tmp_path: Path) -> None:
    async with agent_in(tmp_path) as agent:
        with pytest.raises(InvalidInput, match="embedder"):
            await agent.workspace.mem0.add("hello")

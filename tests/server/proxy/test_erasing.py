"""What waits to be kept is erased with what it belongs to: no spooled word comes back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from remanent.context.spool import FOLDER, REFUSED
from remanent.errors import DuplicateEntry
from remanent.memory import aopen
from remanent.model import Message
from remanent.server.proxy.memory import ChatTurn
from tests.language.scripted.steps import says
from tests.server.proxy.test_spool import ADA, BOB, Memory, spool_of, turn, waiting
from tests.server.proxy.world import MODEL, broken, question, world

CANARY = "canary 3fd0a1"


def traces(home: Path) -> list[str]:
    return [file.name for file in home.rglob("*") if file.is_file() and CANARY.encode() in file.read_bytes()]


async def spooled(home: Path, *, session: str = "s1") -> None:
    """Have a chat that memory could not take."""
    async with world(home, says("Noted."), keep_timeout=60) as here:
        with broken("remember"):
            async with here.client(session=session) as client:
                await client.chat.completions.create(model=MODEL, messages=[question(CANARY)])
    assert traces(home)


@pytest.mark.parametrize("by", [{"everything": True}, {"session": "s1"}])
async def test_a_spooled_turn_of_an_erased_agent_or_session_does_not_come_back(tmp_path: Path, by: Any) -> None:
    await spooled(tmp_path)
    async with aopen(tmp_path, embedder="none") as memory:
        await memory.agent("ada").erase(**by)
    assert traces(tmp_path) == []
    async with world(tmp_path, keep_timeout=60) as here:
        assert await here.proxy.keeper.drain() == 0
        assert await here.said() == []


async def test_turns_of_other_agents_and_sessions_stay(tmp_path: Path) -> None:
    await spooled(tmp_path, session="s2")
    async with aopen(tmp_path, embedder="none") as memory:
        await memory.agent("ada").erase(session="s1")
        await memory.agent("bob").erase(everything=True)
    async with world(tmp_path, keep_timeout=60) as here:
        await here.proxy.keeper.drain()
        assert await here.said() == [("user", CANARY), ("assistant", "Noted.")]


async def test_a_turn_that_was_stored_and_spooled_too_goes_with_its_entries(tmp_path: Path) -> None:
    async with world(tmp_path, says("Noted."), keep_timeout=60) as here:
        async with here.client() as client:
            await client.chat.completions.create(model=MODEL, messages=[question(CANARY)])
        entries = await here.journal()
        again = ChatTurn(
            scope=entries[0].scope,
            messages=tuple(
                Message(content=entry.text, id=entry.caller_id, occurred_at=entry.occurred_at, role=entry.role)
                for entry in entries
            ),
        )
        spool = spool_of(tmp_path)
        await spool.put(again)
        assert spool.count() == 1
        await here.agent().erase(entry_ids=[entries[0].id])
        assert spool.count() == 0
        await here.memory.settle()
        assert traces(tmp_path) == []
        await here.proxy.keeper.drain()
        assert CANARY not in [text for _, text in await here.said()]


@pytest.mark.spec("COG-01")
async def test_of_waiting_turns_with_one_message_id_only_that_of_the_same_user_and_session_goes(tmp_path: Path) -> None:
    spool = spool_of(tmp_path)
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        for user, session in (("ann", "s"), ("bob", "s"), ("ann", "t"), (None, "s")):
            message = Message(content=f"{CANARY} {user} {session}", id="1", metadata={"user_id": user} if user else {})
            await spool.put(ChatTurn(scope=ada.scope.replace(session=session), messages=(message,)))
            if (user, session) == ("ann", "s"):
                await ada.remember([message], session=session)
        (entry,) = await ada.entries()
        await ada.erase(entry_ids=[entry.id])
    left = [(tmp_path / one.name).read_text() for one in waiting(tmp_path).all()]
    assert [f"{CANARY} {whose}" in text for whose, text in zip(("bob s", "ann t", "None s"), left, strict=True)] == [
        True
    ] * 3


async def test_what_was_set_aside_goes_too(tmp_path: Path) -> None:
    spool, memory = spool_of(tmp_path), Memory()
    memory.faults[ADA] = DuplicateEntry("taken")
    await spool.put(turn(ADA, CANARY))
    await spool.put(turn(BOB, "two"))
    await spool.drain(memory)
    assert len(list((tmp_path / REFUSED).iterdir())) == 1
    assert waiting(tmp_path).erase(ADA, everything=True) == 1
    assert list((tmp_path / REFUSED).iterdir()) == []
    assert waiting(tmp_path).erase(BOB, session="s") == 0
    assert memory.taken == [turn(BOB, "two")]


async def test_erasing_waits_for_a_turn_that_is_being_stored(tmp_path: Path) -> None:
    spool = spool_of(tmp_path)
    await spool.put(turn(ADA, CANARY))
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(_: ChatTurn) -> None:
        begun.set()
        await go_on.wait()

    draining = asyncio.create_task(spool.drain(slowly))
    await begun.wait()
    erasing = asyncio.create_task(asyncio.to_thread(waiting(tmp_path).erase, ADA, everything=True))
    # It cannot be done while the turn is held, however long one waits; a moment shows a lock that does not hold.
    done, _ = await asyncio.wait({erasing}, timeout=0.2)
    assert not done
    go_on.set()
    assert (await draining).stored == 1
    assert await erasing == 0


def test_without_a_folder_there_is_nothing_to_erase(tmp_path: Path) -> None:
    assert waiting(tmp_path / "absent").erase(ADA, everything=True) == 0
    assert not (tmp_path / "absent").exists()
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "odd.json").write_text("[1]")
    (tmp_path / FOLDER / "torn.json").write_text('{"scope":')
    assert waiting(tmp_path).erase(ADA, everything=True) == 0

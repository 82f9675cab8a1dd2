import json
from datetime import UTC, datetime
from pathlib import Path

from remanent.context.waiting import REFUSED
from remanent.errors import DuplicateEntry, StoreBusy
from remanent.model import Message, Scope, id_source
from remanent.server.proxy.spool import Spool, Turn

ADA, BOB = (Scope(org="o", workspace="w", agent=name, session="s") for name in ("ada", "bob"))


def turn(scope: Scope, text: str) -> Turn:
    said_at = datetime(2026, 3, 1, tzinfo=UTC)
    return Turn(scope=scope, messages=(Message(content=text, id=text, occurred_at=said_at),))


class Memory:
    """Takes turns, or fails as told."""

    def __init__(self) -> None:
        self.taken: list[Turn] = []
        self.faults: dict[Scope, Exception] = {}

    async def __call__(self, given: Turn) -> None:
        if fault := self.faults.get(given.scope):
            raise fault
        self.taken.append(given)


async def test_turns_come_out_as_they_went_in_and_in_their_order(tmp_path: Path) -> None:
    spool, memory = Spool(tmp_path / "deep" / "spool", new_id=id_source()), Memory()
    turns = [turn(ADA, "one"), turn(BOB, "二"), turn(ADA, "three")]
    for one in turns:
        await spool.put(one)
    assert spool.count() == 3
    # Another process reads the same folder.
    assert (await Spool(tmp_path / "deep" / "spool", new_id=id_source()).drain(memory)).stored == 3
    assert memory.taken == turns
    assert spool.count() == 0
    assert (await spool.drain(memory)).stored == 0


async def test_an_agent_that_fails_keeps_its_order_and_holds_up_no_other(tmp_path: Path) -> None:
    spool, memory = Spool(tmp_path, new_id=id_source()), Memory()
    for one in (turn(ADA, "one"), turn(BOB, "two"), turn(ADA, "three")):
        await spool.put(one)
    memory.faults[ADA] = StoreBusy("later")
    assert (await spool.drain(memory)).waiting == 2
    assert memory.taken == [turn(BOB, "two")]
    memory.faults.clear()
    assert (await spool.drain(memory)).waiting == 0
    assert memory.taken[1:] == [turn(ADA, "one"), turn(ADA, "three")]


async def test_what_memory_will_never_take_is_set_aside_and_not_deleted(tmp_path: Path) -> None:
    spool, memory = Spool(tmp_path, new_id=id_source()), Memory()
    await spool.put(turn(ADA, "one"))
    await spool.put(turn(BOB, "two"))
    (tmp_path / "torn.json").write_text('{"scope": ')
    memory.faults[ADA] = DuplicateEntry("taken")
    assert (await spool.drain(memory)).waiting == 0
    assert memory.taken == [turn(BOB, "two")]
    aside = sorted((tmp_path / REFUSED).iterdir())
    assert [file.name == "torn.json" for file in aside] == [False, True]
    assert json.loads(aside[0].read_text())["messages"][0]["content"] == "one"

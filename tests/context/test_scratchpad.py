"""A scratchpad: small, durable, of one agent, and gone with what it belongs to."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remanent.context import Scratchpad
from remanent.context.sessions import (
    MAX_KEY_CHARACTERS,
    MAX_KEYS,
    MAX_PAD_CHARACTERS,
    MAX_VALUE_CHARACTERS,
    SubagentRow,
    missing_subagents,
)
from remanent.errors import InvalidInput
from remanent.memory import aopen
from remanent.model import RecallOptions, Scope
from remanent.stores.sqlite import SqliteStore
from tests.context.test_sessions import Clock

ADA = Scope(org="o", workspace="w", agent="ada")
BOB = Scope(org="o", workspace="w", agent="bob")
RESERVED = (
    "subagent_result::7",
    "delegation_result::a/b",
    "session_facts",
    "__pending_subagent_summaries__",
    "__taskspace_hint__",
    "__taskspace_label_hint__",
)


async def test_what_is_written_survives_a_restart_and_is_replaced_and_removed(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await Scratchpad(store, ADA).write("plan", {"steps": ["读", "compare"], "done": 1})
    await store.close()
    store = SqliteStore(tmp_path)
    pad = Scratchpad(store, ADA)
    assert await pad.read() == {"plan": {"steps": ["读", "compare"], "done": 1}}
    await pad.write("plan", "done")
    await pad.write("other", 7)
    assert await pad.read() == {"other": 7, "plan": "done"}
    await pad.write("plan", None)
    assert await pad.read() == {"other": 7}
    await store.close()


@pytest.mark.spec("WORK-08")
@pytest.mark.parametrize("by_call", [True, False])
async def test_a_pad_stays_when_its_session_ends_while_the_structured_state_goes(
    tmp_path: Path, *, by_call: bool
) -> None:
    clock = Clock()
    async with aopen(tmp_path, embedder="none", clock=clock) as memory:
        ada = memory.agent("ada")
        await ada.update_session("monday", current_goal="port the parser")
        await ada.scratchpad_write("plan", "read the grammar", session="monday")
        await ada.scratchpad_write("plan", "of the agent")
        if by_call:
            await ada.end_session("monday")
        else:
            clock.go_on(31)
            await ada.settle()
        assert (await ada.session_state("monday")).current_goal == ""
        assert not (await ada.sessions())[0].is_open
        assert await ada.scratchpad_read(session="monday") == {"plan": "read the grammar"}
        assert await ada.scratchpad_read("plan", session="monday") == {"plan": "read the grammar"}
        assert await ada.scratchpad_read() == {"plan": "of the agent"}


async def test_pads_of_sessions_and_agents_do_not_touch(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    pads = [
        Scratchpad(store, scope, session=session)
        for scope in (ADA, BOB)
        for session in (None, "monday", "monday/x", "周一", "%2F")
    ]
    for number, pad in enumerate(pads):
        await pad.write("x", number)
        await pad.write("monday/x", number)
    assert [await pad.read() for pad in pads] == [{"x": n, "monday/x": n} for n in range(len(pads))]
    await pads[1].clear()
    assert [len(await pad.read()) for pad in pads] == [2, 0, *[2] * 8]
    await store.close()


@pytest.mark.spec("WORK-08")
@pytest.mark.parametrize("key", RESERVED)
async def test_the_reserved_keys_are_keys_like_others(tmp_path: Path, key: str) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.scratchpad_write(key, "kept", session="s")
        assert await ada.scratchpad_read(key=key, session="s") == {key: "kept"}
        assert await ada.scratchpad_read(key="absent", session="s") == {}


async def test_writers_of_different_keys_do_not_undo_each_others_work(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    await asyncio.gather(*(Scratchpad(store, ADA).write(f"k{number}", number) for number in range(50)))
    assert await Scratchpad(store, ADA).read() == {f"k{number}": number for number in range(50)}
    await store.close()


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    key=st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=30),
    session=st.none() | st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=10),
    value=st.text(max_size=40).filter(lambda text: "\x00" not in text),
)
def test_any_key_session_and_text_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, key: str, session: str | None, value: str
) -> None:
    async def check() -> None:
        store = SqliteStore(tmp_path_factory.mktemp("pad"))
        await Scratchpad(store, ADA, session=session).write(key, value)
        assert await Scratchpad(store, ADA, session=session).read() == {key: value}
        await store.close()

    try:
        value.encode()
        key.encode()
    except UnicodeEncodeError:
        return
    asyncio.run(check())


@pytest.mark.parametrize("key", ["", "  ", "a\nb", "x" * (MAX_KEY_CHARACTERS + 1), "\x00"])
async def test_a_key_that_is_none_is_refused(tmp_path: Path, key: str) -> None:
    store = SqliteStore(tmp_path)
    with pytest.raises(InvalidInput, match="key"):
        await Scratchpad(store, ADA).write(key, 1)
    await store.close()


async def test_a_pad_stays_small(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    pad = Scratchpad(store, ADA)
    with pytest.raises(InvalidInput, match="remember"):
        await pad.write("long", "x" * MAX_VALUE_CHARACTERS)
    piece = "x" * (MAX_VALUE_CHARACTERS - 2)
    for number in range(MAX_PAD_CHARACTERS // MAX_VALUE_CHARACTERS):
        await pad.write(f"k{number}", piece)
    with pytest.raises(InvalidInput, match="no longer needed"):
        await Scratchpad(store, ADA, session="another").write("one more", piece)
    await pad.write("k0", piece[:-1] + "y")
    await pad.write("k0", None)
    await pad.write("one more", piece)
    await store.close()


async def test_a_pad_holds_so_many_values(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    pad = Scratchpad(store, ADA)
    async with store.transaction(ADA) as tx:
        for number in range(MAX_KEYS):
            tx.state(pad._name(f"k{number}"), number)
    with pytest.raises(InvalidInput, match="no longer needed"):
        await pad.write("one more", 1)
    await pad.write("k0", "changed")
    assert len(await pad.read()) == MAX_KEYS
    await store.close()


@pytest.mark.parametrize("everything", [False, True])
async def test_erasing_a_session_or_all_leaves_no_byte_of_its_pad(tmp_path: Path, everything: bool) -> None:
    secret = "the-canary-9f21c7"
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember("hello", session="s")
        await ada.scratchpad_write("note", secret, session="s")
        await ada.scratchpad_write("other", "stays", session="t")
        await memory.settle()
        await (ada.erase(everything=True) if everything else ada.erase(session="s"))
        assert await ada.scratchpad_read(session="s") == {}
        assert await ada.scratchpad_read(session="t") == ({} if everything else {"other": "stays"})
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert files
        assert [path.name for path in files if secret.encode() in path.read_bytes()] == []


async def test_a_pad_moves_with_its_agent_and_recall_does_not_search_it(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada, bob = memory.agent("ada"), memory.agent("bob")
        await ada.scratchpad_write("note", "zanzibar", session="s")
        await memory.settle()
        assert (await ada.recall("zanzibar", options=RecallOptions(gate=False))).items == ()
        await bob.load([line async for line in ada.export()])
        assert await bob.scratchpad_read(session="s") == {"note": "zanzibar"}


@pytest.mark.spec("WORK-08")
async def test_rows_of_sub_agents_that_are_missing_are_rebuilt_from_what_their_ends_left(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        agent = memory.agent("ada")
        for name, text in (("7", "found three papers"), ("8", "wrote the draft")):
            await agent.scratchpad_write(f"subagent_result::{name}", text, session="s1")
        await agent.scratchpad_write("delegation_result::9", "sent", session="s1")
    async with aopen(tmp_path, embedder="none") as memory:
        pad = await memory.agent("ada").scratchpad_read(session="s1")
    assert missing_subagents(pad, ["8"]) == [SubagentRow(id="7", result="found three papers")]
    assert missing_subagents(pad, ["7", "8"]) == []

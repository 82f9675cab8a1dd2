"""The structured state of a session: there while the session is, in the journal after it, and back with it."""

import asyncio
from pathlib import Path

import pytest

from remanent.context.sessions import MAX_CHARACTERS, MAX_ITEM_CHARACTERS, MAX_ITEMS
from remanent.errors import InvalidInput, VersionConflict
from remanent.memory import AsyncAgent, aopen
from tests.context.test_sessions import Clock

FIELDS = {
    "current_goal": "移植解析器",
    "sub_goals": ("read the grammar", "write the tables"),
    "completed": ("read the grammar",),
    "current_step": "write the tables",
    "decisions": ({"what": "LL(1)", "why": "error messages"},),
    "blockers": ("no test data",),
    "notes": {"tries": 3, "files": ["a.py"], "last": None},
}


async def wrote(ada: AsyncAgent, session: str = "monday") -> None:
    await ada.update_session(session, **FIELDS)  # type: ignore[arg-type]


async def state_of(ada: AsyncAgent, session: str = "monday") -> dict[str, object]:
    state = await ada.session_state(session)
    return {name: state.model_dump()[name] for name in FIELDS}


EMPTY = {"current_goal": "", "sub_goals": (), "completed": (), "current_step": "", "decisions": (), "blockers": ()}
EMPTY_STATE = {**EMPTY, "notes": {}}


@pytest.mark.spec("COG-05")
async def test_the_state_of_a_session_holds_every_field_and_what_is_not_given_stays(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", clock=Clock()) as memory:
        ada = memory.agent("ada")
        await wrote(ada)
        assert await state_of(ada) == FIELDS
        later = await ada.update_session("monday", current_step="run the tests", blockers=[])
        assert (later.version, later.current_goal, later.blockers) == (2, "移植解析器", ())
        assert await state_of(ada, "tuesday") == EMPTY_STATE


@pytest.mark.spec("COG-05")
@pytest.mark.parametrize("is_swept", [True, False])
async def test_it_expires_after_thirty_idle_minutes_and_returns_when_the_session_is_resumed(
    tmp_path: Path, *, is_swept: bool
) -> None:
    clock = Clock()
    async with aopen(tmp_path, embedder="none", clock=clock) as memory:
        ada = memory.agent("ada")
        await wrote(ada)
        clock.go_on(29)
        assert await state_of(ada) == FIELDS
        clock.go_on(2)
        if is_swept:
            await ada.settle()
            assert "移植解析器" in (await ada.entries(session="monday"))[-1].text
        assert await state_of(ada) == EMPTY_STATE
    async with aopen(tmp_path, embedder="none", clock=clock) as memory:
        ada = memory.agent("ada")
        await ada.remember("Where were we?", session="monday")
        assert await state_of(ada) == FIELDS
        assert (await ada.update_session("monday", current_step="go on")).version == 2


@pytest.mark.spec("COG-05")
async def test_of_two_writers_that_read_the_same_version_the_slower_one_is_told(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", clock=Clock()) as memory:
        ada = memory.agent("ada")
        await wrote(ada)
        with pytest.raises(VersionConflict):
            await ada.update_session("monday", current_step="x", expects=0)
        writers = [ada.update_session("monday", current_step=f"step {n}", expects=1) for n in range(4)]
        outcomes = await asyncio.gather(*writers, return_exceptions=True)
        assert sorted(type(one).__name__ for one in outcomes) == ["SessionState", *["VersionConflict"] * 3]
        assert (await ada.session_state("monday")).version == 2


async def test_what_is_too_large_or_no_state_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", clock=Clock()) as memory:
        ada = memory.agent("ada")
        for bad in (
            {"current_goal": "x" * (MAX_ITEM_CHARACTERS + 1)},
            {"sub_goals": ["x"] * (MAX_ITEMS + 1)},
            {"notes": {"x": "y" * MAX_CHARACTERS}},
            {"decisions": [{"why": "because"}]},
            {"notes": {"x": object()}},
        ):
            with pytest.raises(InvalidInput):
                await ada.update_session("monday", **bad)
        assert await ada.sessions() == []


async def test_erasing_the_session_erases_its_state_and_what_was_archived_of_it(tmp_path: Path) -> None:
    clock = Clock()
    async with aopen(tmp_path, embedder="none", clock=clock) as memory:
        ada = memory.agent("ada")
        await wrote(ada)
        await ada.end_session("monday")
        await wrote(ada, "tuesday")
        await ada.erase(session="monday")
        await ada.erase(session="tuesday")
        for session in ("monday", "tuesday"):
            await ada.begin_session(session)
            assert await state_of(ada, session) == EMPTY_STATE

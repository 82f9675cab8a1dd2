"""How many stops a recall makes on its way: each coroutine is a frame to build, to suspend and to resume."""

import inspect
import random
import sys
from collections import Counter
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from remanent.memory import aopen
from remanent.stores.conformance.base import SetClock

MOST_STOPS = 78
"""Half of the 157 that the same recall passed before one loop waited for all paths."""
MOST_OF_RECALL = 30
"""Half of the 60 of them that lay in the read path itself, with the time-outs around its paths."""

WORDS = (
    "amber basket candle dinner early fence garden harbour island jacket kettle ladder meadow needle orchard pepper "
    "quiet river silver tunnel under velvet window yellow zebra bridge copper drawer engine feather"
).split()

COUNTED: ContextVar[bool] = ContextVar("counted", default=False)


async def test_a_recall_passes_at_most_half_of_the_coroutines_that_it_once_did(tmp_path: Path) -> None:
    async with aopen(
        tmp_path, embedder="none", clock=SetClock(datetime(2024, 5, 10, tzinfo=UTC)), recall={"path_timeout": 600}
    ) as memory:
        ada = memory.agent("ada")
        chance = random.Random(7)
        for session in range(6):
            texts = [
                f"Caroline saw a heron, {' '.join(chance.sample(WORDS, number % 12 + 3))}." for number in range(20)
            ]
            await ada.remember(texts, session=str(session))
        await memory.settle()
        await ada.recall("Where did Caroline see a stork?", limit=10)
        stops: Counter[str] = Counter()
        frames: dict[int, FrameType] = {}  # held, so that no two share an address

        def count(frame: FrameType, event: str, _: object) -> None:
            # Background work goes on in contexts of its own.
            is_coroutine = event == "call" and frame.f_code.co_flags & inspect.CO_COROUTINE
            if is_coroutine and COUNTED.get() and id(frame) not in frames:
                frames[id(frame)] = frame
                stops[frame.f_globals["__name__"]] += 1

        COUNTED.set(True)
        before = sys.getprofile()
        sys.setprofile(count)
        try:
            found = await ada.recall("Where did Caroline see a heron?", limit=10)
        finally:
            sys.setprofile(before)
        assert len(found.items) == 10
        assert not found.cached
        del stops[__name__]
        assert stops.total() <= MOST_STOPS, stops
        own = sum(count for name, count in stops.items() if name.startswith(("remanent.recall.", "asyncio.tasks")))
        assert own <= MOST_OF_RECALL, stops


MOST_CONVERSIONS = 4
"""Half of the eight that a hit once passed. Its forms: what the index found, where that stands, the candidate of the
path, the ranked one, the item of the answer."""


async def test_a_hit_is_converted_at_most_half_as_often_as_it_once_was(tmp_path: Path) -> None:
    async with aopen(
        tmp_path, embedder="none", clock=SetClock(datetime(2024, 5, 10, tzinfo=UTC)), recall={"path_timeout": 600}
    ) as memory:
        ada = memory.agent("ada")
        wanted, _ = (await ada.remember(["The heron fishes at dawn.", "Tea is ready."])).entry_ids
        await memory.settle()
        forms: dict[int, object] = {}  # held, so that no two share an address

        def look(frame: FrameType, event: str, arg: object) -> None:
            for given in (arg,) if event == "return" else frame.f_locals.values() if event == "call" else ():
                several = list(given.values()) if isinstance(given, dict) else given
                for one in several if isinstance(several, list) else (several,):
                    if type(one).__module__.startswith("remanent.") and getattr(one, "record_id", None) == wanted:
                        forms[id(one)] = one

        before = sys.getprofile()
        sys.setprofile(look)
        try:
            found = await ada.recall("When does the heron fish?")
        finally:
            sys.setprofile(before)
        assert [item.record_id for item in found.items] == [wanted]
        kinds = [type(one).__name__ for one in forms.values()]
        assert {"Hit", "Candidate", "FoundItem"} <= set(kinds)
        assert len(kinds) - 1 <= MOST_CONVERSIONS, kinds

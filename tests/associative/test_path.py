"""The main recall follows associations."""

from pathlib import Path

import pytest

from remanent.associative import AssociativePath
from remanent.memory import aopen
from remanent.recall import Question
from remanent.stores import RecordFilter
from tests.associative.world import MemoryWorld
from tests.jobs.world import ADA

CRANE = "Crane seven was moved to the northern pier."
CAT = "团子是一只三岁的橘猫，住在杭州。"


async def test_nodes_that_hold_the_words_are_found_along_links_from_the_focus(world: MemoryWorld) -> None:
    await world.plant(
        {"f": "nothing", "a": CRANE, "b": "the crane"}, [("f", "a", 0.5, "上文"), ("a", "b", 1.0)], focuses=["f"]
    )
    path = AssociativePath(world.associations)
    found = await path.find(Question("Where is the northern crane?", ADA), limit=10)
    assert [(one.record_id, one.reason) for one in found] == [("a", "上文"), ("b", "上文 → ·")]
    assert found[0].score > found[1].score > 0
    assert await path.find(Question("Where is the northern crane?", ADA), limit=1) == found[:1]


async def test_what_the_question_leaves_out_is_left_out(world: MemoryWorld) -> None:
    await world.plant({"f": CRANE}, focuses=["f"])
    path = AssociativePath(world.associations)
    later = Question("crane", ADA, RecordFilter(occurred_before=world.time.now))
    assert await path.find(later, limit=5) == []
    assert await path.find(Question("crane", ADA, RecordFilter(as_of=world.time.now)), limit=5) == []
    assert await path.find(Question("?", ADA), limit=5) == []
    assert len(await path.find(Question("crane", ADA), limit=5)) == 1


@pytest.mark.parametrize("question", ["Where is crane seven?", "团子住在哪里？"])
async def test_the_main_recall_says_that_an_association_led_there(tmp_path: Path, question: str) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.associative.remember([CRANE, CAT])
        await memory.settle()
        found = await ada.recall(question, kinds=["trace"])
        assert "associative" in {rank.path for rank in found.items[0].ranks}
        assert found.left_out == ()

"""The associative memory as a discipline: it can be given parts of its own when a memory is opened."""

from pathlib import Path

import pytest

import remanent
from remanent.associative.discipline import Associative, AssociativePath
from remanent.associative.writer import Compressor, ShortenedText
from remanent.lightweight import Late
from remanent.memory import aopen
from remanent.model import Maker
from remanent.recall import Question
from remanent.stores import RecordFilter
from tests.associative.world import MemoryWorld
from tests.jobs.world import ADA

QUICK = {"max_focus_count": 1, "decay_rate": 0.5, "delete_threshold": 1}
LONG = "Ada moved to Lisbon in May because she likes the sea, the light and the tiled houses on the hills. " * 3


class Telegraphist(Compressor):
    """Leaves the first letters, and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def shorten(self, text: str, *, target: int, original_length: int) -> ShortenedText:
        del target, original_length
        self.asked.append(text)
        return ShortenedText(text[:9], "telegram", ("telegram",), Maker(role="telegraphist"))


@pytest.mark.spec("USE-09")
def test_it_takes_a_compressor_when_a_memory_is_opened(tmp_path: Path) -> None:
    compressor = Telegraphist()
    given = [Associative(compressor=compressor)]
    with remanent.open(tmp_path, embedder="none", disciplines=given, associative=QUICK) as memory:
        associative = memory.agent("ada").associative
        for text in (LONG, "Bob sails.", "Eve paints."):
            associative.remember(text)
            memory.settle()
        for _ in range(3):
            associative.compress()
            memory.settle()
        assert compressor.asked
        assert LONG.strip() not in [node.content for node in associative.nodes()]


CRANE = "Crane seven was moved to the northern pier."
CAT = "团子是一只三岁的橘猫，住在杭州。"


async def test_nodes_that_hold_the_words_are_found_along_links_from_the_focus(world: MemoryWorld) -> None:
    await world.plant(
        {"f": "nothing", "a": CRANE, "b": "the crane"}, [("f", "a", 0.5, "上文"), ("a", "b", 1.0)], focuses=["f"]
    )
    path = AssociativePath(world.store, Late(lambda: world.associations))
    found = await path.find(Question("Where is the northern crane?", ADA), limit=10)
    assert [(one.record_id, one.reason) for one in found] == [("a", "上文"), ("b", "上文 → ·")]
    assert found[0].score > found[1].score > 0
    assert await path.find(Question("Where is the northern crane?", ADA), limit=1) == found[:1]


async def test_what_the_question_leaves_out_is_left_out(world: MemoryWorld) -> None:
    await world.plant({"f": CRANE}, focuses=["f"])
    path = AssociativePath(world.store, Late(lambda: world.associations))
    later = Question("crane", ADA, RecordFilter(occurred_before=world.time.now))
    assert await path.find(later, limit=5) == []
    assert await path.find(Question("crane", ADA, RecordFilter(as_of=world.time.now)), limit=5) == []
    assert await path.find(Question("?", ADA), limit=5) == []
    assert len(await path.find(Question("crane", ADA), limit=5)) == 1


async def test_whether_there_is_a_graph_is_not_asked_again_of_an_agent_whose_standing_is_known(
    world: MemoryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing = await world.store.standing(ADA)
    monkeypatch.setattr(world.store, "graph_revision", None)
    path = AssociativePath(world.store, Late(lambda: world.associations))
    assert await path.find(Question("Where is crane seven?", ADA).amended(standing=standing), limit=5) == []


@pytest.mark.parametrize("question", ["Where is crane seven?", "团子住在哪里？"])
async def test_the_main_recall_says_that_an_association_led_there(tmp_path: Path, question: str) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.associative.remember([CRANE, CAT])
        await memory.settle()
        found = await ada.recall(question, kinds=["trace"])
        assert "associative" in {rank.path for rank in found.items[0].ranks}
        assert found.left_out == ()

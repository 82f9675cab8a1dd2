"""What was deleted can be made again, while the journal has the words."""

import pytest

from remanent.associative.nodes import NodeStore
from remanent.errors import InvalidInput, NotFound
from remanent.model import Origin, Source, read_messages
from remanent.stores import Erasure
from tests.associative.test_graphs import fresh
from tests.associative.world import MemoryWorld, picture, records_of
from tests.jobs.world import ADA

CAT = "团子是一只三岁的橘猫，住在杭州，最喜欢吃鱼。"


async def forget_the_cat(world: MemoryWorld) -> str:
    """Have a node deleted, and return its id."""
    await world.plant({"f": "港口的吊车昨天搬到了北边的码头。", "cat": CAT}, focuses=["f"])
    await world.compress()
    assert "cat" not in await world.graph()
    return "cat"


async def test_a_deleted_node_is_made_again_from_the_journal(world: MemoryWorld) -> None:
    node_id = await forget_the_cat(world)
    (stone,) = await world.memory().forgotten()
    assert stone.sources
    node = await world.memory().restore(node_id)
    assert (node.id, node.content, node.scan_count) == (node_id, CAT, 0)
    assert await world.memory().forgotten() == []
    assert CAT in await world.memory().recall(["团子"])
    assert await world.strengths() == {("f", "cat"): 1.0, ("cat", "f"): 1.0}
    assert picture(await world.graph()) == await fresh(world)


async def test_links_that_dangled_lead_to_it_again(world: MemoryWorld) -> None:
    await world.plant({"f": CAT, "tiny": "四个字符"}, [("f", "tiny", 0.7, "上文")], focuses=["f"])
    await world.compress()
    assert (await world.memory().links("f")).dangling
    await world.memory().restore("tiny")
    health = await world.memory().links("f")
    assert health.dangling == ()
    assert {(link.to_id, link.relation) for link in health.valid} == {("tiny", "上文"), ("tiny", "")}


async def test_without_a_focus_it_becomes_one(world: MemoryWorld) -> None:
    await world.plant({"cat": CAT})
    await world.compress()
    await world.memory().restore("cat")
    assert [node.id for node in await world.memory().focus()] == ["cat"]


async def test_what_the_journal_no_longer_has_cannot_be_made_again(world: MemoryWorld) -> None:
    node_id = await forget_the_cat(world)
    (stone,) = await world.memory().forgotten()
    await world.store.erase(ADA, Erasure(entry_ids=(stone.sources[0].entry_id,)))
    world.associations.forget(ADA)
    with pytest.raises(NotFound):
        await world.memory().restore(node_id)
    assert await world.memory().forgotten() == [], "erasing takes the tombstone, too"


async def test_only_what_was_forgotten_can_be_restored(world: MemoryWorld) -> None:
    await world.plant({"a": CAT}, focuses=["a"])
    with pytest.raises(InvalidInput, match="not forgotten"):
        await world.memory().restore("a")
    with pytest.raises(NotFound, match="no node"):
        await world.memory().restore("nobody")


async def test_a_node_put_out_of_mind_by_hand_can_be_made_again(world: MemoryWorld) -> None:
    from tests.associative.world import records_of

    await world.plant({"f": CAT, "cat": CAT}, focuses=["f"])
    (_, record) = await records_of(world.store)
    async with world.store.transaction(ADA) as tx:
        tx.forget(record, at=world.time.now)
    node = await world.memory().restore("cat")
    assert node.content == CAT
    assert picture(await world.graph()) == await fresh(world)


@pytest.mark.spec("SAFE-04")
async def test_it_is_trusted_as_far_as_the_least_trusted_of_its_entries(world: MemoryWorld) -> None:
    said = [{"role": "user", "content": CAT}, {"role": "stranger", "content": "团子爱晒太阳。"}]
    entries = [
        message.entry(world.new_id(), scope=ADA, recorded_at=world.time.now)
        for message in read_messages(said, longest=99)
    ]
    async with world.store.transaction(ADA) as tx:
        work = await world.associations.graphs.work(tx, at=world.time.now)
        for entry in entries:
            tx.append(entry)
        sources = [Source(entry_id=entry.id, end=len(entry.text)) for entry in entries]
        NodeStore(work, world.store).create_node("团子", "团子", (), node_id="cat", sources=sources)
    await world.plant({"f": "港口的吊车昨天搬到了北边的码头。"}, focuses=["f"])
    await world.compress()
    await world.memory().restore("cat")
    (record,) = [record for record in await records_of(world.store) if record.id == "cat"]
    assert record.trust is Origin.UNTRUSTED

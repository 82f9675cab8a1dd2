"""What was said becomes nodes and links, step by step and all at once."""

import asyncio

import pytest

from remanent.associative.model import EARLIER, LATER, REMEMBER, TRACE
from remanent.associative.writer import TraceDraft, _create
from remanent.errors import InvalidInput, ModelDenied, ModelUnavailable, NotFound, QueueFull, Refused
from remanent.language.roles.annotation import AnnotationResponse
from remanent.language.roles.segmentation import Segment
from remanent.language.shapes import UtteranceSpan
from remanent.model import Job, JobState, Maker, Origin, Source, read_messages
from remanent.stores import EntryQuery, Erasure, Transaction
from tests.associative.conftest import Make
from tests.associative.test_graph import fresh
from tests.associative.world import MemoryWorld, picture, records_of
from tests.jobs.world import ADA, BOB

LOGIN = "登录模块决定采用短时效令牌方案，由后端组负责实现。"
SOCIAL = "前端组提到需要支持第三方登录，这个需求优先级待定。"
REVIEW = "架构评审会上强调了数据安全性，建议增加审计日志。"


@pytest.mark.spec("ASSOC-04", "ASSOC-05")
async def test_each_piece_becomes_a_node_with_phrase_and_keywords(world: MemoryWorld) -> None:
    receipt = await world.say(LOGIN, SOCIAL)
    one, other = await world.memory().nodes()
    assert (one.content, other.content) == (LOGIN, SOCIAL)
    for node in (one, other):
        assert 10 <= len(node.phrase) <= 20
        assert 3 <= len(node.keywords) <= 5
        assert node.scan_count == 0
        assert node.occurred_at == receipt.recorded_at <= node.created_at <= world.time.now
    records = await records_of(world.store)
    assert [record.sources[0].entry_id for record in records] == list(receipt.entry_ids)


@pytest.mark.spec("ASSOC-05")
async def test_long_texts_become_pieces_of_at_most_two_hundred_characters(world: MemoryWorld) -> None:
    await world.say(
        "".join(f"第{number}次会议讨论了预算与人员安排，结论是继续观察并按月汇报。" for number in range(40))
    )
    nodes = await world.memory().nodes()
    assert len(nodes) > 5
    assert all(len(node.content) <= 200 for node in nodes)


@pytest.mark.spec("USE-08")
async def test_no_model_is_asked_what_to_make_of_thanks(world: MemoryWorld) -> None:
    await world.say("谢谢！", "Thanks!")
    await world.say(LOGIN)
    assert [node.content for node in await world.memory().nodes()] == [LOGIN]
    assert [role for role, _ in world.engine.asked].count("segmentation") == 1


@pytest.mark.spec("ASSOC-05")
async def test_pronouns_are_put_into_names(world: MemoryWorld) -> None:
    await world.say("Lily moved to Leeds in May.", "She likes the canal there.")
    contents = [node.content for node in await world.memory().nodes()]
    assert any("Lily" in content and "canal" in content for content in contents)


@pytest.mark.spec("ASSOC-04", "ASSOC-05")
async def test_nodes_of_a_batch_are_linked_both_ways_by_what_came_before_and_after(world: MemoryWorld) -> None:
    await world.say(LOGIN, SOCIAL, REVIEW)
    nodes = [node.id for node in await world.memory().nodes()]
    graph = await world.graph()
    links = {
        (edge.source.id, edge.target.id): (edge.strength, edge.relation)
        for vertex in graph.nodes()
        for edge in vertex.leaving
    }
    assert len(links) == 6
    for place, earlier in enumerate(nodes):
        for later in nodes[place + 1 :]:
            assert links[later, earlier] == (0.5, EARLIER)
            assert links[earlier, later] == (0.5, LATER)


@pytest.mark.spec("ASSOC-05", "ASSOC-06")
async def test_new_nodes_are_linked_with_every_focus_and_focuses_not_with_each_other(world: MemoryWorld) -> None:
    await world.say(LOGIN)
    await world.say(SOCIAL)
    (old, new) = [node.id for node in await world.memory().nodes()]
    assert await world.strengths() == {(old, new): 1.0, (new, old): 1.0}
    await world.say(REVIEW)
    newest = (await world.memory().focus())[0].id
    strengths = await world.strengths()
    assert {pair for pair in strengths if newest in pair} == {
        (newest, old),
        (old, newest),
        (newest, new),
        (new, newest),
    }
    assert len(strengths) == 6, "no link was added between those that were in focus"


@pytest.mark.spec("ASSOC-05")
async def test_relations_to_focuses_are_named_where_the_words_tell(world: MemoryWorld) -> None:
    await world.say("Where does Lily live now?")
    await world.say("Lily lives in Leeds now.")
    graph = await world.graph()
    names = {edge.relation for vertex in graph.nodes() for edge in vertex.leaving}
    assert names == {"answers"}


@pytest.mark.spec("ASSOC-05")
async def test_a_relation_that_cannot_be_named_stays_unnamed(world: MemoryWorld) -> None:
    await world.say("Where does Lily live now?")
    world.engine.broken["relation_naming"] = ModelUnavailable("down")
    await world.say("Lily lives in Leeds now.")
    graph = await world.graph()
    edges = [edge for vertex in graph.nodes() for edge in vertex.leaving]
    assert [(edge.relation, edge.strength) for edge in edges] == [("", 1.0), ("", 1.0)]


async def test_a_memory_that_a_model_cannot_annotate_is_annotated_without_one(world: MemoryWorld) -> None:
    world.engine.broken["annotation"] = ModelUnavailable("down")
    await world.say(LOGIN)
    (node,) = await world.memory().nodes()
    assert node.phrase
    assert len(node.keywords) >= 3
    (record,) = await records_of(world.store)
    assert record.made_by.engine == "offline"


@pytest.mark.spec("ASSOC-05")
async def test_a_job_whose_segmentation_fails_goes_to_the_tail_and_makes_nothing(world: MemoryWorld) -> None:
    world.engine.failures["segmentation"] = [Refused("no segments")]
    memory = world.memory()
    await memory.remember(LOGIN)
    await memory.remember(SOCIAL)
    world.start(backoff_base=0.001)
    await world.pass_time(0)
    await world.settle()
    assert [node.content for node in await memory.nodes()] == [SOCIAL, LOGIN], "the second overtook the first"


@pytest.mark.spec("ASSOC-03")
@pytest.mark.parametrize("outage", [ModelUnavailable("down"), ModelDenied("the key was revoked"), TimeoutError()])
async def test_while_a_provider_is_out_of_order_nothing_is_overtaken_or_given_up(
    world: MemoryWorld, outage: Exception
) -> None:
    world.engine.broken["segmentation"] = outage
    memory = world.memory()
    await memory.remember(LOGIN)
    await memory.remember(SOCIAL)
    worker = world.start(poll=600)  # each look at the queues of an idle worker is work, and none is of interest here
    await world.pass_time(40 * 3600)
    tried = sum(role == "segmentation" for role, _ in world.engine.asked)
    assert 40 < tried < 60, "after the first hour it is tried about once an hour"
    assert "segmentation waits for its model" in worker.outages[0]
    assert [job.attempts for job in await world.jobs()] == [0, 0]
    del world.engine.broken["segmentation"]
    await world.settle()
    assert [node.content for node in await memory.nodes()] == [LOGIN, SOCIAL]
    assert not worker.outages


@pytest.mark.spec("ASSOC-03")
async def test_content_that_no_model_can_cut_becomes_a_dead_letter(world: MemoryWorld) -> None:
    world.engine.broken["segmentation"] = Refused("no segments")
    await world.memory().remember(LOGIN)
    world.start()
    await world.pass_time(3600)
    assert [job.state for job in await world.jobs()] == [JobState.DEAD]


@pytest.mark.spec("ASSOC-05")
async def test_nothing_is_made_while_segmentation_fails(world: MemoryWorld) -> None:
    world.engine.broken["segmentation"] = ModelUnavailable("down")
    memory = world.memory()
    await memory.remember(LOGIN)
    world.start()
    await world.pass_time(60)
    assert len(await world.graph()) == 0
    del world.engine.broken["segmentation"]
    await world.settle()
    assert [node.content for node in await memory.nodes()] == [LOGIN]


@pytest.mark.spec("ASSOC-03")
async def test_remember_returns_before_any_language_work(world: MemoryWorld) -> None:
    world.engine.hold["segmentation"] = asyncio.Event()
    world.start()
    receipt = await world.memory().remember(LOGIN)
    assert len(receipt.entry_ids) == 1
    await world.quiet()
    assert len(await world.graph()) == 0
    world.engine.hold["segmentation"].set()
    await world.settle()
    assert len(await world.graph()) == 1


@pytest.mark.spec("ASSOC-03")
async def test_jobs_run_in_the_order_of_the_calls_under_a_hundred_callers(make: Make) -> None:
    world = make(max_queue_size=1000)
    memory = world.memory()
    world.start()
    order: list[int] = []

    async def call(number: int) -> None:
        await memory.remember(f"Caller {number} reported that shipment {number} arrived in the harbour.")
        order.append(number)

    await world.until(asyncio.gather(*(call(number) for number in range(100))))
    await world.settle()
    entries = await world.store.entries(ADA, _all_entries())
    records = await records_of(world.store)
    assert [record.sources[0].entry_id for record in records] == [entry.id for entry in entries]
    assert sorted(order) == list(range(100))


def _all_entries() -> EntryQuery:
    return EntryQuery(limit=1000)


@pytest.mark.spec("ASSOC-03")
async def test_a_full_queue_refuses_and_loses_nothing_that_waits(make: Make) -> None:
    world = make(max_queue_size=3)
    memory = world.memory()
    for text in (LOGIN, SOCIAL, REVIEW):
        await memory.remember(text)
    with pytest.raises(QueueFull, match="wait"):
        await memory.remember("one too many")
    assert len(await world.store.entries(ADA, _all_entries())) == 3, "what was refused was not kept either"
    await world.settle()
    assert [node.content for node in await memory.nodes()] == [LOGIN, SOCIAL, REVIEW]


@pytest.mark.spec("ASSOC-03")
async def test_recall_sees_what_was_remembered_before_and_enqueues_nothing(world: MemoryWorld) -> None:
    memory = world.memory()
    await memory.remember(LOGIN)
    asked = asyncio.ensure_future(memory.recall(["令牌"]))
    await world.quiet()
    assert not asked.done(), "its turn has not come"
    assert [job.kind for job in await world.jobs()] == ["associative.remember"], "a read leaves nothing durable"
    world.start()
    assert await world.until(asked) == f"[记忆] {LOGIN}"


@pytest.mark.spec("ASSOC-03")
async def test_recall_waits_only_for_what_was_asked_before_it(world: MemoryWorld) -> None:
    memory, later = world.memory(), asyncio.Event()
    await memory.remember(LOGIN)
    (first,) = await world.jobs()
    asked = asyncio.ensure_future(memory.search(["令牌"]))
    await world.quiet()
    await memory.remember([SOCIAL, REVIEW])
    handlers = world.associations.handlers

    async def remember(job: Job, tx: Transaction) -> None:
        if job.id != first.id:
            await later.wait()
        await handlers[REMEMBER](job, tx)

    world.at_work = world.worker({**handlers, REMEMBER: remember})
    world.at_work.watch(ADA)
    found = await world.until(asked)
    assert ([item.text for item in found.items], found.not_in_graph) == ([LOGIN], 2)
    later.set()
    await world.settle()


@pytest.mark.spec("ASSOC-03")
async def test_recall_does_not_wait_for_a_job_in_back_off_and_says_what_is_missing(world: MemoryWorld) -> None:
    memory = world.memory()
    await world.say(LOGIN)
    world.engine.broken["segmentation"] = ModelUnavailable("no model")
    await memory.remember([SOCIAL, REVIEW])
    world.start()
    await world.quiet()
    (waiting,) = await world.jobs()
    assert waiting.not_before is not None, "it failed and waits for its next attempt"
    found = await asyncio.wait_for(memory.search(["令牌"]), 30)
    assert ([item.text for item in found.items], found.not_in_graph) == ([LOGIN], 2)
    text = await memory.recall(["令牌"])
    assert text == f"[记忆] {LOGIN}\n---\n[记忆] 另有 2 条消息尚未整理成记忆"


@pytest.mark.spec("ASSOC-03")
async def test_a_full_queue_refuses_no_reader(make: Make) -> None:
    world = make(max_queue_size=1)
    await world.say(LOGIN)
    world.engine.broken["segmentation"] = ModelUnavailable("no model")
    await world.memory().remember(SOCIAL)
    world.start()
    await world.quiet()
    assert (await world.memory().search(["令牌"])).not_in_graph == 1


async def test_what_a_search_finds_names_the_words_it_rests_on(world: MemoryWorld) -> None:
    receipt = await world.say(LOGIN, session="monday")
    (item,) = (await world.memory().search(["令牌"])).items
    (source,) = item.sources
    assert (source.entry_id, source.text, source.session) == (receipt.entry_ids[0], LOGIN, "monday")
    assert (item.record_id, item.kind, item.rank) == (item.node.id, TRACE, 1)


@pytest.mark.spec("ASSOC-06")
async def test_the_newest_five_nodes_are_in_focus_newest_first(world: MemoryWorld) -> None:
    for number in range(7):
        await world.say(f"Meeting {number} was about the budget of department {number}.")
    nodes = [node.id for node in await world.memory().nodes()]
    assert [node.id for node in await world.memory().focus()] == list(reversed(nodes))[:5]
    again = world.associate(world.open_store())
    assert (await again.graphs.at(ADA)).focuses == tuple(reversed(nodes))[:5], "the list is kept"


@pytest.mark.spec("ASSOC-06")
async def test_saying_the_same_again_makes_a_new_node(world: MemoryWorld) -> None:
    await world.say(LOGIN)
    await world.say(LOGIN)
    nodes = await world.memory().nodes()
    assert [node.content for node in nodes] == [LOGIN, LOGIN]
    assert [node.id for node in await world.memory().focus()] == [nodes[1].id, nodes[0].id]


async def test_a_message_that_is_sent_again_under_its_id_makes_no_second_node(world: MemoryWorld) -> None:
    message = {"content": LOGIN, "id": "m1"}
    await world.memory().remember([message])
    await world.memory().remember([message])
    await world.settle()
    assert len(await world.graph()) == 1


@pytest.mark.spec("ASSOC-01")
async def test_agents_know_nothing_of_each_other(world: MemoryWorld) -> None:
    await world.say(LOGIN)
    before = picture(await world.graph())
    await world.say(SOCIAL, REVIEW, scope=BOB)
    assert await world.memory(BOB).recall(["令牌"]) == ""
    assert await world.memory().recall(["第三方"]) == ""
    assert picture(await world.graph()) == before


async def test_a_job_that_runs_twice_makes_nothing_twice(make: Make) -> None:
    """The process ends after its work was committed and before it hears of that: the job is not run again, and if
    it is cut off before, it begins anew with the same ids."""
    world = make(max_retries=100)  # it is cut off at every call, more often than a job may usually begin
    await world.memory().remember([LOGIN, SOCIAL])
    for calls in range(1, 40):
        store = world.open_store()
        world.calls_left[store] = calls
        worker = world.worker(world.associate(store).handlers, store=store, lease=1.0)
        worker.watch(ADA)
        await world.pass_time(5)
        await world.until(worker.stop(drain=False))
        if not await world.jobs():
            break
    await world.settle()
    graph = await world.graph()
    assert sorted(vertex.content for vertex in graph.nodes()) == sorted([LOGIN, SOCIAL])
    assert len(await world.strengths()) == 2
    fresh = await world.associate(world.open_store()).graphs.at(ADA)
    assert picture(fresh) == picture(graph)


@pytest.mark.spec("SAFE-04")
async def test_a_node_of_several_messages_is_trusted_as_far_as_the_least_trusted(world: MemoryWorld) -> None:
    said = [{"role": "user", "content": LOGIN}, {"role": "stranger", "content": SOCIAL}]
    entries = [
        message.entry(world.new_id(), scope=ADA, recorded_at=world.time.now)
        for message in read_messages(said, longest=99)
    ]
    places = tuple(UtteranceSpan(utterance=number, start=0, end=9) for number in (0, 1))
    annotation = AnnotationResponse(content=LOGIN, phrase="登录", keywords=())
    draft = TraceDraft("n1", Segment(text=LOGIN, places=places), annotation, Maker(), {})
    async with world.store.transaction(ADA) as tx:
        for entry in entries:
            tx.append(entry)
        _create(await world.associations.graphs.work(tx, at=world.time.now), draft, entries)
    (record,) = await records_of(world.store)
    assert record.trust is Origin.UNTRUSTED


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
        work.create_node("团子", "团子", (), node_id="cat", sources=sources)
    await world.plant({"f": "港口的吊车昨天搬到了北边的码头。"}, focuses=["f"])
    await world.compress()
    await world.memory().restore("cat")
    (record,) = [record for record in await records_of(world.store) if record.id == "cat"]
    assert record.trust is Origin.UNTRUSTED


@pytest.mark.spec("ASSOC-10")
async def test_restoring_brings_back_the_speaker_the_dates_and_the_day_it_was_learned(world: MemoryWorld) -> None:
    said = "Caroline: I went to the harbour yesterday and saw three old cranes. " + "It was a long and windy day. " * 6
    await world.say(said)
    before = {node.id: node for node in await world.memory().nodes()}
    assert all(node.content.startswith("Caroline: ") for node in before.values())
    await world.pass_time(3600)
    async with world.store.transaction(ADA) as tx:
        work = await world.associations.graphs.work(tx, at=world.time.now)
        await work.delete_nodes(list(before), reason="faded")
    for node_id, node in before.items():
        again = await world.memory().restore(node_id)
        assert (again.content, again.created_at, again.occurred_at) == (node.content, node.created_at, node.occurred_at)
    assert any("yesterday (" in node.content for node in before.values())


@pytest.mark.spec("ASSOC-12")
async def test_a_batch_larger_than_the_slots_leaves_tombstones_for_what_it_drops(make: Make) -> None:
    world = make(schedule="fixed", max_nodes=2)
    receipt = await world.say(LOGIN, SOCIAL, REVIEW)
    assert [node.content for node in await world.memory().nodes()] == [SOCIAL, REVIEW]
    (stone,) = await world.memory().forgotten()
    assert (stone.reason, stone.size) == ("no slot was free", len(LOGIN))
    assert stone.sources[0].entry_id == receipt.entry_ids[0]
    assert (await world.memory().restore(stone.node_id)).content == LOGIN

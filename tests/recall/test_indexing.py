"""Indexing goes on however full the queue is: what was let in is worked on to its end."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

import remanent
from remanent import assembly
from remanent.embedding import Embedders
from remanent.errors import ModelUnavailable, QueueFull
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import Job, JobState, Kind, PassageData, RecallOptions, Record, Scope
from remanent.recall.indexing import (
    CROWD,
    EMBEDDED,
    ENTRY_BATCH,
    MAX_WRITER_WAIT,
    STREAM_GAP,
    TURNS,
    Indexing,
    WriterPriority,
    indexed_through,
)
from remanent.recall.paths import BY_WORDS_ALONE
from remanent.recall.windows import as_spoken
from remanent.stores import JobQuery, Transaction
from remanent.stores.transaction import EnqueueJob, PutRecord
from tests.embedding.fakes import HashEmbedder

LEARN = "cognition.learn"
SCOPE = Scope(org="default", workspace="default", agent="ada")


@pytest.fixture(autouse=True)
def _hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "open_embedders", lambda *_, **__: Embedders(HashEmbedder(model_id="hash")))


@pytest.mark.needs("associative")
@pytest.mark.spec("ASSOC-03")
@pytest.mark.parametrize(("associate", "limit"), [(False, 1), (True, 3)])
async def test_a_queue_that_is_full_keeps_no_message_from_its_index(
    tmp_path: Path,
    associate: bool,
    limit: int,
) -> None:
    # The limit is as many jobs as one call makes: its turns, what is learned of them, and the graph.
    refused: list[str] = []
    async with aopen(tmp_path, jobs={"queue_limit": limit}, associative={"max_queue_size": limit}) as memory:
        ada = memory.agent("ada")
        kept: list[str] = []
        for number in range(8):
            remember = ada.associative.remember if associate else ada.remember
            try:
                receipt = await remember(f"Ada keeps bee number {number}.")
            except QueueFull as error:
                refused.append(str(error))
            else:
                kept += receipt.entry_ids
        await memory.settle()
        store = memory._parts.store
        assert [entry.id for entry in await ada.entries()] == kept
        assert await store.jobs(SCOPE, JobQuery(states=(JobState.DEAD,))) == []
        assert await store.unembedded(SCOPE, limit=10) == []
        assert len(kept) + len(refused) == 8
        assert all("let them run, then try again" in said for said in refused)
        assert kept
        assert len(await ada.associative.nodes()) == (len(kept) if associate else 0)


async def _until_idle(task: "asyncio.Task[None]") -> bool:
    """Let a task do all that it can do without waiting; return whether it has ended."""
    for _ in range(20):
        await asyncio.sleep(0)
    return task.done()


async def test_a_stream_of_writes_is_waited_for_until_it_pauses_or_somebody_waits_for_its_index() -> None:
    moment = 0.0
    writing = WriterPriority(lambda: moment)
    other = SCOPE.model_copy(update={"agent": "bo"})

    def write() -> None:
        writing.begin(SCOPE)
        writing.end()

    write()
    single = asyncio.create_task(writing.wait(SCOPE))
    assert await _until_idle(single)  # a single message is indexed at once
    moment += STREAM_GAP / 2
    write()
    waiting = asyncio.create_task(writing.wait(SCOPE))
    assert not await _until_idle(waiting)
    assert await _until_idle(asyncio.create_task(writing.wait(other)))  # whose agent is not written to
    with writing.waived():
        assert await _until_idle(waiting)
        assert await _until_idle(asyncio.create_task(writing.wait(SCOPE)))
    write()
    paused = asyncio.create_task(writing.wait(SCOPE))
    assert not await _until_idle(paused)
    moment += STREAM_GAP
    await asyncio.wait_for(paused, 30)
    write()
    moment += STREAM_GAP / 2
    write()
    endless = asyncio.create_task(writing.wait(SCOPE))
    assert not await _until_idle(endless)
    for _ in range(int(2 * MAX_WRITER_WAIT / STREAM_GAP)):
        moment += STREAM_GAP / 2
        write()
    await asyncio.wait_for(endless, 30)


async def test_a_crowd_of_writers_waits_for_a_small_batch_and_the_rest_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(*_: object, **__: object) -> None:
        """Wait for nobody."""

    monkeypatch.setattr(WriterPriority, "wait", at_once)
    async with aopen(tmp_path, jobs={"enabled": False}) as memory:
        indexing, store = memory._parts.indexing, memory._parts.store
        await memory.agent("ada").remember([f"Bee number {number} came by." for number in range(ENTRY_BATCH)])

        async def batch() -> tuple[int, bool]:
            """Return how many turns the next batch makes, and whether it asks for another behind it."""
            tx = store.transaction(SCOPE)
            await indexing.make_turns(Job.of_kind(TURNS, "j", scope=SCOPE, at=datetime.now(UTC)), tx)
            kinds = [change.job.kind for change in tx.changes if isinstance(change, EnqueueJob)]
            return sum(isinstance(change, PutRecord) for change in tx.changes), TURNS in kinds

        for _ in range(CROWD + 1):
            indexing.writing.begin(SCOPE)
        assert await batch() == (ENTRY_BATCH // 4, True)
        with indexing.writing.waived():
            assert await batch() == (ENTRY_BATCH, True)
        indexing.writing.end()
        assert await batch() == (ENTRY_BATCH, True)


async def test_agents_at_rest_do_not_wait_for_one_that_is_written_to_without_a_pause(tmp_path: Path) -> None:
    async def indexed(name: str) -> None:
        while not await indexed_through(memory._parts.store, SCOPE.model_copy(update={"agent": name})):
            pass  # each look lets the others work

    async with aopen(tmp_path, jobs={"concurrency": 1}) as memory:
        memory._parts.indexing.writing._now = lambda: 0.0  # for which no stream ever ends
        await asyncio.gather(*(memory.agent("ada").remember(f"Bee number {number} came by.") for number in range(3)))
        await memory.agent("bo").remember("Bees need no sleep.")
        await asyncio.wait_for(indexed("bo"), 30)
        assert not await indexed_through(memory._parts.store, SCOPE)
        await memory.settle()
        assert await indexed_through(memory._parts.store, SCOPE) == 3


@pytest.mark.needs("cognition")
async def test_a_write_asks_for_one_job_and_the_rest_is_asked_for_once_for_many(tmp_path: Path) -> None:
    async with aopen(tmp_path, jobs={"enabled": False}) as memory:
        for number in range(30):
            await memory.agent("ada").remember(f"Bee number {number} came by." if number else "I live in Lisbon.")
        assert [job.kind for job in await memory._parts.store.jobs(SCOPE, JobQuery())] == [TURNS]
    asked: list[int] = []
    async with aopen(tmp_path) as memory:
        learn = memory._parts.worker._runner._handlers[LEARN]

        async def noted(job: Job, tx: Transaction) -> None:
            asked.append(len(asked))
            await learn(job, tx)

        cast("dict[str, object]", memory._parts.worker._runner._handlers)[LEARN] = noted
        await memory.settle()
        known = await memory.agent("ada").cognition.memories()
    assert asked == [0]
    assert "Lisbon" in str(known)


async def _out_of_order(*_: object, **__: object) -> None:
    raise ModelUnavailable("the model is out of order")


@pytest.mark.spec("ASSOC-03")
async def test_what_was_said_a_moment_ago_is_found_before_what_only_resembles_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it has a vector, others that have one stood before it, however little they had to do with the question."""
    async with aopen(tmp_path, recall={"path_timeout": 60}) as memory:
        ada = memory.agent("ada")
        await ada.remember([f"The shelf {number} in the cellar holds jam." for number in range(40)], session="cellar")
        await memory.settle()
        store = memory._parts.store
        assert await store.state(SCOPE, EMBEDDED) == await store.state(SCOPE, TURNS) == 40
        monkeypatch.setattr(Indexing, "_put_vectors", _out_of_order)
        await ada.remember("Tobias feeds the parrot.")
        for through in (0, 41):  # as an entry or, as it may be by now, a turn; then surely as a turn without a vector
            while await indexed_through(store, SCOPE) < through:
                pass
            found = await ada.recall(
                "Who feeds the parrot at the cellar?", limit=through or 5, options=RecallOptions(gate=False)
            )
            assert found.items[0].text == "Tobias feeds the parrot."
            assert found.items[0].ranks[0].reason == BY_WORDS_ALONE


async def test_what_is_not_indexed_yet_answers_as_of_a_moment_since_it_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first question of a process found nothing, and the second all."""

    async def later(*_: object) -> None:
        """Leave it for another day."""

    monkeypatch.setattr(Indexing, "make_turns", later)
    async with aopen(tmp_path) as memory:
        ada = memory.agent("ada")
        said = (await ada.remember("I live in Rome.")).entry_ids
        (entry,) = await ada.entries()
        for moment, expected in ((entry.recorded_at, said), (entry.recorded_at - timedelta(milliseconds=1), ())):
            found = await ada.recall("where do I live?", options=RecallOptions(as_of=moment))
            assert tuple(item.record_id for item in found.items) == expected


_NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize("length", [300, 780, 1_300, 3_000])
def test_a_chunk_of_any_size_is_embedded_to_its_end_under_its_headings(length: int) -> None:
    record = Record(
        id="c1", scope=SCOPE, kind=Kind.CHUNK, content="x" * length, summary="Harbour › Tides", created_at=_NOON,
        updated_at=_NOON, occurred_at=_NOON, data=PassageData(document_id="d1"),
    )  # fmt: skip
    assert as_spoken(record) == "Harbour › Tides: " + "x" * length


def _open(home: Path) -> AsyncMemory:
    return aopen(home, embedder="none")


async def _say(memory: AsyncMemory, *turns: tuple[str, str], apart: timedelta = timedelta(seconds=5)) -> AsyncAgent:
    ada = memory.agent("ada")
    messages = [
        {"role": role, "content": text, "id": str(place), "occurred_at": _NOON + place * apart}
        for place, (role, text) in enumerate(turns)
    ]
    await ada.remember(messages, session="talk")
    await memory.settle()
    return ada


async def _found(ada: AsyncAgent, question: str) -> list[str]:
    return [item.text for item in (await ada.recall(question, options=RecallOptions(recipe="words"))).items]


async def test_a_reply_is_found_by_the_words_it_answers(tmp_path: Path) -> None:
    async with _open(tmp_path) as memory:
        ada = await _say(memory, ("Mel", "Where did you buy the necklace?"), ("Caroline", "In a small shop, last May."))
        assert "In a small shop, last May." in await _found(ada, "necklace")


async def test_a_turn_is_found_by_the_name_of_its_speaker(tmp_path: Path) -> None:
    async with _open(tmp_path) as memory:
        ada = await _say(memory, ("Caroline", "I sing in a choir."), ("Caroline", "I have a dog."))
        assert set(await _found(ada, "Caroline")) == {"I sing in a choir.", "I have a dog."}


async def test_a_part_that_anybody_plays_is_no_name(tmp_path: Path) -> None:
    async with _open(tmp_path) as memory:
        ada = await _say(memory, ("user", "I sing in a choir."))
        assert await _found(ada, "user") == []


async def test_who_goes_on_talking_replies_to_nobody(tmp_path: Path) -> None:
    async with _open(tmp_path) as memory:
        ada = await _say(memory, ("user", "The necklace is silver."), ("user", "The dog is brown."))
        assert await _found(ada, "necklace") == ["The necklace is silver."]


async def test_what_is_said_much_later_is_no_reply(tmp_path: Path) -> None:
    async with _open(tmp_path) as memory:
        turns = (("Mel", "Where did you buy the necklace?"), ("Caroline", "Good morning!"))
        ada = await _say(memory, *turns, apart=timedelta(hours=3))
        assert await _found(ada, "necklace") == ["Where did you buy the necklace?"]


async def test_a_reply_that_comes_in_another_call_is_found_as_well(tmp_path: Path) -> None:
    async with _open(tmp_path) as memory:
        ada = await _say(memory, ("Mel", "Where did you buy the necklace?"))
        later = _NOON + timedelta(minutes=1)
        await ada.remember({"role": "Caroline", "content": "In a shop.", "occurred_at": later}, session="talk")
        await memory.settle()
        assert "In a shop." in await _found(ada, "necklace")


@pytest.mark.parametrize("by", ["entry", "record"])
async def test_what_is_erased_no_longer_leads_to_its_reply(tmp_path: Path, by: str) -> None:
    async with _open(tmp_path) as memory:
        ada = await _say(memory, ("Mel", "Where did you buy the zirconium necklace?"), ("Caroline", "In a shop."))
        (asked, _) = await ada.entries()
        if by == "entry":
            await ada.erase(entry_ids=[asked.id])
        else:
            await ada.erase(record_ids=[asked.id])
        assert await _found(ada, "zirconium") == []
        assert await _found(ada, "shop") == ["In a shop."]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"zirconium" in path.read_bytes()]


def test_replies_are_found_through_the_plain_face_too(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        ada.remember([{"role": "Mel", "content": "Which tea?"}, {"role": "Ada", "content": "Oolong."}], session="x")
        memory.settle()
        assert "Oolong." in [item.text for item in ada.recall("tea", options=RecallOptions(recipe="words")).items]

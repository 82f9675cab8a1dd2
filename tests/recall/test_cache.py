"""Answers and questions' vectors are kept for a while, and never outlive a write."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from remanent import assembly
from remanent.embedding import CachedEmbedder, Embedders
from remanent.memory import AsyncMemory, aopen
from remanent.model import Found, Scope
from remanent.recall.answers import AnswerCache
from remanent.stores.cache import InProcessCache
from remanent.stores.conformance.base import SetClock
from tests.embedding.fakes import HashEmbedder

MAY = datetime(2024, 5, 10, 12, tzinfo=UTC)
ADA = Scope(org="acme", workspace="lab", agent="ada")
LIFETIME = timedelta(minutes=5)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(MAY)


@pytest.fixture
async def memory(tmp_path: Path, clock: SetClock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncMemory]:
    monkeypatch.setattr(assembly, "open_embedders", lambda _, *, embedding: Embedders(HashEmbedder()))
    async with aopen(tmp_path / "home", clock=clock) as opened:
        await opened.agent("ada").remember("The heron fishes at dawn.")
        await opened.settle()
        yield opened


@pytest.mark.spec("COG-16")
async def test_the_same_question_is_answered_from_what_is_kept_for_five_minutes(
    memory: AsyncMemory, clock: SetClock
) -> None:
    ada = memory.agent("ada")
    first = await ada.recall("heron")
    again = await ada.recall("heron")
    assert (first.cached, again.cached) == (False, True)
    assert again.replace(cached=False) == first
    assert not (await ada.recall("heron", limit=2)).cached
    assert not (await ada.recall("heron", grain="turns")).cached
    assert not (await memory.agent("bob").recall("heron")).items
    clock.advance(seconds=299)
    assert (await ada.recall("heron")).cached
    clock.advance(seconds=2)
    assert not (await ada.recall("heron")).cached


@pytest.mark.spec("COG-16")
async def test_a_write_of_another_process_makes_kept_answers_unreachable(
    memory: AsyncMemory, clock: SetClock, tmp_path: Path
) -> None:
    ada = memory.agent("ada")
    await ada.recall("heron")
    async with aopen(tmp_path / "home", clock=clock) as other:
        await other.agent("ada").remember("The heron flew away.")
        found = await ada.recall("heron")
        assert not found.cached
        assert {item.text for item in found.items} == {"The heron fishes at dawn.", "The heron flew away."}


@pytest.mark.spec("COG-16")
async def test_forgetting_and_erasing_make_kept_answers_unreachable(memory: AsyncMemory) -> None:
    ada = memory.agent("ada")
    record_id = (await ada.recall("heron")).items[0].record_id
    await ada.forget(record_id)
    assert not (await ada.recall("heron")).items
    await ada.restore(record_id)
    assert (await ada.recall("heron")).items
    await ada.erase(record_ids=[record_id])
    assert not (await ada.recall("heron")).items
    kept = memory._parts.cache._kept  # type: ignore[attr-defined]
    assert not any(b"heron fishes" in bytes(one.thing) for one in kept.values() if isinstance(one.thing, bytes))


@pytest.mark.spec("COG-16")
async def test_hit_rates_are_reported(memory: AsyncMemory) -> None:
    ada = memory.agent("ada")
    for _ in range(4):
        await ada.recall("heron")
    await ada.recall("heron", limit=3)
    answers, vectors = memory.caches()
    assert (answers.name, answers.hits, answers.misses, answers.rate) == ("recall", 3, 2, 0.6)
    assert (vectors.name, vectors.hits, vectors.misses) == ("embedding:hash", 1, 1)


@pytest.mark.spec("COG-16")
async def test_a_question_s_vector_is_kept_for_a_day(clock: SetClock) -> None:
    inner = HashEmbedder()
    embedder = CachedEmbedder(inner, clock=clock)
    await embedder.embed(["heron"])
    clock.advance(seconds=timedelta(hours=23, minutes=59).total_seconds())
    await embedder.embed(["heron"])
    assert len(inner.batches) == 1
    clock.advance(seconds=61)
    await embedder.embed(["heron"])
    assert len(inner.batches) == 2
    assert embedder.figures.rate == pytest.approx(1 / 3)


async def test_an_agent_that_is_asked_for_days_takes_no_more_room_than_one_that_is_asked_for_minutes() -> None:
    clock = SetClock(datetime(2024, 5, 1, tzinfo=UTC))
    cache = InProcessCache(clock=clock)
    answers = AnswerCache(cache, lifetime=LIFETIME, clock=clock)
    sizes = []
    for number in range(600):
        await answers.keep(f"recall:ada:{number}", Found(query=f"{number:>6}"), scope=ADA, until=None)
        clock.advance(seconds=30)
        sizes.append(cache._bytes)
    assert max(sizes[100:]) <= 2 * max(sizes[:50])


async def test_erasing_takes_along_every_answer_that_is_still_kept() -> None:
    clock = SetClock(datetime(2024, 5, 1, 0, 4, 50, tzinfo=UTC))
    answers = AnswerCache(InProcessCache(clock=clock), lifetime=LIFETIME, clock=clock)
    for number in range(4):  # before and after the turn of a stretch
        await answers.keep(f"recall:ada:{number}", Found(query=f"{number}"), scope=ADA, until=None)
        clock.advance(seconds=60)
    assert await answers.get("recall:ada:0") is not None
    await answers.erased(ADA)
    assert [await answers.get(f"recall:ada:{number}") for number in range(4)] == [None] * 4

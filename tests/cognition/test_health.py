"""How memories stand: what is double, junk, an echo, or no longer said by the words behind it."""

from datetime import timedelta
from pathlib import Path

import pytest

from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import EpisodicData, MemoryData, SemanticData
from remanent.stores.conformance.base import SetClock


@pytest.mark.spec("COG-08")
async def test_health_counts_what_is_double_and_what_tells_nothing_with_examples(ada: AsyncAgent) -> None:
    cognition = ada.cognition
    await cognition.add("Tea is served at four", subject="tea", attribute="time")
    await cognition.add("Tea is served at four.")
    await cognition.add("Thanks a lot!")
    await cognition.add("The office is in Oslo")
    found = await cognition.health()
    assert (found.total, found.compared, found.duplicates, found.junk) == (4, 4, 2, 0.25)
    assert set(found.examples["duplicates"]) == {"Tea is served at four", "Tea is served at four."}
    assert found.examples["junk"] == ("Thanks a lot!",)
    assert found.rotten == found.echoes == 0


async def test_health_tells_which_share_of_what_was_said_only_repeats_what_was_recalled(ada: AsyncAgent) -> None:
    await ada.remember("I live in Lisbon, in the house by the river.")
    await ada.settle()
    assert (await ada.cognition.health()).echoes == 0
    await ada.remember(f"You told me:\n{(await ada.recall('Where do I live?')).text}")
    await ada.settle()
    assert (await ada.cognition.health()).echoes == 0.5


async def test_a_memory_that_its_words_do_not_say_is_rotten(memory: AsyncMemory, ada: AsyncAgent) -> None:
    await ada.remember("I live in Lisbon.")
    await ada.settle()
    (sound,) = await ada.cognition.memories()
    assert isinstance(sound.data, MemoryData)
    data = sound.data.replace(attribute="employer", value="Siemens")
    wrong = sound.replace(id="mem-0123456789", content="The user works at Siemens", data=data, version=1)
    async with memory._parts.store.transaction(ada.scope.owner) as tx:
        tx.put(wrong)
    assert not (await ada.cognition.why(sound.id)).rotten
    assert (await ada.cognition.why(wrong.id)).rotten
    found = await ada.cognition.health()
    assert (found.rotten, found.reread, found.examples["rotten"]) == (1, 2, ("The user works at Siemens",))


async def test_only_what_is_about_the_included_topics_is_learned(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", cognition={"include": "tea, 茶"}) as memory:
        ada = memory.agent("ada")
        await ada.remember(["I like green tea.", "I live in Lisbon.", "我喜欢喝茶。", "我住在上海。"])
        await ada.settle()
        kept = [one.content for one in await ada.cognition.memories()]
    assert len(kept) == 2, kept
    assert all("tea" in one or "茶" in one for one in kept)


@pytest.mark.spec("COG-06")
async def test_newer_memories_stand_first_and_of_one_second_the_more_important(
    memory: AsyncMemory, ada: AsyncAgent, clock: SetClock
) -> None:
    made = [await ada.cognition.add(text) for text in ("Oslo is cold", "Rome is warm", "Kiel is wet")]
    async with memory._parts.store.transaction(ada.scope.owner) as tx:
        for one, importance in zip(made, (0.2, 0.9, 0.5), strict=True):
            tx.put(one.replace(importance=importance, version=one.version + 1), expects=one.version)
    clock.now += timedelta(seconds=1)
    await ada.cognition.add("Bonn is small")
    told = [one.content for one in await ada.cognition.memories()]
    assert told == ["Bonn is small", "Rome is warm", "Kiel is wet", "Oslo is cold"]


@pytest.mark.spec("COG-08")
async def test_facts_of_the_same_words_name_each_other_as_related(ada: AsyncAgent) -> None:
    await ada.remember(["I live in Lisbon. I work at Siemens.", "My sister lives in Rome."])
    await ada.settle()
    found = {one.content: one for one in await ada.cognition.memories()}
    related = {text: one.data.related for text, one in found.items() if isinstance(one.data, SemanticData)}
    home, job = found["The user lives in Lisbon"], found["The user works at Siemens"]
    assert (related[home.content], related[job.content]) == ((job.id,), (home.id,))
    assert related["The user's sister lives in Rome"] == ()


async def test_what_is_erased_or_forgotten_is_related_to_nothing(ada: AsyncAgent) -> None:
    await ada.remember("I live in Lisbon. I work at Siemens. My dog is called Rex.")
    again = await ada.remember("I work at Siemens.")
    await ada.settle()
    home, job, dog = [
        next(one for one in await ada.cognition.memories() if word in one.content)
        for word in ("Lisbon", "Siemens", "Rex")
    ]
    assert isinstance(home.data, SemanticData)
    assert set(home.data.related) == {job.id, dog.id}
    await ada.erase(entry_ids=again.entry_ids)
    await ada.cognition.forget(dog.id)
    assert job.id not in {one.id for one in await ada.records(kinds=["semantic"])}
    left = await ada.cognition.show(home.id)
    assert isinstance(left.data, SemanticData)
    assert left.data.related == ()


@pytest.mark.spec("COG-09")
async def test_an_episode_tells_who_took_part_what_came_of_it_and_which_files(ada: AsyncAgent) -> None:
    log = await ada.attach(b"timeout after 30 s", name="export.log")
    await ada.remember(
        [
            {"role": "user", "content": "The invoice export of March fails with a timeout.", "attachments": [log]},
            {"role": "user", "content": "It began after the update of the database on Monday."},
            {"role": "assistant", "content": "The index was missing; the export of March runs again."},
        ],
        session="s1",
    )
    await ada.end_session("s1")
    await ada.settle()
    (episode,) = await ada.cognition.memories(kinds=["episodic"])
    assert isinstance(episode.data, EpisodicData)
    assert episode.data.participants == ("user", "assistant")
    assert episode.data.outcome == "The index was missing; the export of March runs again."
    assert episode.data.artifacts == ("export.log",)


async def test_the_memories_that_a_figure_counts_can_be_listed(ada: AsyncAgent) -> None:
    cognition = ada.cognition
    for content, kind in (
        ("The harbour is deep.", "semantic"),
        ("the harbour is deep", "episodic"),
        ("Thanks!", "semantic"),
    ):
        await cognition.add(content, kind=kind)
    await ada.remember("I live in Lisbon.")
    await ada.settle()
    health = await cognition.health()
    for flaw, count in (
        ("duplicates", health.duplicates),
        ("junk", round(health.junk * health.compared)),
        ("stale", 0),
    ):
        assert len(await cognition.memories(flaw=flaw)) == count
    assert {one.content for one in await cognition.memories(flaw="duplicates")} == {
        "The harbour is deep.",
        "the harbour is deep",
    }
    assert [one.content for one in await cognition.memories(flaw="junk")] == ["Thanks!"]
    unsure = await cognition.memories(flaw="unsure")
    assert 0 < len(unsure) < health.total
    assert all(one.confidence < health.mean_confidence for one in unsure)

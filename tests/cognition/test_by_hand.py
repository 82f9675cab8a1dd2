"""What a person corrects or takes away by hand reaches recall as what is said does."""

import pytest

from remanent.memory import AsyncAgent
from remanent.model import Kind, MemoryData, Record


async def learned(ada: AsyncAgent, *texts: str) -> list[Record]:
    for number, text in enumerate(texts):
        await ada.remember(text, session=f"s{number}")
    await ada.settle()
    return await ada.cognition.memories()


async def told(ada: AsyncAgent, question: str) -> list[tuple[str, bool]]:
    """What recall tells, best first, and whether it says that it is no longer so."""
    await ada.settle()
    found = await ada.recall(question)
    return [(item.text, item.outdated_by is not None) for item in found.items]


@pytest.mark.parametrize(
    ("said", "written", "value", "question"),
    [
        (
            "My favourite restaurant is Nopi.",
            "The user's favourite restaurant is Ottolenghi",
            "Ottolenghi",
            "What is my favourite restaurant?",
        ),
        ("I live in Berlin.", "I live in Porto.", "Porto", "Where do I live?"),
        ("我最喜欢的餐厅是外婆家。", "用户最喜欢的餐厅是海底捞", "海底捞", "我最喜欢的餐厅是哪家？"),
        ("My favourite restaurant is Nopi.", "Ottolenghi, of all restaurants", "", "What is my favourite restaurant?"),
    ],
)
async def test_a_correction_answers_before_the_words_that_it_corrects(
    ada: AsyncAgent, said: str, written: str, value: str, question: str
) -> None:
    (known,) = await learned(ada, said)
    edited = await ada.cognition.edit(known.id, written)
    assert isinstance(edited.data, MemoryData)
    assert edited.data.value == value, "a whole sentence is no value"
    assert (await told(ada, question))[:2] == [(written, False), (said, True)]
    why = await ada.cognition.why(known.id)
    assert (why.quotes, why.by_hand_at) == ((), edited.updated_at), "nobody said it"
    text = (await ada.cognition.brief(question)).text
    assert written in text
    assert "written by hand" in text or "人工写入" in text
    assert "sources: 1" not in text


async def test_the_words_of_an_earlier_version_bring_it_back(ada: AsyncAgent) -> None:
    (known,) = await learned(ada, "My favourite restaurant is Nopi.")
    await ada.cognition.edit(known.id, "The user's favourite restaurant is Ottolenghi")
    back = await ada.cognition.edit(known.id, known.content)
    assert (back.sources, back.made_by, back.evidence_count) == (known.sources, known.made_by, known.evidence_count)
    assert (await told(ada, "What is my favourite restaurant?"))[0] == ("My favourite restaurant is Nopi.", False)
    assert (await ada.cognition.why(known.id)).by_hand_at is None


async def test_a_correction_goes_when_the_words_that_it_corrects_are_erased(ada: AsyncAgent) -> None:
    (known,) = await learned(ada, "My favourite restaurant is Nopi.")
    await ada.cognition.edit(known.id, "The user's favourite restaurant is Ottolenghi")
    await ada.erase(entry_ids=[known.sources[0].entry_id])
    assert await ada.cognition.memories() == []


@pytest.mark.parametrize(
    ("said", "question"), [("I live in Berlin.", "Where do I live?"), ("我住在成都。", "我住在哪里？")]
)
async def test_a_memory_is_forgotten_with_the_words_that_state_it_and_restored_with_them(
    ada: AsyncAgent, said: str, question: str
) -> None:
    (known,) = await learned(ada, said)
    await ada.cognition.forget(known.id)
    assert await told(ada, question) == []
    await ada.cognition.restore(known.id)
    assert await told(ada, question) == [(said, False)]


async def test_what_a_forgotten_memory_said_before_does_not_come_back_as_if_it_held(ada: AsyncAgent) -> None:
    (known,) = await learned(ada, "I live in Berlin.", "I live in Oslo now.")
    await ada.cognition.forget(known.id)
    assert await told(ada, "Where do I live?") == []


async def test_a_turn_on_which_another_memory_rests_stays(ada: AsyncAgent) -> None:
    said = "I live in Berlin. My dog is called Rex."
    memories = await learned(ada, said)
    (home,) = [one for one in memories if "Berlin" in one.content]
    assert len(memories) > 1
    await ada.cognition.forget(home.id)
    assert [item.kind for item in (await ada.recall("What is my dog called?")).items] == [Kind.TURN]


async def test_a_memory_is_edited_again_after_words_that_tell_no_value(ada: AsyncAgent) -> None:
    (home,) = await learned(ada, "I live in Lisbon.")
    for text in ("Nobody knows where", "Ask the neighbours", "The user lives in Porto"):
        assert (await ada.cognition.edit(home.id, text)).content == text


@pytest.mark.parametrize(
    ("said", "question"), [("I live in Berlin.", "Where do I live?"), ("我住在成都。", "我住在哪里？")]
)
@pytest.mark.parametrize("of", ["memory", "turn"])
async def test_what_an_agent_forgets_is_gone_with_its_words_whichever_of_the_two_is_named(
    ada: AsyncAgent, said: str, question: str, of: str
) -> None:
    (known,) = await learned(ada, said)
    named = known.id if of == "memory" else known.sources[0].entry_id
    stone = await ada.forget(named, reason="asked")
    assert (stone.record_id, stone.reason) == (named, "asked")
    assert await told(ada, question) == []
    assert await ada.cognition.memories() == []
    await ada.restore(named)
    assert await told(ada, question) == [(said, False)]
    assert [one.content for one in await ada.cognition.memories()] == [known.content]


async def test_a_memory_that_was_told_twice_outlives_one_of_its_turns(ada: AsyncAgent) -> None:
    (known,) = await learned(ada, "I live in Berlin.", "I live in Berlin, as you know.")
    await ada.forget(known.sources[0].entry_id)
    assert [one.content for one in await ada.cognition.memories()] == [known.content]


async def test_what_a_person_wrote_is_told_as_such_after_it_was_confirmed(ada: AsyncAgent) -> None:
    (known,) = await learned(ada, "I live in Berlin.")
    await ada.cognition.edit(known.id, "The user lives in Porto")
    confirmed = await ada.cognition.confirm(known.id)
    assert confirmed.evidence_count == 1
    await ada.settle()
    text = (await ada.cognition.brief("Where do I live?")).text
    assert "written by hand" in text
    assert "sources: 1" not in text

"""Whose memory: several users of one agent, none of whom learns anything of another."""

from datetime import timedelta
from typing import Any

import pytest

from remanent.errors import InvalidInput, NotFound
from remanent.memory import AsyncAgent
from remanent.model import MemoryData, RecallOptions
from remanent.stores.conformance.base import SetClock

TOWNS = "Rome Oslo Bern Lyon Kiel Porto Ghent Turin Graz Malmo".split()


async def users_of(ada: AsyncAgent) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in await ada.cognition.memories(limit=100_000, statuses=None):
        assert isinstance(one.data, MemoryData)
        found.setdefault(one.data.user, []).append(one.content)
    return found


@pytest.mark.spec("COG-01", "COG-07", "COG-08")
async def test_of_1000_users_each_has_what_they_said_and_nothing_of_another(ada: AsyncAgent, clock: SetClock) -> None:
    homes = {f"u{number}": TOWNS[number % 10] for number in range(1000)}
    await ada.remember(
        [{"content": f"I live in {town}.", "metadata": {"user_id": user}} for user, town in homes.items()]
    )
    await ada.settle()
    clock.now += timedelta(days=1)
    await ada.remember("I live in Paris now.", user="u7")
    await ada.remember("I live in Bern.", user="u2")
    await ada.settle()
    kept = await users_of(ada)
    assert set(kept) == set(homes)
    assert all(kept[user] == [f"The user lives in {town}"] for user, town in homes.items() if user != "u7")
    assert kept["u7"] == ["The user lives in Paris"]
    (told_twice,) = await ada.cognition.memories(user="u2")
    assert told_twice.evidence_count == 2, "what a thousand others say is no evidence for what this one says"
    assert len(await ada.conflicts()) == 1, "only u7 said two things"
    for number in range(1, 1000, 111):
        user = f"u{number}"
        found = await ada.recall("Where do I live?", user=user)
        assert {item.metadata["user_id"] for item in found.items} == {user}
        assert homes[user] in found.items[0].text
        assert not any(town in found.text for town in TOWNS if town != homes[user])


IMITATIONS = ("Ann", "ANN", "ａnn", "ann.", "аnn", "ann' OR '1'='1", "a%", "_nn", '["ann"]', "ann\\", "安")
REFUSED = ("", " ", "ann\u200b", "\u202eann", "ann ", "a\x00n", "an\x1fn", "ann\n", "\ufeffann", "a" * 201, 7, ["ann"])


@pytest.mark.spec("COG-01")
async def test_a_user_whose_name_imitates_another_gets_nothing_of_theirs(ada: AsyncAgent) -> None:
    await ada.remember("I live in Rome and my phone number is 13912345678.", user="ann", session="s", tags=["home"])
    await ada.settle()
    for name in IMITATIONS:
        await ada.remember("I live somewhere, but where do I live?", user=name, session="s")
        for grain in ("item", "turns", "session"):
            found = await ada.recall("Where do I live?", user=name, grain=grain, options=RecallOptions(gate=False))
            assert found.items, "what they said themselves"
            assert "Rome" not in f"{found.items} {found.text}", (name, grain)
        assert await ada.cognition.memories(user=name) == []
        assert "Rome" not in (await ada.cognition.brief("Where do I live?", user=name)).text
    for bad in REFUSED:
        for call in (ada.remember("I live here.", user=bad), ada.recall("Where?", user=bad)):  # type: ignore[arg-type]
            with pytest.raises(InvalidInput):
                await call


@pytest.mark.spec("COG-01")
@pytest.mark.parametrize(
    "asked",
    [
        {"where": {"user_id": "ann"}},
        {"where": {"user_id": ["ann", "eve"]}},
        {"where": {"user_id": {"gte": ""}}},
        {"kinds": ["semantic", "preference", "episodic", "instruction"]},
        {"tags": ["home"]},
        {"any_tags": ["home", "x"]},
        {"session": "annas"},
        {"session": "annas", "grain": "session"},
        {"grain": "turns"},
        {"options": RecallOptions(recipe="words", gate=False)},
    ],
)
async def test_no_other_wish_of_a_question_leads_to_another_user(ada: AsyncAgent, asked: dict[str, Any]) -> None:
    said = ["I live in Rome.", "I love chess.", "Always answer in French.", "I visited Bern last week."]
    await ada.remember(said, user="ann", session="annas", tags=["home"])
    await ada.remember(["I live in Kiel."], user="eve", session="annas")
    await ada.end_session("annas", user="eve")
    await ada.settle()
    found = await ada.recall("Where do I live? Rome chess French Bern", user="eve", **asked)
    told = f"{found.items} {found.text}"
    assert not any(word in told for word in ("Rome", "chess", "French", "Bern"))


@pytest.mark.spec("COG-09")
async def test_a_session_of_several_users_becomes_an_episode_of_each_with_their_own_words(ada: AsyncAgent) -> None:
    for user, word in (("ann", "sauna"), ("bob", "garage")):
        said = [f"I am planning the {word}.", f"The {word} needs a new door.", f"We ordered wood for the {word}."]
        await ada.remember(said, user=user, session="monday")
    await ada.end_session("monday", user="ann")
    await ada.settle()
    episodes = {
        one.data.user: one
        for one in await ada.cognition.memories(kinds=["episodic"])
        if isinstance(one.data, MemoryData)
    }
    assert set(episodes) == {"ann", "bob"}
    assert "garage" not in episodes["ann"].to_json()
    assert "sauna" not in episodes["bob"].to_json()
    with pytest.raises(NotFound):
        await ada.end_session("monday", user="eve")


@pytest.mark.spec("COG-13")
async def test_what_one_user_ordered_is_told_to_nobody_else(ada: AsyncAgent) -> None:
    await ada.remember("Always answer in French.", user="ann")
    await ada.remember("I like tea.", user="bob")
    await ada.settle()
    assert "French" in (await ada.cognition.brief("Hello", user="ann")).text
    assert "French" not in (await ada.cognition.brief("Hello", user="bob")).text
    assert "French" not in (await ada.cognition.brief("Hello")).text, "nobody is named, and there are several"


async def test_of_an_only_user_what_holds_is_told_without_naming_them(ada: AsyncAgent) -> None:
    await ada.remember("Always answer in French.", user="ann")
    await ada.settle()
    assert "French" in (await ada.cognition.brief("Hello")).text


async def test_an_answer_in_the_words_that_another_user_was_given_is_no_echo(ada: AsyncAgent) -> None:
    await ada.remember("The plumber comes on Tuesday at nine.", user="ann")
    await ada.recall("When does the plumber come?", user="ann")
    answer = {"role": "assistant", "content": "The plumber comes on Tuesday at nine."}
    await ada.remember([{"role": "user", "content": "When does my plumber come?"}, answer], user="bob")
    await ada.settle()
    found = await ada.recall("When does the plumber come?", user="bob")
    assert "Tuesday" in found.text


async def test_what_is_kept_by_hand_for_a_user_is_found_as_theirs_and_by_nobody_else(ada: AsyncAgent) -> None:
    await ada.cognition.add("Ann keeps bees", user="ann")
    await ada.settle()
    assert [item.text for item in (await ada.recall("bees", user="ann", kinds=["semantic"])).items] == [
        "Ann keeps bees"
    ]
    assert not (await ada.recall("bees", user="bob")).items


@pytest.mark.spec("COG-01")
async def test_a_user_can_be_erased_and_the_others_stay(ada: AsyncAgent) -> None:
    await ada.remember(["I live in Rome.", "I love chess."], user="ann", session="s")
    await ada.remember(["I live in Kiel.", "I love bees."], user="bob", session="s")
    await ada.cognition.add("Ann drives a Volvo", user="ann")
    await ada.settle()
    with pytest.raises(NotFound):
        await ada.erase(user="ANN")
    with pytest.raises(InvalidInput):
        await ada.erase(user="ann", session="s")
    await ada.erase(user="ann")
    await ada.settle()
    everything = [line async for line in ada.export()]
    assert not any(word in line for line in everything for word in ("Rome", "chess", "Volvo"))
    assert set(await users_of(ada)) == {"bob"}
    assert "Kiel" in (await ada.recall("Where do I live?", user="bob")).items[0].text


async def test_a_message_that_names_another_user_than_the_call_is_refused(ada: AsyncAgent) -> None:
    with pytest.raises(InvalidInput):
        await ada.remember([{"content": "I live in Rome.", "metadata": {"user_id": "bob"}}], user="ann")
    with pytest.raises(InvalidInput):
        await ada.remember("I live in Rome.", metadata={"user_id": "bob"}, user="ann")


async def test_users_that_are_numbers_are_told_apart(ada: AsyncAgent) -> None:
    for number, town in ((7, "Rome"), (8, "Kiel")):
        await ada.remember(f"I live in {town}.", metadata={"user_id": number})
    await ada.settle()
    assert await users_of(ada) == {"7": ["The user lives in Rome"], "8": ["The user lives in Kiel"]}


@pytest.mark.spec("COG-01")
async def test_who_names_a_user_reaches_no_memory_of_another_by_its_id(ada: AsyncAgent) -> None:
    await ada.remember("I live in Rome.", user="ann")
    await ada.settle()
    (home,) = await ada.cognition.memories(user="ann")
    cognition = ada.cognition
    for attempt in (
        cognition.show(home.id, user="bob"),
        cognition.history(home.id, user="bob"),
        cognition.why(home.id, user="bob"),
        cognition.edit(home.id, "The user lives in Oslo", user="bob"),
        cognition.confirm(home.id, user="bob"),
        cognition.pin(home.id, user="bob"),
        cognition.forget(home.id, user="bob"),
        cognition.restore(home.id, user="bob"),
        cognition.feedback(home.id, success=True, user="bob"),
    ):
        with pytest.raises(NotFound, match="no memory"):
            await attempt
    assert await cognition.show(home.id, user="ann") == home
    assert await cognition.show(home.id) == home


@pytest.mark.spec("COG-01")
async def test_two_users_of_a_session_may_use_the_same_message_id(ada: AsyncAgent) -> None:
    for user, town in (("ann", "Rome"), ("bob", "Oslo"), ("bob", "Oslo")):
        await ada.remember([{"role": "user", "content": f"I live in {town}.", "id": "1"}], user=user, session="s")
    await ada.settle()
    assert await users_of(ada) == {"ann": ["The user lives in Rome"], "bob": ["The user lives in Oslo"]}


@pytest.mark.spec("COG-01")
async def test_what_was_erased_of_one_user_stands_in_no_other_users_way(ada: AsyncAgent) -> None:
    message = {"role": "user", "content": "I live in Rome.", "id": "1"}
    await ada.remember([message], session="s")
    await ada.remember([message], user="ann", session="s")
    for entry in await ada.entries():
        await ada.erase(entry_ids=[entry.id])
    await ada.remember([{**message, "content": "I live in Oslo."}], user="bob", session="s")
    await ada.settle()
    assert await users_of(ada) == {"bob": ["The user lives in Oslo"]}
    await ada.remember([message], user="ann", session="s")
    await ada.remember([message], session="s")
    await ada.settle()
    assert set(await users_of(ada)) == {"bob"}, "what was erased stays erased when its own user sends it again"


@pytest.mark.spec("COG-01", "COG-08")
async def test_no_user_among_1000_sees_or_settles_the_contradiction_of_another(
    ada: AsyncAgent, clock: SetClock
) -> None:
    for towns in (TOWNS, TOWNS[1:]):
        said = [{"content": f"I live in {town}.", "metadata": {"user_id": f"u{n}"}} for n, town in enumerate(towns)]
        await ada.remember([*said, *({"content": "Hello", "metadata": {"user_id": f"v{n}"}} for n in range(490))])
        await ada.settle()
        clock.now += timedelta(days=1)
    assert len(await ada.conflicts()) == len(TOWNS) - 1
    (own,) = await ada.cognition.conflicts(user="u7")
    assert await ada.conflicts(user="u7") == [own] == await ada.conflicts(user="u7", record_id=own.claims[0].record_id)
    assert await ada.conflicts(user="mallory") == await ada.conflicts(user="u7", limit=0) == []
    assert await ada.conflicts(user="u9") == await ada.conflicts(user="u7", states=["open"]) == []
    assert await ada.cognition.conflicts(user="mallory") == []
    assert await ada.cognition.conflicts(user="u9", open_only=True) == [], "who said but one thing contradicts nobody"
    cognition = ada.cognition
    for attempt in (
        cognition.conflict(own.id, user="mallory"),
        *(cognition.resolve(own.id, how, text="x", user="mallory") for how in ("undo", "choose", "merge", "keep_both")),
    ):
        with pytest.raises(NotFound, match="no conflict"):
            await attempt
    assert await cognition.conflict(own.id, user="u7") == own == await cognition.conflict(own.id)
    await cognition.resolve(own.id, "undo", user="u7")
    assert (await users_of(ada))["u7"] == ["The user lives in Turin"]

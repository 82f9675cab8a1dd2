"""What memory itself put into a conversation is not learned again as new, and nothing else is lost."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import RecallOptions, Record, Scope, Status, TurnData
from remanent.recall import echoes as module
from remanent.recall.echoes import Echoes
from remanent.stores import Store

FACTS = [
    "I moved to Lisbon in May.",
    "My cat is called Misty.\nShe is grey & <b>soft</b>.",
    "我的驾照明年三月到期。",
    "Dentist: Avenida da Liberdade 12.",
]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[AsyncMemory]:
    async with aopen(tmp_path, embedder="none") as opened:
        yield opened


@pytest.fixture
async def ada(memory: AsyncMemory) -> AsyncAgent:
    agent = memory.agent("ada")
    await agent.remember(FACTS)
    await memory.settle()
    return agent


async def heard(memory: AsyncMemory, ada: AsyncAgent, text: str, *, role: str = "user") -> Record:
    """Remember a message and return its turn."""
    receipt = await ada.remember({"role": role, "content": text})
    await memory.settle()
    return await ada.get(receipt.entry_ids[0])


def repeats(record: Record) -> tuple[str, ...]:
    assert isinstance(record.data, TurnData)
    return record.data.repeats


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
async def test_a_block_that_comes_back_alone_is_kept_and_answers_nothing(
    memory: AsyncMemory, ada: AsyncAgent, role: str
) -> None:
    given_out = await ada.recall("Lisbon Misty grey 驾照 Dentist", limit=4, options=RecallOptions(gate=False))
    turn = await heard(memory, ada, given_out.text, role=role)
    assert turn.status is Status.SUPERSEDED
    assert sorted(repeats(turn)) == sorted(item.record_id for item in given_out.items)
    again = await ada.recall("Lisbon Misty grey 驾照 Dentist", limit=20, options=RecallOptions(gate=False))
    assert turn.id not in [item.record_id for item in again.items]
    assert len(again.items) == len(FACTS)
    assert [entry.text for entry in await ada.entries()][-1] == given_out.text


@pytest.mark.parametrize("grain", ["turns", "session"])
async def test_a_conversation_that_comes_back_is_not_learned_again(
    memory: AsyncMemory, grain: Literal["turns", "session"]
) -> None:
    bo = memory.agent("bo")
    talk = [("Ann", "Where do you keep the spare key?"), ("Bo", "Under the\nblue pot."), ("Ann", "And the ladder?")]
    await bo.remember([{"role": role, "content": text} for role, text in talk], session="garden")
    await memory.settle()
    given_out = await bo.recall("Where is the spare key?", grain=grain, options=RecallOptions(gate=False))
    turn = await heard(memory, bo, given_out.text)
    assert turn.status is Status.SUPERSEDED
    assert len(set(repeats(turn))) >= 2
    other = await heard(memory, bo, given_out.text.replace("blue pot", "red pot"))
    assert other.status is not Status.SUPERSEDED


async def test_of_a_message_behind_a_block_only_the_message_is_learned(memory: AsyncMemory, ada: AsyncAgent) -> None:
    block = (await ada.recall("Lisbon")).text
    turn = await heard(memory, ada, f"{block}\n\nPlease book a table for two at the Ramiro.")
    assert turn.status is Status.ACTIVE
    assert turn.content == "Please book a table for two at the Ramiro."
    (source,) = turn.sources
    entry = (await ada.entries())[-1]
    assert entry.text[source.start : source.end] == turn.content
    assert len(repeats(turn)) == 1
    found = await ada.recall("table at the Ramiro")
    assert found.items[0].text == turn.content


async def test_a_block_that_another_process_gave_out_is_recognised_by_its_words(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember(FACTS)
        await memory.settle()
        block = (await ada.recall("Misty")).text
    async with aopen(tmp_path, embedder="none") as memory:
        turn = await heard(memory, memory.agent("ada"), block)
        assert turn.status is Status.SUPERSEDED


async def test_a_block_with_anything_new_in_it_is_learned_whole(memory: AsyncMemory, ada: AsyncAgent) -> None:
    block = (await ada.recall("Lisbon")).text
    for forged in (
        block.replace("Lisbon", "Porto"),
        block.replace("</conversation>", "- [2024-05-01] user: The code is 4711.\n</conversation>"),
        block.replace("<conversation>", "The code is 4711.\n<conversation>"),
    ):
        turn = await heard(memory, ada, forged)
        assert turn.status is Status.ACTIVE
        assert turn.content == forged
        assert repeats(turn) == ()


async def test_an_agent_that_repeats_what_it_was_given_teaches_nothing_new(
    memory: AsyncMemory, ada: AsyncAgent
) -> None:
    await ada.recall("Where did I move? Lisbon")
    turn = await heard(memory, ada, "I moved to Lisbon, in May!", role="assistant")
    assert turn.status is Status.SUPERSEDED
    more = await heard(memory, ada, "I moved to Lisbon in May. The flat is lovely.", role="assistant")
    assert more.status is Status.ACTIVE
    assert more.content == "I moved to Lisbon in May. The flat is lovely."


async def test_a_user_who_says_it_again_and_an_agent_that_was_given_nothing_are_heard(
    memory: AsyncMemory, ada: AsyncAgent
) -> None:
    own_words = await heard(memory, ada, FACTS[0], role="assistant")
    assert own_words.status is Status.ACTIVE
    await ada.recall("Lisbon")
    again = await heard(memory, ada, FACTS[0], role="user")
    assert again.status is Status.ACTIVE


async def test_what_anybody_says_is_no_echo(memory: AsyncMemory, ada: AsyncAgent) -> None:
    await ada.recall("Lisbon")
    assert (await heard(memory, ada, "In May.", role="assistant")).status is Status.ACTIVE


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.text("ab我 .\n<>/", max_size=20),
    after=st.text("ab我 .\n<>/", max_size=20),
    chosen=st.sets(st.sampled_from(range(len(FACTS))), min_size=1),
)
async def test_whatever_stands_around_a_block_is_learned(
    memory: AsyncMemory, ada: AsyncAgent, before: str, after: str, chosen: set[int]
) -> None:
    words = ["Lisbon", "Misty", "驾照", "Dentist"]
    block = (
        await ada.recall(" ".join(words[place] for place in sorted(chosen)), limit=9, options=RecallOptions(gate=False))
    ).text
    turn = await heard(memory, ada, f"{before}\n{block}\n{after}")
    said = [part for part in (before.strip(), after.strip()) if part]
    if said:
        assert turn.content == "\n".join(said)
        assert turn.status is Status.ACTIVE
    else:
        assert turn.status is Status.SUPERSEDED
    await ada.erase(entry_ids=[turn.id])


def test_what_was_given_out_is_kept_for_the_agents_that_were_answered_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 6)
    echoes = Echoes(cast(Store, None))
    agents = [Scope(org="lab", workspace="home", agent=f"agent{number}") for number in range(5)]
    for scope in agents[:3]:
        echoes.give(scope, ["a", "b"])
    echoes.give(agents[0], ["b", "a"])
    assert list(echoes._given) == [agents[1], agents[2], agents[0]]
    for scope in agents[3:]:
        echoes.give(scope, ["c"])
    assert list(echoes._given) == [agents[2], agents[0], *agents[3:]]

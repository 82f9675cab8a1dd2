"""The façade as a user of the library sees it."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.errors import (
    CallerError,
    DatabaseMissing,
    DuplicateEntry,
    InvalidInput,
    InvalidScope,
    InvalidSettings,
    NotFound,
    StoreClosed,
)
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import Origin, RecallOptions, Status, to_instant
from remanent.stores.local_vectors import LocalVectors

MAY = datetime(2024, 5, 1, tzinfo=UTC)


class Ticking:
    """A clock that goes on by a second with every look."""

    def __init__(self) -> None:
        self.now = to_instant(MAY)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[AsyncMemory]:
    async with aopen(tmp_path / "home", embedder="none", clock=Ticking()) as opened:
        yield opened


@pytest.fixture
def ada(memory: AsyncMemory) -> AsyncAgent:
    return memory.agent("ada", workspace="lab")


async def test_what_was_said_is_recalled_with_where_it_was_said(memory: AsyncMemory, ada: AsyncAgent) -> None:
    receipt = await ada.remember(
        [{"role": "user", "content": "I moved to Lisbon in May.", "id": "m1", "occurred_at": "2024-05-03"}],
        session="first",
    )
    await memory.settle()
    found = await ada.recall("Who lives in Lisbon?")
    (item,) = found.items
    (source,) = item.sources
    assert item.text == "I moved to Lisbon in May."
    assert (source.entry_id, source.caller_id, source.session) == (receipt.entry_ids[0], "m1", "first")
    assert source.text == item.text[source.start : source.end]
    assert source.occurred_at == datetime(2024, 5, 3, tzinfo=UTC)


async def test_chinese_is_found_by_a_part_of_what_was_said(memory: AsyncMemory, ada: AsyncAgent) -> None:
    await ada.remember(["她的猫叫团子，三岁了。", "明天下午三点开会讨论预算。"])
    await memory.settle()
    found = await ada.recall("猫叫什么名字", limit=1)
    assert found.items[0].text == "她的猫叫团子，三岁了。"


async def test_a_message_is_found_before_it_is_indexed(memory: AsyncMemory, ada: AsyncAgent) -> None:
    await ada.remember("The wifi password is on the fridge.")
    found = await ada.recall("wifi password")
    assert [item.text for item in found.items] == ["The wifi password is on the fridge."]


async def test_sending_a_message_again_stores_it_once(memory: AsyncMemory, ada: AsyncAgent) -> None:
    first = await ada.remember({"content": "hello", "id": "m1"}, session="s")
    again = await ada.remember([{"content": "hello", "id": "m1"}, {"content": "more", "id": "m2"}], session="s")
    assert again.entry_ids[0] == first.entry_ids[0]
    assert again.repeated == 1
    assert len(await ada.entries()) == 2
    with pytest.raises(DuplicateEntry):
        await ada.remember({"content": "something else", "id": "m1"}, session="s")


async def test_the_explanation_names_every_path_that_found_an_item(memory: AsyncMemory, ada: AsyncAgent) -> None:
    await ada.remember(["apples are red", "pears are green"])
    await memory.settle()
    found = await ada.recall("apples", limit=1, options=RecallOptions(recipe="tiers"))
    (explained,) = found.explain()
    assert {rank.path for rank in explained.ranks} == {"keyword", "recency"}
    assert explained.score == found.items[0].score


async def test_what_nothing_answers_is_not_answered_with_the_latest_news(memory: AsyncMemory, ada: AsyncAgent) -> None:
    await ada.remember(["apples are red", "pears are green"])
    await memory.settle()
    assert not (await ada.recall("quantum chromodynamics")).items


async def test_the_origin_follows_the_role_unless_it_is_given(ada: AsyncAgent) -> None:
    await ada.remember(
        [
            {"role": "assistant", "content": "a"},
            {"role": "tool", "content": "b"},
            {"role": "Caroline", "content": "c"},
            {"role": "user", "content": "d", "origin": "web"},
        ]
    )
    origins = [entry.origin for entry in await ada.entries()]
    assert origins == [Origin.AGENT, Origin.TOOL, Origin.UNTRUSTED, Origin.WEB]


async def test_the_forgotten_leaves_a_tombstone_and_can_be_restored(memory: AsyncMemory, ada: AsyncAgent) -> None:
    receipt = await ada.remember("The vault code is 4711.")
    await memory.settle()
    record_id = receipt.entry_ids[0]
    stone = await ada.forget(record_id, reason="no longer valid")
    assert (stone.reason, stone.size) == ("no longer valid", len("The vault code is 4711."))
    assert not (await ada.recall("vault code")).items
    with pytest.raises(InvalidInput, match="already"):
        await ada.forget(record_id)
    restored = await ada.restore(record_id)
    assert restored.status is Status.ACTIVE
    assert not await ada.tombstones()
    assert [item.record_id for item in (await ada.recall("vault code")).items] == [record_id]
    assert [version.number for version in await ada.history(record_id)] == [1, 2, 3]


async def test_recall_as_of_a_moment_knows_what_was_known_then(memory: AsyncMemory, ada: AsyncAgent) -> None:
    receipt = await ada.remember("The vault code is 4711.")
    await memory.settle()
    before = (await ada.get(receipt.entry_ids[0])).updated_at
    await ada.forget(receipt.entry_ids[0])
    assert not (await ada.recall("vault")).items
    then = await ada.recall("vault", options=RecallOptions(as_of=before))
    assert [item.text for item in then.items] == ["The vault code is 4711."]


async def test_the_erased_is_gone_from_recall_the_journal_and_every_file(
    memory: AsyncMemory, ada: AsyncAgent, tmp_path: Path
) -> None:
    kept = await ada.remember("The garden has roses.")
    secret = await ada.remember("The launch phrase is xylophonequartz.")
    await memory.settle()
    erased = await ada.erase(entry_ids=secret.entry_ids)
    assert erased.record_ids == secret.entry_ids
    assert not (await ada.recall("xylophonequartz", limit=1)).items[1:]
    stub = (await ada.entries())[1]
    assert stub.erased
    assert stub.text == ""
    assert (await ada.get(kept.entry_ids[0])).content == "The garden has roses."
    for file in (tmp_path / "home").rglob("*"):
        assert not file.is_file() or b"xylophonequartz" not in file.read_bytes()


async def test_an_attachment_is_kept_by_content_and_erased_with_its_entry(memory: AsyncMemory, ada: AsyncAgent) -> None:
    picture = await ada.attach(b"\x89PNG...", name="cat.png", media_type="image/png")
    receipt = await ada.remember({"content": "look, a cat", "attachments": [picture]})
    stored = (await ada.entries())[0].attachments[0]
    assert await ada.attachment(stored) == b"\x89PNG..."
    await memory.settle()
    await ada.erase(entry_ids=receipt.entry_ids)
    with pytest.raises(NotFound):
        await ada.attachment(stored)


async def test_an_export_moves_a_memory_to_another_agent(memory: AsyncMemory, ada: AsyncAgent) -> None:
    await ada.remember(["I like tea.", "我喜欢茶。"])
    await memory.settle()
    lines = [line async for line in ada.export()]
    twin = memory.agent("twin", workspace="lab")
    await twin.load(lines)
    assert [entry.text for entry in await twin.entries()] == ["I like tea.", "我喜欢茶。"]
    assert (await twin.recall("茶")).items
    with pytest.raises(InvalidInput):
        await twin.load(lines)


async def test_agents_never_see_each_other(memory: AsyncMemory, ada: AsyncAgent) -> None:
    receipt = await ada.remember("Ada's secret is pineapple.")
    await memory.settle()
    for other in (memory.agent("bob", workspace="lab"), memory.agent("ada", workspace="office")):
        assert not (await other.recall("pineapple")).items
        with pytest.raises(NotFound):
            await other.get(receipt.entry_ids[0])
    assert [scope.agent for scope in await memory.agents()] == ["ada"]


async def test_asking_an_agent_that_never_was_makes_no_file(memory: AsyncMemory, tmp_path: Path) -> None:
    ghost = memory.agent("ghost")
    assert not (await ghost.recall("anything")).items
    assert await ghost.entries() == []
    assert not list((tmp_path / "home").rglob("*.db"))


async def test_settling_waits_for_what_an_earlier_process_left_behind(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none", jobs={"enabled": False}) as memory:
        for name in ("ada", "bob"):
            await memory.agent(name).remember("The heron fishes at dawn.")
    async with aopen(tmp_path, embedder="none") as memory:
        await memory.settle()
        for name in ("ada", "bob"):
            queue = await memory.agent(name).admin.queue()
            assert (queue.pending, queue.running) == (0, 0)


@pytest.mark.parametrize("messages", [[], 7, [None], {"role": "user"}, {"content": 3}, {"content": "x", "mood": "y"}])
async def test_what_is_no_message_is_refused_and_nothing_is_stored(ada: AsyncAgent, messages: object) -> None:
    with pytest.raises(InvalidInput):
        await ada.remember(messages)  # type: ignore[arg-type]
    assert await ada.entries() == []


async def test_one_bad_message_keeps_the_whole_batch_out(ada: AsyncAgent) -> None:
    with pytest.raises(InvalidInput, match="message 2"):
        await ada.remember(["fine", {"content": "half \ud83d pair"}])
    assert await ada.entries() == []


async def test_a_question_must_ask_something(ada: AsyncAgent) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        await ada.recall("  ")
    with pytest.raises(InvalidInput, match="limit"):
        await ada.recall("x", limit=0)
    with pytest.raises(InvalidInput, match="unknown kind"):
        await ada.recall("x", kinds=["memo"])


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ({"query": None}, "query: must be text, not None"),
        ({"query": 7}, "query: must be text, not int"),
        ({"limit": "5"}, "limit: must be a whole number"),
        ({"limit": True}, "limit: must be a whole number"),
        ({"since": 7}, "a time must be"),
        ({"until": "soon"}, "not a date or time"),
        ({"kinds": "memo"}, "unknown kind 'memo'"),
        ({"options": 7}, "recall options"),
        ({"options": {"gat": False}}, "gat: "),
    ],
    ids=str,
)
async def test_a_wrong_call_is_refused_and_never_answered_with_nothing(
    ada: AsyncAgent, call: dict[str, Any], complaint: str
) -> None:
    await ada.remember("The heron nests by the lake.")
    with pytest.raises(InvalidInput, match=complaint):
        await ada.recall(**{"query": "heron", **call})


@pytest.mark.spec("USE-05")
async def test_bounds_without_a_zone_are_meant_in_local_time(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember("The heron nests by the lake.")
        await memory.settle()
        now, hour = datetime.now(), timedelta(hours=1)  # noqa: DTZ005 - as a user writes it
        for since in (now - hour, (now - hour).isoformat(), (now - hour).astimezone(UTC), now.date()):
            found = await ada.recall("Where does the heron nest?", since=since, until=now + hour)
            assert [item.text for item in found.items] == ["The heron nests by the lake."], since
            assert not found.left_out
            assert len(await ada.entries(since=since)) == 1
        assert not (await ada.recall("Where does the heron nest?", since=now + hour)).items
        assert await ada.entries(until=(now - hour).isoformat()) == []
        assert len(await ada.records(as_of=now + hour)) == 1


async def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember("hello")
    with pytest.raises(StoreClosed):
        await ada.remember("again")


async def test_what_was_acknowledged_is_there_after_reopening(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        await memory.agent("ada").remember("hello there")
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        assert (await ada.recall("hello")).items
        await memory.settle()
        assert (await ada.recall("hello")).items


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize("home", ["file", "file/below", "/proc/remanent"])
async def test_a_home_that_can_keep_nothing_is_refused_when_it_is_opened(tmp_path: Path, home: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidSettings, match="REMANENT_HOME"):
        aopen(tmp_path / home, embedder="none")


@pytest.mark.spec("SAFE-06")
@pytest.mark.embedded
async def test_an_agent_whose_database_is_gone_says_so_to_every_call(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        await memory.agent("ada").remember("hello there")
    (tmp_path / "default" / "default" / "ada" / "memory.db").unlink()
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        calls: tuple[Callable[[], Awaitable[object]], ...] = (
            lambda: ada.recall("hello"),
            lambda: ada.remember("hello again"),
            ada.entries,
            ada.records,
            lambda: ada.erase(everything=True),
            ada.admin.check,
        )
        for call in calls:
            with pytest.raises(DatabaseMissing):
                await call()
        await memory.agent("bob").remember("I am well")


async def test_an_agent_that_was_told_nothing_has_nothing_wrong_with_it(memory: AsyncMemory) -> None:
    nobody = memory.agent("nobody")
    health = await nobody.admin.check()
    assert (health.entries, health.bytes_on_disk, health.problems) == (len(await nobody.entries()), 0, ())
    assert await memory.agents() == []


def test_the_plain_face_does_the_same_without_an_event_loop(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada", workspace="lab")
        ada.remember([{"role": "user", "content": "I moved to Lisbon in May."}])
        memory.settle()
        found = ada.recall("where does she live? Lisbon", limit=5)
        assert found.items[0].text == "I moved to Lisbon in May."
        assert "user: I moved to Lisbon in May." in found.text
        assert found.explain()[0].place == 1
        assert len(list(ada.export())) > 2


def test_opening_outside_an_event_loop_says_what_to_use(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match=r"remanent\.open"):
        aopen(tmp_path)


async def test_a_scope_must_be_named(memory: AsyncMemory) -> None:
    for bad in (None, "", "*", "../x"):
        with pytest.raises(InvalidScope):
            memory.agent(bad)  # type: ignore[arg-type]


def test_what_recall_shows_can_be_forgotten_before_its_index_is_made(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        (entry_id,) = ada.remember("I moved to Lisbon.").entry_ids
        assert ada.forget(entry_id).about == "I moved to Lisbon."
        assert ada.recall("Lisbon").items == ()


# ── warming ──────────────────────────────────────────────────────────────────


@pytest.mark.embedded
async def test_warming_loads_the_indexes_of_those_who_were_written_to_last_and_takes_up_their_work(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    async with aopen(home, embedder="multilingual") as memory:
        for name in ("ada", "bo", "cy"):
            await memory.agent(name).remember(f"{name} keeps bees.")
        await memory.settle()
    for age, name in enumerate(("bo", "cy", "ada")):
        for file in (home / "default" / "default" / name).glob("memory.db*"):
            os.utime(file, (1e9 - age, 1e9 - age))
    async with aopen(home, embedder="multilingual") as memory:
        assert await memory.warm(agents=2) == 2
        vectors = memory._parts.vectors
        assert isinstance(vectors, LocalVectors)
        loaded = {owner.agent: slot.opened for (owner, _), slot in vectors._slots.items()}
        assert loaded == {"bo": True, "cy": True}
        assert {scope.agent for scope in memory._parts.worker.watched} == {"bo", "cy"}
        assert (await memory.agent("bo").recall("who keeps bees?", options=RecallOptions(gate=False))).left_out == ()


async def test_warming_an_empty_home_loads_the_models_and_makes_nothing(tmp_path: Path) -> None:
    async with aopen(tmp_path / "home", embedder="multilingual") as memory:
        assert await memory.warm() == 0
        assert not any(embedder.loading for embedder in memory._parts.questions)
    assert not (tmp_path / "home").exists()


@pytest.mark.embedded
async def test_an_index_that_would_drive_others_out_of_memory_is_not_loaded_beforehand(tmp_path: Path) -> None:
    async with aopen(tmp_path / "home", embedder="multilingual") as memory:
        await memory.agent("ada").remember("Ada keeps bees.")
        await memory.settle()
    async with aopen(tmp_path / "home", embedder="multilingual", vectors={"memory_budget": "1MiB"}) as memory:
        vectors = memory._parts.vectors
        assert isinstance(vectors, LocalVectors)
        vectors._size = 2**21
        await memory.warm()
        assert not vectors._slots


@pytest.mark.spec("USE-02")
def test_when_something_was_said_is_read_where_logs_keep_it(tmp_path: Path) -> None:
    chat: list[dict[str, Any]] = [
        {"role": "user", "content": "I adopted two turtles yesterday.", "metadata": {"date": "1:56 pm on 8 May, 2023"}},
        {"role": "user", "content": "My bicycle is red.", "timestamp": 1_700_000_000},
        {"role": "user", "content": "My kettle is green.", "created_at": datetime(2024, 2, 1, 9, tzinfo=UTC)},
        {
            "role": "user",
            "content": "My sofa is blue.",
            "metadata": {"date": "the day we met"},
            "occurred_at": "2022-01-01",
        },
        {"role": "user", "content": "My lamp is grey.", "metadata": {"date": "2099-01-01"}},
    ]
    with remanent.open(tmp_path, embedder="none") as memory:
        agent = memory.agent("ada")
        agent.remember(chat, metadata={"date": "2021-01-01"})
        entries = list(agent.entries())
        assert [one.occurred_at for one in entries[:4]] == [
            datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
            datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
            datetime(2024, 2, 1, 9, tzinfo=UTC),
            datetime(2022, 1, 1, tzinfo=UTC),
        ]
        assert entries[4].occurred_at == entries[4].recorded_at, "nothing is said before its time"
        assert entries[0].metadata["date"] == "1:56 pm on 8 May, 2023", "it comes back as it was given"
        assert entries[1].metadata["timestamp"] == 1_700_000_000
        assert "yesterday [2023-05-07]" in agent.recall("When were the turtles adopted?").text
        (found,) = agent.recall("What is red?", since="2023-11-14", until="2023-11-15").items
        assert found.text == "My bicycle is red."


@pytest.mark.spec("USE-05")
@pytest.mark.usefixtures("eight_hours_east")
def test_days_in_what_a_model_reads_are_those_of_the_people_who_talk(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        agent = memory.agent("ada")
        agent.remember([
            {"role": "user", "content": "我昨天买了一辆红色的自行车。", "occurred_at": "2024-05-03T07:00:00+08:00"},
            {"role": "user", "content": "I adopted two turtles yesterday.", "occurred_at": "2024-05-03"},
        ])  # fmt: skip
        assert "[2024-05-03] 用户: 我昨天[2024-05-02]买" in agent.recall("自行车什么时候买的？").text
        assert "[2024-05-03] user: I adopted two turtles yesterday [2024-05-02]." in agent.recall("the turtles?").text

"""The orchestrator: tiers by intent, what stands whatever the words, and the text that a model is given."""

from datetime import timedelta

import pytest

from remanent.cognition.model import INSTRUCTION
from remanent.cognition.orchestrator import PLANS, RECIPES, STANDING
from remanent.context import Strategy
from remanent.language.roles.queries import Intent
from remanent.memory import AsyncAgent, AsyncMemory
from remanent.model import Kind, PassageData, RecallOptions, Record, Scope, SemanticData
from remanent.model.statistics import Saving
from remanent.stores import RecordQuery
from remanent.stores.conformance.base import SetClock
from remanent.text.tokens import token_counter


async def said(agent: AsyncAgent, *messages: str) -> None:
    await agent.remember(list(messages))
    await agent.settle()


@pytest.mark.spec("COG-14")
def test_the_table_of_intents_is_the_seeds_and_each_has_its_recipe() -> None:
    assert {intent: plan.names for intent, plan in PLANS.items()} == {
        Intent.NEW_TASK: ("semantic", "procedural"),
        Intent.FOLLOW_UP: ("working", "episodic"),
        Intent.BUG_FIX: ("episodic", "knowledge"),
        Intent.PREFERENCE: ("semantic", "short_term"),
        Intent.CROSS_AGENT: ("shared", "procedural of the target"),
    }
    for recipe in RECIPES:
        plan = PLANS[Intent(recipe.name.removeprefix("cognition/"))]
        kinds = recipe.boosts.kinds
        assert all(kinds[main] > kinds.get(other, 1.0) for main in plan.main for other in plan.auxiliary)


@pytest.mark.spec("COG-01", "COG-13")
async def test_a_briefing_has_preferences_projects_episodes_and_procedures_in_their_sections(
    ada: AsyncAgent, clock: SetClock
) -> None:
    await said(ada, "以后请用中文回答我。", "我喜欢TypeScript。", "昨天我去了发布会了。")
    await said(ada, "代码审查的时候，先检查风格，再看安全漏洞，最后给出建议。", "我们的项目使用PostgreSQL。")
    shared = await ada.cognition.propose("采用微服务架构", sort="decision_record", number="ADR-003")
    await ada.cognition.approve(shared.id, by="lead")
    await ada.settle()
    clock.now += timedelta(days=1)
    brief = await ada.cognition.brief("请按项目的微服务架构做代码审查，用什么数据库？")
    assert "<user_preferences>" in brief.text
    assert "以后请用中文回答我" in brief.text
    assert "次对话)" in brief.text
    assert "代码审查: 检查风格 → 看安全漏洞 → 给出建议" in brief.text
    assert "架构决策: 采用微服务架构 (ADR-003, 2026-01-05)" in brief.text
    assert brief.text.startswith("<memory>")
    assert len(brief.decisions) == 4
    short = await ada.cognition.brief("请按项目的微服务架构做代码审查，用什么数据库？", budget=120)
    assert short.tokens is not None
    assert short.tokens <= 120


@pytest.mark.spec("COG-17")
async def test_a_briefing_reports_what_it_saved_beside_telling_all_and_telling_twice_what_is_shared(
    ada: AsyncAgent, memory: AsyncMemory, clock: SetClock
) -> None:
    await put_preferences(memory, ada, clock, count=600, user="")
    await said(ada, "Our project uses PostgreSQL.")
    shared = await ada.cognition.propose("Our project uses PostgreSQL.")
    await ada.cognition.approve(shared.id, by="lead")
    await ada.settle()
    assert (await ada.cognition.brief("Which database does our project use?")).report == ()
    brief = await ada.cognition.brief("Which database does our project use?", report=True)
    assert brief.text.count("PostgreSQL") == 1
    count = token_counter()
    memories = await ada.records(kinds=["semantic"], limit=1000)
    told = [*(one.content for one in memories), "Our project uses PostgreSQL."]
    everything, tokens = sum(count(f"- {text}\n") for text in told), count(brief.text)
    assert len(memories) == 601
    assert brief.report == (
        Saving(strategy=Strategy.RECALL, before=everything, after=tokens),
        Saving(strategy=Strategy.SHARING, before=tokens + count("- Our project uses PostgreSQL.\n"), after=tokens),
    )


async def put_preferences(memory: AsyncMemory, ada: AsyncAgent, clock: SetClock, *, count: int, user: str) -> None:
    """Keep many lasting preferences of one user, all of them newer than what is there."""
    async with memory._parts.store.transaction(ada.scope) as tx:
        for number in range(count):
            tx.put(
                Record(
                    id=f"p{number}",
                    scope=ada.scope,
                    kind=Kind.SEMANTIC,
                    content=f"Likes {number}.",
                    created_at=clock.now,
                    updated_at=clock.now,
                    occurred_at=clock.now,
                    data=SemanticData(category="user_preference", user=user),
                )
            )


@pytest.mark.spec("COG-13")
async def test_what_holds_whatever_the_words_is_read_by_an_index_and_what_is_pinned_stays_among_it(
    ada: AsyncAgent, memory: AsyncMemory, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await said(ada, "Always answer in short sentences.", "I live in Rome.")
    (home,) = await ada.records(kinds=["semantic"])
    await ada.cognition.pin(home.id)
    await put_preferences(memory, ada, clock, count=500, user="")
    counted: list[int] = []
    read = memory._parts.store.records

    async def records(scope: Scope, query: RecordQuery) -> list[Record]:
        found = await read(scope, query)
        counted.append(len(found))
        return found

    monkeypatch.setattr(memory._parts.store, "records", records)
    brief = await ada.cognition.brief("Hello")
    assert "short sentences" in brief.text
    assert "Rome" in brief.text
    assert sum(counted) <= 3 * 8 * STANDING


async def test_of_several_users_the_newest_is_not_taken_for_the_only_one(
    ada: AsyncAgent, memory: AsyncMemory, clock: SetClock
) -> None:
    await ada.remember("Always answer in French.", user="ann")
    await ada.settle()
    await put_preferences(memory, ada, clock, count=9 * STANDING, user="bob")
    assert "Likes" in (await ada.cognition.brief("Hello", user="bob")).text
    assert (await ada.cognition.brief("Hello")).text == ""


@pytest.mark.spec("COG-13")
async def test_instructions_are_offered_whatever_the_words(ada: AsyncAgent) -> None:
    await said(ada, "Always answer in short sentences.", "I live in Rome.")
    brief = await ada.cognition.brief("How do volcanoes form?")
    assert [item.kind for item in brief.items if item.kind is INSTRUCTION] == [INSTRUCTION]
    assert "Rome" not in brief.text


@pytest.mark.spec("COG-17")
async def test_what_is_shared_and_known_besides_is_told_once(ada: AsyncAgent) -> None:
    await said(ada, "Our project uses PostgreSQL.")
    shared = await ada.cognition.propose("Our project uses PostgreSQL.")
    await ada.cognition.approve(shared.id, by="lead")
    await ada.settle()
    text = (await ada.cognition.brief("Which database does our project use, PostgreSQL?")).text
    assert text.lower().count("project uses postgresql") == 1


@pytest.mark.spec("COG-14")
async def test_another_agents_procedures_need_its_grant(memory: AsyncMemory, ada: AsyncAgent) -> None:
    qa = memory.agent("qa")
    await said(qa, "When I ask for a release test, first run the suite, then check the logs.")
    question = "Ask the qa agent to do the release test"
    assert "run the suite" not in (await ada.cognition.brief(question, agents=["qa"])).text
    await qa.cognition.grant("ada")
    granted = await ada.cognition.brief(question, agents=["qa"])
    assert granted.intent is Intent.CROSS_AGENT
    assert "run the suite" in granted.text
    await qa.cognition.grant("ada", granted=False)
    assert "run the suite" not in (await ada.cognition.brief(question, agents=["qa"])).text


@pytest.mark.spec("COG-14")
async def test_a_bug_fix_reads_knowledge_once_there_is_some(memory: AsyncMemory, ada: AsyncAgent) -> None:
    question = "The login page crashes with error E42, please fix this bug"
    before = await ada.cognition.brief(question)
    assert before.intent is Intent.BUG_FIX
    assert "auxiliary: knowledge (0)" in before.decisions
    now = memory._parts.clock()
    chunk = Record(
        id="chunk-1",
        scope=ada.scope,
        kind=Kind.CHUNK,
        content="Error E42 of the login page: the session cookie is missing.",
        created_at=now,
        updated_at=now,
        occurred_at=now,
        data=PassageData(),
    )
    async with memory._parts.store.transaction(ada.scope) as tx:
        tx.put(chunk)
    assert "session cookie" in (await ada.cognition.brief(question)).text
    # What the workspace shares counts like the agent's own.
    told = "Bug E42 of the login page crashes where the clock of the server is slow."
    async with memory._parts.store.transaction(ada.scope.shared) as tx:
        tx.put(chunk.replace(id="chunk-2", scope=ada.scope.shared, content=told))
    brief = await ada.cognition.brief(question)
    assert "session cookie" in brief.text
    assert "clock of the server" in brief.text
    assert "auxiliary: knowledge (2)" in brief.decisions


async def test_recall_answers_as_if_a_source_had_never_been(ada: AsyncAgent, clock: SetClock) -> None:
    await ada.remember("I live in Berlin.")
    clock.now += timedelta(days=1)
    receipt = await ada.remember("I live in Lisbon.")
    await ada.settle()
    found = await ada.recall("Where do I live?")
    assert found.items[0].text == "I live in Lisbon."
    without = await ada.recall("Where do I live?", options=RecallOptions(without=receipt.entry_ids))
    assert [item.text for item in without.items] == ["I live in Berlin."]
    assert without.items[0].outdated_by is None


async def test_a_memory_tells_why_it_is_there_and_whether_it_would_be_made_today(ada: AsyncAgent) -> None:
    receipt = await ada.remember("By the way, I live in Berlin, and it rains.")
    await ada.settle()
    (home,) = await ada.cognition.memories()
    why = await ada.cognition.why(home.id)
    assert [quote.text for quote in why.quotes] == ["I live in Berlin"]
    assert why.made_by.role == "extraction"
    assert not why.rotten
    assert (await ada.cognition.health()).total == 1
    await ada.erase(entry_ids=receipt.entry_ids)
    assert await ada.cognition.memories() == []


@pytest.mark.spec("COG-07")
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("我们用 Jira 管 bug。", "我们决定从 Jira 迁到飞书项目。", "我们用什么管 bug？"),
        ("我的医生是王大夫。", "现在给我看病的是刘大夫。", "我的医生是谁？"),
        ("We use Jira to track bugs.", "We decided to move from Jira to Linear.", "What do we track bugs with?"),
    ],
)
async def test_a_briefing_marks_what_newer_words_let_doubt_and_tells_those(
    ada: AsyncAgent, clock: SetClock, old: str, new: str, message: str
) -> None:
    zh = message.endswith("？")
    fill = ("加班到十点。", "地铁又晚点了。") if zh else ("Worked until ten.", "The metro was late again.")
    for text in (old, new, *fill * 3):
        await said(ada, text)
        clock.now += timedelta(minutes=5)
    text = (await ada.cognition.brief(message)).text
    assert new in text
    doubtful = "可能不再成立" if zh else "may no longer hold"
    name = next(word for word in ("Jira", "王大夫", "King") if word in old)
    told = [line for line in text.splitlines() if name in line and new not in line and "迁到" not in line]
    assert told
    assert all(doubtful in line or "Linear" in line for line in told)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (("我对花生过敏。", "我吃素。"), "推荐一家明天晚上聚餐的餐厅"),
        (("我女儿对芒果过敏。",), "给女儿买点什么零食好？"),
        (("我对青霉素过敏。",), "嗓子疼，吃什么药好？"),
        (("I'm allergic to peanuts.", "I'm vegetarian."), "Suggest a restaurant for dinner tomorrow"),
    ],
)
async def test_a_briefing_for_something_to_eat_or_take_tells_what_somebody_must_not_have(
    ada: AsyncAgent, facts: tuple[str, ...], message: str
) -> None:
    await said(
        ada,
        *facts,
        "加班到十点。",
        "地铁又晚点了。",
        "看了部电影，一般般。",
        "Worked until ten.",
        "The metro was late.",
    )
    told = {item.text for item in (await ada.cognition.brief(message)).items}
    known = {record.content for record in await ada.cognition.memories(kinds=["semantic", "preference"])}
    assert len(known) == len(facts)
    assert known <= told
    assert not known & {item.text for item in (await ada.cognition.brief("帮我看看这段代码")).items}

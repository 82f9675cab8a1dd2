"""The five agents of a bank as a model does them, over real HTTP, step by step as scripted."""

from pathlib import Path

import pytest

from remanent.bank.run import BankRun
from remanent.language.engines import HybridEngine, OfflineEngine
from remanent.language.role import Toolbox
from remanent.language.roles import all_roles
from remanent.language.roles.next_step import TaskType
from remanent.model import ConflictState
from tests.bank.desk import desk
from tests.bank.test_run import Anything
from tests.bank.world import a_bank
from tests.language.models.samples import engine_at
from tests.language.offline.fakes import WordEmbedder
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step, gives


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def one_cluster(context: str) -> Step:
    cluster = {"passages": [1], "context": context, "keywords": ["Kelt", "height"]}
    return gives({"should_cluster": False, "clusters": [cluster]})


CONFLICT = {
    "existing_node": "n1",
    "relationship": "conflict",
    "confidence": 0.95,
    "reasoning": "3412 against 3298",
    "conflict_description": "The height of Mount Kelt: 3412 or 3298 metres",
}
TASK = {"type": "CROSS_VALIDATE", "description": "Look up the height of Mount Kelt", "conflict": "c1"}
INTEGRATED = {
    "outcome": "integrated",
    "summary": "Mount Kelt is 3412 metres high, as the survey confirms.",
    "context": "The height of Mount Kelt",
    "keywords": ["Kelt"],
    "upheld": ["n1"],
    "interaction_tree_description": "The survey decided for 3412 metres.",
}


@pytest.mark.spec("BANK-13", "BANK-14", "BANK-15", "BANK-17", "BANK-20")
async def test_a_model_classifies_structures_analyses_plans_and_integrates() -> None:
    steps = [
        one_cluster("The height of Mount Kelt"),
        gives({"facts": ["Mount Kelt is 3412 metres high."]}),
        one_cluster("Another height of Mount Kelt"),
        gives({"facts": ["Mount Kelt is 3298 metres high."]}),
        gives({"relations": [CONFLICT]}).expecting("3298"),
        gives({"finished": None, "current_task": TASK}).expecting("3412 or 3298"),
        gives(INTEGRATED).expecting("The survey says 3412."),
        gives({"finished": {"status": "success", "context": "It is 3412 metres."}, "current_task": None}),
    ]
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        bank = a_bank(engine)
        await bank.start("How high is Mount Kelt?", context="Mount Kelt is 3412 metres high.")
        await bank.observe("Mount Kelt is 3298 metres high.", source="execution")
        insight = await bank.planner.plan()
        assert insight.current is not None
        assert insight.current.type is TaskType.CROSS_VALIDATE
        assert insight.current.conflict_id is not None
        done = await bank.validate(insight.current.conflict_id, "The survey says 3412.")
        assert done.state is ConflictState.RESOLVED
        (node,) = bank.graph.nodes
        assert node.summary == INTEGRATED["summary"]
        record = bank.graph.bank_store.record(node.id)
        assert record is not None
        assert record.made_by.engine == "scripted"
        assert (await bank.planner.plan()).is_complete


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Mount Kelt is 3412 metres high.", "Mount Kelt is 3298 metres high."),
        ("凯尔特山高3412米。", "凯尔特山高3298米。"),
    ],
)
async def test_a_contradiction_that_a_model_would_merge_away_is_raised_without_asking_it(
    first: str, second: str
) -> None:
    steps = [
        one_cluster("Mount Kelt"),
        gives({"facts": ["It is a mountain: 凯尔特山, Mount Kelt."]}),  # the figure is lost, and must not matter
        one_cluster("Mount Kelt"),
        gives({"facts": ["It is a mountain: 凯尔特山, Mount Kelt."]}),
    ]
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        bank = a_bank(engine)
        await bank.start("How high is Mount Kelt?", context=first)
        observed = await bank.observe(second, source="execution")
        (conflict,) = bank.conflicts.all
        assert observed.conflict_ids == (conflict.id,)
        assert conflict.state is ConflictState.OPEN
        assert len(bank.graph.nodes) == 2


@pytest.mark.spec("USE-08")
async def test_two_statements_that_disagree_are_two_topics_even_where_a_model_sees_one() -> None:
    text = "Mount Kelt is 3412 metres high. It lies in the north. Mount Kelt is 3298 metres high."
    steps = [
        one_cluster("Mount Kelt"),
        gives({"facts": ["Mount Kelt lies in the north."]}),
        gives({"facts": ["Mount Kelt is high."]}),
    ]
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        bank = a_bank(engine)
        await bank.start("How high is Mount Kelt?", context=text)
        (conflict,) = bank.conflicts.all
        assert {"3412", "3298"} <= set(conflict.description.replace(".", " ").split())


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("goal", "step", "found"),
    [
        ("How high is Mount Kelt?", "Find out what is told of the mountain.", "It is 3,412 metres high."),
        ("凯尔特山有多高？", "识别山的信息，目前还没有具体步骤。", "凯尔特山的高度为3412米。"),
    ],
)
async def test_a_run_whose_planner_knows_one_step_alone_answers_the_goal_and_ends(
    tmp_path: Path, goal: str, step: str, found: str
) -> None:
    again = gives({"current_task": {"description": step}})
    async with ScriptedServer(again, again, again) as server, engine_at(server) as model:
        offline = OfflineEngine(Toolbox(embedder=WordEmbedder()))
        engine = HybridEngine(model, offline, offline_roles=all_roles().keys() - {"planning"})
        made = desk(tmp_path, engine=engine)
        result = await BankRun(made.adapter, Anything(found, found)).run(goal)
    assert (result.answer, result.end, result.rounds) == (found, "done", 2)
    assert result.sentences[0].text == found

"""What comes back from a step goes where it belongs: a verdict, a recognition, or something learned."""

from pathlib import Path
from typing import Any

import pytest

from remanent.agents.tools import File
from remanent.bank.adapter.framework import Execution
from remanent.bank.run import default_tools, ingested_texts
from remanent.bank.runtime import EventKind
from remanent.errors import LanguageError
from remanent.language.roles.analysis import AnalysisRequest, AnalysisResponse, Relation, Relationship
from remanent.language.roles.integration import IntegrationOutcome, IntegrationRequest, IntegrationResponse
from remanent.language.roles.next_step import (
    PlannedTask,
    PlanningRequest,
    PlanningResponse,
    TaskStatus,
    TaskType,
    plan_within_rules,
)
from remanent.language.tagged_turns import ToolCall
from remanent.model import ConflictState
from remanent.settings import Settings
from tests.bank.desk import PNG, Desk, Told, desk
from tests.loaders.pdfs import pdf

GOAL = "When was the station opened?"
STATEMENT = "user: It was opened in 1904."
BESIDE_THE_RULES = "The guide says 1911 of the station of Vell."
"""A contradiction that only the model finds, and describes."""


def clashing(request: AnalysisRequest) -> AnalysisResponse:
    """Find that what says 1911 contradicts what says 1904, and that nothing else is related."""
    return AnalysisResponse(
        relations=tuple(
            Relation(
                existing_node=old.node_id,
                relationship=Relationship.CONFLICT
                if _clash(request.new_node.summary, old.summary)
                else Relationship.UNRELATED,
                confidence=0.9,
                reasoning="told",
                conflict_description="1904 or 1911" if _clash(request.new_node.summary, old.summary) else "",
            )
            for old in request.candidates
        )
    )


def _clash(one: str, other: str) -> bool:
    return {"1904", "1911"} <= {year for year in ("1904", "1911") if year in one + other} and one[:60] != other[:60]


def upheld(request: IntegrationRequest) -> IntegrationResponse:
    return IntegrationResponse(
        outcome=IntegrationOutcome.INTEGRATED,
        summary=request.validation or "",
        context="the station",
        keywords=("station",),
        interaction_tree_description="settled",
        upheld=(request.nodes[0].node_id,),
    )


def one_more(request: PlanningRequest) -> PlanningResponse:
    return plan_within_rules(request, status=TaskStatus.SUCCESS, context="done", proposed=None, language="en")


async def in_conflict(folder: Path, **roles: Any) -> Desk:
    made = desk(folder, engine=Told(analysis=clashing, integration=upheld, planning=one_more, **roles))
    await made.bank.start(GOAL, context="The station of Vell was opened in 1904.")
    await made.bank.observe(BESIDE_THE_RULES)
    await made.adapter.plan()
    return made


@pytest.mark.spec("BANK-19", "BANK-21")
async def test_a_finding_that_quotes_a_claim_as_the_prompt_showed_it_is_integrated_in_the_words_of_memory(
    tmp_path: Path,
) -> None:
    validations: list[str] = []

    def integration(request: IntegrationRequest) -> IntegrationResponse:
        validations.append(request.validation or "")
        return upheld(request)

    def analysis(request: AnalysisRequest) -> AnalysisResponse:
        found = clashing(request)
        return found.replace(
            relations=tuple(
                one.replace(conflict_description=f"{STATEMENT} / the guide says 1911")
                if one.conflict_description
                else one
                for one in found.relations
            )
        )

    made = desk(tmp_path, engine=Told(analysis=analysis, integration=integration, planning=one_more))
    await made.bank.start(GOAL, context="The station of Vell was opened in 1904.")
    await made.bank.observe(BESIDE_THE_RULES)
    await made.adapter.plan()
    shown = STATEMENT.replace("user:", "user∶")
    assert shown in (await made.adapter.enhance()).details
    await made.adapter.intercept(Execution(answer=f"{shown} The register says so."))
    assert validations == [f"{STATEMENT} The register says so."]


@pytest.mark.spec("BANK-22", "BANK-21")
async def test_a_verdict_goes_to_integration(tmp_path: Path) -> None:
    made = await in_conflict(tmp_path)
    assert made.bank.planner.insight.is_cross_validation
    prompt = await made.adapter.enhance()
    assert "1904 or 1911" in prompt.details
    assert "cross-validation" in prompt.instruction
    assert "deep_retrieval" in prompt.instruction
    assert "deep_retrieval" in {tool.name for tool in prompt.tools}
    insight = await made.adapter.intercept(Execution(answer="The register says 1904."))
    (conflict,) = made.bank.conflicts.all
    assert conflict.state is ConflictState.RESOLVED
    assert made.adapter.routed[-1].route == "validation"
    assert [node.summary for node in made.bank.graph.nodes] == ["The register says 1904."]
    assert (insight.completed[-1].type, insight.current) == (TaskType.CROSS_VALIDATE, None)


@pytest.mark.spec("BANK-22", "USE-10")
async def test_what_was_refuted_is_not_offered_by_the_search_of_the_agent(tmp_path: Path) -> None:
    register, guide = "The station of Vell was opened in 1904.", "The guide says that it was opened in 1911."

    def analysis(request: AnalysisRequest) -> AnalysisResponse:
        found = clashing(request).relations
        said = [one.replace(conflict_description=one.conflict_description and f"{register} / {guide}") for one in found]
        return AnalysisResponse(relations=tuple(said))

    made = desk(tmp_path, engine=Told(analysis=analysis, integration=upheld, planning=one_more))
    await made.bank.start(GOAL, context=register)
    await made.bank.observe(f"From a guide to Vell. {guide}")
    await made.adapter.plan()
    (search,) = default_tools(Settings(home=tmp_path), made.bank)
    assert "1911" in str(await search.call({"query": "When was the station of Vell opened?"}))
    await made.adapter.intercept(Execution(answer="The register says 1904."))
    texts = "".join(one.text for one in ingested_texts(made.bank))
    assert ("1904" in texts, "From a guide" in texts, "1911" in texts) == (True, True, False)
    assert "1911" not in str(await search.call({"query": "When was the station of Vell opened?"}))


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize("step", ["Search for sources on: {goal}", "Find out and verify.  {goal} Cite the page."])
async def test_memory_is_asked_for_the_goal_where_a_step_only_adds_words_of_its_own(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def planning(request: PlanningRequest) -> PlanningResponse:
        task = PlannedTask(type=TaskType.NORMAL, description=step.format(goal=GOAL))
        return plan_within_rules(request, status=TaskStatus.SUCCESS, context="", proposed=task, language="en")

    made = desk(tmp_path, engine=Told(planning=planning))
    await made.bank.start(GOAL)
    await made.adapter.plan()
    recollect = made.bank.recollect

    async def noted(query: str, **options: Any) -> Any:
        asked.append(query)
        return await recollect(query, **options)

    monkeypatch.setattr(made.bank, "recollect", noted)
    await made.adapter.enhance()
    assert asked == [GOAL]


@pytest.mark.spec("BANK-22", "BANK-26")
async def test_a_validation_that_fails_twice_leaves_the_conflict_unresolved(tmp_path: Path) -> None:
    made = await in_conflict(tmp_path)
    for _ in range(2):
        await made.adapter.intercept(Execution(answer="", failed=True, detail="the web is down"))
    (conflict,) = made.bank.conflicts.all
    assert conflict.state is ConflictState.UNRESOLVED
    assert len(made.bank.graph) == 2
    assert [task.status for task in made.bank.planner.insight.completed] == ["failed", "failed"]


@pytest.mark.spec("BANK-22")
async def test_what_a_step_found_out_is_classified_structured_and_kept_word_for_word(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start(GOAL)
    await made.adapter.plan()
    execution = Execution(
        answer="It was opened in 1904.",
        context="The register of Vell has a page on it.\n\nIt was opened in 1904.",
        tool_calls=(ToolCall(name="search", arguments={"query": "Vell station"}),),
    )
    insight = await made.adapter.intercept(execution)
    (routed,) = made.adapter.routed
    assert (routed.route, len(routed.entry_ids)) == ("execution", 1)
    (entry,) = (await made.adapter.deep.retrieve(routed.node_ids[0])).entries
    assert entry.text == execution.context
    assert entry.metadata["tool_calls"] == [{"name": "search", "arguments": {"query": "Vell station"}}]
    assert (insight.completed[-1].status, insight.current) == ("success", None)


async def test_a_quote_of_what_was_taken_in_is_no_second_source(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start(GOAL, context="The station of Vell was opened in 1904. It is old.")
    await made.adapter.plan()
    before = made.bank.graph.nodes
    await made.adapter.intercept(Execution(answer="The station of Vell\nwas opened in 1904."))
    assert made.bank.graph.nodes == before
    assert made.bank.tree.entry(made.adapter.routed[0].entry_ids[0]).text.startswith("The station of Vell")


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("goal", "context", "answer"),
    [
        (
            "Was the bridge opened before the station?",
            "The station was opened in 1904. The bridge was opened in 1911.",
            "No: The station was opened in 1904. The bridge was opened in 1911.",
        ),
        (
            "大桥比车站先开通吗？",
            "车站于1904年开通。大桥于1911年开通。",
            "不是。车站于1904年开通。大桥于1911年开通。",
        ),
    ],
)
async def test_a_quote_behind_a_no_does_not_contradict_what_it_quotes(
    tmp_path: Path, goal: str, context: str, answer: str
) -> None:
    made = desk(tmp_path)
    await made.bank.start(goal, context=context)
    await made.adapter.plan()
    before = made.bank.graph.nodes
    await made.adapter.intercept(Execution(answer=answer))
    assert (made.bank.graph.nodes, made.bank.conflicts.all) == (before, ())
    assert made.bank.tree.entry(made.adapter.routed[0].entry_ids[0]).text == answer


@pytest.mark.spec("BANK-12", "BANK-22")
async def test_of_the_files_that_tools_gave_those_are_kept_that_the_text_names(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start(GOAL)
    await made.adapter.plan()
    files = (File("plan.png", "image/png", PNG), File("other.png", "image/png", PNG + b"other"))
    await made.adapter.intercept(Execution(answer="1904", context="As plan.png shows, it was 1904.", files=files))
    node_id = made.adapter.routed[0].node_ids[0]
    (item,) = (await made.adapter.deep.retrieve(node_id)).entries[0].attachments
    assert (item.name, item.encoding) == ("plan.png", "base64")
    assert len(await made.blob_digests()) == 1


@pytest.mark.spec("BANK-22", "BANK-26")
async def test_a_failed_step_is_marked_and_nothing_is_learned_from_it(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start(GOAL)
    await made.adapter.plan()
    insight = await made.adapter.intercept(Execution(answer="", context="half a thought", failed=True, detail="broke"))
    assert (insight.completed[-1].status, len(made.bank.graph)) == ("failed", 0)
    assert insight.current is not None
    await made.adapter.intercept(Execution(answer="  "))
    assert made.adapter.routed[-1].problem == "the step gave no answer"
    assert [event.kind for event in made.events].count(EventKind.FAILED) == 2


@pytest.mark.spec("BANK-22", "BANK-26")
async def test_a_role_that_fails_twice_fails_the_step_and_the_words_are_read_later(tmp_path: Path) -> None:
    def structure(request: Any) -> Any:
        raise LanguageError("the model is out")

    engine = Told(structure=structure)
    made = desk(tmp_path, engine=engine)
    await made.bank.start(GOAL)
    await made.adapter.plan()
    insight = await made.adapter.intercept(Execution(answer="It was opened in 1904."))
    assert insight.completed[-1].status == "failed"
    assert [entry.text for entry in made.bank.unread] == ["It was opened in 1904."]
    del engine._roles["structure"]
    await made.adapter.intercept(Execution(answer="The architect was Ada Holm."))
    assert made.bank.unread == ()


# ── uploads ──


@pytest.mark.spec("BANK-22", "BANK-23", "BANK-10")
async def test_a_recognised_picture_moves_to_where_files_are_kept_as_one_tree_with_its_text(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("What does the chart show?")
    upload = await made.adapter.upload(PNG, name="chart.png")
    await made.adapter.plan()
    assert (len(made.temporary_files), await made.blob_digests()) == (1, [])
    await made.adapter.intercept(Execution(answer="The chart shows sales of 42 tons."))
    (routed,) = made.adapter.routed
    assert routed.route == "recognition"
    (entry,) = (await made.adapter.deep.retrieve(routed.node_ids[0])).entries
    assert "sales of 42 tons" in entry.text
    assert upload.upload_id in entry.text
    (item,) = entry.attachments
    assert (item.id, item.type, item.encoding) == (upload.upload_id, "image", "base64")
    assert (made.adapter.waiting, len(await made.blob_digests())) == ((), 1)
    assert made.temporary_files == []
    await made.adapter.close()
    assert made.temporary_files == []


@pytest.mark.spec("BANK-23")
async def test_a_document_is_kept_with_all_its_words_whatever_the_framework_says_of_it(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start(GOAL)
    await made.adapter.upload(pdf("The station of Vell was opened in 1904."), name="register.pdf")
    await made.adapter.upload(PNG, name="map.png")
    await made.adapter.plan()
    await made.adapter.intercept(Execution(answer="A map of Vell with a station on it."))
    texts = [entry.text for entry in made.bank.tree.entries if entry.attachments]
    assert len(texts) == 2
    assert "The document register.pdf says:\nThe station of Vell was opened in 1904." in texts[0]
    assert "A map of Vell" in texts[1]
    await made.adapter.close()


@pytest.mark.spec("BANK-23")
async def test_temporary_files_are_never_exported(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("What does the chart show?")
    upload = await made.adapter.upload(PNG, name="secret-chart.png")
    text = made.bank.export()
    assert upload.upload_id not in text
    assert "secret-chart" not in text
    await made.adapter.close()


@pytest.mark.spec("BANK-23", "BANK-26")
async def test_a_picture_that_cannot_be_recognised_is_given_up_after_two_attempts(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("What does the chart show?")
    await made.adapter.upload(PNG, name="chart.png")
    await made.adapter.plan()
    for left in (1, 0):
        await made.adapter.intercept(Execution(answer="", failed=True, detail="the model is blind"))
        assert len(made.adapter.waiting) == left
    insight = made.bank.planner.insight
    assert insight.current is None or not insight.current.upload_ids
    await made.adapter.close()


@pytest.mark.spec("BANK-23")
async def test_everything_the_run_brought_goes_when_it_is_cleared(tmp_path: Path) -> None:
    made = desk(tmp_path)
    before = await made.blobs.put(made.bank.runtime.scope, PNG)
    await made.bank.start("What does the chart show?")
    await made.adapter.upload(PNG, name="chart.png")
    await made.adapter.upload(PNG + b"2", name="later.png")
    await made.adapter.plan()
    await made.adapter.intercept(Execution(answer="The chart shows sales."))
    await made.adapter.upload(PNG + b"3", name="never.png")
    await made.adapter.clear()
    assert (made.temporary_files, await made.blob_digests()) == ([], [before])


@pytest.mark.spec("BANK-23")
async def test_a_bank_that_was_read_back_still_takes_its_files_with_it(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("What does the chart show?")
    await made.adapter.upload(PNG, name="chart.png")
    await made.adapter.plan()
    await made.adapter.intercept(Execution(answer="The chart shows sales."))
    await made.adapter.close()
    again = desk(tmp_path)
    await again.bank.load(made.bank.export())
    assert len(await again.blob_digests()) == 1
    await again.adapter.clear()
    assert await again.blob_digests() == []


async def test_nothing_is_taken_in_when_no_step_was_asked_for(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start(GOAL)
    assert (await made.adapter.intercept(Execution(answer="unasked"))).current is None
    assert made.adapter.routed == []


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("goal", "told"),
    [(GOAL, "Read everything behind a memory node"), ("车站何时启用？", "读取某个记忆节点的全部原文")],
)
async def test_the_planner_is_told_of_the_tools_in_the_language_of_the_task(
    tmp_path: Path, goal: str, told: str
) -> None:
    engine = Told()
    made = desk(tmp_path, engine=engine)
    await made.bank.start(goal)
    await made.adapter.plan()
    [tool] = next(request.tools for name, request in engine.asked if name == "planning")
    assert told in tool
    assert ("读取" in tool) != ("Read everything" in tool)

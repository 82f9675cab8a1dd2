"""Whole runs of a task: without a model and without a key, on a framework of anybody's, and when things go wrong."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from remanent.agents.search import SearchableText, TextSearch
from remanent.agents.tools import AgentTool, with_listener
from remanent.bank.adapter.framework import BuiltinReact, EnhancedPrompt, Execution
from remanent.bank.conflicts import contested, sides_of
from remanent.bank.run import BankRun, GivenFile, close_tools, default_tools
from remanent.bank.runtime import EventKind
from remanent.bank.store import source_of
from remanent.errors import LanguageError, ModelDenied, ModelRejected, ModelUnavailable, NotFound, Refused, ToolFailed
from remanent.language.engines import OfflineEngine
from remanent.language.role import Answer, ReplyT, RequestT, ResponseT, Role, Toolbox, Usage
from remanent.language.roles.analysis import AnalysisRequest, AnalysisResponse, Relationship
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
from remanent.settings import SearchSettings, Settings
from tests.bank.desk import PNG, Told, desk
from tests.bank.world import relations
from tests.language.offline.fakes import WordEmbedder
from tests.loaders.pdfs import pdf


class Anything:
    """A framework of three methods: it answers as it is told, and notes what it was given."""

    def __init__(self, *answers: str | BaseException) -> None:
        self._answers = list(answers)
        self.prompts: list[EnhancedPrompt] = []

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> str:
        self.prompts.append(prompt)
        return prompt.text

    async def execute(self, step: str) -> str:
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def capture(self, result: str) -> Execution:
        return Execution(answer=result)


def builtin() -> BuiltinReact:
    return BuiltinReact(OfflineEngine(Toolbox(embedder=WordEmbedder())))


def endless(request: PlanningRequest) -> PlanningResponse:
    proposed = PlannedTask(type=TaskType.NORMAL, description=f"step {len(request.completed)}")
    return plan_within_rules(request, status=TaskStatus.SUCCESS, context="", proposed=proposed, language="en")


@pytest.mark.spec("BANK-22", "BANK-25", "BANK-27")
@pytest.mark.parametrize(
    ("question", "context", "expected"),
    [
        (
            "Who was the first master of the station?",
            "The station of Vell was opened in 1904.\n\nThe first master of the station was Karl Brandt.",
            "Karl Brandt",
        ),
        ("首任站长是谁？", "维尔车站于1904年启用。\n\n首任站长是王建国。", "王建国"),
    ],
)
async def test_a_task_is_seen_through_without_a_model_and_without_a_key(
    question: str, context: str, expected: str, tmp_path: Path
) -> None:
    made = desk(tmp_path)
    tools = default_tools(Settings(home=tmp_path), made.bank, embedder=WordEmbedder())
    result = await BankRun(made.adapter, builtin(), tools=tools).run(question, context=context)
    assert result.end == "done"
    assert expected in result.answer
    evidence = [made.bank.tree.entry(entry_id).text for entry_id in result.entry_ids]
    assert any(expected in text for text in evidence)
    kinds = [event.kind for event in made.events]
    assert kinds.index(EventKind.PLAN) < kinds.index(EventKind.ROUND) < kinds.index(EventKind.ANSWER)


@pytest.mark.spec("BANK-23")
async def test_a_document_that_was_given_is_recognised_first_and_then_answered_from(tmp_path: Path) -> None:
    made = desk(tmp_path)
    file = GivenFile(pdf("The first master of the station was Karl Brandt."), name="register.pdf")
    run = BankRun(made.adapter, builtin(), tools=default_tools(Settings(home=tmp_path), made.bank))
    result = await run.run("Who was the first master of the station?", files=[file])
    assert (result.end, made.adapter.routed[0].route) == ("done", "recognition")
    assert "Karl Brandt" in result.answer
    assert result.end == "done"
    assert made.temporary_files == []


@pytest.mark.spec("BANK-10", "BANK-25")
async def test_every_tool_call_and_all_that_it_gave_are_journaled(tmp_path: Path) -> None:
    made = desk(tmp_path)
    tools = default_tools(Settings(home=tmp_path), made.bank)
    run = BankRun(made.adapter, builtin(), tools=tools)
    await run.run("Where was Ada Holm born?", context="The station of Vell was opened in 1904.")
    steps = [entry for entry in made.bank.tree.entries if source_of(entry) == "step"]
    assert [entry.kind.value for entry in steps][:2] == ["tool_call", "tool_result"]
    assert json.loads(steps[0].text)["name"] == "search"
    assert (steps[1].metadata["tool"], steps[1].metadata["failed"]) == ("search", False)
    told = [event.data["step"] for event in made.events if event.kind is EventKind.TOOL]
    assert told[:2] == ["tool_call", "tool_result"]


async def test_a_call_that_failed_is_journaled_with_the_reason(tmp_path: Path) -> None:
    made = desk(tmp_path)
    await made.bank.start("Go.")
    tool = with_listener(made.adapter.tool, made.adapter.record_step)
    with pytest.raises(NotFound):
        await tool.call({"node_id": "nobody"})
    last = made.bank.tree.entries[-1]
    assert (last.kind.value, last.metadata["failed"]) == ("tool_result", True)
    assert "no node nobody" in last.text


@pytest.mark.spec("BANK-27")
async def test_three_methods_are_enough_for_any_framework(tmp_path: Path) -> None:
    made = desk(tmp_path)
    framework = Anything("The station of Vell was designed by Ada Holm.")
    result = await BankRun(made.adapter, framework).run("Who designed the station of Vell?")
    assert (result.answer, result.end) == ("The station of Vell was designed by Ada Holm.", "done")
    assert "<task>" in framework.prompts[0].text


@pytest.mark.spec("BANK-03")
async def test_an_endless_plan_is_stopped_and_it_is_said_so(tmp_path: Path) -> None:
    made = desk(tmp_path, engine=Told(planning=endless), max_rounds=3)
    framework = Anything("The river is long.", "Its tower has a bell.", "Bread is baked at dawn.")
    result = await BankRun(made.adapter, framework).run("Go on.")
    assert (result.end, result.rounds, result.answer) == ("max_rounds", 3, "Bread is baked at dawn.")
    assert [event.text for event in made.events if event.kind is EventKind.LIMIT] == [
        "stopped after 3 rounds; see bank.max_rounds"
    ]


@pytest.mark.spec("BANK-26")
async def test_a_step_that_raises_is_marked_failed_and_the_run_goes_on(tmp_path: Path) -> None:
    made = desk(tmp_path)
    framework = Anything(ToolFailed("out of order"), "It was designed by Ada Holm.")
    result = await BankRun(made.adapter, framework).run("Who designed it?")
    assert (result.answer, result.end) == ("It was designed by Ada Holm.", "failed")
    assert [task.status for task in result.insight.completed] == ["failed", "success"]


@pytest.mark.spec("BANK-23")
@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()])
async def test_temporary_files_are_removed_when_a_run_breaks_off(error: BaseException, tmp_path: Path) -> None:
    made = desk(tmp_path)
    with pytest.raises(type(error)):
        await BankRun(made.adapter, Anything(error)).run("What is it?", files=[GivenFile(PNG, name="a.png")])
    assert made.temporary_files == []


@pytest.mark.spec("BANK-26")
async def test_a_context_that_no_role_understands_does_not_stop_the_run(tmp_path: Path) -> None:
    def failing(request: Any) -> Any:
        raise LanguageError("the model is out")

    made = desk(tmp_path, engine=Told(classification=failing))
    framework = Anything(*["It was Ada Holm who drew it."] * 4)
    run = BankRun(made.adapter, framework)
    result = await run.run("Who designed it?", context="The station was designed by Ada Holm.")
    assert result.end == "failed"
    aside = [event.data["entry_id"] for event in made.events if event.data.get("set_aside")]
    assert made.bank.tree.entry(str(aside[0])).text == "The station was designed by Ada Holm."


@pytest.mark.spec("BANK-28")
async def test_a_run_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    made = desk(tmp_path)
    with pytest.raises(RuntimeError):
        await BankRun(made.adapter, Anything(RuntimeError("power cut"))).run("Who designed it?", context="It is old.")
    again = desk(tmp_path / "again")
    await again.bank.load(made.bank.export())
    result = await BankRun(again.adapter, Anything("It was designed by Ada Holm.")).resume()
    assert (result.answer, result.end) == ("It was designed by Ada Holm.", "done")


async def test_the_web_is_searched_where_there_is_a_key_and_else_what_the_bank_was_given(tmp_path: Path) -> None:
    made = desk(tmp_path)
    (given,) = default_tools(Settings(home=tmp_path), made.bank)
    assert isinstance(given, TextSearch)
    settings = Settings(home=tmp_path, search=SearchSettings(api_key=SecretStr("key")))
    tools = default_tools(settings, made.bank)
    assert [tool.declaration.name for tool in tools] == ["search", "visit"]
    await close_tools(tools)


# ── verdicts and answers ─────────────────────────────────────────────────────


def clashing(request: AnalysisRequest) -> AnalysisResponse:
    """Find that 640 and 460 metres contradict each other."""

    def judged(new: Any, old: Any) -> Relationship:
        figures = {"640", "460"}
        one = figures & set(new.summary.split())
        other = figures & set(old.summary.split())
        return Relationship.CONFLICT if one and other and one != other else Relationship.UNRELATED

    return relations(request, judged)


def upholding_the_first(request: IntegrationRequest) -> IntegrationResponse:
    return IntegrationResponse(
        outcome=IntegrationOutcome.INTEGRATED,
        summary="The tunnel of Brenk is 640 metres long.",
        context="the tunnel of Brenk",
        keywords=("Brenk",),
        interaction_tree_description="the survey counts",
        upheld=(request.nodes[0].node_id,),
    )


def ends_at_once(request: PlanningRequest) -> PlanningResponse:
    return plan_within_rules(request, status=TaskStatus.SUCCESS, context="", proposed=None, language="en")


LENGTH = "How long is the tunnel of Brenk?"
CLAIMS = ("The tunnel of Brenk is 640 metres long.", "A leaflet says the tunnel of Brenk is 460 metres long.")


@pytest.mark.spec("BANK-02", "BANK-22")
async def test_what_waits_is_validated_before_a_step_that_was_planned_earlier_and_an_answer_follows(
    tmp_path: Path,
) -> None:
    made = desk(tmp_path, engine=Told(analysis=clashing, integration=upholding_the_first, planning=ends_at_once))
    await made.bank.start(LENGTH)
    # A step is under way when the contradiction comes up, as when a program observes texts between two runs.
    await made.bank.planner.answer_next()
    for claim in CLAIMS:
        await made.bank.observe(claim)
    framework = Anything("The survey gives 640 metres.", "640 metres.")
    result = await BankRun(made.adapter, framework).resume()
    assert [prompt.insight.is_cross_validation for prompt in framework.prompts] == [True, False]
    assert result.answer == "640 metres."
    assert "460" not in framework.prompts[1].memory


@pytest.mark.spec("BANK-22", "BANK-19")
async def test_an_answer_that_a_verdict_overtakes_is_not_the_final_one(tmp_path: Path) -> None:
    made = desk(tmp_path, engine=Told(analysis=clashing, integration=upholding_the_first, planning=ends_at_once))
    await made.bank.start(LENGTH)
    await made.bank.observe(CLAIMS[0])
    await made.bank.planner.answer_next()
    framework = Anything(
        "A leaflet says the tunnel of Brenk is 460 metres long.", "The survey says 640.", "640 metres."
    )
    result = await BankRun(made.adapter, framework).resume()
    assert result.answer == "640 metres."
    assert result.rounds == 3


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"{CLAIMS[0]} / {CLAIMS[1]}", CLAIMS[0]),
        ("640 metres, not what the leaflet says.", "640 metres, not what the leaflet says."),
    ],
)
async def test_an_answer_does_not_tell_again_as_true_what_a_verdict_refuted(
    said: str, told: str, tmp_path: Path
) -> None:
    made = desk(tmp_path, engine=Told(analysis=clashing, integration=upholding_the_first, planning=ends_at_once))
    await made.bank.start(LENGTH)
    for claim in CLAIMS:
        await made.bank.observe(claim)
    result = await BankRun(made.adapter, Anything("The survey gives 640 metres.", said)).resume()
    assert result.answer == told


@pytest.mark.spec("USE-08")
async def test_a_plan_that_ends_at_once_is_followed_by_an_answer_step(tmp_path: Path) -> None:
    made = desk(tmp_path, engine=Told(planning=ends_at_once))
    result = await BankRun(made.adapter, Anything("640 metres.")).run(LENGTH)
    assert (result.answer, result.rounds) == ("640 metres.", 1)


class Costly(Told):
    """Each answer takes a hundred tokens."""

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        return replace(await super().run(role, request), usage=Usage(requests=1, input_tokens=80, output_tokens=20))


@pytest.mark.spec("USE-08")
async def test_a_result_tells_the_tokens_that_its_run_took(tmp_path: Path) -> None:
    engine = Costly(planning=ends_at_once)
    made = desk(tmp_path, engine=engine)
    result = await BankRun(made.adapter, BuiltinReact(made.bank.engine)).run(LENGTH, context=CLAIMS[0])
    assert result.end == "done"
    assert result.tokens == 100 * len(engine.asked) > 300


@pytest.mark.spec("USE-08")
async def test_a_run_whose_budget_is_spent_goes_on_without_the_model_and_says_so(tmp_path: Path) -> None:
    engine = Costly()
    made = desk(tmp_path, engine=engine, max_tokens=250)
    result = await BankRun(made.adapter, BuiltinReact(made.bank.engine)).run(LENGTH, context=CLAIMS[0])
    assert len(engine.asked) == 3  # the call that goes beyond the budget is the last
    assert (result.end, result.tokens) == ("max_tokens", 300)
    assert "640" in result.answer
    assert [event.kind for event in made.events].count(EventKind.LIMIT) == 1


class Named(Told):
    """Says that its answers are a model's."""

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        answer = await super().run(role, request)
        return replace(answer, made_by=answer.made_by.replace(engine="a model"))


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("role", ["classification", "structure", "analysis", "planning", "react"])
@pytest.mark.parametrize("kind", [Refused, ModelRejected])
async def test_a_role_that_a_model_refuses_is_done_without_one(
    tmp_path: Path, role: str, kind: type[LanguageError]
) -> None:
    asked = list[str]()

    def refusing(request: Any) -> Any:
        asked.append(role)
        raise kind("I cannot help with that")

    made = desk(tmp_path, engine=Named(**{role: refusing}))
    result = await BankRun(made.adapter, BuiltinReact(made.bank.engine)).run(LENGTH, context=CLAIMS[0])
    assert "640" in result.answer
    assert (result.end, result.fell_back) == ("done", tuple(dict.fromkeys(asked)))


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    "roles", [["react"], ["planning"], ["classification", "structure", "analysis", "planning", "react"]]
)
async def test_a_model_that_cannot_be_reached_leaves_the_answer_that_there_is_without_one(
    tmp_path: Path, roles: list[str]
) -> None:
    def away(request: Any) -> Any:
        raise ModelUnavailable("nobody answers")

    made = desk(tmp_path, engine=Named(**dict.fromkeys(roles, away)))
    await made.bank.start(LENGTH)
    for text in (CLAIMS[0], "The tunnel of Brenk was dug by hand."):
        await made.bank.observe(text)
    result = await BankRun(made.adapter, BuiltinReact(made.bank.engine)).resume()
    assert "640" in result.answer
    assert (result.end, {*result.fell_back}, made.bank.unread) == ("done", {*roles}, ())
    assert result.entry_ids


@pytest.mark.spec("USE-08")
async def test_a_key_that_is_not_accepted_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    def denied(request: Any) -> Any:
        raise ModelDenied("no such key")

    engine = Told(classification=denied)
    made = desk(tmp_path, engine=engine)
    await made.bank.start(LENGTH)
    for claim in CLAIMS:
        with pytest.raises(ModelDenied):
            await made.bank.observe(claim)
    await made.bank.catch_up()
    assert [entry.text for entry in made.bank.unread] == [*CLAIMS]
    del engine._roles["classification"]  # the key was put right
    await made.bank.catch_up()
    assert (made.bank.unread, len(made.bank.graph)) == ((), 2)


async def test_a_run_without_an_answer_says_so(tmp_path: Path) -> None:
    made = desk(tmp_path, engine=Told(planning=ends_at_once))
    result = await BankRun(made.adapter, Anything("")).run(LENGTH)
    assert (result.answer, result.rounds) == ("No answer was found.", 1)
    made = desk(tmp_path / "zh", engine=Told(planning=ends_at_once))
    assert (await BankRun(made.adapter, Anything("")).run("隧道有多长？")).answer == "没有得出答案。"


@pytest.mark.spec("BANK-26", "BANK-17")
async def test_a_conflict_whose_integration_keeps_failing_is_given_up_after_its_tries(tmp_path: Path) -> None:
    def failing(request: Any) -> Any:
        raise LanguageError("the model is out")

    engine = Told(analysis=clashing, integration=failing, planning=ends_at_once)
    made = desk(tmp_path, engine=engine)
    await made.bank.start(LENGTH)
    for claim in CLAIMS:
        await made.bank.observe(claim)
    framework = Anything(*["The survey gives 640 metres."] * 2, *["It stays unclear."] * 8)
    result = await BankRun(made.adapter, framework).resume()
    assert result.rounds == 3  # two validations and the answer
    assert [name for name, _ in engine.asked].count("integration") == 4  # each of the two is tried twice
    (conflict,) = made.bank.conflicts.all
    assert conflict.state is ConflictState.UNRESOLVED


@pytest.mark.spec("BANK-10", "BANK-22")
async def test_what_a_validation_reasoned_and_called_stays_in_the_tree(tmp_path: Path) -> None:
    made = desk(tmp_path, engine=Told(analysis=clashing, integration=upholding_the_first, planning=ends_at_once))
    await made.bank.start(LENGTH)
    for claim in CLAIMS:
        await made.bank.observe(claim)
    await made.adapter.plan()
    reasoning = "The leaflet has no date. The survey of 1988 was measured on site.\n\nThe survey gives 640 metres."
    call = ToolCall(name="search", arguments={"query": "tunnel of Brenk survey"})
    await made.adapter.intercept(
        Execution(answer="The survey gives 640 metres.", context=reasoning, tool_calls=(call,))
    )
    (node,) = made.bank.graph.nodes
    kept = [entry for entry in made.bank.tree.of(node.id) if entry.source == "validation"]
    assert [entry.text for entry in kept] == [reasoning]
    assert kept[0].metadata["tool_calls"] == [{"name": "search", "arguments": {"query": "tunnel of Brenk survey"}}]


async def test_a_claim_is_not_cut_off_before_the_contested_words(tmp_path: Path) -> None:
    lead = "The line was planned by a consortium of seven towns and paid for by a lottery. " * 6
    made = desk(tmp_path, engine=Told(analysis=clashing, planning=ends_at_once))
    await made.bank.start(LENGTH)
    await made.bank.observe(f"{lead}The tunnel of Brenk is 640 metres long.")
    await made.bank.observe(f"{lead}The tunnel of Brenk is only 460 metres long.")
    (conflict,) = made.bank.conflicts.all
    assert [("640" in claim.text, "460" in claim.text) for claim in conflict.claims] == [(True, False), (False, True)]


@pytest.mark.spec("BANK-10", "BANK-25")
async def test_what_was_found_in_given_sources_becomes_part_of_memory(tmp_path: Path) -> None:
    made = desk(tmp_path)
    source = SearchableText(
        "ledger", "The first master of the station of Vell was Karl Brandt.", title="ledger", is_known=False
    )
    tools = default_tools(Settings(home=tmp_path), made.bank, sources=[source])
    run = BankRun(made.adapter, builtin(), tools=tools)
    result = await run.run("Who was the first master of the station of Vell?")
    assert "Karl Brandt" in result.answer
    behind = [entry.text for node in made.bank.graph.nodes for entry in made.bank.tree.of(node.id)]
    assert any("Karl Brandt" in text for text in behind)


async def test_a_key_and_sources_give_both_searches_and_the_planner_sees_them(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, search=SearchSettings(api_key=SecretStr("k")))
    planned: list[PlanningRequest] = []

    def planning(request: PlanningRequest) -> PlanningResponse:
        planned.append(request)
        return ends_at_once(request)

    made = desk(tmp_path, engine=Told(planning=planning))
    source = SearchableText("ledger", "A text.", is_known=False)
    tools = default_tools(settings, made.bank, sources=[source])
    await BankRun(made.adapter, Anything(""), tools=tools).run("Who?")
    await close_tools(tools)
    names = [tool.partition(":")[0] for tool in planned[0].tools]
    assert names == ["search", "visit", "search_sources", "deep_retrieval"]


async def test_one_file_that_cannot_be_read_does_not_fail_a_run(tmp_path: Path) -> None:
    made = desk(tmp_path)
    files = [
        GivenFile(b"%PDF-1.7 broken", name="torn.pdf", media_type="application/pdf"),
        GivenFile(pdf("The first master of the station was Karl Brandt."), name="register.pdf"),
    ]
    run = BankRun(made.adapter, builtin(), tools=default_tools(Settings(home=tmp_path), made.bank))
    result = await run.run("Who was the first master of the station?", files=files)
    assert "Karl Brandt" in result.answer


SHOPS = ("Annual report. Star Coffee has 1,280 shops.", "A blog. Star Coffee has 1,150 shops.")


def left_open(request: IntegrationRequest) -> IntegrationResponse:
    return IntegrationResponse(outcome=IntegrationOutcome.UNRESOLVED, interaction_tree_description="nobody knows")


@pytest.mark.parametrize(
    ("task", "texts", "told"),
    [
        (
            "What did Orlin Bridge cost?",
            ["Orlin Bridge. Orlin Bridge opened in 1934. Orlin Bridge cost 3.2 million crowns.",
             "Orlin Bridge. Orlin Bridge opened in 1936. Orlin Bridge cost 4.1 million crowns."],
            ("3.2 million", "4.1 million"),
        ),
        (
            "苍溪大桥总投资多少？",
            ["苍溪大桥于1989年建成，总投资三亿元，主跨412米。", "苍溪大桥于1987年建成，总投资两亿元，由林秉谦设计。"],
            ("各来源说法不一", "三亿元", "两亿元"),
        ),
        (
            "苍溪大桥总投资多少？",
            ["苍溪大桥。苍溪大桥于1987年建成，总投资两亿元。", "苍溪大桥。大桥于1989年建成。大桥总投资三亿元。"],
            ("各来源说法不一", "三亿元", "两亿元"),
        ),
    ],
)  # fmt: skip
async def test_the_years_in_which_two_texts_differ_do_not_hide_the_sums(
    tmp_path: Path, task: str, texts: list[str], told: tuple[str, ...]
) -> None:
    made = desk(tmp_path)
    await made.bank.start(task)
    for text in texts:
        await made.bank.observe(text)
    tools = default_tools(Settings(home=tmp_path), made.bank)
    answer = (await BankRun(made.adapter, builtin(), tools=tools).resume()).answer
    assert all(one in answer for one in told)


@pytest.mark.parametrize(
    ("answered", "told"),
    [
        ("Star Coffee has 1,150 shops.", "{both}"),
        ("1,150", "{both}"),
        ("Star Coffee was founded in Lyon by two brothers.", "{answered}"),
    ],
)
async def test_an_answer_tells_both_sides_of_a_contradiction_that_nobody_settled(
    tmp_path: Path, answered: str, told: str
) -> None:
    made = desk(tmp_path, engine=Told(integration=left_open))
    await made.bank.start("How many shops does Star Coffee have?")
    for text in SHOPS:
        await made.bank.observe(text)
    result = await BankRun(made.adapter, Anything("It stays unclear.", answered)).resume()
    (conflict,) = made.bank.conflicts.all
    assert conflict.state is ConflictState.UNRESOLVED
    both = "Sources disagree: “Star Coffee has 1,150 shops.” (A blog) / “Star Coffee has 1,280 shops.” (Annual report)"
    assert result.answer == told.format(answered=answered, both=both)
    sides = {claim.record_id for claim in conflict.claims}
    assert sides & set(result.node_ids) == (sides if told == "{both}" else set())
    assert contested([conflict], "As far as I see, Star Coffee has 1,150 shops today.") == (
        conflict,
        sides_of(conflict),
    )
    assert contested([conflict], "Star Coffee has 1,280 or 1,150 shops.") is None


@pytest.mark.parametrize(
    ("answered", "raised"),
    [
        ("All things weighed, Star Coffee has 1,150 shops.", 1),
        ("A blog: Star Coffee has 1,150 shops.", 1),
        ("Star Coffee has 990 shops.", 3),
    ],
)
async def test_what_a_run_answers_does_not_bear_out_one_side_of_what_was_left_open(
    tmp_path: Path, answered: str, raised: int
) -> None:
    made = desk(tmp_path, engine=Told(integration=left_open))
    await made.bank.start("How many shops does Star Coffee have?")
    for text in SHOPS:
        await made.bank.observe(text)
    answers = ["It stays unclear.", *[answered] * 6]
    result = await BankRun(made.adapter, Anything(*answers)).resume()
    assert len(made.bank.conflicts.all) == raised
    assert ("1,280" in result.answer) == (raised == 1)


@pytest.mark.parametrize(
    ("question", "texts", "told"),
    [
        (
            "星河咖啡有多少家门店？",
            ("摘自年报。星河咖啡有1,280家门店。", "摘自博客。星河咖啡有1,150家门店。"),
            "“星河咖啡有1,150家门店。”（摘自博客） / “星河咖啡有1,280家门店。”（摘自年报）",
        ),
        (
            "老陈的血压是多少？",
            ("体检中心报告。老陈的血压是150/95。", "社区医院记录。老陈的血压是128/82。"),
            "“老陈的血压是128/82。”（社区医院记录） / “老陈的血压是150/95。”（体检中心报告）",
        ),
    ],
)
async def test_without_a_model_a_question_that_texts_disagree_on_is_answered_with_both(
    tmp_path: Path, question: str, texts: tuple[str, str], told: str
) -> None:
    made = desk(tmp_path)
    await made.bank.start(question)
    for text in texts:
        await made.bank.observe(text)
    result = await BankRun(made.adapter, BuiltinReact(made.bank.engine)).resume()
    assert result.answer == f"各来源说法不一：{told}"
    assert len(made.bank.conflicts.all) == 1


@pytest.mark.parametrize(
    ("question", "told", "headings"),
    [
        ("How high is Mount Kelt?", "Mount Kelt is {} metres high.", ("From a magazine.", "From a blog.")),
        (
            "How high is Mount Kelt?",
            "Mount Kelt is {} metres high. It is climbed in summer.",
            ("A travel magazine:\n", "From the survey office:\n", "From a guide book.", "My blog."),
        ),
        ("星河咖啡有多少家门店？", "星河咖啡有{}家门店。", ("杂志报道。", "博客文章。", "公司官网：\n")),
        ("星河咖啡有多少家门店？", "星河咖啡有{}家门店。", ("据《商业》杂志报道：\n", "据《年鉴》记载：\n")),
        ("凯尔特山有多高？", "凯尔特山海拔{}米。", ("杂志报道。", "博客文章。")),
        ("黄山的海拔是多少？", "黄山海拔{}米。", ("摘自杂志。", "摘自博客。")),
    ],
)
async def test_what_one_source_says_never_stands_under_the_name_of_another(
    tmp_path: Path, question: str, told: str, headings: tuple[str, ...]
) -> None:
    # The third says what the first does.
    values = dict(zip(headings, ("3,412", "3,298", "3,412", "3,105"), strict=False))
    made = desk(tmp_path)
    context = "\n\n".join(f"{heading} {told.format(value)}" for heading, value in values.items())
    await made.bank.start(question, context=context)
    result = await BankRun(made.adapter, BuiltinReact(made.bank.engine)).resume()
    assert made.bank.conflicts.all
    sides = re.findall("“([^”]+)” ?[(（]([^)）]+)[)）]", result.answer)
    assert len(sides) == 2
    for said, origin in sides:
        (heading,) = [one for one in headings if one.startswith(origin)]
        assert values[heading] in said
    for claim in (claim for conflict in made.bank.conflicts.all for claim in conflict.claims):
        shown = [made.bank.tree.entry(one.entry_id).text[one.start : one.end] for one in claim.evidence[:1]]
        assert len(set(re.findall(r"\d,\d{3}", f"{claim.text} {shown[0]}"))) == 1
    memory = (await made.bank.recollect(question, language=made.bank.planner.insight.language)).text
    for heading, value in values.items():
        name = heading.rstrip(".。:：\n")
        assert value in memory.partition(name)[2].partition("</node>")[0] or name not in memory


async def test_two_sources_in_one_text_contradict_each_other_as_two_texts_do(tmp_path: Path) -> None:
    made = desk(tmp_path)
    said = "From a paper. The mayor of Torvik is Inga Solberg.\n\nFrom a blog. The mayor of Torvik is Lars Dahl."
    await made.bank.start("Who is the mayor of Torvik?", context=said)
    assert len(made.bank.conflicts.all) == 1


async def test_the_text_that_holds_the_answer_comes_before_the_one_it_replaced(tmp_path: Path) -> None:
    made = desk(tmp_path, engine=Told(analysis=clashing, integration=upholding_the_first, planning=ends_at_once))
    await made.bank.start(LENGTH)
    for claim in reversed(CLAIMS):
        await made.bank.observe(claim)
    result = await BankRun(made.adapter, Anything("The survey gives 640 metres.", CLAIMS[0])).resume()
    assert list(result.node_ids) == [node.id for node in made.bank.graph.nodes]
    assert made.bank.tree.entry(result.entry_ids[0]).text == CLAIMS[0]


@pytest.mark.parametrize(
    ("question", "sources", "texts", "answer"),
    [
        (
            "Who founded Pollux Ltd?",
            {"register": "Register of companies: Pollux Ltd was founded by Mary Quill on 3 May 1987."},
            ("From an interview. Pollux Ltd was founded by Mary Quill. Pollux Ltd makes lenses.",
             "From a forum. Pollux Ltd was founded by Peter Storm. Pollux Ltd has a shop in Leeds."),
            "From an interview: Pollux Ltd was founded by Mary Quill.",
        ),
        (
            "远山公司是谁创办的？",
            {"登记": "工商登记：远山公司由陈敏于1987年5月3日创办。"},
            ("摘自访谈。远山公司由陈敏创办。远山公司生产镜片。",
             "摘自论坛。远山公司由赵磊创办。远山公司在杭州有一家门店。"),
            "摘自访谈：远山公司由陈敏创办。",
        ),
        (
            "In which country was the architect of the Aldern bridge born?",
            {"lexicon": "Jonas Rehn, architect, was born in Estonia."},
            ("From a guide. Aldern Bridge was built by Jonas Rehn. Aldern Bridge is 412 metres long.",),
            "lexicon: Jonas Rehn, architect, was born in Estonia. From a guide: Aldern Bridge was built by Jonas Rehn.",
        ),
        (
            "云溪大桥的设计师出生在哪个省？",
            {"人物志": "周远，建筑师，1932年生于云南省，2001年在上海去世。"},
            ("摘自导游手册。云溪大桥由周远设计。云溪大桥全长4.2公里。",),
            "人物志：周远，建筑师，1932年生于云南省，2001年在上海去世。摘自导游手册：云溪大桥由周远设计。",
        ),
    ],
)  # fmt: skip
async def test_two_founders_are_settled_and_two_hops_are_taken_without_a_model(
    question: str, sources: dict[str, str], texts: tuple[str, ...], answer: str, tmp_path: Path
) -> None:
    made = desk(tmp_path)
    given = [SearchableText(name, text, title=name, is_known=False) for name, text in sources.items()]
    tools = default_tools(Settings(home=tmp_path), made.bank, embedder=WordEmbedder(), sources=given)
    await made.bank.start(question)
    for text in texts:
        await made.bank.observe(text)
    assert (await BankRun(made.adapter, BuiltinReact(made.bank.engine), tools=tools).resume()).answer == answer

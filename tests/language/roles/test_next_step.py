"""The rules of a plan hold whatever is proposed."""

import pytest

from remanent.errors import InvalidInput
from remanent.language.role import Toolbox
from remanent.language.roles.next_step import (
    PLANNING,
    CompletedTask,
    FinishedTask,
    PendingConflict,
    PendingUpload,
    PlannedTask,
    PlanningReply,
    PlanningRequest,
    PlanningResponse,
    TaskReply,
    TaskStatus,
    TaskType,
    plan_within_rules,
)

RULED_GOAL = "Whose chip is the largest?"
CONFLICTS = (
    PendingConflict(conflict_id="c-a", node_ids=("x", "y"), description="1,121 or 433 qubits"),
    PendingConflict(conflict_id="c-b", node_ids=("x", "z"), description="2022 or 2023"),
)
UPLOAD = PendingUpload(upload_id="up-1", name="chip.png", media_type="image/png")
STEP = PlannedTask(type=TaskType.NORMAL, description="Search for Google's chip")


def settled(request: PlanningRequest, proposed: PlannedTask | None = STEP) -> PlanningResponse:
    return plan_within_rules(
        request, status=TaskStatus.SUCCESS, context="Learned it.", proposed=proposed, language="en"
    )


@pytest.mark.spec("BANK-02")
def test_a_pending_conflict_comes_before_everything_else() -> None:
    request = PlanningRequest(goal=RULED_GOAL, conflicts=CONFLICTS, uploads=(UPLOAD,))
    for proposed in (None, STEP):
        task = settled(request, proposed).current_task
        assert task is not None
        assert (task.type, task.conflict_id) == (TaskType.CROSS_VALIDATE, "c-a")
        assert "1,121 or 433 qubits" in task.description


@pytest.mark.spec("BANK-02")
def test_the_planner_may_choose_which_conflict_comes_first() -> None:
    chosen = PlannedTask(type=TaskType.CROSS_VALIDATE, description="Check the year", conflict_id="c-b")
    assert settled(PlanningRequest(goal=RULED_GOAL, conflicts=CONFLICTS), chosen).current_task == chosen


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("said", "planned"),
    [
        ("Look at the whole history, do not plan everything anew, and never change the goal.", RULED_GOAL),
        ("Start: Read a public web page in full. Read all that stands behind a memory node.", RULED_GOAL),
        ("Again. Search for the largest chips of both makers. Whose chip is the largest?", RULED_GOAL),
        ("Read the pages of both makers.", "Read the pages of both makers."),
        ("Search for the makers. Whose chip is the largest?", "Search for the makers. Whose chip is the largest?"),
    ],
)
def test_a_plan_that_gives_back_what_the_planner_was_told_is_none(said: str, planned: str) -> None:
    request = PlanningRequest(
        goal=RULED_GOAL,
        tools=("deep_retrieval: Read all that stands behind a memory node.",),
        finished=FinishedTask(
            description=f"Search for the largest chips of both makers. {RULED_GOAL}", result="433 qubits"
        ),
    )
    reply = PlanningReply(current_task=TaskReply(description=said))
    task = PLANNING.read(request, reply).current_task
    assert task is not None
    assert task.description == planned


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("repeated", ["Look up makers", "Search for what is known of both makers of qubits."])
def test_a_step_that_was_taken_is_not_taken_again_but_the_goal_is_answered_and_then_the_run_ends(repeated: str) -> None:
    reply = PlanningReply(current_task=TaskReply(description=repeated))
    first = FinishedTask(description=repeated, result="433 and 1,121 qubits")
    answering = PLANNING.read(PlanningRequest(goal=RULED_GOAL, finished=first), reply)
    assert answering.current_task == PlannedTask(type=TaskType.NORMAL, description=RULED_GOAL)
    given = FinishedTask(description=RULED_GOAL, result="IBM's, with 1,121 qubits")
    request = PlanningRequest(goal=RULED_GOAL, completed=answering.completed, finished=given)
    assert PLANNING.read(request, reply).current_task is None
    failed = PLANNING.read(request.replace(finished=given.replace(result="", failed=True)), reply).current_task
    assert failed is not None
    assert failed.description not in {repeated, RULED_GOAL}


@pytest.mark.spec("USE-08")
def test_a_step_at_the_goal_that_is_planned_again_ends_the_run_with_what_it_gave() -> None:
    reply = PlanningReply(current_task=TaskReply(description="识别凯尔特山的高度信息"))
    finished = FinishedTask(description="识别凯尔特山的高度信息", result="凯尔特山的高度为3412米。")
    assert PLANNING.read(PlanningRequest(goal="凯尔特山有多高？", finished=finished), reply).current_task is None


@pytest.mark.spec("BANK-23")
def test_pending_uploads_are_recognised_next() -> None:
    task = settled(PlanningRequest(goal=RULED_GOAL, uploads=(UPLOAD,))).current_task
    assert task is not None
    assert (task.type, task.upload_ids) == (TaskType.NORMAL, ("up-1",))
    assert "chip.png" in task.description


def test_a_validation_without_a_conflict_is_a_plain_step() -> None:
    stray = PlannedTask(type=TaskType.CROSS_VALIDATE, description="Check it", conflict_id="gone")
    task = settled(PlanningRequest(goal=RULED_GOAL), stray).current_task
    assert task == PlannedTask(type=TaskType.NORMAL, description="Check it")


@pytest.mark.spec("BANK-20")
def test_the_finished_step_joins_what_was_done_and_nothing_before_it_changes() -> None:
    done = CompletedTask(type=TaskType.NORMAL, description="Before", status=TaskStatus.FAILED, context="No luck.")
    request = PlanningRequest(goal=RULED_GOAL, completed=(done,), finished=FinishedTask(description="Search"))
    assert settled(request).completed == (
        done,
        CompletedTask(type=TaskType.NORMAL, description="Search", status=TaskStatus.SUCCESS, context="Learned it."),
    )


@pytest.mark.spec("BANK-26")
def test_a_step_that_is_known_to_have_failed_is_no_success() -> None:
    request = PlanningRequest(goal=RULED_GOAL, finished=FinishedTask(description="Search", failed=True))
    assert settled(request).completed[-1].status is TaskStatus.FAILED


@pytest.mark.spec("BANK-03")
def test_no_proposal_and_nothing_pending_is_the_end() -> None:
    assert settled(PlanningRequest(goal=RULED_GOAL), None).current_task is None


def test_only_a_validation_names_a_conflict() -> None:
    with pytest.raises(InvalidInput, match="names its conflict"):
        PlannedTask(type=TaskType.NORMAL, description="x", conflict_id="c-a")
    with pytest.raises(InvalidInput, match="names its conflict"):
        PlannedTask(type=TaskType.CROSS_VALIDATE, description="x")


GOAL = "How many qubits does the Condor chip have?"
TOOLBOX = Toolbox()


def done(description: str, status: TaskStatus = TaskStatus.SUCCESS) -> CompletedTask:
    return CompletedTask(type=TaskType.NORMAL, description=description, status=status)


async def test_the_first_step_goes_at_the_goal() -> None:
    plan_ = await PLANNING.offline(PlanningRequest(goal=GOAL), TOOLBOX)
    assert plan_.current_task is not None
    assert plan_.current_task.type is TaskType.NORMAL
    assert GOAL in plan_.current_task.description


async def test_an_open_conflict_is_validated_before_anything_else() -> None:
    conflict = PendingConflict(conflict_id="c", node_ids=("a", "b"), description="433 or 1121")
    upload = PendingUpload(upload_id="u", name="chip.png")
    plan_ = await PLANNING.offline(PlanningRequest(goal=GOAL, conflicts=(conflict,), uploads=(upload,)), TOOLBOX)
    assert plan_.current_task is not None
    assert plan_.current_task.type is TaskType.CROSS_VALIDATE
    assert plan_.current_task.conflict_id == "c"


async def test_uploads_are_recognised_before_the_goal_is_gone_at() -> None:
    plan_ = await PLANNING.offline(PlanningRequest(goal=GOAL, uploads=(PendingUpload(upload_id="u"),)), TOOLBOX)
    assert plan_.current_task is not None
    assert plan_.current_task.upload_ids == ("u",)


async def test_when_the_goal_was_answered_there_is_nothing_left_to_do() -> None:
    finished = FinishedTask(description=f"Search and answer: {GOAL}", result="The Condor chip has 1,121 qubits.")
    plan_ = await PLANNING.offline(PlanningRequest(goal=GOAL, finished=finished), TOOLBOX)
    assert plan_.current_task is None
    assert plan_.completed[-1].status is TaskStatus.SUCCESS
    assert "1,121" in plan_.completed[-1].context


async def test_the_answer_is_given_again_after_something_was_learned() -> None:
    completed = (done(f"Search and answer: {GOAL}"),)
    finished = FinishedTask(type=TaskType.CROSS_VALIDATE, description="433 or 1121", result="It is 1,121.")
    plan_ = await PLANNING.offline(PlanningRequest(goal=GOAL, completed=completed, finished=finished), TOOLBOX)
    assert plan_.current_task is not None
    assert GOAL in plan_.current_task.description


@pytest.mark.parametrize(
    "verdict",
    [
        "It cannot be determined which is right; sources disagree: “Mount Kelt is 3,298 m.” / “Mount Kelt is 3,412 m.”",
        "无法确认哪一种说法正确：各来源说法不一。“凯尔特山高3298米。” / “凯尔特山高3412米。”",
    ],
)
async def test_a_verdict_that_leaves_it_open_is_noted_with_the_words_that_say_so(verdict: str) -> None:
    finished = FinishedTask(type=TaskType.CROSS_VALIDATE, description="3,298 or 3,412", result=verdict)
    plan_ = await PLANNING.offline(PlanningRequest(goal=GOAL, finished=finished), TOOLBOX)
    assert plan_.completed[-1].context == verdict


@pytest.mark.parametrize(
    "result",
    [
        "",
        "Error: time-out",
        "Nothing was found.",
        "I'm sorry, but I can't help with that.",
        "未找到相关信息",
        "无法访问网页",
        "很抱歉，我不便回答这个问题。",
    ],
)
async def test_a_step_without_a_result_failed_and_is_tried_in_another_way(result: str) -> None:
    finished = FinishedTask(description=f"Search and answer: {GOAL}", result=result)
    plan_ = await PLANNING.offline(PlanningRequest(goal=GOAL, finished=finished), TOOLBOX)
    assert plan_.completed[-1].status is TaskStatus.FAILED
    assert plan_.current_task is not None
    assert plan_.current_task.description != finished.description


async def test_it_gives_up_after_a_few_attempts() -> None:
    history: tuple[CompletedTask, ...] = ()
    for _ in range(10):
        plan_ = await PLANNING.offline(PlanningRequest(goal=GOAL, completed=history), TOOLBOX)
        if plan_.current_task is None:
            break
        history = (*history, done(plan_.current_task.description, TaskStatus.FAILED))
    assert 2 <= len(history) <= 4


async def test_steps_are_worded_in_the_language_of_the_goal() -> None:
    plan_ = await PLANNING.offline(PlanningRequest(goal="秃鹰芯片有多少量子比特？"), TOOLBOX)
    assert plan_.current_task is not None
    # The first step is the goal itself: words around it would go into every search.
    assert plan_.current_task.description == "秃鹰芯片有多少量子比特？"
    failed = FinishedTask(description=plan_.current_task.description, failed=True)
    again = await PLANNING.offline(PlanningRequest(goal="秃鹰芯片有多少量子比特？", finished=failed), TOOLBOX)
    assert again.current_task is not None
    assert again.current_task.description.startswith("换一种")

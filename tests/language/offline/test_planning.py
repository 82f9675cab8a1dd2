import pytest

from remanent.language.exchanges.planning import (
    CompletedTask,
    FinishedTask,
    PendingConflict,
    PendingUpload,
    PlanningRequest,
    TaskStatus,
    TaskType,
)
from remanent.language.offline.planning import plan
from remanent.language.offline.toolbox import Toolbox

GOAL = "How many qubits does the Condor chip have?"
TOOLBOX = Toolbox()


def done(description: str, status: TaskStatus = TaskStatus.SUCCESS) -> CompletedTask:
    return CompletedTask(type=TaskType.NORMAL, description=description, status=status)


async def test_the_first_step_goes_at_the_goal() -> None:
    plan_ = await plan(PlanningRequest(goal=GOAL), TOOLBOX)
    assert plan_.current_task is not None
    assert plan_.current_task.type is TaskType.NORMAL
    assert GOAL in plan_.current_task.description


async def test_an_open_conflict_is_validated_before_anything_else() -> None:
    conflict = PendingConflict(conflict_id="c", node_ids=("a", "b"), description="433 or 1121")
    upload = PendingUpload(upload_id="u", name="chip.png")
    plan_ = await plan(PlanningRequest(goal=GOAL, conflicts=(conflict,), uploads=(upload,)), TOOLBOX)
    assert plan_.current_task is not None
    assert plan_.current_task.type is TaskType.CROSS_VALIDATE
    assert plan_.current_task.conflict_id == "c"


async def test_uploads_are_recognised_before_the_goal_is_gone_at() -> None:
    plan_ = await plan(PlanningRequest(goal=GOAL, uploads=(PendingUpload(upload_id="u"),)), TOOLBOX)
    assert plan_.current_task is not None
    assert plan_.current_task.upload_ids == ("u",)


async def test_when_the_goal_was_answered_there_is_nothing_left_to_do() -> None:
    finished = FinishedTask(description=f"Search and answer: {GOAL}", result="The Condor chip has 1,121 qubits.")
    plan_ = await plan(PlanningRequest(goal=GOAL, finished=finished), TOOLBOX)
    assert plan_.current_task is None
    assert plan_.completed[-1].status is TaskStatus.SUCCESS
    assert "1,121" in plan_.completed[-1].context


async def test_the_answer_is_given_again_after_something_was_learned() -> None:
    completed = (done(f"Search and answer: {GOAL}"),)
    finished = FinishedTask(type=TaskType.CROSS_VALIDATE, description="433 or 1121", result="It is 1,121.")
    plan_ = await plan(PlanningRequest(goal=GOAL, completed=completed, finished=finished), TOOLBOX)
    assert plan_.current_task is not None
    assert GOAL in plan_.current_task.description


@pytest.mark.parametrize("result", ["", "Error: time-out", "Nothing was found.", "未找到相关信息", "无法访问网页"])
async def test_a_step_without_a_result_failed_and_is_tried_in_another_way(result: str) -> None:
    finished = FinishedTask(description=f"Search and answer: {GOAL}", result=result)
    plan_ = await plan(PlanningRequest(goal=GOAL, finished=finished), TOOLBOX)
    assert plan_.completed[-1].status is TaskStatus.FAILED
    assert plan_.current_task is not None
    assert plan_.current_task.description != finished.description


async def test_it_gives_up_after_a_few_attempts() -> None:
    history: tuple[CompletedTask, ...] = ()
    for _ in range(10):
        plan_ = await plan(PlanningRequest(goal=GOAL, completed=history), TOOLBOX)
        if plan_.current_task is None:
            break
        history = (*history, done(plan_.current_task.description, TaskStatus.FAILED))
    assert 2 <= len(history) <= 4


async def test_steps_are_worded_in_the_language_of_the_goal() -> None:
    plan_ = await plan(PlanningRequest(goal="秃鹰芯片有多少量子比特？"), TOOLBOX)
    assert plan_.current_task is not None
    assert plan_.current_task.description.startswith("检索")

"""The rules of a plan hold whatever is proposed."""

import pytest

from remanent.errors import InvalidInput
from remanent.language.exchanges.planning import (
    CompletedTask,
    FinishedTask,
    PendingConflict,
    PendingUpload,
    PlannedTask,
    PlanningRequest,
    PlanningResponse,
    TaskStatus,
    TaskType,
    settle,
)

GOAL = "Whose chip is the largest?"
CONFLICTS = (
    PendingConflict(conflict_id="c-a", node_ids=("x", "y"), description="1,121 or 433 qubits"),
    PendingConflict(conflict_id="c-b", node_ids=("x", "z"), description="2022 or 2023"),
)
UPLOAD = PendingUpload(upload_id="up-1", name="chip.png", media_type="image/png")
STEP = PlannedTask(type=TaskType.NORMAL, description="Search for Google's chip")


def plan(request: PlanningRequest, proposed: PlannedTask | None = STEP) -> PlanningResponse:
    return settle(request, status=TaskStatus.SUCCESS, context="Learned it.", proposed=proposed, tongue="en")


@pytest.mark.spec("BANK-02")
def test_a_pending_conflict_comes_before_everything_else() -> None:
    request = PlanningRequest(goal=GOAL, conflicts=CONFLICTS, uploads=(UPLOAD,))
    for proposed in (None, STEP):
        task = plan(request, proposed).current_task
        assert task is not None
        assert (task.type, task.conflict_id) == (TaskType.CROSS_VALIDATE, "c-a")
        assert "1,121 or 433 qubits" in task.description


@pytest.mark.spec("BANK-02")
def test_the_planner_may_choose_which_conflict_comes_first() -> None:
    chosen = PlannedTask(type=TaskType.CROSS_VALIDATE, description="Check the year", conflict_id="c-b")
    assert plan(PlanningRequest(goal=GOAL, conflicts=CONFLICTS), chosen).current_task == chosen


@pytest.mark.spec("BANK-23")
def test_pending_uploads_are_recognised_next() -> None:
    task = plan(PlanningRequest(goal=GOAL, uploads=(UPLOAD,))).current_task
    assert task is not None
    assert (task.type, task.upload_ids) == (TaskType.NORMAL, ("up-1",))
    assert "chip.png" in task.description


def test_a_validation_without_a_conflict_is_a_plain_step() -> None:
    stray = PlannedTask(type=TaskType.CROSS_VALIDATE, description="Check it", conflict_id="gone")
    task = plan(PlanningRequest(goal=GOAL), stray).current_task
    assert task == PlannedTask(type=TaskType.NORMAL, description="Check it")


@pytest.mark.spec("BANK-20")
def test_the_finished_step_joins_what_was_done_and_nothing_before_it_changes() -> None:
    done = CompletedTask(type=TaskType.NORMAL, description="Before", status=TaskStatus.FAILED, context="No luck.")
    request = PlanningRequest(goal=GOAL, completed=(done,), finished=FinishedTask(description="Search"))
    assert plan(request).completed == (
        done,
        CompletedTask(type=TaskType.NORMAL, description="Search", status=TaskStatus.SUCCESS, context="Learned it."),
    )


@pytest.mark.spec("BANK-26")
def test_a_step_that_is_known_to_have_failed_is_no_success() -> None:
    request = PlanningRequest(goal=GOAL, finished=FinishedTask(description="Search", failed=True))
    assert plan(request).completed[-1].status is TaskStatus.FAILED


@pytest.mark.spec("BANK-03")
def test_no_proposal_and_nothing_pending_is_the_end() -> None:
    assert plan(PlanningRequest(goal=GOAL), None).current_task is None


def test_only_a_validation_names_a_conflict() -> None:
    with pytest.raises(InvalidInput, match="names its conflict"):
        PlannedTask(type=TaskType.NORMAL, description="x", conflict_id="c-a")
    with pytest.raises(InvalidInput, match="names its conflict"):
        PlannedTask(type=TaskType.CROSS_VALIDATE, description="x")

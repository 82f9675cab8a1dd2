import pytest

from remanent.bank.planner import InsightDoc
from remanent.errors import InvalidInput
from remanent.language.roles.next_step import CompletedTask, PlannedTask, TaskStatus, TaskType
from remanent.language.roles.react import question_of

DONE = CompletedTask(type=TaskType.NORMAL, description="look it up", status=TaskStatus.SUCCESS, context="It is 7.")
FAILED = DONE.replace(status=TaskStatus.FAILED)
STEP = PlannedTask(type=TaskType.NORMAL, description="answer: how many?")


@pytest.mark.spec("BANK-01")
def test_it_holds_the_goal_what_was_done_and_at_most_one_next_step() -> None:
    doc = InsightDoc(id="d1", goal="how many?", completed=(DONE,), current=STEP)
    assert doc.current_task == "answer: how many?"
    assert doc.replace(current=None).current_task == ""
    assert InsightDoc.from_json(doc.to_json()) == doc


@pytest.mark.spec("BANK-01")
@pytest.mark.parametrize("goal", ["how many planets are there?", "一共有多少颗行星？"])
def test_its_text_names_goal_steps_and_current_task_in_the_language_of_the_goal(goal: str) -> None:
    doc = InsightDoc(id="d1", goal=goal, completed=(DONE, FAILED), current=STEP)
    text = doc.render()
    assert str(doc) == text
    chinese = goal.endswith("？")
    assert ("任务目标：" in text) == chinese
    assert ("失败" in text) == chinese
    assert goal in text
    assert "It is 7." in text
    nothing = InsightDoc(id="d1", goal=goal, current=STEP).render()
    assert ("已完成的子任务：（无）" if chinese else "Completed sub-tasks: (none)") in nothing
    # The offline agent finds its step in it.
    assert "answer: how many?" in question_of(f"<task>{text}</task>")


@pytest.mark.spec("BANK-03")
def test_it_is_complete_only_when_nothing_is_left_and_everything_succeeded() -> None:
    assert InsightDoc(id="d1", goal="g", completed=(DONE,)).is_complete
    assert not InsightDoc(id="d1", goal="g", completed=(DONE, FAILED)).is_complete
    assert not InsightDoc(id="d1", goal="g", completed=(DONE,), current=STEP).is_complete


def test_a_task_without_a_goal_is_refused() -> None:
    with pytest.raises(InvalidInput, match="goal"):
        InsightDoc(id="d1", goal="  ")

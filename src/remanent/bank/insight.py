"""The Insight Doc: how a task stands, in a form that goes into every prompt."""

from pydantic import model_validator

from remanent.errors import InvalidInput
from remanent.language.roles.planning import CompletedTask, PlannedTask, TaskStatus, TaskType
from remanent.language.shapes import Remark
from remanent.language.tongue import Tongue, tongue_of
from remanent.model import Model
from remanent.model.ids import Id

_WORDS: dict[Tongue, dict[str, str]] = {
    "zh": {
        "goal": "任务目标：{}",
        "completed": "已完成的子任务：",
        "none": "（无）",
        "task": "{number}. [{type}] {description}（{status}）{context}",
        "success": "成功",
        "failed": "失败",
        "current": "当前任务：[{type}] {description}",
        "nothing": "当前任务：（无）",
    },
    "en": {
        "goal": "Goal: {}",
        "completed": "Completed sub-tasks:",
        "none": "(none)",
        "task": "{number}. [{type}] {description} ({status}) {context}",
        "success": "success",
        "failed": "failed",
        "current": "Current task: [{type}] {description}",
        "nothing": "Current task: (none)",
    },
}


class InsightDoc(Model):
    """The goal, what was done, and the one next step; there is no queue of others."""

    id: Id
    goal: Remark
    completed: tuple[CompletedTask, ...] = ()
    current: PlannedTask | None = None

    @model_validator(mode="after")
    def _check_the_goal(self) -> "InsightDoc":
        if not self.goal.strip():
            raise InvalidInput("a task needs a goal; say what is to be found out or done")
        return self

    @property
    def current_task(self) -> str:
        """What is to be done next; empty when nothing is."""
        return self.current.description if self.current is not None else ""

    @property
    def is_cross_validation(self) -> bool:
        """Whether the next step settles a contradiction."""
        return self.current is not None and self.current.type is TaskType.CROSS_VALIDATE

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do and all that was done succeeded."""
        return self.current is None and all(task.status is TaskStatus.SUCCESS for task in self.completed)

    @property
    def tongue(self) -> Tongue:
        """The language of the task."""
        return tongue_of(self.goal)

    def render(self, tongue: Tongue | None = None) -> str:
        """Return the whole document as text; whoever puts it into a prompt escapes it there."""
        words = _WORDS[tongue or self.tongue]
        parts = [words["goal"].format(self.goal), words["completed"]]
        parts += [
            words["task"]
            .format(
                number=number,
                type=task.type.value,
                description=task.description,
                status=words[task.status.value],
                context=task.context,
            )
            .rstrip()
            for number, task in enumerate(self.completed, 1)
        ]
        if not self.completed:
            parts[-1] += " " + words["none"]
        if self.current is None:
            parts.append(words["nothing"])
        else:
            parts.append(words["current"].format(type=self.current.type.value, description=self.current_task))
        return "\n".join(parts)

"""Planning: what to do next, from all that was done."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from remanent.errors import InvalidInput
from remanent.language.exchanges.shapes import LONGEST_REMARK, LONGEST_TEXT, Node, Remark
from remanent.language.tongue import Tongue
from remanent.model import Model
from remanent.model.base import Text
from remanent.model.ids import Id


class TaskType(StrEnum):
    """What sort of step a task is."""

    NORMAL = "NORMAL"
    CROSS_VALIDATE = "CROSS_VALIDATE"


class TaskStatus(StrEnum):
    """How a step ended."""

    SUCCESS = "success"
    FAILED = "failed"


class CompletedTask(Model):
    """A step that was taken: what it was, how it ended, what it taught in one or two sentences."""

    type: TaskType
    description: Remark
    status: TaskStatus
    context: Remark = ""


class PlannedTask(Model):
    """The next step."""

    type: TaskType
    description: Annotated[Remark, Field(min_length=1)]
    conflict_id: Id | None = None
    """The conflict that a cross-validation is about."""
    upload_ids: tuple[Id, ...] = ()
    """The uploads that are recognised in this step."""

    @model_validator(mode="after")
    def _check_the_type(self) -> "PlannedTask":
        if (self.type is TaskType.CROSS_VALIDATE) != (self.conflict_id is not None):
            raise InvalidInput("a cross-validation, and nothing else, names its conflict")
        return self


class FinishedTask(Model):
    """The step that was just taken and what came of it."""

    type: TaskType = TaskType.NORMAL
    description: Remark
    result: Annotated[Text, Field(max_length=LONGEST_TEXT)] = ""
    failed: bool = False
    """Set when it is known to have failed; otherwise the planner judges by the result."""


class PendingConflict(Model):
    """A contradiction between nodes that waits for its validation."""

    conflict_id: Id
    node_ids: Annotated[tuple[Id, ...], Field(min_length=2, max_length=20)]
    description: Remark = ""


class PendingUpload(Model):
    """A file that waits to be recognised."""

    upload_id: Id
    name: Annotated[Text, Field(max_length=300)] = ""
    media_type: Annotated[Text, Field(max_length=100)] = ""


class PlanningRequest(Model):
    """The task's goal, what was done, what was just done, and what came up."""

    goal: Remark
    completed: Annotated[tuple[CompletedTask, ...], Field(max_length=1000)] = ()
    finished: FinishedTask | None = None
    new_nodes: Annotated[tuple[Node, ...], Field(max_length=100)] = ()
    conflicts: Annotated[tuple[PendingConflict, ...], Field(max_length=100)] = ()
    """In the order in which they were found; one is validated per round."""
    notices: Annotated[tuple[Remark, ...], Field(max_length=100)] = ()
    """Merges made, conflicts that stayed unresolved and the like."""
    uploads: Annotated[tuple[PendingUpload, ...], Field(max_length=100)] = ()

    @model_validator(mode="after")
    def _check_the_goal(self) -> "PlanningRequest":
        if not self.goal.strip():
            raise InvalidInput("a plan needs a goal")
        return self


class PlanningResponse(Model):
    """What was done, the finished step included, and the next step; none means that the goal is reached."""

    completed: tuple[CompletedTask, ...]
    current_task: PlannedTask | None


_VALIDATE: dict[Tongue, str] = {
    "zh": "交叉验证：检索多个权威来源，核实以下矛盾并得出结论。{}",
    "en": "Cross-validate: look at several authoritative sources and settle this contradiction. {}",
}
_RECOGNISE: dict[Tongue, str] = {
    "zh": "识别用户上传的内容并详细描述：{}",
    "en": "Recognise what the user uploaded and describe it in detail: {}",
}


def settle(
    request: PlanningRequest,
    *,
    status: TaskStatus,
    context: str,
    proposed: PlannedTask | None,
    tongue: Tongue,
) -> PlanningResponse:
    """Return the plan under the rules that no planner may break.

    What was done stays as it was, and the finished step joins it. A pending conflict is validated next, one per round;
    after that, pending uploads are recognised; after that, the proposal counts.
    """
    completed = request.completed
    finished = request.finished
    if finished is not None:
        ended = TaskStatus.FAILED if finished.failed else status
        done = CompletedTask(type=finished.type, description=finished.description, status=ended, context=context)
        completed = (*completed, done)
    return PlanningResponse(completed=completed, current_task=_next_task(request, proposed, tongue))


def _next_task(request: PlanningRequest, proposed: PlannedTask | None, tongue: Tongue) -> PlannedTask | None:
    if request.conflicts:
        pending = {conflict.conflict_id for conflict in request.conflicts}
        if proposed is not None and proposed.conflict_id in pending:
            return proposed
        first = request.conflicts[0]
        description = _VALIDATE[tongue].format(first.description).strip()[:LONGEST_REMARK]
        return PlannedTask(type=TaskType.CROSS_VALIDATE, description=description, conflict_id=first.conflict_id)
    if request.uploads:
        waiting = {upload.upload_id for upload in request.uploads}
        if proposed is not None and proposed.upload_ids and waiting.issuperset(proposed.upload_ids):
            return proposed.replace(type=TaskType.NORMAL, conflict_id=None)
        names = ", ".join(upload.name or upload.upload_id for upload in request.uploads)
        description = _RECOGNISE[tongue].format(names)[:LONGEST_REMARK]
        return PlannedTask(
            type=TaskType.NORMAL,
            description=description,
            upload_ids=tuple(upload.upload_id for upload in request.uploads),
        )
    if proposed is None:
        return None
    return PlannedTask(type=TaskType.NORMAL, description=proposed.description)

"""Planning: a model judges the step just taken and proposes one next step; code holds the rules."""

from typing import TYPE_CHECKING, Literal

from remanent.language.aliases import Aliases
from remanent.language.exchanges.planning import (
    PlannedTask,
    PlanningRequest,
    PlanningResponse,
    TaskStatus,
    TaskType,
    settle,
)
from remanent.language.replies import Prose, Words
from remanent.language.role import Defaults, Prompt, Role
from remanent.language.tidying import remark
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, abridged, block, group, node_block, prompt
from remanent.model import Model

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_RESULT = 8_000
_LONGEST_CONTEXT = 400
_INSTRUCTIONS: Wording = {
    "zh": """
你负责规划一个任务的下一步。每次只决定一步：参考完整历史，不重新规划全部，也不改动目标（<goal>）。
规则：
1. 刚执行的步骤（<finished>）：finished.status 写 "success" 或 "failed"（依据其结果），finished.context \
用一到两句话写出得到的信息或失败原因。
2. 有待验证的冲突（<conflicts>）时，下一步必须是 CROSS_VALIDATE，一次只验证一个：conflict 写冲突编号，如 "c1"；\
description 写明矛盾点，以及用什么工具、查哪些来源。
3. 否则，有待识别的上传内容（<uploads>）时，下一步是识别它们：type 为 NORMAL，uploads 写编号列表，如 ["u1"]。
4. 否则，根据目标还缺什么，决定一个具体、可执行的 NORMAL 步骤；失败过的步骤换一种做法，不重复已成功的步骤。
5. 已有信息足以达成目标时，先规划一步给出最终回答；最终回答也已完成时，current_task 为 null。
字段：finished（没有刚执行的步骤则为 null），current_task（null，或含 type、description、conflict、uploads）。
示例：{"finished": {"status": "success", "context": "找到 IBM 的量子比特数为 1121。"}, "current_task": {"type": \
"NORMAL", "description": "搜索 Google 量子芯片的量子比特数"}}
""",
    "en": """
You plan the next step of a task. Decide one step at a time: look at the whole history, do not plan everything \
anew, and never change the goal (<goal>).
Rules:
1. The step just taken (<finished>): finished.status is "success" or "failed", by its result; finished.context says \
in one or two sentences what was learned, or why it failed.
2. If conflicts wait for validation (<conflicts>), the next step must be CROSS_VALIDATE, one conflict only: \
conflict is its id, as "c1"; description says what contradicts what, and which tools and sources to use.
3. Else, if uploads wait to be recognised (<uploads>), the next step is to recognise them: type NORMAL, uploads is \
the list of their ids, as ["u1"].
4. Else, by what the goal still lacks, decide on one concrete NORMAL step that can be carried out; try a failed \
step in another way, and do not repeat one that succeeded.
5. If what is known is enough for the goal, plan one step that gives the final answer; if that is done, too, \
current_task is null.
Fields: finished (null if no step was just taken), current_task (null, or with type, description, conflict, uploads).
Example: {"finished": {"status": "success", "context": "IBM's chip has 1,121 qubits."}, "current_task": {"type": \
"NORMAL", "description": "Search for the number of qubits of Google's chip"}}
""",
}


class FinishedReply(Model):
    """How the step just taken ended."""

    status: Literal["success", "failed"]
    context: Prose = ""


class TaskReply(Model):
    """The next step."""

    type: Literal["NORMAL", "CROSS_VALIDATE"] = "NORMAL"
    description: Prose
    conflict: Prose = ""
    uploads: Words = ()


class PlanningReply(Model):
    """How the last step ended, and the next one."""

    finished: FinishedReply | None = None
    current_task: TaskReply | None
    # No default: a reply that forgets it must not end the task.


class Planning(Role[PlanningRequest, PlanningReply, PlanningResponse]):
    """Decide one next step."""

    name = "planning"
    defaults = Defaults(temperature=0.6, top_p=0.95)
    request = PlanningRequest
    reply = PlanningReply

    def tongue(self, request: PlanningRequest) -> Tongue:
        """Speak the language of the goal."""
        return tongue_of(request.goal)

    def prompt(self, request: PlanningRequest, *, tongue: Tongue) -> Prompt:
        """Show the goal, the history, what came up, and the step just taken."""
        parts = [
            block("goal", request.goal),
            group("completed", _completed(request)),
            group("new_memory", [node_block(node) for node in request.new_nodes]),
            group("notices", [block("notice", notice) for notice in request.notices]),
            group("uploads", _uploads(request)),
            group("conflicts", _conflicts(request)),
            _finished(request),
        ]
        return prompt(_INSTRUCTIONS[tongue], parts, tongue=tongue)

    def read(self, request: PlanningRequest, reply: PlanningReply) -> PlanningResponse:
        """Take the proposal as far as the rules let it."""
        status, context = TaskStatus.SUCCESS, ""
        if reply.finished is not None:
            status, context = TaskStatus(reply.finished.status), remark(reply.finished.context, _LONGEST_CONTEXT)
        proposed = _proposed(request, reply.current_task) if reply.current_task is not None else None
        return settle(request, status=status, context=context, proposed=proposed, tongue=self.tongue(request))

    async def offline(self, request: PlanningRequest, toolbox: "Toolbox") -> PlanningResponse:
        """Go at the goal in one step, after conflicts and uploads."""
        from remanent.language.offline.planning import plan

        return await plan(request, toolbox)


def _aliases(request: PlanningRequest) -> tuple[Aliases, Aliases]:
    """Return the names of the conflicts and of the uploads."""
    conflicts = Aliases([conflict.conflict_id for conflict in request.conflicts], prefix="c")
    return conflicts, Aliases([upload.upload_id for upload in request.uploads], prefix="u")


def _completed(request: PlanningRequest) -> list[str]:
    return [
        group(
            "task", [block("did", task.description), block("learned", task.context)], type=task.type, status=task.status
        )
        for task in request.completed
    ]


def _conflicts(request: PlanningRequest) -> list[str]:
    return [
        block("conflict", conflict.description or "?", id=name)
        for name, conflict in zip(_aliases(request)[0].names, request.conflicts, strict=True)
    ]


def _uploads(request: PlanningRequest) -> list[str]:
    return [
        block("upload", upload.name or "?", id=name, type=upload.media_type)
        for name, upload in zip(_aliases(request)[1].names, request.uploads, strict=True)
    ]


def _finished(request: PlanningRequest) -> str:
    finished = request.finished
    if finished is None:
        return ""
    status = {"status": TaskStatus.FAILED.value} if finished.failed else {}
    parts = [block("did", finished.description), block("result", abridged(finished.result, _LONGEST_RESULT))]
    return group("finished", parts, type=finished.type.value, **status)


def _proposed(request: PlanningRequest, task: TaskReply) -> PlannedTask | None:
    conflicts, uploads = _aliases(request)
    description = remark(task.description)
    conflict_id = conflicts.real(task.conflict) if task.conflict.strip() else None
    upload_ids = tuple(dict.fromkeys(uploads.real(name) for name in task.uploads))
    if not description:
        return None
    if conflict_id is None and task.type == "CROSS_VALIDATE" and request.conflicts:
        conflict_id = request.conflicts[0].conflict_id
    return PlannedTask(
        type=TaskType.CROSS_VALIDATE if conflict_id else TaskType.NORMAL,
        description=description,
        conflict_id=conflict_id,
        upload_ids=upload_ids,
    )

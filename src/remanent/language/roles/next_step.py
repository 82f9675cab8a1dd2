"""Planning: a model judges the step just taken and proposes one next step; code holds the rules.

Behind a model of 1.5 B a bank's task took more than twelve minutes without an end: it planned the same step again and
again, whatever it gave. A step that was taken is replaced by the goal itself, and when that succeeded the run is over;
what code decides by itself is not asked.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator

from remanent.bilingual import Bilingual, Language
from remanent.errors import InvalidInput
from remanent.language import shapes
from remanent.language.offline.salience import salient_sentences, term_overlap
from remanent.language.prompt_blocks import abridged, block, group, node_block
from remanent.language.role import Defaults, Role, Toolbox
from remanent.language.shapes import MAX_REMARK, MAX_TEXT, multi_line, shortened
from remanent.model import Model
from remanent.model.base import Text
from remanent.model.ids import Id
from remanent.text.scripts import letters_only, working_language
from remanent.text.sentences import sentence_texts


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
    description: shapes.Remark
    status: TaskStatus
    context: shapes.Remark = ""


class PlannedTask(Model):
    """The next step."""

    type: TaskType
    description: Annotated[shapes.Remark, Field(min_length=1)]
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
    description: shapes.Remark
    result: Annotated[Text, Field(max_length=MAX_TEXT)] = ""
    failed: bool = False
    """Set when it is known to have failed; otherwise the planner judges by the result."""


class PendingConflict(Model):
    """A contradiction between nodes that waits for its validation."""

    conflict_id: Id
    node_ids: Annotated[tuple[Id, ...], Field(min_length=2, max_length=20)]
    description: shapes.Remark = ""


class PendingUpload(Model):
    """A file that waits to be recognised."""

    upload_id: Id
    name: Annotated[Text, Field(max_length=300)] = ""
    media_type: Annotated[Text, Field(max_length=100)] = ""


class PlanningRequest(Model):
    """The task's goal, what was done, what was just done, and what came up."""

    goal: shapes.Remark
    completed: Annotated[tuple[CompletedTask, ...], Field(max_length=1000)] = ()
    finished: FinishedTask | None = None
    new_nodes: Annotated[tuple[shapes.GraphNode, ...], Field(max_length=100)] = ()
    conflicts: Annotated[tuple[PendingConflict, ...], Field(max_length=100)] = ()
    """In the order in which they were found; one is validated per round."""
    notices: Annotated[tuple[shapes.Remark, ...], Field(max_length=100)] = ()
    """Merges made, conflicts that stayed unresolved and the like."""
    uploads: Annotated[tuple[PendingUpload, ...], Field(max_length=100)] = ()
    tools: Annotated[tuple[shapes.Remark, ...], Field(max_length=100)] = ()
    """The tools that a step may use, each with what it is for; a plan that names others cannot be carried out."""

    @model_validator(mode="after")
    def _check_the_goal(self) -> "PlanningRequest":
        if not self.goal.strip():
            raise InvalidInput("a plan needs a goal")
        return self


class PlanningResponse(Model):
    """What was done, the finished step included, and the next step; none means that the goal is reached."""

    completed: tuple[CompletedTask, ...]
    current_task: PlannedTask | None


_VALIDATE: Bilingual = Bilingual(
    "Cross-validate: look at several authoritative sources and settle this contradiction. {}",
    "交叉验证：检索多个权威来源，核实以下矛盾并得出结论。{}",
)
_RECOGNISE: Bilingual = Bilingual(
    "Recognise what the user uploaded and describe it in detail: {}", "识别用户上传的内容并详细描述：{}"
)


def plan_within_rules(
    request: PlanningRequest, *, status: TaskStatus, context: str, proposed: PlannedTask | None, language: Language
) -> PlanningResponse:
    """Return the plan under the rules that no planner may break.

    What was done stays as it was, and the finished step joins it. A pending conflict is validated next, one per round;
    after that, pending uploads are recognised; after that, the proposal counts, unless it repeats a step: then the goal
    itself is gone at, and the run is over when that succeeded.
    """
    completed = request.completed
    finished = request.finished
    if finished is not None:
        ended = TaskStatus.FAILED if finished.failed else status
        done = CompletedTask(type=finished.type, description=finished.description, status=ended, context=context)
        completed = (*completed, done)
    is_ordinary = proposed is not None and proposed.conflict_id is None and not proposed.upload_ids
    if proposed is not None and is_ordinary and _is_taken(proposed.description, completed):
        # Small models plan the same step until the rounds run out, whatever it gave.
        proposed = _at_the_goal(request.goal, completed, language)
    return PlanningResponse(completed=completed, current_task=_next_task(request, proposed, language))


def _is_taken(description: str, steps: Iterable[CompletedTask | FinishedTask]) -> bool:
    """Tell whether a step was taken, in these very words."""
    return letters_only(description) in {
        letters_only(task.description) for task in steps if task.type is TaskType.NORMAL
    }


def _next_task(request: PlanningRequest, proposed: PlannedTask | None, language: Language) -> PlannedTask | None:
    if request.conflicts:
        pending = {conflict.conflict_id for conflict in request.conflicts}
        if proposed is not None and proposed.conflict_id in pending:
            return proposed
        first = request.conflicts[0]
        description = _VALIDATE[language].format(first.description).strip()[:MAX_REMARK]
        return PlannedTask(type=TaskType.CROSS_VALIDATE, description=description, conflict_id=first.conflict_id)
    if request.uploads:
        waiting = {upload.upload_id for upload in request.uploads}
        if proposed is not None and proposed.upload_ids and waiting.issuperset(proposed.upload_ids):
            return proposed.replace(type=TaskType.NORMAL, conflict_id=None)
        names = ", ".join(upload.name or upload.upload_id for upload in request.uploads)
        description = _RECOGNISE[language].format(names)[:MAX_REMARK]
        return PlannedTask(
            type=TaskType.NORMAL,
            description=description,
            upload_ids=tuple(upload.upload_id for upload in request.uploads),
        )
    if proposed is None:
        return None
    return PlannedTask(type=TaskType.NORMAL, description=proposed.description)


_LONGEST_RESULT = 8_000
"""Characters of a result that the planner is shown; of a longer one, beginning and end. Chosen by hand."""
_LONGEST_CONTEXT = 400
"""Characters of what a step taught: the design asks for one or two sentences."""
_INSTRUCTIONS: Bilingual = Bilingual(
    """
You plan the next step of a task. Decide one step at a time: look at the whole history, do not plan everything \
anew, and never change the goal (<goal>).
Rules:
1. The step just taken (<finished>): finished.status is "success" or "failed", by its result; finished.context says \
in one or two sentences what was learned, or why it failed.
2. If conflicts wait for validation (<conflicts>), the next step must be CROSS_VALIDATE, one conflict only: \
conflict is its id, as "c1"; description says what contradicts what, and which tools and sources to use.
3. Else, if uploads wait to be recognised (<uploads>), the next step is to recognise them: type NORMAL, uploads is \
the list of their ids, as ["u1"].
4. Else, by what the goal still lacks, decide on one concrete NORMAL step that can be carried out with the tools \
listed in <tools>; try a failed step in another way, and do not repeat one that succeeded.
5. If what is known is enough for the goal, plan one step that gives the final answer; if that is done, too, \
current_task is null.
Fields: finished (null if no step was just taken), current_task (null, or with type, description, conflict, uploads).
""",
    """
你负责规划一个任务的下一步。每次只决定一步：参考完整历史，不重新规划全部，也不改动目标（<goal>）。
规则：
1. 刚执行的步骤（<finished>）：finished.status 写 "success" 或 "failed"（依据其结果），finished.context \
用一到两句话写出得到的信息或失败原因。
2. 有待验证的冲突（<conflicts>）时，下一步必须是 CROSS_VALIDATE，一次只验证一个：conflict 写冲突编号，如 "c1"；\
description 写明矛盾点，以及用什么工具、查哪些来源。
3. 否则，有待识别的上传内容（<uploads>）时，下一步是识别它们：type 为 NORMAL，uploads 写编号列表，如 ["u1"]。
4. 否则，根据目标还缺什么，决定一个具体、可执行的 NORMAL 步骤，只用 <tools> 中列出的工具；\
失败过的步骤换一种做法，不重复已成功的步骤。
5. 已有信息足以达成目标时，先规划一步给出最终回答；最终回答也已完成时，current_task 为 null。
字段：finished（没有刚执行的步骤则为 null），current_task（null，或含 type、description、conflict、uploads）。
""",
)


class FinishedReply(Model):
    """How the step just taken ended."""

    status: Literal["success", "failed"]
    context: shapes.Prose = ""


class TaskReply(Model):
    """The next step."""

    type: Literal["NORMAL", "CROSS_VALIDATE"] = "NORMAL"
    description: shapes.Prose
    conflict: shapes.Prose = ""
    uploads: shapes.Words = ()


class PlanningReply(Model):
    """How the last step ended, and the next one."""

    finished: FinishedReply | None = None
    current_task: TaskReply | None
    # No default: a reply that forgets it must not end the task.


class Planning(Role[PlanningRequest, PlanningReply, PlanningResponse]):
    """Decide one next step."""

    name = "planning"
    defaults = Defaults(temperature=0.6, top_p=0.95)
    instructions = _INSTRUCTIONS
    form_shown = Bilingual(
        """{"finished": {"status": "[how it ended]", "context": "[what was learned]"}, "current_task": {"type": \
"NORMAL", "description": "[what to do next]", "conflict": "", "uploads": []}}""",
        """{"finished": {"status": "【结果】", "context": "【得到了什么】"}, "current_task": {"type": "NORMAL", \
"description": "【下一步做什么】", "conflict": "", "uploads": []}}""",
    )

    def language(self, request: PlanningRequest) -> Language:
        """Speak the language of the goal."""
        return working_language(request.goal)

    def material(self, request: PlanningRequest, *, language: Language) -> list[str]:
        """Show the goal, the history, what came up, and the step just taken."""
        conflict_names, upload_names = (aliases.names for aliases in _aliases(request))
        completed = [
            group(
                "task", [block("did", one.description), block("learned", one.context)], type=one.type, status=one.status
            )
            for one in request.completed
        ]
        uploads = [
            block("upload", one.name or "?", id=name, type=one.media_type)
            for name, one in zip(upload_names, request.uploads, strict=True)
        ]
        conflicts = [
            block("conflict", one.description or "?", id=name)
            for name, one in zip(conflict_names, request.conflicts, strict=True)
        ]
        finished, done = "", request.finished
        if done is not None:
            parts = [block("did", done.description), block("result", abridged(done.result, _LONGEST_RESULT))]
            failed = {"status": TaskStatus.FAILED.value} if done.failed else {}
            finished = group("finished", parts, type=done.type.value, **failed)
        return [
            block("goal", request.goal),
            group("completed", completed),
            group("new_memory", [node_block(node) for node in request.new_nodes]),
            group("notices", [block("notice", notice) for notice in request.notices]),
            group("tools", [block("tool", tool) for tool in request.tools]),
            group("uploads", uploads),
            group("conflicts", conflicts),
            finished,
        ]

    def needs_model(self, request: PlanningRequest) -> bool:
        """Judge the step just taken, and choose; the one thing that waits to be validated or recognised is next."""
        return request.finished is not None or len(request.conflicts or request.uploads) != 1

    def read(self, request: PlanningRequest, reply: PlanningReply) -> PlanningResponse:
        """Take the proposal as far as the rules let it."""
        status, context = TaskStatus.SUCCESS, ""
        if reply.finished is not None:
            status, context = TaskStatus(reply.finished.status), multi_line(reply.finished.context, _LONGEST_CONTEXT)
        proposed = _proposed(request, reply.current_task) if reply.current_task is not None else None
        return plan_within_rules(
            request, status=status, context=context, proposed=proposed, language=self.language(request)
        )

    async def offline(self, request: PlanningRequest, toolbox: Toolbox) -> PlanningResponse:
        """Go at the goal in one step, after conflicts and uploads; none if that succeeded and nothing came after."""
        language = working_language(request.goal)
        status, context = TaskStatus.SUCCESS, ""
        if (finished := request.finished) is not None:
            result = finished.result.strip()
            if finished.failed or not result or _FAILED.search(result[:_READ]):
                status = TaskStatus.FAILED
            # One or two sentences of the result that say most about the goal; a verdict is told whole, with its lead.
            learned = [result]
            if finished.type is TaskType.NORMAL or len(result) > _LONGEST_LESSON:
                learned = salient_sentences(result, about=f"{request.goal}\n{finished.description}", most=2)
            context = shortened(" ".join(learned), _LONGEST_LESSON)
        history = plan_within_rules(request, status=status, context=context, proposed=None, language=language).completed
        proposed = _at_the_goal(request.goal, history, language)
        return plan_within_rules(request, status=status, context=context, proposed=proposed, language=language)


def _aliases(request: PlanningRequest) -> tuple[shapes.IdAliases, shapes.IdAliases]:
    """Return the names of the conflicts and of the uploads."""
    conflicts = shapes.IdAliases([conflict.conflict_id for conflict in request.conflicts], prefix="c")
    return conflicts, shapes.IdAliases([upload.upload_id for upload in request.uploads], prefix="u")


def _proposed(request: PlanningRequest, task: TaskReply) -> PlannedTask | None:
    conflicts, uploads = _aliases(request)
    description = multi_line(task.description)
    steps: list[CompletedTask | FinishedTask] = [*request.completed]
    steps += [] if request.finished is None else [request.finished]
    if not _is_taken(description, steps) and _is_echo(description, request, steps):
        description = shortened(request.goal, MAX_REMARK)
    conflict_id = conflicts.find(task.conflict)
    upload_ids = tuple(dict.fromkeys(found for name in task.uploads if (found := uploads.find(name)) is not None))
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


_ECHO_CHARS = 30
"""Characters of a sentence that nobody writes by chance as the rules have it (chosen by hand)."""


def _is_echo(description: str, request: PlanningRequest, steps: Iterable[CompletedTask | FinishedTask]) -> bool:
    """Tell whether a small model gave back a sentence of what it was told as its plan: a rule, a tool, a step taken."""
    done = [step.description for step in steps]
    told = letters_only("\n".join([_INSTRUCTIONS.en, _INSTRUCTIONS.zh, *request.tools, *done]))
    said = [
        sentence
        for sentence in map(letters_only, sentence_texts(description))
        if sentence not in letters_only(request.goal)
    ]
    return any(len(sentence.encode()) >= _ECHO_CHARS and sentence in told for sentence in said)


_ATTEMPTS = 2
"""How often the goal is gone at before the answer is given from what is known. Chosen by hand."""
_LONGEST_LESSON = 300
"""The same without a model: two sentences of the result."""
_SAME_AIM = 0.6
"""The share of its words by which a step is taken to go at the goal; chosen by hand."""

_FAILED = re.compile(
    r"\A\s*(?:(?:(?:I['’]m|I am) )?(?:very |so )?sorry\b|I (?:can['’]t|cannot|am unable to) (?:help|assist)\b|(?:很|"
    r"非常|十分)?(?:抱歉|对不起))|\A\s*(?:error\b|failed\b|exception\b|traceback\b|timed? ?out\b|出错|错误|失败|异常|"
    r"超时)|\b(?:could not|couldn['’]t|unable to|cannot|can['’]t|did not|didn['’]t) (?:be )?(?:find|found|determine|"
    r"answer|complete|access|open|read|load|reach|verify)\b|\bno (?:results?|answer|information|data) (?:was |were )?"
    r"(?:found|available)\b|\bnothing (?:was )?found\b|(?:未能|没能|无法|没有)(?:找到|查到|得到|完成|确定|回答|访问|"
    r"打开|读取|验证)|没有(?:结果|答案|相关信息)|未找到|查不到|执行失败",
    re.IGNORECASE,
)
# A long result may well report one failure among what it found. Chosen by hand.
_READ = 400

_RETRY: Bilingual = Bilingual("Try again with other search terms and answer: {}", "换一种检索方式再试，并回答：{}")
_ANSWER: Bilingual = Bilingual(
    "Answer from what is known, and say what remains unclear: {}", "根据已有信息作答，并说明还不清楚的地方：{}"
)


def _at_the_goal(goal: str, history: tuple[CompletedTask, ...], language: Language) -> PlannedTask | None:
    # Steps that went at the goal itself: they name it, or share most of its words.
    attempts = [
        place
        for place, task in enumerate(history)
        if task.type is TaskType.NORMAL
        and (goal.strip()[:200] in task.description or term_overlap(goal, task.description) >= _SAME_AIM)
    ]
    if not attempts:
        # The goal itself: words around it would go into every search.
        return _step("{}", goal)
    last = history[attempts[-1]]
    learned_since = any(task.status is TaskStatus.SUCCESS for task in history[attempts[-1] + 1 :])
    if last.status is TaskStatus.SUCCESS:
        return _step(_ANSWER[language], goal) if learned_since else None
    failures = sum(history[place].status is TaskStatus.FAILED for place in attempts)
    if failures < _ATTEMPTS:
        return _step(_RETRY[language], goal)
    # The last resort is tried once, and once more when something was learned since.
    return _step(_ANSWER[language], goal) if failures == _ATTEMPTS or learned_since else None


def _step(wording: str, goal: str) -> PlannedTask:
    room = MAX_REMARK - len(wording)
    return PlannedTask(type=TaskType.NORMAL, description=wording.format(shortened(goal.strip(), room)))


PLANNING = Planning()

"""One next step by rules: conflicts first, then uploads, then the goal, until it is reached."""

import re

from remanent.language.exchanges.planning import (
    CompletedTask,
    FinishedTask,
    PlannedTask,
    PlanningRequest,
    PlanningResponse,
    TaskStatus,
    TaskType,
    settle,
)
from remanent.language.exchanges.shapes import LONGEST_REMARK
from remanent.language.offline.likeness import overlap
from remanent.language.offline.telling import telling
from remanent.language.offline.toolbox import Toolbox
from remanent.language.tidying import shortened
from remanent.language.tongue import Tongue, tongue_of

_ATTEMPTS = 2
"""How often the goal is gone at before the answer is given from what is known."""
_LONGEST_CONTEXT = 300
_SAME_AIM = 0.6

_FAILED = re.compile(
    r"\A\s*(?:error\b|failed\b|exception\b|traceback\b|timed? ?out\b|出错|错误|失败|异常|超时)|"
    r"\b(?:could not|couldn['’]t|unable to|cannot|can['’]t|did not|didn['’]t) (?:be )?(?:find|found|determine|"
    r"answer|complete|access|open|read|load|reach|verify)\b|\bno (?:results?|answer|information|data) (?:was |were )?"
    r"(?:found|available)\b|\bnothing (?:was )?found\b|"
    r"(?:未能|没能|无法|没有)(?:找到|查到|得到|完成|确定|回答|访问|打开|读取|验证)|没有(?:结果|答案|相关信息)|"
    r"未找到|查不到|执行失败",
    re.IGNORECASE,
)
# A long result may well report one failure among what it found.
_READ = 400

_GO: dict[Tongue, str] = {
    "zh": "检索并回答：{}",
    "en": "Search and answer: {}",
}
_RETRY: dict[Tongue, str] = {
    "zh": "换一种检索方式再试，并回答：{}",
    "en": "Try again with other search words and answer: {}",
}
_ANSWER: dict[Tongue, str] = {
    "zh": "根据已有信息作答，并说明还不清楚的地方：{}",
    "en": "Answer from what is known, and say what stays unclear: {}",
}


async def plan(request: PlanningRequest, toolbox: Toolbox) -> PlanningResponse:
    """Decide on one next step; there is none when a step at the goal succeeded and nothing was learned after it."""
    tongue = tongue_of(request.goal)
    status, context = TaskStatus.SUCCESS, ""
    if request.finished is not None:
        status = _ended(request.finished)
        context = _learned(request.finished, request.goal)
    history = settle(request, status=status, context=context, proposed=None, tongue=tongue).completed
    proposed = _at_the_goal(request.goal, history, tongue)
    return settle(request, status=status, context=context, proposed=proposed, tongue=tongue)


def _ended(finished: FinishedTask) -> TaskStatus:
    result = finished.result.strip()
    failed = finished.failed or not result or _FAILED.search(result[:_READ]) is not None
    return TaskStatus.FAILED if failed else TaskStatus.SUCCESS


def _learned(finished: FinishedTask, goal: str) -> str:
    """Return one or two sentences of the result that say most about the goal."""
    chosen = telling(finished.result, about=f"{goal}\n{finished.description}", most=2)
    return shortened(" ".join(chosen), _LONGEST_CONTEXT) if chosen else ""


def _at_the_goal(goal: str, history: tuple[CompletedTask, ...], tongue: Tongue) -> PlannedTask | None:
    attempts = [place for place, task in enumerate(history) if _is_at(task, goal)]
    if not attempts:
        return _step(_GO[tongue], goal)
    last = history[attempts[-1]]
    learned_since = any(task.status is TaskStatus.SUCCESS for task in history[attempts[-1] + 1 :])
    if last.status is TaskStatus.SUCCESS:
        return _step(_ANSWER[tongue], goal) if learned_since else None
    failures = sum(history[place].status is TaskStatus.FAILED for place in attempts)
    if failures < _ATTEMPTS:
        return _step(_RETRY[tongue], goal)
    # The last resort is tried once, and once more when something was learned since.
    return _step(_ANSWER[tongue], goal) if failures == _ATTEMPTS or learned_since else None


def _is_at(task: CompletedTask, goal: str) -> bool:
    """Tell whether a step went at the goal itself: it names it, or shares most of its words."""
    if task.type is not TaskType.NORMAL:
        return False
    return goal.strip()[:200] in task.description or overlap(goal, task.description) >= _SAME_AIM


def _step(wording: str, goal: str) -> PlannedTask:
    room = LONGEST_REMARK - len(wording)
    return PlannedTask(type=TaskType.NORMAL, description=wording.format(shortened(goal.strip(), room)))

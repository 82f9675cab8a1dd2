"""Planning: the Insight Doc, which says how a task stands, and the planner, which decides on one next step at a time.

There is no queue of steps: what a round finds may change everything that would have been planned beyond it. What must
not be forgotten meanwhile (conflicts, uploads, notices) is kept apart and shown to the planner each time.
"""

from collections.abc import Sequence

from pydantic import model_validator

from remanent.bank.conflicts import Conflicts
from remanent.bank.ingestion import IngestReport
from remanent.bank.runtime import BankRuntime, EventKind
from remanent.bank.store import bank_metadata, source_of
from remanent.bilingual import Bilingual, Language, in_language
from remanent.errors import InvalidInput, LanguageError
from remanent.language.roles.next_step import (
    PLANNING,
    CompletedTask,
    FinishedTask,
    PendingUpload,
    PlannedTask,
    PlanningRequest,
    PlanningResponse,
    TaskStatus,
    TaskType,
    plan_within_rules,
)
from remanent.language.shapes import MAX_REMARK, MAX_TEXT, Remark, one_line, shortened
from remanent.model import Conflict, Entry, Model
from remanent.model.ids import Id
from remanent.text.scripts import working_language

_WORDS = {
    "goal": Bilingual("Goal: {}", "任务目标：{}"),
    "completed": Bilingual("Completed sub-tasks:", "已完成的子任务："),
    "none": Bilingual(" (none)", "（无）"),
    "task": Bilingual(
        "{number}. [{type}] {description} ({status}) {context}", "{number}. [{type}] {description}（{status}）{context}"
    ),
    "success": Bilingual("success", "成功"),
    "failed": Bilingual("failed", "失败"),
    "current": Bilingual("Current task: [{type}] {description}", "当前任务：[{type}] {description}"),
    "nothing": Bilingual("Current task: (none)", "当前任务：（无）"),
}


class InsightDoc(Model):
    """The goal, the completed sub-tasks and the one next step; it goes into every prompt.

    Each change of it is appended to the journal as a whole, and the last one found there is where a resumed task goes
    on.
    """

    id: Id
    goal: Remark
    completed: tuple[CompletedTask, ...] = ()
    current: PlannedTask | None = None

    @model_validator(mode="after")
    def _check_the_goal(self) -> "InsightDoc":
        if not self.goal.strip():
            raise InvalidInput("the task has no goal; say what to find out or do")
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
        """Whether nothing is left to do and every sub-task succeeded."""
        return self.current is None and all(task.status is TaskStatus.SUCCESS for task in self.completed)

    @property
    def language(self) -> Language:
        """The language of the task."""
        return working_language(self.goal)

    def __str__(self) -> str:
        """Return what `render` does: whoever prints a plan wants to read it."""
        return self.render()

    def render(self, language: Language | None = None) -> str:
        """Return the whole document as text; whoever puts it into a prompt must escape it."""
        words = in_language(_WORDS, language or self.language)
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
            parts[-1] += words["none"]
        if self.current is None:
            parts.append(words["nothing"])
        else:
            parts.append(words["current"].format(type=self.current.type.value, description=self.current_task))
        return "\n".join(parts)


_INSIGHT = "insight"


def insight_in(entry: Entry) -> InsightDoc | None:
    """Return the Insight Doc that an entry keeps, if it does: beside its text, since nobody said it or searches it."""
    kept = bank_metadata(entry).get(_INSIGHT) if source_of(entry) == _INSIGHT and not entry.erased else None
    return None if kept is None else InsightDoc.model_validate(kept)


_MOST_SHOWN = 100
"""New nodes, notices, uploads and tools that the request of the planning role accepts, of each."""
_MAX_NODE_CHARS = 40_000
"""Characters of new nodes that the planner is shown: about 10,000 tokens, a third of the roles' default window, which
leaves room for the history. Chosen by hand."""
_MAX_FAILURES = 2
"""Plans in a row that may fail before the run ends: each was tried twice, so the model is not coming back soon."""

_NOTICES = {
    "unresolved": Bilingual(
        "A conflict stays unresolved; its nodes are kept and marked: {description} ({why})",
        "冲突未能解决，相关节点都保留并已标记：{description}（{why}）",
    ),
    "failures": Bilingual(
        "A sub-task failed; plan another way if there is one, otherwise finish.",
        "有子任务失败；若还能换一种做法就规划下一步，否则结束。",
    ),
    "planner": Bilingual("Planning failed: {why}", "规划失败：{why}"),
    "set_aside": Bilingual(
        "A text could not be read; it is kept and can be found by search: {text} ({why})",
        "有一段文本无法读入，原文已保留，可用 search 检索：{text}（{why}）",
    ),
}


class Planner:
    """Holds the Insight Doc, gathers what came up since the last plan, and has the next step decided."""

    def __init__(self, runtime: BankRuntime, conflicts: Conflicts) -> None:
        self._runtime = runtime
        self._conflicts = conflicts
        self._insight: InsightDoc | None = None
        self._new: list[str] = []
        self._notices: list[str] = []
        self._failures = 0

    @property
    def has_task(self) -> bool:
        """Whether a task was begun."""
        return self._insight is not None

    @property
    def insight(self) -> InsightDoc:
        """The Insight Doc as it stands."""
        if self._insight is None:
            raise InvalidInput("this bank has no task yet; `start` gives it one")
        return self._insight

    @property
    def aim(self) -> str:
        """What is being worked on: the current step, else the goal; empty before the task is known."""
        return (self._insight.current_task or self._insight.goal) if self._insight is not None else ""

    async def begin(self, goal: str, *, given: Sequence[Entry] = ()) -> InsightDoc:
        """Set the goal, and store it together with the entries that were given with it: both or neither."""
        if self._insight is not None:
            raise InvalidInput("this bank already has a task; open another bank for another task")
        return await self._keep(InsightDoc(id=self._runtime.new_id(), goal=goal.strip()), given=given)

    def note(self, report: IngestReport) -> None:
        """Remember what an ingestion found for the next plan."""
        self._new += [node_id for node_id in report.node_ids if node_id not in self._new]
        self._notices += [one_line(text, MAX_REMARK) for text in (*report.merges, *report.bounds)]

    def notice_unresolved(self, conflict: Conflict) -> None:
        """Have the next plan told that a conflict stays unresolved."""
        why = conflict.verdict.text if conflict.verdict else ""
        self._notice("unresolved", description=conflict.description, why=why)

    def notice_set_aside(self, entry: Entry, why: str) -> None:
        """Have the next plan told that a text could not be read; before the task is known there is nobody to tell."""
        if self._insight is not None:
            self._notice("set_aside", text=one_line(entry.text, 200), why=why)

    async def plan(
        self,
        finished: FinishedTask | None = None,
        *,
        uploads: Sequence[PendingUpload] = (),
        tools: Sequence[str] = (),
    ) -> InsightDoc:
        """Decide on one next step.

        Where sub-tasks failed and the planner wants to end, it is asked again with a hint: models give up early, and
        another way is often there.
        """
        insight = self.insight
        request = self._request(finished, uploads, tools)
        response = await self._planned(request)
        failed = any(task.status is TaskStatus.FAILED for task in response.completed)
        if response.current_task is None and failed and self._failures == 0:
            self._notice("failures")
            again = request.replace(
                completed=response.completed, finished=None, notices=tuple(self._notices[-_MOST_SHOWN:])
            )
            response = await self._planned(again)
        insight = insight.replace(completed=response.completed, current=response.current_task)
        await self._conflicts.validating(insight.current.conflict_id if insight.current else None)
        self._new.clear()
        self._notices.clear()
        await self._keep(insight)
        self._runtime.emit(EventKind.PLAN, insight.current_task, completed=len(insight.completed))
        return insight

    async def answer_next(self) -> InsightDoc:
        """Make the goal itself the next step."""
        step = PlannedTask(type=TaskType.NORMAL, description=self.insight.goal)
        insight = await self._keep(self.insight.replace(current=step))
        self._runtime.emit(EventKind.PLAN, insight.current_task, completed=len(insight.completed))
        return insight

    async def _planned(self, request: PlanningRequest) -> PlanningResponse:
        """Ask the planning role; when it fails, the step counts as failed and the goal itself is the next step."""
        try:
            response = (await self._runtime.ask(PLANNING, request)).value
        except LanguageError as error:
            self._failures += 1
            self._runtime.emit(EventKind.FAILED, str(error), role="planning")
            self._notice("planner", why=str(error))
            goal = PlannedTask(type=TaskType.NORMAL, description=request.goal)
            context = one_line(str(error), 300)
            return plan_within_rules(
                request,
                status=TaskStatus.FAILED,
                context=context,
                proposed=goal if self._failures < _MAX_FAILURES else None,
                language=self.insight.language,
            )
        self._failures = 0
        return response

    def _request(
        self, finished: FinishedTask | None, uploads: Sequence[PendingUpload], tools: Sequence[str]
    ) -> PlanningRequest:
        """Return what the planner is told of how the task stands."""
        insight = self.insight
        if finished is not None:
            finished = finished.replace(
                description=shortened(finished.description, MAX_REMARK), result=finished.result[:MAX_TEXT]
            )
        # Of everything that may grow without end, the newest part is shown.
        graph = self._runtime.graph
        live = [graph.get(node_id).shown for node_id in self._new if node_id in graph][-_MOST_SHOWN:]
        room = _MAX_NODE_CHARS // max(1, len(live))
        return PlanningRequest(
            goal=insight.goal,
            completed=insight.completed[-1000:],
            finished=finished,
            new_nodes=tuple(node.replace(summary=shortened(node.summary, room)) for node in live),
            conflicts=self._conflicts.pending,
            notices=tuple(self._notices[-_MOST_SHOWN:]),
            uploads=tuple(uploads[:_MOST_SHOWN]),
            tools=tuple(shortened(tool, MAX_REMARK) for tool in tools[:_MOST_SHOWN]),
        )

    def _notice(self, name: str, **values: str) -> None:
        self._notices.append(one_line(_NOTICES[name][self.insight.language].format(**values), MAX_REMARK))

    async def _keep(self, insight: InsightDoc, *, given: Sequence[Entry] = ()) -> InsightDoc:
        """Write down the Insight Doc as an entry, with what it was made after; a resumed run reads the last one."""
        async with self._runtime.bank_store.transaction() as tx:
            for entry in given:
                tx.append(entry)
            tx.append(self._runtime.entry("", source=_INSIGHT, insight=insight.model_dump(mode="json")))
        self._insight = insight
        return insight

    def resume(self) -> None:
        """Continue with the last Insight Doc of the journal."""
        for entry in reversed(self._runtime.bank_store.entries.values()):
            if (insight := insight_in(entry)) is not None:
                self._insight = insight
                return

    def clear(self) -> None:
        """Forget the task."""
        self._insight = None
        self._new.clear()
        self._notices.clear()
        self._failures = 0

"""The planner's desk: the Insight Doc, what came up since the last plan, and one next step at a time."""

from collections.abc import Sequence

from remanent.bank.conflicts import Conflicts
from remanent.bank.events import EventKind
from remanent.bank.insight import InsightDoc
from remanent.bank.tree import BANK
from remanent.bank.weaving import Woven
from remanent.bank.workbench import Workbench
from remanent.errors import InvalidInput, LanguageError
from remanent.language.roles import PLANNING
from remanent.language.roles.planning import (
    FinishedTask,
    PendingUpload,
    PlannedTask,
    PlanningRequest,
    PlanningResponse,
    TaskStatus,
    TaskType,
    settle,
)
from remanent.language.shapes import MAX_REMARK, MAX_TEXT, GraphNode
from remanent.language.tidying import line, shortened
from remanent.language.tongue import Tongue
from remanent.model import Conflict, Entry

INSIGHT = "insight"
_MOST_NODES = 100
_MOST_NOTICES = 100
_MOST_UPLOADS = 100
_ROOM = 40_000
"""Characters of new nodes that the planner is shown."""
_MOST_FAILURES = 2

_NOTICES: dict[Tongue, dict[str, str]] = {
    "zh": {
        "unresolved": "冲突未能解决，相关节点都保留并已标记：{description}（{why}）",
        "failures": "有子任务失败；若还能换一种做法就规划下一步，否则结束。",
        "planner": "规划失败：{why}",
    },
    "en": {
        "unresolved": "A conflict stays unresolved, its nodes are kept and marked: {description} ({why})",
        "failures": "A sub-task failed; plan another way if there is one, else end.",
        "planner": "Planning failed: {why}",
    },
}


class Planner:
    """Keeps the Insight Doc and has the next step decided."""

    def __init__(self, bench: Workbench, conflicts: Conflicts) -> None:
        self._bench = bench
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
        """Set the goal and keep what was given with it: both or neither."""
        if self._insight is not None:
            raise InvalidInput("this bank has a task already; open another one for another task")
        return await self._keep(InsightDoc(id=self._bench.new_id(), goal=goal.strip()), given=given)

    def note(self, woven: Woven) -> None:
        """Keep what came up for the next plan."""
        self._new += [node_id for node_id in woven.node_ids if node_id not in self._new]
        self._notices += [line(text, MAX_REMARK) for text in (*woven.merges, *woven.bounds)]

    def notice_unresolved(self, conflict: Conflict) -> None:
        """Have the planner told that a conflict stays."""
        why = conflict.verdict.text if conflict.verdict else ""
        self._notice("unresolved", description=conflict.description, why=why)

    async def plan(self, finished: FinishedTask | None = None, *, uploads: Sequence[PendingUpload] = ()) -> InsightDoc:
        """Decide on one next step; where sub-tasks failed, the end is taken only when it is said twice."""
        insight = self.insight
        request = self._request(finished, uploads)
        response = await self._planned(request)
        failed = any(task.status is TaskStatus.FAILED for task in response.completed)
        if response.current_task is None and failed and self._failures == 0:
            self._notice("failures")
            again = request.replace(completed=response.completed, finished=None, notices=tuple(self._notices[-100:]))
            response = await self._planned(again)
        insight = insight.replace(completed=response.completed, current=response.current_task)
        await self._conflicts.validating(insight.current.conflict_id if insight.current else None)
        self._new.clear()
        self._notices.clear()
        await self._keep(insight)
        self._bench.tell(EventKind.PLAN, insight.current_task, completed=len(insight.completed))
        return insight

    async def _planned(self, request: PlanningRequest) -> PlanningResponse:
        """Have a plan made; when that fails twice the step counts as failed and the goal itself is the next one."""
        try:
            response = (await self._bench.ask(PLANNING, request)).value
        except LanguageError as error:
            self._failures += 1
            self._bench.tell(EventKind.FAILED, str(error), role="planning")
            self._notice("planner", why=str(error))
            goal = PlannedTask(type=TaskType.NORMAL, description=request.goal)
            context = line(str(error), 300)
            return settle(
                request,
                status=TaskStatus.FAILED,
                context=context,
                proposed=goal if self._failures < _MOST_FAILURES else None,
                tongue=self.insight.tongue,
            )
        self._failures = 0
        return response

    def _request(self, finished: FinishedTask | None, uploads: Sequence[PendingUpload]) -> PlanningRequest:
        insight = self.insight
        if finished is not None:
            finished = finished.replace(
                description=shortened(finished.description, MAX_REMARK), result=finished.result[:MAX_TEXT]
            )
        return PlanningRequest(
            goal=insight.goal,
            completed=insight.completed[-1000:],
            finished=finished,
            new_nodes=self._new_nodes(),
            conflicts=self._conflicts.pending,
            notices=tuple(self._notices[-_MOST_NOTICES:]),
            uploads=tuple(uploads[:_MOST_UPLOADS]),
        )

    def _new_nodes(self) -> tuple[GraphNode, ...]:
        """Return the new nodes, shortened as far as they must be to fit into the planner's window."""
        live = [self._bench.graph.get(node_id).shown for node_id in self._new if node_id in self._bench.graph]
        live = live[-_MOST_NODES:]
        room = _ROOM // max(1, len(live))
        return tuple(node.replace(summary=shortened(node.summary, room)) for node in live)

    def _notice(self, name: str, **values: str) -> None:
        self._notices.append(line(_NOTICES[self.insight.tongue][name].format(**values), MAX_REMARK))

    async def _keep(self, insight: InsightDoc, *, given: Sequence[Entry] = ()) -> InsightDoc:
        async with self._bench.ledger.transaction() as tx:
            for entry in given:
                tx.append(entry)
            tx.append(self._bench.entry(insight.to_json(), source=INSIGHT))
        self._insight = insight
        return insight

    def resume(self) -> None:
        """Take up the last Insight Doc of the journal."""
        for entry in reversed(self._bench.ledger.entries.values()):
            said = entry.metadata.get(BANK)
            if isinstance(said, dict) and said.get("source") == INSIGHT:
                self._insight = InsightDoc.from_json(entry.text)
                return

    def clear(self) -> None:
        """Forget the task."""
        self._insight = None
        self._new.clear()
        self._notices.clear()
        self._failures = 0

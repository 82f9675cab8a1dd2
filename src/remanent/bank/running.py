"""A whole run of a task: plan, have a step done, take in what came of it, until nothing is left to do."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic

from remanent.agents.knowledge import KnowledgeSearch, Text
from remanent.agents.search import SerperSearch
from remanent.agents.tools import AgentTool
from remanent.agents.visit import Visit
from remanent.agents.witness import witnessed
from remanent.bank.adapter.adapter import Adapter
from remanent.bank.adapter.framework import Execution, Framework, PresentedT, ResultT
from remanent.bank.bank import READ, Bank
from remanent.bank.events import EventKind
from remanent.bank.insight import InsightDoc
from remanent.bank.tree import source_of
from remanent.embedding import Embedder
from remanent.errors import LanguageError, RemanentError
from remanent.language.roles.planning import FinishedTask, PlannedTask
from remanent.model import Model
from remanent.model.base import Count
from remanent.model.base import Text as Words
from remanent.model.ids import Id
from remanent.settings import Settings

_logger = logging.getLogger(__name__)

SIDES = " / "
"""Parts the two statements in the description of a conflict that was found without a model."""
_SHORTEST_STATEMENT = 6


class End(StrEnum):
    """How a run ended."""

    DONE = "done"
    """Nothing is left to do and every sub-task succeeded."""
    FAILED = "failed"
    """Nothing is left to do, but a sub-task failed."""
    MAX_ROUNDS = "max_rounds"
    """The safety limit stopped it."""


class RunResult(Model):
    """The answer of a run, what it rests on, and how it came about."""

    answer: Words
    end: End
    rounds: Count
    insight: InsightDoc
    node_ids: tuple[Id, ...] = ()
    """The nodes that the answer's step was shown, and those that it led to."""
    entry_ids: tuple[Id, ...] = ()
    """The entries behind those nodes."""


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that is given with a task."""

    content: bytes
    name: str = ""
    media_type: str = ""


class BankRun(Generic[PresentedT, ResultT]):
    """Runs a task on any framework; the Adapter's files are removed at the end, however it ends."""

    def __init__(
        self, adapter: Adapter, framework: Framework[PresentedT, ResultT], *, tools: Sequence[AgentTool] = ()
    ) -> None:
        self._adapter = adapter
        self._bank: Bank = adapter.bank
        self._framework = framework
        self._tools = tuple(witnessed(tool, adapter.witness) for tool in (*tools, adapter.tool))
        self._answer = ""
        self._rests_on: tuple[str, ...] = ()

    async def run(self, task: str, *, context: str = "", files: Sequence[GivenFile] = ()) -> RunResult:
        """Begin a task and see it through."""
        try:
            try:
                await self._bank.start(task, context=context)
            except LanguageError as error:
                # The words are kept and read again with what comes next; without a goal there is nothing to do.
                self._bank.tell(EventKind.FAILED, str(error), role="start")
                _ = self._bank.insight
            for file in files:
                await self._adapter.upload(file.content, name=file.name, media_type=file.media_type)
            await self._adapter.plan()
            return await self._finish()
        finally:
            await self._adapter.close()

    async def resume(self, *, files: Sequence[GivenFile] = ()) -> RunResult:
        """Go on with a task that a bank holds already; files that were recognised before are not taken again."""
        try:
            for file in files:
                if file.name not in self._adapter.recognised:
                    await self._adapter.upload(file.content, name=file.name, media_type=file.media_type)
            current = self._bank.insight.current
            waiting = {upload.upload_id for upload in self._adapter.waiting}
            # Uploads that waited in a process that is gone are gone: the step is planned anew, with those there are.
            if current is None or (current.upload_ids and not waiting.intersection(current.upload_ids)):
                await self._adapter.plan()
            elif (settled := self._settled(current)) is not None:
                await self._adapter.plan(settled)
            return await self._finish()
        finally:
            await self._adapter.close()

    def _settled(self, task: PlannedTask) -> FinishedTask | None:
        """Return a validation as finished whose conflict was settled before the process ended."""
        conflict = self._bank.conflicts.get(task.conflict_id) if task.conflict_id is not None else None
        if conflict is None or conflict.verdict is None:
            return None
        return FinishedTask(type=task.type, description=task.description, result=conflict.verdict.text)

    async def _finish(self) -> RunResult:
        rounds = 0
        most = self._bank.settings.max_rounds
        while (insight := self._bank.insight).current is not None:
            if rounds >= most:
                self._bank.tell(EventKind.LIMIT, f"stopped after {rounds} rounds; see bank.max_rounds", rounds=rounds)
                return self._result(End.MAX_ROUNDS, rounds)
            rounds += 1
            self._bank.tell(EventKind.ROUND, insight.current_task, number=rounds, type=insight.current.type.value)
            await self._round(insight)
        return self._result(End.DONE if insight.is_complete else End.FAILED, rounds)

    async def _round(self, insight: InsightDoc) -> None:
        assert insight.current is not None, "a round has a step"
        shown: tuple[str, ...] = ()
        try:
            prompt = await self._adapter.enhance()
            shown = tuple(item.node.id for item in prompt.nodes)
            presented = self._framework.present(prompt, tools=self._tools)
            execution = self._framework.capture(await self._framework.execute(presented))
        except RemanentError as error:
            _logger.warning("a step failed: %s", error)
            execution = Execution(answer="", failed=True, detail=str(error))
        await self._adapter.intercept(execution)
        routed = self._adapter.routed[-1]
        is_answer = insight.current.conflict_id is None and not insight.current.upload_ids
        if is_answer and not routed.problem:
            self._answer = execution.answer
            self._rests_on = tuple(dict.fromkeys((*shown, *routed.node_ids)))

    def _result(self, end: End, rounds: int) -> RunResult:
        nodes = tuple(node_id for node_id in self._rests_on if node_id in self._bank.graph)
        entries = dict.fromkeys(entry.entry_id for node_id in nodes for entry in self._bank.tree.of(node_id))
        self._bank.tell(EventKind.ANSWER, self._answer, end=end.value, rounds=rounds)
        return RunResult(
            answer=self._answer,
            end=end,
            rounds=rounds,
            insight=self._bank.insight,
            node_ids=nodes,
            entry_ids=tuple(entries),
        )


def usual_tools(settings: Settings, bank: Bank, *, embedder: Embedder | None = None) -> list[AgentTool]:
    """Return the tools that settings give a bank's agent: the web where there is a key, else what the bank was given.

    Deep Retrieval is added by the run itself.
    """
    if settings.search.api_key is None:
        return [KnowledgeSearch(lambda: given_texts(bank), embedder=embedder)]
    return [SerperSearch(settings.search), Visit(settings.reader)]


async def close_tools(tools: Sequence[AgentTool]) -> None:
    """Close the connections of tools that have any."""
    for tool in tools:
        if isinstance(tool, SerperSearch | Visit):
            await tool.close()


def given_texts(bank: Bank) -> list[Text]:
    """Return all that a bank took in, to be searched: what it was given, and what steps brought from outside."""
    refuted = _refuted(bank)
    texts = []
    for entry in bank.tree.entries:
        if source_of(entry) in READ and entry.text.strip():
            text = entry.text
            for statement in refuted:
                text = text.replace(statement, "")
            texts.append(Text(entry.id, text, title=source_of(entry)))
    return texts


def _refuted(bank: Bank) -> list[str]:
    """Return the statements that validations found wrong, as the conflicts' descriptions quote them.

    They stay in the trees, where Deep Retrieval shows them; a search must not offer them as facts again.
    """
    refuted = []
    for conflict in bank.conflicts.every:
        upheld = conflict.verdict.upheld if conflict.verdict is not None else ()
        right = [claim.text for claim in conflict.claims if claim.record_id in upheld]
        wrong = [claim.text for claim in conflict.claims if claim.record_id not in upheld]
        if not right:
            continue
        sides = [side.strip() for side in conflict.description.split(SIDES)]
        refuted += [side for side in sides if _stands_in(side, wrong) and not _stands_in(side, right)]
    return [statement for statement in refuted if len(statement) >= _SHORTEST_STATEMENT]


def _stands_in(side: str, texts: Sequence[str]) -> bool:
    return any(side in text for text in texts)

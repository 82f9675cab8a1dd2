"""A whole run of a task: plan a step, have a framework execute it, ingest the outcome, until nothing is left to do.

A run ends when the planner says so, or at `bank.max_rounds`. It can be resumed from the journal at any step; a step
that was under way when its process died is done again.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Generic

from remanent.agents.search import SearchableText, SerperSearch, TextSearch, Visit
from remanent.agents.tools import AgentTool, with_listener
from remanent.bank.adapter import AsyncAdapter
from remanent.bank.adapter.framework import SAID, Execution, Framework, StepResultT, StepT
from remanent.bank.bank import MemoryBank
from remanent.bank.conflicts import contested, nodes_of, refuted_statements
from remanent.bank.passages import titled_parts
from remanent.bank.planner import InsightDoc
from remanent.bank.runtime import EventKind
from remanent.bank.store import INGESTED_SOURCES, VALIDATION, source_of
from remanent.bilingual import Bilingual, Language
from remanent.embedding import Embedder
from remanent.errors import LanguageError, RemanentError
from remanent.language.offline.claims import read_claim
from remanent.language.offline.evidence import UNSUPPORTED, bears_out, values_in
from remanent.language.roles.next_step import FinishedTask, PlannedTask, TaskType
from remanent.language.roles.react import UNKNOWN
from remanent.lightweight import dataclass
from remanent.model import Conflict, Entry, Model
from remanent.model.base import Count, Text
from remanent.model.ids import Id
from remanent.settings import Settings
from remanent.text.keywords import WordIndex
from remanent.text.sentences import sentence_texts

_logger = logging.getLogger(__name__)


_NO_ANSWER: Bilingual = Bilingual("No answer was found.", "没有得出答案。")
_DISAGREE: Bilingual = Bilingual("Sources disagree: {sides}", "各来源说法不一：{sides}")
_SIDE: Bilingual = Bilingual("“{side}” ({origin})", "“{side}”（{origin}）")
_SIDE_ALONE: Bilingual = Bilingual("“{side}”", "“{side}”")
_MAX_ORIGIN_CHARS = 60
"""Characters of how a text begins, by which a reader knows which source says so where two disagree."""


# ── what bears an answer out ─────────────────────────────────────────────────
# A sentence is held against what was given and what tools found, never against what the agent itself said. Several
# texts may say together what none says alone, and a short answer is one word of one of them: so a sentence is
# unsupported only where a name or a figure of it, or most of its words, stand in none of the texts nor in the question.
# Of the answers to 50 questions over several English texts 1 was so by mistake, of 150 answers to other questions 130
# were.

_MOST = 0.5
"""More than this share of the words that a question has not must stand in some text, where there is no name or figure;
as in `WordIndex`."""
_PLAIN = (
    "answer question memory information text source context document result passage according based provided given "
    "known short therefore thus "
    "答案 回答 问题 记忆 信息 资料 文本 来源 文档 结果 根据 依据 提供 已知 因此 所以 是的 对 不是"
)
"""Words by which an answer speaks of itself and of what it was given."""


class BackedSentence(Model):
    """A sentence of an answer, and the entries that bear it out."""

    text: Text
    supported: bool = True
    """False where a name or a figure of it, or most of its words, stand in nothing that the bank was given or found."""
    entry_ids: tuple[Id, ...] = ()
    """The entries that say the same, or that have its words between them; none where it only says yes, no or that
    nothing is known."""


def evidence_in(entries: Iterable[Entry]) -> dict[str, str]:
    """Return by their ids the texts that an answer may rest on, without what the agent itself said in them."""
    found = {}
    for entry in entries:
        if source_of(entry) not in {*INGESTED_SOURCES, VALIDATION}:
            continue
        text, places = entry.text, entry.metadata.get(SAID)
        for place in places if isinstance(places, list) else ():
            match place:
                case [int(start), int(end)]:
                    text = text[:start] + " " * (end - start) + text[end:]
                case _:
                    continue
        if text.strip():
            found[entry.id] = text
    return found


def backed(answer: str, evidence: Mapping[str, str], *, asked: str) -> tuple[BackedSentence, ...]:
    """Return the sentences of an answer to what was asked, each with what bears it out, the best first."""
    indexes = {entry_id: WordIndex(text) for entry_id, text in evidence.items()}
    near = sorted(evidence, key=lambda entry_id: -indexes[entry_id].share(asked))
    every, known = WordIndex("\n".join(evidence.values())), WordIndex(f"{asked}\n{_PLAIN}")

    def judged(sentence: str) -> BackedSentence:
        values = [value for value in values_in(sentence) if known.share(value) < 1]
        words = known.news(sentence)
        if UNKNOWN.search(sentence) or not (values or words):
            return BackedSentence(text=sentence)
        missing = {*every.news(sentence)}
        bare = not values and len([word for word in words if word not in missing]) <= _MOST * len(words)
        may_say = (entry_id for entry_id in near if indexes[entry_id].share(sentence) > _MOST)
        saying = [entry_id for entry_id in may_say if bears_out(sentence, evidence[entry_id])]
        if not saying and (bare or any(every.share(value) < 1 for value in values)):
            return BackedSentence(text=sentence, supported=False)
        return BackedSentence(text=sentence, entry_ids=tuple(saying or _between(words, near, indexes)))

    return tuple(judged(sentence) for sentence in sentence_texts(answer))


def _between(words: list[str], near: Iterable[str], indexes: Mapping[str, WordIndex]) -> list[str]:
    """Return the entries that have words between them: each adds one that those before it have not."""
    chosen = []
    for entry_id in near:
        left = [word for word in words if indexes[entry_id].share(word) < 1]
        if len(left) < len(words):
            chosen.append(entry_id)
            words = left
    return chosen


def marked(answer: str, sentences: Iterable[BackedSentence], language: Language) -> str:
    """Return an answer with the mark behind each sentence that nothing bears out."""
    for sentence in sentences:
        if not sentence.supported:
            answer = answer.replace(sentence.text, f"{sentence.text} {UNSUPPORTED[language]}", 1)
    return answer


# ── the run ──────────────────────────────────────────────────────────────────


class RunStatus(StrEnum):
    """How a run ended."""

    DONE = "done"
    """Nothing is left to do and every sub-task succeeded."""
    FAILED = "failed"
    """Nothing is left to do, but a sub-task failed."""
    MAX_ROUNDS = "max_rounds"
    """The safety limit stopped it."""
    MAX_TOKENS = "max_tokens"
    """The budget of tokens was spent; the rest was done without a model."""


class RunResult(Model):
    """The answer of a run, what it rests on, and how it came about."""

    answer: Text
    """Never empty: where there is none, it says so."""
    end: RunStatus
    rounds: Count
    tokens: Count = 0
    """What the task took of a model, requests and answers together; 0 without one. `bank.max_tokens` bounds it."""
    fell_back: tuple[str, ...] = ()
    """The roles that were done without the model that they are given to: it failed, or the budget was spent."""
    insight: InsightDoc
    sentences: tuple[BackedSentence, ...] = ()
    """The agent's answer, sentence by sentence, each with what bears it out."""
    node_ids: tuple[Id, ...] = ()
    """The nodes behind which the entries stand that bear the answer out, both sides of what is contested first; of a
    yes or a no, those that the answering step was shown."""
    entry_ids: tuple[Id, ...] = ()
    """Those entries."""

    @property
    def marked_answer(self) -> str:
        """The answer for people to read, with a mark behind each sentence that nothing bears out."""
        return marked(self.answer, self.sentences, self.insight.language)


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that is given with a task."""

    content: bytes
    name: str = ""
    media_type: str = ""


class BankRun(Generic[StepT, StepResultT]):
    """Runs a task on any framework; temporary files are removed at the end, however it ends."""

    def __init__(
        self, adapter: AsyncAdapter, framework: Framework[StepT, StepResultT], *, tools: Sequence[AgentTool] = ()
    ) -> None:
        self._adapter = adapter
        self._bank: MemoryBank = adapter.bank
        self._emit = adapter.bank.runtime.emit
        self._framework = framework
        self._tools = tuple(with_listener(tool, adapter.record_step) for tool in (*tools, adapter.tool))
        adapter.tools = tuple(tool.declaration for tool in self._tools)
        self._answer = ""
        self._needs_answer = True
        """Whether nothing was answered yet, or a contradiction was settled since."""
        self._rests_on: tuple[str, ...] = ()

    async def run(self, task: str, *, context: str = "", files: Sequence[GivenFile] = ()) -> RunResult:
        """Start a task and work on it to the end."""
        try:
            try:
                await self._bank.start(task, context=context)
            except LanguageError as error:
                # The context is in the journal and is ingested with the next text. Without a goal there is nothing to
                # do: then this raises.
                self._emit(EventKind.FAILED, str(error), role="start")
                _ = self._bank.planner.insight
            for file in files:
                await self._adapter.upload(file.content, name=file.name, media_type=file.media_type)
            await self._adapter.plan()
            return await self._finish()
        finally:
            await self._adapter.close()

    async def resume(self, *, files: Sequence[GivenFile] = ()) -> RunResult:
        """Continue a task that the bank holds already; files that were recognised before are not uploaded again."""
        try:
            for file in files:
                if file.name not in self._adapter.recognised:
                    await self._adapter.upload(file.content, name=file.name, media_type=file.media_type)
            current = self._bank.planner.insight.current
            waiting = {upload.upload_id for upload in self._adapter.waiting}
            # Uploads of a dead process were removed with it; the step is planned again with those that are there now.
            if current is None or (current.upload_ids and not waiting.intersection(current.upload_ids)):
                await self._adapter.plan()
            elif (settled := self._settled(current)) is not None:
                await self._adapter.plan(settled)
            return await self._finish()
        finally:
            await self._adapter.close()

    def _settled(self, task: PlannedTask) -> FinishedTask | None:
        """Return a validation as finished if its conflict was settled before the process died."""
        conflict = self._bank.conflicts.get(task.conflict_id) if task.conflict_id is not None else None
        if conflict is None or conflict.verdict is None:
            return None
        return FinishedTask(type=task.type, description=task.description, result=conflict.verdict.text)

    async def _finish(self) -> RunResult:
        """Work round by round until nothing is planned, the rounds are used up or the tokens are."""
        rounds = 0
        most = self._bank.runtime.settings.max_rounds
        while (insight := await self._next()).current is not None:
            if rounds >= most:
                self._emit(EventKind.LIMIT, f"stopped after {rounds} rounds; see bank.max_rounds", rounds=rounds)
                return self._result(RunStatus.MAX_ROUNDS, rounds)
            rounds += 1
            self._emit(EventKind.ROUND, insight.current_task, number=rounds, type=insight.current.type.value)
            await self._round(insight)
        if self._bank.engine.is_spent:
            self._emit(EventKind.LIMIT, f"{self._bank.engine.tokens} tokens were used; see bank.max_tokens")
            return self._result(RunStatus.MAX_TOKENS, rounds)
        return self._result(RunStatus.DONE if insight.is_complete else RunStatus.FAILED, rounds)

    async def _next(self) -> InsightDoc:
        """Return the Insight Doc with the step to take: what waits is validated first, and a verdict is answered to.

        A step may have been planned before a contradiction came up, and a planner may end with the verdict, though the
        answer was given before it or not at all.
        """
        insight = self._bank.planner.insight
        is_ordinary = insight.current is None or insight.current.type is TaskType.NORMAL
        if is_ordinary and self._bank.conflicts.waiting:
            return await self._adapter.plan()
        if insight.current is None and self._needs_answer:
            self._needs_answer = False
            return await self._bank.planner.answer_next()
        return insight

    async def _round(self, insight: InsightDoc) -> None:
        assert insight.current is not None, "a round has a step"
        shown: tuple[str, ...] = ()
        try:
            prompt = await self._adapter.enhance()
            shown = tuple(item.node.id for item in prompt.nodes)
            step = self._framework.present(prompt, tools=self._tools)
            execution = self._framework.capture(await self._framework.execute(step))
            if insight.current.conflict_id is None:
                execution = self._unrefuted(execution)
        except RemanentError as error:
            _logger.warning("a step failed: %s", error)
            execution = Execution(answer="", failed=True, detail=str(error))
        await self._adapter.intercept(execution)
        routed = self._adapter.routed[-1]
        if insight.current.conflict_id is not None:
            # What was answered before may be just what the verdict refutes.
            self._answer, self._rests_on, self._needs_answer = "", (), True
        elif not insight.current.upload_ids:
            self._needs_answer = False
            if not routed.problem:
                self._answer = execution.answer
                self._rests_on = shown

    def _result(self, end: RunStatus, rounds: int) -> RunResult:
        answer = self._answer.strip() or _NO_ANSWER[self._bank.planner.insight.language]
        graph, tree, asked = self._bank.graph, self._bank.tree, self._bank.planner.insight.goal
        sentences = backed(self._answer, evidence_in(tree.entries), asked=asked)
        cited = dict.fromkeys(entry_id for sentence in sentences for entry_id in sentence.entry_ids)
        behind = {node.id: [entry.entry_id for entry in tree.of(node.id)] for node in graph.nodes}
        nodes = [node_id for entry_id in cited for node_id in behind if entry_id in behind[node_id]]
        if not nodes and all(one.supported and not UNKNOWN.search(one.text) for one in sentences):
            nodes = [node_id for node_id in self._rests_on if node_id in behind]
            cited = dict.fromkeys(entry_id for node_id in nodes for entry_id in behind[node_id])
        if (found := contested(self._bank.conflicts.all, answer, asked=asked)) is not None:
            conflict, told_sides = found
            sides = [node_id for node_id in nodes_of(conflict) if node_id in behind]
            nodes = [*sides, *nodes]
            cited |= dict.fromkeys(entry_id for node_id in sides for entry_id in behind[node_id])
            told = self._both_sides(conflict, told_sides)
            # A side alone, or behind whose words it is: both sides are told with theirs.
            parts = sentence_texts(answer)
            is_side = any(answer in side for side in told_sides) or all(part.endswith(told_sides) for part in parts)
            answer = told if is_side else f"{answer}\n{told}"
        result = RunResult(
            answer=answer,
            end=end,
            rounds=rounds,
            tokens=self._bank.engine.tokens,
            fell_back=tuple(self._bank.engine.fell_back),
            insight=self._bank.planner.insight,
            sentences=sentences,
            node_ids=tuple(dict.fromkeys(nodes)),
            entry_ids=tuple(cited),
        )
        self._emit(EventKind.ANSWER, result.marked_answer, end=end.value, rounds=rounds)
        return result

    def _unrefuted(self, execution: Execution) -> Execution:
        """Return what came of a step without the sentences that a verdict found wrong, if it says anything else.

        A small model tells both sides again after the verdict, and the bank would learn the contradiction anew.
        """
        refuted = {statement.strip() for statement in refuted_statements(self._bank.conflicts.all)}
        answer, context = execution.answer, execution.context
        for sentence in sentence_texts(answer):
            if sentence.strip(" /") in refuted:
                answer, context = answer.replace(sentence, ""), context.replace(sentence, "")
        answer = answer.strip(" /\n")
        return replace(execution, answer=answer, context=context) if answer else execution

    def _both_sides(self, conflict: Conflict, sides: Sequence[str]) -> str:
        """Return both statements of a contradiction, each with the title or the source that it stands under."""
        language = self._bank.planner.insight.language
        told = []
        for side in sides:
            origins = [
                title
                for claim in conflict.claims
                if side in claim.text
                for source in claim.evidence
                for text in [self._bank.tree.entry(source.entry_id).text]
                for start, end, title in titled_parts(text)
                if side in text[max(start, source.start or 0) : min(end, source.end or end)]
            ]
            origin = next(iter(origins), "")
            named = bool(origin) and side not in origin and not read_claim(side).is_reported
            form = _SIDE if named else _SIDE_ALONE
            told.append(form[language].format(side=side, origin=origin[:_MAX_ORIGIN_CHARS].rstrip(".。")))
        return _DISAGREE[language].format(sides=" / ".join(told))


_SEARCH_SOURCES = "search_sources"
"""The name of the search over given texts where `search` is that of the web."""


def default_tools(
    settings: Settings,
    bank: MemoryBank,
    *,
    embedder: Embedder | None = None,
    sources: Sequence[SearchableText] = (),
) -> list[AgentTool]:
    """Return the tools that a bank's agent has by default: the web where there is a key, else what is at hand.

    Given sources can be searched either way. The run itself adds Deep Retrieval.
    """
    if settings.search.api_key is None:
        return [TextSearch(lambda: [*ingested_texts(bank), *sources], embedder=embedder)]
    tools: list[AgentTool] = [SerperSearch(settings.search), Visit(settings.reader)]
    if sources:
        tools.append(TextSearch(lambda: sources, embedder=embedder, name=_SEARCH_SOURCES))
    return tools


async def close_tools(tools: Sequence[AgentTool]) -> None:
    """Close the connections of tools that have any."""
    for tool in tools:
        if isinstance(tool, SerperSearch | Visit):
            await tool.close()


def ingested_texts(bank: MemoryBank) -> list[SearchableText]:
    """Return the texts that a bank ingested, for its agent to search, without statements that were refuted."""
    refuted = refuted_statements(bank.conflicts.all)
    texts = []
    for entry in bank.tree.entries:
        if source_of(entry) in INGESTED_SOURCES and entry.text.strip():
            text = entry.text
            for statement in refuted:
                text = text.replace(statement, "")
            texts.append(SearchableText(entry.id, text, title=source_of(entry)))
    return texts

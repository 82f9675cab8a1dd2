"""Reading a context into drafts of nodes: cut to windows, sorted by topics, each topic summarised."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from remanent.bank.events import EventKind
from remanent.bank.graph import Draft
from remanent.bank.workbench import Workbench
from remanent.language.engine import Answer
from remanent.language.roles import CLASSIFICATION, STRUCTURE
from remanent.language.roles.classification import ClassificationRequest, ClassificationResponse, Cluster
from remanent.language.roles.structure import StructureRequest
from remanent.language.shapes import MAX_REMARK, MAX_TEXT
from remanent.language.tidying import shortened
from remanent.model import Entry, Source
from remanent.text.chunks import Chunk, chunks

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading an entry."""

    drafts: tuple[Draft, ...]
    question: str = ""
    """The user's own question, where one was looked for and found."""


class Reader:
    """Makes drafts of entries: the order of the drafts is that of the text, whatever finishes first."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    async def read(self, entry: Entry, *, task: str = "", find_question: bool = False) -> Reading:
        """Return a draft for each topic of an entry; each of its characters is a source of exactly one."""
        bench = self._bench
        limit = max(1, int(bench.window * bench.settings.chunk_ratio))
        parts = [part for part in chunks(entry.text, limit) if part.text.strip()]
        task = shortened(task, MAX_REMARK)
        done = 0

        async def classified(number: int, part: Chunk) -> Answer[ClassificationResponse]:
            nonlocal done
            # A question stands at the beginning or at the end of what a user gives.
            looks = find_question and number in {0, len(parts) - 1}
            request = ClassificationRequest(text=part.text, task=task, find_question=looks)
            answer = await bench.ask(CLASSIFICATION, request)
            done += 1
            bench.tell(
                EventKind.CHUNK,
                answer.value.clusters[0].context if answer.value.clusters else answer.value.question,
                done=done,
                of=len(parts),
                clusters=len(answer.value.clusters),
            )
            return answer

        answers = await together([classified(number, part) for number, part in enumerate(parts)])
        clusters = [
            (part, cluster)
            for part, answer in zip(parts, answers, strict=True)
            for cluster in answer.value.clusters
            if cluster.content.strip()
        ]
        drafts = await together([self._draft(entry, part, cluster, task) for part, cluster in clusters])
        questions = dict.fromkeys(answer.value.question for answer in answers if answer.value.question)
        return Reading(tuple(drafts), "\n".join(questions))

    async def _draft(self, entry: Entry, part: Chunk, cluster: Cluster, task: str) -> Draft:
        request = StructureRequest(
            content=cluster.content[:MAX_TEXT], context=cluster.context, keywords=cluster.keywords, task=task
        )
        answer = await self._bench.ask(STRUCTURE, request)
        return Draft(
            summary=answer.value.summary,
            context=cluster.context,
            keywords=cluster.keywords,
            sources=tuple(
                Source(entry_id=entry.id, start=part.start + stretch.start, end=part.start + stretch.end)
                for stretch in cluster.stretches
            ),
            trust=entry.origin,
            made_by=answer.made_by,
        )


async def together(work: Sequence[Awaitable[_T]]) -> list[_T]:
    """Return what each gives, in order; all run beside each other, and the first failure is raised when all ended."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]

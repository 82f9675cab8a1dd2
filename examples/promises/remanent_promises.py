"""A discipline from another distribution: it notices what was promised, and knows what is still open.

Everything that is remembered is looked through by a job; each sentence that promises something becomes a record with
its source. `pip install` this next to Remanent: its commands, routes, settings and recall path are there at once.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from remanent.discipline import (
    AnyAgent,
    Bilingual,
    Call,
    Discipline,
    OpenDiscipline,
    Operation,
    Parts,
    Permission,
    operation,
)
from remanent.discipline.operation import Command, Screen
from remanent.discipline.shapes import ByRecord, Nothing, Page
from remanent.errors import InvalidInput
from remanent.jobs import Handler
from remanent.model import Entry, Job, Record, RecordData, Scope, Source, register_kind
from remanent.plugins import CommandParameter, HandMadeCommand
from remanent.recall import Candidate, Question, RecallPath
from remanent.settings import SettingsSection
from remanent.stores import EntryQuery, RecordFilter, RecordQuery, Transaction

FIND = "promises.find"
PROMISED = re.compile(r"\b(I will|I'll|I promise|we will|we'll)\b|我会|我将|我保证|我们会", re.IGNORECASE)
SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")


class PromiseData(RecordData):
    """What a promise carries beside its words."""

    by: str = ""
    kept: bool = False


PROMISE = register_kind("promise", PromiseData)


class PromiseSettings(SettingsSection):
    """How promises are shown.

    most: Promises that are listed at most.
        最多列出多少条承诺。
    """

    most: Annotated[int, Field(ge=1, le=1000)] = 100


class AsyncPromises:
    """What one agent has heard promised."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope

    async def open(self) -> list[Record]:
        """Return the promises that are not kept yet, newest first."""
        most = self._parts.settings.section(PromiseSettings).most
        query = RecordQuery(filter=RecordFilter(kinds=(PROMISE,)), limit=most)
        found = await self._parts.store.records(self._scope, query)
        return [record for record in found if isinstance(record.data, PromiseData) and not record.data.kept]

    async def keep(self, record_id: str) -> Record:
        """Note that a promise was kept."""
        query = RecordQuery(filter=RecordFilter(kinds=(PROMISE,)), record_ids=(record_id,), limit=1)
        found = await self._parts.store.records(self._scope, query)
        if not found or not isinstance(found[0].data, PromiseData):
            raise InvalidInput(f"there is no promise {record_id}; `promises.list` shows those that are open")
        data = PromiseData(by=found[0].data.by, kept=True)
        kept = found[0].replace(data=data, version=found[0].version + 1, updated_at=self._parts.clock())
        async with self._parts.store.transaction(self._scope) as tx:
            tx.put(kept, expects=found[0].version)
        return kept


class PromisePath(RecallPath):
    """Open promises, newest first, for questions that ask for them."""

    name = "promises"

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Return open promises where the question speaks of promising."""
        if not re.search(r"promise|承诺|答应", question.text, re.IGNORECASE):
            return []
        found = await AsyncPromises(self._parts, question.scope).open()
        passing = set(await self._parts.store.match(question.scope, [one.id for one in found], question.record_filter))
        return [Candidate(one.id, 1 / place, "open") for place, one in enumerate(found, 1) if one.id in passing][:limit]


class OpenPromises(OpenDiscipline):
    """The discipline at work."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Looking through what was said."""
        return {FIND: self._find}

    @property
    def paths(self) -> Sequence[RecallPath]:
        """Open promises."""
        return (PromisePath(self._parts),)

    async def on_append(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        """Ask for a look at what may hold a promise; the job exists if and only if the words do."""
        ids = [entry.id for entry in entries if PROMISED.search(entry.text)]
        if ids:
            self._parts.enqueue(tx, FIND, payload={"entries": [*ids]})

    async def _find(self, job: Job, tx: Transaction) -> None:
        ids = tuple(str(one) for one in job.payload["entries"])  # type: ignore[union-attr]
        for entry in await self._parts.store.entries(job.scope, EntryQuery(entry_ids=ids, limit=len(ids))):
            for sentence in SENTENCE.finditer(entry.text):
                if PROMISED.search(sentence[0]):
                    tx.put(self._record(entry, sentence))
        self._parts.journal.index(tx)

    def _record(self, entry: Entry, sentence: re.Match[str]) -> Record:
        now = self._parts.clock()
        return Record(
            id=self._parts.new_id(),
            scope=entry.scope,
            kind=PROMISE,
            content=sentence[0].strip(),
            created_at=now,
            updated_at=now,
            occurred_at=entry.occurred_at,
            sources=(Source(entry_id=entry.id, start=sentence.start(), end=sentence.end()),),
            trust=entry.origin,
            data=PromiseData(by=entry.role),
        )

    def agent_face(self, agent: AnyAgent) -> AsyncPromises:
        """Return the promises of an agent."""
        return AsyncPromises(self._parts, agent.scope)


class Promises(Discipline):
    """Notices what was promised, and knows what is still open."""

    name = "promises"
    purpose = Bilingual("See what was promised and is not kept yet.", "查看已作出但尚未兑现的承诺。")
    kinds = (PROMISE,)
    settings = PromiseSettings
    agent_face = AsyncPromises

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it."""
        return (list_promises, keep_promise)

    def commands(self) -> Sequence[HandMadeCommand]:
        """Return what the command line offers beside: it writes a file where it is run."""
        return (_WRITE,)

    def open(self, parts: Parts) -> OpenDiscipline:
        """Put it to work."""
        return OpenPromises(parts)


_WRITE = HandMadeCommand(
    "write",
    Bilingual("Write the open promises to a file, as a list to tick off.", "将未兑现的承诺写成可勾选的清单。"),
    "remanent_promises:write",
    parameters=(CommandParameter("file", Path, "FILE", Bilingual("The file.", "文件。")),),
)


def write(place: Any, *, file: Path) -> None:
    """Write the open promises of the agent that is meant."""
    from remanent.cli.screen import begin

    screen, settings = begin(place)
    with place.open(settings) as memory:
        found = memory.agent(place.agent).face(AsyncPromises).open()
    file.write_text("".join(f"- [ ] {record.content}\n" for record in found), encoding="utf-8")
    screen.line(str(file))


def _show(screen: Screen, page: Page[Record]) -> None:
    screen.rows(["id", "promise"], [(record.id, record.content) for record in page.items])


@operation(
    "promises.list",
    zh="列出尚未兑现的承诺，新的在前。",
    permission=Permission.READ,
    route="GET promises",
    command=Command(show=_show, settles_first=True),
)
async def list_promises(call: Call, request: Nothing) -> Page[Record]:
    """List the promises that are not kept yet, newest first."""
    del request
    return Page(items=tuple(await call.agent.face(AsyncPromises).open()))


@operation(
    "promises.keep",
    zh="注明一项承诺已兑现。",
    permission=Permission.WRITE,
    act="update_memory",
    route="POST promises/{record_id}/keep",
    command=Command(arguments=("record_id",)),
)
async def keep_promise(call: Call, request: ByRecord) -> Record:
    """Note that a promise was kept."""
    return await call.agent.face(AsyncPromises).keep(request.record_id)

"""What is shown to newcomers: `demo`, and the sample that `serve --sample` fills its workspace with.

`demo` tells two conversations, one English, one Chinese, recalls them with their sources, forgets, erases and exports.
Everything that is claimed is measured while it runs: the bytes of a secret are counted in every file before and after
it is erased. The sample goes in through the operations that any program can call: nothing is written into a store by
hand, so what the pages show of it is what they would show of a workspace in use. The words of both stand in
`samples.yaml`.
"""

import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from rich.panel import Panel
from rich.text import Text

from remanent._sync import Agent, Memory
from remanent.bilingual import Bilingual
from remanent.cli import words
from remanent.cli.options import CommonOptions
from remanent.cli.screen import Terminal, begin, human_size, local_time, show_found, target
from remanent.discipline import Permission
from remanent.errors import NotFound
from remanent.lightweight import dataclass
from remanent.model import SHARED, Found, system_clock
from remanent.operations import LOCAL, Principal, Service, Target


@cache
def _samples() -> Any:
    """Return everything that is told."""
    import yaml  # type: ignore[import-untyped]

    return yaml.safe_load(Path(__file__).with_name("samples.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question of the demonstration and the message that answers it."""

    question: str
    answered_by: str


@cache
def questions() -> tuple[SampleQuestion, ...]:
    """Return what the demonstration asks."""
    return tuple(SampleQuestion(**one) for one in _samples()["questions"])


OUTDATED = "t01"
"""Forgotten on stage: the release date that no longer holds."""

SECRET = "h08"
"""Erased on stage: the PIN of a front door."""

_SECRET_WORD = "4711-Lisboa"
"""What must be in no file after that."""

_SECRET_QUESTION = "What is the PIN of the front door?"


def sessions() -> dict[str, list[dict[str, Any]]]:
    """Return the messages of each session of the demonstration."""
    return {
        session: [{**one, "occurred_at": datetime.fromisoformat(one["occurred_at"])} for one in messages]
        for session, messages in _samples()["demo"].items()
    }


_EXPORT = "demo-export.jsonl"


@dataclass(slots=True)
class Stage:
    """What the steps of the demonstration share, and what they leave for a program to read."""

    screen: Terminal
    memory: Memory
    agent: Agent
    home: Path
    step: int = 0
    done: dict[str, Any] = field(default_factory=dict)

    def announce(self, phrase: Bilingual) -> None:
        """Say in one line what comes next."""
        self.step += 1
        if not self.screen.as_json:
            self.screen.show("")
            self.screen.show(
                Text.assemble((f" {self.step} ", "bold reverse cyan"), " ", (self.screen.word(phrase), "bold"))
            )

    def say(self, phrase: Bilingual, *, style: str = "", **values: object) -> None:
        """Say what came of it."""
        if not self.screen.as_json:
            self.screen.show(Text(self.screen.word(phrase, **values), style))


def run(place: CommonOptions) -> None:
    """Show every step on a fresh agent."""
    screen, settings = begin(place)
    begun = time.perf_counter()
    with _home(place.home) as home, place.open(settings.model_copy(update={"home": home})) as memory:
        name = _unused_name(memory)
        stage = Stage(screen, memory, memory.agent(name), home)
        if not screen.as_json:
            screen.show(Panel(Text(screen.word(words.DEMO_TITLE), justify="center"), border_style="cyan"))
        for step in (_remember, _recall, _forget, _erase, _export):
            step(stage)
        if place.home is not None:
            screen.tell(words.DEMO_KEPT, home=home, agent=name)
    seconds = time.perf_counter() - begun
    if screen.as_json:
        screen.give({**stage.done, "seconds": round(seconds, 3)})
    else:
        screen.show("")
        screen.show(Panel(screen.word(words.DEMO_END, seconds=seconds), border_style="green"))


@contextmanager
def _home(given: Path | None) -> Iterator[Path]:
    """Give the folder to play in: the one that was named, which stays, or one that is removed at the end."""
    if given is not None:
        yield given.absolute()
        return
    folder = Path(tempfile.mkdtemp(prefix="remanent-demo-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _unused_name(memory: Memory) -> str:
    taken = {scope.agent for scope in memory.agents()}
    return next(name for number in range(1, len(taken) + 2) if (name := f"demo-{number}") not in taken)


def _remember(stage: Stage) -> None:
    """Tell both conversations to an agent, and time how long it takes until they are durable and indexed."""
    stage.announce(words.DEMO_REMEMBER)
    begun = time.perf_counter()
    count = 0
    for session, messages in sessions().items():
        count += len(stage.agent.remember(messages, session=session).entry_ids)
    written = time.perf_counter() - begun
    with stage.screen.indexing() as report:
        stage.memory.settle(on_progress=report)
    indexed = time.perf_counter() - begun
    stage.say(words.DEMO_REMEMBERED, count=count, written=_seconds(written), indexed=_seconds(indexed))
    stage.done |= {"remembered": count}


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _recall(stage: Stage) -> None:
    """Ask every question, across languages, and note which message answered it."""
    stage.announce(words.DEMO_RECALL)
    answers = []
    for asked in questions():
        begun = time.perf_counter()
        found = stage.agent.recall(asked.question, limit=1)
        took = time.perf_counter() - begun
        answers.append({"question": asked.question, "answers": found.items})
        if not stage.screen.as_json:
            stage.screen.show(Text.assemble(("\n? ", "bold cyan"), (asked.question, "bold"), f"  {_seconds(took)}"))
            show_found(stage.screen, found, now=system_clock())
    stage.done |= {"recalled": answers}


def _forget(stage: Stage) -> None:
    """Forget what no longer holds, and show the tombstone that stays."""
    stage.announce(words.DEMO_FORGET)
    record_id = _id_of(stage, OUTDATED)
    stone = stage.agent.forget(record_id, reason=stage.screen.word(words.DEMO_REASON))
    stage.say(
        words.DEMO_TOMBSTONE,
        about=stone.about,
        size=stone.size,
        learned=local_time(stone.learned_at),
        reason=stone.reason,
    )
    stage.done |= {"forgotten": stone}


def _erase(stage: Stage) -> None:
    """Erase the secret and count its occurrences in every file before and after: erasing is proven, not claimed."""
    stage.announce(words.DEMO_ERASE)
    entry_id = _id_of(stage, SECRET)
    before, files = _occurrences(stage.home, _SECRET_WORD)
    stage.say(words.DEMO_FOUND_BEFORE, word=_SECRET_WORD, count=before, files=files)
    erased = stage.agent.erase(entry_ids=[entry_id])
    after, files = _occurrences(stage.home, _SECRET_WORD)
    stage.say(words.DEMO_FOUND_AFTER, style="green", word=_SECRET_WORD, count=after, files=files)
    found = stage.agent.recall(_SECRET_QUESTION, limit=5)
    if not _mentions(found, _SECRET_WORD):
        stage.say(words.DEMO_NO_ANSWER, style="green", question=_SECRET_QUESTION)
    stage.done |= {"erased": erased, "bytes_left": after, "still_recalled": _mentions(found, _SECRET_WORD)}


def _id_of(stage: Stage, message_id: str) -> str:
    """Return the entry of one of the demo's messages; its turn record has the same id."""
    return next(entry.id for entry in stage.agent.entries(limit=1000) if entry.caller_id == message_id)


def _occurrences(folder: Path, word: str) -> tuple[int, int]:
    """Return how often a word stands in the raw bytes of all files, and how many files there are."""
    contents = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    return sum(content.count(word.encode()) for content in contents), len(contents)


def _mentions(found: Found, word: str) -> bool:
    return any(word in item.text for item in found.items)


def _export(stage: Stage) -> None:
    """Write everything to a file that can be read without Remanent."""
    stage.announce(words.DEMO_EXPORT)
    file = stage.home / _EXPORT
    lines = 0
    with target(file) as stream, stage.screen.meter(words.EXPORTING) as meter:
        for lines, line in enumerate(stage.agent.export(), start=1):
            stream.write(line.encode() + b"\n")
            meter.note(f"{lines}")
    stage.say(words.DEMO_EXPORTED, lines=lines, size=human_size(file.stat().st_size), path=file)
    stage.done |= {"exported": {"lines": lines, "bytes": file.stat().st_size}}


WORKSPACE, AGENT, COLLEAGUE = "sample", "ada", "lin"
BANK = "harbour-tunnel"
QUESTION = "Where does my sister Clara live?"
"""What to ask first; Ada has said two things about it."""
TOLD = "My sister Clara lives in Porto."
"""What to tell an agent first that knows nothing, so that the question has an answer."""


@dataclass(frozen=True, slots=True)
class SampleSession:
    """A conversation: who spoke, so many days ago, from this hour on."""

    agent: str
    name: str
    days_ago: int
    hour: int
    turns: Sequence[tuple[str, str]]
    tags: Sequence[str] = ()

    def messages(self, now: datetime) -> list[dict[str, Any]]:
        """Return its messages, a few minutes apart; with their ids the same ones are stored once."""
        begin = (now - timedelta(days=self.days_ago)).replace(hour=self.hour, minute=4, second=0, microsecond=0)
        begin = min(begin, now - timedelta(minutes=5 * len(self.turns)))
        return [
            {
                "id": f"{self.name}-{place}",
                "role": role,
                "content": content,
                "occurred_at": begin + timedelta(minutes=4 * place),
            }
            for place, (role, content) in enumerate(self.turns)
        ]


@cache
def sample_sessions() -> tuple[SampleSession, ...]:
    """Return the conversations of the sample, those of each agent from the oldest on."""
    return tuple(SampleSession(**one) for one in _samples()["sessions"])


def _last_of_ada() -> SampleSession:
    return [session for session in sample_sessions() if session.agent == AGENT][-1]


_PINNED = "Clara lives in Hamburg"
"""What Ada has pinned before she says otherwise: it stays, and the two claims wait for her as a conflict."""

_FORGOTTEN = "flat white"
"""What Ada has put out of mind since."""


Tell = Callable[[Bilingual, int, int], None]


@dataclass(slots=True)
class SampleWriter:
    """Fills the workspace, as programs would, with what the disciplines that are installed can make."""

    service: Service
    org: str
    now: datetime
    tell: Tell = field(default=lambda *_: None)

    async def fill(self) -> int:
        """Do everything that is not there yet, and return how many messages were told in conversations."""
        if not await self._is_there():
            parts: list[tuple[Bilingual, Callable[[], Awaitable[None]]]] = [(words.SAMPLE_TALK, self._talk)]
            if self._has("bank"):
                parts.append((words.SAMPLE_TASK, self._work))
            if self._has("associative"):
                parts.append((words.SAMPLE_ASSOCIATIONS, self._think))
            parts += [(words.SAMPLE_SHARED, self._share), (words.SAMPLE_LEARNED, self._learn)]
            for place, (what, part) in enumerate(parts, 1):
                self.tell(what, place, len(parts))
                await part()
        return sum(len(session.turns) for session in sample_sessions())

    async def _is_there(self) -> bool:
        """Tell whether the last part is there; each of the others does nothing where it was done before."""
        return bool((await self._do("entries", AGENT, session=_last_of_ada().name, limit=1)).items)

    async def _talk(self) -> None:
        """Have every conversation but Ada's last: a question asked while the rest is filled in has its answer."""
        for session in sample_sessions():
            if session is not _last_of_ada():
                await self._say(session)

    async def _learn(self) -> None:
        """Wait for what is learned, pin some and put some out of mind; then have the last conversation."""
        await self._settle(AGENT)
        if self._has("cognition"):
            await self._tidy()
        await self._say(_last_of_ada())
        await self._settle(AGENT)
        await self._settle(COLLEAGUE)

    async def _tidy(self) -> None:
        """Pin one memory of the sample and forget another, so that a page or a list shows what both look like."""
        for memory in (await self._do("cognition.list", AGENT, kinds=("semantic",), limit=1000)).items:
            if _PINNED in memory.content:
                await self._do("cognition.pin", AGENT, record_id=memory.id)
            if _FORGOTTEN in memory.content:
                await self._do("cognition.forget", AGENT, record_id=memory.id, reason="changed her mind")

    async def _say(self, session: SampleSession) -> None:
        messages = session.messages(self.now)
        await self._do("remember", session.agent, messages=messages, session=session.name, tags=session.tags)
        await self._do("session.end", session.agent, session=session.name)

    async def _share(self) -> None:
        """Share what was proposed and approved, with one proposal left waiting; and two documents."""
        if self._has("cognition"):
            await self._propose()
        if self._has("knowledge"):
            for name, text in _samples()["documents"].items():
                await self._do("knowledge.add", SHARED, upload=_pieces(text), name=name)
            await self._settle(SHARED)

    async def _propose(self) -> None:
        """Have one agent propose what is shared and the other approve some: nobody approves their own."""
        known = {
            record.content
            for pending in (False, True)
            for record in (await self._do("cognition.shared", AGENT, pending=pending)).items
        }
        for entry in _samples()["shared"]:
            if entry["content"] in known:
                continue
            record = await self._do(
                "cognition.propose", AGENT, **{name: entry[name] for name in ("content", "sort", "number")}
            )
            if entry["approved"]:
                await self._do("cognition.approve", COLLEAGUE, record_id=record.id)

    async def _think(self) -> None:
        """Have impressions, a few at a time, and a word in between that nobody keeps."""
        batches = _samples()["impressions"]
        for place, batch in enumerate(batches):
            at = self.now - timedelta(days=2 * (len(batches) - place))
            messages = [
                {"id": f"impression-{place}-{index}", "role": "user", "content": text, "occurred_at": at}
                for index, text in enumerate(batch)
            ]
            await self._do("associative.remember", AGENT, messages=messages, session="impressions")
        await self._settle(AGENT)

    async def _work(self) -> None:
        """Let a task bank answer a question from a report, read on, and be told which of two figures is right."""
        with suppress(NotFound):
            await self._do("bank.get", AGENT, bank_id=BANK)
            return
        given = _samples()["task"]
        run = await self.service.start(
            "bank.run",
            {"task": given["task"], "context": given["report"], "bank_id": BANK},
            place=self._at(AGENT),
            principal=_who(AGENT),
        )
        async for _ in self.service.runs.follow(run.run_id):
            pass
        for text in given["findings"]:
            found = await self._do("bank.observe", AGENT, bank_id=BANK, text=text)
            for conflict_id in found.conflict_ids:
                await self._do("bank.resolve", AGENT, bank_id=BANK, conflict_id=conflict_id, finding=given["verdict"])

    def _has(self, discipline: str) -> bool:
        return any(name.startswith(f"{discipline}.") for name in self.service.catalogue)

    async def _settle(self, agent: str) -> None:
        await self._do("settle", agent)

    async def _do(self, name: str, agent: str, /, *, upload: AsyncIterator[bytes] | None = None, **asked: Any) -> Any:
        return await self.service.perform(name, asked, place=self._at(agent), principal=_who(agent), upload=upload)

    def _at(self, agent: str) -> Target:
        return Target(org=self.org, workspace=WORKSPACE, agent=agent)


def _who(agent: str) -> Principal:
    """Return whom the audit log names; the colleague is the one who approves what others propose."""
    allowed = (
        LOCAL.permissions if agent == COLLEAGUE else frozenset(Permission) - {Permission.ADMIN, Permission.APPROVE}
    )
    return LOCAL.replace(name=agent, permissions=allowed)


async def _pieces(text: str) -> AsyncIterator[bytes]:
    yield text.encode()

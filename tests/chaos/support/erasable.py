"""A home where one agent's words lie in every place that can hold them, and an erasure of it that may be cut short.

`python -m tests.chaos.support.erasable <folder> <cuts>` makes the home. For an entry, a session, an agent and a
document, it kills an erasure of it at so many of its steps, each time on a copy of the home, opens the memory after
each, and prints what was wrong. All in one process and its children: what is loaded and made on first use, which takes
longer than an erasure, is loaded once.
"""

import asyncio
import inspect
import json
import os
import random
import re
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remanent.context import Scratchpad
from remanent.context.spool import WaitingTurns
from remanent.errors import RemanentError
from remanent.memory import AsyncAgent, AsyncMemory, aopen
from remanent.model import Job, Kind, Record, SemanticData, Source
from remanent.model.entry import Message
from remanent.operations import Service, Target
from remanent.operations.runs import RunState
from remanent.recall import Recall
from remanent.server.proxy.memory import ChatTurn, Spool
from remanent.stores import NO_LIMIT, RecordFilter
from remanent.stores.blobs import FileBlobs
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.notes import NotedAnswer, NotedAnswers, PendingErasure
from remanent.stores.shelf import FolderShelf
from remanent.stores.sqlite import erasure
from remanent.workspace import files as workspace_files
from remanent.workspace import hooks as workspace_hooks
from remanent.workspace.files import WorkspaceFiles
from tests.chaos.support.counts import SEED
from tests.chaos.support.places import in_child
from tests.chaos.support.remains import remains_of, secret_text
from tests.chaos.support.units import START

MODEL = "random-48"
DIMENSION = 48
TURNS = 24
DOCUMENT = "report.md"
ERASED = ("entry", "session", "agent", "document")


def open_home(home: Path) -> AsyncMemory:
    """Open the memory, with files that are followed."""
    files = {"path": home / ".files", "follow": True}
    return aopen(home, embedder="none", associative={"follow": True}, memory=files)


def agent_of(memory: AsyncMemory) -> AsyncAgent:
    """Return whose home it is."""
    return memory.agent("ada", workspace="lab", org="org")


@dataclass(slots=True)
class Said:
    """What must be gone when something is erased."""

    texts: list[str] = field(default_factory=list)
    vectors: list[NDArray[np.float32]] = field(default_factory=list)


@dataclass(slots=True)
class Home:
    """What was said, by entry; and what else was written, by session."""

    of_entry: dict[str, Said] = field(default_factory=dict)
    of_session: dict[str, list[str]] = field(default_factory=dict)
    session_of: dict[str, str] = field(default_factory=dict)
    of_agent: list[str] = field(default_factory=list)
    of_document: list[str] = field(default_factory=list)

    def target(self) -> str:
        """Return the entry that is erased by itself."""
        return sorted(self.of_entry)[3]

    def gone(self, what: str) -> Said:
        """Return what must be gone after an erasure of one entry, its session, or all."""
        if what == "entry":
            return self.of_entry[self.target()]
        if what == "document":
            return Said([*self.of_document])
        session = self.session_of[self.target()]
        chosen = [entry for entry in self.of_entry if what == "agent" or self.session_of[entry] == session]
        texts = [text for entry in chosen for text in self.of_entry[entry].texts]
        for name, more in self.of_session.items():
            texts += more if what == "agent" or name == session else []
        return Said(
            texts + ([*self.of_agent, *self.of_document] if what == "agent" else []),
            [vector for entry in chosen for vector in self.of_entry[entry].vectors],
        )

    def living(self, what: str) -> list[str]:
        """Return a text that must still be there; none after all was erased."""
        gone = {*self.gone(what).texts}
        return [said.texts[0] for said in self.of_entry.values() if said.texts[0] not in gone]


async def fill(home: Path, *, seed: int = SEED) -> Home:
    """Make the home, and return what was said there."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    made = Home()
    async with open_home(home) as memory:
        agent = agent_of(memory)
        for number in range(TURNS):
            await _say(agent, made, rng, numbers, session=("morning", "evening")[number % 2])
            if number in {TURNS // 2, TURNS - 1}:
                await _end_sessions(memory, agent)
        await memory.settle(timeout=60)
        await _read_a_document(agent, made, rng)
        await agent.associative.compress()
        for session in ("morning", "evening"):
            await _write_beside(home, memory, agent, made, rng, session=session)
        await _ask_by_service(memory, made, rng)
        await _work_on_a_task(memory, made, rng)
        # In the journal's order, with what the service and the bank have said there.
        for entry in (entry for entry in await agent.entries(limit=500) if entry.text):
            made.of_entry.setdefault(entry.id, Said([entry.text]))
            made.session_of.setdefault(entry.id, entry.scope.session or "")
        for entry_id in (made.target(), sorted(made.of_entry)[5]):
            text = secret_text(rng, words=5)
            await agent.forget(f"fact-{entry_id}", reason=text)
            made.of_entry[entry_id].texts.append(text)
        question = numbers.standard_normal(DIMENSION, dtype=np.float32)
        vectors = agent._parts.vectors
        assert isinstance(vectors, LocalVectors)
        await vectors.search(agent.scope, question, model=MODEL, record_filter=RecordFilter(), limit=3)
        await vectors.settle()
        folder = agent._parts.store.layout.folder(agent.scope)  # type: ignore[attr-defined]
        await agent.admin.repair()
    shutil.copy(folder / "memory.db", folder / "memory.db.backup-0")
    return made


async def _end_sessions(memory: AsyncMemory, agent: AsyncAgent) -> None:
    """Have what was asked for taken down in files, with what can be undone, and have the files indexed."""
    for session in ("morning", "evening"):
        await agent.end_session(session)
    await memory.settle(timeout=60)
    assert (await agent.workspace.search("prefer", limit=1, mode="fts")).items, "nothing was taken down"


async def _read_a_document(agent: AsyncAgent, made: Home, rng: random.Random) -> None:
    """Have a document in the knowledge base, in two versions."""
    for _ in range(2):
        text = "\n\n".join(f"## {secret_text(rng, words=3)}\n\n{secret_text(rng, words=30)}." for _ in range(4))
        made.of_document.append(text)
        await agent.knowledge.add(text=text, name=DOCUMENT)


async def _say(
    agent: AsyncAgent, made: Home, rng: random.Random, numbers: np.random.Generator, *, session: str
) -> None:
    """Remember a turn with a file, and a fact that comes from it with a vector of its own."""
    texts = [secret_text(rng, words=count) for count in (12, 40, 8, 60)]
    # In words that rules know, so that memories and bullets in files are made of it.
    texts[0] = f"Please remember that I prefer {texts[0]}."
    kept = await agent.attach(texts[1].encode(), name=texts[2])
    message = {"content": texts[0], "metadata": {"note": texts[2]}, "attachments": [kept.model_dump(mode="json")]}
    receipt = await agent.remember([message], session=session)
    entry_id = receipt.entry_ids[0]
    vector = numbers.standard_normal(DIMENSION, dtype=np.float32)
    fact = Record(
        id=f"fact-{entry_id}", scope=agent.scope.within(session=session), kind=Kind.SEMANTIC, content=texts[3],
        summary=texts[3][:60], created_at=START, updated_at=START, occurred_at=START,
        sources=(Source(entry_id=entry_id),), data=SemanticData(), tags=(texts[3].split()[0],),
    )  # fmt: skip
    async with agent._parts.store.transaction(agent.scope) as work:
        work.put(fact)
        work.vector(fact.id, model=MODEL, values=vector)
    made.of_entry[entry_id] = Said(texts, [vector])
    made.session_of[entry_id] = session


async def _write_beside(
    home: Path, memory: AsyncMemory, agent: AsyncAgent, made: Home, rng: random.Random, *, session: str
) -> None:
    """Leave words of a session in the scratchpad, the spool, an answer that may be given again, and a job's error."""
    texts = [secret_text(rng, words=10) for _ in range(4)]
    await agent.scratchpad_write("plan", texts[0], session=session)
    turn = ChatTurn(scope=agent.scope.within(session=session), messages=(Message(role="user", content=texts[1]),))
    waiting = WaitingTurns(FolderShelf(home), home)
    await Spool(waiting, new_id=iter((f"{session}1", f"{session}2")).__next__).put(turn)
    await memory.notes.keep(
        agent.scope,
        f"key-{session}",
        NotedAnswer(fingerprint="f", at=agent._parts.clock(), status=200, content=texts[2]),
    )
    job = Job(
        id=f"job-{session}", scope=agent.scope, kind="unknown", lane=f"lane-{session}", enqueued_at=START,
        not_before=agent._parts.clock() + timedelta(hours=12), error=f"ValueError: cannot read {texts[3]!r}",
    )  # fmt: skip
    async with agent._parts.store.transaction(agent.scope) as work:
        work.enqueue(job, limit=NO_LIMIT)
    made.of_session[session] = texts[:2]
    # An erasure of anything takes these: they may quote what goes.
    for said in made.of_entry.values():
        said.texts += texts[2:]


async def _ask_by_service(memory: AsyncMemory, made: Home, rng: random.Random) -> None:
    """Have the audit log, the files of runs and kept answers written by operations that speak of secrets."""
    place = Target(org="org", workspace="lab", agent="ada")
    async with Service(memory) as service:
        for session in ("morning", "evening"):
            told, asked, refused = (secret_text(rng, words=8) for _ in range(3))
            await service.perform("remember", {"messages": [told], "session": session}, place=place)
            for name, request in (("recall", {"query": asked}), ("recall", {"query": told})):
                run = await service.start(name, request, place=place)
                assert [state async for state in service.runs.follow(run.run_id)][-1].state is RunState.DONE
            with suppress(RemanentError):
                await service.perform("forget", {"record_id": refused.split()[0]}, place=place)
            # A question is nobody's to keep: nothing of it may be found after any erasure.
            for said in made.of_entry.values():
                said.texts.append(asked)
    assert list(memory.settings.home.glob(".access/runs/*.json")), "no run was written down"
    assert list(memory.settings.home.glob(".a*/**/*.jsonl")), "nothing was audited"


async def _work_on_a_task(memory: AsyncMemory, made: Home, rng: random.Random) -> None:
    """Have a bank store a task with its context, as nodes, links and an Insight Doc of its own."""
    task, context = secret_text(rng, words=6), ". ".join(secret_text(rng, words=9) for _ in range(6)) + "."
    bank = memory.bank(task, context=context, bank_id="report", agent="ada", workspace="lab", org="org")
    await bank.start()
    assert bank.nodes, "the bank has taken nothing in"
    made.of_agent += [task, context]


async def erase(home: Path, made: Home, what: str) -> list[str]:
    """Erase one entry, its session, or the agent, and return what is left while the memory is still open."""
    entry_id = made.target()
    async with open_home(home) as memory:
        agent = agent_of(memory)
        if what == "entry":
            await agent.erase(entry_ids=[entry_id])
        elif what == "session":
            await agent.erase(session=made.session_of[entry_id])
        elif what == "document":
            await agent.knowledge.remove(DOCUMENT)
        else:
            await agent.erase(everything=True)
        return remains(home, made, what)


# ── cutting short ────────────────────────────────────────────────────────────

STEPS: tuple[tuple[Any, str], ...] = (
    (NotedAnswers, "blank"),
    (WorkspaceFiles, "redact"),
    (workspace_files, "write_durably"),
    (workspace_hooks, "_clear_pads"),
    (workspace_hooks, "_forget_index"),
    (WaitingTurns, "erase"),
    (Scratchpad, "clear"),
    (erasure, "erase_rows"),
    (erasure, "scrub"),
    (erasure, "rewrite"),
    (erasure, "_move_log"),
    (erasure, "_scrub_log"),
    (erasure, "remove_backups"),
    (LocalVectors, "erased"),
    (Recall, "erased"),
    (FileBlobs, "delete"),
    (PendingErasure, "end"),
)
"""Everything that an erasure does one after the other; the process is killed before or after any of it."""


class Cut:
    """Counts steps, and kills the process at one of them."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.count = 0

    def step(self) -> None:
        """Be killed here, if this is the step."""
        self.count += 1
        if self.count == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        """Count before and after each of the steps."""
        for owner, name in STEPS:
            setattr(owner, name, self._wrapped(getattr(owner, name)))

    def _wrapped(self, work: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(work):

            async def awaited(*arguments: Any, **options: Any) -> Any:
                self.step()
                result = await work(*arguments, **options)
                self.step()
                return result

            return awaited

        def called(*arguments: Any, **options: Any) -> Any:
            self.step()
            result = work(*arguments, **options)
            self.step()
            return result

        return called


# ── the whole attack ─────────────────────────────────────────────────────────

LATER = "a word that was said after the crash"
SECRET = re.compile(r"[b-z]{14}|[\u4e00-\u9fff]{6}")
"""A word of `secret_text`, whatever was written around it."""


def remains(home: Path, made: Home, what: str) -> list[str]:
    """Return where anything is left of what an erasure took."""
    gone = made.gone(what)
    assert gone.texts
    assert gone.vectors or what == "document"
    secrets = [" ".join(SECRET.findall(text)) for text in gone.texts]
    return remains_of(home, secrets, gone.vectors)


async def look_after(home: Path, made: Home, what: str) -> list[str]:
    """Open the memory after a kill, go on, and return what is wrong."""
    problems = []
    async with open_home(home) as memory:
        agent = agent_of(memory)
        await agent.remember(LATER, session=made.session_of[made.target()])
        if memory._finishing is not None:
            await memory._finishing
        problems += [f"while open: {left}" for left in remains(home, made, what)[:3]]
        said = [entry.text for entry in await agent.entries(limit=500) if entry.text]
        if said != [*made.living(what), LATER]:
            problems.append(f"{len(said)} texts are there instead of {len(made.living(what)) + 1}")
        problems += (await agent.admin.check()).problems
        problems += [f"{path} is left" for path in (home / ".erasing").glob("*")]
    return problems + [f"after closing: {left}" for left in remains(home, made, what)[:3]]


def cut_short(folder: Path, made: Home, what: str, cuts: int, cut: Cut) -> dict[str, Any]:
    """Kill an erasure at so many of its steps, spread evenly, and return what was wrong after any of them.

    One that is not killed comes first, in this process: it counts the steps, and what it is the first to load and make
    no child has to. Its threads have ended by then, so forking stays safe.
    """
    problems = [] if remains(folder / "made", made, what) else ["the look for remains is blind"]
    whole = folder / f"{what}-whole"
    shutil.copytree(folder / "made", whole)
    cut.count, cut.at = 0, 0
    live = asyncio.run(erase(whole, made, what))
    steps = cut.count
    problems += [f"while open, without a kill: {left}" for left in live[:3]]
    problems += [f"without a kill: {left}" for left in remains(whole, made, what)[:3]]
    problems += [f"without a kill: {one}" for one in asyncio.run(look_after(whole, made, what))]
    assert threading.active_count() == 1, threading.enumerate()
    count = min(cuts, steps)
    killed = sorted({1 + number * (steps - 1) // max(1, count - 1) for number in range(count)})
    for step in killed:
        home = folder / f"{what}-{step}"
        shutil.copytree(folder / "made", home)
        cut.count, cut.at = 0, step
        ended, _ = in_child(lambda home=home: asyncio.run(erase(home, made, what)))  # type: ignore[misc]
        cut.at = 0
        if ended != -signal.SIGKILL:
            problems.append(f"step {step}: not killed, but ended with {ended}")
        _, wrong = in_child(lambda home=home: asyncio.run(look_after(home, made, what)))  # type: ignore[misc]
        problems += [f"killed at step {step} of {steps}: {one}" for one in (["no answer"] if wrong is None else wrong)]
        shutil.rmtree(home)
    shutil.rmtree(whole)
    return {"steps": steps, "killed": len(killed), "problems": problems}


def main(folder: Path, cuts: int) -> None:
    """Make the home, and print what was wrong after erasures that were cut short, by what was erased."""
    made = asyncio.run(fill(folder / "made"))
    cut = Cut(0)
    cut.install()
    print(json.dumps({what: cut_short(folder, made, what, cuts, cut) for what in ERASED}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

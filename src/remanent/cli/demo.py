"""`demo`: remembers a small sample, recalls it with its sources, forgets, erases and exports, and says what it does."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.panel import Panel
from rich.text import Text

from remanent._sync import Agent, Memory
from remanent.cli import sample, words
from remanent.cli.moving import write_export
from remanent.cli.place import Place
from remanent.cli.reading import show_found
from remanent.cli.remembering import settle
from remanent.cli.screen import Screen, begin, human_size, local_time
from remanent.cli.words import Phrase
from remanent.model import Found, system_clock

EXPORT = "demo-export.jsonl"


@dataclass(slots=True)
class Stage:
    """What the steps of the demonstration share, and what they leave for a program to read."""

    screen: Screen
    memory: Memory
    agent: Agent
    home: Path
    step: int = 0
    done: dict[str, Any] = field(default_factory=dict)

    def announce(self, phrase: Phrase) -> None:
        """Say in one line what comes next."""
        self.step += 1
        if not self.screen.as_json:
            self.screen.show("")
            self.screen.show(
                Text.assemble((f" {self.step} ", "bold reverse cyan"), " ", (self.screen.word(phrase), "bold"))
            )

    def say(self, phrase: Phrase, *, style: str = "", **values: object) -> None:
        """Say what came of it."""
        if not self.screen.as_json:
            self.screen.show(Text(self.screen.word(phrase, **values), style))


def run(place: Place) -> None:
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
    stage.announce(words.DEMO_REMEMBER)
    begun = time.perf_counter()
    count = 0
    for session, messages in sample.sessions().items():
        count += len(stage.agent.remember(messages, session=session).entry_ids)
    written = time.perf_counter() - begun
    settle(stage.screen, stage.memory)
    indexed = time.perf_counter() - begun
    stage.say(words.DEMO_REMEMBERED, count=count, written=_seconds(written), indexed=_seconds(indexed))
    stage.done |= {"remembered": count}


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _recall(stage: Stage) -> None:
    stage.announce(words.DEMO_RECALL)
    answers = []
    for asked in sample.QUESTIONS:
        begun = time.perf_counter()
        found = stage.agent.recall(asked.question, limit=1)
        took = time.perf_counter() - begun
        answers.append({"question": asked.question, "answers": found.items})
        if not stage.screen.as_json:
            stage.screen.show(Text.assemble(("\n? ", "bold cyan"), (asked.question, "bold"), f"  {_seconds(took)}"))
            show_found(stage.screen, found, now=system_clock())
    stage.done |= {"recalled": answers}


def _forget(stage: Stage) -> None:
    stage.announce(words.DEMO_FORGET)
    record_id = _id_of(stage, sample.OUTDATED)
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
    stage.announce(words.DEMO_ERASE)
    entry_id = _id_of(stage, sample.SECRET)
    before, files = _occurrences(stage.home, sample.SECRET_WORD)
    stage.say(words.DEMO_FOUND_BEFORE, word=sample.SECRET_WORD, count=before, files=files)
    erased = stage.agent.erase(entry_ids=[entry_id])
    after, files = _occurrences(stage.home, sample.SECRET_WORD)
    stage.say(words.DEMO_FOUND_AFTER, style="green", word=sample.SECRET_WORD, count=after, files=files)
    found = stage.agent.recall(sample.SECRET_QUESTION, limit=5)
    if not _mentions(found, sample.SECRET_WORD):
        stage.say(words.DEMO_NO_ANSWER, style="green", question=sample.SECRET_QUESTION)
    stage.done |= {"erased": erased, "bytes_left": after, "still_recalled": _mentions(found, sample.SECRET_WORD)}


def _id_of(stage: Stage, message_id: str) -> str:
    """Return the entry of one of the sample's messages; its turn record has the same id."""
    return next(entry.id for entry in stage.agent.entries(limit=1000) if entry.caller_id == message_id)


def _occurrences(folder: Path, word: str) -> tuple[int, int]:
    """Return how often a word stands in the raw bytes of all files, and how many files there are."""
    contents = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    return sum(content.count(word.encode()) for content in contents), len(contents)


def _mentions(found: Found, word: str) -> bool:
    return any(word in item.text for item in found.items)


def _export(stage: Stage) -> None:
    stage.announce(words.DEMO_EXPORT)
    file = stage.home / EXPORT
    lines = write_export(stage.agent, file, stage.screen)
    stage.say(words.DEMO_EXPORTED, lines=lines, size=human_size(file.stat().st_size), path=file)
    stage.done |= {"exported": {"lines": lines, "bytes": file.stat().st_size}}

"""`demo`: tells a small sample to an agent, recalls it with its sources, forgets, erases and exports.

The sample is two conversations, one English, one Chinese, whose questions cross the languages. Everything that is
claimed is measured while it runs: the bytes of a secret are counted in every file before and after it is erased.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.panel import Panel
from rich.text import Text

from remanent._sync import Agent, Memory
from remanent.bilingual import Bilingual
from remanent.cli import words
from remanent.cli.cards import show_found
from remanent.cli.files import write_export
from remanent.cli.options import CommonOptions
from remanent.cli.screen import Terminal, begin, human_size, local_time
from remanent.model import Found, system_clock
from remanent.values import dataclass

_HOME = "moving house"
_TEAM = "项目周会"

_ADA, _BOT = "user", "assistant"

# session, id, when, who, what
_TOLD = (
    (_HOME, "h01", "2026-03-02T09:10+00:00", _ADA, "I have decided: in May I am moving from Berlin to Lisbon."),
    (_HOME, "h02", "2026-03-02T09:11+00:00", _BOT, "Congratulations! Shall I keep a list of what has to be done?"),
    (_HOME, "h03", "2026-03-02T09:13+00:00", _ADA, "Yes. The lease here in Berlin ends on 30 April."),
    (_HOME, "h04", "2026-03-09T18:40+00:00", _ADA, "I booked the flight with TAP; my booking code is QX7K2M."),
    (_HOME, "h05", "2026-03-09T18:41+00:00", _BOT, "Noted. The airline lets you take two pieces of luggage."),
    (_HOME, "h06", "2026-04-18T20:05+00:00", _ADA, "The movers want 1,840 euros. I paid half of it today."),
    (_HOME, "h07", "2026-05-04T08:30+00:00", _ADA, "I have arrived! The flat is on Rua da Rosa, third floor."),
    (_HOME, "h08", "2026-05-04T08:32+00:00", _ADA, "The PIN of the front door is 4711-Lisboa, do not tell anybody."),
    (_HOME, "h09", "2026-05-11T19:20+00:00", _ADA, "By the way, peanuts make me ill, so no satay for me, please."),
    (_HOME, "h10", "2026-05-11T19:21+00:00", _BOT, "Understood: I will leave peanuts out of every recipe."),
    (_HOME, "h11", "2026-05-20T07:55+00:00", _ADA, "My sister Clara visits from the 12th to the 15th of June."),
    (_HOME, "h12", "2026-05-21T12:15+00:00", _ADA, "I have found a climbing gym near the river, I go on Thursdays."),
    (_HOME, "h13", "2026-06-02T21:10+00:00", _ADA, "The neighbour upstairs plays the cello until midnight. Lovely."),
    (_TEAM, "t01", "2026-04-07T10:00+08:00", _ADA, "今天的周会：新版本原定 6 月 3 日发布。"),
    (_TEAM, "t02", "2026-04-07T10:04+08:00", _ADA, "王芳负责前端，李雷负责后端，测试由韩梅梅来做。"),
    (_TEAM, "t03", "2026-04-07T10:09+08:00", _BOT, "已记录分工。需要我每周一提醒大家更新进度吗？"),
    (_TEAM, "t04", "2026-04-07T10:10+08:00", _ADA, "好的，每周一早上九点提醒。"),
    (_TEAM, "t05", "2026-04-14T10:20+08:00", _ADA, "数据库讨论了很久，最后决定用 PostgreSQL，不再考虑 MongoDB。"),
    (_TEAM, "t06", "2026-04-14T10:26+08:00", _ADA, "理由是事务可靠，而且运维同事都熟悉。"),
    (_TEAM, "t07", "2026-04-28T10:03+08:00", _ADA, "支付接口的联调卡住了，对方要到五月中旬才给测试账号。"),
    (_TEAM, "t08", "2026-04-28T10:15+08:00", _ADA, "因此发布日期推迟到 6 月 24 日。"),
    (_TEAM, "t09", "2026-05-12T10:05+08:00", _ADA, "客户希望界面支持深色模式，排进下一个版本。"),
    (_TEAM, "t10", "2026-05-12T10:18+08:00", _BOT, "深色模式已加入下一版本的待办清单。"),
    (_TEAM, "t11", "2026-05-26T10:02+08:00", _ADA, "服务器预算每月不超过八千元，超出要先找财务审批。"),
    (_TEAM, "t12", "2026-05-26T10:30+08:00", _ADA, "团建定在六月最后一个周末，去青岛看海。"),
)


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """A question of the demonstration and the message that answers it."""

    question: str
    answered_by: str


QUESTIONS = (
    SampleQuestion("Which city is she moving to?", "h01"),
    SampleQuestion("谁负责前端？", "t02"),
    SampleQuestion("她不能吃什么？", "h09"),
    SampleQuestion("Which database did the team choose, and which did it reject?", "t05"),
    SampleQuestion("What was the booking code of my flight?", "h04"),
    SampleQuestion("为什么推迟发布？", "t08"),
)

OUTDATED = "t01"
"""Forgotten on stage: the release date that no longer holds."""

SECRET = "h08"
"""Erased on stage: the PIN of a front door."""

_SECRET_WORD = "4711-Lisboa"
"""What must be in no file after that."""

_SECRET_QUESTION = "What is the PIN of the front door?"


def sessions() -> dict[str, list[dict[str, Any]]]:
    """Return the messages of each session."""
    told: dict[str, list[dict[str, Any]]] = {}
    for session, message_id, at, role, content in _TOLD:
        message = {"id": message_id, "role": role, "content": content, "occurred_at": datetime.fromisoformat(at)}
        told.setdefault(session, []).append(message)
    return told


def _settle(screen: Terminal, memory: Memory) -> None:
    """Wait for the index, and show that there is something to wait for."""
    with screen.indexing() as report:
        memory.settle(on_progress=report)


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
    _settle(stage.screen, stage.memory)
    indexed = time.perf_counter() - begun
    stage.say(words.DEMO_REMEMBERED, count=count, written=_seconds(written), indexed=_seconds(indexed))
    stage.done |= {"remembered": count}


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _recall(stage: Stage) -> None:
    """Ask every question, across languages, and note which message answered it."""
    stage.announce(words.DEMO_RECALL)
    answers = []
    for asked in QUESTIONS:
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
    lines = write_export(stage.agent, file, stage.screen)
    stage.say(words.DEMO_EXPORTED, lines=lines, size=human_size(file.stat().st_size), path=file)
    stage.done |= {"exported": {"lines": lines, "bytes": file.stat().st_size}}

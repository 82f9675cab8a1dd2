"""Generated episodes in which a premise changes or is taken back: is what followed from it known to be doubtful?

By type of episode and by the way in which a memory came to have its premise: the caller said so (`premises=`), or one
utterance did ("because", "so", 因为, 所以). What a model says to be the reason goes the way of the utterance once it is
found among the memories; no figure of a model is made up here.
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from bench.figures import Figure, Report, at_least
from remanent.memory import AsyncAgent, aopen
from remanent.model import MemoryData, Record

EACH = 25
"""Episodes of each type, way and end: 200 a way."""
ENOUGH = 0.6
"""The share that was promised; published systems have .03 of what follows and .01 of what is gone."""


@dataclass(frozen=True, slots=True)
class EpisodeType:
    """What is said, what follows from it, and how it ends; `{}` is the value that changes."""

    name: str
    premise: str
    follows: str
    joined: tuple[str, ...]
    replaced: str
    denied: str
    question: str
    values: tuple[str, ...]


_SO = ("Because {premise}, {follows}.", "{follows} because {premise}.", "{premise}, so {follows}.")
_SO_ZH = ("因为{premise}，所以{follows}。", "{premise}，所以{follows}。")
TYPES = (
    EpisodeType(
        "employer, home, en", "I work at {}", "I live in Bern", _SO, "I started a new job at {}.",
        "I no longer work at {}.", "Where do I work?", ("IBM", "SAP", "Bosch", "Nokia", "Intel"),
    ),
    EpisodeType(
        "home, liking, en", "I live in {}", "I like skiing", _SO, "I moved to {}.",
        "I don't live in {} anymore.", "Where do I live?", ("Oslo", "Bern", "Lyon", "Kiel", "Graz"),
    ),
    EpisodeType(
        "employer, home, zh", "我在{}公司上班", "我住在深圳", _SO_ZH, "我现在在{}公司上班。",
        "我不在{}公司上班了。", "我在哪里上班？", ("腾讯", "华为", "小米", "网易", "京东"),
    ),
    EpisodeType(
        "home, liking, zh", "我住在{}", "我喜欢滑雪", _SO_ZH, "我搬到{}了。",
        "我已经不住在{}了。", "我住在哪里？", ("哈尔滨", "长春", "沈阳", "大连", "北京"),
    ),
)  # fmt: skip
WAYS, ENDS = ("caller", "spoken"), ("replaced", "taken back")


@dataclass(frozen=True, slots=True)
class Episode:
    """One user's story."""

    user: str
    type: EpisodeType
    way: str
    end: str
    number: int

    @property
    def premise(self) -> str:
        """What is said first."""
        return self.type.premise.format(self._value(0))

    @property
    def said(self) -> str:
        """What is told before it changes."""
        stop = "。" if self.type.name.endswith("zh") else "."
        return self.spoken if self.way == "spoken" else f"{self.premise}{stop}"

    @property
    def spoken(self) -> str:
        """Premise and what follows in one utterance."""
        form = self.type.joined[self.number % len(self.type.joined)]
        return form.format(premise=self.premise, follows=self.type.follows)

    @property
    def change(self) -> str:
        """How the premise ends."""
        if self.end == "replaced":
            return self.type.replaced.format(self._value(1))
        return self.type.denied.format(self._value(0))

    def _value(self, step: int) -> str:
        return self.type.values[(self.number + step) % len(self.type.values)]


def episodes(each: int = EACH) -> list[Episode]:
    """Return as many episodes of each type, way and end."""
    kinds = product(TYPES, WAYS, ENDS, range(each))
    return [Episode(f"u{place}", *one) for place, one in enumerate(kinds)]


def run_premises_bench(report: Report, *, each: int = EACH) -> list[Figure]:
    """Measure without a model and without vectors."""
    with tempfile.TemporaryDirectory() as home:
        return asyncio.run(_measure(Path(home), episodes(each), report))


async def _measure(home: Path, told: Sequence[Episode], report: Report) -> list[Figure]:
    stale, admitted = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    async with aopen(home, embedder="none") as memory:
        agent = memory.agent("bench")
        report(f"tell {len(told)} episodes")
        await _tell(agent, [(one.user, one.said) for one in told])
        memories = await _memories(agent)
        for one in told:
            if one.way == "caller":
                premises = [record.id for record in memories.get(one.user, ())]
                await agent.cognition.add(one.type.follows, user=one.user, premises=premises)
        report("change what they rest on")
        await _tell(agent, [(one.user, one.change) for one in told])
        memories = await _memories(agent)
        report("ask for what was taken back")
        for one in told:
            key = one.type.name, one.way
            stale[key] += any(_is_stale(record) for record in memories.get(one.user, ()))
            if one.end == "taken back":
                admitted[key] += await _admits(agent, one)
    return [*_figures("stale known", stale, told), *_figures("absence admitted", admitted, told, end="taken back")]


async def _tell(agent: AsyncAgent, said: Sequence[tuple[str, str]]) -> None:
    await agent.remember([{"content": text, "metadata": {"user_id": user}} for user, text in said])
    await agent.settle()


async def _memories(agent: AsyncAgent) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in await agent.cognition.memories(limit=100_000):
        if isinstance(record.data, MemoryData):
            found.setdefault(record.data.user, []).append(record)
    return found


def _is_stale(record: Record) -> bool:
    return isinstance(record.data, MemoryData) and bool(record.data.stale)


async def _admits(agent: AsyncAgent, one: Episode) -> bool:
    """Tell whether an answer says first that it is over, and of what was said before that it is."""
    found = await agent.recall(one.type.question, user=one.user)
    before = next((item for item in found.items if item.text == one.said), None)
    return bool(found.items) and found.items[0].text != one.said and (before is None or before.outdated_by is not None)


def _figures(
    what: str, counts: Counter[tuple[str, str]], told: Sequence[Episode], *, end: str | None = None
) -> list[Figure]:
    asked = Counter((one.type.name, one.way) for one in told if end in (None, one.end))
    rows = []
    for way in WAYS:
        n = sum(count for key, count in asked.items() if key[1] == way)
        right = sum(count for key, count in counts.items() if key[1] == way)
        rows.append(at_least(f"{what}, {way} (n={n})", right / n, "", ENOUGH))
        rows += [
            Figure(f"{what}, {way}: {name}", round(counts[name, way] / asked[name, way], 2), "")
            for name in dict.fromkeys(one.type.name for one in told)
        ]
    return rows

"""How the associative memory behaves over a year, and how fast it is; each figure beside what was promised."""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from bench.charts import lines
from bench.corpus import START
from bench.figures import Figure, Report, at_least, at_most
from bench.talk import run_talk_bench
from bench.year import Said, Year
from remanent.associative.face import Associations, AsyncAssociativeMemory
from remanent.associative.graph import FOCUS
from remanent.associative.model import TRACE, TraceData
from remanent.associative.settings import AssociativeSettings
from remanent.embedding import Embedders, open_embedders
from remanent.jobs import Worker
from remanent.language import Answer, Engine
from remanent.language.engines import OfflineEngine
from remanent.language.role import ReplyT, RequestT, ResponseT, Role
from remanent.model import JobState, Link, Receipt, Record, Scope, Source, id_source, read_messages
from remanent.model.chat import Messages
from remanent.recall.evaluation import percentile
from remanent.settings import JobSettings, load_settings
from remanent.stores import Change, JobQuery, search_terms
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.sqlite import SqliteStore
from remanent.stores.transaction import PutLink, PutRecord, PutState, PutVector

BATCH = 20
"""Messages that one call remembers: what a full context hands over."""
DAYS = 365.0
AGES = (7, 30, 45, 60, 120, 180, 240)
"""Days since something was said once at which the forgetting curve is told as a figure."""
NODES, LINKS_EACH = 10_000, 20
QUESTIONS = 300
LOOKS = 20
"""How often in a year the memory is looked at."""
ONCE = 150
"""Of what was said once, how much is asked for at each look."""

Schedule = Literal["least-scanned", "fixed"]


def run_associative_bench(
    home: Path,
    *,
    messages: int = 20_000,
    report: Report = lambda _: None,
    folder: Path | None = None,
    data: Path | None = None,
) -> list[Figure]:
    """Measure in a fresh folder; a year of 20,000 messages takes some half an hour, none is left out with 0.

    With a folder of the public sets, real talk is measured, too.

    With a folder to write to, the curves are left there: `associative.md`, and SVGs of size, strength and forgetting.
    The years are lived there, too, so that a run which is cut off goes on.
    """
    figures = asyncio.run(_measure_speed(home / "speed", report))
    engine = Remembering()
    years = home if folder is None else folder / "years"
    lives = [
        asyncio.run(live(years / schedule, messages=messages, schedule=schedule, report=report, engine=engine))
        for schedule in (("least-scanned", "fixed") if messages else ())
    ]
    if lives and folder is not None:
        write_report(folder, lives)
    talk = [] if data is None else run_talk_bench(data, report)
    return [*figures, *talk, *(figure for life in lives for figure in life_figures(life))]


# ── a memory with its own time ───────────────────────────────────────────────


class Remembering(Engine):
    """Works offline, and answers the same question from memory: two lives of the same messages cost one."""

    name = "offline"

    def __init__(self) -> None:
        self._offline = OfflineEngine()
        self._known: dict[tuple[str, str], Any] = {}

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the answer of the offline engine."""
        key = (role.name, request.to_json())
        if key not in self._known:
            self._known[key] = await self._offline.run(role, request)
        known: Answer[ResponseT] = self._known[key]
        return known

    async def close(self) -> None:
        """Nothing is held open."""


class Agent:
    """One agent's associative memory over a store of its own, with a clock that is set."""

    def __init__(
        self,
        home: Path,
        settings: AssociativeSettings,
        *,
        engine: Engine | None = None,
        embedders: Embedders | None = None,
    ) -> None:
        self.now = START
        self.scope = Scope(org="bench", workspace="bench", agent="bench")
        self.store = SqliteStore(home)
        self.new_id = id_source(lambda: self.now, seed=5)
        clock: Callable[[], datetime] = lambda: self.now  # noqa: E731
        self.embedders = embedders
        self.vectors = LocalVectors(self.store)
        self.associations = Associations(
            self.store,
            engine or OfflineEngine(),
            settings=settings,
            clock=clock,
            new_id=self.new_id,
            vectors=self.vectors,
            embedders=embedders,
        )
        self.worker = Worker(
            self.store, handlers=self.associations.handlers, settings=JobSettings(), clock=clock, new_id=self.new_id
        )
        self.associations.watch, self.associations.attend = self.worker.watch, self.worker.attend
        self.memory = AsyncAssociativeMemory(self.associations, self.scope, keep=self._keep)

    async def _keep(self, messages: Messages, **about: Any) -> Receipt:
        scope = self.scope.within(session=about.get("session"), task=about.get("task"))
        read = read_messages(messages, longest=100_000)
        entries = [message.entry(self.new_id(), scope=scope, recorded_at=self.now) for message in read]
        async with self.store.transaction(scope) as tx:
            for entry in entries:
                tx.append(entry)
            self.associations.request(tx, [entry.id for entry in entries])
        done = tx.committed
        return Receipt(entry_ids=done.entry_ids, last_seq=done.last_seq, recorded_at=self.now)

    async def settle(self) -> None:
        """Wait until everything that was remembered is in the graph, and compressed once."""
        await self.worker.settle([self.scope])

    async def dead_letters(self) -> int:
        """Return how many jobs were given up."""
        return len(await self.store.jobs(self.scope, JobQuery(states=(JobState.DEAD,), limit=1000)))


@asynccontextmanager
async def opened(
    home: Path, settings: AssociativeSettings, *, engine: Engine | None = None, embedders: Embedders | None = None
) -> AsyncIterator[Agent]:
    """Lend an agent whose worker runs."""
    agent = Agent(home, settings, engine=engine, embedders=embedders)
    agent.worker.start()
    try:
        yield agent
    finally:
        await agent.worker.stop()
        await agent.vectors.close()
        await agent.store.close()


# ── a year ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Look:
    """How the memory stood at one moment."""

    day: float
    nodes: int
    characters: int
    strength: float
    often: float
    """The share of the matters that are spoken of often which `recall` brings back."""
    once: tuple[tuple[float, bool], ...]
    """For a sample of what was said once: its age in days, and whether `recall` brings it back."""


@dataclass(slots=True)
class Life:
    """A year of one schedule."""

    schedule: Schedule
    messages: int
    looks: list[Look] = field(default_factory=list)
    most_nodes: int = 0
    dead_letters: int = 0
    batches: int = 0
    """How many calls were remembered so far."""
    seconds: float = 0.0
    """Of the processor, for remembering and compressing."""
    cut_off: int = 0
    """How many runs ended before the year did."""

    @classmethod
    def kept_in(cls, file: Path, schedule: Schedule, messages: int) -> "Life":
        """Return the life that a run which was cut off has left, or a new one."""
        if not file.exists():
            return cls(schedule, messages)
        kept = json.loads(file.read_text(encoding="utf-8"))
        return cls(**{**kept, "looks": [Look(**look) for look in kept["looks"]], "cut_off": kept["cut_off"] + 1})

    def keep_in(self, file: Path) -> None:
        """Leave the life as it is for a run that goes on."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def forgetting(self, *, bins: int = 48) -> list[tuple[float, float]]:
        """Return the share of what was said once that is found, by its age, over the second half of the year."""
        pairs = [pair for look in self.looks[len(self.looks) // 2 :] for pair in look.once]
        width = max((age for age, _ in pairs), default=0.0) / bins or 1.0
        curve = []
        for number in range(bins):
            found = [known for age, known in pairs if number * width <= age < (number + 1) * width]
            if found:
                curve.append(((number + 0.5) * width, sum(found) / len(found)))
        return curve

    def remembered(self, ages: Sequence[float]) -> list[tuple[float, float]]:
        """Return the curve at some ages, as far as it goes."""
        curve = self.forgetting()
        oldest = curve[-1][0] if curve else 0.0
        return [(age, min(curve, key=lambda point: abs(point[0] - age))[1]) for age in ages if age <= oldest]


async def live(
    home: Path,
    *,
    messages: int,
    schedule: Schedule,
    report: Report = lambda _: None,
    engine: Engine | None = None,
    looks: int = LOOKS,
    **settings: Any,
) -> Life:
    """Live through a year: remember batch after batch, and look at the memory now and then.

    Run again in the same folder, it goes on where it was cut off.
    """
    year, file = Year(), home / "life.json"
    life = Life.kept_in(file, schedule, messages)
    said = list(year.messages(messages))
    batches = [said[start : start + BATCH] for start in range(0, len(said), BATCH)]
    every = max(1, len(batches) // looks)
    async with opened(home, AssociativeSettings(schedule=schedule, **settings), engine=engine) as agent:
        # The job that a run was cut off in is held until its time is over, which passes only as it is told here: each
        # run that goes on is an hour later than the one before, or it waits for ever.
        later = timedelta(hours=life.cut_off)
        for number, batch in enumerate(batches[life.batches :], start=life.batches):
            agent.now = START + timedelta(days=DAYS * number / len(batches)) + later
            began = time.process_time()
            await agent.memory.remember([one.text for one in batch])
            await agent.settle()
            life.seconds += time.process_time() - began
            life.most_nodes = max(life.most_nodes, len(await agent.associations.graphs.at(agent.scope)))
            if (number + 1) % every == 0:
                day = DAYS * (number + 1) / len(batches)
                life.looks.append(await _look(agent, year, said[: (number + 1) * BATCH], day=day, days=DAYS / messages))
                look = life.looks[-1]
                report(f"{schedule}: day {day:.0f}, {look.nodes} nodes, {life.seconds:.0f} s, often {look.often:.2f}")
            life.batches = number + 1
            life.keep_in(file)
        life.dead_letters = await agent.dead_letters()
    return life


async def _look(agent: Agent, year: Year, said: Sequence[Said], *, day: float, days: float) -> Look:
    state = await agent.memory.state()
    often = [await _brings_back(agent, word) for word in year.often]
    places = [place for place, one in enumerate(said) if not one.often]
    chance = random.Random(len(said))
    once = [
        (days * (len(said) - place), await _brings_back(agent, said[place].keyword))
        for place in sorted(chance.sample(places, min(ONCE, len(places))))
    ]
    return Look(day, state.nodes, state.characters, state.mean_strength, sum(often) / len(often), tuple(once))


async def _brings_back(agent: Agent, word: str) -> bool:
    """Tell whether a recall brings back a memory that holds the word; that it was once known does not count."""
    # What `recall` makes its text of: there a lost memory is told in words that hold the same one.
    return any(word in item.text for item in (await agent.associations.search(agent.scope, [word])).items)


def life_figures(life: Life) -> list[Figure]:
    """Return the figures of a year beside the promises."""
    name = f"a year, {life.schedule}"
    later = life.looks[len(life.looks) // 2 :]
    often = sum(look.often for look in life.looks) / len(life.looks)
    middle = later[0].nodes or 1
    figures = [
        at_most(f"{name}, jobs given up", life.dead_letters, "", 0),
        at_least(f"{name}, what is spoken of often is recalled", 100 * often, "%", 95),
        Figure(f"{name}, nodes at the end", later[-1].nodes, ""),
        *(
            Figure(f"{name}, said once some {age:.0f} days ago and still recalled", round(100 * share, 1), "%")
            for age, share in life.remembered(AGES)
        ),
    ]
    if life.schedule == "fixed":
        return [*figures, at_most(f"{name}, nodes at most", life.most_nodes, "", 10_000)]
    return [*figures, at_most(f"{name}, growth of the second half", later[-1].nodes / middle, "×", 1.1)]


def write_report(folder: Path, lives: Sequence[Life]) -> None:
    """Leave the curves in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {
        "size": lines(
            {life.schedule: [(look.day, look.nodes) for look in life.looks] for life in lives}, across="day", up="nodes"
        ),
        "strength": lines(
            {life.schedule: [(look.day, look.strength) for look in life.looks] for life in lives},
            across="day",
            up="mean strength of links",
        ),
        "forgetting": lines(
            {life.schedule: life.forgetting() for life in lives}, across="days since it was said", up="share recalled"
        ),
    }
    for name, drawing in drawings.items():
        (folder / f"associative-{name}.svg").write_text(drawing, encoding="utf-8")
    (folder / "associative.md").write_text(as_markdown(lives), encoding="utf-8")


def as_markdown(lives: Sequence[Life]) -> str:
    """Return the tables of the report."""
    parts = ["# A year of an associative memory", ""]
    for life in lives:
        parts += [
            f"## {life.schedule}, {life.messages:,} messages",
            "",
            "| day | nodes | characters | mean strength | often, recalled |",
            "|---:|---:|---:|---:|---:|",
        ]
        parts += [
            f"| {look.day:.0f} | {look.nodes} | {look.characters} | {look.strength:.3f} | {100 * look.often:.0f} % |"
            for look in life.looks
        ]
        parts += ["", "| age in days of what was said once | recalled |", "|---:|---:|"]
        parts += [f"| {age:.0f} | {100 * share:.1f} % |" for age, share in life.forgetting()]
        parts.append("")
    images = [f"![{name}](associative-{name}.svg)" for name in ("size", "strength", "forgetting")]
    return "\n".join([*parts, *images, ""])


# ── speed ────────────────────────────────────────────────────────────────────


async def _measure_speed(home: Path, report: Report) -> list[Figure]:
    report(f"fill a graph of {NODES:,} nodes and {NODES * LINKS_EACH:,} links")
    settings = AssociativeSettings(schedule="fixed", max_nodes=2 * NODES)
    async with opened(home, settings, embedders=open_embedders(load_settings(home=home).embedder)) as agent:
        words = await _fill(agent)
        begin = time.perf_counter()
        await agent.memory.initialize()
        loaded = time.perf_counter() - begin
        figures = [Figure(f"load the graph, {NODES:,} nodes", round(loaded, 2), "s")]
        chance = random.Random(3)
        for depth, bound in ((2, 20), (3, 60), (None, 60)):
            name = "widening" if depth is None else f"depth {depth}"
            report(f"recall, {name}")
            waits, spent = [], []
            for _ in range(QUESTIONS):
                asked = [chance.choice(words)]
                begin, began = time.perf_counter(), time.process_time()
                await agent.memory.recall(asked, depth=depth)
                waits.append(time.perf_counter() - begin)
                spent.append(time.process_time() - began)
            figures.append(at_most(f"recall, {name}, p95", 1000 * percentile(waits, 0.95), "ms", bound))
            used = round(1000 * percentile(spent, 0.95), 2)
            figures.append(Figure(f"recall, {name}, p95 of processor time", used, "ms"))
        report("compression")
        slices = [await _timed_slice(agent) for _ in range(20)]
        figures.append(at_most("compression of 100 nodes, p95", 1000 * percentile(slices, 0.95), "ms", 200))
        report("remember")
        return [*figures, *await _measure_remember(agent)]


async def _timed_slice(agent: Agent) -> float:
    begin = time.perf_counter()
    await agent.memory.compress()
    await agent.settle()
    return time.perf_counter() - begin


async def _measure_remember(agent: Agent) -> list[Figure]:
    year = list(Year(seed=23).messages(200))
    idle = []
    for said in year[:100]:
        begin = time.perf_counter()
        await agent.memory.remember(said.text)
        idle.append(time.perf_counter() - begin)
        await agent.settle()
    busy = []
    for said in year[100:]:
        begin = time.perf_counter()
        await agent.memory.remember(said.text)
        busy.append(time.perf_counter() - begin)
    await agent.settle()
    return [
        at_most("remember, p95", 1000 * percentile(idle, 0.95), "ms", 10),
        Figure("remember while a hundred wait, p95", round(1000 * percentile(busy, 0.95), 2), "ms"),
    ]


async def _fill(agent: Agent) -> list[str]:
    """Load a graph whose links lead anywhere, the hardest case: every hop reaches new nodes."""
    chance = random.Random(1)
    said = list(Year(share_often=0.0).messages(NODES))
    ids = [agent.new_id() for _ in said]
    now = agent.now

    async def batches() -> AsyncIterator[list[Change]]:
        for start in range(0, NODES, 1000):
            yield [_put(agent, ids[place], said[place].text) for place in range(start, start + 1000)]
        for node_id in ids:
            yield [
                PutLink(
                    Link(
                        from_id=node_id,
                        to_id=other,
                        relation="about",
                        strength=chance.uniform(0.2, 1.0),
                        created_at=now,
                        updated_at=now,
                    )
                )
                for other in chance.sample(ids, LINKS_EACH)
            ]
        yield [PutState(FOCUS, list(ids[-5:]))]
        if agent.embedders is not None:
            model = agent.embedders.members[0]
            for start in range(0, NODES, 1000):
                rows = await model.embed([one.text for one in said[start : start + 1000]])
                yield [PutVector(ids[start + place], model.model_id, row.tobytes()) for place, row in enumerate(rows)]

    await agent.store.load(agent.scope, batches())
    return [one.keyword for one in said]


def _put(agent: Agent, node_id: str, text: str) -> Change:
    record = Record(
        id=node_id,
        scope=agent.scope,
        kind=TRACE,
        content=text,
        summary=text[:20],
        created_at=agent.now,
        updated_at=agent.now,
        occurred_at=agent.now,
        sources=(Source(entry_id=node_id),),
        data=TraceData(original_length=len(text)),
    )
    return PutRecord(record, search_terms(record))

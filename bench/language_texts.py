"""Conflicts on texts that nobody here wrote: those found where there are none, and those planted that are found.

    python -m bench.language_texts DATA [TASKS=100] [HALF=even|odd|both]

False conflicts are counted per task over documents of public multi-hop questions, each judged against the most similar
ones before it, as a bank does; contradictions are planted by `bench.planted`. The halves are told apart so that rules
can be made by looking at one of them alone.
"""

import asyncio
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bench.figures import Figure, Report, at_least, at_most
from bench.planted import Plant, chinese_plants, plants
from remanent.embedding.multilingual import MultilingualEmbedder
from remanent.language.offline.judgement import contradictions
from remanent.language.offline.salience import word_scores
from remanent.language.role import Toolbox
from remanent.language.roles.analysis import ANALYSIS, AnalysisRequest, Relation, Relationship
from remanent.language.shapes import GraphNode
from remanent.text.sentences import sentence_texts

NEAREST = 5
"""Documents before it that each is judged against: as many as a bank takes by default."""


@dataclass(frozen=True, slots=True)
class Document:
    """A titled text; a Chinese passage has no title."""

    title: str
    text: str

    @property
    def whole(self) -> str:
        """What a bank is given."""
        return f"{self.title}. {self.text}" if self.title else self.text


@dataclass(slots=True)
class Tally:
    """What was counted over some documents."""

    tasks: int = 0
    false_tasks: int = 0
    false: list[str] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    planted: Counter[str] = field(default_factory=Counter)

    def figures(self, name: str) -> Iterator[Figure]:
        """Yield what was counted beside what was promised."""
        for kind, count in sorted(self.planted.items()):
            share = 100 * self.found[kind] / count
            yield at_least(f"{name}: planted {kind} found (n={count})", share, "%", 60)
        yield at_most(
            f"{name}: tasks with a false conflict (n={self.tasks})", 100 * self.false_tasks / self.tasks, "%", 2
        )


def read_tasks(folder: Path) -> list[list[Document]]:
    """Return the documents of each multi-hop task."""
    with gzip.open(folder / "multihop.tasks.jsonl.gz", "rt", encoding="utf-8") as rows:
        tasks = [json.loads(row) for row in rows]
    return [[Document(one["title"], one["text"]) for one in task["documents"]] for task in tasks]


def read_passages(folder: Path, *, at_once: int = 10) -> list[list[Document]]:
    """Return Chinese passages, so many to a task."""
    with gzip.open(folder / "cmrc.stores.jsonl.gz", "rt", encoding="utf-8") as rows:
        texts = [turn["text"] for row in rows for one in json.loads(row)["sessions"] for turn in one["turns"]]
    return [[Document("", text) for text in texts[at : at + at_once]] for at in range(0, len(texts), at_once)]


async def study_texts(tasks: Sequence[list[Document]], toolbox: Toolbox, *, seed: str, chinese: bool = False) -> Tally:
    """Judge the documents of each task, then plant contradictions into them and judge those."""
    tally = Tally()
    for number, documents in enumerate(tasks):
        tally.tasks += 1
        before = len(tally.false)
        for one in documents:
            said = sentence_texts(one.whole)
            tally.false += [f"{one.title}: {said[later]} / {said[earlier]}" for later, earlier in contradictions(said)]
        for place, one in enumerate(documents[1:], 1):
            relations = await _judged(one.whole, documents[:place], toolbox)
            tally.false += [f"{one.title}: {relation.conflict_description}" for _, relation in relations]
        tally.false_tasks += len(tally.false) > before
        source = random.Random(f"{seed} {number}")
        for place, plant in islice(_planted(documents, source, chinese=chinese), 8):
            tally.planted[plant.kind] += 1
            found = await _judged(plant.planted, documents, toolbox)
            tally.found[plant.kind] += any(at == place for at, _ in found)
    return tally


def _planted(documents: Sequence[Document], source: random.Random, *, chinese: bool) -> Iterator[tuple[int, Plant]]:
    """Yield contradictions of one task's documents, at most two of each kind."""
    names = [" ".join(word for word in one.title.split() if word.isalpha()) for one in documents]
    names = [name for name in names if name and name[0].isupper()] + ["Porto", "Kenya", "Lena Marsh", "Aldous Grant"]
    seen: Counter[str] = Counter()
    order = list(range(len(documents)))
    source.shuffle(order)
    for place in order:
        one = documents[place]
        made = (
            chinese_plants(one.text, source=source)
            if chinese
            else plants(one.title, one.text, names=names, source=source)
        )
        for plant in made:
            seen[plant.kind] += 1
            if seen[plant.kind] <= 2:
                yield place, plant


async def _judged(text: str, documents: Sequence[Document], toolbox: Toolbox) -> list[tuple[int, Relation]]:
    """Return the conflicts of a text with the documents most like it, each with the document's place."""
    scores = word_scores(text, [one.whole for one in documents])
    best = sorted(range(len(documents)), key=lambda place: -scores[place])[:NEAREST]
    request = AnalysisRequest(
        new_node=GraphNode(node_id="new", summary=text),
        candidates=tuple(GraphNode(node_id=f"n{place}", summary=documents[place].whole) for place in best),
    )
    response = await ANALYSIS.offline(request, toolbox)
    return [
        (place, relation)
        for place, relation in zip(best, response.relations, strict=True)
        if relation.relationship is Relationship.CONFLICT
    ]


def run_planted_bench(data: Path, report: Report, *, count: int = 100) -> list[Figure]:
    """Measure on so many tasks of each language, kind by kind, on each half of them."""
    return asyncio.run(_measure(data, report, count))


async def _measure(data: Path, report: Report, count: int) -> list[Figure]:
    figures: list[Figure] = []
    toolbox = Toolbox(MultilingualEmbedder())
    for name, tasks, chinese in (("English", read_tasks(data), False), ("Chinese", read_passages(data), True)):
        for half, part in (("looked at", tasks[:count:2]), ("the other half", tasks[1:count:2])):
            report(f"{name}, {half}: {len(part)} tasks")
            tally = await study_texts(part, toolbox, seed=name, chinese=chinese)
            figures += tally.figures(f"{name}, {half}")
    return figures

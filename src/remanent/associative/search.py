"""Finding memories along their links: one best-first search from all focuses, and how the findings are told."""

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import datetime
from heapq import heappop, heappush
from itertools import count
from math import inf
from time import thread_time
from typing import NamedTuple

from remanent.associative.graph import Edge, Graph, Vertex
from remanent.associative.model import AssociativeFound, DanglingLink, Forgotten, Hop, Knowledge, Node
from remanent.bilingual import Bilingual, Language
from remanent.lightweight import dataclass
from remanent.model import Clock, GateVerdict, Job, JobState, LeftOut, Scope
from remanent.stores import JobQuery, Store
from remanent.text.escaping import escape_lines, escape_name
from remanent.text.keywords import content_words
from remanent.text.scripts import caseless, working_language

LANE = "associative"
"""The lane of `remember`: one after the other, in the order of the calls."""

_POLL_SECONDS = 0.05
"""Seconds between looks at the queue; commits of this process are heard of at once, those of another only so."""

MAX_WAITING = 100_000
"""More jobs than any queue may hold."""


class Watermark:
    """Waits until the graph holds what was remembered before."""

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._committed: dict[Scope, asyncio.Event] = {}

    def advance(self, scope: Scope) -> None:
        """Wake whoever waits: a job of the lane was committed."""
        if (waiting := self._committed.get(scope.owner)) is not None:
            waiting.set()

    async def reach(self, scope: Scope, watch: Callable[[Scope], None]) -> int:
        """Wait for all that was asked before and can run; return how many messages are not in the graph yet.

        Where something waits the worker is told to look: another process may have asked for it. A job in back-off is
        not waited for, and those behind it cannot run before it: the reader would wait as long as a model is out of
        order.
        """
        owner = scope.owner

        def can_run(job: Job) -> bool:
            return job.state is JobState.RUNNING or job.not_before is None or job.not_before <= self._clock()

        if not await self._waiting(owner, limit=1):
            return 0
        watch(owner)
        mark = max((job.seq for job in await self._waiting(owner)), default=0)
        committed = self._committed.setdefault(owner, asyncio.Event())
        try:
            while True:
                committed.clear()
                head = await self._waiting(owner, limit=1)
                if not head or head[0].seq > mark or not can_run(head[0]):
                    break
                with suppress(TimeoutError):
                    await asyncio.wait_for(committed.wait(), _POLL_SECONDS)
        finally:
            self._committed.pop(owner, None)
        return sum(len(entries_of(job)) for job in await self._waiting(owner))

    async def _waiting(self, owner: Scope, *, limit: int = MAX_WAITING) -> list[Job]:
        query = JobQuery(states=(JobState.PENDING, JobState.RUNNING), lanes=(LANE,), limit=limit)
        return await self._store.jobs(owner, query)


def entries_of(job: Job) -> tuple[str, ...]:
    """Return the entries that a job makes nodes of."""
    named = job.payload.get("entries")
    return tuple(str(entry_id) for entry_id in named) if isinstance(named, list) else ()


MAX_ONCE_KNOWN = 3
"""How many deleted nodes a recall speaks of, so that the lost do not drown the found; chosen by hand."""

_ONCE_KNOWN: Bilingual = Bilingual(
    "[记忆] I once knew of “{about}”, but cannot remember it",
    "[记忆] 曾经记得“{about}”，但想不起来了",
)
_FURTHER_AWAY: Bilingual = Bilingual(
    "[记忆] The best match was said some time ago, further from what is in mind now",
    "[记忆] 以上最相关的记忆是较早以前说的，不在最近的谈话里",
)
# The first of each is the design's own wording.
_SOMETHING_FORGOTTEN: Bilingual = Bilingual(
    "[记忆] It is linked with something that has been forgotten",
    "[记忆] 与某个已遗忘的事物有关联",
)
_FORGOTTEN_RELATION: Bilingual = Bilingual(
    "[记忆] It is linked (“{relation}”) with something that has been forgotten",
    "[记忆] 它有个{relation}，但我想不起来了",
)

_NOT_IN_GRAPH: Bilingual = Bilingual(
    "[记忆] {count} more messages have not become memories yet",
    "[记忆] 另有 {count} 条消息尚未整理成记忆",
)


def keywords_of(said: str | Sequence[str]) -> Sequence[str]:
    """Return keywords; of a question in one text, the words that say what it is about."""
    return (content_words(said) or [said]) if isinstance(said, str) else said


@dataclass(frozen=True, slots=True)
class GraphQuery:
    """What a search is to find."""

    keywords: tuple[str, ...] = ()
    """Any of these, in content or keywords; none lets every node pass."""
    relations: tuple[str, ...] | None = None
    """Every link of a path must be one of these."""
    depth: int = 2
    limit: int = 100
    """0 is no limit."""
    since: datetime | None = None
    until: datetime | None = None
    similar: Mapping[str, float] = field(default_factory=dict)
    """Nodes that match by meaning, with their cosine."""


class PathLabel(NamedTuple):
    """One way to come to a node; labels sort as the search takes them up."""

    weakness: float
    """The strength of its path, negative."""
    rank: int
    """The place of the focus it began at; 0 is the newest."""
    order: int
    depth: int
    vertex: Vertex
    edge: Edge | None = None
    before: "PathLabel | None" = None


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A node as a search of the graph found it, to be read before anybody changes the graph.

    A recall finds a hundred of them and says their texts only: the rest is worked out for who asks for it.
    """

    vertex: Vertex
    label: PathLabel | None
    """The way that it was come to by; nothing when it was found by words or meaning too far away to have one."""
    matched_keywords: tuple[str, ...] = ()
    similarity: float | None = None
    """The cosine to what was asked, when the node was found by meaning."""
    score: float = 0.0
    """How well it answers, by words and meaning; an exact search goes by the path alone and leaves it at 0."""

    @property
    def text(self) -> str:
        """What the node says."""
        return self.vertex.content

    @property
    def node(self) -> Node:
        """The node itself."""
        return self.vertex.node()

    @property
    def strength(self) -> float:
        """The product of the strengths of its hops; 1 for a focus itself, 0 without a path."""
        return 0.0 if self.label is None else -self.label.weakness

    @property
    def distance(self) -> int | None:
        """How many hops it is away from the focus; nothing when it is further than was looked."""
        return None if self.label is None else self.label.depth

    @property
    def focus_id(self) -> str | None:
        """Where its path begins."""
        at = self.label
        while at is not None and at.before is not None:
            at = at.before
        return None if at is None else at.vertex.id

    @property
    def hops(self) -> tuple[Hop, ...]:
        """The links of its path."""
        return tuple(Hop(**edge.ends) for edge in self._edges)

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations of the links of its path."""
        return tuple(edge.relation for edge in self._edges)

    @property
    def _edges(self) -> list[Edge]:
        """Return the edges of the path to this hit, from the focus on."""
        edges: list[Edge] = []
        at = self.label
        while at is not None and at.edge is not None:
            edges.append(at.edge)
            at = at.before
        return edges[::-1]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What one search of a graph finds, before the journal is asked for the sources."""

    items: tuple[SearchHit, ...] = ()
    dangling: tuple[DanglingLink, ...] = ()
    """Links to deleted nodes that were met on the way."""
    once_known: tuple[Forgotten, ...] = ()
    """Deleted nodes that the keywords ask about."""
    knowledge: Knowledge | None = None
    gate: GateVerdict | None = None
    left_out: tuple[LeftOut, ...] = ()
    """Paths that did not answer."""
    query: str = ""
    """The keywords, as they were given."""
    not_in_graph: int = 0


class Matcher:
    """Tells what is wanted."""

    def __init__(self, wanted: GraphQuery) -> None:
        self._wanted = wanted
        self._keys = [(keyword, key) for keyword in wanted.keywords if (key := caseless(keyword).strip())]

    @property
    def only_word(self) -> str | None:
        """The one keyword, where nothing else is asked."""
        asked = self._wanted
        if len(self._keys) != 1 or asked.similar or asked.since is not None or asked.until is not None:
            return None
        return self._keys[0][1]

    def among(self, vertices: Iterable[Vertex]) -> set[Vertex]:
        """Return the nodes among them that a query wants: with any of the keywords, or similar in meaning; in time."""
        similar, keys = self._wanted.similar, [key for _, key in self._keys]
        if not self._wanted.keywords:
            found = set(vertices)
        elif len(keys) == 1 and not similar:  # without a loop over keywords for each vertex
            (only,) = keys
            found = {vertex for vertex in vertices if only in vertex.searched}
        else:
            found = {one for one in vertices if one.id in similar or any(key in one.searched for key in keys)}
        if self._wanted.since is None and self._wanted.until is None:
            return found
        return {vertex for vertex in found if self.in_time(vertex)}

    def in_time(self, vertex: Vertex) -> bool:
        """Tell whether it happened when it is wanted to have happened."""
        at, since, until = vertex.occurred_at, self._wanted.since, self._wanted.until
        return at is not None and (since is None or at >= since) and (until is None or at < until)

    def share(self, searched: str) -> float:
        """Return the share of the keywords that a text holds."""
        return sum(key in searched for _, key in self._keys) / max(1, len(self._keys))

    def matched(self, searched: str) -> tuple[str, ...]:
        """Return the keywords that a text holds."""
        return tuple(keyword for keyword, key in self._keys if key in searched)


class SearchEngine:
    """Searches one graph, and tells what it found."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def search(self, wanted: GraphQuery) -> SearchResult:
        """Return what can be reached from the focuses, strongest path first, then newer focus first; nothing changes.

        A path is as strong as the product of its links. Every node within the depth is found, by the strongest path
        to it, and comes once.
        """
        run = _Search(self._graph, wanted)
        run.run()
        items = [
            SearchHit(
                label.vertex,
                label,
                run.matcher.matched(label.vertex.searched),
                similarity=wanted.similar.get(label.vertex.id),
            )
            for label in run.found
        ]
        dangling = tuple(DanglingLink(**edge.ends) for edge in run.dangling.values())
        stones = [one.forgotten for one in self._graph.memorials.values() if run.matcher.matched(one.searched)]
        # Last forgotten first.
        lost = tuple(sorted(stones, key=lambda stone: stone.forgotten_at, reverse=True)[:MAX_ONCE_KNOWN])
        state = Knowledge.KNOWN if items else Knowledge.FORGOTTEN if lost else None
        return SearchResult(items=tuple(items), dangling=dangling, once_known=lost, knowledge=state)

    @staticmethod
    def format_results(recollection: SearchResult | AssociativeFound) -> str:
        """Return what was found as a model reads it: one block per memory, then what was forgotten, each said once.

        It speaks the language of the question. Whatever was stored, it can neither begin another block nor speak as
        anybody: further lines are indented.
        """
        said = [
            *(item.text for item in recollection.items),
            *(stone.about for stone in recollection.once_known),
        ]
        language = working_language(recollection.query, *said, _SOMETHING_FORGOTTEN["zh"])
        lines = [f"[记忆] {_told(item.text)}" for item in recollection.items]
        lost = [
            _ONCE_KNOWN[language].format(about=" ".join(_told(stone.about).split()))
            for stone in recollection.once_known
        ]
        # Where the best answer is one that was lost, that is the answer.
        lines = [*lost, *lines] if recollection.knowledge is Knowledge.FORGOTTEN else [*lines, *lost]
        lines += [_spoken_of(link, language) for link in recollection.dangling]
        if recollection.knowledge is Knowledge.FURTHER_AWAY:
            lines.append(_FURTHER_AWAY[language])
        if recollection.not_in_graph:
            lines.append(_NOT_IN_GRAPH[language].format(count=recollection.not_in_graph))
        return "\n---\n".join(dict.fromkeys(lines))


class StrongestPaths:
    """The strongest paths from the focuses of a graph, however many hops they have, as far as they were asked for.

    Where they lead does not depend on what is looked for, so one search serves every question until the graph changes:
    each goes on where the last one stopped, none beyond the budget of links, and each for so many seconds at most.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        budget: int,
        seconds: float = inf,
        timer: Callable[[], float] = thread_time,
        relations: Collection[str] | None = None,
    ) -> None:
        self._floor = graph.floor
        self._budget = budget
        self._seconds = seconds
        self._timer = timer
        self._relations = None if relations is None else frozenset(relations)
        # Thousands of links are looked at. The queue holds numbers only: the garbage collector does not keep track of
        # those, and so is not led to go through the whole graph. What leads where lies beside it.
        self._vertices = graph.focused()
        self._edges: list[Edge | None] = [None] * len(self._vertices)
        self._before = [-1] * len(self._vertices)
        self._queue = [(-1.0, rank, rank) for rank in range(len(self._vertices))]
        self._best: dict[Vertex, float] = {}
        self._settled: dict[Vertex, int] = {}

    def to(self, targets: Collection[Vertex]) -> dict[Vertex, PathLabel]:
        """Return the paths to those of the targets that lie within the budget, the strongest first."""
        self._look_for({vertex for vertex in targets if vertex not in self._settled})
        return {vertex: self._path_to(number) for vertex, number in self._settled.items() if vertex in targets}

    def _look_for(self, missing: set[Vertex]) -> None:
        """Go on from the strongest way until the wanted are reached, or time or budget is used up."""
        floor, passing, best, settled = self._floor, self._relations, self._best, self._settled
        vertices, edges, before, queue = self._vertices, self._edges, self._before, self._queue
        timer, end = self._timer, self._timer() + self._seconds
        while queue and missing and self._budget > 0 and timer() < end:
            weakness, rank, number = heappop(queue)
            vertex = vertices[number]
            if vertex in settled:
                continue
            # Under a filter a focus counts only where a link leads to it.
            if passing is None or edges[number] is not None:
                settled[vertex] = number
                missing.discard(vertex)
            self._budget -= len(vertex.leaving)
            for edge in vertex.leaving:
                strength, target = edge.strength, edge.target
                reached = weakness * strength
                # The first turns most away: no way to a settled node is stronger than its own.
                if reached >= best.get(target, 0.0) or strength < floor or not target.alive or target in settled:
                    continue
                if passing is None or edge.relation in passing:
                    best[target] = reached
                    heappush(queue, (reached, rank, len(vertices)))
                    vertices.append(target)
                    edges.append(edge)
                    before.append(number)

    def _path_to(self, number: int) -> PathLabel:
        """Return the label of a way, with those of the ways that it goes on from."""
        steps: list[int] = []
        while self._edges[number] is not None:
            steps.append(number)
            number = self._before[number]
        label = PathLabel(-1.0, number, number, 0, self._vertices[number])
        for step in reversed(steps):
            if (edge := self._edges[step]) is not None:
                reached = label.weakness * edge.strength
                label = PathLabel(reached, label.rank, step, label.depth + 1, self._vertices[step], edge, label)
        return label


_FEW_HOPS = 2
"""Hops within which a word is looked for on the way. With 2,000 nodes of 20 links each, three come to every node many
times, and it is quicker to look at all of them once."""


class _Search:
    """One best-first search from all focuses at once.

    A node may be reached by several labels: a weaker path that is shorter can still lead further within the depth. A
    label is dropped only where another is no longer and no weaker, which keeps the search exact and its queue short.
    """

    def __init__(self, graph: Graph, wanted: GraphQuery) -> None:
        self._graph = graph
        self._wanted = wanted
        self._relations: Collection[str] | None = None if wanted.relations is None else frozenset(wanted.relations)
        self._queue: list[PathLabel] = []
        self._order = count()
        self._known: dict[Vertex, list[PathLabel]] = {}
        self._expanded: dict[Vertex, int] = {}
        self._met: set[Vertex] = set()
        self.matcher = Matcher(wanted)
        # Within two hops hardly any node is met twice: a word is looked for where the search comes to, not in all.
        self._word = self.matcher.only_word if wanted.depth <= _FEW_HOPS else None
        looks_first = bool(graph.focuses) and self._word is None
        self._matching = self.matcher.among(graph.nodes()) if looks_first else set[Vertex]()
        self._leading: set[Vertex] | None = None
        if wanted.depth > _FEW_HOPS:
            self._leading = {edge.source for vertex in self._matching for edge in vertex.arriving}
        self.found: list[PathLabel] = []
        self.dangling: dict[int, Edge] = {}

    def run(self) -> None:
        """Search until the queue is empty or enough was found."""
        for rank, vertex in enumerate(self._graph.focused()):
            # Not among the known ones: with a filter of relations a focus counts only where a link leads to it.
            heappush(self._queue, PathLabel(-1.0, rank, next(self._order), 0, vertex))
        depth, limit, expanded = self._wanted.depth, self._wanted.limit, self._expanded
        while self._queue:
            label = heappop(self._queue)
            vertex = label.vertex
            if vertex not in self._met and (label.depth or self._relations is None):
                self._met.add(vertex)
                if vertex in self._matching if self._word is None else self._word in vertex.searched:
                    self.found.append(label)
                    if len(self.found) == limit:
                        return
            if label.depth < depth and label.depth < expanded.get(vertex, depth):
                expanded[vertex] = label.depth
                self._expand(label)

    def _expand(self, label: PathLabel) -> None:
        """Follow the links of one node; what leads nowhere any more is noted, not followed."""
        floor, relations, known = self._graph.floor, self._relations, self._known
        weakness, rank, depth = label.weakness, label.rank, label.depth + 1
        for edge in self._of_use(label.vertex, left=self._wanted.depth - depth):
            target, strength = edge.target, edge.strength
            if strength < floor or (relations is not None and edge.relation not in relations):
                continue
            if not target.alive:
                self.dangling[id(edge)] = edge
                continue
            reached = weakness * strength
            labels = known.get(target)
            if labels is None:
                labels = known[target] = []
            elif any(one.depth <= depth and (one.weakness, one.rank) <= (reached, rank) for one in labels):
                continue  # a known way is as short and stronger, or as strong and from no older a focus
            further = PathLabel(reached, rank, next(self._order), depth, target, edge, label)
            labels.append(further)
            heappush(self._queue, further)

    def _of_use(self, vertex: Vertex, *, left: int) -> Sequence[Edge]:
        """Return the links of a node that may lead to what is wanted, or to nothing, in so many hops behind them.

        At the last hop and at the one before it, most lead to what nobody asked for: those are not followed.
        """
        matching, leading = self._matching, self._leading
        if left == 0 and (word := self._word) is not None:
            return [edge for edge in vertex.leaving if word in edge.target.searched or not edge.target.alive]
        if left == 0 and (leading is None or vertex in leading or vertex.dangling):
            return [edge for edge in vertex.leaving if edge.target in matching or not edge.target.alive]
        if left == 1 and leading is not None:
            return [
                edge
                for edge in vertex.leaving
                if (to := edge.target) in leading or to in matching or to.dangling or not to.alive
            ]
        return vertex.leaving if left else ()


def dangling_links(graph: Graph, node_ids: Sequence[str]) -> tuple[DanglingLink, ...]:
    """Return the links of nodes whose far end was deleted."""
    vertices = [vertex for node_id in node_ids if (vertex := graph.find(node_id)) is not None]
    edges = (edge for vertex in vertices for edge in graph.leaving(vertex) if not edge.target.alive)
    return tuple(DanglingLink(**edge.ends) for edge in edges)


_SPEAKER = re.compile(r"(?:User: |Assistant: |用户：|助手：)")
"""Who said it, as memories begin with it."""


def _told(text: str) -> str:
    """Return a memory as it is told; behind the mark of a block its speaker begins no line and stays as it is."""
    speaker = _SPEAKER.match(text)
    own = speaker.end() if speaker is not None else 0
    return text[:own] + escape_lines(text[own:])


def _spoken_of(link: DanglingLink, language: Language) -> str:
    """Say that something was forgotten, by its relation where that is a word of the same language."""
    relation = escape_name(link.relation)
    if relation and working_language(relation) == language:
        return _FORGOTTEN_RELATION[language].format(relation=relation)
    return _SOMETHING_FORGOTTEN[language]

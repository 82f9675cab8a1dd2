"""Finding memories along their links: one best-first search from all focuses, and how the findings are told."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from heapq import heappop, heappush
from itertools import count

from remanent.associative.graph import Edge, Graph, Vertex, folded
from remanent.associative.words import (
    FORGOTTEN_RELATION,
    SOMETHING_FORGOTTEN,
    DanglingLink,
    Forgotten,
    Hop,
    Recollected,
    Recollection,
)
from remanent.language.tongue import tongue_of

MOST_ONCE_KNOWN = 5
"""How many deleted nodes a recall speaks of."""

_ONCE_KNOWN = {
    "zh": "[记忆] 曾经记得“{about}”，但想不起来了",
    "en": "[记忆] I once knew of “{about}”, but cannot remember it",
}


@dataclass(frozen=True, slots=True)
class Wanted:
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


@dataclass(slots=True, eq=False)
class _Label:
    """One way to come to a node."""

    vertex: Vertex
    depth: int
    strength: float
    rank: int
    """The place of the focus it began at; 0 is the newest."""
    edge: Edge | None = None
    before: "_Label | None" = None


class _Matcher:
    """Tells whether a node is among what is wanted; each is looked at once."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._keys = [(keyword, key) for keyword in wanted.keywords if (key := folded(keyword).strip())]
        self._known: dict[str, bool] = {}

    def __call__(self, vertex: Vertex) -> bool:
        known = self._known.get(vertex.id)
        if known is None:
            known = self._known[vertex.id] = self._is_wanted(vertex)
        return known

    def _is_wanted(self, vertex: Vertex) -> bool:
        wanted, moment = self._wanted, vertex.occurred_at
        if moment is None or (wanted.since is not None and moment < wanted.since):
            return False
        if wanted.until is not None and moment >= wanted.until:
            return False
        if not wanted.keywords or vertex.id in wanted.similar:
            return True
        searched = vertex.searched
        return any(key in searched for _, key in self._keys)

    def matched(self, searched: str) -> tuple[str, ...]:
        """Return the keywords that a text holds."""
        return tuple(keyword for keyword, key in self._keys if key in searched)


class SearchEngine:
    """Searches one graph, and tells what it found."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def search(self, wanted: Wanted) -> Recollection:
        """Return what can be reached from the focuses, strongest path first, then newer focus first; nothing changes.

        A path is as strong as the product of its links. Every node within the depth is found, by the strongest path
        to it, and comes once.
        """
        run = _Search(self._graph, wanted)
        run.run()
        items = [_recollected(label, run.matcher, wanted) for label in run.found]
        dangling = tuple(_dangling(edge) for edge in run.dangling.values())
        return Recollection(items=tuple(items), dangling=dangling, once_known=self._once_known(run.matcher))

    def _once_known(self, matcher: _Matcher) -> tuple[Forgotten, ...]:
        """Return deleted nodes that the keywords ask about, last forgotten first."""
        stones = [
            memorial.forgotten for memorial in self._graph.memorials.values() if matcher.matched(memorial.searched)
        ]
        return tuple(sorted(stones, key=lambda stone: stone.forgotten_at, reverse=True)[:MOST_ONCE_KNOWN])

    @staticmethod
    def format_results(recollection: Recollection) -> str:
        """Return what was found as a model reads it: one block per memory, then what was forgotten."""
        lines = [f"[记忆] {item.node.content}" for item in recollection.items]
        lines += [_ONCE_KNOWN[tongue_of(stone.about)].format(about=stone.about) for stone in recollection.once_known]
        lines += dict.fromkeys(_spoken_of(link) for link in recollection.dangling)
        return "\n---\n".join(lines)


class _Search:
    """One best-first search."""

    def __init__(self, graph: Graph, wanted: Wanted) -> None:
        self._graph = graph
        self._wanted = wanted
        self._relations: Collection[str] | None = None if wanted.relations is None else frozenset(wanted.relations)
        self._queue: list[tuple[float, int, int, _Label]] = []
        self._order = count()
        self._known: dict[str, list[_Label]] = {}
        self._expanded: dict[str, int] = {}
        self._emitted: set[str] = set()
        self.matcher = _Matcher(wanted)
        self.found: list[_Label] = []
        self.dangling: dict[int, Edge] = {}

    def run(self) -> None:
        """Search until the queue is empty or enough was found."""
        for rank, vertex in enumerate(self._graph.focused()):
            # With a filter of relations a focus counts only where a link leads to it: these labels dominate none.
            self._push(_Label(vertex, 0, 1.0, rank))
        while self._queue:
            label = heappop(self._queue)[3]
            if self._emit(label):
                return
            name = label.vertex.id
            if label.depth < self._wanted.depth and label.depth < self._expanded.get(name, label.depth + 1):
                self._expanded[name] = label.depth
                self._expand(label)

    def _push(self, label: _Label) -> None:
        heappush(self._queue, (-label.strength, label.rank, next(self._order), label))

    def _emit(self, label: _Label) -> bool:
        """Take a node into the findings the first time it is met; tell whether there are enough."""
        name = label.vertex.id
        if name in self._emitted or (self._relations is not None and label.depth == 0):
            return False
        self._emitted.add(name)
        if self.matcher(label.vertex):
            self.found.append(label)
        return len(self.found) == self._wanted.limit > 0

    def _expand(self, label: _Label) -> None:
        floor, relations = self._graph.floor, self._relations
        strength, rank, depth = label.strength, label.rank, label.depth + 1
        last = depth == self._wanted.depth
        matcher, known = self.matcher, self._known
        for edge in label.vertex.leaving:
            if edge.strength < floor or (relations is not None and edge.relation not in relations):
                continue
            target = edge.target
            if not target.alive:
                self.dangling[id(edge)] = edge
                continue
            # At the last hop only what is wanted is of use.
            if last and not matcher(target):
                continue
            reached = strength * edge.strength
            labels = known.get(target.id)
            if labels is None:
                labels = known[target.id] = []
            elif _is_dominated(labels, depth, reached, rank):
                continue
            further = _Label(target, depth, reached, rank, edge, label)
            labels.append(further)
            self._push(further)


def _is_dominated(labels: Sequence[_Label], depth: int, strength: float, rank: int) -> bool:
    """Tell whether a known way to the node is as short and no weaker, or as strong from no older a focus."""
    for known in labels:
        if known.depth <= depth and (known.strength > strength or (known.strength == strength and known.rank <= rank)):
            return True
    return False


def _recollected(label: _Label, matcher: _Matcher, wanted: Wanted) -> Recollected:
    hops: list[Hop] = []
    at = label
    while at.edge is not None and at.before is not None:
        edge = at.edge
        hops.append(Hop(from_id=edge.source.id, to_id=edge.target.id, relation=edge.relation, strength=edge.strength))
        at = at.before
    return Recollected(
        node=label.vertex.node(),
        matched_keywords=matcher.matched(label.vertex.searched),
        similarity=wanted.similar.get(label.vertex.id),
        focus_id=at.vertex.id,
        strength=label.strength,
        hops=tuple(reversed(hops)),
    )


def _dangling(edge: Edge) -> DanglingLink:
    return DanglingLink(from_id=edge.source.id, to_id=edge.target.id, relation=edge.relation, strength=edge.strength)


def _spoken_of(link: DanglingLink) -> str:
    return FORGOTTEN_RELATION.format(relation=link.relation) if link.relation else SOMETHING_FORGOTTEN

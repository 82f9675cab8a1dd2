"""Records that links tie to what other paths found."""

import asyncio
from heapq import heappop, heappush

from remanent.model import Link
from remanent.recall.path import Candidate, RecallPath
from remanent.recall.question import Question
from remanent.stores import LinkQuery, Store

WEAKEST = 0.01
"""A link below it is broken."""


class GraphPath(RecallPath):
    """Best first from the seeds along links: what the strongest chain of links leads to comes first."""

    name = "graph"
    follows = True

    def __init__(self, store: Store, *, seeds: int = 8, hops: int = 2, width: int = 32) -> None:
        self._store = store
        self._seeds = seeds
        self._hops = hops
        self._width = width

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Follow links in both directions, a hop for all at a time; the seeds themselves are not found again."""
        strength = dict.fromkeys(question.seeds[: self._seeds], 1.0)
        seeds = frozenset(strength)
        reasons: dict[str, str] = {}
        border = list(strength)
        for _ in range(self._hops):
            if not border:
                break
            links = await self._links(question, border)
            reached = _stronger(links, strength, reasons)
            border = sorted(reached, key=lambda one: (-strength[one], one))[: self._width]
        found = [record_id for record_id in strength if record_id not in seeds]
        passing = set(await self._store.match(question.scope, found, question.record_filter)) if found else set()
        ordered = sorted(passing, key=lambda one: (-strength[one], one))[:limit]
        return [Candidate(record_id, strength[record_id], reasons[record_id]) for record_id in ordered]

    async def _links(self, question: Question, border: list[str]) -> list[Link]:
        ends = tuple(border)
        owner = question.scope.owner
        leaving, arriving = await asyncio.gather(
            self._store.links(owner, LinkQuery(from_ids=ends, min_strength=WEAKEST)),
            self._store.links(owner, LinkQuery(to_ids=ends, min_strength=WEAKEST)),
        )
        return leaving + arriving


def _stronger(links: list[Link], strength: dict[str, float], reasons: dict[str, str]) -> set[str]:
    """Carry strength along one hop, strongest first; return what is reached anew or better than before."""
    ties: dict[str, list[tuple[str, float, str]]] = {}
    for link in links:
        ties.setdefault(link.from_id, []).append((link.to_id, link.strength, link.relation))
        ties.setdefault(link.to_id, []).append((link.from_id, link.strength, link.relation))
    queue: list[tuple[float, str]] = []
    for record_id in ties:
        if record_id in strength:
            heappush(queue, (-strength[record_id], record_id))
    reached: set[str] = set()
    while queue:
        carried, record_id = heappop(queue)
        for other, tie, relation in ties[record_id]:
            along = -carried * tie
            if along > strength.get(other, 0.0):
                strength[other] = along
                reasons[other] = relation
                reached.add(other)
    return reached

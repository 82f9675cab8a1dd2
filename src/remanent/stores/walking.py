"""Following links from records to records: which are reached, and how strongly.

Apart from any engine, because every adapter must come to the same end: it fetches the links of a border, as it can, and
hands them to the walk.
"""

from collections.abc import Iterable
from heapq import heappop, heappush

from remanent.model import Link


class Walk:
    """Best first from the seeds along links, in both directions, a hop for all at a time.

    While there is a `border`, all links that leave or reach it are to be given to `follow`.
    """

    def __init__(self, seeds: Iterable[str], *, hops: int, width: int) -> None:
        self._seeds = tuple(dict.fromkeys(seeds))
        self._strength = dict.fromkeys(self._seeds, 1.0)
        self._relations: dict[str, str] = {}
        self._hops = hops
        self._width = width
        self.border: tuple[str, ...] = self._seeds if hops > 0 else ()
        """The records whose links are needed next."""

    def follow(self, links: Iterable[Link]) -> None:
        """Take one hop along these links; the strongest that are reached anew or better become the next border."""
        reached = self._carry(links)
        self._hops -= 1
        best = sorted(reached, key=lambda one: (-self._strength[one], one))[: self._width]
        self.border = tuple(best) if self._hops > 0 else ()

    @property
    def reached(self) -> dict[str, tuple[float, str]]:
        """What was reached, the seeds left aside: the strength of the best chain, and the relation at its end."""
        return {
            record_id: (strength, self._relations[record_id])
            for record_id, strength in self._strength.items()
            if record_id in self._relations and record_id not in self._seeds
        }

    def _carry(self, links: Iterable[Link]) -> set[str]:
        """Carry strength along one hop, strongest first; return what is reached anew or better than before."""
        ties: dict[str, list[tuple[str, float, str]]] = {}
        for link in links:
            ties.setdefault(link.from_id, []).append((link.to_id, link.strength, link.relation))
            ties.setdefault(link.to_id, []).append((link.from_id, link.strength, link.relation))
        queue: list[tuple[float, str]] = []
        for record_id in ties:
            if record_id in self._strength:
                heappush(queue, (-self._strength[record_id], record_id))
        reached: set[str] = set()
        while queue:
            carried, record_id = heappop(queue)
            for other, tie, relation in ties[record_id]:
                along = -carried * tie
                if along > self._strength.get(other, 0.0):
                    self._strength[other] = along
                    self._relations[other] = relation
                    reached.add(other)
        return reached

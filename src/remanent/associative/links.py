"""The life of links: a view of the agent's links, with importance and weakening."""

from collections.abc import Sequence
from dataclasses import dataclass

from remanent.associative.graphs import Work
from remanent.associative.words import DanglingLink
from remanent.model import Link


@dataclass(frozen=True, slots=True)
class LinkHealth:
    """The links of a node, told apart by whether their far end is still there."""

    valid: tuple[Link, ...]
    dangling: tuple[DanglingLink, ...]


class LinkStore:
    """Makes, reads, weakens and removes links within one unit of work; reads see what was committed before it."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def create_link(self, from_id: str, to_id: str, strength: float, relation: str = "") -> None:
        """Tie two nodes in one direction."""
        at = self._work.at
        link = Link(from_id=from_id, to_id=to_id, relation=relation, strength=strength, created_at=at, updated_at=at)
        self._work.tx.link(link)
        self._work.then(lambda graph: graph.link(from_id, to_id, relation=relation, strength=strength))

    def create_links(self, one: str, other: str, strength: float, there: str = "", back: str = "") -> None:
        """Tie two nodes in both directions, each a link of its own with its own relation."""
        self.create_link(one, other, strength, there)
        self.create_link(other, one, strength, back)

    def get_node_links(self, node_id: str) -> list[Link]:
        """Return the links that leave a node and are not broken."""
        health = self.detect_broken_links(node_id)
        at = self._work.at
        fallen = [
            Link(
                from_id=link.from_id,
                to_id=link.to_id,
                relation=link.relation,
                strength=link.strength,
                created_at=at,
                updated_at=at,
            )
            for link in health.dangling
        ]
        return [*health.valid, *fallen]

    def calculate_importance(self, node_id: str) -> float:
        """Return the sum of the strengths of a node's live links; 0 for one that is not there."""
        vertex = self._work.graph.find(node_id)
        return 0.0 if vertex is None else self._work.graph.importance(vertex)

    def decay_all_links(self, node_ids: Sequence[str], *, rate: float) -> None:
        """Weaken the links that leave nodes; a focus's stay as they are, and those that were broken are removed."""
        focuses = set(self._work.graph.focuses)
        fading = [node_id for node_id in node_ids if node_id not in focuses]
        if fading:
            self._work.tx.fade(fading, factor=rate, floor=self._work.graph.floor, at=self._work.at)
            self._work.then(lambda graph: graph.fade(fading, factor=rate))

    def delete_link(self, from_id: str, to_id: str, *, relation: str = "") -> None:
        """Remove a link."""
        self._work.tx.unlink(from_id, to_id, relation=relation)
        self._work.then(lambda graph: graph.unlink(from_id, to_id, relation=relation))

    def detect_broken_links(self, node_id: str) -> LinkHealth:
        """Return a node's links whose far end is there, and those whose far end was deleted."""
        graph = self._work.graph
        vertex = graph.find(node_id)
        if vertex is None:
            return LinkHealth((), ())
        valid, dangling = [], []
        for edge in graph.leaving(vertex):
            ends = {
                "from_id": node_id,
                "to_id": edge.target.id,
                "relation": edge.relation,
                "strength": edge.strength,
            }
            if edge.target.alive:
                valid.append(Link.model_validate({**ends, "created_at": self._work.at, "updated_at": self._work.at}))
            else:
                dangling.append(DanglingLink.model_validate(ends))
        return LinkHealth(tuple(valid), tuple(dangling))

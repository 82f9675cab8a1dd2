"""What the agent attends to: the newest nodes, in a queue that is part of every unit of work that adds to it."""

from collections.abc import Sequence

from pydantic import JsonValue

from remanent.associative.graph import Graph, Vertex
from remanent.associative.graphs import FOCUS, Work


def refocused(focuses: Sequence[str], new_ids: Sequence[str], *, most: int) -> tuple[str, ...]:
    """Return the focuses, newest first, after new nodes have come, the newest of them last."""
    newest = list(reversed(new_ids))
    return tuple(dict.fromkeys([*newest, *focuses]))[:most]


class FocusManager:
    """Keeps the list of focuses within one unit of work; reads see what was committed before it."""

    def __init__(self, graph: Graph, *, most: int) -> None:
        self._graph = graph
        self._most = most

    def get_focus_list(self) -> list[str]:
        """Return the ids of the nodes in focus, newest first."""
        return [vertex.id for vertex in self._graph.focused()]

    def focused(self) -> list[Vertex]:
        """Return the nodes in focus, newest first."""
        return self._graph.focused()

    def is_focus(self, node_id: str) -> bool:
        """Tell whether a node is in focus."""
        return node_id in self.get_focus_list()

    def after(self, new_ids: Sequence[str]) -> tuple[str, ...]:
        """Return the focuses as they will be once new nodes have come."""
        return refocused(self.get_focus_list(), new_ids, most=self._most)

    def update_focus(self, work: Work, new_ids: Sequence[str]) -> tuple[str, ...]:
        """Let new nodes into focus, the newest of them last; the oldest focuses leave when there are too many."""
        focuses = self.after(new_ids)
        value: list[JsonValue] = [*focuses]
        work.tx.state(FOCUS, value)

        def attend(graph: Graph) -> None:
            graph.focuses = focuses

        work.then(attend)
        return focuses

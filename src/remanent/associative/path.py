"""The main recall's way into the associative memory: along links from what is in focus."""

from remanent.associative.associations import Associations
from remanent.associative.words import Recollected
from remanent.model import Scope
from remanent.recall import Candidate, Question, RecallPath

_ONE_SIGN = 1


class AssociativePath(RecallPath):
    """Nodes that hold the question's words and that links lead to from the focuses."""

    name = "associative"

    def __init__(self, associations: Associations) -> None:
        self._associations = associations

    async def prepare(self, scope: Scope) -> None:
        """Load the agent's graph."""
        await self._associations.graphs.at(scope)

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search the graph; of the nodes found, those with more of the words come first, then stronger paths."""
        wanted = question.record_filter
        words = [term for term in question.terms if len(term) > _ONE_SIGN]
        if not words or wanted.as_of is not None:
            return []
        found = await self._associations.search(question.scope, words, limit=0)
        scores = {item.node.id: _score(item, len(words)) for item in found.items}
        passing = await self._associations.store.match(question.scope, list(scores), wanted) if scores else []
        reasons = {item.node.id: _reason(item) for item in found.items}
        ordered = sorted(passing, key=lambda node_id: -scores[node_id])[:limit]
        return [Candidate(node_id, scores[node_id], reasons[node_id]) for node_id in ordered]


def _score(item: Recollected, words: int) -> float:
    return len(item.matched_keywords) / words * (0.5 + item.strength / 2)


def _reason(item: Recollected) -> str:
    """Say along which links it came to mind."""
    return " → ".join(hop.relation or "·" for hop in item.hops)

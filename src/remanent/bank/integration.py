"""Integration: merging several nodes into one, and undoing a merge; edges, trees and conflicts follow.

A merge is one unit of work, and its journal entry records everything that an undo needs: which nodes in which versions,
their edges, and the conflicts they stood in. Merged nodes are only superseded, so an undo restores old versions.
"""

from collections.abc import Iterable, Sequence
from typing import cast

from pydantic import JsonValue

from remanent.bank.conflicts import Conflicts, nodes_of, with_entry
from remanent.bank.graph import NodeDraft
from remanent.bank.ledger import MERGE, bank_metadata
from remanent.bank.node import QueryNode
from remanent.bank.runtime import BankRuntime, EventKind
from remanent.errors import InvalidInput, NotFound
from remanent.language.engine import Answer
from remanent.language.roles.integration import (
    INTEGRATION,
    IntegrationOutcome,
    IntegrationRequest,
    IntegrationResponse,
    Trigger,
)
from remanent.language.shapes import MAX_REMARK
from remanent.language.tidying import shortened
from remanent.model import Conflict, ConflictState, Entry, Origin, Record, Source, Verdict, least_trusted
from remanent.stores import Transaction
from remanent.values import dataclass

_UNDO = "undo"
"""The source of the entries that say that a merge was undone: the journal itself is never changed."""
_MAX_NODES = 20
"""Nodes of one merge; more would not fit into the role's window with their summaries (chosen by hand)."""
_MAX_NEIGHBOURS = 100
"""Neighbours that are shown with them; the others keep their edges and their wording."""


@dataclass(frozen=True, slots=True)
class MergeReason:
    """Why nodes are merged: they say the same, or the validation of their conflict decided."""

    trigger: Trigger
    description: str = ""
    conflict: Conflict | None = None
    validation: str = ""
    evidence: str = ""
    """The id of the entry that holds the validation; it becomes a source of the merged node."""
    decided_by: str = ""


class Merger:
    """Merges nodes and undoes merges."""

    def __init__(self, runtime: BankRuntime, conflicts: Conflicts) -> None:
        self._runtime = runtime
        self._conflicts = conflicts

    async def integrate(self, node_ids: Sequence[str], reason: MergeReason) -> tuple[QueryNode | None, str]:
        """Return the merged node and what was done, or `None` and why the nodes stay apart."""
        graph = self._runtime.graph
        nodes = [graph.get(node_id) for node_id in dict.fromkeys(node_ids)][:_MAX_NODES]
        ids = {node.id for node in nodes}
        beside = {near.id: near for node in nodes for near in graph.neighbours(node.id) if near.id not in ids}
        request = IntegrationRequest(
            nodes=tuple(node.shown for node in nodes),
            neighbours=tuple(near.beside for near in list(beside.values())[:_MAX_NEIGHBOURS]),
            trigger=reason.trigger,
            description=shortened(reason.description, MAX_REMARK),
            validation=reason.validation,
        )
        whole = await self._runtime.ask_whole(INTEGRATION, request) if request.neighbours else None
        # Too long for the window, or refused: the neighbours can keep their wording.
        answer = whole or await self._runtime.ask(INTEGRATION, request.replace(neighbours=()))
        description = answer.value.interaction_tree_description
        if answer.value.outcome is IntegrationOutcome.UNRESOLVED and reason.trigger is Trigger.CONFLICT:
            # A model that does not see which side a validation names leaves nothing open that the rules read in it.
            answer = await self._runtime.engine.run_offline(INTEGRATION, request)
        if answer.value.outcome is IntegrationOutcome.UNRESOLVED:
            return None, description
        description = answer.value.interaction_tree_description
        return await self._merged(nodes, tuple(beside), answer, reason), description

    async def _merged(
        self,
        nodes: Sequence[QueryNode],
        beside: Sequence[str],
        answer: Answer[IntegrationResponse],
        reason: MergeReason,
    ) -> QueryNode:
        runtime, graph, response = self._runtime, self._runtime.graph, answer.value
        at, node_id = runtime.now(), runtime.new_node_id()
        records = {node.id: self._record(node.id) for node in nodes}
        updates = {update.node_id: update for update in response.neighbour_updates if update.node_id in beside}
        near = {near_id: self._record(near_id) for near_id in updates}
        reworded = [
            graph.reworded(item.node_id, context=item.context, keywords=item.keywords) for item in updates.values()
        ]
        event = self._event(node_id, records, near, response, reason)
        draft = NodeDraft(
            summary=response.summary,
            context=response.context,
            keywords=response.keywords,
            sources=_joined_sources(nodes, [reason.evidence, event.id]),
            trust=self._trust(records.values(), reason),
            made_by=answer.made_by,
            provisional=any(set(records) & set(nodes_of(other)) for other in self._others(reason.conflict)),
        )
        # Everything that may fail or take time comes before the unit of work, which is then all or nothing.
        vectors, *near_vectors = await graph.vectors_of([draft, *reworded])
        async with runtime.ledger.transaction() as tx:
            tx.append(event)
            graph.put_new(tx, draft, node_id=node_id, at=at, vectors=vectors)
            for record in records.values():
                graph.put_deletion(tx, record.id, at=at)
            for other in beside:
                graph.put_edge(tx, node_id, other, at=at, known=(node_id,))
            for changed, kept in zip(reworded, near_vectors, strict=True):
                graph.put_update(tx, changed, at=at, vectors=kept)
            self._put_verdict(tx, reason, response, records, node_id)
        runtime.emit(
            EventKind.VERDICT if reason.conflict else EventKind.MERGE,
            response.interaction_tree_description,
            nodes=list(records),
            into=node_id,
            event_id=event.id,
        )
        return graph.get(node_id)

    def _event(
        self,
        node_id: str,
        records: dict[str, Record],
        near: dict[str, Record],
        response: IntegrationResponse,
        reason: MergeReason,
    ) -> Entry:
        """Return the journal entry of a merge: enough to explain it and to undo it."""
        return self._runtime.entry(
            response.interaction_tree_description,
            source=MERGE,
            nodes=list(records),
            into=node_id,
            trigger=reason.trigger.value,
            conflict_id=reason.conflict.id if reason.conflict else None,
            edges=[[one, other] for one, other in self._runtime.graph.edges if {one, other} & set(records)],
            versions={record.id: record.version for record in (*records.values(), *near.values())},
            conflicts=cast(JsonValue, self._conflicts_of(records)),
        )

    def _put_verdict(
        self,
        tx: Transaction,
        reason: MergeReason,
        response: IntegrationResponse,
        records: dict[str, Record],
        node_id: str,
    ) -> None:
        """Write that conflicts go over to the merged node, and how the one that asked for the merge was settled.

        The versions of all that is merged stand in the verdict, which makes undoing it a matter of putting them back.
        """
        settled = reason.conflict
        self._conflicts.put_successor(tx, records, node_id, settled=settled.id if settled else None)
        if settled is not None:
            verdict = Verdict(
                text=response.interaction_tree_description,
                upheld=response.upheld,
                decided_by=reason.decided_by,
                decided_at=self._runtime.now(),
                undo={record.id: record.version for record in records.values()},
            )
            self._conflicts.put_state(tx, settled, ConflictState.RESOLVED, verdict=verdict)

    def _conflicts_of(self, records: dict[str, Record]) -> dict[str, list[str]]:
        """Return the claims of every conflict that is open on these nodes before the merge: undoing restores them."""
        return {
            conflict.id: [claim.record_id for claim in conflict.claims]
            for conflict in self._conflicts.all
            if conflict.state is not ConflictState.RESOLVED and set(records) & set(nodes_of(conflict))
        }

    def _others(self, settled: Conflict | None) -> list[Conflict]:
        return [item for item in self._conflicts.waiting if settled is None or item.id != settled.id]

    def _trust(self, records: Iterable[Record], reason: MergeReason) -> Origin:
        """Return how far a merged node can be trusted: no further than its least trusted node or its validation.

        Otherwise text from the web would gain the trust of a person by being merged with what a person said.
        """
        evidence = self._runtime.ledger.entries.get(reason.evidence)
        settled_by = [] if evidence is None else [evidence.origin]
        return least_trusted([*(record.trust for record in records), *settled_by])

    def _record(self, node_id: str) -> Record:
        record = self._runtime.ledger.record(node_id)
        assert record is not None, "a live node has a record"
        return record

    # ── taking back ──────────────────────────────────────────────────────────

    def event_of(self, conflict_id: str) -> str:
        """Return the id of the merge event that settled a conflict."""
        for entry in reversed(self._runtime.ledger.entries.values()):
            event = bank_metadata(entry)
            if event.get("source") == MERGE and event.get("conflict_id") == conflict_id:
                return entry.id
        raise NotFound(f"conflict {conflict_id} was not settled by a merge of its own; undo the merge that joined it")

    async def undo(self, event_id: str) -> tuple[QueryNode, ...]:
        """Undo a merge: nodes, edges, the wording of neighbours and conflicts are as they were before.

        Edges that the merged node gained since then go to each of its restored nodes: nobody knows whose they would be.
        """
        runtime, graph = self._runtime, self._runtime.graph
        event = self._undoable(event_id)
        node_ids = cast(list[str], event["nodes"])
        into = str(event["into"])
        versions = cast(dict[str, int], event["versions"])
        at = runtime.now()
        gained = [near.id for near in graph.neighbours(into)]
        restored = [self._as_before(node_id, versions[node_id]) for node_id in node_ids]
        near = self._neighbours_before(versions)
        written = [*restored, *near]
        vectors = await graph.vectors_of(written)
        # The edges of the event are those from before the merge; what was gained since is known from the graph.
        edges = {tuple(sorted(pair)) for pair in cast(list[list[str]], event["edges"])}
        inherited = {node_id for pair in edges for node_id in pair}
        edges |= {tuple(sorted((node_id, other))) for other in gained if other not in inherited for node_id in node_ids}
        async with runtime.ledger.transaction() as tx:
            tx.append(runtime.entry("", source=_UNDO, of=event_id))
            graph.put_deletion(tx, into, at=at)
            for record, kept in zip(written, vectors, strict=True):
                tx.put(record.replace(updated_at=at), expects=record.version - 1)
                graph.put_vectors(tx, record.id, kept)
            for one, other in sorted(edges):
                if all(end in node_ids or end in graph for end in (one, other)):
                    graph.put_edge(tx, one, other, at=at, known=node_ids)
            self._conflicts.put_restored(tx, cast(dict[str, list[str]], event["conflicts"]))
        runtime.emit(
            EventKind.UNDONE, self._runtime.ledger.entries[event_id].text, event_id=event_id, nodes=list(node_ids)
        )
        return tuple(graph.get(node_id) for node_id in node_ids)

    def _undoable(self, event_id: str) -> dict[str, JsonValue]:
        """Return what a merge noted of itself; one that was undone or merged further is refused: others rest on it."""
        ledger = self._runtime.ledger
        entry = ledger.entries.get(event_id)
        event = bank_metadata(entry) if entry is not None else {}
        if event.get("source") != MERGE:
            raise NotFound(f"there is no merge {event_id} in this bank")
        if any(bank_metadata(other).get("of") == event_id for other in ledger.entries.values()):
            raise InvalidInput(f"the merge {event_id} has been undone already")
        if event["into"] not in self._runtime.graph:
            raise InvalidInput(f"node {event['into']} has been merged again; undo that merge first, then this one")
        return event

    def _as_before(self, record_id: str, version: int) -> Record:
        """Return the next version of a record with the content of an earlier one."""
        ledger = self._runtime.ledger
        before = ledger.version(record_id, version)
        return before.replace(version=len(ledger.records[record_id]) + 1)

    def _neighbours_before(self, versions: dict[str, int]) -> list[Record]:
        """Return the neighbours with the wording that they had before the merge.

        Only those that still have the wording which the merge gave them: a later change is not undone with it.
        """
        found = []
        for record_id, version in versions.items():
            if record_id not in self._runtime.graph:
                continue  # one of the merged nodes, or a neighbour that is gone since
            now, given = self._record(record_id), self._runtime.ledger.version(record_id, version + 1)
            before = self._runtime.ledger.version(record_id, version)
            if (now.data, now.keywords) == (given.data, given.keywords):
                worded = {"summary": before.summary, "keywords": before.keywords, "data": before.data}
                found.append(now.replace(version=now.version + 1, **worded))
        return found


def _joined_sources(nodes: Sequence[QueryNode], entry_ids: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources of all nodes, each once, and these entries as a whole."""
    sources = tuple(dict.fromkeys(source for node in nodes for source in node.sources))
    for entry_id in entry_ids:
        sources = with_entry(sources, entry_id)
    return sources

"""Contradictions between nodes, from when they are found until they are settled, and merges, which can be undone.

A conflict is open, then being validated, and ends as resolved or unresolved. Several can wait at a time, but one is
validated per round; none is dropped, not even when its nodes are merged into others. A merge is one unit of work, and
its journal entry records everything that an undo needs: which nodes in which versions, their edges, and the conflicts
they stood in. Merged nodes are only superseded, so an undo restores old versions.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import cast

from pydantic import JsonValue

from remanent.bank.graph import NodeDraft
from remanent.bank.node import UNRESOLVED, QueryNode, summary_lines
from remanent.bank.runtime import BankRuntime, EventKind
from remanent.bank.store import EXECUTION, MERGE, bank_metadata, source_of
from remanent.bilingual import Bilingual
from remanent.errors import InvalidInput, NotFound
from remanent.language.offline.judgement import CONFLICT, DatedStatement, judge_statements
from remanent.language.role import Answer
from remanent.language.roles.integration import (
    INTEGRATION,
    IntegrationOutcome,
    IntegrationRequest,
    IntegrationResponse,
    Trigger,
)
from remanent.language.roles.next_step import PendingConflict
from remanent.language.roles.react import UNKNOWN
from remanent.language.shapes import MAX_REMARK, shortened
from remanent.lightweight import dataclass
from remanent.model import Claim, Conflict, ConflictState, Entry, Origin, Record, Source, Status, Verdict, least_trusted
from remanent.stores import Transaction
from remanent.text.keywords import WordIndex
from remanent.text.scripts import working_language
from remanent.text.sentences import sentence_texts
from remanent.text.terms import index_terms, query_terms

_SIDES = " / "
"""Separates the two statements in the description of a conflict that the offline engine found."""
WAITING = (ConflictState.OPEN, ConflictState.VALIDATING)
_MAX_CLAIM_CHARS = 300
"""Characters of a node's summary that stand for its claim: two or three sentences (chosen by hand)."""
_MIN_STATEMENT_CHARS = 6
"""A shorter statement would be found in unrelated sentences (chosen by hand)."""
_MAX_PENDING = 100
"""Conflicts that the planner is shown; the next ones move up as these are settled."""


_BY_MERGE = "merge"
_MERGED = Bilingual(
    "Not validated by itself: its nodes became one when another contradiction was settled. {sides}",
    "未单独验证：解决另一处矛盾时，相关节点已合并为一个。{sides}",
)
_OWN = 0.5
"""The share of the words that only one side has from which on an answer takes that side (chosen by hand)."""
_SHORT_ANSWER = 4
"""Words from which on an answer must share some of those that both claims have, or it is about something else: a
shorter one, "48 metres", names what it upholds and nothing more."""


class Conflicts:
    """The conflicts of one bank: finding, changing and storing them."""

    def __init__(self, runtime: BankRuntime) -> None:
        self._runtime = runtime

    def get(self, conflict_id: str) -> Conflict:
        """Return a conflict."""
        conflict = self._runtime.bank_store.conflicts.get(conflict_id)
        if conflict is None:
            raise NotFound(f"there is no conflict {conflict_id} in this bank")
        return conflict

    @property
    def all(self) -> tuple[Conflict, ...]:
        """All conflicts, in the order in which they were found."""
        return tuple(sorted(self._runtime.bank_store.conflicts.values(), key=lambda item: (item.created_at, item.id)))

    @property
    def waiting(self) -> tuple[Conflict, ...]:
        """The contradictions that wait to be validated, in the order in which they were found."""
        return tuple(conflict for conflict in self.all if conflict.state in WAITING)

    @property
    def pending(self) -> tuple[PendingConflict, ...]:
        """The contradictions that wait, as the planner sees them: a bounded list, since it takes one at a time."""
        return tuple(
            PendingConflict(conflict_id=item.id, node_ids=nodes_of(item), description=item.description)
            for item in self.waiting[:_MAX_PENDING]
        )

    def waiting_for(self, conflict_id: str) -> Conflict:
        """Return a conflict that can be validated."""
        conflict = self.get(conflict_id)
        if conflict.state not in WAITING:
            raise InvalidInput(f"conflict {conflict_id} is already {conflict.state.value}; `undo` reopens it")
        return conflict

    def between(self, one: str, other: str) -> Conflict | None:
        """Return the conflict between two nodes that is not resolved, if there is one."""
        for conflict in self.all:
            if conflict.state is not ConflictState.RESOLVED and {one, other} <= set(nodes_of(conflict)):
                return conflict
        return None

    def is_left_open(self, new: QueryNode, existing: QueryNode, *, description: str, against: Collection[str]) -> bool:
        """Tell whether a run only takes a side of what a validation left undecided; it contradicts those in `against`.

        What a run says it has from the bank, or from what the validation could search: it is no further source.
        """
        entries = self._runtime.bank_store.entries
        if any(source_of(entries[source.entry_id]) != EXECUTION for source in new.sources):
            return False
        return any(
            conflict.state is ConflictState.UNRESOLVED
            and existing.id in nodes_of(conflict)
            and not set(nodes_of(conflict)) <= set(against)
            and any(description.endswith(f"{_SIDES}{side}") for side in sides_of(conflict))
            for conflict in self.all
        )

    async def raise_(self, new: QueryNode, existing: QueryNode, *, description: str) -> Conflict | None:
        """Store that two nodes contradict each other, and mark the new one as provisional; `None` if that is known.

        The existing node stays as it is: until the validation, what was known first is the better guess.
        """
        if self.between(new.id, existing.id) is not None:
            return None
        runtime = self._runtime
        now = runtime.now()
        conflict = Conflict(
            id=runtime.new_id(),
            scope=runtime.scope,
            claims=tuple(_claim(node, description) for node in (existing, new)),
            description=description,
            created_at=now,
            updated_at=now,
        )
        record = runtime.graph.record(new.id)
        async with runtime.bank_store.transaction() as tx:
            tx.conflict(conflict)
            if record.status is not Status.PROVISIONAL:
                runtime.graph.put_next(tx, record, at=now, status=Status.PROVISIONAL)
        runtime.emit(EventKind.CONFLICT, description, conflict_id=conflict.id, nodes=[existing.id, new.id])
        return conflict

    async def validating(self, conflict_id: str | None) -> None:
        """Store which conflict is being validated; all others are open again."""
        async with self._runtime.bank_store.transaction() as tx:
            for conflict in self.waiting:
                state = ConflictState.VALIDATING if conflict.id == conflict_id else ConflictState.OPEN
                if conflict.state is not state:
                    self.put_state(tx, conflict, state)

    async def leave_unresolved(self, conflict: Conflict, *, why: str, decided_by: str, evidence: str) -> Conflict:
        """Store that a validation settled nothing: all nodes stay, marked, with the validation among their sources."""
        runtime = self._runtime
        now = runtime.now()
        undo: dict[str, int] = {}
        async with runtime.bank_store.transaction() as tx:
            for node_id in nodes_of(conflict):
                record = runtime.graph.record(node_id)
                undo[node_id] = record.version
                still = any(other.id != conflict.id and node_id in nodes_of(other) for other in self.waiting)
                runtime.graph.put_next(
                    tx,
                    record,
                    at=now,
                    status=Status.PROVISIONAL if still else Status.ACTIVE,
                    tags=tuple(dict.fromkeys([*record.tags, UNRESOLVED])),
                    sources=with_entry(record.sources, evidence),
                )
            verdict = Verdict(text=why, decided_by=decided_by, decided_at=now, undo=undo)
            self.put_state(tx, conflict, ConflictState.UNRESOLVED, verdict=verdict)
        runtime.emit(EventKind.UNRESOLVED, why, conflict_id=conflict.id, nodes=list(nodes_of(conflict)))
        return self.get(conflict.id)

    async def reopen(self, conflict: Conflict) -> None:
        """Undo an unresolved verdict: the nodes lose their mark, and the conflict waits again."""
        runtime = self._runtime
        now = runtime.now()
        verdict = conflict.verdict
        assert verdict is not None, "an unresolved conflict has a verdict"
        async with runtime.bank_store.transaction() as tx:
            for node_id in nodes_of(conflict):
                if node_id not in runtime.graph:
                    continue
                record = runtime.graph.record(node_id)
                others = [item for item in self.all if item.id != conflict.id and node_id in nodes_of(item)]
                marked = any(item.state is ConflictState.UNRESOLVED for item in others)
                before = runtime.bank_store.version(node_id, verdict.undo.get(node_id, record.version))
                runtime.graph.put_next(
                    tx,
                    record,
                    at=now,
                    status=before.status if before.status in {Status.ACTIVE, Status.PROVISIONAL} else record.status,
                    tags=record.tags if marked else tuple(tag for tag in record.tags if tag != UNRESOLVED),
                )
            self.put_state(tx, conflict, ConflictState.OPEN)
        runtime.emit(EventKind.UNDONE, conflict.description, conflict_id=conflict.id)

    def put_state(
        self,
        tx: Transaction,
        conflict: Conflict,
        state: ConflictState,
        *,
        verdict: Verdict | None = None,
        claims: Sequence[Claim] | None = None,
    ) -> None:
        """Put a conflict's new state into a unit of work."""
        changed = conflict.replace(
            state=state,
            verdict=verdict,
            claims=conflict.claims if claims is None else tuple(claims),
            version=conflict.version + 1,
            updated_at=self._runtime.now(),
        )
        tx.conflict(changed, expects=conflict.version)

    def put_successor(
        self, tx: Transaction, merged: Iterable[str], successor: str, *, settled: str | None
    ) -> dict[str, list[str]]:
        """Move the conflicts of merged nodes to the node that these became; return what each was about before.

        A conflict whose nodes were all merged into one is resolved by that merge: it has nothing left to contradict.
        """
        gone = frozenset(merged)
        before: dict[str, list[str]] = {}
        for conflict in self.all:
            if conflict.id == settled or conflict.state is ConflictState.RESOLVED or not gone & set(nodes_of(conflict)):
                continue
            before[conflict.id] = [claim.record_id for claim in conflict.claims]
            claims = [
                claim.replace(record_id=successor) if claim.record_id in gone else claim for claim in conflict.claims
            ]
            if len({claim.record_id for claim in claims}) > 1:
                self.put_state(tx, conflict, conflict.state, verdict=conflict.verdict, claims=claims)
                continue
            told = _MERGED.say(working_language(conflict.description)).format(sides=conflict.description)
            verdict = Verdict(text=told, decided_by=_BY_MERGE, decided_at=self._runtime.now())
            self.put_state(tx, conflict, ConflictState.RESOLVED, verdict=verdict)
        return before

    def put_restored(self, tx: Transaction, before: dict[str, list[str]]) -> None:
        """Move conflicts back to the nodes from before a merge; those that the merge resolved are open again."""
        for conflict_id, node_ids in before.items():
            conflict = self._runtime.bank_store.conflicts.get(conflict_id)
            if conflict is None or len(conflict.claims) != len(node_ids):
                continue
            claims = [
                claim.replace(record_id=node_id) for claim, node_id in zip(conflict.claims, node_ids, strict=True)
            ]
            state = conflict.state if conflict.state is not ConflictState.RESOLVED else ConflictState.OPEN
            verdict = conflict.verdict if state is ConflictState.UNRESOLVED else None
            self.put_state(tx, conflict, state, verdict=verdict, claims=claims)


def nodes_of(conflict: Conflict) -> tuple[str, ...]:
    """Return the nodes that a conflict is about."""
    return tuple(dict.fromkeys(claim.record_id for claim in conflict.claims))


def sides_of(conflict: Conflict) -> tuple[str, ...]:
    """Return the statements that the description of a conflict quotes; one that a model wrote is a single one."""
    return tuple(side for part in conflict.description.split(_SIDES) if (side := part.strip()))


def refuted_statements(conflicts: Iterable[Conflict]) -> list[str]:
    """Return the statements that validations found wrong, as the descriptions of their conflicts quote them.

    They stay in the trees, where Deep Retrieval shows them; a search or a prompt must not offer them as facts again, or
    the agent would repeat in its answer what the validation before it had settled.
    """
    refuted = []
    for conflict in conflicts:
        upheld = conflict.verdict.upheld if conflict.verdict is not None else ()
        right = [claim.text for claim in conflict.claims if claim.record_id in upheld]
        wrong = [claim.text for claim in conflict.claims if claim.record_id not in upheld]
        if right:
            refuted += [
                side
                for side in sides_of(conflict)
                if any(side in text for text in wrong) and not any(side in text for text in right)
            ]
    return [statement for statement in refuted if len(statement) >= _MIN_STATEMENT_CHARS]


def contested(
    conflicts: Sequence[Conflict], answer: str, *, asked: str = ""
) -> tuple[Conflict, tuple[str, ...]] | None:
    """Return a contradiction that was left undecided, and both sides, where an answer tells them as if certain.

    Two texts that contradict each other may do so in more than what was noted: an answer on the sum is contested where
    the years were, if the other text has another sum. Where an answer says that nothing is known, the contradiction is
    what is known, if it is about what is asked.
    """
    refuted = refuted_statements(conflicts)
    is_unknown = UNKNOWN.search(answer) is not None
    for conflict in conflicts:
        merged = conflict.verdict is not None and conflict.verdict.decided_by == _BY_MERGE
        if conflict.state is not ConflictState.UNRESOLVED and not merged:
            continue
        sides = sides_of(conflict)
        if any(side in refuted for side in sides):
            continue
        if is_unknown and len(sides) > 1 and all(WordIndex(side).share(asked) >= _OWN for side in sides):
            return conflict, sides
        claims = [sentence_texts(claim.text) for claim in conflict.claims]
        if not (len(sides) == 2 and (_takes_a_side(answer, *sides) or _is_made_of(answer, sides))):
            told = sentence_texts(answer)
            sides = tuple(one for claim in claims for one in claim if any(said.endswith(one) for said in told))
        others = [one for place in range(len(claims)) for one in _told_otherwise(sides, claims, place)]
        if len(every := tuple(dict.fromkeys((*sides, *others)))) > 1 and (others or sides == sides_of(conflict)):
            return conflict, every
    return None


def _is_made_of(answer: str, sides: Sequence[str]) -> bool:
    """Tell whether an answer is nothing but the sides of a contradiction, one after the other."""
    told = sentence_texts(answer)
    return len(told) == len(sides) and all(any(one.endswith(side) for one in told) for side in sides)


def _told_otherwise(sides: Sequence[str], claims: Sequence[Sequence[str]], place: int) -> list[str]:
    """Return the sentences of one claim that contradict a side which another claim has."""
    own = claims[place]
    strange = [DatedStatement(side) for side in sides if side not in own and any(side in claim for claim in claims)]
    return [
        one for one in own if any(judge_statements(DatedStatement(one), side).conflict >= CONFLICT for side in strange)
    ]


def _takes_a_side(answer: str, one: str, other: str) -> bool:
    """Tell whether an answer upholds one of two claims and not the other, by the words that only one of them has.

    An answer with words of both, or about something else, settles nothing; guessing here would uphold a wrong claim.
    """
    said, first, second = (frozenset(query_terms(text)) for text in (answer, one, other))
    if (one in answer) != (other in answer):
        return True
    if len(said) >= _SHORT_ANSWER and len(said & first & second) < _OWN * len(first & second):
        return False  # of something else
    owns = (first - second, second - first)
    taken = [bool(own) and len(own & said) >= _OWN * len(own) for own in owns]
    return taken[0] != taken[1] and not any(
        own & said for own, is_taken in zip(owns, taken, strict=True) if not is_taken
    )


def _claim(node: QueryNode, description: str) -> Claim:
    """Return what a node says on the matter of a conflict: the sentences that share most words with its description.

    The beginning of a summary would often end before the contested words.
    """
    matter = frozenset(index_terms(description))
    told = (part for line in summary_lines(node.summary) for part in sentence_texts(line))
    said = list(dict.fromkeys(told)) or [node.summary]
    ranked = sorted(range(len(said)), key=lambda place: (-len(matter.intersection(index_terms(said[place]))), place))
    chosen = [ranked[0]]
    for place in ranked[1:]:
        if sum(len(said[other]) + 1 for other in (*chosen, place)) <= _MAX_CLAIM_CHARS:
            chosen.append(place)
    text = (
        " ".join(said[place] for place in sorted(chosen))
        if len(said[ranked[0]]) <= _MAX_CLAIM_CHARS
        else said[ranked[0]]
    )
    return Claim(record_id=node.id, text=text, evidence=node.sources)


def with_entry(sources: tuple[Source, ...], entry_id: str) -> tuple[Source, ...]:
    """Return the sources with a whole entry added, if there is one to add."""
    return tuple(dict.fromkeys([*sources, *([Source(entry_id=entry_id)] if entry_id else [])]))


# ── merging ──────────────────────────────────────────────────────────────────

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
        records = {node.id: self._runtime.graph.record(node.id) for node in nodes}
        sources = tuple(dict.fromkeys(source for node in nodes for source in node.sources))
        updates = {update.node_id: update for update in response.neighbour_updates if update.node_id in beside}
        near = {near_id: self._runtime.graph.record(near_id) for near_id in updates}
        reworded = [
            graph.reworded(item.node_id, context=item.context, keywords=item.keywords) for item in updates.values()
        ]
        event = self._event(node_id, records, near, response, reason)
        waiting = [item for item in self._conflicts.waiting if reason.conflict is None or item.id != reason.conflict.id]
        draft = NodeDraft(
            summary=response.summary,
            context=response.context,
            keywords=response.keywords,
            sources=with_entry(with_entry(sources, reason.evidence), event.id),
            trust=self._trust(records.values(), reason),
            made_by=answer.made_by,
            provisional=any(set(records) & set(nodes_of(other)) for other in waiting),
        )
        # Everything that may fail or take time comes before the unit of work, which is then all or nothing.
        vectors, *near_vectors = await graph.vectors_of([draft, *reworded])
        async with runtime.bank_store.transaction() as tx:
            tx.append(event)
            graph.put_new(tx, draft, node_id=node_id, at=at, vectors=vectors)
            for gone in records:
                graph.put_deletion(tx, gone, at=at)
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
        claims = {
            conflict.id: [claim.record_id for claim in conflict.claims]
            for conflict in self._conflicts.all
            if conflict.state is not ConflictState.RESOLVED and set(records) & set(nodes_of(conflict))
        }
        return self._runtime.entry(
            response.interaction_tree_description,
            source=MERGE,
            nodes=list(records),
            into=node_id,
            trigger=reason.trigger.value,
            conflict_id=reason.conflict.id if reason.conflict else None,
            edges=[[one, other] for one, other in self._runtime.graph.edges if {one, other} & set(records)],
            versions={record.id: record.version for record in (*records.values(), *near.values())},
            conflicts=cast(JsonValue, claims),
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

    def _trust(self, records: Iterable[Record], reason: MergeReason) -> Origin:
        """Return how far a merged node can be trusted: no further than its least trusted node or its validation.

        Otherwise text from the web would gain the trust of a person by being merged with what a person said.
        """
        evidence = self._runtime.bank_store.entries.get(reason.evidence)
        settled_by = [] if evidence is None else [evidence.origin]
        return least_trusted([*(record.trust for record in records), *settled_by])

    # ── taking back ──────────────────────────────────────────────────────────

    def event_of(self, conflict_id: str) -> str:
        """Return the id of the merge event that settled a conflict."""
        for entry in reversed(self._runtime.bank_store.entries.values()):
            event = bank_metadata(entry)
            if event.get("source") == MERGE and event.get("conflict_id") == conflict_id:
                return entry.id
        raise NotFound(f"conflict {conflict_id} was not settled by a merge of its own; undo the merge that joined it")

    async def undo(self, event_id: str) -> None:
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
        bank_store = runtime.bank_store
        restored = [
            bank_store.version(node_id, versions[node_id]).replace(version=len(bank_store.records[node_id]) + 1)
            for node_id in node_ids
        ]
        near = self._neighbours_before(versions)
        written = [*restored, *near]
        vectors = await graph.vectors_of(written)
        # The edges of the event are those from before the merge; what was gained since is known from the graph.
        edges = {tuple(sorted(pair)) for pair in cast(list[list[str]], event["edges"])}
        inherited = {node_id for pair in edges for node_id in pair}
        edges |= {tuple(sorted((node_id, other))) for other in gained if other not in inherited for node_id in node_ids}
        async with runtime.bank_store.transaction() as tx:
            tx.append(runtime.entry("", source=_UNDO, of=event_id))
            graph.put_deletion(tx, into, at=at)
            for record, kept in zip(written, vectors, strict=True):
                tx.put(record.replace(updated_at=at), expects=record.version - 1)
                graph.put_vectors(tx, record.id, kept)
            for one, other in sorted(edges):
                if all(end in node_ids or end in graph for end in (one, other)):
                    graph.put_edge(tx, one, other, at=at, known=node_ids)
            self._conflicts.put_restored(tx, cast(dict[str, list[str]], event["conflicts"]))
        runtime.emit(EventKind.UNDONE, bank_store.entries[event_id].text, event_id=event_id, nodes=list(node_ids))

    def _undoable(self, event_id: str) -> dict[str, JsonValue]:
        """Return what a merge noted of itself; one that was undone or merged further is refused: others rest on it."""
        bank_store = self._runtime.bank_store
        entry = bank_store.entries.get(event_id)
        event = bank_metadata(entry) if entry is not None else {}
        if event.get("source") != MERGE:
            raise NotFound(f"there is no merge {event_id} in this bank")
        if any(bank_metadata(other).get("of") == event_id for other in bank_store.entries.values()):
            raise InvalidInput(f"the merge {event_id} has been undone already")
        if event["into"] not in self._runtime.graph:
            raise InvalidInput(f"node {event['into']} has been merged again; undo that merge first, then this one")
        return event

    def _neighbours_before(self, versions: dict[str, int]) -> list[Record]:
        """Return the neighbours with the wording that they had before the merge.

        Only those that still have the wording which the merge gave them: a later change is not undone with it.
        """
        found = []
        for record_id, version in versions.items():
            if record_id not in self._runtime.graph:
                continue  # one of the merged nodes, or a neighbour that is gone since
            now, given = self._runtime.graph.record(record_id), self._runtime.bank_store.version(record_id, version + 1)
            before = self._runtime.bank_store.version(record_id, version)
            if (now.data, now.keywords) == (given.data, given.keywords):
                worded = {"summary": before.summary, "keywords": before.keywords, "data": before.data}
                found.append(now.replace(version=now.version + 1, **worded))
        return found

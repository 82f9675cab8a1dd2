"""Contradictions between nodes: durable from the moment they are found, settled one at a time, never dropped."""

from collections.abc import Iterable, Sequence

from remanent.bank.events import EventKind
from remanent.bank.node import UNRESOLVED, QueryNode
from remanent.bank.workbench import Workbench
from remanent.errors import InvalidInput, NotFound
from remanent.language.roles.planning import PendingConflict
from remanent.language.tidying import line
from remanent.model import Claim, Conflict, ConflictState, Source, Status, Verdict
from remanent.stores import Transaction

WAITING = (ConflictState.OPEN, ConflictState.VALIDATING)
_LONGEST_CLAIM = 300
_MOST_PENDING = 100


class Conflicts:
    """The contradictions of one bank."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    def get(self, conflict_id: str) -> Conflict:
        """Return a conflict."""
        conflict = self._bench.ledger.conflicts.get(conflict_id)
        if conflict is None:
            raise NotFound(f"there is no conflict {conflict_id} in this bank")
        return conflict

    @property
    def every(self) -> tuple[Conflict, ...]:
        """All conflicts, in the order in which they were found."""
        return tuple(sorted(self._bench.ledger.conflicts.values(), key=lambda item: (item.created_at, item.id)))

    @property
    def waiting(self) -> tuple[Conflict, ...]:
        """Those that wait for their validation, in the order in which they were found."""
        return tuple(conflict for conflict in self.every if conflict.state in WAITING)

    @property
    def pending(self) -> tuple[PendingConflict, ...]:
        """Those that wait, as the planner sees them."""
        return tuple(
            PendingConflict(conflict_id=item.id, node_ids=nodes_of(item), description=item.description)
            for item in self.waiting[:_MOST_PENDING]
        )

    def waiting_for(self, conflict_id: str) -> Conflict:
        """Return a conflict that can be validated."""
        conflict = self.get(conflict_id)
        if conflict.state not in WAITING:
            raise InvalidInput(f"conflict {conflict_id} is {conflict.state.value} already; `undo` opens it again")
        return conflict

    def between(self, one: str, other: str) -> Conflict | None:
        """Return the conflict of two nodes that waits or was left unresolved."""
        for conflict in self.every:
            if conflict.state is not ConflictState.RESOLVED and {one, other} <= set(nodes_of(conflict)):
                return conflict
        return None

    async def raise_(self, new: QueryNode, existing: QueryNode, *, description: str) -> Conflict | None:
        """Note that two nodes contradict each other; the newer one stays provisionally. Nothing if that is known."""
        if self.between(new.id, existing.id) is not None:
            return None
        bench = self._bench
        now = bench.now()
        conflict = Conflict(
            id=bench.new_id(),
            scope=bench.scope,
            claims=tuple(_claim(node) for node in (existing, new)),
            description=description,
            created_at=now,
            updated_at=now,
        )
        record = bench.ledger.record(new.id)
        assert record is not None, "a live node has a record"
        async with bench.ledger.transaction() as tx:
            tx.conflict(conflict)
            if record.status is not Status.PROVISIONAL:
                waiting = record.replace(status=Status.PROVISIONAL, version=record.version + 1, updated_at=now)
                tx.put(waiting, expects=record.version)
        bench.tell(EventKind.CONFLICT, description, conflict_id=conflict.id, nodes=[existing.id, new.id])
        return conflict

    async def validating(self, conflict_id: str | None) -> None:
        """Note which conflict is being validated; the others wait."""
        async with self._bench.ledger.transaction() as tx:
            for conflict in self.waiting:
                state = ConflictState.VALIDATING if conflict.id == conflict_id else ConflictState.OPEN
                if conflict.state is not state:
                    self.put_state(tx, conflict, state)

    async def leave_unresolved(self, conflict: Conflict, *, why: str, decided_by: str, evidence: str) -> Conflict:
        """Record that nothing settled it: every node stays, marked, with the validation among its sources."""
        bench = self._bench
        now = bench.now()
        undo: dict[str, int] = {}
        async with bench.ledger.transaction() as tx:
            for node_id in nodes_of(conflict):
                record = bench.ledger.record(node_id)
                assert record is not None, "the nodes of a waiting conflict are live"
                undo[node_id] = record.version
                sources = with_entry(record.sources, evidence)
                still = any(other.id != conflict.id for other in self._waiting_with(node_id))
                marked = record.replace(
                    status=Status.PROVISIONAL if still else Status.ACTIVE,
                    tags=tuple(dict.fromkeys([*record.tags, UNRESOLVED])),
                    sources=sources,
                    version=record.version + 1,
                    updated_at=now,
                )
                tx.put(marked, expects=record.version)
            verdict = Verdict(text=why, decided_by=decided_by, decided_at=now, undo=undo)
            self.put_state(tx, conflict, ConflictState.UNRESOLVED, verdict=verdict)
        bench.tell(EventKind.UNRESOLVED, why, conflict_id=conflict.id, nodes=list(nodes_of(conflict)))
        return self.get(conflict.id)

    async def reopen(self, conflict: Conflict) -> Conflict:
        """Take an unresolved verdict back: the nodes are as they were, and the conflict waits again."""
        bench = self._bench
        now = bench.now()
        verdict = conflict.verdict
        assert verdict is not None, "an unresolved conflict has a verdict"
        async with bench.ledger.transaction() as tx:
            for node_id in nodes_of(conflict):
                record = bench.ledger.record(node_id)
                if record is None or node_id not in bench.graph:
                    continue
                others = [item for item in self.every if item.id != conflict.id and node_id in nodes_of(item)]
                marked = any(item.state is ConflictState.UNRESOLVED for item in others)
                before = bench.ledger.version(node_id, verdict.undo[node_id]) if node_id in verdict.undo else record
                restored = record.replace(
                    status=before.status if before.status in {Status.ACTIVE, Status.PROVISIONAL} else record.status,
                    tags=record.tags if marked else tuple(tag for tag in record.tags if tag != UNRESOLVED),
                    version=record.version + 1,
                    updated_at=now,
                )
                tx.put(restored, expects=record.version)
            self.put_state(tx, conflict, ConflictState.OPEN)
        bench.tell(EventKind.UNDONE, conflict.description, conflict_id=conflict.id)
        return self.get(conflict.id)

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
            updated_at=self._bench.now(),
        )
        tx.conflict(changed, expects=conflict.version)

    def put_successor(
        self, tx: Transaction, merged: Iterable[str], successor: str, *, settled: str | None
    ) -> dict[str, list[str]]:
        """Let the conflicts of merged nodes go on with what they became; return whom each was about before.

        One that is left with a single node has nothing to disagree with: it is settled by what joined its nodes.
        """
        gone = frozenset(merged)
        before: dict[str, list[str]] = {}
        for conflict in self.every:
            if conflict.id == settled or conflict.state is ConflictState.RESOLVED or not gone & set(nodes_of(conflict)):
                continue
            before[conflict.id] = [claim.record_id for claim in conflict.claims]
            claims = [
                claim.replace(record_id=successor) if claim.record_id in gone else claim for claim in conflict.claims
            ]
            if len({claim.record_id for claim in claims}) > 1:
                self.put_state(tx, conflict, conflict.state, verdict=conflict.verdict, claims=claims)
                continue
            verdict = Verdict(text=conflict.description, decided_by="merge", decided_at=self._bench.now())
            self.put_state(tx, conflict, ConflictState.RESOLVED, verdict=verdict)
        return before

    def put_back(self, tx: Transaction, before: dict[str, list[str]]) -> None:
        """Let conflicts be about those whom they were about before a merge, and wait again."""
        for conflict_id, node_ids in before.items():
            conflict = self._bench.ledger.conflicts.get(conflict_id)
            if conflict is None or len(conflict.claims) != len(node_ids):
                continue
            claims = [
                claim.replace(record_id=node_id) for claim, node_id in zip(conflict.claims, node_ids, strict=True)
            ]
            state = conflict.state if conflict.state is not ConflictState.RESOLVED else ConflictState.OPEN
            verdict = conflict.verdict if state is ConflictState.UNRESOLVED else None
            self.put_state(tx, conflict, state, verdict=verdict, claims=claims)

    def _waiting_with(self, node_id: str) -> list[Conflict]:
        return [conflict for conflict in self.waiting if node_id in nodes_of(conflict)]


def nodes_of(conflict: Conflict) -> tuple[str, ...]:
    """Return the nodes that a conflict is about."""
    return tuple(dict.fromkeys(claim.record_id for claim in conflict.claims))


def _claim(node: QueryNode) -> Claim:
    return Claim(record_id=node.id, text=line(node.summary, _LONGEST_CLAIM), evidence=node.sources)


def with_entry(sources: tuple[Source, ...], entry_id: str) -> tuple[Source, ...]:
    """Return the sources with a whole entry among them."""
    return tuple(dict.fromkeys([*sources, *([Source(entry_id=entry_id)] if entry_id else [])]))

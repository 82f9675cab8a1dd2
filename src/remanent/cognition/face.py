"""One agent's memories as a user of the library holds them."""

from collections.abc import Sequence

from remanent.cognition import curation, drafts
from remanent.cognition.expiry import Lifecycle, promoted, score
from remanent.cognition.learning import Changes, MemoryWriter
from remanent.cognition.model import (
    MEMORIES,
    PREMISE,
    ROLE,
    SHORT_TERM,
    AgentRole,
    Briefing,
    CleanReport,
    Flaw,
    MemoryHealth,
    Why,
    memory_id,
    role_of,
)
from remanent.cognition.orchestrator import TierReader, grant
from remanent.cognition.shared import SharedMemories
from remanent.discipline import AnyAgent, Parts
from remanent.errors import InvalidInput, NotFound, VersionConflict
from remanent.language.offline.statements import is_secret
from remanent.model import (
    Conflict,
    Entry,
    EntryKind,
    Kind,
    Link,
    Origin,
    ProceduralData,
    Record,
    SharedSort,
    Source,
    Status,
    Version,
)
from remanent.model.base import read_word
from remanent.model.filters import USER_KEY, check_user
from remanent.model.record import BY_HAND
from remanent.stores import LIVE, NO_LIMIT, Order, RecordFilter, RecordQuery


class AsyncCognition:
    """What an agent has learned: to list, correct, confirm, forget, explain, and to be briefed from."""

    def __init__(self, agent: AnyAgent, parts: Parts, *, writer: MemoryWriter, lifecycle: Lifecycle) -> None:
        self._agent = agent
        self._scope = agent.scope.owner
        self._parts = parts
        self._writer = writer
        self._lifecycle = lifecycle
        self._shared = SharedMemories(parts, self._scope)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._scope}>"

    # ── reading ──────────────────────────────────────────────────────────────

    async def memories(
        self,
        *,
        kinds: Sequence[Kind | str] | None = None,
        user: str | None = None,
        statuses: Sequence[Status | str] | None = LIVE,
        flaw: Flaw | str | None = None,
        limit: int = 100,
    ) -> list[Record]:
        """Return memories, newest first; among those of one second the more important first.

        With a `flaw` (unsure, stale, duplicates, rotten, junk), those that `health` counts so, the worst first.
        """
        await self._lifecycle.flush(self._scope)
        if flaw is not None:
            found = await curation.flawed(self._parts.store, self._scope, read_word(Flaw, flaw, what="flaw"))
        else:
            wanted = MEMORIES if kinds is None else tuple(map(Kind.known, [kinds] if isinstance(kinds, str) else kinds))
            states = None if statuses is None else tuple(read_word(Status, one, what="status") for one in statuses)
            every = RecordFilter(kinds=wanted, statuses=states)
            query = RecordQuery(filter=every, order=Order.LAST_CREATED, limit=NO_LIMIT)
            records = await self._parts.store.records(self._scope, query)
            found = sorted(filter(self._is_alive, records), key=lambda record: (-score(record), record.id))
        theirs = [one for one in found if user is None or one.memory.user == user][:limit]
        return await curation.with_related(self._parts.store, self._scope, theirs)

    async def show(self, record_id: str, *, user: str | None = None) -> Record:
        """Return a memory, whatever its status."""
        await self._lifecycle.flush(self._scope)
        found = await self._get(record_id, user=user)
        return (await curation.with_related(self._parts.store, self._scope, [found]))[0]

    async def history(self, record_id: str, *, user: str | None = None) -> list[Version]:
        """Return every version of a memory, the current one last."""
        await self._get(record_id, user=user)
        return await self._parts.store.versions(self._scope, record_id)

    async def why(self, record_id: str, *, user: str | None = None) -> Why:
        """Return how a memory came about: its words, the rule, what it follows from and what follows from it."""
        return await curation.why(self._parts.store, self._scope, await self._get(record_id, user=user))

    async def brief(
        self,
        message: str,
        *,
        user: str | None = None,
        session: str | None = None,
        agents: Sequence[str] = (),
        budget: int | None = None,
        report: bool = False,
    ) -> Briefing:
        """Return what to know before answering a message: which tiers are read follows from what it is after.

        `agents` are others that the message may be for; their procedures are read if they granted it. With `report`,
        all memories are counted, and the briefing says how many tokens it saved beside telling them all.
        """
        reader = TierReader(self._parts, self._scope, message, user=user, session=session, lifecycle=self._lifecycle)
        return await reader.brief(agents, budget=budget, report=report)

    async def health(self) -> MemoryHealth:
        """Return how the memories stand: totals, confidence, what is expired, stale, in conflict, double or rotten."""
        await self._lifecycle.flush(self._scope)
        return await curation.health(self._parts.store, self._scope)

    # ── writing ──────────────────────────────────────────────────────────────

    async def add(
        self,
        content: str,
        *,
        kind: Kind | str = Kind.SEMANTIC,
        user: str | None = None,
        subject: str = "",
        attribute: str = "",
        value: str = "",
        steps: Sequence[str] = (),
        premises: Sequence[str] = (),
        tags: Sequence[str] = (),
    ) -> Record:
        """Add a memory by hand; with a subject and an attribute, another value becomes a new version of it.

        `premises` are the memories that it follows from: when one of them changes, this one is marked stale. What is
        kept for a `user` is noted in the journal as theirs, so that it is found and erased with all that is theirs.
        """
        wanted = Kind.known(kind)
        said = None if user is None else self._noted(content, user)
        _check(content, kind=wanted)
        for premise in premises:
            await self._get(premise)
        key = (subject, attribute) if subject and attribute else (content,)
        record_id, now = memory_id(user or "", str(wanted), *key), self._parts.clock()
        known = (await self._writer.records(self._scope, (record_id,))).get(record_id)
        value = value or content
        had = value if known is None else known.memory.value
        about = {"user": user or "", "subject": subject, "attribute": attribute, "value": value}
        about |= {"replaces": had} if had != value else {}
        if wanted is Kind.PROCEDURAL:
            about |= {"name": subject or content, "trigger": attribute}
        life = drafts.lifetime(wanted, self._writer.settings)
        record = Record(
            id=record_id,
            scope=self._scope,
            kind=wanted,
            content=content,
            tags=tuple(tags),
            confidence=drafts.CONFIRMED,
            importance=0.8,
            created_at=now if known is None else known.created_at,
            updated_at=now,
            occurred_at=now,
            expires_at=None if life is None else now + life,
            version=1 if known is None else known.version + 1,
            sources=() if said is None else (Source(entry_id=said.id, end=len(content)),),
            trust=Origin.USER,
            made_by=BY_HAND,
            evidence_count=0,
            data=wanted.data.model_validate({**about, **({"steps": tuple(steps)} if steps else {})}),
        )
        changes = Changes({}, changed=[record_id] if had != value else [])
        changes.put(record)
        changes.links += [
            Link(from_id=record_id, to_id=premise, relation=PREMISE, created_at=now, updated_at=now)
            for premise in premises
        ]
        return await self._write(changes, record_id, said=() if said is None else (said,))

    async def edit(
        self,
        record_id: str,
        content: str,
        *,
        value: str | None = None,
        expects: int | None = None,
        user: str | None = None,
    ) -> Record:
        """Correct a memory; what it said before stays readable, and what was said to follow from it is marked stale.

        In recall it comes before the words that it was made of, which are marked as no longer so. To give it the words
        of an earlier version brings that one back.
        """
        known = await self._get(record_id, expects=expects, user=user)
        _check(content)
        after = await curation.corrected(self._parts.store, self._scope, known, content, value=value)
        changes = Changes({known.id: known})
        changes.put(after.replace(version=known.version + 1, updated_at=self._parts.clock()))
        changes.changed.append(known.id)
        return await self._write(changes, record_id)

    async def confirm(self, record_id: str, *, user: str | None = None) -> Record:
        """Say that a memory is right: it is surer, no longer stale, and long-term from now on."""
        known = await self._get(record_id, user=user)
        now = self._parts.clock()
        record = promoted(known, now=now) if known.kind in SHORT_TERM else self._next(known)
        record = record.replace(
            confidence=drafts.more_sure(known.confidence, drafts.CONFIRMED),
            evidence_count=known.evidence_count + 1,
            status=Status.ACTIVE,
            data=record.memory.replace(stale=""),
        )
        return await self._put(record)

    async def pin(self, record_id: str, *, pinned: bool = True, user: str | None = None) -> Record:
        """Keep a memory as it is: it does not expire, and what says otherwise waits as an open conflict."""
        known = await self._get(record_id, user=user)
        return await self._put(self._next(known, data=known.memory.replace(pinned=pinned)))

    async def forget(self, record_id: str, *, reason: str = "", user: str | None = None) -> Record:
        """Forget a memory, along with the turns that state it; `restore` brings it back.

        A turn that says little else goes whole, others lose the clauses that tell it; the journal keeps what was said.
        """
        known = await self._get(record_id, user=user)
        if known.status is Status.FORGOTTEN:
            raise InvalidInput(f"memory {record_id} has already been forgotten; `restore` brings it back")
        along, now = await self._writer.forgetting.along(self._scope, known), self._parts.clock()
        async with self._parts.store.transaction(self._scope) as tx:
            tx.forget(known, at=now, reason=reason)
            along.forget(tx, at=now, reason=reason)
            self._parts.journal.index(tx)
        return await self._get(record_id)

    async def restore(self, record_id: str, *, user: str | None = None) -> Record:
        """Bring a forgotten or expired memory back, with the turns that went along; a short-term one begins anew."""
        known, now = await self._get(record_id, user=user), self._parts.clock()
        if known.status is Status.EXPIRED:
            life = drafts.lifetime(known.kind, self._writer.settings)
            ends = None if life is None else now + life
            return await self._put(self._next(known, status=Status.ACTIVE, expires_at=ends))
        if known.status is not Status.FORGOTTEN:
            raise InvalidInput(f"memory {record_id} is neither forgotten nor expired; there is nothing to restore")
        along = await self._writer.forgetting.along(self._scope, known)
        async with self._parts.store.transaction(self._scope) as tx:
            tx.restore(known, at=now)
            along.restore(tx, at=now)
            self._parts.journal.index(tx)
        return await self._get(record_id)

    async def feedback(self, record_id: str, *, success: bool, user: str | None = None) -> Record:
        """Report whether a procedure worked: its success rate and its use move with it."""
        known = await self._get(record_id, user=user)
        data = known.data
        if not isinstance(data, ProceduralData):
            raise InvalidInput(f"memory {record_id} is of kind {known.kind}; only procedures take feedback")
        count = data.usage_count + 1
        rate = (data.success_rate * data.usage_count + success) / count
        return await self._put(self._next(known, data=data.replace(usage_count=count, success_rate=rate)))

    async def clean(self, *, dry_run: bool = False) -> CleanReport:
        """Promote what was used, end what is over, and take away what had ended before; or tell what that would be."""
        await self._lifecycle.flush(self._scope)
        tx = self._parts.store.transaction(self._scope)
        report = await self._lifecycle.sweep(self._scope, tx, all_expired=True)
        if dry_run:
            return report.replace(dry_run=True)
        async with tx:
            pass
        return report

    # ── conflicts ────────────────────────────────────────────────────────────

    async def conflicts(self, *, user: str | None = None, open_only: bool = False) -> list[Conflict]:
        """Return the contradictions between memories, oldest first; of a user, none that is another's."""
        return await curation.conflicts(self._parts.store, self._scope, open_only=open_only, user=user)

    async def conflict(self, conflict_id: str, *, user: str | None = None) -> Conflict:
        """Return a contradiction: what was claimed, with the words that say so, and how it ended."""
        return await curation.conflict_by_id(self._parts.store, self._scope, conflict_id, user=user)

    async def resolve(
        self,
        conflict_id: str,
        how: str,
        *,
        claim: int = 1,
        text: str = "",
        scopes: Sequence[str] = (),
        by: str = "user",
        user: str | None = None,
    ) -> Conflict:
        """Settle a contradiction: `choose` a claim by its number from 0, `merge` both into a text, `keep_both` as two
        memories by the `scopes` in which each holds ("at work", "at home"), or `undo`.
        """
        conflict = await self.conflict(conflict_id, user=user)
        ending = curation.ConflictEnding(how=how, by=by, claim=claim, text=text, scopes=tuple(scopes))
        await curation.resolve(self._parts, self._writer, self._scope, conflict, ending)
        return await self.conflict(conflict_id)

    # ── what a workspace shares ──────────────────────────────────────────────

    async def propose(
        self,
        content: str,
        *,
        sort: str = SharedSort.PROJECT_CONTEXT,
        number: str = "",
        confidence: float = 0.8,
        by: str = "",
        coordinator: bool = False,
    ) -> Record:
        """Offer something to the workspace; a coordinator approves it, unless it is a coordinator's own."""
        return await self._shared.propose(
            content, sort=sort, number=number, confidence=confidence, by=by, coordinator=coordinator
        )

    async def approve(self, record_id: str, *, by: str) -> Record:
        """Approve what another one proposed, as coordinator: from now on the whole workspace reads it."""
        return await self._shared.approve(record_id, by=by)

    async def refuse(self, record_id: str, *, by: str, reason: str = "") -> Record:
        """Refuse a proposal, as coordinator."""
        return await self._shared.end(record_id, by=by, reason=reason, only=Status.PENDING)

    async def revoke(self, record_id: str, *, by: str, reason: str = "") -> Record:
        """Take back what the workspace shares: nobody reads it from now on."""
        return await self._shared.end(record_id, by=by, reason=reason, only=None)

    async def amend(self, record_id: str, content: str, *, by: str = "", coordinator: bool = False) -> Record:
        """Change what is shared, as its creator or as coordinator; a creator's change waits for approval again."""
        return await self._shared.amend(record_id, content, by=by, coordinator=coordinator)

    async def shared(self, *, pending: bool = False) -> list[Record]:
        """Return what the workspace shares, newest first; with `pending`, what waits for approval."""
        return await self._shared.entries(pending=pending)

    async def role(self) -> AgentRole | None:
        """Return what this agent does in its workspace, if that was said."""
        return await role_of(self._parts.store, self._scope)

    async def set_role(self, role: AgentRole | str | None) -> None:
        """Say what this agent does in its workspace: it still reads all that is shared, first what is meant for it."""
        wanted = None if role is None else read_word(AgentRole, role, what="role")
        async with self._parts.store.transaction(self._scope) as tx:
            tx.state(ROLE, None if wanted is None else wanted.value)

    async def shared_history(self, record_id: str) -> list[Version]:
        """Return every version of what is shared: who proposed, approved, changed or ended it, and when."""
        return await self._shared.history(record_id)

    async def grant(self, reader: str, *, granted: bool = True) -> None:
        """Let another agent of the workspace read this one's procedures, or stop letting it."""
        await grant(self._parts.store, self._scope, reader, granted=granted)

    # ── helpers ──────────────────────────────────────────────────────────────

    def _next(self, known: Record, **changes: object) -> Record:
        return known.replace(**{"version": known.version + 1, "updated_at": self._parts.clock(), **changes})

    async def _put(self, record: Record) -> Record:
        """Write the next version of a memory, and return it as it stands."""
        async with self._parts.store.transaction(self._scope) as tx:
            tx.put(record, expects=record.version - 1)
        return await self._get(record.id)

    def _is_alive(self, record: Record) -> bool:
        ends = record.expires_at if record.status in LIVE else None
        return ends is None or ends > self._lifecycle.steady()

    async def _get(self, record_id: str, *, expects: int | None = None, user: str | None = None) -> Record:
        """Return a memory by its id; who names a user reaches none that is another's."""
        found = (await self._writer.records(self._scope, (record_id,))).get(record_id)
        is_theirs = user is None or (found is not None and found.memory.user == user)
        if found is None or found.kind not in MEMORIES or not is_theirs:
            raise NotFound(f"there is no memory {record_id} here; `memories` lists those there are")
        if expects is not None and found.version != expects:
            raise VersionConflict(f"memory {record_id} is at version {found.version}, not {expects}; read it again")
        return found

    def _noted(self, content: str, user: str) -> Entry:
        """Return what the journal says of a memory that is kept by hand for a user."""
        now = self._parts.clock()
        return Entry(
            id=self._parts.new_id(),
            scope=self._scope,
            kind=EntryKind.EVENT,
            text=content,
            occurred_at=now,
            recorded_at=now,
            metadata={USER_KEY: check_user(user)},
        )

    async def _write(self, changes: Changes, record_id: str, *, said: Sequence[Entry] = ()) -> Record:
        """Write a memory with all that it changes, and return it as it stands."""
        await self._writer.mark_stale(self._scope, changes, changes.changed, now=self._parts.clock())
        async with self._parts.store.transaction(self._scope) as tx:
            if said:
                await self._parts.journal.append(tx, said, by="cognition")
            changes.write(tx, now=self._parts.clock())
            self._parts.journal.index(tx)
        self._parts.watch(self._scope)
        return await self._get(record_id)


def _check(content: str, *, kind: Kind = Kind.SEMANTIC) -> None:
    if kind not in MEMORIES:
        raise InvalidInput(f"kind: must be one of {', '.join(MEMORIES)}, not {kind}")
    if not content.strip() or is_secret(content):
        raise InvalidInput(
            "content: it is empty, or contains a secret that must not be kept; leave out passwords and card numbers"
        )

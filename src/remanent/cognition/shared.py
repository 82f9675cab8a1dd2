"""What a workspace shares: proposed by any agent, approved by a coordinator who is not its author, read by all."""

from remanent.cognition.drafts import slot
from remanent.cognition.model import memory_id
from remanent.discipline import Parts
from remanent.errors import CallerError, InvalidInput, NotFound
from remanent.language.offline.statements import is_secret, statements
from remanent.model import (
    Claim,
    Conflict,
    ConflictState,
    Kind,
    Maker,
    Origin,
    Record,
    Scope,
    SharedData,
    SharedSort,
    Status,
    Verdict,
    Version,
)
from remanent.stores import LIVE, NO_LIMIT, Order, RecordFilter, RecordQuery, Transaction

_COORDINATOR = "coordinator"


def _about(content: str, *, sort: SharedSort, number: str) -> str:
    """Return what an entry is about, by which a newer one takes its place: its number, or what it states."""
    if number:
        return f"{sort}:{number}"
    made = [one for one in statements(content) if one.single]
    return memory_id("", *slot(made[0])) if made else ""


class SharedMemories:
    """The shared memory of one agent's workspace, as that agent sees it."""

    def __init__(self, parts: Parts, scope: Scope) -> None:
        self._parts = parts
        self._agent = scope.agent
        self._scope = scope.shared

    async def entries(self, *, pending: bool = False) -> list[Record]:
        """Return what is shared, newest first, or what waits for approval."""
        statuses = (Status.PENDING,) if pending else LIVE
        wanted = RecordFilter(kinds=(Kind.SHARED,), statuses=statuses)
        query = RecordQuery(filter=wanted, order=Order.LAST_CREATED, limit=NO_LIMIT)
        return await self._parts.store.records(self._scope, query)

    async def history(self, record_id: str) -> list[Version]:
        """Return who did what to an entry, and when: every version of it."""
        await self._get(record_id)
        return await self._parts.store.versions(self._scope, record_id)

    async def propose(
        self, content: str, *, sort: str, number: str, confidence: float, by: str, coordinator: bool
    ) -> Record:
        """Offer an entry, or get the same one that waits or is in force; a coordinator's own takes effect at once."""
        _check_content(content)
        if sort not in set(SharedSort):
            raise InvalidInput(f"unknown sort {sort!r}; choose one of {', '.join(SharedSort)}")
        sort = SharedSort(sort)
        for known in () if coordinator else (*await self.entries(pending=True), *await self.entries()):
            data = _shared(known)
            if (known.content.strip(), data.sort, data.number) == (content.strip(), sort, number):
                return known
        now = self._parts.clock()
        record = Record(
            id=self._parts.new_id(),
            scope=self._scope,
            kind=Kind.SHARED,
            content=content,
            confidence=confidence,
            importance=0.7,
            created_at=now,
            updated_at=now,
            occurred_at=now,
            status=Status.PENDING,
            trust=Origin.AGENT,
            made_by=Maker(role="shared", engine=self._agent, version="1"),
            data=SharedData(
                sort=sort,
                number=number,
                created_by=self._agent,
                user=by or self._agent,
                attribute=_about(content, sort=sort, number=number),
                value=content,
            ),
        )
        if coordinator:
            record = self._approved(record, by=by or _COORDINATOR)
        return await self._write(record, settles=coordinator)

    async def approve(self, record_id: str, *, by: str) -> Record:
        """Approve a proposal of somebody else."""
        record = await self._get(record_id)
        if record.status is not Status.PENDING:
            raise InvalidInput(f"{record_id} is not waiting for approval; it is {record.status.value}")
        data = _shared(record)
        if not by or by in {data.created_by, data.user}:
            raise CallerError("a proposal must be approved by somebody else: name the coordinator in `by`")
        approved = self._approved(record, by=by).replace(version=record.version + 1, updated_at=self._parts.clock())
        return await self._write(approved, settles=True)

    async def end(self, record_id: str, *, by: str, reason: str, only: Status | None) -> Record:
        """Refuse or revoke an entry: nobody reads it from now on, and its versions tell who ended it."""
        record = await self._get(record_id)
        if record.status is Status.FORGOTTEN or (only is not None and record.status is not only):
            raise InvalidInput(f"{record_id} is {record.status.value}, so there is nothing to withdraw")
        async with self._parts.store.transaction(self._scope) as tx:
            ended = record.replace(data=_shared(record).replace(approved_by=by))
            tx.forget(ended, at=self._parts.clock(), reason=f"{by}: {reason}" if reason else by)
        return await self._get(record_id)

    async def amend(self, record_id: str, content: str, *, by: str, coordinator: bool) -> Record:
        """Change an entry, as its creator or as coordinator; a creator's change waits for approval."""
        record = await self._get(record_id)
        data = _shared(record)
        if not coordinator and self._agent != data.created_by:
            raise CallerError(f"only {data.created_by} or a coordinator may change {record_id}; propose another entry")
        _check_content(content)
        changed = record.replace(
            content=content,
            status=Status.PENDING,
            data=data.replace(value=content, user=by or self._agent, approved_by=""),
            version=record.version + 1,
            updated_at=self._parts.clock(),
        )
        return await self._write(self._approved(changed, by=by or _COORDINATOR) if coordinator else changed)

    @staticmethod
    def _approved(record: Record, *, by: str) -> Record:
        """Return a proposal as it is in force, with who approved it."""
        return record.replace(status=Status.ACTIVE, data=_shared(record).replace(approved_by=by))

    async def _write(self, record: Record, *, settles: bool = False) -> Record:
        """Write the next version of an entry, and return it as it stands."""
        async with self._parts.store.transaction(self._scope) as tx:
            if settles:
                await self._settle(tx, record)
            tx.put(record, expects=record.version - 1)
            self._parts.journal.index(tx)
        self._parts.watch(self._scope)
        return await self._get(record.id)

    async def _settle(self, tx: Transaction, fresh: Record) -> None:
        """Have an entry take the place of what it contradicts, if it is not less sure; else leave the conflict open."""
        key = _shared(fresh).attribute
        now = self._parts.clock()
        for known in await self.entries() if key else []:
            if known.id == fresh.id or _shared(known).attribute != key or known.content == fresh.content:
                continue
            wins = fresh.confidence >= known.confidence
            verdict = Verdict(
                text=fresh.content,
                upheld=(fresh.id,),
                decided_by=_shared(fresh).approved_by or _COORDINATOR,
                decided_at=now,
                undo={known.id: known.version},
            )
            tx.conflict(
                Conflict(
                    id=self._parts.new_id(),
                    scope=self._scope,
                    claims=(
                        Claim(record_id=known.id, text=known.content),
                        Claim(record_id=fresh.id, text=fresh.content),
                    ),
                    description=key,
                    state=ConflictState.RESOLVED if wins else ConflictState.OPEN,
                    verdict=verdict if wins else None,
                    created_at=now,
                    updated_at=now,
                )
            )
            if wins:
                old = known.replace(status=Status.SUPERSEDED, version=known.version + 1, updated_at=now)
                tx.put(old, expects=known.version)

    async def _get(self, record_id: str) -> Record:
        """Return what is shared under an id, whatever its status: what was refused or revoked still has a history."""
        wanted = RecordFilter(kinds=(Kind.SHARED,), statuses=None)
        query = RecordQuery(filter=wanted, record_ids=(record_id,), limit=1)
        found = await self._parts.store.records(self._scope, query)
        if not found:
            raise NotFound(f"nothing shared has the id {record_id}; `shared` lists what there is")
        return found[0]


def _shared(record: Record) -> SharedData:
    return record.data if isinstance(record.data, SharedData) else SharedData()


def _check_content(content: str) -> None:
    if not content.strip() or is_secret(content):
        raise InvalidInput(
            "content: it is empty, or contains a secret that must not be shared; leave out passwords and keys"
        )

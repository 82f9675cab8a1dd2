"""The storage of one bank: in memory, and on a store as well when one is given; with its tree view and its export.

Everything that a bank writes is a unit of work of the store's own changes. It is committed to the store first, if there
is one, and then applied to memory: the two cannot drift apart, and a bank whose process was killed is read back from
the store as it was after its last commit.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pydantic import ConfigDict, Field

from remanent.agents.deep_retrieval import TreeEntry, tree_of
from remanent.bank.node import QUERY_NODE
from remanent.discipline import Journal
from remanent.errors import InvalidInput, NotFound, VersionConflict
from remanent.language.roles.integration import Trigger
from remanent.model import Conflict, Entry, JsonObject, Link, Model, Record, Scope, Source
from remanent.stores import (
    Change,
    Committed,
    ConflictQuery,
    Erasure,
    LinkQuery,
    RecordFilter,
    RecordQuery,
    Store,
    Transaction,
    every_entry,
    every_record,
)
from remanent.stores.search_terms import search_terms
from remanent.stores.transaction import AppendEntry, DropLink, PutConflict, PutLink, PutRecord, PutVector

BANK = "bank"
"""The name under which a bank appends to the journal, and the metadata key under which it marks its entries."""

# Where an entry of a bank came from.
CONTEXT = "context"
"""A user gave it."""
EXECUTION = "execution"
"""A step said or did it."""
RECOGNITION = "recognition"
"""Text that was recognised in an upload."""
VALIDATION = "validation"
"""The finding of a cross-validation."""
MERGE = "merge"
"""What was merged, and why."""
INGESTED = "woven"
"""The mark that an entry has been ingested to the end. Stored banks hold the word, so it cannot change with the names
in the code."""
INGESTED_SOURCES = (CONTEXT, EXECUTION, RECOGNITION)
"""The sources of entries that nodes are made of."""

_LinkKey = tuple[str, str, str]


class BankStore:
    """The journal, the records with all their versions, the links, conflicts and vectors of one task."""

    def __init__(self, scope: Scope, *, store: Store | None = None, journal: Journal | None = None) -> None:
        if scope.task is None:
            raise InvalidInput("a bank belongs to a task; give its scope one")
        self.scope = scope
        self.store = store
        self._journal = journal
        self.entries: dict[str, Entry] = {}
        self.records: dict[str, list[Record]] = {}
        self.links: dict[_LinkKey, Link] = {}
        self.conflicts: dict[str, Conflict] = {}
        self.vectors: dict[str, dict[str, bytes]] = {}
        self._listeners: list[Callable[[Change], None]] = []
        self._seq = 0

    def transaction(self) -> Transaction:
        """Return a unit of work."""
        return Transaction(self.commit, self.scope)

    def listen(self, listener: Callable[[Change], None]) -> None:
        """Call a listener with every change after it took effect in memory."""
        self._listeners.append(listener)

    def record(self, record_id: str) -> Record | None:
        """Return the current version of a record."""
        versions = self.records.get(record_id)
        return versions[-1] if versions else None

    def version(self, record_id: str, number: int) -> Record:
        """Return an earlier version of a record."""
        return self.records[record_id][number - 1]

    def told(self, record: Record) -> list[tuple[Source, Entry]]:
        """Return the spans behind a node whose words may be shown: what was given, said or recognised.

        There are none of a node that settled a contradiction: its trees hold the refuted words as well.
        """
        held = [(source, self.entries[source.entry_id]) for source in record.sources]
        if any(source_of(one) == MERGE and bank_metadata(one).get("trigger") == Trigger.CONFLICT for _, one in held):
            return []
        return [(source, entry) for source, entry in held if source_of(entry) in INGESTED_SOURCES]

    # ── writing ──────────────────────────────────────────────────────────────

    async def commit(self, scope: Scope, changes: Sequence[Change]) -> Committed:
        """Write all changes or none; with the journal of an open memory, through the one door for writing."""
        self._check(changes)
        committed = Committed()
        if self.store is not None and self._journal is not None:
            committed = await self._journal.commit(scope, changes, by=BANK)
        elif self.store is not None:
            committed = await self.store.commit(scope, changes)
        # From here on it is durable: memory follows, and what fails from now on fails without a half-written unit.
        self.apply(changes)
        if self.store is None:
            ids = tuple(change.entry.id for change in changes if isinstance(change, AppendEntry))
            committed = Committed(entry_ids=ids, last_seq=self._seq)
        return committed

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply changes to memory; they are committed by now, so nothing here may fail."""
        for change in changes:
            self._apply(change)
            for listener in self._listeners:
                listener(change)

    def _check(self, changes: Sequence[Change]) -> None:
        """Refuse what a store would refuse: without one, optimistic locking must hold all the same."""
        reached: dict[str, int] = {}
        for change in changes:
            if isinstance(change, PutRecord):
                record_id, expects = change.record.id, change.expects
                known = reached.get(record_id, len(self.records.get(record_id, ())))
            elif isinstance(change, PutConflict):
                record_id, expects = change.conflict.id, change.expects
                conflict = self.conflicts.get(record_id)
                known = reached.get(record_id, conflict.version if conflict else 0)
            else:
                continue
            if known != expects:
                raise VersionConflict(f"{record_id} is at version {known}, not {expects}; read it again and retry")
            reached[record_id] = expects + 1

    def _apply(self, change: Change) -> None:
        """Take a change into the memory of this process, just as a store would write it."""
        if isinstance(change, AppendEntry):
            self._seq += 1
            self.entries[change.entry.id] = change.entry.replace(seq=self._seq)
        elif isinstance(change, PutRecord):
            versions = self.records.setdefault(change.record.id, [])
            # As a store does: vectors of another text are no vectors of this one.
            if versions and versions[-1].content != change.record.content:
                self.vectors.pop(change.record.id, None)
            versions.append(change.record)
        elif isinstance(change, PutVector):
            self.vectors.setdefault(change.record_id, {})[change.model] = change.values
        elif isinstance(change, PutLink):
            self.links[change.link.from_id, change.link.to_id, change.link.relation] = change.link
        elif isinstance(change, DropLink):
            self.links.pop((change.from_id, change.to_id, change.relation), None)
        elif isinstance(change, PutConflict):
            self.conflicts[change.conflict.id] = change.conflict
        else:
            raise InvalidInput(f"a bank does not keep a {type(change).__name__}")

    # ── reading back and clearing ────────────────────────────────────────────

    async def read(self) -> None:
        """Load what the store holds of the task into memory."""
        if (store := self.store) is None:
            return
        changes: list[Change] = [AppendEntry(entry) async for entry in every_entry(store, self.scope)]
        # Deleted nodes too: undoing a merge brings them back.
        wanted = RecordQuery(filter=RecordFilter(kinds=(QUERY_NODE,), statuses=None))
        ids = [record.id async for record in every_record(store, self.scope, wanted)]
        for record_id in ids:
            versions = await store.versions(self.scope, record_id)
            changes += [PutRecord(version.record, "", version.record.version - 1) for version in versions]
        if ids:
            changes += [PutLink(link) for link in await store.links(self.scope, LinkQuery(from_ids=tuple(ids)))]
            # Vectors by every model that made some: a bank may be older than the model of today.
            for model in await store.vector_models(self.scope):
                kept = await store.vectors(self.scope, sorted(ids), model=model)
                changes += [PutVector(one, model, row.astype("<f4").tobytes()) for one, row in kept.items()]
        # Other banks of the agent have their conflicts in the same scope.
        conflicts = await store.conflicts(self.scope, ConflictQuery(limit=100_000))
        changes += [PutConflict(conflict) for conflict in conflicts if conflict.scope.task == self.scope.task]
        self.apply(changes)

    async def clear(self) -> None:
        """Erase everything, in the store as well."""
        if self.store is not None and (self.entries or self.records):
            erasure = Erasure(entry_ids=tuple(self.entries), record_ids=tuple(self.records))
            erase = self.store.erase if self._journal is None else self._journal.erase
            await erase(self.scope, erasure)
        for held in (self.entries, self.records, self.links, self.conflicts, self.vectors):
            held.clear()


class BankDocument(Model):
    """A whole bank as one JSON document: the journal, every version of every node, edges, conflicts, embeddings.

    All versions are in it, since an imported bank must be able to undo what was merged before the export.
    """

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    format: Literal["remanent-bank"] = "remanent-bank"
    version: Literal[1] = 1
    scope: Scope
    entries: tuple[Entry, ...] = ()
    records: tuple[Record, ...] = ()
    """All versions, each record's in order."""
    links: tuple[Link, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    vectors: dict[str, dict[str, bytes]] = Field(default_factory=dict)
    """By node and model: little-endian float32."""


def export_document(bank_store: BankStore) -> BankDocument:
    """Return all that a bank holds, in a fixed order: equal banks have equal exports, byte for byte."""
    return BankDocument(
        scope=bank_store.scope,
        entries=tuple(bank_store.entries.values()),
        records=tuple(record for record_id in sorted(bank_store.records) for record in bank_store.records[record_id]),
        links=tuple(bank_store.links[key] for key in sorted(bank_store.links)),
        conflicts=tuple(bank_store.conflicts[key] for key in sorted(bank_store.conflicts)),
        vectors={
            record_id: {model: kept[model] for model in sorted(kept)}
            for record_id, kept in sorted(bank_store.vectors.items())
        },
    )


async def import_document(bank_store: BankStore, document: BankDocument) -> None:
    """Fill an empty bank with a document, all of it or nothing; everything moves into the bank's store's own scope."""
    if bank_store.entries or bank_store.records:
        raise InvalidInput("this bank is not empty; load an export into a new one")
    scope = bank_store.scope
    changes: list[Change] = [AppendEntry(entry.replace(scope=scope, seq=0)) for entry in document.entries]
    for record in document.records:
        owned = record.replace(scope=scope)
        changes.append(PutRecord(owned, search_terms(owned), owned.version - 1))
    changes += [
        PutVector(record_id, model, values)
        for record_id, kept in document.vectors.items()
        for model, values in kept.items()
    ]
    changes += [PutLink(link) for link in document.links]
    for conflict in document.conflicts:
        # A store accepts version n only after n - 1, and the export has just the latest of a conflict.
        changes += [
            PutConflict(conflict.replace(scope=scope, version=number), number - 1)
            for number in range(1, conflict.version + 1)
        ]
    await bank_store.commit(scope, changes)


def source_of(entry: Entry) -> str:
    """Return where an entry of a bank came from, as the bank marked it; empty for any other entry."""
    return str(bank_metadata(entry).get("source", ""))


def bank_metadata(entry: Entry) -> JsonObject:
    """Return what a bank noted in the metadata of an entry; empty for an entry that is not a bank's."""
    noted = entry.metadata.get(BANK)
    return noted if isinstance(noted, dict) else {}


class InteractionTree:
    """The raw history behind each node, as a read-only view of the journal.

    A tree is not stored: a node names its spans of the journal, and a merge joins these names. So nothing that was said
    is ever copied or rewritten, and chains of merges keep every original reachable.
    """

    def __init__(self, bank_store: BankStore) -> None:
        self._bank_store = bank_store

    def of(self, node_id: str) -> tuple[TreeEntry, ...]:
        """Return every entry of a node's trees by timestamp, even of a node that was merged into another."""
        record = self._bank_store.record(node_id)
        if record is None:
            raise NotFound(f"there is no node {node_id} in this bank; `search` returns the ids of existing nodes")
        entries = [self._bank_store.entries[source.entry_id] for source in record.sources]
        return tree_of(record, entries, source_of=source_of)

    def entry(self, entry_id: str) -> Entry:
        """Return a whole entry as it was appended."""
        entry = self._bank_store.entries.get(entry_id)
        if entry is None:
            raise NotFound(f"there is no entry {entry_id} in this bank")
        return entry

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The whole journal, in order."""
        return tuple(self._bank_store.entries.values())

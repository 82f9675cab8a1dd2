"""Many rows by few statements.

Every statement lets go of the interpreter, and may wait for it again for as long as others compute, up to 5 ms. Row by
row, with 64 clients, a group of 31 writes that took 5 ms of work was under way for 17 ms, and a batch of 256 turns,
which every writer of the agent waits for, took 60 ms of work and was under way for 90 to 250 ms.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from zlib import crc32

import apsw

from remanent.errors import DuplicateEntry, InvalidInput, NotFound
from remanent.model import Entry, Status
from remanent.stores import rows
from remanent.stores.transaction import PutRecord, PutVector

ROWS_AT_ONCE = 64
"""Rows that one statement inserts at most: some 2 ms in the text index, after which others get their turn."""

INTO_ENTRIES = f"INSERT INTO entries ({rows.ENTRY_COLUMNS})"
_INTO_RECORDS = f"INSERT INTO records ({rows.RECORD_FIELDS})"
_INTO_DERIVED = (
    "INSERT INTO unembedded",
    "INSERT INTO records_text (rowid, terms)",
    "INSERT INTO record_tags (tag, ref)",
    "INSERT OR IGNORE INTO record_sources",
)
_ANY_SENT_BEFORE = "SELECT 1 FROM entries WHERE caller_id IN (SELECT value FROM json_each(?)) LIMIT 1"
_ANY_KNOWN = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM records WHERE id IN (SELECT value FROM json_each(?)))
    OR EXISTS (SELECT 1 FROM entries WHERE id IN (SELECT value FROM json_each(?)) AND erased)
"""

_RECORDS_OF = "SELECT id, ref, version, kind FROM records WHERE id IN (SELECT value FROM json_each(?))"
_INTO_VECTORS = "INSERT INTO vectors (model, record, record_id, kind, data, crc, revision)"
# The revision of a vector is that of its last change: followers ask for everything behind the one they know.
_VECTOR_ANEW = """
ON CONFLICT (record, model) DO UPDATE SET revision = excluded.revision, data = excluded.data, crc = excluded.crc
"""
_EMBEDDED = "DELETE FROM unembedded WHERE ref IN (SELECT value FROM json_each(?))"
_REVISE_VECTORS = "UPDATE counters SET value = value + ? WHERE name = 'vector_revision' RETURNING value"
_INSERT_MODEL = "INSERT INTO models (name, dimension) VALUES (?, ?) RETURNING ref, dimension"


def append_together(connection: apsw.Connection, entries: Sequence[Entry]) -> Iterator[int]:
    """Append entries and return their places; none where each has to be looked at, and nothing is appended."""
    sent = [entry.caller_id for entry in entries if entry.caller_id is not None]
    if len(entries) < 2 or len(set(sent)) < len(sent) or any(entry.seq for entry in entries):
        return iter(())
    if sent and connection.execute(_ANY_SENT_BEFORE, (rows.dump(sent),)).get:
        return iter(())
    try:
        last = _insert(connection, INTO_ENTRIES, [(None, *rows.entry_row(entry)) for entry in entries])
    except apsw.ConstraintError as error:
        raise DuplicateEntry("one of the entries already exists") from error
    return iter(range(last - len(entries) + 1, last + 1))


def are_new(connection: apsw.Connection, changes: Sequence[PutRecord]) -> bool:
    """Tell whether several records may be inserted without a look at each: none is known, none of an erased text."""
    ids = {change.record.id for change in changes}
    if not 1 < len(ids) == len(changes) or any(change.expects for change in changes):
        return False
    sources = {source.entry_id for change in changes for source in change.record.sources}
    return connection.execute(_ANY_KNOWN, (rows.dump([*ids]), rows.dump([*sources]))).get is None


def insert_records(connection: apsw.Connection, changes: Sequence[PutRecord]) -> None:
    """Write new records and what they are found by."""
    last = _insert(connection, _INTO_RECORDS, [rows.record_row(change.record) for change in changes])
    derived: dict[str, list[rows.Row]] = {into: [] for into in _INTO_DERIVED}
    unembedded, texts, tags, sources = derived.values()
    for ref, change in enumerate(changes, start=last - len(changes) + 1):
        record = change.record
        if change.embeds:
            unembedded.append((ref,))
        if record.status is not Status.FORGOTTEN:
            texts.append((ref, change.terms))
        tags += ((tag, ref) for tag in record.index_tags)
        sources += ((source.entry_id, record.id) for source in record.sources)
    for into, found in derived.items():
        _insert(connection, into, found)


def note_sources(connection: apsw.Connection, record_id: str, entry_ids: Iterable[str]) -> None:
    """Note which entries a record, or a tombstone of it, came from: erasure follows that."""
    for entry_id in entry_ids:
        connection.execute("INSERT OR IGNORE INTO record_sources VALUES (?, ?)", (entry_id, record_id))


def put_vectors(connection: apsw.Connection, changes: Sequence[PutVector]) -> None:
    """Keep vectors under new revisions, but for records that have moved on since they were read.

    Embedding takes long, and the text may be another by now; that is no fault of the job, and passed over. One model
    has one dimension, or no index could hold its vectors.
    """
    found = connection.execute(_RECORDS_OF, (rows.dump([change.record_id for change in changes]),))
    known = {record_id: (ref, version, kind) for record_id, ref, version, kind in found}
    kept: list[rows.Row] = []
    models: dict[tuple[str, int], int] = {}
    for change in changes:
        ref, version, kind = known.get(change.record_id, (None, None, None))
        if change.expects is not None and version != change.expects:
            continue
        if ref is None:
            raise NotFound(f"there is no record {change.record_id} here")
        of_model = change.model, len(rows.vector_of(change.values))
        if of_model not in models:
            models[of_model] = _model(connection, *of_model)
        kept.append((models[of_model], ref, change.record_id, kind, change.values, crc32(change.values)))
    if kept:
        last = next_revision(connection, many=len(kept))
        numbered = [(*row, revision) for revision, row in enumerate(kept, start=last - len(kept) + 1)]
        _insert(connection, _INTO_VECTORS, numbered, then=_VECTOR_ANEW)
        connection.execute(_EMBEDDED, (rows.dump([row[1] for row in kept]),))


def next_revision(connection: apsw.Connection, *, many: int = 1) -> int:
    """Return the last of so many new numbers of changes to vectors: an index knows by them what it has not read yet."""
    revision: int = connection.execute(_REVISE_VECTORS, (many,)).get
    return revision


def _model(connection: apsw.Connection, name: str, dimension: int) -> int:
    """Return the number of a model, a new one for its first vector; refuse a vector of another size than its others."""
    known = connection.execute("SELECT ref, dimension FROM models WHERE name = ?", (name,)).get
    if known is None:
        known = connection.execute(_INSERT_MODEL, (name, dimension)).get
    ref: int = known[0]
    if known[1] != dimension:
        raise InvalidInput(f"vectors of {name} have {known[1]} dimensions here, not {dimension}")
    return ref


def _insert(connection: apsw.Connection, into: str, values: Sequence[rows.Row], *, then: str = "") -> int:
    """Insert rows in order and return the number of the last; where the engine counts, they have those before it."""
    start = 0
    while start < len(values):
        # Powers of two, so that there are few statements to prepare and each is prepared once.
        many = min(ROWS_AT_ONCE, 1 << (len(values) - start).bit_length() - 1)
        page = values[start : start + many]
        connection.execute(_insertion(into, many, len(page[0])) + then, [*chain.from_iterable(page)])
        start += many
    return connection.last_insert_rowid()


@lru_cache
def _insertion(into: str, many: int, width: int) -> str:
    row = f"({', '.join('?' * width)})"
    return f"{into} VALUES {', '.join([row] * many)}"

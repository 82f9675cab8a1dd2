"""The schema, as numbered steps from nothing; a step is never edited once released.

The tables of one agent's file:

- `entries`: the journal. `seq` is never used twice, so that a place cited once means the same entry for ever; an erased
  entry stays as a stub.
- `records`, `versions`: what is known now, and every state it had before. Columns hold what is filtered or sorted by,
  `body` the rest. `records_text` and `versions_text` are their full-text indexes.
- `record_tags`, `record_sources`, `conflict_records`, `unembedded`: derived from bodies, to be found by; a repair makes
  them anew. `record_sources` remembers the entries of every version there ever was, because erasure follows it.
- `entry_metadata`: derived from the metadata and tags of entries by triggers, to be found by.
- `links`, `conflicts`, `tombstones`: the graph, contradictions, and what is left of forgotten records.
- `models`, `vectors`, `vector_removals`: vectors by embedding model, each with the revision it came with. Removals are
  remembered for indexes that lag behind, down to the counter `vector_floor`.
- `jobs`: the queue; `seq` is the order, and a job moves to the tail by getting a new one.
- `states`: small named values of disciplines. `counters`: revisions and the like, which are no memory.

`AUTOINCREMENT` wherever a number must not come again after its row is gone. `WITHOUT ROWID` for tables that are only
ever found by their key. Moments are milliseconds since 1970 in UTC.
"""

from typing import LiteralString

APPLICATION_ID = 0x52454D41  # "REMA" in the file header, so that no other SQLite file is taken for ours

# Page checksums miss one thing: a page of zeros passes. A zeroed tree page is noticed, a zeroed overflow page of a long
# text is not; so what can be long has a checksum of its own (crc), and full-text leaves (pgsz) stay within a page.
GROUND: LiteralString = """
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
-- Revisions start anywhere, so that an index file which outlived its database is not taken for one of this.
INSERT INTO counters VALUES ('vector_revision', abs(random() % 1000000000000));
INSERT INTO counters SELECT 'vector_floor', value FROM counters;

CREATE TABLE states (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    caller_id TEXT,
    session TEXT,
    task TEXT,
    kind TEXT NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    metadata TEXT,
    attachments TEXT,
    origin TEXT NOT NULL,
    erased INTEGER NOT NULL DEFAULT 0,
    crc INTEGER NOT NULL
);
CREATE UNIQUE INDEX entries_by_caller ON entries (caller_id, ifnull(session, '')) WHERE caller_id IS NOT NULL;
CREATE INDEX entries_by_session ON entries (session) WHERE session IS NOT NULL;
CREATE INDEX entries_by_time ON entries (occurred_at);

CREATE TABLE records (
    ref INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    session TEXT,
    task TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    expires_at INTEGER,
    version INTEGER NOT NULL,
    access_count INTEGER NOT NULL,
    scan_count INTEGER NOT NULL,
    body TEXT NOT NULL,
    crc INTEGER NOT NULL
);
CREATE INDEX records_by_time ON records (occurred_at);
CREATE INDEX records_by_kind ON records (kind, scan_count);
CREATE INDEX records_by_session ON records (session) WHERE session IS NOT NULL;
CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;
CREATE VIRTUAL TABLE records_text USING fts5 (terms, tokenize = 'unicode61 remove_diacritics 0');
INSERT INTO records_text (records_text, rank) VALUES ('secure-delete', 1), ('pgsz', 3800);

CREATE TABLE versions (
    ref INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    session TEXT,
    task TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    expires_at INTEGER,
    version INTEGER NOT NULL,
    access_count INTEGER NOT NULL,
    scan_count INTEGER NOT NULL,
    body TEXT NOT NULL,
    crc INTEGER NOT NULL,
    superseded_at INTEGER NOT NULL,
    UNIQUE (id, version)
);
CREATE VIRTUAL TABLE versions_text USING fts5 (terms, tokenize = 'unicode61 remove_diacritics 0');
INSERT INTO versions_text (versions_text, rank) VALUES ('secure-delete', 1), ('pgsz', 3800);

-- Records whose content has no vector yet.
CREATE TABLE unembedded (ref INTEGER PRIMARY KEY);

CREATE TABLE record_tags (tag TEXT NOT NULL, ref INTEGER NOT NULL, PRIMARY KEY (tag, ref)) WITHOUT ROWID;
CREATE INDEX record_tags_by_ref ON record_tags (ref);

-- Every entry that any version of a record came from: what erasure follows.
CREATE TABLE record_sources (
    entry_id TEXT NOT NULL, record_id TEXT NOT NULL, PRIMARY KEY (entry_id, record_id)
) WITHOUT ROWID;
CREATE INDEX record_sources_by_record ON record_sources (record_id);

CREATE TABLE tombstones (record_id TEXT PRIMARY KEY, session TEXT, task TEXT, body TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE links (
    from_id TEXT NOT NULL,
    to_id TEXT NOT NULL,
    relation TEXT NOT NULL,
    strength REAL NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (from_id, to_id, relation)
) WITHOUT ROWID;
CREATE INDEX links_by_target ON links (to_id);

CREATE TABLE conflicts (
    ref INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session TEXT,
    task TEXT,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE conflict_records (
    record_id TEXT NOT NULL, conflict_id TEXT NOT NULL, PRIMARY KEY (record_id, conflict_id)
) WITHOUT ROWID;

CREATE TABLE models (ref INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
CREATE TABLE vectors (
    ref INTEGER PRIMARY KEY,
    model INTEGER NOT NULL,
    record INTEGER NOT NULL,
    record_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    revision INTEGER NOT NULL,
    data BLOB NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (record, model)
);
CREATE INDEX vectors_by_revision ON vectors (model, revision);
CREATE TABLE vector_removals (
    revision INTEGER NOT NULL, model INTEGER NOT NULL, record_id TEXT NOT NULL,
    PRIMARY KEY (model, revision, record_id)
) WITHOUT ROWID;

CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session TEXT,
    task TEXT,
    kind TEXT NOT NULL,
    lane TEXT NOT NULL,
    key TEXT,
    payload TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    enqueued_at INTEGER NOT NULL,
    not_before INTEGER,
    worker TEXT,
    fence INTEGER NOT NULL,
    lease_until INTEGER,
    error TEXT NOT NULL
);
CREATE INDEX jobs_by_lane ON jobs (lane, seq) WHERE state != 'dead';
CREATE UNIQUE INDEX jobs_by_key ON jobs (lane, key) WHERE state = 'pending' AND key IS NOT NULL;
"""

# What entries are found by: their metadata, the elements of lists each, and their tags under a key that no caller can
# use. Triggers keep it, so that whatever writes, erases, rewrites or repairs entries need not know of it. Truth values
# are blobs, because SQLite knows only numbers; longer texts than are ever compared are left out.
METADATA: LiteralString = """
CREATE TABLE entry_metadata (
    key TEXT NOT NULL, value BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (key, value, seq)
) WITHOUT ROWID;
CREATE INDEX entry_metadata_by_entry ON entry_metadata (seq, key, value);

CREATE VIEW metadata_values AS
SELECT seq, key, CASE type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE atom END AS value FROM (
    SELECT e.seq, k.key, k.atom, k.type
    FROM entries e, json_each(CASE WHEN json_valid(e.metadata) THEN e.metadata END) k
    UNION ALL
    SELECT e.seq, k.key, v.atom, v.type
    FROM entries e, json_each(CASE WHEN json_valid(e.metadata) THEN e.metadata END) k, json_each(k.value) v
    WHERE k.type = 'array'
) WHERE type NOT IN ('null', 'array', 'object') AND (type != 'text' OR length(atom) <= 1000);

CREATE TRIGGER entry_metadata_added AFTER INSERT ON entries WHEN new.metadata IS NOT NULL BEGIN
    INSERT OR IGNORE INTO entry_metadata SELECT key, value, seq FROM metadata_values WHERE seq = new.seq;
END;
CREATE TRIGGER entry_metadata_changed AFTER UPDATE OF metadata ON entries WHEN old.metadata IS NOT NULL BEGIN
    DELETE FROM entry_metadata WHERE seq = old.seq;
    INSERT OR IGNORE INTO entry_metadata SELECT key, value, seq FROM metadata_values WHERE seq = new.seq;
END;
CREATE TRIGGER entry_metadata_removed AFTER DELETE ON entries WHEN old.metadata IS NOT NULL BEGIN
    DELETE FROM entry_metadata WHERE seq = old.seq;
END;
INSERT OR IGNORE INTO entry_metadata SELECT key, value, seq FROM metadata_values;
"""

# A caller's id names one message of one user in a session; whose it is stands in metadata, which erasure takes away, so
# that whoever appends looks, and no index can hold it.
CALLERS: LiteralString = """
DROP INDEX entries_by_caller;
CREATE INDEX entries_by_caller ON entries (caller_id, ifnull(session, '')) WHERE caller_id IS NOT NULL;
"""

# What is told whatever the words of a question is found by marks beside the tags of records (`model/kinds.py`).
MARKS: LiteralString = """
WITH reasons AS (SELECT 'pinned' AS why UNION ALL SELECT 'instruction' UNION ALL SELECT 'preference'), standing AS (
    SELECT ref, ifnull(json_extract(body, '$.data.user'), '') AS user, char(31) || why AS mark FROM records, reasons
    WHERE kind NOT IN ('turn', 'chunk', 'section', 'document', 'note') AND CASE why
        WHEN 'pinned' THEN json_extract(body, '$.data.pinned')
        WHEN 'instruction' THEN kind = 'instruction'
        ELSE kind = 'preference' OR json_extract(body, '$.data.category') = 'user_preference' END
)
INSERT OR IGNORE INTO record_tags
SELECT mark, ref FROM standing UNION ALL SELECT mark || char(31) || user, ref FROM standing;
"""

MIGRATIONS: tuple[LiteralString, ...] = (GROUND, METADATA, CALLERS, MARKS)
"""Step n (counted from 1) takes a database from schema n-1 to schema n."""

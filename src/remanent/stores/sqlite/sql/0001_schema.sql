-- Page checksums miss one thing: a page of zeros passes. A zeroed tree page is noticed, a zeroed overflow page of a long
-- text is not; so what can be long has a checksum of its own (crc), and full-text leaves (pgsz) stay within a page.
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
-- Revisions start anywhere, so that an index which outlived its database is not taken for one of this.
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

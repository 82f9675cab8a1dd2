-- What entries are found by: their metadata, the elements of lists each, and their tags under a key that no caller can
-- use. Triggers keep it, so that whatever writes, erases, rewrites or repairs entries need not know of it. Truth values
-- are blobs, because SQLite knows only numbers; longer texts than are ever compared are left out.
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

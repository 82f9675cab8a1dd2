"""The schema, as numbered steps from nothing (`sql/`); a step is never edited once released.

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

from pathlib import Path

APPLICATION_ID = 0x52454D41  # "REMA" in the file header, so that no other SQLite file is taken for ours

MIGRATIONS = tuple(
    step.read_text(encoding="utf-8") for step in sorted(Path(__file__).with_name("sql").glob("[0-9]*.sql"))
)
"""Step n (counted from 1) takes a database from schema n-1 to schema n."""

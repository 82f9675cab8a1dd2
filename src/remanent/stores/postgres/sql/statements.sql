-- Fixed statements by name, each with a line on what it is for. Those that depend on a filter are put together in
-- reads.py; what a commit does is in functions.sql.

-- agent: the number of an agent by its names
SELECT id FROM agents WHERE org = %s AND workspace = %s AND agent = %s
-- make_agent: a new agent, unless another process was faster
INSERT INTO agents (org, workspace, agent) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING
-- agents: every agent, in a stable order
SELECT org, workspace, agent FROM agents ORDER BY org, workspace, agent
-- latest_agents: the agents that were written to last
SELECT org, workspace, agent FROM agents ORDER BY written_at DESC, id DESC LIMIT %s
-- load: one batch of an import, keeping places and versions
SELECT apply_unit(%s, %s::jsonb, %b::vector[], true)
-- claim_any: jobs to work on, behind them when the next is due
SELECT org, workspace, name, wake, (job).* FROM claim_any(%s::bigint[], %s, %s, %s, %s, %s)
-- renew: a longer lease for whoever still holds it
UPDATE jobs SET lease_until = coalesce(%s, database_time()) + %s
WHERE agent = %s AND id = %s AND fence = %s AND state = 'running'
-- vector_indexes: which models of large agents have an index of their own
SELECT agent, name, model, dimension FROM vector_indexes
-- counts: how much an agent has, for a check
SELECT (SELECT count(*) FROM entries WHERE agent = %(agent)s), (SELECT count(*) FROM records WHERE agent = %(agent)s),
       (SELECT count(*) FROM vectors WHERE agent = %(agent)s),
       (SELECT coalesce(sum(length(text)), 0) FROM entries WHERE agent = %(agent)s)
       + (SELECT coalesce(sum(length(body)), 0) FROM records WHERE agent = %(agent)s),
       'PostgreSQL ' || current_setting('server_version')
-- disagree: what must agree among an agent's rows and does not
SELECT 'the number of indexed texts is wrong' FROM agents a WHERE id = %(agent)s
    AND documents <> (SELECT count(*) FROM records WHERE agent = %(agent)s AND terms IS NOT NULL)
UNION ALL SELECT 'vectors without a record' WHERE EXISTS (
    SELECT 1 FROM vectors v LEFT JOIN records r ON r.agent = v.agent AND r.ref = v.ref
    WHERE v.agent = %(agent)s AND r.ref IS NULL)
UNION ALL SELECT 'terms of no record' WHERE EXISTS (
    SELECT 1 FROM postings p LEFT JOIN records r ON r.agent = p.agent AND r.ref = p.ref
    WHERE p.agent = %(agent)s AND NOT p.past AND r.ref IS NULL)

-- erasures: a number that is another one after every erasure
SELECT revision FROM graphs WHERE agent = %(agent)s AND kind = '.erased'
-- count_erasure: tell those who hold a snapshot; a row of graphs, which outlives the erasure of everything
INSERT INTO graphs (agent, kind) VALUES (%(agent)s, '.erased')
ON CONFLICT (agent, kind) DO UPDATE SET revision = graphs.revision + 1 RETURNING revision

-- has_later_entries: whether something was said after an erasure was asked for
SELECT 1 FROM entries WHERE agent = %(agent)s AND seq > %(end)s LIMIT 1
-- erased_entries: the entries that an erasure means
SELECT id FROM entries WHERE agent = %(agent)s AND (id = ANY (%(entries)s)
    OR ((%(everything)s OR session = %(session)s) AND seq <= %(end)s))
UNION SELECT entry_id FROM record_sources WHERE agent = %(agent)s AND record_id = ANY (%(records)s)
-- erased_records: the records that an erasure means, and every one of which any version came from an erased entry
SELECT id FROM records r WHERE agent = %(agent)s AND (%(everything)s OR session = %(session)s) AND NOT EXISTS (
    SELECT 1 FROM record_sources s JOIN entries e ON e.agent = s.agent AND e.id = s.entry_id
    WHERE s.agent = %(agent)s AND s.record_id = r.id AND e.seq > %(end)s)
UNION SELECT id FROM records WHERE agent = %(agent)s AND id = ANY (%(records)s)
UNION SELECT record_id FROM tombstones WHERE agent = %(agent)s AND record_id = ANY (%(records)s)
UNION SELECT record_id FROM record_sources WHERE agent = %(agent)s AND entry_id = ANY (%(all)s)
-- replies: what follows erased entries at once, within 512 places (chosen by hand), and is found by words of theirs, too
WITH replies AS (SELECT later.id FROM entries said CROSS JOIN LATERAL (
    SELECT o.id FROM entries o WHERE o.agent = said.agent AND o.seq BETWEEN said.seq + 1 AND said.seq + 512
        AND o.session IS NOT DISTINCT FROM said.session AND o.text <> '' ORDER BY o.seq LIMIT 1
) later WHERE said.agent = %(agent)s AND said.id = ANY (%(entries)s) AND later.id <> ALL (%(records)s))
SELECT jsonb_build_object('past', false, 'ref', ref), terms, session, task, access_count, scan_count, crc, body
FROM records WHERE agent = %(agent)s AND id IN (SELECT id FROM replies) AND terms IS NOT NULL
UNION ALL SELECT jsonb_build_object('past', true, 'ref', ref), terms, session, task, access_count, scan_count, crc, body
FROM versions WHERE agent = %(agent)s AND id IN (SELECT id FROM replies) AND terms IS NOT NULL
-- attachments: the files that entries name, and whether the entry goes
SELECT id = ANY (%(entries)s), attachments FROM entries WHERE agent = %(agent)s AND attachments IS NOT NULL
-- sent_marks: the entries that still have their words, and by what messages that wait to be stored are known as erased ones, as `sent_mark` of `stores.store` gives it
SELECT id, erased_mark(caller_id, metadata) || ':' || coalesce(session, '') FROM entries
WHERE agent = %(agent)s AND id = ANY (%(entries)s) AND erased = 0 ORDER BY id
-- state: one named value
SELECT value FROM states WHERE agent = %(agent)s AND key = %(key)s
-- apply_unit: one unit of work inside a transaction of ours
SELECT apply_unit(%(agent)s, %(changes)s::jsonb, '{}', false)

-- shelf_read: a document
SELECT content FROM shelf WHERE name = %s
-- shelf_write: a document in the place of the one before
INSERT INTO shelf (name, content) VALUES (%s, %s)
ON CONFLICT (name) DO UPDATE SET content = excluded.content, state = nextval('shelf_states')
-- shelf_remove: a document that is no longer wanted
DELETE FROM shelf WHERE name = %s
-- shelf_state: a number that is another one after every write
SELECT state FROM shelf WHERE name = %s
-- shelf_names: the documents of a folder, those written longest ago first
SELECT name FROM shelf WHERE name ~ %s ORDER BY state
-- shelf_documents: the same with what they hold
SELECT name, content FROM shelf WHERE name ~ %s ORDER BY state
-- shelf_logs: the logs of a folder, and what was set aside from them
SELECT DISTINCT log FROM log_lines WHERE log > %(begins)s AND log < %(ends)s
UNION SELECT name FROM shelf WHERE name > %(begins)s AND name < %(ends)s AND name LIKE %(aside)s ORDER BY 1
-- shelf_patience: how long a transaction waits for a lock
SELECT set_config('lock_timeout', %s, true)
-- shelf_lock: a lock until the transaction ends
SELECT pg_advisory_xact_lock(%s)
-- shelf_lock_shared: the same beside others that share it
SELECT pg_advisory_xact_lock_shared(%s)
-- shelf_try_lock: whether nobody holds a lock
SELECT pg_try_advisory_xact_lock(%s)
-- shelf_hold: a lock until the connection ends
SELECT pg_advisory_lock(%s)
-- shelf_release: such a lock let go
SELECT pg_advisory_unlock_all()
-- log_lines: the next lines of a log
SELECT place, line FROM log_lines WHERE log = %s AND place > %s ORDER BY place LIMIT 1000
-- log_state: the place of the last line, and what tells it from another
SELECT place, state FROM log_lines WHERE log = %s ORDER BY place DESC LIMIT 1
-- log_end: the place of the last line, 0 where there is none
SELECT coalesce(max(place), 0) FROM log_lines WHERE log = %s
-- log_last: the last lines of a log, newest first
SELECT line, place FROM log_lines WHERE log = %s ORDER BY place DESC LIMIT %s
-- log_behind: the lines behind a place
SELECT line FROM log_lines WHERE log = %s AND place > %s ORDER BY place
-- log_cut: a log ends at a place
DELETE FROM log_lines WHERE log = %s AND place > %s
-- log_put: lines behind a place
INSERT INTO log_lines (log, place, line) SELECT %s, %s + n, line
FROM unnest(%s::bytea[]) WITH ORDINALITY AS given (line, n)

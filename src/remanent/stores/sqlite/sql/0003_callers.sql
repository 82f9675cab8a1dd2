-- A caller's id names one message of one user in a session; whose it is stands in metadata, which erasure takes away, so
-- that whoever appends looks, and no index can hold it.
DROP INDEX entries_by_caller;
CREATE INDEX entries_by_caller ON entries (caller_id, ifnull(session, '')) WHERE caller_id IS NOT NULL;

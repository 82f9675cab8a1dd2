-- What belongs to no agent: documents by name (keys, runs, turns that wait, notes of models) and logs of lines (audit).
-- Second step. Seen only by a session that says it looks for these: a statement about an agent's memory never does.

CREATE SEQUENCE shelf_states;
CREATE TABLE shelf (
    name text COLLATE "C" PRIMARY KEY,
    content bytea NOT NULL,
    -- Another number after every write: what was kept of a document is compared with it.
    state bigint NOT NULL DEFAULT nextval('shelf_states')
);

CREATE TABLE log_lines (
    log text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    line bytea NOT NULL,
    state bigint NOT NULL DEFAULT nextval('shelf_states'),
    PRIMARY KEY (log, place)
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['shelf', 'log_lines'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY shelf ON %I USING (current_setting(''remanent.shelf'', true) = ''on'')', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO remanent_app', name);
    END LOOP;
END $$;
GRANT USAGE ON SEQUENCE shelf_states TO remanent_app;

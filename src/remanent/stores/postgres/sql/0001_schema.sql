-- The tables, first step. A released step is never edited; what comes later is a file of its own.
--
-- One row of `agents` is what an agent's counters are kept in, and the lock that its writers take: places of the
-- journal, of records and of jobs rise in the order of commits. Every other table begins with `agent`, and row-level
-- security lets a transaction see the one agent it has named, and none when it has named none.
--
-- Ordered text has COLLATE "C": the order of a locale differs between machines and breaks indexes when a library is
-- updated. Moments are milliseconds since 1970 in UTC. JSON is kept as text: jsonb refuses U+0000 and keeps no order.

CREATE TABLE agents (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org text COLLATE "C" NOT NULL,
    workspace text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    last_seq bigint NOT NULL DEFAULT 0,
    last_ref bigint NOT NULL DEFAULT 0,
    last_job bigint NOT NULL DEFAULT 0,
    last_model integer NOT NULL DEFAULT 0,
    -- Revisions start anywhere, so that what was kept from an agent that was replaced is not taken for this one's.
    revision bigint NOT NULL DEFAULT (random() * 1e12)::bigint,
    vector_revision bigint NOT NULL DEFAULT (random() * 1e12)::bigint,
    vector_floor bigint NOT NULL DEFAULT 0,
    documents bigint NOT NULL DEFAULT 0,
    document_terms bigint NOT NULL DEFAULT 0,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (org, workspace, agent)
) WITH (fillfactor = 50);

CREATE TABLE entries (
    agent bigint NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    caller_id text COLLATE "C",
    session text COLLATE "C",
    task text COLLATE "C",
    kind text NOT NULL,
    role text NOT NULL,
    text text NOT NULL,
    occurred_at bigint NOT NULL,
    recorded_at bigint NOT NULL,
    metadata text,
    attachments text,
    origin text NOT NULL,
    erased integer NOT NULL DEFAULT 0,
    crc bigint NOT NULL,
    PRIMARY KEY (agent, seq),
    CONSTRAINT entries_by_id UNIQUE (agent, id)
);
CREATE INDEX entries_by_caller ON entries USING hash (caller_id) WHERE caller_id IS NOT NULL;
CREATE INDEX entries_by_session ON entries (agent, session, seq);
CREATE INDEX entries_by_time ON entries (agent, occurred_at);

-- Columns hold what is filtered or sorted by, `body` the rest.
CREATE TABLE records (
    agent bigint NOT NULL,
    ref bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    status text NOT NULL,
    session text COLLATE "C",
    task text COLLATE "C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    occurred_at bigint NOT NULL,
    valid_from bigint,
    valid_to bigint,
    expires_at bigint,
    version bigint NOT NULL,
    access_count bigint NOT NULL,
    scan_count bigint NOT NULL,
    trust text NOT NULL,
    tags text[] NOT NULL,
    -- Tells whether a new version says the same, which then keeps its vectors.
    content_hash text NOT NULL,
    -- What it is found by, joined by spaces; NULL while it is forgotten.
    terms text,
    embedded boolean NOT NULL DEFAULT false,
    body text NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (agent, ref),
    CONSTRAINT records_by_id UNIQUE (agent, id)
) WITH (fillfactor = 90);
CREATE INDEX records_by_time ON records (agent, occurred_at);
CREATE INDEX records_by_kind ON records (agent, kind, scan_count);
CREATE INDEX records_by_session ON records (agent, session, ref) WHERE session IS NOT NULL;
CREATE INDEX records_unembedded ON records (agent, ref) WHERE NOT embedded AND status <> 'forgotten';

CREATE TABLE versions (
    LIKE records,
    superseded_at bigint NOT NULL,
    PRIMARY KEY (agent, ref),
    CONSTRAINT versions_by_id UNIQUE (agent, id, version)
);

-- Full text: one row per term of a record, with how often it holds the term and how many terms it has.
CREATE TABLE postings (
    agent bigint NOT NULL,
    -- Of a version that was superseded; those are searched only when somebody asks how things once stood.
    past boolean NOT NULL,
    term text COLLATE "C" NOT NULL,
    ref bigint NOT NULL,
    tf integer NOT NULL,
    len integer NOT NULL
);
CREATE UNIQUE INDEX postings_by_term ON postings (agent, past, term, ref) INCLUDE (tf, len);

CREATE TABLE record_tags (
    agent bigint NOT NULL, tag text COLLATE "C" NOT NULL, ref bigint NOT NULL, PRIMARY KEY (agent, tag, ref)
);
CREATE INDEX record_tags_by_ref ON record_tags (agent, ref);

-- Every entry that any version of a record came from: what erasure follows.
CREATE TABLE record_sources (
    agent bigint NOT NULL, entry_id text COLLATE "C" NOT NULL, record_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, entry_id, record_id)
);
CREATE INDEX record_sources_by_record ON record_sources (agent, record_id);

CREATE TABLE tombstones (
    agent bigint NOT NULL, record_id text COLLATE "C" NOT NULL, session text COLLATE "C", task text COLLATE "C",
    body text NOT NULL, PRIMARY KEY (agent, record_id)
);

CREATE TABLE links (
    agent bigint NOT NULL,
    from_id text COLLATE "C" NOT NULL,
    to_id text COLLATE "C" NOT NULL,
    relation text COLLATE "C" NOT NULL,
    strength double precision NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (agent, from_id, to_id, relation)
);
CREATE INDEX links_by_target ON links (agent, to_id);

CREATE TABLE graphs (
    agent bigint NOT NULL, kind text COLLATE "C" NOT NULL,
    revision bigint NOT NULL DEFAULT 1 + (random() * 1e12)::bigint, PRIMARY KEY (agent, kind)
);

CREATE TABLE conflicts (
    agent bigint NOT NULL,
    ref bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    session text COLLATE "C",
    task text COLLATE "C",
    state text NOT NULL,
    version bigint NOT NULL,
    record_ids text[] NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (agent, ref),
    CONSTRAINT conflicts_by_id UNIQUE (agent, id)
);

CREATE TABLE models (
    agent bigint NOT NULL, id integer NOT NULL, name text COLLATE "C" NOT NULL, dimension integer NOT NULL,
    PRIMARY KEY (agent, id), CONSTRAINT models_by_name UNIQUE (agent, name)
);

-- `vector` is four bytes a number and gives back what was put, bit by bit. Kept beside the row up to a page, because
-- an exact search reads every one.
CREATE TABLE vectors (
    agent bigint NOT NULL, model integer NOT NULL, ref bigint NOT NULL, revision bigint NOT NULL,
    data vector NOT NULL, PRIMARY KEY (agent, model, ref)
) WITH (toast_tuple_target = 8160);
CREATE INDEX vectors_by_revision ON vectors (agent, model, revision);
CREATE INDEX vectors_by_record ON vectors (agent, ref);
CREATE TABLE vector_removals (
    agent bigint NOT NULL, model integer NOT NULL, revision bigint NOT NULL, record_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, model, revision, record_id)
);

-- Which models of large agents have an index of their own, made by a migration; the number of a model never comes again.
CREATE TABLE vector_indexes (
    agent bigint NOT NULL, model integer NOT NULL, name text COLLATE "C" NOT NULL, dimension integer NOT NULL,
    PRIMARY KEY (agent, model)
);
GRANT SELECT ON vector_indexes TO remanent_app;

CREATE TABLE states (
    agent bigint NOT NULL, key text COLLATE "C" NOT NULL, value text NOT NULL, PRIMARY KEY (agent, key)
);

CREATE TABLE jobs (
    agent bigint NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    session text COLLATE "C",
    task text COLLATE "C",
    kind text NOT NULL,
    lane text COLLATE "C" NOT NULL,
    key text COLLATE "C",
    payload text NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    max_attempts bigint NOT NULL,
    enqueued_at bigint NOT NULL,
    not_before bigint,
    worker text,
    fence bigint NOT NULL,
    lease_until bigint,
    error text NOT NULL,
    PRIMARY KEY (agent, seq),
    CONSTRAINT jobs_by_id UNIQUE (agent, id)
);
CREATE INDEX jobs_by_lane ON jobs (agent, lane, seq) WHERE state <> 'dead';

-- Only what the agent of the transaction owns. The setting is NULL where it was never made and '' after a transaction
-- that made it; both mean no agent at all.
CREATE FUNCTION own_agent() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('remanent.agent', true), '')::bigint;

-- What belongs to no agent: documents by name (keys, runs, turns that wait, notes of models) and logs of lines (audit).
-- Seen only by a session that says it looks for these: a statement about an agent's memory never does.
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
GRANT USAGE ON SEQUENCE shelf_states TO remanent_app;

-- Tables with a column `agent` are an agent's own, but for the lists that all may see.
DO $$
DECLARE
    name text;
    policy text;
BEGIN
    FOR name, policy IN SELECT c.relname, CASE
            WHEN c.relname IN ('shelf', 'log_lines')
                THEN 'shelf ON %I USING (current_setting(''remanent.shelf'', true) = ''on'')'
            ELSE 'own ON %I USING (agent = (SELECT own_agent()))' END
            FROM pg_class c WHERE c.relnamespace = 'remanent'::regnamespace AND c.relkind = 'r'
                AND c.relname NOT IN ('agents', 'vector_indexes', 'migrations') LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY ' || policy, name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO remanent_app', name);
    END LOOP;
END $$;

-- Names and counters of agents are seen by all, since a server lists and serves them; changed by their own only.
ALTER TABLE agents ENABLE ROW LEVEL SECURITY;
ALTER TABLE agents FORCE ROW LEVEL SECURITY;
CREATE POLICY seen ON agents FOR SELECT USING (true);
CREATE POLICY made ON agents FOR INSERT WITH CHECK (true);
CREATE POLICY changed ON agents FOR UPDATE USING (id = (SELECT own_agent()));
GRANT SELECT, INSERT, UPDATE ON agents TO remanent_app;

-- Whoever looks for work sees the jobs of all agents; the function that claims says so for its own transaction.
CREATE POLICY worker ON jobs USING (current_setting('remanent.worker', true) = 'on');
CREATE POLICY worker ON agents FOR UPDATE USING (current_setting('remanent.worker', true) = 'on');

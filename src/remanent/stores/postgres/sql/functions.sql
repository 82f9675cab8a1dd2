-- Writing: one call per group of units of work. Made anew by every migration, so that they always fit the program.
--
-- A refusal is an error with a code of ours (RM...), which the adapter turns into the error of the port. Changes come as
-- one JSON array per unit, in order; vectors come beside it, since JSON would make them four times as long.

-- Take what a record is found by out of the index of what is current; returns its number of terms, NULL if none.
CREATE OR REPLACE FUNCTION unindex(a bigint, r bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    words text[];
BEGIN
    SELECT string_to_array(terms, ' ') INTO words FROM records WHERE agent = a AND ref = r;
    IF words IS NULL THEN
        RETURN NULL;
    END IF;
    DELETE FROM postings WHERE agent = a AND term = ANY (words) AND ref = r;
    RETURN cardinality(words);
END $$;

CREATE OR REPLACE FUNCTION index_terms(a bigint, r bigint, terms text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    words text[] := string_to_array(terms, ' ');
BEGIN
    INSERT INTO postings (agent, term, ref, tf, len)
        SELECT a, w, r, count(*), cardinality(words) FROM unnest(words) w WHERE w <> '' GROUP BY w;
    RETURN cardinality(words);
END $$;

CREATE OR REPLACE FUNCTION index_past_terms(a bigint, r bigint, terms text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO past_postings (agent, term, ref, tf, len)
        SELECT a, w, r, count(*), cardinality(string_to_array(terms, ' '))
        FROM unnest(string_to_array(terms, ' ')) w WHERE w <> '' GROUP BY w
$$;

-- Remove a record's vectors of all models and note that for whoever follows them; returns the new revision.
CREATE OR REPLACE FUNCTION drop_vectors_of(a bigint, r bigint, record_id text, revision bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    gone integer;
BEGIN
    FOR gone IN DELETE FROM vectors WHERE agent = a AND ref = r RETURNING model LOOP
        revision := revision + 1;
        INSERT INTO vector_removals VALUES (a, gone, revision, record_id);
    END LOOP;
    RETURN revision;
END $$;

-- Remove what there is of a record: its row, or a tombstone or versions that outlived it. Links that lead to it stay.
CREATE OR REPLACE FUNCTION remove_record(INOUT me agents, gone text) LANGUAGE plpgsql AS $$
DECLARE
    a bigint := me.id;
    r bigint;
    words integer;
BEGIN
    SELECT ref INTO r FROM records WHERE agent = a AND id = gone;
    IF r IS NOT NULL THEN
        me.vector_revision := drop_vectors_of(a, r, gone, me.vector_revision);
        words := unindex(a, r);
        IF words IS NOT NULL THEN
            me.documents := me.documents - 1;
            me.document_terms := me.document_terms - words;
        END IF;
        DELETE FROM record_tags WHERE agent = a AND ref = r;
        DELETE FROM records WHERE agent = a AND ref = r;
    END IF;
    DELETE FROM past_postings p USING versions v
        WHERE v.agent = a AND v.id = gone AND p.agent = a AND p.ref = v.ref AND p.term = ANY (string_to_array(v.terms, ' '));
    DELETE FROM versions WHERE agent = a AND id = gone;
    DELETE FROM record_sources WHERE agent = a AND record_id = gone;
    DELETE FROM tombstones WHERE agent = a AND record_id = gone;
    DELETE FROM links WHERE agent = a AND from_id = gone;
END $$;

-- Write the next version of a record and turn the current one into history.
CREATE OR REPLACE FUNCTION put_record(INOUT me agents, c jsonb, loading boolean) LANGUAGE plpgsql AS $$
DECLARE
    a bigint := me.id;
    old records;
    new records := jsonb_populate_record(NULL::records, c);
    words integer;
    erased_source text;
BEGIN
    SELECT * INTO old FROM records WHERE agent = a AND id = new.id;
    IF loading THEN
        IF old.id IS NOT NULL THEN
            RAISE EXCEPTION 'the export holds the same thing twice; nothing was loaded' USING ERRCODE = 'RM004';
        END IF;
    ELSE
        IF coalesce(old.version, 0) <> (c ->> 'expects')::bigint THEN
            RAISE EXCEPTION 'record % is at version %, not %; read it again, then retry',
                new.id, coalesce(old.version, 0), c ->> 'expects' USING ERRCODE = 'RM002';
        END IF;
        SELECT e.id INTO erased_source FROM entries e
            WHERE e.agent = a AND e.id IN (SELECT jsonb_array_elements_text(c -> 'sources')) AND e.erased <> 0 LIMIT 1;
        IF erased_source IS NOT NULL THEN
            RAISE EXCEPTION 'entry % was erased; make record % anew without it', erased_source, new.id
                USING ERRCODE = 'RM002';
        END IF;
    END IF;
    new.agent := a;
    IF old.id IS NULL THEN
        me.last_ref := me.last_ref + 1;
        new.ref := me.last_ref;
        new.embedded := NOT coalesce((c ->> 'embeds')::boolean, true);
        INSERT INTO records SELECT new.*;
    ELSE
        words := unindex(a, old.ref);
        IF words IS NOT NULL THEN
            me.documents := me.documents - 1;
            me.document_terms := me.document_terms - words;
        END IF;
        DELETE FROM record_tags WHERE agent = a AND ref = old.ref;
        new.ref := old.ref;
        new.access_count := old.access_count;
        new.scan_count := old.scan_count;
        new.embedded := old.embedded;
        IF new.status = 'forgotten' OR new.content_hash <> old.content_hash OR new.kind <> old.kind THEN
            me.vector_revision := drop_vectors_of(a, old.ref, old.id, me.vector_revision);
            new.embedded := NOT coalesce((c ->> 'embeds')::boolean, true);
        END IF;
        DELETE FROM records WHERE agent = a AND ref = old.ref;
        INSERT INTO records SELECT new.*;
        me.last_ref := me.last_ref + 1;
        old.ref := me.last_ref;
        INSERT INTO versions SELECT old.*, new.updated_at;
        PERFORM index_past_terms(a, old.ref, old.terms);
    END IF;
    IF new.terms IS NOT NULL THEN
        me.document_terms := me.document_terms + index_terms(a, new.ref, new.terms);
        me.documents := me.documents + 1;
    END IF;
    INSERT INTO record_tags SELECT DISTINCT a, t, new.ref FROM unnest(new.tags) t;
    PERFORM note_sources(a, new.id, c -> 'sources');
END $$;

CREATE OR REPLACE FUNCTION note_sources(a bigint, record_id text, sources jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO record_sources SELECT DISTINCT a, s, $2 FROM jsonb_array_elements_text(sources) s ON CONFLICT DO NOTHING
$$;

CREATE OR REPLACE FUNCTION put_version(INOUT me agents, c jsonb) LANGUAGE plpgsql AS $$
DECLARE
    past versions := jsonb_populate_record(NULL::versions, c);
BEGIN
    me.last_ref := me.last_ref + 1;
    past.agent := me.id;
    past.ref := me.last_ref;
    past.embedded := false;
    INSERT INTO versions SELECT past.*;
    PERFORM index_past_terms(me.id, past.ref, past.terms);
    PERFORM note_sources(me.id, past.id, c -> 'sources');
END $$;

-- What an erased entry keeps of whose it was; the same number as `erased_mark` of `stores.store` gives.
CREATE OR REPLACE FUNCTION erased_mark(caller_id text, metadata text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN caller_id IS NULL THEN 1 ELSE 2 + ('x' || left(encode(sha256(convert_to(
        caller_id || chr(10) || coalesce(metadata::jsonb ->> 'user_id', ''), 'UTF8')), 'hex'), 7))::bit(28)::integer END
$$;

-- Append an entry, or recognise one that was sent before under the same caller's id; `known` is its id then.
CREATE OR REPLACE FUNCTION append_entry(INOUT me agents, c jsonb, OUT entry_id text, OUT place bigint, OUT known boolean)
LANGUAGE plpgsql AS $$
DECLARE
    new entries := jsonb_populate_record(NULL::entries, c);
    old entries;
BEGIN
    known := false;
    IF new.caller_id IS NOT NULL THEN
        -- Ids are the user's own; of what was erased its mark says whose it was, and 1 may be anybody's.
        SELECT * INTO old FROM entries e WHERE e.agent = me.id AND e.caller_id = new.caller_id
            AND e.session IS NOT DISTINCT FROM new.session
            AND (e.erased IN (1, erased_mark(new.caller_id, new.metadata))
                OR (e.erased = 0
                    AND e.metadata::jsonb ->> 'user_id' IS NOT DISTINCT FROM new.metadata::jsonb ->> 'user_id'))
            ORDER BY e.erased LIMIT 1;
        IF old.id IS NOT NULL THEN
            -- What was erased stays erased when it is sent again.
            IF old.erased = 0 AND (old.text, old.role) IS DISTINCT FROM (new.text, new.role) THEN
                RAISE EXCEPTION 'id % names another message of this session; use a new id', quote_literal(new.caller_id)
                    USING ERRCODE = 'RM001';
            END IF;
            entry_id := old.id;
            place := old.seq;
            known := true;
            RETURN;
        END IF;
    END IF;
    new.agent := me.id;
    new.seq := coalesce(nullif(new.seq, 0), me.last_seq + 1);
    INSERT INTO entries SELECT new.*;
    me.last_seq := greatest(me.last_seq, new.seq);
    entry_id := new.id;
    place := new.seq;
EXCEPTION WHEN unique_violation THEN
    RAISE EXCEPTION 'an entry with id % or place % exists already', new.id, new.seq USING ERRCODE = 'RM001';
END $$;

CREATE OR REPLACE FUNCTION put_vector(INOUT me agents, c jsonb, v vector) LANGUAGE plpgsql AS $$
DECLARE
    a bigint := me.id;
    found records;
    known models;
BEGIN
    SELECT * INTO found FROM records WHERE agent = a AND id = c ->> 'record_id';
    IF c ->> 'expects' IS NOT NULL AND found.version IS DISTINCT FROM (c ->> 'expects')::bigint THEN
        RETURN;
    END IF;
    IF found.id IS NULL THEN
        RAISE EXCEPTION 'no record % here', c ->> 'record_id' USING ERRCODE = 'RM003';
    END IF;
    SELECT * INTO known FROM models WHERE agent = a AND name = c ->> 'model';
    IF known.id IS NULL THEN
        me.last_model := me.last_model + 1;
        INSERT INTO models VALUES (a, me.last_model, c ->> 'model', vector_dims(v)) RETURNING * INTO known;
    ELSIF known.dimension <> vector_dims(v) THEN
        RAISE EXCEPTION 'vectors of % have % dimensions here, not %', known.name, known.dimension, vector_dims(v)
            USING ERRCODE = 'RM004';
    END IF;
    me.vector_revision := me.vector_revision + 1;
    INSERT INTO vectors VALUES (a, known.id, found.ref, me.vector_revision, v)
        ON CONFLICT (agent, model, ref) DO UPDATE SET revision = excluded.revision, data = excluded.data;
    UPDATE records SET embedded = true WHERE agent = a AND ref = found.ref AND NOT embedded;
END $$;

-- Remove a model with all its vectors; whoever follows any model's vectors begins anew.
CREATE OR REPLACE FUNCTION drop_model(INOUT me agents, gone text) LANGUAGE plpgsql AS $$
DECLARE
    m integer;
BEGIN
    SELECT id INTO m FROM models WHERE agent = me.id AND name = gone;
    IF m IS NULL THEN
        RETURN;
    END IF;
    DELETE FROM vectors WHERE agent = me.id AND model = m;
    DELETE FROM vector_removals WHERE agent = me.id AND model = m;
    DELETE FROM models WHERE agent = me.id AND id = m;
    UPDATE records r SET embedded = false WHERE agent = me.id AND embedded
        AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.agent = me.id AND v.ref = r.ref);
    me.vector_revision := me.vector_revision + 1;
    me.vector_floor := me.vector_revision;
END $$;

CREATE OR REPLACE FUNCTION put_conflict(INOUT me agents, c jsonb, loading boolean) LANGUAGE plpgsql AS $$
DECLARE
    new conflicts := jsonb_populate_record(NULL::conflicts, c);
    old conflicts;
BEGIN
    SELECT * INTO old FROM conflicts WHERE agent = me.id AND id = new.id;
    IF coalesce(old.version, 0) <> (CASE WHEN loading THEN 0 ELSE (c ->> 'expects')::bigint END) THEN
        RAISE EXCEPTION 'conflict % is at version %, not %; read it again, then retry',
            new.id, coalesce(old.version, 0), c ->> 'expects' USING ERRCODE = 'RM002';
    END IF;
    new.agent := me.id;
    IF old.ref IS NULL THEN
        me.last_ref := me.last_ref + 1;
        new.ref := me.last_ref;
    ELSE
        new.ref := old.ref;
        DELETE FROM conflicts WHERE agent = me.id AND ref = old.ref;
    END IF;
    INSERT INTO conflicts SELECT new.*;
END $$;

-- ── the queue ──

-- Return a job that this worker still holds.
CREATE OR REPLACE FUNCTION leased(a bigint, job_id text, job_fence bigint) RETURNS jobs LANGUAGE plpgsql AS $$
DECLARE
    held jobs;
BEGIN
    SELECT * INTO held FROM jobs WHERE agent = a AND id = job_id AND fence = job_fence AND state = 'running';
    IF held.id IS NULL THEN
        RAISE EXCEPTION 'job % was taken over or finished by another worker', job_id USING ERRCODE = 'RM006';
    END IF;
    RETURN held;
END $$;

CREATE OR REPLACE FUNCTION enqueue(INOUT me agents, c jsonb, OUT added boolean) LANGUAGE plpgsql AS $$
DECLARE
    new jobs := jsonb_populate_record(NULL::jobs, c);
    waiting bigint;
BEGIN
    added := false;
    IF new.key IS NOT NULL AND EXISTS (SELECT 1 FROM jobs j
            WHERE j.agent = me.id AND j.lane = new.lane AND j.key = new.key AND j.state = 'pending') THEN
        RETURN;
    END IF;
    SELECT count(*) INTO waiting FROM jobs WHERE agent = me.id AND state <> 'dead';
    IF waiting >= (c ->> 'limit')::bigint THEN
        RAISE EXCEPTION '% jobs wait for this agent already; let them run, then try again', waiting
            USING ERRCODE = 'RM005';
    END IF;
    new.agent := me.id;
    new.seq := coalesce(nullif(new.seq, 0), me.last_job + 1);
    INSERT INTO jobs SELECT new.*;
    me.last_job := greatest(me.last_job, new.seq);
    added := true;
EXCEPTION WHEN unique_violation THEN
    RAISE EXCEPTION 'a job with id % exists already', new.id USING ERRCODE = 'RM004';
END $$;

-- Give a job back; a twin that waits behind it is the same work and goes. The fence stays: whoever was taken over
-- before must not be able to finish the job after it was given back.
CREATE OR REPLACE FUNCTION retry(INOUT me agents, c jsonb) LANGUAGE plpgsql AS $$
DECLARE
    held jobs := leased(me.id, c ->> 'id', (c ->> 'fence')::bigint);
    place bigint := held.seq;
BEGIN
    DELETE FROM jobs WHERE agent = me.id AND lane = held.lane AND key = held.key AND state = 'pending';
    IF (c ->> 'to_tail')::boolean THEN
        me.last_job := me.last_job + 1;
        place := me.last_job;
    END IF;
    UPDATE jobs SET seq = place, state = 'pending', worker = NULL, lease_until = NULL,
            attempts = attempts - CASE WHEN (c ->> 'counts')::boolean THEN 0 ELSE 1 END,
            not_before = (c ->> 'not_before')::bigint, error = kept_error(held.error, c)
        WHERE agent = me.id AND seq = held.seq;
END $$;

-- Of an error that may quote what was erased while the job ran, only the name is kept.
CREATE OR REPLACE FUNCTION kept_error(held text, c jsonb) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN held = 'something was erased while this ran' THEN split_part(c ->> 'error', ':', 1)
        ELSE c ->> 'error' END;

CREATE OR REPLACE FUNCTION bury(a bigint, c jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    held jobs := leased(a, c ->> 'id', (c ->> 'fence')::bigint);
BEGIN
    UPDATE jobs SET state = 'dead', worker = NULL, lease_until = NULL, error = kept_error(held.error, c)
        WHERE agent = a AND seq = held.seq;
END $$;

-- Put a dead letter back at the tail of its lane, unless its key waits there again already.
CREATE OR REPLACE FUNCTION revive(INOUT me agents, job_id text, OUT revived boolean) LANGUAGE plpgsql AS $$
DECLARE
    dead jobs;
BEGIN
    SELECT * INTO dead FROM jobs WHERE agent = me.id AND id = job_id AND state = 'dead';
    IF dead.id IS NULL THEN
        RAISE EXCEPTION 'no dead letter % here', job_id USING ERRCODE = 'RM003';
    END IF;
    revived := NOT EXISTS (SELECT 1 FROM jobs j
        WHERE j.agent = me.id AND j.lane = dead.lane AND j.key = dead.key AND j.state = 'pending');
    IF revived THEN
        me.last_job := me.last_job + 1;
        UPDATE jobs SET seq = me.last_job, state = 'pending', attempts = 0, not_before = NULL
            WHERE agent = me.id AND seq = dead.seq;
    ELSE
        DELETE FROM jobs WHERE agent = me.id AND seq = dead.seq;
    END IF;
END $$;

-- When each lane's first living job can be claimed: only that one may run.
CREATE OR REPLACE VIEW heads WITH (security_invoker = true) AS
    SELECT DISTINCT ON (agent, lane) * FROM jobs WHERE state <> 'dead' ORDER BY agent, lane, seq;
GRANT SELECT ON heads TO remanent_app;

CREATE OR REPLACE FUNCTION database_time() RETURNS bigint LANGUAGE sql VOLATILE
    RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- Claim up to `most` jobs of the agents given, or of all: each the first of its lane, due, under no live lease; one of
-- each agent before a second of any. A wait or a lease that ends later than `max_wait` from now is taken as over: it was
-- written by a clock that was set back since. Behind the jobs come the agents that were named, with when their next job
-- is due; of all agents, the one whose job is due first.
--
-- Whoever changes a queue holds its agent's row, so that what is looked at again after taking that row stays as it is.
-- Of all agents those that are being written to are left for the next look; of agents that were named none is.
CREATE OR REPLACE FUNCTION claim_any(owners bigint[], worker_name text, at bigint, lease bigint, max_wait bigint, most bigint)
RETURNS TABLE (org text, workspace text, name text, wake bigint, seq bigint, id text, session text, task text, kind text,
    lane text, key text, payload text, state text, attempts bigint, max_attempts bigint, enqueued_at bigint,
    not_before bigint, worker text, fence bigint, lease_until bigint, error text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    moment bigint := coalesce(at, database_time());
    held bigint[];
    claimed bigint[];
BEGIN
    PERFORM set_config('remanent.worker', 'on', true);
    IF owners IS NULL THEN
        held := ARRAY(SELECT a.id FROM agents a WHERE a.id IN (
            SELECT h.agent FROM heads h WHERE due(h, moment, max_wait) LIMIT most) ORDER BY a.id FOR UPDATE SKIP LOCKED);
    ELSIF EXISTS (SELECT 1 FROM heads h WHERE h.agent = ANY (owners) AND due(h, moment, max_wait)) THEN
        held := ARRAY(SELECT a.id FROM agents a WHERE a.id = ANY (owners) ORDER BY a.id FOR UPDATE);
    END IF;
    RETURN QUERY WITH chosen AS (
        SELECT h.agent, h.seq, row_number() OVER (PARTITION BY h.agent ORDER BY h.seq) AS turn
        FROM heads h WHERE h.agent = ANY (held) AND due(h, moment, max_wait) ORDER BY turn, h.enqueued_at, h.seq LIMIT most
    ), taken AS (
        UPDATE jobs j SET state = 'running', worker = worker_name, fence = j.fence + 1, attempts = j.attempts + 1,
            lease_until = moment + lease
        FROM chosen c WHERE j.agent = c.agent AND j.seq = c.seq RETURNING j.*
    ) SELECT a.org, a.workspace, a.agent, NULL::bigint, t.seq, t.id, t.session, t.task, t.kind, t.lane, t.key, t.payload,
        t.state, t.attempts, t.max_attempts, t.enqueued_at, t.not_before, t.worker, t.fence, t.lease_until, t.error
    FROM taken t JOIN agents a ON a.id = t.agent ORDER BY t.agent, t.seq;
    RETURN QUERY SELECT a.org, a.workspace, a.agent, w.wake, NULL::bigint, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL, NULL::bigint, NULL::bigint, NULL
    FROM agents a LEFT JOIN (
        SELECT h.agent, min(greatest(coalesce(h.not_before, h.enqueued_at), coalesce(h.lease_until, h.enqueued_at))) AS wake
        FROM heads h GROUP BY h.agent) w ON w.agent = a.id
    WHERE CASE WHEN owners IS NULL THEN w.wake IS NOT NULL ELSE a.id = ANY (owners) END
    ORDER BY w.wake LIMIT CASE WHEN owners IS NULL THEN 1 END;
END $$;

CREATE OR REPLACE FUNCTION due(h heads, moment bigint, max_wait bigint) RETURNS boolean LANGUAGE sql IMMUTABLE
    RETURN (h.not_before IS NULL OR h.not_before <= moment OR h.not_before > moment + max_wait)
        AND (h.state = 'pending' OR h.lease_until <= moment OR h.lease_until > moment + max_wait);

-- ── units of work ──

-- Apply one unit of work; `loading` keeps places and versions as they are.
CREATE OR REPLACE FUNCTION apply_unit(a bigint, changes jsonb, vecs vector[], loading boolean) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    me agents;
    c jsonb;
    entry_ids jsonb := '[]';
    last_seq bigint := 0;
    repeated integer := 0;
    enqueued jsonb := '[]';
    changed text[] := '{}';
    readable boolean := false;
    got record;
    graph_revisions jsonb;
BEGIN
    PERFORM set_config('remanent.agent', a::text, true);
    SELECT * INTO me FROM agents WHERE id = a FOR UPDATE;
    FOR c IN SELECT jsonb_array_elements(changes) LOOP
        CASE c ->> 'do'
        WHEN 'append' THEN
            got := append_entry(me, c);
            me := got.me;
            entry_ids := entry_ids || to_jsonb(got.entry_id);
            last_seq := greatest(last_seq, got.place);
            repeated := repeated + got.known::integer;
        WHEN 'put' THEN
            changed := changed || ARRAY(SELECT kind FROM records WHERE agent = a AND id = c ->> 'id') || (c ->> 'kind');
            me := put_record(me, c, loading);
        WHEN 'version' THEN me := put_version(me, c);
        WHEN 'drop' THEN
            IF NOT EXISTS (SELECT 1 FROM records WHERE agent = a AND id = c ->> 'id') THEN
                RAISE EXCEPTION 'no record % here', c ->> 'id' USING ERRCODE = 'RM003';
            END IF;
            changed := changed || ARRAY(SELECT kind FROM records WHERE agent = a AND id = c ->> 'id');
            me := remove_record(me, c ->> 'id');
        WHEN 'touch' THEN
            IF (c ->> 'scanned')::bigint > 0 THEN
                changed := changed || ARRAY(SELECT DISTINCT kind FROM records
                    WHERE agent = a AND id IN (SELECT jsonb_array_elements_text(c -> 'ids')));
            END IF;
            UPDATE records r SET access_count = access_count + n * (c ->> 'accessed')::bigint,
                    scan_count = scan_count + n * (c ->> 'scanned')::bigint
                FROM (SELECT w, count(*) AS n FROM jsonb_array_elements_text(c -> 'ids') w GROUP BY w) t
                WHERE r.agent = a AND r.id = t.w;
        WHEN 'vector' THEN me := put_vector(me, c, vecs[(c ->> 'values')::integer]);
        WHEN 'drop_vectors' THEN me := drop_model(me, c ->> 'model');
        WHEN 'tombstone' THEN
            INSERT INTO tombstones VALUES (a, c ->> 'record_id', c ->> 'session', c ->> 'task', c ->> 'body')
                ON CONFLICT (agent, record_id) DO UPDATE
                SET session = excluded.session, task = excluded.task, body = excluded.body;
            PERFORM note_sources(a, c ->> 'record_id', c -> 'sources');
        WHEN 'drop_tombstone' THEN DELETE FROM tombstones WHERE agent = a AND record_id = c ->> 'id';
        WHEN 'link' THEN
            changed := changed || ARRAY(SELECT kind FROM records WHERE agent = a AND id = c ->> 'from_id');
            INSERT INTO links VALUES (a, c ->> 'from_id', c ->> 'to_id', c ->> 'relation',
                    (c ->> 'strength')::double precision, (c ->> 'created_at')::bigint, (c ->> 'updated_at')::bigint)
                ON CONFLICT (agent, from_id, to_id, relation) DO UPDATE SET strength = excluded.strength,
                created_at = excluded.created_at, updated_at = excluded.updated_at;
        WHEN 'unlink' THEN
            changed := changed || ARRAY(SELECT kind FROM records WHERE agent = a AND id = c ->> 'from_id');
            DELETE FROM links WHERE agent = a AND from_id = c ->> 'from_id' AND to_id = c ->> 'to_id'
                AND relation = c ->> 'relation';
        WHEN 'fade' THEN
            changed := changed || ARRAY(SELECT DISTINCT kind FROM records
                WHERE agent = a AND id IN (SELECT jsonb_array_elements_text(c -> 'from_ids')));
            DELETE FROM links WHERE agent = a AND from_id IN (SELECT jsonb_array_elements_text(c -> 'from_ids'))
                AND strength < (c ->> 'floor')::double precision;
            UPDATE links SET strength = strength * (c ->> 'factor')::double precision, updated_at = (c ->> 'at')::bigint
                WHERE agent = a AND from_id IN (SELECT jsonb_array_elements_text(c -> 'from_ids'));
        WHEN 'conflict' THEN me := put_conflict(me, c, loading);
        WHEN 'state' THEN
            IF c ? 'expects' AND (SELECT value FROM states WHERE agent = a AND key = c ->> 'key')
                    IS DISTINCT FROM c ->> 'expects' THEN
                RAISE EXCEPTION 'the value % was changed by somebody else; read it again, then retry', c ->> 'key'
                    USING ERRCODE = 'RM002';
            END IF;
            IF c ->> 'value' IS NULL THEN
                DELETE FROM states WHERE agent = a AND key = c ->> 'key';
            ELSE
                INSERT INTO states VALUES (a, c ->> 'key', c ->> 'value')
                    ON CONFLICT (agent, key) DO UPDATE SET value = excluded.value;
            END IF;
        WHEN 'enqueue' THEN
            got := enqueue(me, c);
            me := got.me;
            IF got.added THEN enqueued := enqueued || (c -> 'id'); END IF;
        WHEN 'finish' THEN
            PERFORM leased(a, c ->> 'id', (c ->> 'fence')::bigint);
            DELETE FROM jobs WHERE agent = a AND id = c ->> 'id';
        WHEN 'retry' THEN
            me := retry(me, c);
            enqueued := enqueued || (c -> 'id');
        WHEN 'bury' THEN PERFORM bury(a, c);
        WHEN 'revive' THEN
            got := revive(me, c ->> 'id');
            me := got.me;
            IF got.revived THEN enqueued := enqueued || (c -> 'id'); END IF;
        END CASE;
        readable := readable OR c ->> 'do' NOT IN ('touch', 'enqueue', 'finish', 'retry', 'bury', 'revive');
    END LOOP;
    me := trim_removals(me);
    UPDATE agents SET last_seq = me.last_seq, last_ref = me.last_ref, last_job = me.last_job,
            last_model = me.last_model, vector_revision = me.vector_revision, vector_floor = me.vector_floor, documents = me.documents,
            document_terms = me.document_terms, revision = me.revision + readable::integer,
            written_at = CASE WHEN readable THEN clock_timestamp() ELSE me.written_at END
        WHERE id = a;
    IF changed <> '{}' THEN
        graph_revisions := revise_graphs(a, changed);
    END IF;
    RETURN jsonb_build_object('entry_ids', entry_ids, 'last_seq', last_seq, 'repeated', repeated, 'enqueued', enqueued,
        'graphs', graph_revisions);
END $$;

-- Removals are remembered for indexes that lag behind, down to `vector_floor`; chosen by hand: 20,000 of them.
CREATE OR REPLACE FUNCTION trim_removals(INOUT me agents) LANGUAGE plpgsql AS $$
BEGIN
    IF me.vector_revision / 10000 > (SELECT vector_revision FROM agents WHERE id = me.id) / 10000 THEN
        me.vector_floor := greatest(me.vector_floor, me.vector_revision - 20000);
        DELETE FROM vector_removals WHERE agent = me.id AND revision <= me.vector_floor;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION revise_graphs(a bigint, changed text[]) RETURNS jsonb LANGUAGE sql AS $$
    WITH raised AS (
        INSERT INTO graphs (agent, kind) SELECT DISTINCT a, k FROM unnest(changed) k
        ON CONFLICT (agent, kind) DO UPDATE SET revision = graphs.revision + 1 RETURNING kind, revision
    ) SELECT jsonb_object_agg(kind, revision) FROM raised
$$;

-- Apply a group of units in one transaction, each whole or not at all. Units come in the order of their agents, so that
-- two processes never wait for each other's locks in a circle.
CREATE OR REPLACE FUNCTION commit_units(owners bigint[], units jsonb, vecs vector[]) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    results jsonb[] := '{}';
    state text; message text;
BEGIN
    FOR n IN 1 .. cardinality(owners) LOOP
        BEGIN
            results := results || apply_unit(owners[n], units -> (n - 1), vecs, false);
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
            results := results || jsonb_build_object('sqlstate', state, 'message', message);
        END;
    END LOOP;
    RETURN to_jsonb(results);
END $$;

-- ── erasure ──

CREATE OR REPLACE FUNCTION remove_records(a bigint, gone text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    me agents;
    one text;
BEGIN
    SELECT * INTO me FROM agents WHERE id = a;
    FOREACH one IN ARRAY gone LOOP
        me := remove_record(me, one);
    END LOOP;
    UPDATE agents SET vector_revision = me.vector_revision, documents = me.documents,
        document_terms = me.document_terms WHERE id = a;
END $$;

-- Let a record, or a version of one, be found by other terms than before.
CREATE OR REPLACE FUNCTION index_anew(a bigint, r bigint, new_terms text, past boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    old integer;
BEGIN
    IF past THEN
        DELETE FROM past_postings p USING versions v WHERE v.agent = a AND v.ref = r AND p.agent = a AND p.ref = r
            AND p.term = ANY (string_to_array(v.terms, ' '));
        UPDATE versions SET terms = new_terms WHERE agent = a AND ref = r;
        PERFORM index_past_terms(a, r, new_terms);
    ELSE
        old := unindex(a, r);
        UPDATE records SET terms = new_terms WHERE agent = a AND ref = r;
        UPDATE agents SET document_terms = document_terms - old + index_terms(a, r, new_terms) WHERE id = a;
    END IF;
END $$;

-- Writing: one call per group of units of work. Made anew by every migration, so that they always fit the program.
--
-- A refusal is an error with a code of ours (RM...), which the adapter turns into the error of the port. Changes come as
-- one JSON array per unit, in order; vectors come beside it, since JSON would make them four times as long.

-- Refuse the unit of work; to be called where something is not as it must be.
CREATE OR REPLACE FUNCTION refuse(code text, message text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = code, MESSAGE = message;
END $$;

-- Let a record, or a version of one, be found by its terms, or no longer (`step` is 1 or -1). What is current is counted.
CREATE OR REPLACE FUNCTION index_terms(INOUT me agents, r bigint, terms text, is_past boolean, step integer)
LANGUAGE plpgsql AS $$
DECLARE
    words text[] := string_to_array(terms, ' ');
BEGIN
    IF step > 0 THEN
        INSERT INTO postings (agent, past, term, ref, tf, len)
            SELECT me.id, is_past, w, r, count(*), cardinality(words) FROM unnest(words) w WHERE w <> '' GROUP BY w;
    ELSE
        DELETE FROM postings WHERE agent = me.id AND past = is_past AND term = ANY (words) AND ref = r;
    END IF;
    IF words IS NOT NULL AND NOT is_past THEN
        me.documents := me.documents + step;
        me.document_terms := me.document_terms + step * cardinality(words);
    END IF;
END $$;

-- Remove a record's vectors of all models and note that for whoever follows them.
CREATE OR REPLACE FUNCTION drop_vectors_of(INOUT me agents, r bigint, record_id text) LANGUAGE plpgsql AS $$
BEGIN
    WITH gone AS (DELETE FROM vectors WHERE agent = me.id AND ref = r RETURNING model), noted AS (
        INSERT INTO vector_removals SELECT me.id, model, me.vector_revision + row_number() OVER (), record_id FROM gone
        RETURNING 1
    ) SELECT me.vector_revision + count(*) INTO me.vector_revision FROM noted;
END $$;

-- Remove what there is of a record: its row, or a tombstone or versions that outlived it. Links that lead to it stay.
CREATE OR REPLACE FUNCTION remove_record(INOUT me agents, gone text) LANGUAGE plpgsql AS $$
DECLARE
    a bigint := me.id;
    old records;
BEGIN
    DELETE FROM records WHERE agent = a AND id = gone RETURNING * INTO old;
    IF old.ref IS NOT NULL THEN
        me := drop_vectors_of(me, old.ref, gone);
        me := index_terms(me, old.ref, old.terms, false, -1);
        DELETE FROM record_tags WHERE agent = a AND ref = old.ref;
    END IF;
    DELETE FROM postings p USING versions v WHERE v.agent = a AND v.id = gone
        AND p.agent = a AND p.past AND p.ref = v.ref AND p.term = ANY (string_to_array(v.terms, ' '));
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
BEGIN
    DELETE FROM records WHERE agent = a AND id = new.id RETURNING * INTO old;
    IF loading THEN
        PERFORM refuse('RM004', 'the export contains the same thing twice; nothing was loaded') WHERE old.id IS NOT NULL;
    ELSE
        IF coalesce(old.version, 0) <> (c ->> 'expects')::bigint THEN
            PERFORM refuse('RM002', format('record %s is at version %s, not %s; read it again, then retry', new.id,
                coalesce(old.version, 0), c ->> 'expects'));
        END IF;
        PERFORM refuse('RM002', format('entry %s was erased; make record %s anew without it', e.id, new.id))
            FROM entries e WHERE e.agent = a AND e.id IN (SELECT jsonb_array_elements_text(c -> 'sources'))
                AND e.erased <> 0;
    END IF;
    new.agent := a;
    new.embedded := NOT coalesce((c ->> 'embeds')::boolean, true);
    new.terms := CASE WHEN new.status <> 'forgotten' THEN new.terms END;
    me.last_ref := me.last_ref + 1;
    new.ref := coalesce(old.ref, me.last_ref);
    IF old.id IS NOT NULL THEN
        me := index_terms(me, old.ref, old.terms, false, -1);
        DELETE FROM record_tags WHERE agent = a AND ref = old.ref;
        new.access_count := old.access_count;
        new.scan_count := old.scan_count;
        IF new.status = 'forgotten' OR new.content_hash <> old.content_hash OR new.kind <> old.kind THEN
            me := drop_vectors_of(me, old.ref, old.id);
        ELSE
            new.embedded := old.embedded;
        END IF;
        old.ref := me.last_ref;
        INSERT INTO versions SELECT old.*, new.updated_at;
        me := index_terms(me, old.ref, old.terms, true, 1);
    END IF;
    INSERT INTO records SELECT new.*;
    me := index_terms(me, new.ref, new.terms, false, 1);
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
    past.terms := nullif(past.terms, '');
    INSERT INTO versions SELECT past.*;
    me := index_terms(me, past.ref, past.terms, true, 1);
    PERFORM note_sources(me.id, past.id, c -> 'sources');
END $$;

-- What an erased entry keeps of whose it was; the same number as `erased_mark` of `stores.store` gives.
CREATE OR REPLACE FUNCTION erased_mark(caller_id text, metadata text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN caller_id IS NULL THEN 1 ELSE 2 + ('x' || left(encode(sha256(convert_to(
        caller_id || chr(10) || coalesce(metadata::jsonb ->> 'user_id', ''), 'UTF8')), 'hex'), 7))::bit(28)::integer END
$$;

-- Append an entry, or recognise one that was sent before under the same caller's id.
CREATE OR REPLACE FUNCTION append_entry(INOUT me agents, c jsonb, OUT entry_id text, OUT place bigint, OUT known boolean)
LANGUAGE plpgsql AS $$
DECLARE
    new entries := jsonb_populate_record(NULL::entries, c);
    old entries;
BEGIN
    -- Ids are the user's own; of what was erased its mark says whose it was, and 1 may be anybody's.
    SELECT * INTO old FROM entries e WHERE new.caller_id IS NOT NULL AND e.agent = me.id AND e.caller_id = new.caller_id
        AND e.session IS NOT DISTINCT FROM new.session
        AND (e.erased IN (1, erased_mark(new.caller_id, new.metadata))
            OR (e.erased = 0 AND e.metadata::jsonb ->> 'user_id' IS NOT DISTINCT FROM new.metadata::jsonb ->> 'user_id'))
        ORDER BY e.erased LIMIT 1;
    -- What was erased stays erased when it is sent again.
    known := old.id IS NOT NULL;
    IF known THEN
        PERFORM refuse('RM001', format('id %L names another message of this session; use a new id', new.caller_id))
            WHERE old.erased = 0 AND (old.text, old.role) IS DISTINCT FROM (new.text, new.role);
    ELSE
        new.agent := me.id;
        new.seq := coalesce(nullif(new.seq, 0), me.last_seq + 1);
        INSERT INTO entries SELECT new.*;
        me.last_seq := greatest(me.last_seq, new.seq);
    END IF;
    entry_id := coalesce(old.id, new.id);
    place := coalesce(old.seq, new.seq);
EXCEPTION WHEN unique_violation THEN
    PERFORM refuse('RM001', format('an entry with id %s or place %s exists already', new.id, new.seq));
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
    PERFORM refuse('RM003', format('no record %s here', c ->> 'record_id')) WHERE found.id IS NULL;
    SELECT * INTO known FROM models WHERE agent = a AND name = c ->> 'model';
    IF known.id IS NULL THEN
        me.last_model := me.last_model + 1;
        INSERT INTO models VALUES (a, me.last_model, c ->> 'model', vector_dims(v)) RETURNING * INTO known;
    END IF;
    PERFORM refuse('RM004', format('vectors of %s have %s dimensions here, not %s', known.name, known.dimension,
        vector_dims(v))) WHERE known.dimension <> vector_dims(v);
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
    DELETE FROM models WHERE agent = me.id AND name = gone RETURNING id INTO m;
    IF m IS NULL THEN
        RETURN;
    END IF;
    DELETE FROM vectors WHERE agent = me.id AND model = m;
    DELETE FROM vector_removals WHERE agent = me.id AND model = m;
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
    DELETE FROM conflicts WHERE agent = me.id AND id = new.id RETURNING * INTO old;
    PERFORM refuse('RM002', format('conflict %s is at version %s, not %s; read it again, then retry', new.id,
        coalesce(old.version, 0), c ->> 'expects'))
        WHERE coalesce(old.version, 0) <> CASE WHEN loading THEN 0 ELSE (c ->> 'expects')::bigint END;
    me.last_ref := me.last_ref + 1;
    new.agent := me.id;
    new.ref := coalesce(old.ref, me.last_ref);
    INSERT INTO conflicts SELECT new.*;
END $$;

-- ── the queue ──

-- Return a job that this worker still holds.
CREATE OR REPLACE FUNCTION leased(a bigint, c jsonb) RETURNS jobs LANGUAGE plpgsql AS $$
DECLARE
    held jobs;
BEGIN
    SELECT * INTO held FROM jobs
        WHERE agent = a AND id = c ->> 'job_id' AND fence = (c ->> 'fence')::bigint AND state = 'running';
    PERFORM refuse('RM006', format('job %s was taken over or finished by another worker', c ->> 'job_id'))
        WHERE held.id IS NULL;
    RETURN held;
END $$;

-- Whether the same work waits in the lane of a job already.
CREATE OR REPLACE FUNCTION waits(one jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM jobs j
        WHERE j.agent = one.agent AND j.lane = one.lane AND j.key = one.key AND j.state = 'pending')
$$;

CREATE OR REPLACE FUNCTION enqueue(INOUT me agents, c jsonb, OUT added boolean) LANGUAGE plpgsql AS $$
DECLARE
    new jobs := jsonb_populate_record(NULL::jobs, c);
    waiting bigint;
BEGIN
    new.agent := me.id;
    added := NOT waits(new);
    IF NOT added THEN
        RETURN;
    END IF;
    SELECT count(*) INTO waiting FROM jobs WHERE agent = me.id AND state <> 'dead';
    PERFORM refuse('RM005', format('%s jobs wait for this agent already; let them run, then try again', waiting))
        WHERE waiting >= (c ->> 'limit')::bigint;
    new.seq := coalesce(nullif(new.seq, 0), me.last_job + 1);
    INSERT INTO jobs SELECT new.*;
    me.last_job := greatest(me.last_job, new.seq);
EXCEPTION WHEN unique_violation THEN
    PERFORM refuse('RM004', format('a job with id %s exists already', new.id));
END $$;

-- Give a job back; a twin that waits behind it is the same work and goes. The fence stays: whoever was taken over
-- before must not be able to finish the job after it was given back.
CREATE OR REPLACE FUNCTION retry(INOUT me agents, c jsonb) LANGUAGE plpgsql AS $$
DECLARE
    held jobs := leased(me.id, c);
BEGIN
    DELETE FROM jobs WHERE agent = me.id AND lane = held.lane AND key = held.key AND state = 'pending';
    me.last_job := me.last_job + (c ->> 'to_tail')::boolean::integer;
    UPDATE jobs SET seq = CASE WHEN (c ->> 'to_tail')::boolean THEN me.last_job ELSE held.seq END, state = 'pending',
            worker = NULL, lease_until = NULL, attempts = attempts - (NOT (c ->> 'counts')::boolean)::integer,
            not_before = (c ->> 'not_before')::bigint, error = kept_error(held, c)
        WHERE agent = me.id AND seq = held.seq;
END $$;

-- Of an error that may quote what was erased while the job ran, only the name is kept.
CREATE OR REPLACE FUNCTION kept_error(held jobs, c jsonb) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN held.error = 'something was erased while this ran' THEN split_part(c ->> 'error', ':', 1)
        ELSE c ->> 'error' END;

-- Put a dead letter back at the tail of its lane, unless its key waits there again already.
CREATE OR REPLACE FUNCTION revive(INOUT me agents, job_id text, OUT revived boolean) LANGUAGE plpgsql AS $$
DECLARE
    dead jobs;
BEGIN
    SELECT * INTO dead FROM jobs WHERE agent = me.id AND id = job_id AND state = 'dead';
    PERFORM refuse('RM003', format('no dead letter %s here', job_id)) WHERE dead.id IS NULL;
    revived := NOT waits(dead);
    IF revived THEN
        me.last_job := me.last_job + 1;
        UPDATE jobs SET seq = me.last_job, state = 'pending', attempts = 0, not_before = NULL
            WHERE agent = me.id AND seq = dead.seq;
    ELSE
        DELETE FROM jobs WHERE agent = me.id AND seq = dead.seq;
    END IF;
END $$;

-- Each lane's first living job, since only that one may run, and when it can be claimed.
CREATE OR REPLACE VIEW heads WITH (security_invoker = true) AS
    SELECT DISTINCT ON (agent, lane) *,
        greatest(coalesce(not_before, enqueued_at), coalesce(lease_until, enqueued_at)) AS wake
    FROM jobs WHERE state <> 'dead' ORDER BY agent, lane, seq;
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
CREATE OR REPLACE FUNCTION claim_any(
    owners bigint[], worker_name text, at bigint, lease bigint, max_wait bigint, most bigint
) RETURNS TABLE (org text, workspace text, name text, wake bigint, job jobs)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    moment bigint := coalesce(at, database_time());
    held bigint[];
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
        FROM chosen c WHERE j.agent = c.agent AND j.seq = c.seq RETURNING j AS job
    ) SELECT a.org, a.workspace, a.agent, NULL::bigint, t.job FROM taken t JOIN agents a ON a.id = (t.job).agent
    ORDER BY a.id, (t.job).seq;
    RETURN QUERY SELECT a.org, a.workspace, a.agent, w.wake, NULL::jobs
    FROM agents a LEFT JOIN (SELECT h.agent, min(h.wake) AS wake FROM heads h GROUP BY h.agent) w ON w.agent = a.id
    WHERE CASE WHEN owners IS NULL THEN w.wake IS NOT NULL ELSE a.id = ANY (owners) END
    ORDER BY w.wake LIMIT CASE WHEN owners IS NULL THEN 1 END;
END $$;

CREATE OR REPLACE FUNCTION due(h heads, moment bigint, max_wait bigint) RETURNS boolean LANGUAGE sql IMMUTABLE
    RETURN (h.not_before IS NULL OR h.not_before <= moment OR h.not_before > moment + max_wait)
        AND (h.state = 'pending' OR h.lease_until <= moment OR h.lease_until > moment + max_wait);

-- ── erasure ──

-- Remove rows, in the place of entries leave a mark of whose they were, and keep of each job's error only its name, since
-- its message may quote what was erased; a job under way may yet do so.
CREATE OR REPLACE FUNCTION erase_rows(INOUT me agents, c jsonb) LANGUAGE plpgsql AS $$
DECLARE
    gone text[] := ARRAY(SELECT jsonb_array_elements_text(c -> 'record_ids'));
    stubs text[] := ARRAY(SELECT jsonb_array_elements_text(c -> 'entry_ids'));
    one text;
BEGIN
    FOREACH one IN ARRAY gone LOOP
        me := remove_record(me, one);
    END LOOP;
    DELETE FROM links WHERE agent = me.id AND to_id = ANY (gone);
    DELETE FROM conflicts WHERE agent = me.id AND record_ids && gone;
    DELETE FROM record_sources WHERE agent = me.id AND entry_id = ANY (stubs);
    UPDATE entries SET text = '', metadata = NULL, attachments = NULL, erased = erased_mark(caller_id, metadata), crc = 0
        WHERE agent = me.id AND id = ANY (stubs) AND erased = 0;
    UPDATE jobs SET error = CASE WHEN state = 'running' THEN c ->> 'meanwhile' ELSE split_part(error, ':', 1) END
        WHERE agent = me.id AND (error <> '' OR state = 'running');
END $$;

-- Empty every table that an agent has rows in, so that no index or cache takes itself for current.
CREATE OR REPLACE FUNCTION erase_everything(INOUT me agents) LANGUAGE plpgsql AS $$
DECLARE
    own text;
BEGIN
    FOR own IN SELECT tablename FROM pg_policies
            WHERE schemaname = 'remanent' AND policyname = 'own' AND tablename <> 'graphs' LOOP
        EXECUTE format('DELETE FROM %I WHERE agent = $1', own) USING me.id;
    END LOOP;
    UPDATE graphs SET revision = revision + 1 WHERE agent = me.id;
    me.vector_revision := me.vector_revision + 1;
    me.vector_floor := me.vector_revision;
    me.documents := 0;
    me.document_terms := 0;
END $$;

-- Let a record, or a version of one, be found by other terms than before.
CREATE OR REPLACE FUNCTION index_anew(INOUT me agents, c jsonb) LANGUAGE plpgsql AS $$
DECLARE
    is_past boolean := (c ->> 'past')::boolean;
    r bigint := (c ->> 'ref')::bigint;
BEGIN
    me := index_terms(me, r, c ->> 'old', is_past, -1);
    UPDATE records SET terms = c ->> 'new' WHERE NOT is_past AND agent = me.id AND ref = r;
    UPDATE versions SET terms = c ->> 'new' WHERE is_past AND agent = me.id AND ref = r;
    me := index_terms(me, r, c ->> 'new', is_past, 1);
END $$;

-- ── units of work ──

-- The kinds of records that a change is about, or that a link which changes leaves.
CREATE OR REPLACE FUNCTION kinds_of(a bigint, ids jsonb) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT ARRAY(SELECT DISTINCT kind FROM records WHERE agent = a AND id IN (SELECT jsonb_array_elements_text(ids)))
$$;

-- Apply one unit of work; `loading` keeps places and versions as they are. A change is named after its type.
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
    held jobs;
    vectors_before bigint;
    graph_revisions jsonb;
BEGIN
    PERFORM set_config('remanent.agent', a::text, true);
    SELECT * INTO me FROM agents WHERE id = a FOR UPDATE;
    vectors_before := me.vector_revision;
    FOR c IN SELECT jsonb_array_elements(changes) LOOP
        CASE c ->> 'do'
        WHEN 'AppendEntry' THEN
            got := append_entry(me, c);
            me := got.me;
            entry_ids := entry_ids || to_jsonb(got.entry_id);
            last_seq := greatest(last_seq, got.place);
            repeated := repeated + got.known::integer;
        WHEN 'PutRecord' THEN
            changed := changed || ARRAY(SELECT kind FROM records WHERE agent = a AND id = c ->> 'id') || (c ->> 'kind');
            me := put_record(me, c, loading);
        WHEN 'PutVersion' THEN me := put_version(me, c);
        WHEN 'DropRecord' THEN
            PERFORM refuse('RM003', format('no record %s here', c ->> 'record_id'))
                WHERE NOT EXISTS (SELECT 1 FROM records WHERE agent = a AND id = c ->> 'record_id');
            changed := changed || ARRAY(SELECT kind FROM records WHERE agent = a AND id = c ->> 'record_id');
            me := remove_record(me, c ->> 'record_id');
        WHEN 'TouchRecords' THEN
            IF (c ->> 'scanned')::bigint > 0 THEN
                changed := changed || kinds_of(a, c -> 'record_ids');
            END IF;
            UPDATE records r SET access_count = access_count + n * (c ->> 'accessed')::bigint,
                    scan_count = scan_count + n * (c ->> 'scanned')::bigint
                FROM (SELECT w, count(*) AS n FROM jsonb_array_elements_text(c -> 'record_ids') w GROUP BY w) t
                WHERE r.agent = a AND r.id = t.w;
        WHEN 'PutVector' THEN me := put_vector(me, c, vecs[(c ->> 'values')::integer]);
        WHEN 'DropVectors' THEN me := drop_model(me, c ->> 'model');
        WHEN 'PutTombstone' THEN
            INSERT INTO tombstones VALUES (a, c ->> 'record_id', c ->> 'session', c ->> 'task', c ->> 'body')
                ON CONFLICT (agent, record_id) DO UPDATE
                SET session = excluded.session, task = excluded.task, body = excluded.body;
            PERFORM note_sources(a, c ->> 'record_id', c -> 'sources');
        WHEN 'DropTombstone' THEN DELETE FROM tombstones WHERE agent = a AND record_id = c ->> 'record_id';
        WHEN 'PutLink' THEN
            changed := changed || ARRAY(SELECT kind FROM records WHERE agent = a AND id = c ->> 'from_id');
            INSERT INTO links SELECT * FROM jsonb_populate_record(NULL::links, c || jsonb_build_object('agent', a))
                ON CONFLICT (agent, from_id, to_id, relation) DO UPDATE SET strength = excluded.strength,
                created_at = excluded.created_at, updated_at = excluded.updated_at;
        WHEN 'DropLink' THEN
            changed := changed || ARRAY(SELECT kind FROM records WHERE agent = a AND id = c ->> 'from_id');
            DELETE FROM links WHERE agent = a AND from_id = c ->> 'from_id' AND to_id = c ->> 'to_id'
                AND relation = c ->> 'relation';
        WHEN 'FadeLinks' THEN
            changed := changed || kinds_of(a, c -> 'from_ids');
            DELETE FROM links WHERE agent = a AND from_id IN (SELECT jsonb_array_elements_text(c -> 'from_ids'))
                AND strength < (c ->> 'floor')::double precision;
            UPDATE links SET strength = strength * (c ->> 'factor')::double precision, updated_at = (c ->> 'at')::bigint
                WHERE agent = a AND from_id IN (SELECT jsonb_array_elements_text(c -> 'from_ids'));
        WHEN 'PutConflict' THEN me := put_conflict(me, c, loading);
        WHEN 'PutState' THEN
            PERFORM refuse('RM002', format('the value %s was changed by somebody else; read it again, then retry',
                c ->> 'key')) WHERE c ? 'expects' AND (SELECT value FROM states WHERE agent = a AND key = c ->> 'key')
                    IS DISTINCT FROM c ->> 'expects';
            DELETE FROM states WHERE agent = a AND key = c ->> 'key' AND c ->> 'value' IS NULL;
            INSERT INTO states SELECT a, c ->> 'key', c ->> 'value' WHERE c ->> 'value' IS NOT NULL
                ON CONFLICT (agent, key) DO UPDATE SET value = excluded.value;
        WHEN 'EnqueueJob' THEN
            got := enqueue(me, c);
            me := got.me;
            IF got.added THEN enqueued := enqueued || (c -> 'id'); END IF;
        WHEN 'FinishJob' THEN
            held := leased(a, c);
            DELETE FROM jobs WHERE agent = a AND seq = held.seq;
        WHEN 'RetryJob' THEN
            me := retry(me, c);
            enqueued := enqueued || (c -> 'job_id');
        WHEN 'BuryJob' THEN
            held := leased(a, c);
            UPDATE jobs SET state = 'dead', worker = NULL, lease_until = NULL, error = kept_error(held, c)
                WHERE agent = a AND seq = held.seq;
        WHEN 'ReviveJob' THEN
            got := revive(me, c ->> 'job_id');
            me := got.me;
            IF got.revived THEN enqueued := enqueued || (c -> 'job_id'); END IF;
        WHEN 'erase_rows' THEN
            changed := changed || kinds_of(a, c -> 'record_ids');
            me := erase_rows(me, c);
        WHEN 'erase_everything' THEN me := erase_everything(me);
        WHEN 'index_anew' THEN me := index_anew(me, c);
        END CASE;
        readable := readable OR c ->> 'do' NOT IN
            ('TouchRecords', 'EnqueueJob', 'FinishJob', 'RetryJob', 'BuryJob', 'ReviveJob');
    END LOOP;
    -- Removals are remembered for indexes that lag behind, down to `vector_floor`; chosen by hand: 20,000 of them.
    IF me.vector_revision / 10000 > vectors_before / 10000 THEN
        me.vector_floor := greatest(me.vector_floor, me.vector_revision - 20000);
        DELETE FROM vector_removals WHERE agent = a AND revision <= me.vector_floor;
    END IF;
    UPDATE agents SET last_seq = me.last_seq, last_ref = me.last_ref, last_job = me.last_job, last_model = me.last_model,
            vector_revision = me.vector_revision, vector_floor = me.vector_floor, documents = me.documents,
            document_terms = me.document_terms, revision = me.revision + readable::integer,
            written_at = CASE WHEN readable THEN clock_timestamp() ELSE me.written_at END
        WHERE id = a;
    IF changed <> '{}' THEN
        WITH raised AS (
            INSERT INTO graphs (agent, kind) SELECT DISTINCT a, k FROM unnest(changed) k
            ON CONFLICT (agent, kind) DO UPDATE SET revision = graphs.revision + 1 RETURNING kind, revision
        ) SELECT jsonb_object_agg(kind, revision) INTO graph_revisions FROM raised;
    END IF;
    RETURN jsonb_build_object('entry_ids', entry_ids, 'last_seq', last_seq, 'repeated', repeated, 'enqueued', enqueued,
        'graphs', coalesce(graph_revisions, '{}'));
END $$;

-- Apply a group of units in one transaction, each whole or not at all. Units come in the order of their agents, so that
-- two processes never wait for each other's locks in a circle; `ends` says where each one's vectors end.
CREATE OR REPLACE FUNCTION commit_units(owners bigint[], units jsonb, vecs vector[], ends bigint[]) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    results jsonb[] := '{}';
    state text; message text;
BEGIN
    FOR n IN 1 .. cardinality(owners) LOOP
        BEGIN
            results := results || apply_unit(
                owners[n], units -> (n - 1), vecs[coalesce(ends[n - 1], 0) + 1 : ends[n]], false);
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
            results := results || jsonb_build_object('sqlstate', state, 'message', message);
        END;
    END LOOP;
    RETURN to_jsonb(results);
END $$;

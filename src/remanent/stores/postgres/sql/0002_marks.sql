-- What is told whatever the words of a question is found by marks beside the tags of records (`model/kinds.py`).
-- Whoever migrates owns the tables and names no agent: for this step the rows of all agents are seen.
ALTER TABLE records NO FORCE ROW LEVEL SECURITY;
ALTER TABLE record_tags NO FORCE ROW LEVEL SECURITY;

WITH data AS (
    SELECT agent, ref, kind, body::jsonb -> 'data' AS data FROM records
    WHERE kind NOT IN ('turn', 'chunk', 'section', 'document', 'note')
), standing AS (
    SELECT agent, ref, coalesce(data ->> 'user', '') AS person, E'\x1f' || why AS mark
    FROM data, (VALUES ('pinned'), ('instruction'), ('preference')) AS reasons (why)
    WHERE CASE why
        WHEN 'pinned' THEN data -> 'pinned' = 'true'
        WHEN 'instruction' THEN kind = 'instruction'
        ELSE kind = 'preference' OR data ->> 'category' = 'user_preference' END
), marks AS (
    SELECT agent, ref, mark FROM standing
    UNION ALL SELECT agent, ref, mark || E'\x1f' || person FROM standing
), noted AS (
    INSERT INTO record_tags SELECT agent, mark, ref FROM marks ON CONFLICT DO NOTHING
)
UPDATE records r SET tags = r.tags || m.marks
FROM (SELECT agent, ref, array_agg(mark) AS marks FROM marks GROUP BY agent, ref) m
WHERE r.agent = m.agent AND r.ref = m.ref;

ALTER TABLE records FORCE ROW LEVEL SECURITY;
ALTER TABLE record_tags FORCE ROW LEVEL SECURITY;

-- What is told whatever the words of a question is found by marks beside the tags of records (`model/kinds.py`).
WITH reasons AS (SELECT 'pinned' AS why UNION ALL SELECT 'instruction' UNION ALL SELECT 'preference'), standing AS (
    SELECT ref, ifnull(json_extract(body, '$.data.user'), '') AS user, char(31) || why AS mark FROM records, reasons
    WHERE kind NOT IN ('turn', 'chunk', 'section', 'document', 'note') AND CASE why
        WHEN 'pinned' THEN json_extract(body, '$.data.pinned')
        WHEN 'instruction' THEN kind = 'instruction'
        ELSE kind = 'preference' OR json_extract(body, '$.data.category') = 'user_preference' END
)
INSERT OR IGNORE INTO record_tags
SELECT mark, ref FROM standing UNION ALL SELECT mark || char(31) || user, ref FROM standing;

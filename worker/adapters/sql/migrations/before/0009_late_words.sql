-- Late words: what a dead job heard while this database was away, found on its machine when another holder
-- has gone on with the meeting. They wait here for that holder, who folds them in and removes them; only it
-- may write the record. The key is the turn's own, so offering twice, or folding twice, changes nothing.

CREATE TABLE moim.late_events (
    tenant     text        NOT NULL,
    meeting_id text        NOT NULL,
    key        text        NOT NULL CHECK (length(key) BETWEEN 1 AND 2000),
    start_ms   bigint      NOT NULL,
    version    integer     NOT NULL,
    payload    jsonb       NOT NULL,
    offered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);
-- A key is as long as its sender likes: an index over the text itself has a limit.
CREATE UNIQUE INDEX late_events_once ON moim.late_events (tenant, meeting_id, md5(key));

ALTER TABLE moim.late_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.late_events FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.late_events USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));

GRANT SELECT, INSERT, DELETE ON moim.late_events TO moim_app;

-- What waits for a meeting's holder, in the order in which it was spoken. Each holder asks now and again.
CREATE FUNCTION moim.late_words(p_tenant text, p_meeting text, p_limit integer)
RETURNS TABLE (version integer, payload text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    RETURN QUERY
    SELECT l.version, l.payload::text FROM moim.late_events l
     WHERE l.tenant = p_tenant AND l.meeting_id = p_meeting
     ORDER BY l.start_ms, md5(l.key) LIMIT p_limit;
END $$;
GRANT EXECUTE ON FUNCTION moim.late_words(text, text, integer) TO moim_app;

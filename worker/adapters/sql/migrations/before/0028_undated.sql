-- Meetings that were read from files may have no date.
--
-- Safe while the old version still runs: the trigger takes the dates that it makes up.

-- `context.dating.dated`: a moment, or null where it is one of a meeting without a date, whose clock begins with 1970.
CREATE FUNCTION moim.dated(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_moment >= timestamptz '1971-01-01 00:00:00+00' THEN p_moment END
$$;
GRANT EXECUTE ON FUNCTION moim.dated(timestamptz) TO moim_app;

-- The list of meetings has no dates but true ones.
CREATE FUNCTION moim.date_meeting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.started_at := moim.dated(NEW.started_at);
    NEW.ended_at := moim.dated(NEW.ended_at);
    RETURN NEW;
END $$;
CREATE TRIGGER date_meeting BEFORE INSERT OR UPDATE OF started_at, ended_at ON moim.meetings
    FOR EACH ROW EXECUTE FUNCTION moim.date_meeting();

SET LOCAL lock_timeout = '5s';
ALTER TABLE moim.meetings NO FORCE ROW LEVEL SECURITY;
UPDATE moim.meetings SET started_at = started_at, ended_at = ended_at -- through the trigger
 WHERE started_at IS NOT NULL AND moim.dated(started_at) IS NULL;
ALTER TABLE moim.meetings FORCE ROW LEVEL SECURITY;

-- As before (0020), but a meeting that was read from a file counts from when it was put on record.
CREATE OR REPLACE FUNCTION moim.open_push_feed(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    INSERT INTO moim.push_feeds (tenant) VALUES (p_tenant) ON CONFLICT DO NOTHING;
    INSERT INTO moim.pushes (tenant, meeting_id)
    SELECT m.tenant, m.id FROM moim.meetings m
     WHERE m.tenant = p_tenant AND m.status IN ('wanted', 'live')
    ON CONFLICT DO NOTHING;
    UPDATE moim.pushes p SET over = 'sent'
      FROM moim.meetings m
     WHERE p.tenant = p_tenant AND p.over IS NULL AND m.tenant = p.tenant AND m.id = p.meeting_id
       AND m.status IN ('ended', 'failed')
       AND greatest(m.ended_at, m.created_at) <= clock_timestamp() - interval '1 minute'
       AND p.claimed_until <= clock_timestamp()
       AND NOT EXISTS (SELECT FROM moim.events e
                        WHERE e.tenant = p.tenant AND e.meeting_id = p.meeting_id AND e.seq = p.sent_until + 1)
       AND (greatest(m.ended_at, m.created_at) <= clock_timestamp() - interval '1 hour'
            OR NOT EXISTS (SELECT FROM moim.summaries s
                            WHERE s.tenant = p.tenant AND s.meeting_id = p.meeting_id
                              AND s.status = 'IN_PROGRESS'));
END $$;

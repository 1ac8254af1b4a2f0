-- A webhook that is configured later begins then, and does not get what was said before.
--
-- Safe while the old version still runs: it opens feeds by the same function, and closes none.

-- As before (0020), but meetings that were open when the feed is opened are followed from there on. What began
-- at the same moment, and so is found here by a later call only, is followed from its beginning.
CREATE OR REPLACE FUNCTION moim.open_push_feed(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opened boolean;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    INSERT INTO moim.push_feeds (tenant) VALUES (p_tenant) ON CONFLICT DO NOTHING;
    opened := FOUND;
    INSERT INTO moim.pushes (tenant, meeting_id, sent_until)
    SELECT m.tenant, m.id,
           CASE WHEN opened THEN coalesce((SELECT max(e.seq) FROM moim.events e
                                            WHERE e.tenant = m.tenant AND e.meeting_id = m.id), 0)
                ELSE 0 END
      FROM moim.meetings m
     WHERE m.tenant = p_tenant AND m.status IN ('wanted', 'live')
    ON CONFLICT DO NOTHING;
    UPDATE moim.pushes p SET over = 'sent'
      FROM moim.meetings m
     WHERE p.tenant = p_tenant AND p.over IS NULL AND m.tenant = p.tenant AND m.id = p.meeting_id
       AND m.status IN ('ended', 'failed') AND m.ended_at <= clock_timestamp() - interval '1 minute'
       AND p.claimed_until <= clock_timestamp()
       AND NOT EXISTS (SELECT FROM moim.events e
                        WHERE e.tenant = p.tenant AND e.meeting_id = p.meeting_id AND e.seq = p.sent_until + 1)
       AND (m.ended_at <= clock_timestamp() - interval '1 hour'
            OR NOT EXISTS (SELECT FROM moim.summaries s
                            WHERE s.tenant = p.tenant AND s.meeting_id = p.meeting_id
                              AND s.status = 'IN_PROGRESS'));
END $$;

-- This tenant does not push any more: nothing is kept for a webhook that is configured later. The app may delete
-- no row itself, so this is done with its owner's rights.
CREATE FUNCTION moim.close_push_feed(p_tenant text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    DELETE FROM moim.push_feeds WHERE tenant = p_tenant;
    DELETE FROM moim.pushes WHERE tenant = p_tenant AND over IS NULL;
END $$;

REVOKE ALL ON FUNCTION moim.close_push_feed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION moim.close_push_feed TO moim_app;

-- A model's draft may come when its meeting is over: the minutes are pushed again with it.
--
-- Safe while the old version still runs: it only lets go of a meeting later than before.

-- As before (0002), but a meeting whose draft is still awaited is followed for up to an hour.
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
       AND m.status IN ('ended', 'failed') AND m.ended_at <= clock_timestamp() - interval '1 minute'
       AND p.claimed_until <= clock_timestamp()
       AND NOT EXISTS (SELECT FROM moim.events e
                        WHERE e.tenant = p.tenant AND e.meeting_id = p.meeting_id AND e.seq = p.sent_until + 1)
       AND (m.ended_at <= clock_timestamp() - interval '1 hour'
            OR NOT EXISTS (SELECT FROM moim.summaries s
                            WHERE s.tenant = p.tenant AND s.meeting_id = p.meeting_id
                              AND s.status = 'IN_PROGRESS'));
END $$;

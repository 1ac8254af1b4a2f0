-- Transcript push: how far each meeting's record has been sent to the webhook.
--
-- Whoever sends asks for meetings with something to send, has them for himself for some seconds, and
-- writes down how far he came. The record itself is the queue: nothing is written when a word is heard.

-- The tenants that push. Once a tenant is here, each of its meetings is followed from its first event.
CREATE TABLE moim.push_feeds (
    tenant text        NOT NULL PRIMARY KEY CHECK (length(tenant) BETWEEN 1 AND 200),
    since  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE moim.pushes (
    tenant        text        NOT NULL,
    meeting_id    text        NOT NULL,
    sent_until    bigint      NOT NULL DEFAULT 0, -- the last event that was sent, or had nothing to send
    failures      integer     NOT NULL DEFAULT 0, -- in a row, of what comes next
    due_at        timestamptz NOT NULL DEFAULT '-infinity',
    claim         text,
    claimed_until timestamptz NOT NULL DEFAULT '-infinity',
    over          text        CHECK (over IN ('sent', 'gone')), -- nothing will follow, or nobody wants it
    last_error    text,
    PRIMARY KEY (tenant, meeting_id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
) WITH (fillfactor = 50);
CREATE INDEX pushes_open ON moim.pushes (tenant, due_at) WHERE over IS NULL;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['push_feeds', 'pushes'] LOOP
        EXECUTE format('ALTER TABLE moim.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE moim.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_tenant ON moim.%I USING (tenant = current_setting(''moim.tenant'', true))'
                       ' WITH CHECK (tenant = current_setting(''moim.tenant'', true))', name);
    END LOOP;
END $$;

GRANT SELECT, INSERT ON moim.push_feeds TO moim_app;
GRANT SELECT, INSERT, UPDATE ON moim.pushes TO moim_app;

-- With the meeting, in its transaction: none is missed, however short it was.
CREATE FUNCTION moim.follow_meeting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO moim.pushes (tenant, meeting_id)
    SELECT NEW.tenant, NEW.id FROM moim.push_feeds f WHERE f.tenant = NEW.tenant
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER follow_meeting AFTER INSERT ON moim.meetings
    FOR EACH ROW EXECUTE FUNCTION moim.follow_meeting();

-- This tenant pushes; its open meetings are followed from their beginning. Called now and again: then
-- those that have been over for a minute (a spool may bring late words until then) and are sent to their
-- last event are let go.
CREATE FUNCTION moim.open_push_feed(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
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
                        WHERE e.tenant = p.tenant AND e.meeting_id = p.meeting_id AND e.seq = p.sent_until + 1);
END $$;

-- Up to `p_limit` meetings with something to send, for this claim alone until it runs out. Two claimers
-- at once skip each other's rows. Those that wait longest come first. The record's numbers have no holes,
-- so one look per meeting tells; a subquery and not EXISTS, which would be planned as a join with all events.
CREATE FUNCTION moim.claim_pushes(p_tenant text, p_claim text, p_limit integer, p_lease_s float8)
RETURNS TABLE (meeting_id text, room text, title text, sent_until bigint, failures integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    RETURN QUERY
    WITH due AS (
        SELECT p.meeting_id FROM moim.pushes p
         WHERE p.tenant = p_tenant AND p.over IS NULL
           AND p.due_at <= clock_timestamp() AND p.claimed_until <= clock_timestamp()
           AND (SELECT true FROM moim.events e
                 WHERE e.tenant = p.tenant AND e.meeting_id = p.meeting_id AND e.seq = p.sent_until + 1)
         ORDER BY p.due_at
         LIMIT p_limit
           FOR UPDATE OF p SKIP LOCKED
    )
    UPDATE moim.pushes p
       SET claim = p_claim, claimed_until = clock_timestamp() + make_interval(secs => p_lease_s)
      FROM due, moim.meetings m
     WHERE p.tenant = p_tenant AND p.meeting_id = due.meeting_id AND m.tenant = p.tenant AND m.id = p.meeting_id
    RETURNING p.meeting_id, m.room, m.title, p.sent_until, p.failures;
END $$;

-- How far this claim came; it ends with that. False: it had run out, and another has the meeting.
CREATE FUNCTION moim.settle_push(
    p_tenant text, p_meeting text, p_claim text, p_sent_until bigint, p_failures integer, p_retry_s float8,
    p_error text, p_gone boolean
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    UPDATE moim.pushes
       SET sent_until = p_sent_until, failures = p_failures, last_error = p_error,
           claim = NULL, claimed_until = '-infinity',
           due_at = clock_timestamp() + make_interval(secs => p_retry_s),
           over = CASE WHEN p_gone THEN 'gone' END
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND claim = p_claim AND sent_until <= p_sent_until;
    RETURN FOUND;
END $$;

GRANT EXECUTE ON FUNCTION moim.open_push_feed, moim.claim_pushes, moim.settle_push TO moim_app;

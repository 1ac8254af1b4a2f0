-- Access: who is let in, where the record is sent to, and what the app's own role may do.

-- Links that let somebody in to one meeting's page. The secret itself is kept nowhere.
CREATE TABLE moim.links (
    tenant       text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    id           text        NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
    meeting_id   text        NOT NULL,
    digest       bytea       NOT NULL, -- SHA-256 of the secret
    may_edit     boolean     NOT NULL,
    made_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz NOT NULL,
    withdrawn_at timestamptz,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX links_digest ON moim.links (tenant, digest);
CREATE INDEX links_meeting ON moim.links (tenant, meeting_id);

-- Sessions of browsers on the pages.
CREATE TABLE moim.sessions (
    tenant        text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    id            text        NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
    kind          text        NOT NULL CHECK (kind IN ('api', 'pages', 'link')), -- what was signed in with
    link_id       text,                                                          -- where that was a link
    administrator boolean     NOT NULL,
    made_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at    timestamptz NOT NULL,
    ended_at      timestamptz,                                                   -- somebody signed out
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, link_id) REFERENCES moim.links (tenant, id) ON DELETE CASCADE,
    CHECK ((kind = 'link') = (link_id IS NOT NULL))
);
CREATE INDEX sessions_link ON moim.sessions (tenant, link_id) WHERE link_id IS NOT NULL;
CREATE INDEX sessions_expired ON moim.sessions (tenant, expires_at);

-- The key that signs their cookies, drawn by whichever dispatcher needs it first. Nobody changes one: the app's role
-- may only add and read.
CREATE TABLE moim.keys (
    tenant  text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    name    text        NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    key     bytea       NOT NULL CHECK (length(key) >= 32),
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, name)
);

-- Transcript push: how far each meeting's record has been sent to the webhook.
--
-- Whoever sends asks for meetings with something to send, has them for himself for some seconds, and
-- writes down how far he came. The record itself is the queue: nothing is written when a word is heard.

-- The tenants that push. Once a tenant is here, each meeting that begins is followed from its first event.
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

-- This tenant pushes. Meetings that were open when its feed is opened are followed from there on; what began
-- at the same moment, and so is found here by a later call only, is followed from its beginning. Called now and again:
-- then those that have been over for a minute (a spool may bring late words until then) and are sent to their
-- last event are let go; one whose draft is still awaited is followed for up to an hour.
CREATE FUNCTION moim.open_push_feed(p_tenant text) RETURNS void LANGUAGE plpgsql AS $$
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

-- Row-level security, which binds the owner as well: a transaction sees the rows of the tenant that it names. (The
-- vectors' table is made later, and has the same rule from `make_passage_vectors`.)
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT relname FROM pg_class
                 WHERE relnamespace = 'moim'::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations' LOOP
        EXECUTE format('ALTER TABLE moim.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE moim.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_tenant ON moim.%I USING (tenant = current_setting(''moim.tenant'', true))'
                       ' WITH CHECK (tenant = current_setting(''moim.tenant'', true))', name);
    END LOOP;
END $$;

-- What the app needs and nothing more. What was recorded, wished for or done it adds to and reads; that is emptied only
-- by `erase_words`, with its owner's rights.
GRANT SELECT, INSERT ON moim.events, moim.utterances, moim.gaps, moim.invocations, moim.replies, moim.wishes,
    moim.erasures, moim.erasure_steps, moim.audit, moim.keys, moim.push_feeds TO moim_app;
-- What goes on, or has one newest state, it changes as well.
GRANT SELECT, INSERT, UPDATE ON moim.meetings, moim.leases, moim.participants, moim.summaries,
    moim.conversation_summaries, moim.snapshots, moim.snapshot_topics, moim.consents, moim.pushes TO moim_app;
GRANT SELECT ON moim.current_summaries TO moim_app;
-- What waits, is derived, or was let in for a while it deletes.
GRANT SELECT, INSERT, DELETE ON moim.late_events TO moim_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.waiting_speech, moim.recordings, moim.recording_parts, moim.room_keys,
    moim.full_workers, moim.passages, moim.documents, moim.links, moim.sessions TO moim_app;

GRANT EXECUTE ON FUNCTION
    moim.want_meeting, moim.want_by_wish, moim.want_with_key, moim.want_recording, moim.mark_live, moim.mark_ended,
    moim.request_end, moim.dated,
    moim.holds, moim.acquire_lease, moim.renew_lease, moim.renew_leases, moim.release_lease, moim.reopen_lease,
    moim.takeovers_lately, moim.takeover_wait, moim.taken_over_later, moim.crash_wait, moim.same_worker,
    moim.append_events, moim.append_many, moim.keep_course, moim.project, moim.keep_utterance, moim.keep_summary,
    moim.keep_thread_summary, moim.covered_by_turns,
    moim.late_words, moim.save_snapshot, moim.save_changes, moim.keep_passages,
    moim.known_as, moim.ask_erasure(text, text, jsonb, text, text, text),
    moim.ask_erasure(text, text, jsonb, text, text, text, jsonb), moim.refuse_erasure, moim.erase_words,
    moim.show_words,
    moim.open_push_feed, moim.close_push_feed, moim.claim_pushes, moim.settle_push
    TO moim_app;
-- These have their owner's rights, or are called by the owner or by such functions alone.
REVOKE EXECUTE ON FUNCTION moim.erase_words, moim.refuse_erasure, moim.show_words, moim.close_push_feed,
    moim.ask_for_answers_that_quote, moim.make_passage_vectors, moim.rebuild_conversation_summaries FROM PUBLIC;

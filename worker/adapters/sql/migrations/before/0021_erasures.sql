-- Words that people take back: what was asked for, how far it has come, and the one way to change what is recorded.
--
-- Safe while the old version still runs: it asks for nothing here. A meeting that it holds is erased once a new
-- one holds it.

-- A wish. `target` names ids and times, never words. Done once every meeting of it is.
CREATE TABLE moim.erasures (
    tenant   text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    id       text        NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    target   jsonb       NOT NULL,
    by       text        NOT NULL,
    why      text        NOT NULL DEFAULT '',
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, id)
);

-- One meeting of it. `counts`: by kind, how much was emptied.
CREATE TABLE moim.erasure_steps (
    tenant     text        NOT NULL,
    erasure_id text        NOT NULL,
    meeting_id text        NOT NULL,
    done_at    timestamptz,
    counts     jsonb,
    PRIMARY KEY (tenant, erasure_id, meeting_id),
    FOREIGN KEY (tenant, erasure_id) REFERENCES moim.erasures (tenant, id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);
CREATE INDEX erasure_steps_open ON moim.erasure_steps (tenant, meeting_id) WHERE done_at IS NULL;
CREATE INDEX erasure_steps_done ON moim.erasure_steps (tenant, done_at);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['erasures', 'erasure_steps'] LOOP
        EXECUTE format('ALTER TABLE moim.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE moim.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_tenant ON moim.%I USING (tenant = current_setting(''moim.tenant'', true))'
                       ' WITH CHECK (tenant = current_setting(''moim.tenant'', true))', name);
    END LOOP;
END $$;
GRANT SELECT, INSERT ON moim.erasures, moim.erasure_steps TO moim_app;

-- Ask for one, once. Its meetings: the named one, or all in which the person was or asked. How many there are;
-- null: the meeting is unknown.
CREATE FUNCTION moim.ask_erasure(p_tenant text, p_id text, p_target jsonb, p_meeting text, p_by text, p_why text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    person text := p_target->>'person';
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF p_meeting IS NOT NULL THEN
        PERFORM FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO moim.erasures (tenant, id, target, by, why) VALUES (p_tenant, p_id, p_target, p_by, p_why)
    ON CONFLICT DO NOTHING;
    INSERT INTO moim.erasure_steps (tenant, erasure_id, meeting_id)
    SELECT p_tenant, p_id, m.id FROM moim.meetings m
     WHERE m.tenant = p_tenant
       AND (m.id = p_meeting OR p_meeting IS NULL AND (
               EXISTS (SELECT FROM moim.participants p WHERE p.tenant = p_tenant AND p.meeting_id = m.id
                                                         AND md5(p.id) = md5(person) AND p.id = person)
            OR EXISTS (SELECT FROM moim.utterances u WHERE u.tenant = p_tenant AND u.meeting_id = m.id
                                                       AND u.speaker_id = person)
            OR EXISTS (SELECT FROM moim.invocations i WHERE i.tenant = p_tenant AND i.meeting_id = m.id
                                                        AND i.asker = person)))
    ON CONFLICT DO NOTHING;
    IF p_meeting IS NULL THEN -- an id that may read nothing stands in its place: an empty list would let everybody
        UPDATE moim.documents SET access = array_replace(access, person, '(erased)')
         WHERE tenant = p_tenant AND person = ANY(access);
        UPDATE moim.passages SET access = array_replace(access, person, '(erased)')
         WHERE tenant = p_tenant AND person = ANY(access);
    END IF;
    RETURN (SELECT count(*) FROM moim.erasure_steps WHERE tenant = p_tenant AND erasure_id = p_id);
END $$;

-- Take the words out of one meeting: events as they are without them, and all that was read off these. The
-- snapshot goes, the passages too: both are made again. `ok` or `fenced`. With the owner's rights, because the
-- app may change nothing that is recorded but here; the tenant's policies hold for the owner as well.
CREATE FUNCTION moim.erase_words(
    p_tenant text, p_meeting text, p_epoch bigint, p_erasure text, p_events jsonb, p_utterances bigint[]
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    wish moim.erasures;
    item jsonb;
    e jsonb;
    number bigint;
    emptied bigint := 0;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN 'fenced';
    END IF;
    SELECT * INTO STRICT wish FROM moim.erasures WHERE tenant = p_tenant AND id = p_erasure;
    FOR item IN SELECT value FROM jsonb_array_elements(p_events) LOOP
        e := item->'payload';
        number := (item->>'seq')::bigint;
        UPDATE moim.events SET payload = e
         WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number AND kind = e->>'kind';
        emptied := emptied + 1;
        CASE e->>'kind'
        WHEN 'question_asked' THEN
            UPDATE moim.invocations SET text = e->'invocation'->>'text'
             WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number;
        WHEN 'answer_given' THEN
            UPDATE moim.replies SET reply = e->'reply'
             WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number;
        WHEN 'summary_ready' THEN
            UPDATE moim.summaries SET text = coalesce(e->'content'->>'text', ''), content = e->'content'
             WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number AND status = 'COMPLETED';
        WHEN 'thread_summary_ready' THEN
            UPDATE moim.conversation_summaries SET summary_text = coalesce(e->>'text', '')
             WHERE tenant = p_tenant AND conversation_id = p_meeting AND seq = number AND status = 'COMPLETED';
        WHEN 'meeting_opened' THEN
            UPDATE moim.meetings SET title = NULL WHERE tenant = p_tenant AND id = p_meeting;
        ELSE
            NULL;
        END CASE;
    END LOOP;
    UPDATE moim.utterances SET text = ''
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND id = ANY(p_utterances);
    DELETE FROM moim.late_events
     WHERE tenant = p_tenant AND meeting_id = p_meeting
       AND (wish.target->>'what' = 'meeting' OR payload->>'speaker_id' = wish.target->>'person');
    DELETE FROM moim.snapshot_topics WHERE tenant = p_tenant AND meeting_id = p_meeting;
    DELETE FROM moim.snapshots WHERE tenant = p_tenant AND meeting_id = p_meeting;
    DELETE FROM moim.passages WHERE tenant = p_tenant AND corpus = 'meeting' AND source_id = p_meeting;
    -- Receivers hear of it, also where everything had been sent.
    UPDATE moim.pushes SET over = NULL, due_at = '-infinity'
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND over = 'sent' AND jsonb_array_length(p_events) > 0;
    UPDATE moim.erasure_steps
       SET done_at = clock_timestamp(),
           counts = jsonb_build_object('utterances', cardinality(p_utterances), 'events', emptied)
     WHERE tenant = p_tenant AND erasure_id = p_erasure AND meeting_id = p_meeting;
    RETURN 'ok';
END $$;
REVOKE EXECUTE ON FUNCTION moim.erase_words(text, text, bigint, text, jsonb, bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION moim.ask_erasure(text, text, jsonb, text, text, text),
                          moim.erase_words(text, text, bigint, text, jsonb, bigint[]) TO moim_app;

-- As before (0018), also for a meeting that failed: its words may be taken back as well.
CREATE OR REPLACE FUNCTION moim.reopen_lease(p_tenant text, p_meeting text, p_holder jsonb, p_ttl_s float8)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    lease moim.leases;
    taken bigint;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    SELECT * INTO lease FROM moim.leases WHERE tenant = p_tenant AND meeting_id = p_meeting FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting AND status IN ('ended', 'failed');
    IF NOT FOUND OR lease.expires_at > clock_timestamp() THEN
        RETURN 0;
    END IF;
    UPDATE moim.leases
       SET epoch = lease.epoch + 1, holder = p_holder,
           expires_at = clock_timestamp() + make_interval(secs => p_ttl_s)
     WHERE tenant = p_tenant AND meeting_id = p_meeting RETURNING epoch INTO taken;
    RETURN taken;
END $$;

-- A hold counts up to the moment of rewriting, and a mark on the record is a wish to rewrite it.
--
-- Safe while the old version still runs: it tries again what is refused, and what it asks for itself is there
-- already. Appends wait while the events are read once for marks (at the end).

-- As before (0021), but nothing of a meeting that is on hold (an exception); and a meeting gives up its title
-- with its words, also where nobody ever came to it.
CREATE OR REPLACE FUNCTION moim.erase_words(
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
    -- Whoever lays a hold on the meeting waits for this, or this for them.
    IF (SELECT held FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting FOR NO KEY UPDATE) THEN
        RAISE EXCEPTION 'meeting % is on hold: nothing of it is erased', p_meeting;
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
        ELSE
            NULL;
        END CASE;
    END LOOP;
    IF wish.target->>'what' = 'meeting' THEN
        UPDATE moim.meetings SET title = NULL WHERE tenant = p_tenant AND id = p_meeting;
    END IF;
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

-- As before (0024), and an erasure that was carried out in the meeting is asked for.
CREATE OR REPLACE FUNCTION moim.project(p_tenant text, p_meeting text, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE e->>'kind'
    WHEN 'participant_joined' THEN
        INSERT INTO moim.participants VALUES (p_tenant, p_meeting, e->>'participant_id',
            coalesce(nullif(e->>'name', ''), e->>'participant_id'))
        ON CONFLICT (tenant, meeting_id, md5(id)) DO UPDATE SET name = excluded.name WHERE e->>'name' <> '';
    WHEN 'consent_told' THEN
        INSERT INTO moim.consents (tenant, meeting_id, participant, agreed, how, told_by)
        VALUES (p_tenant, p_meeting, e->>'participant_id', (e->>'agreed')::boolean, e->>'how', e->>'told_by')
        ON CONFLICT (tenant, meeting_id, md5(participant)) DO UPDATE
           SET agreed = excluded.agreed, how = excluded.how, told_by = excluded.told_by,
               told_at = clock_timestamp();
        -- What they did themselves stands with the way (chat, page); what another told, with whom it is about.
        INSERT INTO moim.audit (tenant, who, how, action, meeting_id, subject)
        VALUES (p_tenant, left(coalesce(e->>'told_by', e->>'participant_id'), 400), 'meeting',
                CASE WHEN (e->>'agreed')::boolean THEN 'agreed' ELSE 'refused' END, p_meeting,
                CASE WHEN e->>'told_by' IS NULL THEN e->>'how' ELSE left(e->>'participant_id', 400) END);
    WHEN 'erased' THEN
        INSERT INTO moim.audit (tenant, who, how, action, meeting_id, subject)
        VALUES (p_tenant, left(e->>'by', 400), 'meeting', 'erased', p_meeting, left(e->'target'->>'person', 400));
        -- With the mark comes the wish to rewrite what is before it: its job may not live to ask for that.
        PERFORM moim.ask_erasure(p_tenant, e->>'id', e->'target', p_meeting, e->>'by', '');
    WHEN 'gap_noted' THEN
        INSERT INTO moim.gaps VALUES (p_tenant, p_meeting, p_seq, e->>'participant_id',
            (e->>'start_ms')::bigint, (e->>'end_ms')::bigint, e->>'reason');
    WHEN 'question_asked' THEN
        INSERT INTO moim.invocations VALUES (p_tenant, p_meeting, p_seq,
            e->'invocation'->>'id', e->'invocation'->>'by', e->'invocation'->>'via',
            e->'invocation'->>'text', coalesce((e->'invocation'->>'private')::boolean, false),
            (e->'invocation'->>'at_ms')::bigint)
        ON CONFLICT (tenant, meeting_id, md5(id)) DO NOTHING;
    WHEN 'answer_given' THEN
        INSERT INTO moim.replies VALUES (p_tenant, p_meeting, p_seq,
            e->'reply'->>'id', e->'reply'->>'invocation_id', e->'reply')
        ON CONFLICT (tenant, meeting_id, md5(invocation_id)) DO NOTHING;
    WHEN 'summary_started', 'summary_ready', 'summary_failed' THEN
        PERFORM moim.keep_summary(p_tenant, p_meeting, p_seq, e);
    WHEN 'thread_summary_started', 'thread_summary_ready', 'thread_summary_failed' THEN
        PERFORM moim.keep_thread_summary(p_tenant, p_meeting, p_seq, e);
    ELSE
        NULL;
    END CASE;
END $$;

-- Marks that were on the record before this: their job may have died before it asked. Asked for when they were
-- made, because retention looks for wishes since the end. A tenant's name is needed to see its rows, and the
-- names are in the rows.
SET LOCAL lock_timeout = '5s';
ALTER TABLE moim.events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE moim.erasures NO FORCE ROW LEVEL SECURITY;
ALTER TABLE moim.erasure_steps NO FORCE ROW LEVEL SECURITY;
INSERT INTO moim.erasures (tenant, id, target, by, asked_at)
SELECT tenant, payload->>'id', payload->'target', payload->>'by', recorded_at
  FROM moim.events WHERE kind = 'erased'
ON CONFLICT DO NOTHING;
INSERT INTO moim.erasure_steps (tenant, erasure_id, meeting_id)
SELECT tenant, payload->>'id', meeting_id FROM moim.events WHERE kind = 'erased'
ON CONFLICT DO NOTHING;
ALTER TABLE moim.events FORCE ROW LEVEL SECURITY;
ALTER TABLE moim.erasures FORCE ROW LEVEL SECURITY;
ALTER TABLE moim.erasure_steps FORCE ROW LEVEL SECURITY;

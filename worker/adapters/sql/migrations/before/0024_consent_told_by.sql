-- Who told a consent for somebody else: a program's user, an operator. Empty: they themselves.
ALTER TABLE moim.consents ADD COLUMN told_by text CHECK (length(told_by) <= 1000);

-- As before (0023), and through whom a consent was told.
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

-- How long a meeting's words are kept, and who did what with them.
--
-- Safe while the old version still runs: both columns have defaults that keep everything.

ALTER TABLE moim.meetings
    ADD COLUMN keep_days integer CHECK (keep_days BETWEEN 1 AND 36500), -- null: as the dispatcher is set
    ADD COLUMN held      boolean NOT NULL DEFAULT false;                -- nothing of it is erased meanwhile

-- Who did what, without content. Nobody changes or deletes a row: the app's role may only add and read.
CREATE TABLE moim.audit (
    tenant     text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    who        text        NOT NULL CHECK (length(who) <= 400),
    how        text        NOT NULL CHECK (how IN ('http', 'command', 'meeting')),
    action     text        NOT NULL CHECK (length(action) <= 40),
    meeting_id text        CHECK (length(meeting_id) <= 200),
    subject    text        CHECK (length(subject) <= 400)
);
CREATE INDEX audit_newest ON moim.audit (tenant, at DESC);

ALTER TABLE moim.audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.audit FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.audit USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT ON moim.audit TO moim_app;

-- As before (0022), and what people decide in a meeting is in the log with the event.
CREATE OR REPLACE FUNCTION moim.project(p_tenant text, p_meeting text, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE e->>'kind'
    WHEN 'participant_joined' THEN
        INSERT INTO moim.participants VALUES (p_tenant, p_meeting, e->>'participant_id',
            coalesce(nullif(e->>'name', ''), e->>'participant_id'))
        ON CONFLICT (tenant, meeting_id, md5(id)) DO UPDATE SET name = excluded.name WHERE e->>'name' <> '';
    WHEN 'consent_told' THEN
        INSERT INTO moim.consents VALUES (p_tenant, p_meeting, e->>'participant_id', (e->>'agreed')::boolean, e->>'how')
        ON CONFLICT (tenant, meeting_id, md5(participant)) DO UPDATE
           SET agreed = excluded.agreed, how = excluded.how, told_at = clock_timestamp();
        INSERT INTO moim.audit (tenant, who, how, action, meeting_id, subject)
        VALUES (p_tenant, left(e->>'participant_id', 400), 'meeting',
                CASE WHEN (e->>'agreed')::boolean THEN 'agreed' ELSE 'refused' END, p_meeting, e->>'how');
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

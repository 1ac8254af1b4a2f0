-- What people said to being heard, as rows: for a standby, which keeps their sound before it holds the meeting,
-- and for later meetings of the same person. Written with its event.
--
-- Safe while the old version still runs: it records nobody's consent.

CREATE TABLE moim.consents (
    tenant      text        NOT NULL,
    meeting_id  text        NOT NULL,
    participant text        NOT NULL CHECK (length(participant) BETWEEN 1 AND 1000),
    agreed      boolean     NOT NULL,
    how         text        NOT NULL,
    told_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);
CREATE UNIQUE INDEX consents_one ON moim.consents (tenant, meeting_id, md5(participant));
CREATE INDEX consents_person ON moim.consents (tenant, md5(participant), told_at DESC);

ALTER TABLE moim.consents ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.consents FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.consents USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE ON moim.consents TO moim_app;

-- As before (0019), and what people say to being heard.
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

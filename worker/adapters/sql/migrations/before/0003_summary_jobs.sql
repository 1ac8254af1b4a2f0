-- A summary job is a row from its start: IN_PROGRESS, then COMPLETED or FAILED.
--
-- Safe while the old version still runs: it records no `summary_started`, and its rows appear when a job
-- comes back, as before.

ALTER TABLE moim.summaries
    ADD COLUMN turns integer,             -- utterances that this version folded in
    ADD COLUMN source_tokens integer,     -- of those utterances
    ADD COLUMN text_tokens integer,       -- of the summary's text
    ADD COLUMN started_at timestamptz,
    ADD COLUMN deadline_at timestamptz,   -- IN_PROGRESS beyond it is stale: whoever takes over starts it again
    ADD COLUMN ended_at timestamptz;

-- Neither a job under way nor a failed one has anything that could pass for a summary.
ALTER TABLE moim.summaries ADD CONSTRAINT summaries_content_only_completed
    CHECK (status = 'COMPLETED' OR (text IS NULL AND content IS NULL)) NOT VALID;
ALTER TABLE moim.summaries VALIDATE CONSTRAINT summaries_content_only_completed;

-- One job at a time per topic; the primary key has one row per version.
CREATE UNIQUE INDEX summaries_one_in_progress ON moim.summaries (tenant, meeting_id, topic_id)
    WHERE status = 'IN_PROGRESS';

-- The summary that counts for each topic: the last one that was completed, whatever failed since.
CREATE VIEW moim.current_summaries WITH (security_invoker = true) AS
SELECT DISTINCT ON (tenant, meeting_id, topic_id) *
  FROM moim.summaries
 WHERE status = 'COMPLETED'
 ORDER BY tenant, meeting_id, topic_id, version DESC;
GRANT SELECT ON moim.current_summaries TO moim_app;

-- The course of one summary job, from its event. A version that is completed stays as it is; one that is
-- started again (after a failure, or by a new holder) has its time anew and no error any more. A topic
-- that was split loses its job: what was under way for an older version is failed by the next start.
CREATE FUNCTION moim.keep_summary(p_tenant text, p_meeting text, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE e->>'kind'
    WHEN 'summary_started' THEN
        UPDATE moim.summaries SET status = 'FAILED', error = 'superseded', ended_at = clock_timestamp()
         WHERE tenant = p_tenant AND meeting_id = p_meeting AND topic_id = e->>'topic_id'
           AND status = 'IN_PROGRESS' AND version <> (e->>'version')::int;
        INSERT INTO moim.summaries (tenant, meeting_id, topic_id, version, status, seq, covered_until,
                                    reason, turns, source_tokens, started_at, deadline_at)
        VALUES (p_tenant, p_meeting, e->>'topic_id', (e->>'version')::int, 'IN_PROGRESS', p_seq,
                (e->>'covered_until')::bigint, e->>'reason', (e->>'turns')::int, (e->>'tokens')::int,
                clock_timestamp(), clock_timestamp() + interval '60 seconds')
        ON CONFLICT (tenant, meeting_id, topic_id, version) DO UPDATE
           SET status = excluded.status, seq = excluded.seq, covered_until = excluded.covered_until,
               reason = excluded.reason, turns = excluded.turns, source_tokens = excluded.source_tokens,
               started_at = excluded.started_at, deadline_at = excluded.deadline_at,
               ended_at = NULL, error = NULL
         WHERE moim.summaries.status <> 'COMPLETED';
    WHEN 'summary_ready' THEN
        INSERT INTO moim.summaries AS s (tenant, meeting_id, topic_id, version, status, seq, text, content,
                                         covered_until, engine, reason, latency_ms, text_tokens, ended_at)
        VALUES (p_tenant, p_meeting, e->>'topic_id', (e->>'version')::int, 'COMPLETED', p_seq,
                coalesce(e->'content'->>'text', ''), e->'content', (e->>'covered_until')::bigint,
                e->>'engine', e->>'reason', (e->>'latency_ms')::bigint, (e->>'tokens')::int,
                clock_timestamp())
        ON CONFLICT (tenant, meeting_id, topic_id, version) DO UPDATE
           SET status = excluded.status, seq = excluded.seq, text = excluded.text,
               content = excluded.content, covered_until = excluded.covered_until,
               engine = excluded.engine, reason = excluded.reason, latency_ms = excluded.latency_ms,
               text_tokens = excluded.text_tokens, ended_at = excluded.ended_at, error = NULL
         WHERE s.status <> 'COMPLETED';
    WHEN 'summary_failed' THEN
        INSERT INTO moim.summaries AS s (tenant, meeting_id, topic_id, version, status, seq, error, ended_at)
        VALUES (p_tenant, p_meeting, e->>'topic_id', (e->>'version')::int, 'FAILED', p_seq, e->>'error',
                clock_timestamp())
        ON CONFLICT (tenant, meeting_id, topic_id, version) DO UPDATE
           SET status = excluded.status, seq = excluded.seq, error = excluded.error,
               ended_at = excluded.ended_at
         WHERE s.status <> 'COMPLETED';
    END CASE;
END $$;

-- Write the other projections of one event (anew: summaries have a function of their own).
CREATE OR REPLACE FUNCTION moim.project(p_tenant text, p_meeting text, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE e->>'kind'
    WHEN 'participant_joined' THEN
        INSERT INTO moim.participants VALUES (p_tenant, p_meeting, e->>'participant_id',
            coalesce(nullif(e->>'name', ''), e->>'participant_id'))
        ON CONFLICT (tenant, meeting_id, md5(id)) DO UPDATE SET name = excluded.name WHERE e->>'name' <> '';
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
    ELSE
        NULL;
    END CASE;
END $$;

GRANT EXECUTE ON FUNCTION moim.keep_summary TO moim_app;

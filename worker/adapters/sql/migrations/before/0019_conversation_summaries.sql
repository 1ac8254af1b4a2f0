-- Summaries of the agent's thread as rows (seed 003's `conversation_summaries`): every attempt at every version,
-- written with its events and made again from them. A conversation is a meeting's thread and has its id.
--
-- Safe while the old version still runs: it records no `thread_summary_started`, and its rows appear when a
-- summary comes back, with what the record tells of them.

CREATE TABLE moim.conversation_summaries (
    tenant                   text        NOT NULL,
    id                       text        NOT NULL,
    conversation_id          text        NOT NULL,
    summary_text             text,
    covered_until_message_id text,
    covered_message_count    integer     NOT NULL DEFAULT 0,
    covered_token_count      integer,
    summary_version          integer     NOT NULL DEFAULT 1,
    status                   text        NOT NULL DEFAULT 'IN_PROGRESS'
                                         CHECK (status IN ('IN_PROGRESS', 'COMPLETED', 'FAILED')),
    created_at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    error                    text,
    seq                      bigint      NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, conversation_id) REFERENCES moim.meetings (tenant, id) ON DELETE CASCADE,
    CHECK ((status = 'COMPLETED') = (summary_text IS NOT NULL)),
    CHECK ((status = 'FAILED') = (error IS NOT NULL)),
    CHECK (status = 'FAILED' OR covered_until_message_id IS NOT NULL)
);
COMMENT ON COLUMN moim.conversation_summaries.covered_until_message_id IS
    'The answer (or its mark) up to which the thread is covered. Null: an attempt that failed before attempts were recorded.';
COMMENT ON COLUMN moim.conversation_summaries.covered_token_count IS
    'Null: summarised before attempts were recorded; nobody counted.';
COMMENT ON COLUMN moim.conversation_summaries.created_at IS
    'IN_PROGRESS longer than 60 s: its holder is gone, and whoever takes the meeting over begins again.';
COMMENT ON COLUMN moim.conversation_summaries.seq IS 'The event that wrote it last.';

CREATE INDEX conversation_summaries_conversation ON moim.conversation_summaries (tenant, conversation_id, summary_version);
-- One job at a time per conversation.
CREATE UNIQUE INDEX conversation_summaries_one_in_progress ON moim.conversation_summaries (tenant, conversation_id)
    WHERE status = 'IN_PROGRESS';

ALTER TABLE moim.conversation_summaries ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.conversation_summaries FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.conversation_summaries USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE ON moim.conversation_summaries TO moim_app;

-- What a summary covers whose beginning is not on the record: the last message of its last turn, and how many
-- messages the turns up to it have (a question, each tool's call and result, an answer or its mark).
CREATE FUNCTION moim.covered_by_turns(
    p_tenant text, p_meeting text, p_seq bigint, OUT until_message text, OUT messages integer
) LANGUAGE sql STABLE AS $$
    WITH last AS (
        SELECT max(turn.number::int) AS number
          FROM moim.events e, jsonb_array_elements_text(e.payload->'turns') AS turn (number)
         WHERE e.tenant = p_tenant AND e.meeting_id = p_meeting AND e.seq <= p_seq AND e.kind = 'thread_summary_ready'
    ), turns AS (
        SELECT i.id, row_number() OVER (ORDER BY i.seq) AS number
          FROM moim.invocations i WHERE i.tenant = p_tenant AND i.meeting_id = p_meeting AND NOT i.private
    ), closed AS (
        SELECT t.number, 2 + 2 * coalesce(jsonb_array_length(r.reply->'tools'), 0) AS messages, coalesce(r.id, (
                 SELECT t.id || ':' || (d.payload->>'why') FROM moim.events d
                  WHERE d.tenant = p_tenant AND d.meeting_id = p_meeting AND d.kind = 'answer_dropped'
                    AND d.payload->>'invocation_id' = t.id ORDER BY d.seq LIMIT 1)) AS ended_by
          FROM turns t
          LEFT JOIN moim.replies r
            ON r.tenant = p_tenant AND r.meeting_id = p_meeting AND md5(r.invocation_id) = md5(t.id)
         WHERE t.number <= (SELECT number FROM last)
    )
    SELECT (SELECT ended_by FROM closed ORDER BY number DESC LIMIT 1), (SELECT sum(c.messages)::int FROM closed c)
$$;

-- Keep one event of a thread's summaries. An attempt that begins fails the one that was under way: its holder is
-- gone. What comes back completes or fails the attempt under way at that version; a completed one stays.
CREATE FUNCTION moim.keep_thread_summary(p_tenant text, p_meeting text, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    made_version int := (e->>'version')::int;
    attempt_id text := format('%s/v%s.%s', p_meeting, e->>'version', e->>'attempt');
    written text := btrim(e->>'text', E' \t\r\n');
    recorded timestamptz;
    earlier int;
BEGIN
    SELECT recorded_at INTO recorded FROM moim.events
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = p_seq;
    IF e->>'kind' = 'thread_summary_started' THEN
        UPDATE moim.conversation_summaries SET status = 'FAILED', error = 'superseded', seq = p_seq
         WHERE tenant = p_tenant AND conversation_id = p_meeting AND status = 'IN_PROGRESS' AND id <> attempt_id;
        INSERT INTO moim.conversation_summaries AS s (tenant, id, conversation_id, covered_until_message_id,
                    covered_message_count, covered_token_count, summary_version, created_at, seq)
        VALUES (p_tenant, attempt_id, p_meeting, e->>'covered_until_message_id',
                (e->>'covered_message_count')::int, (e->>'covered_token_count')::int, made_version, recorded, p_seq)
        ON CONFLICT (tenant, id) DO UPDATE
           SET status = 'IN_PROGRESS', error = NULL, created_at = excluded.created_at, seq = excluded.seq
         WHERE s.status <> 'COMPLETED' AND s.conversation_id = excluded.conversation_id;
        RETURN;
    END IF;
    UPDATE moim.conversation_summaries
       SET status = CASE WHEN written <> '' THEN 'COMPLETED' ELSE 'FAILED' END, summary_text = nullif(written, ''),
           error = CASE WHEN written <> '' THEN NULL ELSE coalesce(e->>'error', 'it covers nothing that is due') END,
           seq = p_seq
     WHERE tenant = p_tenant AND conversation_id = p_meeting AND summary_version = made_version
       AND status = 'IN_PROGRESS';
    IF FOUND THEN
        RETURN;
    END IF;
    -- Its beginning is not on the record, or it has come twice.
    SELECT count(*) FILTER (WHERE summary_version = made_version) INTO earlier FROM moim.conversation_summaries
     WHERE tenant = p_tenant AND conversation_id = p_meeting
    HAVING count(*) FILTER (WHERE summary_version = made_version AND status = 'COMPLETED') = 0;
    IF earlier IS NULL OR (e->>'kind' = 'thread_summary_ready' AND coalesce(written, '') = '') THEN
        RETURN;
    END IF;
    INSERT INTO moim.conversation_summaries (tenant, id, conversation_id, summary_text, covered_until_message_id,
                covered_message_count, summary_version, status, created_at, error, seq)
    SELECT p_tenant, format('%s/v%s.%s', p_meeting, made_version, earlier + 1), p_meeting, written,
           c.until_message, coalesce(c.messages, 0), made_version,
           CASE WHEN written IS NULL THEN 'FAILED' ELSE 'COMPLETED' END, recorded, e->>'error', p_seq
      FROM moim.covered_by_turns(p_tenant, p_meeting,
                                 CASE WHEN written IS NULL THEN NULL ELSE p_seq END) AS c
     WHERE written IS NULL OR c.until_message IS NOT NULL
    ON CONFLICT (tenant, id) DO NOTHING;
END $$;

-- Make a meeting's rows again from its events; how many there are then. Only the owner may: the app deletes nothing.
CREATE FUNCTION moim.rebuild_conversation_summaries(p_tenant text, p_meeting text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    event record;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    DELETE FROM moim.conversation_summaries WHERE tenant = p_tenant AND conversation_id = p_meeting;
    FOR event IN
        SELECT seq, payload FROM moim.events
         WHERE tenant = p_tenant AND meeting_id = p_meeting
           AND kind IN ('thread_summary_started', 'thread_summary_ready', 'thread_summary_failed')
         ORDER BY seq
    LOOP
        PERFORM moim.keep_thread_summary(p_tenant, p_meeting, event.seq, event.payload);
    END LOOP;
    RETURN (SELECT count(*) FROM moim.conversation_summaries
             WHERE tenant = p_tenant AND conversation_id = p_meeting);
END $$;
REVOKE EXECUTE ON FUNCTION moim.rebuild_conversation_summaries(text, text) FROM PUBLIC;

-- Write the other projections of one event (anew: the thread's summaries have a function of their own).
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
    WHEN 'thread_summary_started', 'thread_summary_ready', 'thread_summary_failed' THEN
        PERFORM moim.keep_thread_summary(p_tenant, p_meeting, p_seq, e);
    ELSE
        NULL;
    END CASE;
END $$;

GRANT EXECUTE ON FUNCTION moim.covered_by_turns(text, text, bigint), moim.keep_thread_summary(text, text, bigint, jsonb)
    TO moim_app;

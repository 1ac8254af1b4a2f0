-- Answers and summaries: what the agent was asked and said, and what models wrote of topics and of its thread.

CREATE TABLE moim.invocations (
    tenant     text    NOT NULL,
    meeting_id text    NOT NULL,
    seq        bigint  NOT NULL,
    id         text    NOT NULL,
    asker      text    NOT NULL,
    via        text    NOT NULL,
    text       text    NOT NULL,
    private    boolean NOT NULL,
    at_ms      bigint  NOT NULL,
    PRIMARY KEY (tenant, meeting_id, seq)
);
CREATE UNIQUE INDEX invocations_id ON moim.invocations (tenant, meeting_id, md5(id));

CREATE TABLE moim.replies (
    tenant        text  NOT NULL,
    meeting_id    text  NOT NULL,
    seq           bigint NOT NULL,
    id            text  NOT NULL,
    invocation_id text  NOT NULL,
    reply         jsonb NOT NULL,
    PRIMARY KEY (tenant, meeting_id, seq)
);
CREATE UNIQUE INDEX replies_invocation ON moim.replies (tenant, meeting_id, md5(invocation_id));

-- Every version of every topic's summary. A job is a row from its start: IN_PROGRESS, then COMPLETED or FAILED. No
-- text before it is complete; a failure hides no success.
CREATE TABLE moim.summaries (
    tenant        text    NOT NULL,
    meeting_id    text    NOT NULL,
    topic_id      text    NOT NULL,
    version       integer NOT NULL,
    status        text    NOT NULL CHECK (status IN ('IN_PROGRESS', 'COMPLETED', 'FAILED')),
    seq           bigint  NOT NULL,
    text          text,
    content       jsonb,
    covered_until bigint,
    engine        text,
    reason        text,
    latency_ms    bigint,
    error         text,
    turns         integer,     -- utterances that this version folded in
    source_tokens integer,     -- of those utterances
    text_tokens   integer,     -- of the summary's text
    started_at    timestamptz,
    deadline_at   timestamptz, -- IN_PROGRESS beyond it is stale: whoever takes over starts it again
    ended_at      timestamptz,
    PRIMARY KEY (tenant, meeting_id, topic_id, version),
    CHECK ((status = 'COMPLETED') = (text IS NOT NULL)),
    CHECK ((status = 'FAILED') = (error IS NOT NULL)),
    -- Neither a job under way nor a failed one has anything that could pass for a summary.
    CONSTRAINT summaries_content_only_completed
        CHECK (status = 'COMPLETED' OR (text IS NULL AND content IS NULL))
);
-- One job at a time per topic; the primary key has one row per version.
CREATE UNIQUE INDEX summaries_one_in_progress ON moim.summaries (tenant, meeting_id, topic_id)
    WHERE status = 'IN_PROGRESS';

-- The summary that counts for each topic: the last one that was completed, whatever failed since.
CREATE VIEW moim.current_summaries WITH (security_invoker = true) AS
SELECT DISTINCT ON (tenant, meeting_id, topic_id) *
  FROM moim.summaries
 WHERE status = 'COMPLETED'
 ORDER BY tenant, meeting_id, topic_id, version DESC;

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

-- Summaries of the agent's thread as rows (seed 003's `conversation_summaries`): every attempt at every version,
-- written with its events and made again from them. A conversation is a meeting's thread and has its id.
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

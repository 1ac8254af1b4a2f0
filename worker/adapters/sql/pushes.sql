-- Transcript push.

-- open_feed --
-- This tenant pushes. Parameters: tenant.
SELECT moim.open_push_feed($1)

-- close_feed --
-- This tenant does not push any more. Parameters: tenant.
SELECT moim.close_push_feed($1)

-- claim --
-- Meetings with something to send. Parameters: tenant, claim, limit, lease in seconds.
SELECT * FROM moim.claim_pushes($1, $2, $3, $4)

-- settle --
-- How far a claim came. Parameters: tenant, meeting, claim, sent until, failures, retry in seconds, error, gone.
SELECT moim.settle_push($1, $2, $3, $4, $5, $6, $7, $8)

-- items --
-- The next $4 events after $3, each with the turn that it became or the answer that it gave, if that is
-- for everybody, or the mark of an erasure. Turns off the record became none. `closing`: the minutes change with it, the meeting's end or a
-- summary behind that. A turn that was taken out says nothing, also while the record waits to be rewritten.
-- Parameters: tenant, meeting, seq, limit.
WITH gone AS (
    SELECT jsonb_array_elements_text(mark.payload->'utterances')::bigint AS id
      FROM moim.erasure_steps s JOIN moim.events mark ON mark.tenant = s.tenant AND mark.meeting_id = s.meeting_id
       AND mark.kind = 'erased' AND mark.payload->>'id' = s.erasure_id
     WHERE s.tenant = $1 AND s.meeting_id = $2 AND s.done_at IS NULL
)
SELECT e.seq, e.recorded_at,
       e.kind = 'meeting_ended' OR e.kind = 'summary_ready'
           AND EXISTS (SELECT FROM moim.events ended
                        WHERE ended.tenant = $1 AND ended.meeting_id = $2 AND ended.seq < e.seq
                          AND ended.kind = 'meeting_ended') AS closing,
       (SELECT m.status FROM moim.meetings m WHERE m.tenant = $1 AND m.id = $2) AS status,
       u.id, u.key, u.speaker_id, u.speaker_name,
       CASE WHEN u.id IN (SELECT id FROM gone) THEN '' ELSE u.text END AS text,
       u.start_ms, u.end_ms, moim.dated(u.spoken_at) AS spoken_at, u.confidence, u.language,
       r.reply::text AS reply, e.erased::text AS erased
  FROM (SELECT seq, kind, payload->>'key' AS key, recorded_at,
               CASE WHEN kind = 'erased' THEN payload - 'state' - 'keys' - 'kind' - 'actor' END AS erased FROM moim.events
         WHERE tenant = $1 AND meeting_id = $2 AND seq > $3
         ORDER BY seq LIMIT $4) e
  LEFT JOIN moim.utterances u
    ON e.kind = 'utterance_spoken' AND u.tenant = $1 AND u.meeting_id = $2
   AND md5(u.key) = md5(e.key) AND u.seq = e.seq
  LEFT JOIN moim.replies r
    ON e.kind = 'answer_given' AND r.tenant = $1 AND r.meeting_id = $2 AND r.seq = e.seq
   AND NOT coalesce((r.reply->>'private')::boolean, false)
   AND NOT EXISTS (SELECT FROM moim.invocations i
                    WHERE i.tenant = $1 AND i.meeting_id = $2 AND md5(i.id) = md5(r.invocation_id) AND i.private)
 ORDER BY e.seq

-- backlog --
-- Age in seconds of the oldest event that is not sent, and in how many meetings the last try failed.
-- Parameters: tenant.
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - e.recorded_at)), 0)::float8 AS lag_s,
       count(*) FILTER (WHERE p.failures > 0) AS failing
  FROM moim.pushes p
  LEFT JOIN moim.events e ON e.tenant = p.tenant AND e.meeting_id = p.meeting_id AND e.seq = p.sent_until + 1
 WHERE p.tenant = $1 AND p.over IS NULL

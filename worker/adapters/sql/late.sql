-- Late words. The transaction names the tenant first.

-- offer --
-- Leave turns for the meeting's holder; those that wait already, or are on record, are passed over. How many
-- were new. Parameters: tenant, meeting, turns as JSON (key, start_ms, version, payload).
WITH offered AS (
    SELECT turn->>'key' AS key, (turn->>'start_ms')::bigint AS start_ms,
           (turn->>'version')::integer AS version, turn->'payload' AS payload
      FROM jsonb_array_elements($3::text::jsonb) AS turn
), fresh AS (
    INSERT INTO moim.late_events (tenant, meeting_id, key, start_ms, version, payload)
    SELECT $1, $2, o.key, o.start_ms, o.version, o.payload FROM offered o
     WHERE NOT EXISTS (SELECT FROM moim.utterances u
                        WHERE u.tenant = $1 AND u.meeting_id = $2 AND md5(u.key) = md5(o.key) AND u.key = o.key)
       -- Nobody holds an ended meeting who would leave out what was erased.
       AND NOT EXISTS (SELECT FROM moim.erasure_steps s
                         JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
                         JOIN moim.meetings m ON m.tenant = s.tenant AND m.id = s.meeting_id
                        WHERE s.tenant = $1 AND s.meeting_id = $2 AND m.status IN ('ended', 'failed')
                          AND o.payload->>'kind' = 'utterance_spoken'
                          AND (e.target->>'what' = 'meeting' OR e.target->>'person' = o.payload->>'speaker_id'))
    ON CONFLICT DO NOTHING
    RETURNING 1
)
SELECT count(*) FROM fresh

-- waiting --
-- What waits for this meeting's holder, in the order in which it was spoken. Parameters: tenant, meeting, limit.
SELECT version, payload FROM moim.late_words($1, $2, $3)

-- taken --
-- Forget turns that are on the record now. Parameters: tenant, meeting, keys.
DELETE FROM moim.late_events
 WHERE tenant = $1 AND meeting_id = $2 AND key = ANY($3::text[])

-- over --
-- Up to $2 meetings that are over and have something left, the longest waiting first. Parameters: tenant, limit.
SELECT l.meeting_id
  FROM moim.late_events l JOIN moim.meetings m ON m.tenant = l.tenant AND m.id = l.meeting_id
  JOIN moim.leases e ON e.tenant = l.tenant AND e.meeting_id = l.meeting_id
 WHERE l.tenant = $1 AND m.status IN ('ended', 'failed') AND e.expires_at <= clock_timestamp()
 GROUP BY l.meeting_id ORDER BY min(l.offered_at)
 LIMIT $2

-- seen --
-- The sound of this meeting's speech that waits is still there. Parameters: tenant, meeting.
UPDATE moim.waiting_speech SET since = clock_timestamp() WHERE tenant = $1 AND meeting_id = $2

-- unseen --
-- Up to $3 meetings that are over and have speech whose sound nobody has seen for $2 seconds. Parameters: tenant,
-- seconds, limit.
SELECT w.meeting_id
  FROM moim.waiting_speech w JOIN moim.meetings m ON m.tenant = w.tenant AND m.id = w.meeting_id
 WHERE w.tenant = $1 AND m.status IN ('ended', 'failed')
   AND w.since <= clock_timestamp() - make_interval(secs => $2)
   AND NOT EXISTS (SELECT FROM moim.late_events l WHERE l.tenant = w.tenant AND l.meeting_id = w.meeting_id)
 GROUP BY w.meeting_id ORDER BY min(w.since)
 LIMIT $3

-- unseen_of --
-- Its stretches. Parameters: tenant, meeting, seconds.
SELECT key, participant AS participant_id, track_id, start_ms, end_ms, track_end_ms FROM moim.waiting_speech
 WHERE tenant = $1 AND meeting_id = $2 AND since <= clock_timestamp() - make_interval(secs => $3)
 ORDER BY start_ms

-- missing --
-- Which of these turns are not on the record. Parameters: tenant, meeting, keys.
SELECT k.key FROM unnest($3::text[]) AS k(key)
 WHERE NOT EXISTS (SELECT FROM moim.utterances u
                    WHERE u.tenant = $1 AND u.meeting_id = $2 AND md5(u.key) = md5(k.key) AND u.key = k.key)

-- refused --
-- Keep a no that is on no record, for later meetings and standbys; true where it stands: nothing was told since.
-- Parameters: tenant, meeting, participant, how, told by, at_ms.
INSERT INTO moim.consents AS c (tenant, meeting_id, participant, agreed, how, told_by, told_at)
SELECT m.tenant, m.id, $3, false, $4, $5,
       coalesce(m.zero + $6::bigint * interval '1 millisecond', clock_timestamp())
  FROM moim.meetings m WHERE m.tenant = $1 AND m.id = $2
ON CONFLICT (tenant, meeting_id, md5(participant)) DO UPDATE
   SET agreed = excluded.agreed, how = excluded.how, told_by = excluded.told_by, told_at = excluded.told_at
 WHERE c.told_at <= excluded.told_at
RETURNING true

-- paused --
-- Whether a pause that is on no record stands: none is on now, and none was ended since. Parameters: tenant,
-- meeting, at_ms.
SELECT NOT EXISTS (SELECT FROM unnest(m.pauses) AS pause WHERE upper_inf(pause) OR upper(pause) > $3::bigint)
  FROM moim.meetings m WHERE m.tenant = $1 AND m.id = $2

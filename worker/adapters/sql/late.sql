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

-- stranded --
-- Meetings that ended before their holder took what was left for it, with its count. Parameters: tenant.
SELECT l.meeting_id, count(*) AS turns
  FROM moim.late_events l JOIN moim.meetings m ON m.tenant = l.tenant AND m.id = l.meeting_id
 WHERE l.tenant = $1 AND m.status IN ('ended', 'failed')
 GROUP BY l.meeting_id

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

-- Erasures. The transaction names the tenant first.

-- ask --
-- Ask for one, once; how many meetings it is of, null for an unknown one. Parameters: tenant, id, target as
-- JSON, meeting or null, by, why.
SELECT moim.ask_erasure($1, $2, $3::text::jsonb, $4, $5, $6)

-- waiting --
-- What is to be erased in a meeting that is not on hold, the oldest wish first. Parameters: tenant, meeting.
SELECT e.id, e.target::text AS target, e.by
  FROM moim.erasure_steps s
  JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
  JOIN moim.meetings m ON m.tenant = s.tenant AND m.id = s.meeting_id
 WHERE s.tenant = $1 AND s.meeting_id = $2 AND s.done_at IS NULL AND NOT m.held
 ORDER BY e.asked_at

-- open --
-- Meetings in which something is to be erased, and that are not on hold. Parameters: tenant.
SELECT DISTINCT s.meeting_id
  FROM moim.erasure_steps s JOIN moim.meetings m ON m.tenant = s.tenant AND m.id = s.meeting_id
 WHERE s.tenant = $1 AND s.done_at IS NULL AND NOT m.held

-- marks --
-- What was ever asked to be erased of a meeting, by whom said and before which moment; without a mark on the
-- record: whenever. Parameters: tenant, meeting.
SELECT e.id, e.by, e.target::text AS target, coalesce(mark.payload->'people', '[]')::text AS people,
       coalesce((mark.payload->>'at_ms')::bigint, 9223372036854775807) AS at_ms
  FROM moim.erasure_steps s
  JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
  LEFT JOIN LATERAL (SELECT payload FROM moim.events
                      WHERE tenant = $1 AND meeting_id = $2 AND kind = 'erased' AND payload->>'id' = e.id
                      ORDER BY seq LIMIT 1) mark ON true
 WHERE s.tenant = $1 AND s.meeting_id = $2

-- hold --
-- Put a meeting on hold, so that nothing of it is erased, or end that. Its id; no row: unknown. Parameters: tenant, meeting, held.
UPDATE moim.meetings SET held = $3 WHERE tenant = $1 AND id = $2 RETURNING id

-- keep --
-- How long a meeting's words are kept; null: as the dispatcher is set. Parameters: tenant, meeting, days.
UPDATE moim.meetings SET keep_days = $3 WHERE tenant = $1 AND id = $2 RETURNING id

-- due --
-- Up to $3 meetings whose words have been kept long enough, and that nobody has asked to be erased since their
-- end: what was erased of a live meeting is not what was said after it.
-- Parameters: tenant, days for those that say nothing (or null: for ever), limit.
SELECT m.id FROM moim.meetings m
 WHERE m.tenant = $1 AND m.status IN ('ended', 'failed') AND NOT m.held
   AND m.ended_at < clock_timestamp() - make_interval(days => coalesce(m.keep_days, $2))
   AND NOT EXISTS (SELECT FROM moim.erasure_steps s
                     JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
                    WHERE s.tenant = m.tenant AND s.meeting_id = m.id AND e.target->>'what' = 'meeting'
                      AND e.asked_at >= m.ended_at)
 ORDER BY m.ended_at LIMIT $3

-- standing --
-- How many meetings are due, waiting, held and erased, and for how long the oldest wish has been waiting.
-- Parameters: tenant, days for those that say nothing (or null: for ever).
SELECT (SELECT count(*) FROM moim.meetings m
         WHERE m.tenant = $1 AND m.status IN ('ended', 'failed') AND NOT m.held
           AND m.ended_at < clock_timestamp() - make_interval(days => coalesce(m.keep_days, $2))
           AND NOT EXISTS (SELECT FROM moim.erasure_steps s
                             JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
                            WHERE s.tenant = m.tenant AND s.meeting_id = m.id
                              AND e.target->>'what' = 'meeting' AND e.asked_at >= m.ended_at)) AS due,
       (SELECT count(*) FROM moim.meetings m WHERE m.tenant = $1 AND m.held) AS held,
       count(DISTINCT s.meeting_id) FILTER (WHERE s.done_at IS NULL AND NOT m.held) AS waiting,
       count(DISTINCT s.meeting_id) FILTER (WHERE s.done_at IS NOT NULL) AS erased,
       coalesce(extract(epoch FROM clock_timestamp() - min(e.asked_at)
                          FILTER (WHERE s.done_at IS NULL AND NOT m.held)), 0)::float8 AS oldest_s
  FROM moim.erasure_steps s
  JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
  JOIN moim.meetings m ON m.tenant = s.tenant AND m.id = s.meeting_id
 WHERE s.tenant = $1

-- preview --
-- Where a person spoke, or one meeting, and how many turns would be emptied. Parameters: tenant, person or
-- null, meeting or null, utterances or null, since in ms.
SELECT meeting_id, count(*) AS utterances FROM moim.utterances
 WHERE tenant = $1 AND text <> ''
   AND ($2::text IS NULL OR speaker_id = $2) AND ($3::text IS NULL OR meeting_id = $3)
   AND ($4::bigint[] IS NULL OR id = ANY($4)) AND end_ms > $5
 GROUP BY meeting_id ORDER BY meeting_id

-- meetings --
-- Meetings that are over and wait for an erasure, in any order: some that fail again and again keep nobody
-- else waiting. Parameters: tenant, limit.
SELECT s.meeting_id
  FROM moim.erasure_steps s JOIN moim.meetings m ON m.tenant = s.tenant AND m.id = s.meeting_id
 WHERE s.tenant = $1 AND s.done_at IS NULL AND NOT m.held AND m.status IN ('ended', 'failed')
 GROUP BY s.meeting_id ORDER BY random() LIMIT $2

-- numbers --
-- The utterances' numbers by that of their event. Parameters: tenant, meeting.
SELECT seq, id FROM moim.utterances WHERE tenant = $1 AND meeting_id = $2

-- erase --
-- Parameters: tenant, meeting, epoch, erasure, events as JSON, utterances.
SELECT moim.erase_words($1, $2, $3, $4, $5::text::jsonb, $6)

-- receipt --
-- A wish and its meetings. Parameters: tenant, id.
SELECT e.target::text AS target, e.by, e.why, e.asked_at, s.meeting_id, s.done_at, s.counts::text AS counts
  FROM moim.erasures e LEFT JOIN moim.erasure_steps s ON s.tenant = e.tenant AND s.erasure_id = e.id
 WHERE e.tenant = $1 AND e.id = $2
 ORDER BY s.meeting_id

-- newest --
-- When words were last taken out. Parameters: tenant.
SELECT max(done_at) FROM moim.erasure_steps WHERE tenant = $1

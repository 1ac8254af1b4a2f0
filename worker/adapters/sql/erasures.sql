-- Erasures. The transaction names the tenant first.

-- ask --
-- Ask for one, once; how many meetings it is of, null for an unknown one. Parameters: tenant, id, target as
-- JSON, meeting or null, by, why, actor as JSON.
SELECT moim.ask_erasure($1, $2, $3::text::jsonb, $4, $5, $6, $7::text::jsonb)

-- waiting --
-- What is to be erased in a meeting that is not on hold, the oldest request first. Parameters: tenant, meeting.
SELECT e.id, e.target::text AS target, e.by, e.actor::text AS actor
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

-- held --
-- Is a meeting on hold? Parameters: tenant, meeting.
SELECT held FROM moim.meetings WHERE tenant = $1 AND id = $2

-- owners --
-- Who spoke some utterances. Parameters: tenant, meeting, ids.
SELECT DISTINCT speaker_id FROM moim.utterances WHERE tenant = $1 AND meeting_id = $2 AND id = ANY($3)

-- beside --
-- Of each meeting of a person: how many turns of theirs have words, which ids somebody said to be theirs, which
-- lines of others were moved to them, and which of theirs to others. Parameters: tenant, person, meeting or null.
WITH fixes AS (
    SELECT e.meeting_id, e.seq, e.payload->'fix' AS fix,
           u.id AS utterance, u.speaker_id AS spoken_by
      FROM moim.events e
      LEFT JOIN moim.utterances u ON e.payload->'fix'->>'of' = 'utterance' AND u.tenant = e.tenant
       AND u.meeting_id = e.meeting_id AND u.id = (e.payload->'fix'->>'utterance')::bigint
     WHERE e.tenant = $1 AND e.kind = 'corrected' AND ($3::text IS NULL OR e.meeting_id = $3)
       AND (e.payload->'fix' ? 'into' OR e.payload->'fix' ? 'speaker')
), moved AS ( -- the last word on a line counts
    SELECT DISTINCT ON (meeting_id, utterance) meeting_id, utterance, spoken_by, fix->>'speaker' AS shown
      FROM fixes WHERE utterance IS NOT NULL AND fix->>'speaker' IS NOT NULL
     ORDER BY meeting_id, utterance, seq DESC
), found AS (
    SELECT meeting_id, count(*) FILTER (WHERE text <> '') AS utterances
      FROM moim.utterances WHERE tenant = $1 AND speaker_id = $2 AND ($3::text IS NULL OR meeting_id = $3)
     GROUP BY meeting_id
    UNION ALL
    SELECT DISTINCT meeting_id, 0 FROM fixes
     WHERE $2 IN (fix->>'person', fix->>'into', fix->>'speaker')
)
SELECT f.meeting_id, sum(f.utterances)::bigint AS utterances,
       ARRAY(SELECT DISTINCT CASE WHEN x.fix->>'into' = $2 THEN x.fix->>'person' ELSE x.fix->>'into' END
               FROM fixes x WHERE x.meeting_id = f.meeting_id AND x.fix->>'into' IS NOT NULL
                AND $2 IN (x.fix->>'person', x.fix->>'into')) AS merged,
       ARRAY(SELECT m.utterance FROM moved m WHERE m.meeting_id = f.meeting_id AND m.shown = $2
                AND m.spoken_by <> $2 ORDER BY 1) AS moved_here,
       ARRAY(SELECT m.utterance FROM moved m WHERE m.meeting_id = f.meeting_id AND m.shown <> $2
                AND m.spoken_by = $2 ORDER BY 1) AS moved_away
  FROM found f GROUP BY f.meeting_id ORDER BY f.meeting_id

-- refuse --
-- Parameters: tenant, meeting, epoch, erasure, why.
SELECT moim.refuse_erasure($1, $2, $3, $4, $5)

-- marks --
-- What was ever asked to be erased of a meeting, by whom said and before which moment; without a mark on the
-- record: whenever. Not what was refused, nor what waits for the end of a hold. Parameters: tenant, meeting.
SELECT e.id, e.by, e.target::text AS target, coalesce(mark.payload->'people', '[]')::text AS people,
       coalesce(mark.payload->'hidden', '[]')::text AS hidden,
       coalesce((mark.payload->>'at_ms')::bigint, 9223372036854775807) AS at_ms
  FROM moim.erasure_steps s
  JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
  LEFT JOIN LATERAL (SELECT payload FROM moim.events
                      WHERE tenant = $1 AND meeting_id = $2 AND kind = 'erased' AND payload->>'id' = e.id
                      ORDER BY seq LIMIT 1) mark ON true
 WHERE s.tenant = $1 AND s.meeting_id = $2 AND s.refused IS NULL
   AND (s.done_at IS NOT NULL
        OR NOT EXISTS (SELECT FROM moim.meetings m WHERE m.tenant = $1 AND m.id = $2 AND m.held))

-- hold --
-- Put a meeting on hold, so that nothing of it is erased, or end that. Its id; no row: unknown. Parameters: tenant, meeting, held.
UPDATE moim.meetings SET held = $3 WHERE tenant = $1 AND id = $2 RETURNING id

-- keep --
-- How long a meeting's words are kept; null: as the dispatcher is set. Parameters: tenant, meeting, days.
UPDATE moim.meetings SET keep_days = $3 WHERE tenant = $1 AND id = $2 RETURNING id

-- due --
-- Up to $3 meetings whose words have been kept long enough, and that nobody has asked to be erased since their
-- end: what was erased of a live meeting is not what was said after it. What was read from a file is kept from when it
-- was put on record, however long ago it was said.
-- Parameters: tenant, days for those that say nothing (or null: for ever), limit.
SELECT m.id FROM moim.meetings m
 WHERE m.tenant = $1 AND m.status IN ('ended', 'failed') AND NOT m.held
   AND greatest(m.ended_at, m.created_at) < clock_timestamp() - make_interval(days => coalesce(m.keep_days, $2))
   AND NOT EXISTS (SELECT FROM moim.erasure_steps s
                     JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
                    WHERE s.tenant = m.tenant AND s.meeting_id = m.id AND e.target->>'what' = 'meeting'
                      AND e.asked_at >= greatest(m.ended_at, m.created_at))
 ORDER BY greatest(m.ended_at, m.created_at) LIMIT $3

-- standing --
-- How many meetings are due, waiting, held and erased, and for how long the oldest request has been waiting.
-- Parameters: tenant, days for those that say nothing (or null: for ever).
SELECT (SELECT count(*) FROM moim.meetings m
         WHERE m.tenant = $1 AND m.status IN ('ended', 'failed') AND NOT m.held
           AND greatest(m.ended_at, m.created_at) < clock_timestamp() - make_interval(days => coalesce(m.keep_days, $2))
           AND NOT EXISTS (SELECT FROM moim.erasure_steps s
                             JOIN moim.erasures e ON e.tenant = s.tenant AND e.id = s.erasure_id
                            WHERE s.tenant = m.tenant AND s.meeting_id = m.id
                              AND e.target->>'what' = 'meeting' AND e.asked_at >= greatest(m.ended_at, m.created_at))) AS due,
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
-- Where a person spoke, or one meeting, and how many turns would be emptied. Parameters: tenant, ids of the
-- person or null, meeting or null, utterances or null, since in ms.
SELECT meeting_id, count(*) AS utterances FROM moim.utterances
 WHERE tenant = $1 AND text <> ''
   AND ($2::text[] IS NULL OR speaker_id = ANY($2)) AND ($3::text IS NULL OR meeting_id = $3)
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
-- Parameters: tenant, meeting, epoch, erasure, events as JSON, utterances, how many of these are hidden.
SELECT moim.erase_words($1, $2, $3, $4, $5::text::jsonb, $6, $7)

-- receipt --
-- A request and its meetings. Parameters: tenant, id.
SELECT e.target::text AS target, e.by, e.why, e.asked_at, s.meeting_id, s.done_at, s.counts::text AS counts,
       s.refused
  FROM moim.erasures e LEFT JOIN moim.erasure_steps s ON s.tenant = e.tenant AND s.erasure_id = e.id
 WHERE e.tenant = $1 AND e.id = $2
 ORDER BY s.meeting_id

-- newest --
-- When words were last taken out. Parameters: tenant.
SELECT max(done_at) FROM moim.erasure_steps WHERE tenant = $1

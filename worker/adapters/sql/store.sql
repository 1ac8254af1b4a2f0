-- The record: events, utterances, snapshots.

-- append --
-- Commit events under the holder's epoch. Parameters: tenant, meeting, epoch, events as JSON.
SELECT moim.append_events($1, $2, $3, $4::text::jsonb)

-- append_many --
-- The same for several meetings, in one commit. Parameters: tenant, meetings, epochs, events of each as JSON.
SELECT moim.append_many($1, $2, $3, $4)

-- save_snapshot --
-- Keep the newest snapshot. Parameters: tenant, meeting, epoch, seq, state as JSON.
SELECT moim.save_snapshot($1, $2, $3, $4, $5::text::json)

-- save_changes --
-- Keep the newest snapshot, the topics beside it. Parameters: tenant, meeting, epoch, seq, the snapshot on
-- which the topics build or null, state as JSON, topics as JSON: [{place, topic}].
SELECT moim.save_changes($1, $2, $3, $4, $5, $6::text::json, $7::text::json)

-- snapshot --
-- Is the meeting known, its newest snapshot, and the topics where they are kept beside it (joined by commas;
-- null: they are in it)? Parameters: tenant, meeting.
SELECT m.id, s.seq, s.state::text AS state,
       CASE WHEN s.topics IS NOT NULL THEN
           (SELECT coalesce(string_agg(t.topic::text, ',' ORDER BY t.place), '') FROM moim.snapshot_topics t
             WHERE t.tenant = $1 AND t.meeting_id = $2 AND t.place < s.topics) END AS topics,
       EXISTS (SELECT FROM moim.events e WHERE e.tenant = $1 AND e.meeting_id = $2) AS recorded
  FROM moim.meetings m
  LEFT JOIN moim.snapshots s ON s.tenant = m.tenant AND s.meeting_id = m.id
 WHERE m.tenant = $1 AND m.id = $2

-- utterances --
-- All turns up to event $3, in order. Parameters: tenant, meeting, seq.
SELECT id, key, speaker_id, speaker_name, text, start_ms, end_ms, spoken_at, confidence,
       language, source_first, source_last, times_derived
  FROM moim.utterances
 WHERE tenant = $1 AND meeting_id = $2 AND seq <= $3
 ORDER BY id

-- events --
-- The events after $3, in order. Parameters: tenant, meeting, seq.
SELECT seq, version, payload::text AS payload FROM moim.events
 WHERE tenant = $1 AND meeting_id = $2 AND seq > $3
 ORDER BY seq

-- events_after --
-- At most $4 of them, in order; what was last recorded comes last. Parameters: tenant, meeting, seq, limit.
SELECT seq, version, payload::text AS payload FROM moim.events
 WHERE tenant = $1 AND meeting_id = $2 AND seq > $3
 ORDER BY seq LIMIT $4

-- Files that wait to become meetings. The transaction names the tenant first.

-- want --
-- The id of the new meeting. Parameters: tenant, new id, title, name, kind, bytes, total.
SELECT moim.want_recording($1, $2, $3, $4, $5, $6, $7)

-- put --
-- Keep one part of a file. Parameters: tenant, meeting, number, bytes.
INSERT INTO moim.recording_parts (tenant, meeting_id, number, bytes) VALUES ($1, $2, $3, $4)

-- complete --
-- All parts have come. Parameters: tenant, meeting.
UPDATE moim.recordings SET complete = true, due_at = clock_timestamp() WHERE tenant = $1 AND meeting_id = $2

-- part --
-- Parameters: tenant, meeting, number.
SELECT bytes FROM moim.recording_parts WHERE tenant = $1 AND meeting_id = $2 AND number = $3

-- get --
-- Parameters: tenant, meeting.
SELECT meeting_id, name, kind, bytes, total, done, tries, fault, fault_value, added_at,
       CASE WHEN fault IS NOT NULL THEN 'failed'
            WHEN tries > 0 AND due_at > clock_timestamp() THEN 'reading' ELSE 'waiting' END AS state
  FROM moim.recordings WHERE tenant = $1 AND meeting_id = $2

-- list_all --
-- Those that wait or are read, and those that failed within a day, the newest first; whoever sends a file is told
-- themselves how far it has come. Parameters: tenant.
SELECT meeting_id, name, kind, bytes, total, done, tries, fault, fault_value, added_at,
       CASE WHEN fault IS NOT NULL THEN 'failed'
            WHEN tries > 0 AND due_at > clock_timestamp() THEN 'reading' ELSE 'waiting' END AS state
  FROM moim.recordings
 WHERE tenant = $1
   AND CASE WHEN fault IS NULL THEN complete ELSE added_at > clock_timestamp() - interval '1 day' END
 ORDER BY added_at DESC, meeting_id
 LIMIT 200

-- waiting --
-- How many files wait or are read, and their bytes. Parameters: tenant.
SELECT count(*)::int AS files, coalesce(sum(bytes), 0)::bigint AS bytes
  FROM moim.recordings WHERE tenant = $1 AND fault IS NULL

-- claim --
-- Take the file that has waited longest; it is due again in $3 seconds. Two claimers skip each other's rows.
-- Parameters: tenant, kinds, seconds.
UPDATE moim.recordings r
   SET due_at = clock_timestamp() + make_interval(secs => $3), tries = r.tries + 1
  FROM (SELECT w.tenant, w.meeting_id FROM moim.recordings w
         WHERE w.tenant = $1 AND w.complete AND w.fault IS NULL AND w.kind = ANY ($2::text[])
           AND w.due_at <= clock_timestamp()
         ORDER BY w.added_at LIMIT 1 FOR UPDATE SKIP LOCKED) due
 WHERE r.tenant = due.tenant AND r.meeting_id = due.meeting_id
RETURNING r.meeting_id, r.name, r.kind, r.bytes, r.total, r.done, r.tries, r.fault, r.fault_value, r.added_at,
          'reading' AS state

-- tell --
-- How far its worker is; it is due again in $4 seconds. No row: it is gone. Parameters: tenant, meeting, done, seconds.
UPDATE moim.recordings
   SET tries = CASE WHEN $3 > done THEN 1 ELSE tries END, done = greatest(done, $3),
       total = greatest(total, CASE WHEN total > 0 THEN $3 ELSE 0 END),
       due_at = clock_timestamp() + make_interval(secs => $4)
 WHERE tenant = $1 AND meeting_id = $2 AND fault IS NULL
RETURNING meeting_id

-- let_go --
-- Nobody reads it any more: it is due in $3 seconds, and this try does not count. Parameters: tenant, meeting, seconds.
UPDATE moim.recordings
   SET tries = greatest(0, tries - 1), due_at = clock_timestamp() + make_interval(secs => $3)
 WHERE tenant = $1 AND meeting_id = $2 AND fault IS NULL

-- fail --
-- Note why nothing more comes of a file. Parameters: tenant, meeting, fault, value.
WITH gone AS (DELETE FROM moim.recording_parts WHERE tenant = $1 AND meeting_id = $2)
UPDATE moim.recordings SET fault = $3, fault_value = $4
 WHERE tenant = $1 AND meeting_id = $2 AND fault IS NULL

-- fail_meeting --
-- Its meeting has failed, unless somebody holds it. Parameters: tenant, meeting, why.
UPDATE moim.meetings m SET status = 'failed', ended_at = clock_timestamp(), failure = $3
 WHERE m.tenant = $1 AND m.id = $2 AND m.status IN ('wanted', 'live')
   AND NOT EXISTS (SELECT FROM moim.leases l
                    WHERE l.tenant = m.tenant AND l.meeting_id = m.id AND l.expires_at > clock_timestamp())

-- abandoned --
-- Meetings whose file is not all there after ten minutes: whoever received it is gone. Parameters: tenant, how many.
SELECT meeting_id FROM moim.recordings
 WHERE tenant = $1 AND NOT complete AND fault IS NULL AND added_at <= clock_timestamp() - interval '10 minutes'
 ORDER BY added_at LIMIT $2

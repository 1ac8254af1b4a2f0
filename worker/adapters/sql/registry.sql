-- The list of meetings. The transaction names the tenant first (`tenant`).

-- tenant --
-- Name the tenant for this transaction. Parameters: tenant.
SELECT set_config('moim.tenant', $1, true)

-- want --
-- The id of the meeting. Parameters: tenant, room, id, id for a new one, title.
SELECT moim.want_meeting($1, $2, $3, $4, $5)

-- want_by_wish --
-- The same, for a wish that is one meeting for ever. Parameters: as above, the wish's id.
SELECT moim.want_by_wish($1, $2, $3, $4, $5, $6)

-- want_with_key --
-- As want, and the meeting has this key of its room from now on. Parameters: as above, the key.
SELECT moim.want_with_key($1, $2, $3, $4, $5, $6)

-- room_key --
-- The key of a meeting's room. Parameters: tenant, meeting.
SELECT key FROM moim.room_keys WHERE tenant = $1 AND meeting_id = $2

-- get --
-- One meeting. Parameters: tenant, id.
SELECT m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch, m.crashes,
       (SELECT coalesce(sum(w.end_ms - w.start_ms), 0)::bigint FROM moim.waiting_speech w
         WHERE w.tenant = m.tenant AND w.meeting_id = m.id) AS waiting_ms,
       CASE WHEN l.epoch > 0 AND isfinite(l.expires_at)
            THEN extract(epoch FROM clock_timestamp() - l.expires_at)::float8 END AS lease_over_s,
       l.epoch > 0 AND l.holder IS NULL AS let_go,
       l.unwritten::text AS unwritten,
       CASE WHEN l.expires_at > clock_timestamp() THEN l.holder::text END AS holder,
       CASE WHEN m.standby_until > clock_timestamp() AND m.standby IS DISTINCT FROM l.holder
            THEN m.standby::text END AS standby,
       moim.takeovers_lately(m.takeovers, m.taken_over_at) AS takeovers,
       CASE WHEN m.status IN ('wanted', 'live') AND l.expires_at <= clock_timestamp()
            THEN (SELECT string_agg(f.host || ': ' || f.cause, '; ' ORDER BY f.host, f.worker)
                    FROM moim.full_workers f WHERE f.tenant = m.tenant AND f.until > clock_timestamp()) END AS "full"
  FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
 WHERE m.tenant = $1 AND m.id = $2

-- list_all --
-- All meetings, newest first. Parameters: tenant.
SELECT m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch, m.crashes,
       (SELECT coalesce(sum(w.end_ms - w.start_ms), 0)::bigint FROM moim.waiting_speech w
         WHERE w.tenant = m.tenant AND w.meeting_id = m.id) AS waiting_ms,
       CASE WHEN l.expires_at > clock_timestamp() THEN l.holder::text END AS holder,
       CASE WHEN m.standby_until > clock_timestamp() AND m.standby IS DISTINCT FROM l.holder
            THEN m.standby::text END AS standby,
       moim.takeovers_lately(m.takeovers, m.taken_over_at) AS takeovers,
       CASE WHEN m.status IN ('wanted', 'live') AND l.expires_at <= clock_timestamp()
            THEN (SELECT string_agg(f.host || ': ' || f.cause, '; ' ORDER BY f.host, f.worker)
                    FROM moim.full_workers f WHERE f.tenant = m.tenant AND f.until > clock_timestamp()) END AS "full"
  FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
 WHERE m.tenant = $1
 ORDER BY m.created_at DESC, m.id

-- list_page --
-- As list_all, from the one behind a meeting on. Parameters: tenant, statuses (or null), meeting (or null), limit.
SELECT m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch, m.crashes,
       (SELECT coalesce(sum(w.end_ms - w.start_ms), 0)::bigint FROM moim.waiting_speech w
         WHERE w.tenant = m.tenant AND w.meeting_id = m.id) AS waiting_ms,
       CASE WHEN l.expires_at > clock_timestamp() THEN l.holder::text END AS holder,
       CASE WHEN m.standby_until > clock_timestamp() AND m.standby IS DISTINCT FROM l.holder
            THEN m.standby::text END AS standby,
       moim.takeovers_lately(m.takeovers, m.taken_over_at) AS takeovers,
       CASE WHEN m.status IN ('wanted', 'live') AND l.expires_at <= clock_timestamp()
            THEN (SELECT string_agg(f.host || ': ' || f.cause, '; ' ORDER BY f.host, f.worker)
                    FROM moim.full_workers f WHERE f.tenant = m.tenant AND f.until > clock_timestamp()) END AS "full"
  FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
  LEFT JOIN moim.meetings after ON after.tenant = $1 AND after.id = $3
 WHERE m.tenant = $1 AND ($2::text[] IS NULL OR m.status = ANY ($2))
   AND ($3::text IS NULL OR m.created_at < after.created_at
        OR (m.created_at = after.created_at AND m.id > after.id))
 ORDER BY m.created_at DESC, m.id
 LIMIT $4

-- mark_live --
-- Parameters: tenant, meeting, epoch, start (or null).
SELECT moim.mark_live($1, $2, $3, $4)

-- mark_ended --
-- Parameters: tenant, meeting, epoch, end, failure (or null).
SELECT moim.mark_ended($1, $2, $3, $4, $5)

-- rename --
-- Parameters: tenant, meeting, title.
UPDATE moim.meetings SET title = $3 WHERE tenant = $1 AND id = $2 RETURNING id

-- request_end --
-- Parameters: tenant, meeting.
SELECT moim.request_end($1, $2)

-- claim_unheld --
-- Take up to $2 open meetings that nobody holds and that are due, and make them due again in $3 seconds.
-- Two claimers at once skip each other's rows. A lease since the last claim makes it due, whatever is left of
-- that claim's wait, and begins the count of dispatches anew; one that ended within 5 seconds of its dispatch
-- counts as a crash (an unreleased one ends 5 seconds late). Parameters: tenant, limit, retry in seconds, text meetings?
--
-- `maybe` is there so that what is held need not be looked at: due by its own time (a held one is not, see 0015), or
-- held by somebody who let the lease run out. An array, since a planner takes it for short, as it is.
WITH maybe AS (
    SELECT id FROM moim.meetings
     WHERE tenant = $1 AND status IN ('wanted', 'live') AND next_dispatch_at <= (SELECT clock_timestamp())
       AND (room IS NULL) = $4
    UNION
    SELECT meeting_id FROM moim.leases
     WHERE tenant = $1 AND holder IS NOT NULL AND expires_at <= (SELECT clock_timestamp())
), due AS (
    SELECT m.tenant, m.id FROM moim.meetings m
     WHERE m.tenant = $1 AND m.id = ANY (ARRAY (SELECT id FROM maybe)) AND m.status IN ('wanted', 'live')
       AND (m.next_dispatch_at <= clock_timestamp()
            OR m.dispatched_epoch < (SELECT l.epoch FROM moim.leases l
                                      WHERE l.tenant = m.tenant AND l.meeting_id = m.id))
       AND (m.room IS NULL) = $4
       AND NOT EXISTS (SELECT FROM moim.recordings r WHERE r.tenant = m.tenant AND r.meeting_id = m.id) -- it is played
       AND (m.crashes < 3 OR m.dispatched_at + moim.crash_wait(m.id, m.crashes) <= clock_timestamp())
       AND NOT EXISTS (SELECT FROM moim.leases l
                        WHERE l.tenant = m.tenant AND l.meeting_id = m.id
                          AND moim.taken_over_later(l, m.takeovers, m.taken_over_at))
       AND NOT EXISTS (SELECT FROM moim.leases l
                        WHERE l.tenant = m.tenant AND l.meeting_id = m.id
                          -- Who stands by takes it at once: nobody is sent there first. Unless both died
                          -- together: a holder in good order, or its worker, lets the lease go.
                          AND l.expires_at > clock_timestamp() - CASE
                              WHEN m.standby_until > clock_timestamp() AND NOT moim.same_worker(m.standby, l.holder)
                              THEN interval '2.5 s' ELSE interval '0' END)
     ORDER BY m.next_dispatch_at, m.created_at
     LIMIT $2
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE moim.meetings m
   SET next_dispatch_at = clock_timestamp() + make_interval(secs => $3), dispatched_epoch = l.epoch,
       dispatches = CASE WHEN m.dispatched_epoch = l.epoch THEN m.dispatches ELSE 0 END,
       crashes = CASE WHEN m.dispatched_epoch = l.epoch THEN m.crashes
                      WHEN l.expires_at < m.dispatched_at + CASE WHEN l.holder IS NULL THEN interval '5 s'
                                                                 ELSE interval '10 s' END THEN m.crashes + 1
                      ELSE 0 END
  FROM due, moim.leases l
 WHERE m.tenant = due.tenant AND m.id = due.id AND l.tenant = m.tenant AND l.meeting_id = m.id
RETURNING m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch,
          NULL AS holder, NULL AS standby,
          m.dispatches, m.crashes

-- note_dispatch --
-- A job was asked for; the next one is due in $3 seconds, unless somebody has made it due before.
-- Parameters: tenant, meeting, seconds.
UPDATE moim.meetings
   SET dispatches = dispatches + 1, dispatch_open = true, dispatched_at = clock_timestamp(),
       next_dispatch_at = CASE WHEN next_dispatch_at > clock_timestamp() AND next_dispatch_at < 'infinity'
                               THEN clock_timestamp() + make_interval(secs => $3) ELSE next_dispatch_at END
 WHERE tenant = $1 AND id = $2

-- claim_finished --
-- Up to $2 meetings that are over, whose holder has been gone for $4 seconds and whose dispatch may still
-- stand; due again in $3 seconds. Parameters: tenant, limit, retry in seconds, grace in seconds.
WITH due AS (
    SELECT m.tenant, m.id FROM moim.meetings m
      JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
     WHERE m.tenant = $1 AND m.status IN ('ended', 'failed') AND m.dispatch_open
       AND m.next_dispatch_at <= clock_timestamp()
       AND l.expires_at <= clock_timestamp() - make_interval(secs => $4)
     ORDER BY m.next_dispatch_at
     LIMIT $2
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE moim.meetings m
   SET next_dispatch_at = clock_timestamp() + make_interval(secs => $3)
  FROM due, moim.leases l
 WHERE m.tenant = due.tenant AND m.id = due.id AND l.tenant = m.tenant AND l.meeting_id = m.id
RETURNING m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch,
          NULL AS holder, NULL AS standby

-- note_withdrawn --
-- LiveKit has no dispatch of ours for it any more. Parameters: tenant, meeting.
UPDATE moim.meetings SET dispatch_open = false WHERE tenant = $1 AND id = $2

-- late_drafts --
-- Up to $2 meetings that ended within the last hour, whose record has a summary as under way for longer than a
-- model may take: the job that waited for it is gone. Parameters: tenant, limit.
SELECT DISTINCT s.meeting_id
  FROM moim.summaries s JOIN moim.meetings m ON m.tenant = s.tenant AND m.id = s.meeting_id
  JOIN moim.leases l ON l.tenant = s.tenant AND l.meeting_id = s.meeting_id
 WHERE s.tenant = $1 AND s.status = 'IN_PROGRESS' AND s.deadline_at <= clock_timestamp()
   AND m.status = 'ended' AND greatest(m.ended_at, m.created_at) > clock_timestamp() - interval '1 hour'
   AND l.expires_at <= clock_timestamp()
 LIMIT $2

-- newest_in_rooms --
-- The newest meeting of each room, open or over. Parameters: tenant, rooms.
SELECT DISTINCT ON (m.room)
       m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch,
       CASE WHEN l.expires_at > clock_timestamp() THEN l.holder::text END AS holder,
       CASE WHEN m.standby_until > clock_timestamp() AND m.standby IS DISTINCT FROM l.holder
            THEN m.standby::text END AS standby
  FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
 WHERE m.tenant = $1 AND m.room = ANY ($2::text[])
 ORDER BY m.room, m.created_at DESC

-- waiting --
-- Open meetings that nobody holds, and for how many seconds the longest has been without. Parameters: tenant.
SELECT count(*)::int AS meetings,
       coalesce(max(extract(epoch FROM clock_timestamp() - greatest(m.created_at, l.expires_at))), 0)::float8
           AS longest_s
  FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
 WHERE m.tenant = $1 AND m.status IN ('wanted', 'live') AND l.expires_at <= clock_timestamp()
   AND NOT EXISTS (SELECT FROM moim.recordings r WHERE r.tenant = m.tenant AND r.meeting_id = m.id)

-- hurry --
-- What waits for its next dispatch is due now, as if none had been made. Parameters: tenant, room (null: all).
UPDATE moim.meetings m
   SET next_dispatch_at = clock_timestamp(), dispatches = 0, crashes = 0, takeovers = 0
 WHERE m.tenant = $1 AND m.status IN ('wanted', 'live') AND m.room IS NOT NULL
   AND ($2::text IS NULL OR m.room = $2)
   AND (m.next_dispatch_at > clock_timestamp() OR m.crashes > 0 OR m.takeovers > 0)
   AND NOT EXISTS (SELECT FROM moim.leases l
                    WHERE l.tenant = m.tenant AND l.meeting_id = m.id AND l.expires_at > clock_timestamp())

-- offer --
-- So many places came free: those that have waited longest are due now, and the dispatchers hear of it. What was asked
-- for a moment ago is due 2 seconds after that, somebody may be on the way; what crashes has a wait of its own.
-- Two that offer at once skip each other's rows. Parameters: tenant, places.
WITH longest AS (
    SELECT m.tenant, m.id FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
     WHERE m.tenant = $1 AND m.status IN ('wanted', 'live') AND m.room IS NOT NULL
       AND m.next_dispatch_at > (SELECT clock_timestamp()) AND m.next_dispatch_at < 'infinity' AND m.crashes < 3
       AND m.next_dispatch_at > m.dispatched_at + interval '2 s'
       AND l.expires_at <= clock_timestamp()
     ORDER BY greatest(m.created_at, l.expires_at), m.id
     LIMIT $2
       FOR UPDATE OF m SKIP LOCKED
), due AS (
    UPDATE moim.meetings m SET next_dispatch_at = greatest(clock_timestamp(), m.dispatched_at + interval '2 s')
      FROM longest WHERE m.tenant = longest.tenant AND m.id = longest.id
    RETURNING m.id
)
SELECT pg_notify('moim_wanted', $1) WHERE EXISTS (SELECT FROM due)

-- note_full --
-- A worker takes no more meetings for now, or (an empty cause) takes them again. Those that are long over are deleted.
-- Parameters: tenant, worker, host, cause, for how many seconds.
WITH over AS (
    DELETE FROM moim.full_workers WHERE tenant = $1 AND worker <> $2 AND until < clock_timestamp() - interval '1 minute'
)
INSERT INTO moim.full_workers (tenant, worker, host, cause, until)
VALUES ($1, $2, $3, $4, clock_timestamp() + CASE WHEN $4::text = '' THEN interval '0' ELSE make_interval(secs => $5) END)
ON CONFLICT (tenant, worker) DO UPDATE SET cause = excluded.cause, until = excluded.until

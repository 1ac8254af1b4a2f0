-- The list of meetings. The transaction names the tenant first (`tenant`).

-- tenant --
-- Name the tenant for this transaction. Parameters: tenant.
SELECT set_config('moim.tenant', $1, true)

-- want --
-- The id of the meeting. Parameters: tenant, room, id, id for a new one, title.
SELECT moim.want_meeting($1, $2, $3, $4, $5)

-- get --
-- One meeting. Parameters: tenant, id.
SELECT m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch,
       CASE WHEN l.epoch > 0 AND isfinite(l.expires_at)
            THEN extract(epoch FROM clock_timestamp() - l.expires_at)::float8 END AS lease_over_s,
       CASE WHEN l.expires_at > clock_timestamp() THEN l.holder::text END AS holder,
       CASE WHEN m.standby_until > clock_timestamp() THEN m.standby::text END AS standby
  FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
 WHERE m.tenant = $1 AND m.id = $2

-- list_all --
-- All meetings, newest first. Parameters: tenant.
SELECT m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch,
       CASE WHEN l.expires_at > clock_timestamp() THEN l.holder::text END AS holder,
       CASE WHEN m.standby_until > clock_timestamp() THEN m.standby::text END AS standby
  FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
 WHERE m.tenant = $1
 ORDER BY m.created_at DESC, m.id

-- mark_live --
-- Parameters: tenant, meeting, epoch, start (or null).
SELECT moim.mark_live($1, $2, $3, $4)

-- mark_ended --
-- Parameters: tenant, meeting, epoch, end, failure (or null).
SELECT moim.mark_ended($1, $2, $3, $4, $5)

-- request_end --
-- Parameters: tenant, meeting.
SELECT moim.request_end($1, $2)

-- claim_unheld --
-- Take up to $2 open meetings that nobody holds and that are due, and make them due again in $3 seconds.
-- Two claimers at once skip each other's rows. Parameters: tenant, limit, retry in seconds, text meetings?
WITH due AS (
    SELECT m.tenant, m.id FROM moim.meetings m
     WHERE m.tenant = $1 AND m.status IN ('wanted', 'live')
       AND m.next_dispatch_at <= clock_timestamp()
       AND (m.room IS NULL) = $4
       AND NOT EXISTS (SELECT FROM moim.leases l
                        WHERE l.tenant = m.tenant AND l.meeting_id = m.id
                          -- Who stands by takes it at once: nobody is sent there first.
                          AND l.expires_at > clock_timestamp() - CASE
                              WHEN m.standby_until > clock_timestamp() THEN interval '2 s' ELSE interval '0' END)
     ORDER BY m.next_dispatch_at, m.created_at
     LIMIT $2
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE moim.meetings m
   SET next_dispatch_at = clock_timestamp() + make_interval(secs => $3)
  FROM due, moim.leases l
 WHERE m.tenant = due.tenant AND m.id = due.id AND l.tenant = m.tenant AND l.meeting_id = m.id
RETURNING m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, l.epoch,
          NULL AS holder, NULL AS standby

-- waiting --
-- Open meetings that nobody holds, and for how many seconds the longest has been without. Parameters: tenant.
SELECT count(*)::int AS meetings,
       coalesce(max(extract(epoch FROM clock_timestamp() - greatest(m.created_at, l.expires_at))), 0)::float8
           AS longest_s
  FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
 WHERE m.tenant = $1 AND m.status IN ('wanted', 'live') AND l.expires_at <= clock_timestamp()

-- hurry --
-- What waits for its next dispatch is due now. Parameters: tenant.
UPDATE moim.meetings m
   SET next_dispatch_at = clock_timestamp()
 WHERE m.tenant = $1 AND m.status IN ('wanted', 'live') AND m.room IS NOT NULL
   AND m.next_dispatch_at > clock_timestamp()
   AND NOT EXISTS (SELECT FROM moim.leases l
                    WHERE l.tenant = m.tenant AND l.meeting_id = m.id AND l.expires_at > clock_timestamp())

-- note_standby --
-- Show who stands by. Parameters: tenant, meeting, holder, ttl in seconds.
UPDATE moim.meetings
   SET standby = $3::text::jsonb, standby_until = clock_timestamp() + make_interval(secs => $4)
 WHERE tenant = $1 AND id = $2 AND status IN ('wanted', 'live')

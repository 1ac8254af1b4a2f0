-- Who stands by for a meeting. The transaction names the tenant first (`registry.sql`). Times are the database's.

-- claim_unguarded --
-- Up to $2 live meetings that want a second job and have none, or only one in their holder's own worker;
-- due again in $3 seconds. $4: every meeting wants one. $5: a lease that ends within so many seconds was not
-- renewed in time, and its meeting wants one as a relief. `apart`: not in the holder's worker, this time.
-- `maybe`: as in `claim_unheld`, so that the others need not be looked at.
WITH maybe AS (
    SELECT id FROM moim.meetings
     WHERE tenant = $1 AND status = 'live' AND (standby_wanted OR successor_sought_until > '-infinity')
    UNION
    SELECT id FROM moim.meetings WHERE $4 AND tenant = $1 AND status = 'live'
    UNION
    SELECT meeting_id FROM moim.leases
     WHERE tenant = $1 AND holder IS NOT NULL
       AND expires_at <= (SELECT clock_timestamp() + make_interval(secs => $5))
), due AS (
    SELECT m.tenant, m.id, l.epoch, l.holder,
           NOT ($4 OR m.standby_wanted OR m.successor_sought_until > clock_timestamp()) AS relief,
           m.successor_sought_until > clock_timestamp() OR m.standby_tries % 2 = 0
           OR (m.standby_until > clock_timestamp() AND moim.same_worker(m.standby, l.holder)) AS apart
      FROM moim.meetings m JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
     WHERE m.tenant = $1 AND m.id = ANY (ARRAY (SELECT id FROM maybe)) AND m.status = 'live' AND m.room IS NOT NULL
       AND l.expires_at > clock_timestamp()
       AND ($4 OR m.standby_wanted OR m.successor_sought_until > clock_timestamp()
            -- Not where one after the other falls behind: a relief would load the machine more.
            OR (l.expires_at <= clock_timestamp() + make_interval(secs => $5)
                AND moim.takeover_wait(m.takeovers, m.taken_over_at) = interval '0'))
       AND CASE WHEN m.standby_until <= clock_timestamp() THEN m.next_standby_at <= clock_timestamp()
                WHEN NOT moim.same_worker(m.standby, l.holder) THEN false
                WHEN m.successor_sought_until > clock_timestamp()
                     -- Or its worker is dead: the one that stands by there is, too.
                     OR l.expires_at <= clock_timestamp() + make_interval(secs => $5)
                THEN m.next_standby_at <= clock_timestamp()
                -- Both in one worker: another may have come since.
                ELSE m.next_standby_at <= clock_timestamp() - interval '30 s' END
     ORDER BY m.next_standby_at, m.created_at
     LIMIT $2
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE moim.meetings m
   SET next_standby_at = clock_timestamp() + make_interval(secs => $3), standby_tries = m.standby_tries + 1
  FROM due
 WHERE m.tenant = due.tenant AND m.id = due.id
RETURNING m.id, m.room, m.title, m.status, m.started_at, m.ended_at, m.failure, due.epoch,
          due.holder::text AS holder, NULL AS standby, due.relief, due.apart AND NOT due.relief AS apart

-- note --
-- Stand by for $4 seconds: true, or null where somebody else does, who is as good or better placed, or
-- where the meeting is over. Parameters: tenant, meeting, holder, ttl in seconds.
UPDATE moim.meetings m
   SET standby = $3::text::jsonb, standby_until = clock_timestamp() + make_interval(secs => $4), standby_tries = 0
  FROM moim.leases l
 WHERE m.tenant = $1 AND m.id = $2 AND m.status IN ('wanted', 'live')
   AND l.tenant = m.tenant AND l.meeting_id = m.id
   AND (m.standby_until <= clock_timestamp() OR m.standby = $3::text::jsonb
        OR (moim.same_worker(m.standby, l.holder) AND NOT moim.same_worker($3::text::jsonb, l.holder)))
RETURNING true

-- drop --
-- Stand by no longer; another may be looked for at once. Parameters: tenant, meeting, holder.
UPDATE moim.meetings
   SET standby_until = '-infinity', next_standby_at = '-infinity'
 WHERE tenant = $1 AND id = $2 AND standby = $3::text::jsonb AND standby_until > clock_timestamp()

-- want --
-- This meeting is to have a standby, whatever the dispatcher's setting. Parameters: tenant, meeting.
UPDATE moim.meetings SET standby_wanted = true WHERE tenant = $1 AND id = $2 AND status IN ('wanted', 'live')

-- seek_successor --
-- The holder wants to go: find it a standby in another worker. Null: it is not the holder any more.
-- Parameters: tenant, meeting, epoch, for how many seconds.
UPDATE moim.meetings m
   SET successor_sought_until = clock_timestamp() + make_interval(secs => $4),
       next_standby_at = CASE WHEN m.successor_sought_until <= clock_timestamp() THEN '-infinity'
                              ELSE m.next_standby_at END
  FROM moim.leases l
 WHERE m.tenant = $1 AND m.id = $2 AND l.tenant = m.tenant AND l.meeting_id = m.id AND l.epoch = $3
RETURNING true

-- successor_found --
-- The successor is not sought any more. Parameters: tenant, meeting.
UPDATE moim.meetings SET successor_sought_until = '-infinity' WHERE tenant = $1 AND id = $2

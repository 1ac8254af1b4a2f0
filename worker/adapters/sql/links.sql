-- Links to one meeting's page. The transaction names the tenant first.

-- make --
-- Parameters: tenant, id, meeting, digest, may edit, seconds until it expires.
INSERT INTO moim.links (tenant, id, meeting_id, digest, may_edit, expires_at)
VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))
RETURNING id, meeting_id, may_edit, made_at, expires_at

-- opened --
-- What a secret opens, while it does. Parameters: tenant, digest.
SELECT id, meeting_id, may_edit, made_at, expires_at FROM moim.links
 WHERE tenant = $1 AND digest = $2 AND withdrawn_at IS NULL AND expires_at > clock_timestamp()

-- standing --
-- Those of a meeting that open it still, newest first. Parameters: tenant, meeting.
SELECT id, meeting_id, may_edit, made_at, expires_at FROM moim.links
 WHERE tenant = $1 AND meeting_id = $2 AND withdrawn_at IS NULL AND expires_at > clock_timestamp()
 ORDER BY made_at DESC, id

-- stands --
-- Parameters: tenant, id.
SELECT EXISTS (SELECT FROM moim.links
                WHERE tenant = $1 AND id = $2 AND withdrawn_at IS NULL AND expires_at > clock_timestamp())

-- ended --
-- Those that ended within so many seconds, to meetings with a room. Parameters: tenant, seconds.
SELECT l.id, m.room
  FROM moim.links l JOIN moim.meetings m ON m.tenant = l.tenant AND m.id = l.meeting_id
 WHERE l.tenant = $1 AND m.room IS NOT NULL
   AND least(l.withdrawn_at, l.expires_at) BETWEEN clock_timestamp() - make_interval(secs => $2) AND clock_timestamp()
 ORDER BY m.room, l.id

-- withdraw --
-- Did it stand? Parameters: tenant, meeting, id.
UPDATE moim.links SET withdrawn_at = clock_timestamp()
 WHERE tenant = $1 AND meeting_id = $2 AND id = $3 AND withdrawn_at IS NULL AND expires_at > clock_timestamp()
RETURNING id

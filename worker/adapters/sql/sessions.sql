-- Sessions of browsers, and the key that signs their cookies. The transaction names the tenant first.

-- key --
-- Parameters: tenant, the key's name.
SELECT key FROM moim.keys WHERE tenant = $1 AND name = $2

-- draw --
-- Of several at once the first counts. Parameters: tenant, the key's name, a key.
INSERT INTO moim.keys (tenant, name, key) VALUES ($1, $2, $3) ON CONFLICT (tenant, name) DO NOTHING

-- begin --
-- Parameters: tenant, id, kind, link or null, administrator, seconds until it expires.
INSERT INTO moim.sessions (tenant, id, kind, link_id, administrator, expires_at)
VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))

-- forget --
-- Those whose cookie no browser has any more: it is kept for seven days. Parameters: tenant.
DELETE FROM moim.sessions WHERE tenant = $1 AND expires_at < clock_timestamp() - interval '8 days'

-- standing --
-- Those that have neither ended nor expired, nor has the link that they were signed in with.
-- Parameters: tenant, ids.
SELECT s.id
  FROM moim.sessions s
  LEFT JOIN moim.links l ON l.tenant = s.tenant AND l.id = s.link_id
 WHERE s.tenant = $1 AND s.id = ANY($2::text[]) AND s.ended_at IS NULL AND s.expires_at > clock_timestamp()
   AND (s.link_id IS NULL OR l.withdrawn_at IS NULL AND l.expires_at > clock_timestamp())

-- end --
-- Had it not ended before? Parameters: tenant, id.
UPDATE moim.sessions SET ended_at = clock_timestamp() WHERE tenant = $1 AND id = $2 AND ended_at IS NULL
RETURNING id

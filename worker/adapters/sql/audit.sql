-- The audit log: who did what. The transaction names the tenant first.

-- note --
-- Parameters: tenant, who, how, action, meeting or null, subject or null.
INSERT INTO moim.audit (tenant, who, how, action, meeting_id, subject) VALUES ($1, $2, $3, $4, $5, $6)

-- newest --
-- The newest first. Parameters: tenant, meeting or null, who or null, since, limit.
SELECT at, who, how, action, meeting_id, subject FROM moim.audit
 WHERE tenant = $1 AND ($2::text IS NULL OR meeting_id = $2) AND ($3::text IS NULL OR who = $3) AND at >= $4
 ORDER BY at DESC LIMIT $5

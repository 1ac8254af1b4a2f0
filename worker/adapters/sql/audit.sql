-- The audit log: who did what. The transaction names the tenant first.

-- note --
-- Add rows. Parameters: tenant, then lists of as many: who, how, action, meeting or null, subject or null.
INSERT INTO moim.audit (tenant, who, how, action, meeting_id, subject)
SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])

-- newest --
-- The newest first. Parameters: tenant, meeting or null, names or null, since, limit.
SELECT at, who, how, action, meeting_id, subject FROM moim.audit
 WHERE tenant = $1 AND ($2::text IS NULL OR meeting_id = $2) AND ($3::text[] IS NULL OR who = ANY($3)) AND at >= $4
 ORDER BY at DESC LIMIT $5

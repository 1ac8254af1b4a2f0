-- The right to write a meeting. Times are the database's own.

-- acquire --
-- The new epoch; 0 = not now; null = unknown meeting. Parameters: tenant, meeting, holder, ttl in seconds.
SELECT moim.acquire_lease($1, $2, $3::text::jsonb, $4)

-- renew --
-- Is the meeting asked to end? Null: another epoch stands. Parameters: tenant, meeting, epoch, ttl in seconds,
-- what is not written yet (or null: as it was).
SELECT moim.renew_lease($1, $2, $3, $4, $5::text::jsonb)

-- release --
-- Let go. Parameters: tenant, meeting, epoch.
SELECT moim.release_lease($1, $2, $3)

-- renew_many --
-- Of these meetings those held under their epochs, and is each asked to end? Parameters: tenant, meetings,
-- epochs, ttl in seconds.
SELECT meeting, ending FROM moim.renew_leases($1, $2, $3, $4)

-- reopen --
-- As acquire, of a meeting that has ended. Parameters: tenant, meeting, holder, ttl in seconds.
SELECT moim.reopen_lease($1, $2, $3::text::jsonb, $4)

-- What a holder has heard and not written yet: participant → ms of the meeting where the oldest of it begins.
-- It goes with each renewal of the lease, and tells a successor where the gap begins that a death leaves.
ALTER TABLE moim.leases ADD COLUMN unwritten jsonb NOT NULL DEFAULT '{}';

-- As `renew_lease` without it. Null leaves what stands there: whoever is still reading a dead holder's record.
CREATE FUNCTION moim.renew_lease(
    p_tenant text, p_meeting text, p_epoch bigint, p_ttl_s float8, p_unwritten jsonb
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    ending boolean;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
    UPDATE moim.leases SET expires_at = clock_timestamp() + make_interval(secs => p_ttl_s),
                           unwritten = coalesce(p_unwritten, unwritten)
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND epoch = p_epoch;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT end_requested INTO ending FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting;
    RETURN ending;
END $$;
GRANT EXECUTE ON FUNCTION moim.renew_lease(text, text, bigint, float8, jsonb) TO moim_app;

-- What was said in a meeting that is over may still be put right: whoever does holds it for a moment.

-- The lease of a meeting that has ended, for corrections: its epoch; 0 = not now, or it has not ended; null =
-- unknown meeting. Parameters: tenant, meeting, holder, ttl in seconds.
CREATE FUNCTION moim.reopen_lease(p_tenant text, p_meeting text, p_holder jsonb, p_ttl_s float8)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    lease moim.leases;
    taken bigint;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    SELECT * INTO lease FROM moim.leases WHERE tenant = p_tenant AND meeting_id = p_meeting FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting AND status = 'ended';
    IF NOT FOUND OR lease.expires_at > clock_timestamp() THEN
        RETURN 0;
    END IF;
    UPDATE moim.leases
       SET epoch = lease.epoch + 1, holder = p_holder,
           expires_at = clock_timestamp() + make_interval(secs => p_ttl_s)
     WHERE tenant = p_tenant AND meeting_id = p_meeting RETURNING epoch INTO taken;
    RETURN taken;
END $$;
GRANT EXECUTE ON FUNCTION moim.reopen_lease(text, text, jsonb, float8) TO moim_app;

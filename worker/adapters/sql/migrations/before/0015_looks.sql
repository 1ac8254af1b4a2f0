-- A look for what nobody holds does not go through all that is held.
--
-- A held meeting is due for no dispatch (`infinity`); letting it go, or its end, makes it due. A holder that died let
-- go of nothing: it is found among the leases that still name one. That index is over columns which a
-- renewal leaves alone, so renewals stay in their page.

CREATE INDEX leases_held ON moim.leases (tenant, meeting_id) WHERE holder IS NOT NULL;
-- Few at any time: who is asked to have somebody stand by.
CREATE INDEX meetings_guarded ON moim.meetings (tenant, id)
    WHERE status = 'live' AND (standby_wanted OR successor_sought_until > '-infinity');

-- As before, and the meeting is due for no dispatch.
CREATE OR REPLACE FUNCTION moim.acquire_lease(p_tenant text, p_meeting text, p_holder jsonb, p_ttl_s float8)
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
    IF lease.expires_at > clock_timestamp() AND lease.holder IS DISTINCT FROM p_holder THEN
        RETURN 0;
    END IF;
    UPDATE moim.meetings SET next_dispatch_at = 'infinity'
     WHERE tenant = p_tenant AND id = p_meeting AND status IN ('wanted', 'live');
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    UPDATE moim.leases
       SET epoch = lease.epoch + 1, holder = p_holder,
           expires_at = clock_timestamp() + make_interval(secs => p_ttl_s)
     WHERE tenant = p_tenant AND meeting_id = p_meeting RETURNING epoch INTO taken;
    RETURN taken;
END $$;

-- As before, and its dispatch is due to be withdrawn.
CREATE OR REPLACE FUNCTION moim.mark_ended(
    p_tenant text, p_meeting text, p_epoch bigint, p_ended_at timestamptz, p_failure text
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN false;
    END IF;
    UPDATE moim.meetings
       SET status = CASE WHEN p_failure IS NULL THEN 'ended' ELSE 'failed' END,
           ended_at = p_ended_at, failure = p_failure, next_dispatch_at = '-infinity'
     WHERE tenant = p_tenant AND id = p_meeting AND status IN ('wanted', 'live');
    PERFORM pg_notify('moim_wanted', p_tenant);
    RETURN true;
END $$;

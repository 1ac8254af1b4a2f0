-- A machine at its limit gets slower, it does not thrash: who takes over waits longer each time, and a worker that
-- takes no more meetings says so.
--
-- Safe while the old version still runs: it calls the same functions, and does not look at what is new.

-- How often in a row a lease was taken that its holder had let run out, and when that was last. A lease that was let
-- go, by its holder or by the worker of a job that died, is taken at once and not counted.
ALTER TABLE moim.meetings
    ADD COLUMN takeovers     integer     NOT NULL DEFAULT 0,
    ADD COLUMN taken_over_at timestamptz NOT NULL DEFAULT '-infinity';

-- In the last five minutes; a meeting that was quiet for so long begins anew.
CREATE FUNCTION moim.takeovers_lately(p_takeovers integer, p_at timestamptz) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_at > clock_timestamp() - interval '5 minutes' THEN p_takeovers ELSE 0 END
$$;
-- How long after the end of a lease the next takeover may be: at once twice, then after 5, 10, and 20 s at most.
CREATE FUNCTION moim.takeover_wait(p_takeovers integer, p_at timestamptz) RETURNS interval LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN moim.takeovers_lately(p_takeovers, p_at) < 2 THEN interval '0'
                ELSE make_interval(secs => least(20, 5 * 2 ^ least(moim.takeovers_lately(p_takeovers, p_at) - 2, 10)))
           END
$$;
-- Is a lease to be left to its last holder for a while, who may only be slow and renew it after all?
CREATE FUNCTION moim.taken_over_later(p_lease moim.leases, p_takeovers integer, p_at timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT p_lease.holder IS NOT NULL
           AND p_lease.expires_at + moim.takeover_wait(p_takeovers, p_at) > clock_timestamp()
$$;

-- As before, but not while the last holder still has time; and takeovers are counted.
CREATE OR REPLACE FUNCTION moim.acquire_lease(p_tenant text, p_meeting text, p_holder jsonb, p_ttl_s float8)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    lease moim.leases;
    meeting moim.meetings;
    taken bigint;
    ran_out boolean;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    SELECT * INTO lease FROM moim.leases WHERE tenant = p_tenant AND meeting_id = p_meeting FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT * INTO meeting FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting;
    IF lease.expires_at > clock_timestamp() AND lease.holder IS DISTINCT FROM p_holder THEN
        RETURN 0;
    END IF;
    ran_out := lease.holder IS NOT NULL AND lease.holder IS DISTINCT FROM p_holder;
    IF ran_out AND moim.taken_over_later(lease, meeting.takeovers, meeting.taken_over_at) THEN
        RETURN 0;
    END IF;
    UPDATE moim.meetings
       SET next_dispatch_at = 'infinity',
           takeovers = CASE WHEN ran_out THEN moim.takeovers_lately(takeovers, taken_over_at) + 1 ELSE takeovers END,
           taken_over_at = CASE WHEN ran_out THEN clock_timestamp() ELSE taken_over_at END
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

-- Workers that take no more meetings for now, and why: for whoever asks why a meeting waits.
CREATE TABLE moim.full_workers (
    tenant text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    worker text        NOT NULL CHECK (length(worker) BETWEEN 1 AND 300),
    host   text        NOT NULL,
    cause  text        NOT NULL CHECK (length(cause) <= 500),
    until  timestamptz NOT NULL,                                -- it told so a moment ago: it may have died since
    PRIMARY KEY (tenant, worker)
);
ALTER TABLE moim.full_workers ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.full_workers FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.full_workers USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.full_workers TO moim_app;
GRANT EXECUTE ON FUNCTION moim.takeovers_lately(integer, timestamptz), moim.takeover_wait(integer, timestamptz),
    moim.taken_over_later(moim.leases, integer, timestamptz) TO moim_app;

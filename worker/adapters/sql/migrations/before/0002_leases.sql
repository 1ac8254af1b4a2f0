-- Leases: the right to write a meeting, and what follows when a holder dies, is slow, or has no room.

-- Made with the meeting and never deleted: its epoch only grows.
-- Renewed all the time, hence the room left in its pages for in-page updates.
CREATE TABLE moim.leases (
    tenant     text        NOT NULL,
    meeting_id text        NOT NULL,
    epoch      bigint      NOT NULL DEFAULT 0,
    holder     jsonb,
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    -- What a holder has heard and not written yet: participant → ms of the meeting where the oldest of it begins.
    -- It goes with each renewal, and tells a successor where the gap begins that a death leaves.
    unwritten  jsonb       NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant, meeting_id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
) WITH (fillfactor = 50);

-- A holder that died let go of nothing: it is found among the leases that still name one. The index is over columns
-- which a renewal leaves alone, so renewals stay in their page.
CREATE INDEX leases_held ON moim.leases (tenant, meeting_id) WHERE holder IS NOT NULL;

-- Is `p_epoch` the meeting's present one? The lock makes a takeover wait until this transaction has
-- ended, and this transaction wait for a takeover under way. KEY SHARE, because a mere renewal of
-- the same lease must not wait for it. A caller must name the tenant first.
CREATE FUNCTION moim.holds(p_tenant text, p_meeting text, p_epoch bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    present bigint;
BEGIN
    SELECT epoch INTO present FROM moim.leases
     WHERE tenant = p_tenant AND meeting_id = p_meeting FOR KEY SHARE;
    RETURN present IS NOT DISTINCT FROM p_epoch AND p_epoch > 0;
END $$;

-- Takeovers of the last five minutes; a meeting that was quiet for so long begins anew.
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

-- Take the lease: the new epoch, and the meeting is due for no dispatch; 0 while another holder's stands, while one
-- that let it run out still has time, or once the meeting is over; NULL for an unknown meeting. Takeovers are counted.
-- `clock_timestamp()`, since `now()` stands still while we wait for the lock.
CREATE FUNCTION moim.acquire_lease(p_tenant text, p_meeting text, p_holder jsonb, p_ttl_s float8)
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

-- Extend the lease: is the meeting asked to end? NULL: the epoch is not the present one. A null `p_unwritten` leaves
-- what stands there: whoever is still reading a dead holder's record.
--
-- A renewal does not wait for the disk: one that a crash of the server takes back makes the lease end
-- earlier, no more. Whoever takes it then has a higher epoch, and that one is on the disk. A holder of
-- hundreds of meetings would else have the disk wait for it a hundred times a second.
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

-- Extend the leases of meetings held under these epochs: those that were, and are they asked to end?
-- Rows are locked in the order of their ids, so that two that overlap (an old holder, a new one) do not
-- wait for each other.
CREATE FUNCTION moim.renew_leases(p_tenant text, p_meetings text[], p_epochs bigint[], p_ttl_s float8)
RETURNS TABLE (meeting text, ending boolean) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
    RETURN QUERY
    WITH held AS MATERIALIZED (
        SELECT l.meeting_id FROM moim.leases l
          JOIN unnest(p_meetings, p_epochs) AS mine (meeting_id, epoch)
            ON l.meeting_id = mine.meeting_id AND l.epoch = mine.epoch
         WHERE l.tenant = p_tenant
         ORDER BY l.meeting_id
           FOR NO KEY UPDATE OF l
    ), extended AS (
        UPDATE moim.leases l SET expires_at = clock_timestamp() + make_interval(secs => p_ttl_s)
          FROM held WHERE l.tenant = p_tenant AND l.meeting_id = held.meeting_id
        RETURNING l.meeting_id
    )
    SELECT m.id, m.end_requested FROM moim.meetings m JOIN extended e ON e.meeting_id = m.id
     WHERE m.tenant = p_tenant;
END $$;

-- Let the lease go, so that a successor is dispatched at once. A stale epoch changes nothing.
CREATE FUNCTION moim.release_lease(p_tenant text, p_meeting text, p_epoch bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    UPDATE moim.leases SET expires_at = clock_timestamp(), holder = NULL
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND epoch = p_epoch;
    IF FOUND THEN
        UPDATE moim.meetings SET next_dispatch_at = '-infinity'
         WHERE tenant = p_tenant AND id = p_meeting AND status IN ('wanted', 'live');
        PERFORM pg_notify('moim_wanted', p_tenant);
    END IF;
END $$;

-- The lease of a meeting that is over: what was said may still be put right, or taken back, and whoever does that holds
-- it for a moment. Its epoch; 0 = not now, or it is not over; null = unknown meeting.
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
    PERFORM FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting AND status IN ('ended', 'failed');
    IF NOT FOUND OR lease.expires_at > clock_timestamp() THEN
        RETURN 0;
    END IF;
    UPDATE moim.leases
       SET epoch = lease.epoch + 1, holder = p_holder,
           expires_at = clock_timestamp() + make_interval(secs => p_ttl_s)
     WHERE tenant = p_tenant AND meeting_id = p_meeting RETURNING epoch INTO taken;
    RETURN taken;
END $$;

-- A job that dies as soon as it holds its meeting, again and again, is asked for ever less often.
--
-- How long after the last dispatch the next one is made: at once after four such deaths (a takeover is not to
-- wait; the last one is counted when it is made), then after 5, 10, 20 and 25 s, up to a fifth more by the meeting's own chance.
CREATE FUNCTION moim.crash_wait(p_id text, p_crashes integer) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_crashes < 3 THEN interval '0'
                ELSE make_interval(secs => least(25, 5 * 2 ^ least(p_crashes - 3, 10))
                                           * (1 + (abs(hashtext(p_id || ':' || p_crashes)::bigint) % 1000) / 5000.0))
           END
$$;

-- Do both live in one worker process? Then a death of that worker takes both.
CREATE FUNCTION moim.same_worker(one jsonb, other jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(one->>'host' = other->>'host' AND one->>'worker_pid' = other->>'worker_pid', false) $$;

-- Workers that take no more meetings for now, and why: for whoever asks why a meeting waits.
CREATE TABLE moim.full_workers (
    tenant text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    worker text        NOT NULL CHECK (length(worker) BETWEEN 1 AND 300),
    host   text        NOT NULL,
    cause  text        NOT NULL CHECK (length(cause) <= 500),
    until  timestamptz NOT NULL,                                -- it told so a moment ago: it may have died since
    PRIMARY KEY (tenant, worker)
);

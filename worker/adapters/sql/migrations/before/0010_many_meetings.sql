-- For a process with hundreds of meetings: renewals and appends of many in one round trip and one commit.
--
-- A renewal does not wait for the disk: one that a crash of the server takes back makes the lease end
-- earlier, no more. Whoever takes it then has a higher epoch, and that one is on the disk. A holder of
-- hundreds of meetings would else have the disk wait for it a hundred times a second.

CREATE OR REPLACE FUNCTION moim.renew_lease(p_tenant text, p_meeting text, p_epoch bigint, p_ttl_s float8)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    ending boolean;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
    UPDATE moim.leases SET expires_at = clock_timestamp() + make_interval(secs => p_ttl_s)
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

-- A snapshot is only a faster way to what the events give: one that a crash takes back is not missed.
CREATE OR REPLACE FUNCTION moim.save_snapshot(p_tenant text, p_meeting text, p_epoch bigint, p_seq bigint, p_state json)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN 'fenced';
    END IF;
    INSERT INTO moim.snapshots (tenant, meeting_id, seq, epoch, state)
    VALUES (p_tenant, p_meeting, p_seq, p_epoch, p_state)
    ON CONFLICT (tenant, meeting_id) DO UPDATE
       SET seq = excluded.seq, epoch = excluded.epoch, state = excluded.state, saved_at = clock_timestamp()
     WHERE moim.snapshots.seq < excluded.seq;
    RETURN 'ok';
END $$;

GRANT EXECUTE ON FUNCTION moim.renew_leases TO moim_app;

-- Events of several meetings, committed together: `append_events` of each, in this order, and its answers.
-- An error of one undoes them all; whoever asked asks again for each by itself. So it does where somebody
-- keeps a lock on one of them for long: the others are not to wait for it.
CREATE FUNCTION moim.append_many(p_tenant text, p_meetings text[], p_epochs bigint[], p_events text[])
RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    answers text[] := '{}';
BEGIN
    PERFORM set_config('lock_timeout', '500ms', true);
    FOR place IN 1 .. cardinality(p_meetings) LOOP
        answers := answers
            || moim.append_events(p_tenant, p_meetings[place], p_epochs[place], p_events[place]::jsonb);
    END LOOP;
    RETURN answers;
END $$;
GRANT EXECUTE ON FUNCTION moim.append_many TO moim_app;

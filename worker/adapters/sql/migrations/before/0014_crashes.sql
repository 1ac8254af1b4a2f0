-- A job that dies as soon as it holds its meeting, again and again, is asked for ever less often.
--
-- When a job was asked for last, and how many in a row held the meeting for less than 5 seconds.
ALTER TABLE moim.meetings
    ADD COLUMN dispatched_at timestamptz,
    ADD COLUMN crashes       integer NOT NULL DEFAULT 0;

-- How long after the last dispatch the next one is made: at once after four such deaths (a takeover is not to
-- wait; the last one is counted when it is made), then after 5, 10, 20 and 25 s, up to a fifth more by the meeting's own chance.
CREATE FUNCTION moim.crash_wait(p_id text, p_crashes integer) RETURNS interval LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_crashes < 3 THEN interval '0'
                ELSE make_interval(secs => least(25, 5 * 2 ^ least(p_crashes - 3, 10))
                                           * (1 + (abs(hashtext(p_id || ':' || p_crashes)::bigint) % 1000) / 5000.0))
           END
$$;
GRANT EXECUTE ON FUNCTION moim.crash_wait(text, integer) TO moim_app;

-- Wishes that came with an id of their own (signed entries of Redis' `dispatch`): which meeting each became.
--
-- A wish is one meeting for ever. Whoever puts a copy of it into the stream gets that meeting, and nothing where it is
-- over; no clock and no Redis has a say in it.

CREATE TABLE moim.wishes (
    tenant     text        NOT NULL,
    id         text        NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    meeting_id text        NOT NULL,
    made_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);

ALTER TABLE moim.wishes ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.wishes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.wishes USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));

GRANT SELECT, INSERT ON moim.wishes TO moim_app;

-- `want_meeting`, once for each wish. Two that come with the same one at once get the same meeting.
CREATE FUNCTION moim.want_by_wish(
    p_tenant text, p_room text, p_id text, p_new_id text, p_title text, p_wish text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found_id text;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    PERFORM pg_advisory_xact_lock(hashtextextended(p_tenant || chr(1) || p_wish, 0));
    SELECT meeting_id INTO found_id FROM moim.wishes WHERE tenant = p_tenant AND id = p_wish;
    IF NOT FOUND THEN
        found_id := moim.want_meeting(p_tenant, p_room, p_id, p_new_id, p_title);
        INSERT INTO moim.wishes (tenant, id, meeting_id) VALUES (p_tenant, p_wish, found_id);
    END IF;
    RETURN found_id;
END $$;
GRANT EXECUTE ON FUNCTION moim.want_by_wish(text, text, text, text, text, text) TO moim_app;

-- Keys of end-to-end encrypted rooms, as whoever wants a meeting there gives them.
--
-- A table of its own: whoever reads meetings reads no key beside, and the last of a key goes with its row. It is
-- kept for the meeting's next holder, should this one die, and deleted when the meeting is over, however it ends.
-- Safe while the old version still runs: it asks for none.

CREATE TABLE moim.room_keys (
    tenant     text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    meeting_id text        NOT NULL,
    key        text        NOT NULL CHECK (length(key) BETWEEN 1 AND 1000),
    given_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, meeting_id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id) ON DELETE CASCADE
);

ALTER TABLE moim.room_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.room_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.room_keys USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.room_keys TO moim_app;

-- As `want_meeting`, and the meeting has this key from now on. In one transaction: whoever is dispatched for the
-- meeting finds the key. What is over gets none; the lock lets its end wait for this, or this for its end.
CREATE FUNCTION moim.want_with_key(
    p_tenant text, p_room text, p_id text, p_new_id text, p_title text, p_key text
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    wanted text := moim.want_meeting(p_tenant, p_room, p_id, p_new_id, p_title);
BEGIN
    INSERT INTO moim.room_keys (tenant, meeting_id, key)
    SELECT m.tenant, m.id, p_key FROM moim.meetings m
     WHERE m.tenant = p_tenant AND m.id = wanted AND m.room = p_room AND m.status IN ('wanted', 'live') FOR SHARE
    ON CONFLICT (tenant, meeting_id) DO UPDATE SET key = excluded.key, given_at = clock_timestamp();
    RETURN wanted;
END $$;
GRANT EXECUTE ON FUNCTION moim.want_with_key(text, text, text, text, text, text) TO moim_app;

CREATE FUNCTION moim.forget_room_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM moim.room_keys WHERE tenant = NEW.tenant AND meeting_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_room_key AFTER UPDATE OF status ON moim.meetings FOR EACH ROW
    WHEN (NEW.status IN ('ended', 'failed')) EXECUTE FUNCTION moim.forget_room_key();

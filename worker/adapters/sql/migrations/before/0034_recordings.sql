-- Files that people bring on the home page: a transcript or a recording that is to become a meeting.
--
-- A meeting is wanted with its file, in one transaction. The file stands here in parts until it is text, or is given
-- up; a worker claims it, holds the meeting and plays the file. Whatever ends the meeting deletes the file with it.
--
-- A text worker of an older version would hold such a meeting as one that is fed through Redis, and the file waits
-- until it leaves: update the workers before people bring files.

CREATE TABLE moim.recordings (
    tenant     text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    meeting_id text        NOT NULL,
    name       text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200), -- of the file, without a folder
    kind       text        NOT NULL CHECK (kind IN ('transcript', 'sound')),
    bytes      bigint      NOT NULL, -- of the file as it was sent
    total      bigint      NOT NULL, -- lines of a transcript, or ms of sound as the file tells its length (0: it does not)
    done       bigint      NOT NULL DEFAULT 0, -- of them
    complete   boolean     NOT NULL DEFAULT false, -- all its parts have come
    tries      integer     NOT NULL DEFAULT 0, -- how often a worker has claimed it since it last got any further
    fault      text, -- why nothing more comes of it, as a word, and the value that the word is about
    fault_value text,
    due_at     timestamptz NOT NULL DEFAULT clock_timestamp(), -- a worker may claim it then
    added_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, meeting_id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id) ON DELETE CASCADE
);

CREATE TABLE moim.recording_parts (
    tenant     text    NOT NULL,
    meeting_id text    NOT NULL,
    number     integer NOT NULL,
    bytes      bytea   NOT NULL CHECK (length(bytes) BETWEEN 1 AND 1048576),
    PRIMARY KEY (tenant, meeting_id, number),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.recordings (tenant, meeting_id) ON DELETE CASCADE
);
ALTER TABLE moim.recording_parts ALTER COLUMN bytes SET STORAGE EXTERNAL; -- sound is compressed already

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['recordings', 'recording_parts'] LOOP
        EXECUTE format('ALTER TABLE moim.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE moim.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_tenant ON moim.%I USING (tenant = current_setting(''moim.tenant'', true))'
                       ' WITH CHECK (tenant = current_setting(''moim.tenant'', true))', name);
    END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.recordings, moim.recording_parts TO moim_app;

-- A new meeting without a room, with the file that it will be read from; an id that is taken is an error.
CREATE FUNCTION moim.want_recording(
    p_tenant text, p_new_id text, p_title text, p_name text, p_kind text, p_bytes bigint, p_total bigint
) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    INSERT INTO moim.meetings (tenant, id, title) VALUES (p_tenant, p_new_id, p_title);
    INSERT INTO moim.leases (tenant, meeting_id) VALUES (p_tenant, p_new_id);
    INSERT INTO moim.recordings (tenant, meeting_id, name, kind, bytes, total)
    VALUES (p_tenant, p_new_id, p_name, p_kind, p_bytes, p_total);
    RETURN p_new_id;
END $$;
GRANT EXECUTE ON FUNCTION moim.want_recording(text, text, text, text, text, bigint, bigint) TO moim_app;

-- The file goes when its meeting is over, however that came. Why a file was given up stays, for whoever brought it.
CREATE FUNCTION moim.forget_recording() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM moim.recordings WHERE tenant = NEW.tenant AND meeting_id = NEW.id AND fault IS NULL;
    DELETE FROM moim.recording_parts WHERE tenant = NEW.tenant AND meeting_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_recording AFTER UPDATE OF status ON moim.meetings FOR EACH ROW
    WHEN (NEW.status IN ('ended', 'failed')) EXECUTE FUNCTION moim.forget_recording();

-- Whose words are all erased from a meeting has its file gone at once, whoever reads it just now: the meeting ends.
CREATE FUNCTION moim.erase_recording() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM moim.recordings r USING moim.erasures e, moim.meetings m
     WHERE e.tenant = NEW.tenant AND e.id = NEW.erasure_id AND e.target->>'what' = 'meeting'
       AND r.tenant = NEW.tenant AND r.meeting_id = NEW.meeting_id
       AND m.tenant = r.tenant AND m.id = r.meeting_id AND NOT m.held;
    IF FOUND THEN
        PERFORM moim.request_end(NEW.tenant, NEW.meeting_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER erase_recording AFTER INSERT ON moim.erasure_steps FOR EACH ROW
    EXECUTE FUNCTION moim.erase_recording();

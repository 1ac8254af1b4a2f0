-- The transcript: who was there, what they said, what could not be heard, and what is still to become text.

-- Projections: what can be read off the events alone, written in the same transaction.
CREATE TABLE moim.participants (
    tenant     text NOT NULL,
    meeting_id text NOT NULL,
    id         text NOT NULL,
    name       text NOT NULL
);
CREATE UNIQUE INDEX participants_id ON moim.participants (tenant, meeting_id, md5(id));

CREATE TABLE moim.utterances (
    tenant        text   NOT NULL,
    meeting_id    text   NOT NULL,
    id            bigint NOT NULL,
    seq           bigint NOT NULL,
    key           text   NOT NULL,
    speaker_id    text   NOT NULL,
    speaker_name  text   NOT NULL,
    text          text   NOT NULL,
    start_ms      bigint NOT NULL,
    end_ms        bigint NOT NULL,
    spoken_at     timestamptz NOT NULL,
    confidence    float8,
    language      text,
    source_first  bigint,
    source_last   bigint,
    times_derived boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant, meeting_id, id)
);
COMMENT ON COLUMN moim.utterances.times_derived IS
    'start_ms and end_ms come from a speaking rate: the input had none.';
-- By digest: a key may be longer than an index row.
CREATE UNIQUE INDEX utterances_key ON moim.utterances (tenant, meeting_id, md5(key));

-- Number an utterance as the fold does (`context.fold.meeting.Meeting`), and keep it. Not counted: what fell into a pause,
-- what comes after the end (unless it was spoken before, and recognised late), and a known key.
CREATE FUNCTION moim.keep_utterance(m moim.meetings, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    since bigint := (e->>'start_ms')::bigint;
    zero timestamptz := coalesce(m.zero, 'epoch');
    name text := nullif(e->>'speaker_name', '');
BEGIN
    IF (m.over AND NOT coalesce((e->>'late')::boolean, false))
       OR EXISTS (SELECT FROM unnest(m.pauses) AS pause WHERE pause @> since) THEN
        RETURN;
    END IF;
    INSERT INTO moim.participants VALUES (m.tenant, m.id, e->>'speaker_id', coalesce(name, e->>'speaker_id'))
    ON CONFLICT (tenant, meeting_id, md5(id)) DO NOTHING;
    IF name IS NULL THEN
        SELECT p.name INTO name FROM moim.participants p
         WHERE p.tenant = m.tenant AND p.meeting_id = m.id AND md5(p.id) = md5(e->>'speaker_id');
    END IF;
    INSERT INTO moim.utterances (tenant, meeting_id, id, seq, key, speaker_id, speaker_name, text, start_ms,
                                 end_ms, spoken_at, confidence, language, source_first, source_last,
                                 times_derived)
    SELECT m.tenant, m.id,
           1 + coalesce((SELECT max(u.id) FROM moim.utterances u
                          WHERE u.tenant = m.tenant AND u.meeting_id = m.id), 0),
           p_seq, e->>'key', e->>'speaker_id', name, e->>'text', since, (e->>'end_ms')::bigint,
           -- what no calendar holds stays at the start, as in the fold
           CASE WHEN since BETWEEN -50000000000000 AND 200000000000000
                THEN zero + since * interval '1 millisecond' ELSE zero END,
           (e->>'confidence')::float8, e->>'language',
           (e->'source'->>0)::bigint, (e->'source'->>1)::bigint,
           coalesce((e->>'times_derived')::boolean, false)
    ON CONFLICT (tenant, meeting_id, md5(key)) DO NOTHING;
END $$;

CREATE TABLE moim.gaps (
    tenant      text   NOT NULL,
    meeting_id  text   NOT NULL,
    seq         bigint NOT NULL,
    participant text   NOT NULL,
    start_ms    bigint NOT NULL,
    end_ms      bigint NOT NULL,
    reason      text   NOT NULL,
    PRIMARY KEY (tenant, meeting_id, seq)
);

-- Late words: what a dead job heard while this database was away, found on its machine when another holder
-- has gone on with the meeting. They wait here for that holder, who folds them in and removes them; only it
-- may write the record. The key is the turn's own, so offering twice, or folding twice, changes nothing.
CREATE TABLE moim.late_events (
    tenant     text        NOT NULL,
    meeting_id text        NOT NULL,
    key        text        NOT NULL CHECK (length(key) BETWEEN 1 AND 2000),
    start_ms   bigint      NOT NULL,
    version    integer     NOT NULL,
    payload    jsonb       NOT NULL,
    offered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);
-- A key is as long as its sender likes: an index over the text itself has a limit.
CREATE UNIQUE INDEX late_events_once ON moim.late_events (tenant, meeting_id, md5(key));

-- What waits for a meeting's holder, in the order in which it was spoken. Each holder asks now and again.
CREATE FUNCTION moim.late_words(p_tenant text, p_meeting text, p_limit integer)
RETURNS TABLE (version integer, payload text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    RETURN QUERY
    SELECT l.version, l.payload::text FROM moim.late_events l
     WHERE l.tenant = p_tenant AND l.meeting_id = p_meeting
     ORDER BY l.start_ms, md5(l.key) LIMIT p_limit;
END $$;

-- Speech that has no text when its holder stops: its sound is kept on a worker's machine, and its text comes late,
-- also once the meeting is over. Here stands what waits, by the events that say so.
CREATE TABLE moim.waiting_speech (
    tenant       text        NOT NULL,
    meeting_id   text        NOT NULL,
    key          text        NOT NULL,
    participant  text        NOT NULL,
    track_id     text        NOT NULL,
    start_ms     bigint      NOT NULL,
    end_ms       bigint      NOT NULL,
    track_end_ms bigint      NOT NULL,
    since        timestamptz NOT NULL DEFAULT clock_timestamp() -- or when a worker last saw its sound
);
CREATE UNIQUE INDEX waiting_speech_once ON moim.waiting_speech (tenant, meeting_id, md5(key));
CREATE INDEX waiting_speech_oldest ON moim.waiting_speech (tenant, since);

-- Files that people bring on the home page: a transcript or a recording that is to become a meeting.
--
-- A meeting is wanted with its file, in one transaction. The file stands here in parts until it is text, or is given
-- up; a worker claims it, holds the meeting and plays the file. Whatever ends the meeting deletes the file with it.
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

-- The file goes when its meeting is over, however that came. Why a file was given up stays, for whoever brought it.
CREATE FUNCTION moim.forget_recording() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM moim.recordings WHERE tenant = NEW.tenant AND meeting_id = NEW.id AND fault IS NULL;
    DELETE FROM moim.recording_parts WHERE tenant = NEW.tenant AND meeting_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_recording AFTER UPDATE OF status ON moim.meetings FOR EACH ROW
    WHEN (NEW.status IN ('ended', 'failed')) EXECUTE FUNCTION moim.forget_recording();

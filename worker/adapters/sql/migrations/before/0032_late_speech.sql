-- Speech that has no text when its holder stops: its sound is kept on a worker's machine, and its text comes late,
-- also once the meeting is over. Here stands what waits, by the events that say so.
--
-- Safe while the old version still runs: it writes no such events. It cannot read them either, as ever.

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

ALTER TABLE moim.waiting_speech ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.waiting_speech FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.waiting_speech USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.waiting_speech TO moim_app;

-- An event says that a stretch waits, or what became of one. And what comes to the record of a meeting that is over
-- is pushed, though all was sent before.
CREATE FUNCTION moim.keep_waiting_speech() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stretch text := NEW.payload->>'key';
BEGIN
    IF NEW.kind = 'speech_waits' THEN
        INSERT INTO moim.waiting_speech
        SELECT NEW.tenant, NEW.meeting_id, stretch, NEW.payload->>'participant_id', NEW.payload->>'track_id',
               (NEW.payload->>'start_ms')::bigint, (NEW.payload->>'end_ms')::bigint,
               (NEW.payload->>'track_end_ms')::bigint
         WHERE NOT EXISTS (SELECT FROM moim.utterances u
                            WHERE u.tenant = NEW.tenant AND u.meeting_id = NEW.meeting_id
                              AND md5(u.key) = md5(stretch) AND u.key = stretch)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
    END IF;
    IF stretch IS NOT NULL THEN
        DELETE FROM moim.waiting_speech w
         WHERE w.tenant = NEW.tenant AND w.meeting_id = NEW.meeting_id AND md5(w.key) = md5(stretch);
    END IF;
    UPDATE moim.pushes p SET over = NULL
      FROM moim.meetings m
     WHERE p.tenant = NEW.tenant AND p.meeting_id = NEW.meeting_id AND p.over = 'sent'
       AND m.tenant = p.tenant AND m.id = p.meeting_id AND m.over;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_waiting_speech AFTER INSERT ON moim.events FOR EACH ROW
    WHEN (NEW.kind = 'speech_waits' OR NEW.kind = 'summary_ready' OR NEW.payload ? 'late'
          OR (NEW.kind IN ('gap_noted', 'speech_wordless') AND NEW.payload ? 'key'))
    EXECUTE FUNCTION moim.keep_waiting_speech();

-- As before (0012), but what was recognised late becomes an utterance also once the meeting is over.
CREATE OR REPLACE FUNCTION moim.keep_utterance(m moim.meetings, p_seq bigint, e jsonb) RETURNS void
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

-- Text without times gets them from a speaking rate (`moim replay --record`); its utterances say so.

ALTER TABLE moim.utterances ADD COLUMN times_derived boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN moim.utterances.times_derived IS
    'start_ms and end_ms come from a speaking rate: the input had none.';

-- Number an utterance as the fold does (`context.meeting.Meeting`), and keep it. Not counted: what
-- fell into a pause, what comes after the end, and a known key.
CREATE OR REPLACE FUNCTION moim.keep_utterance(m moim.meetings, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    since bigint := (e->>'start_ms')::bigint;
    zero timestamptz := coalesce(m.zero, 'epoch');
    name text := nullif(e->>'speaker_name', '');
BEGIN
    IF m.over OR EXISTS (SELECT FROM unnest(m.pauses) AS pause WHERE pause @> since) THEN
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

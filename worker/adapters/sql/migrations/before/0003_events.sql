-- Events: the record itself, what is read off them in the same transaction, and the snapshots beside them.

-- No foreign key: an append has just locked the meeting's lease.
CREATE TABLE moim.events (
    tenant      text        NOT NULL,
    meeting_id  text        NOT NULL,
    seq         bigint      NOT NULL CHECK (seq > 0),
    epoch       bigint      NOT NULL,
    kind        text        NOT NULL,
    version     integer     NOT NULL,
    payload     jsonb       NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, meeting_id, seq)
);

-- What an event says about the meeting as a whole. Only for the kinds below.
CREATE FUNCTION moim.keep_course(m moim.meetings, e jsonb) RETURNS moim.meetings
LANGUAGE plpgsql AS $$
DECLARE
    paused boolean := cardinality(m.pauses) > 0 AND upper_inf(m.pauses[cardinality(m.pauses)]);
    at bigint := (e->>'at_ms')::bigint;
BEGIN
    IF m.over THEN
        RETURN m;
    END IF;
    CASE e->>'kind'
    WHEN 'meeting_started' THEN
        m.zero := coalesce(m.zero, (e->>'at')::timestamptz);
    WHEN 'recording_paused' THEN
        IF NOT paused THEN
            m.pauses := m.pauses || int8range(at, NULL);
        END IF;
    WHEN 'recording_resumed' THEN
        IF paused THEN
            m.pauses[cardinality(m.pauses)] := int8range(
                lower(m.pauses[cardinality(m.pauses)]), greatest(lower(m.pauses[cardinality(m.pauses)]), at));
        END IF;
    WHEN 'meeting_ended' THEN
        m.over := true;
    END CASE;
    UPDATE moim.meetings
       SET zero = m.zero, pauses = m.pauses, over = m.over, started_at = coalesce(started_at, m.zero)
     WHERE tenant = m.tenant AND id = m.id;
    RETURN m;
END $$;

-- Write the other projections of one event; utterances (0004) and the course of the meeting have functions of their own.
CREATE FUNCTION moim.project(p_tenant text, p_meeting text, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE e->>'kind'
    WHEN 'participant_joined' THEN
        INSERT INTO moim.participants VALUES (p_tenant, p_meeting, e->>'participant_id',
            coalesce(nullif(e->>'name', ''), e->>'participant_id'))
        ON CONFLICT (tenant, meeting_id, md5(id)) DO UPDATE SET name = excluded.name WHERE e->>'name' <> '';
    WHEN 'consent_told' THEN
        INSERT INTO moim.consents (tenant, meeting_id, participant, agreed, how, told_by)
        VALUES (p_tenant, p_meeting, e->>'participant_id', (e->>'agreed')::boolean, e->>'how', e->>'told_by')
        ON CONFLICT (tenant, meeting_id, md5(participant)) DO UPDATE
           SET agreed = excluded.agreed, how = excluded.how, told_by = excluded.told_by,
               told_at = clock_timestamp();
        -- What they did themselves stands with the way (chat, page); what another told, with whom it is about.
        INSERT INTO moim.audit (tenant, who, how, action, meeting_id, subject)
        VALUES (p_tenant, left(coalesce(moim.known_as(e->'actor', e->>'told_by'),
                                        'participant ' || (e->>'participant_id')), 400), 'meeting',
                CASE WHEN (e->>'agreed')::boolean THEN 'agreed' ELSE 'refused' END, p_meeting,
                CASE WHEN e->>'told_by' IS NULL THEN e->>'how' ELSE left(e->>'participant_id', 400) END);
    WHEN 'erased' THEN
        INSERT INTO moim.audit (tenant, who, how, action, meeting_id, subject)
        VALUES (p_tenant, left(moim.known_as(e->'actor', e->>'by'), 400), 'meeting', 'erased', p_meeting,
                left(e->'target'->>'person', 400));
        -- With the mark comes the wish to rewrite what is before it: its job may not live to ask for that.
        PERFORM moim.ask_erasure(p_tenant, e->>'id', e->'target', p_meeting, e->>'by', '', e->'actor');
    WHEN 'words_shown' THEN
        INSERT INTO moim.audit (tenant, who, how, action, meeting_id, subject)
        VALUES (p_tenant, left(moim.known_as(e->'actor', e->>'by'), 400), 'meeting', 'shown', p_meeting, NULL);
        PERFORM moim.show_words(p_tenant, p_meeting, e->'words');
    WHEN 'gap_noted' THEN
        INSERT INTO moim.gaps VALUES (p_tenant, p_meeting, p_seq, e->>'participant_id',
            (e->>'start_ms')::bigint, (e->>'end_ms')::bigint, e->>'reason');
    WHEN 'question_asked' THEN
        INSERT INTO moim.invocations VALUES (p_tenant, p_meeting, p_seq,
            e->'invocation'->>'id', e->'invocation'->>'by', e->'invocation'->>'via',
            e->'invocation'->>'text', coalesce((e->'invocation'->>'private')::boolean, false),
            (e->'invocation'->>'at_ms')::bigint)
        ON CONFLICT (tenant, meeting_id, md5(id)) DO NOTHING;
    WHEN 'answer_given' THEN
        INSERT INTO moim.replies VALUES (p_tenant, p_meeting, p_seq,
            e->'reply'->>'id', e->'reply'->>'invocation_id', e->'reply')
        ON CONFLICT (tenant, meeting_id, md5(invocation_id)) DO NOTHING;
    WHEN 'summary_started', 'summary_ready', 'summary_failed' THEN
        PERFORM moim.keep_summary(p_tenant, p_meeting, p_seq, e);
    WHEN 'thread_summary_started', 'thread_summary_ready', 'thread_summary_failed' THEN
        PERFORM moim.keep_thread_summary(p_tenant, p_meeting, p_seq, e);
    ELSE
        NULL;
    END CASE;
END $$;

-- Append events, given as [{"seq", "version", "payload"}, …] in order.
-- Answers `ok` or `fenced` (a higher epoch, or no lease at all). Raises MO001 where a number was left
-- out and MO002 where another event has that number. The same events again are `ok` and change nothing.
CREATE FUNCTION moim.append_events(p_tenant text, p_meeting text, p_epoch bigint, p_events jsonb)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    item jsonb;
    event jsonb;
    number bigint;
    last bigint;
    known jsonb;
    meeting moim.meetings;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN 'fenced';
    END IF;
    SELECT * INTO meeting FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting;
    SELECT coalesce(max(seq), 0) INTO last FROM moim.events
     WHERE tenant = p_tenant AND meeting_id = p_meeting;
    FOR item IN SELECT value FROM jsonb_array_elements(p_events) LOOP
        number := (item->>'seq')::bigint;
        event := item->'payload';
        IF number > last + 1 THEN
            RAISE EXCEPTION 'hole' USING ERRCODE = 'MO001',
                DETAIL = format('event %s follows event %s', number, last);
        ELSIF number <= last THEN
            SELECT payload INTO known FROM moim.events
             WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number;
            IF known IS DISTINCT FROM event THEN
                RAISE EXCEPTION 'conflict' USING ERRCODE = 'MO002',
                    DETAIL = format('event %s is another one', number);
            END IF;
        ELSE
            INSERT INTO moim.events (tenant, meeting_id, seq, epoch, kind, version, payload)
            VALUES (p_tenant, p_meeting, number, p_epoch, event->>'kind', (item->>'version')::int, event);
            CASE
            WHEN event->>'kind' = 'utterance_spoken' THEN
                PERFORM moim.keep_utterance(meeting, number, event);
            WHEN event->>'kind' IN ('meeting_started', 'recording_paused', 'recording_resumed',
                                    'meeting_ended') THEN
                meeting := moim.keep_course(meeting, event);
            ELSE
                PERFORM moim.project(p_tenant, p_meeting, number, event);
            END CASE;
            last := number;
        END IF;
    END LOOP;
    RETURN 'ok';
END $$;

-- Events of several meetings, committed together, for a process with hundreds of them: `append_events` of each, in this
-- order, and its answers. An error of one undoes them all; whoever asked asks again for each by itself. So it does
-- where somebody keeps a lock on one of them for long: the others are not to wait for it.
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

-- The newest snapshot only. `json`, not `jsonb`: the order of keys is part of the state.
CREATE TABLE moim.snapshots (
    tenant     text        NOT NULL,
    meeting_id text        NOT NULL,
    seq        bigint      NOT NULL,
    epoch      bigint      NOT NULL,
    state      json        NOT NULL,
    saved_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    topics     integer,
    PRIMARY KEY (tenant, meeting_id)
);
COMMENT ON COLUMN moim.snapshots.topics IS
    'How many topics it has, the first rows of snapshot_topics. Null: they are in `state`.';

-- The topics of a snapshot in rows of their own. They are nine tenths of a long meeting's state, and hardly
-- one changes between two snapshots: each brings those that did, and costs the eighth hour what it cost the first.
CREATE TABLE moim.snapshot_topics (
    tenant     text    NOT NULL,
    meeting_id text    NOT NULL,
    place      integer NOT NULL CHECK (place >= 0),
    topic      json    NOT NULL,
    PRIMARY KEY (tenant, meeting_id, place),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);

-- Keep a snapshot that has its topics in it, unless a newer one is there. `ok` or `fenced`.
-- A snapshot is only a faster way to what the events give: one that a crash takes back is not missed.
CREATE FUNCTION moim.save_snapshot(p_tenant text, p_meeting text, p_epoch bigint, p_seq bigint, p_state json)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN 'fenced';
    END IF;
    INSERT INTO moim.snapshots (tenant, meeting_id, seq, epoch, state)
    VALUES (p_tenant, p_meeting, p_seq, p_epoch, p_state)
    ON CONFLICT (tenant, meeting_id) DO UPDATE
       SET seq = excluded.seq, epoch = excluded.epoch, state = excluded.state, topics = NULL,
           saved_at = clock_timestamp()
     WHERE moim.snapshots.seq < excluded.seq;
    RETURN 'ok';
END $$;

-- Keep a snapshot and the topics that are new or changed since the one with number `p_since` (null: all of
-- them). `ok`, `fenced`, or `parted` where another one is stored: a crash of the server may have taken the
-- newest back. Rows behind its last topic are an abandoned holder's; whoever gets so far writes them anew.
CREATE FUNCTION moim.save_changes(p_tenant text, p_meeting text, p_epoch bigint, p_seq bigint, p_since bigint,
                                  p_state json, p_topics json)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN 'fenced';
    END IF;
    IF p_since IS NOT NULL AND NOT EXISTS (
        SELECT FROM moim.snapshots s
         WHERE s.tenant = p_tenant AND s.meeting_id = p_meeting AND s.seq = p_since AND s.epoch = p_epoch
           AND s.topics IS NOT NULL
    ) THEN
        RETURN 'parted';
    END IF;
    INSERT INTO moim.snapshots (tenant, meeting_id, seq, epoch, state, topics)
    VALUES (p_tenant, p_meeting, p_seq, p_epoch, p_state, (p_state->'topics'->>'count')::integer)
    ON CONFLICT (tenant, meeting_id) DO UPDATE
       SET seq = excluded.seq, epoch = excluded.epoch, state = excluded.state, topics = excluded.topics,
           saved_at = clock_timestamp()
     WHERE moim.snapshots.seq < excluded.seq;
    IF FOUND THEN
        INSERT INTO moim.snapshot_topics (tenant, meeting_id, place, topic)
        SELECT p_tenant, p_meeting, t.place, t.topic
          FROM json_to_recordset(p_topics) AS t(place integer, topic json)
        ON CONFLICT (tenant, meeting_id, place) DO UPDATE SET topic = excluded.topic;
    END IF;
    RETURN 'ok';
END $$;

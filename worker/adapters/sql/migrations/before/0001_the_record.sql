-- The record of meetings. Everything lives in the schema `moim`; every row belongs to a tenant.
--
-- The app's role may only see rows of the tenant that its transaction names (`moim.tenant`).
-- The hot paths are functions, so that naming the tenant, checking the lease and writing are one
-- round trip and one transaction. They run with the caller's rights: row-level security holds in them.

CREATE TABLE moim.meetings (
    tenant           text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    id               text        NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    room             text        CHECK (length(room) BETWEEN 1 AND 500),
    title            text,
    status           text        NOT NULL DEFAULT 'wanted'
                                 CHECK (status IN ('wanted', 'live', 'ended', 'failed')),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at       timestamptz,
    ended_at         timestamptz,
    failure          text,
    end_requested    boolean     NOT NULL DEFAULT false,
    next_dispatch_at timestamptz NOT NULL DEFAULT '-infinity',
    -- What the numbering of utterances depends on, kept by the appended events alone:
    zero             timestamptz, -- the first `meeting_started`
    pauses           int8range[]  NOT NULL DEFAULT '{}', -- stretches off the record, the last one may be open
    over             boolean      NOT NULL DEFAULT false, -- `meeting_ended` is on the record
    standby          jsonb,
    standby_until    timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (tenant, id)
);

-- One open meeting per room.
CREATE UNIQUE INDEX meetings_open_room ON moim.meetings (tenant, room) WHERE status IN ('wanted', 'live');
-- What a dispatcher looks through.
CREATE INDEX meetings_open ON moim.meetings (tenant, next_dispatch_at) WHERE status IN ('wanted', 'live');
CREATE INDEX meetings_newest ON moim.meetings (tenant, created_at DESC);

-- The right to write a meeting. Made with the meeting and never deleted: its epoch only grows.
-- Renewed all the time, hence the room left in its pages for in-page updates.
CREATE TABLE moim.leases (
    tenant     text        NOT NULL,
    meeting_id text        NOT NULL,
    epoch      bigint      NOT NULL DEFAULT 0,
    holder     jsonb,
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (tenant, meeting_id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
) WITH (fillfactor = 50);

-- The record itself. No foreign key: an append has just locked the meeting's lease.
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

-- Projections: what can be read off the events alone, written in the same transaction.
CREATE TABLE moim.utterances (
    tenant       text   NOT NULL,
    meeting_id   text   NOT NULL,
    id           bigint NOT NULL,
    seq          bigint NOT NULL,
    key          text   NOT NULL,
    speaker_id   text   NOT NULL,
    speaker_name text   NOT NULL,
    text         text   NOT NULL,
    start_ms     bigint NOT NULL,
    end_ms       bigint NOT NULL,
    spoken_at    timestamptz NOT NULL,
    confidence   float8,
    language     text,
    source_first bigint,
    source_last  bigint,
    PRIMARY KEY (tenant, meeting_id, id)
);
-- By digest: a key may be longer than an index row.
CREATE UNIQUE INDEX utterances_key ON moim.utterances (tenant, meeting_id, md5(key));

CREATE TABLE moim.participants (
    tenant     text NOT NULL,
    meeting_id text NOT NULL,
    id         text NOT NULL,
    name       text NOT NULL
);
CREATE UNIQUE INDEX participants_id ON moim.participants (tenant, meeting_id, md5(id));

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

CREATE TABLE moim.invocations (
    tenant     text    NOT NULL,
    meeting_id text    NOT NULL,
    seq        bigint  NOT NULL,
    id         text    NOT NULL,
    asker      text    NOT NULL,
    via        text    NOT NULL,
    text       text    NOT NULL,
    private    boolean NOT NULL,
    at_ms      bigint  NOT NULL,
    PRIMARY KEY (tenant, meeting_id, seq)
);
CREATE UNIQUE INDEX invocations_id ON moim.invocations (tenant, meeting_id, md5(id));

CREATE TABLE moim.replies (
    tenant        text  NOT NULL,
    meeting_id    text  NOT NULL,
    seq           bigint NOT NULL,
    id            text  NOT NULL,
    invocation_id text  NOT NULL,
    reply         jsonb NOT NULL,
    PRIMARY KEY (tenant, meeting_id, seq)
);
CREATE UNIQUE INDEX replies_invocation ON moim.replies (tenant, meeting_id, md5(invocation_id));

-- Every version of every topic's summary. No text before it is complete; a failure hides no success.
CREATE TABLE moim.summaries (
    tenant        text    NOT NULL,
    meeting_id    text    NOT NULL,
    topic_id      text    NOT NULL,
    version       integer NOT NULL,
    status        text    NOT NULL CHECK (status IN ('IN_PROGRESS', 'COMPLETED', 'FAILED')),
    seq           bigint  NOT NULL,
    text          text,
    content       jsonb,
    covered_until bigint,
    engine        text,
    reason        text,
    latency_ms    bigint,
    error         text,
    PRIMARY KEY (tenant, meeting_id, topic_id, version),
    CHECK ((status = 'COMPLETED') = (text IS NOT NULL)),
    CHECK ((status = 'FAILED') = (error IS NOT NULL))
);

-- The newest snapshot only. `json`, not `jsonb`: the order of keys is part of the state.
CREATE TABLE moim.snapshots (
    tenant     text        NOT NULL,
    meeting_id text        NOT NULL,
    seq        bigint      NOT NULL,
    epoch      bigint      NOT NULL,
    state      json        NOT NULL,
    saved_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, meeting_id)
);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['meetings', 'leases', 'events', 'utterances', 'participants', 'gaps',
                                'invocations', 'replies', 'summaries', 'snapshots'] LOOP
        EXECUTE format('ALTER TABLE moim.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE moim.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_tenant ON moim.%I USING (tenant = current_setting(''moim.tenant'', true))'
                       ' WITH CHECK (tenant = current_setting(''moim.tenant'', true))', name);
    END LOOP;
END $$;

-- What the app needs and nothing more: it deletes nothing, and does not change what was recorded.
GRANT SELECT, INSERT, UPDATE ON moim.meetings, moim.leases, moim.snapshots, moim.summaries, moim.participants TO moim_app;
GRANT SELECT, INSERT ON moim.events, moim.utterances, moim.gaps, moim.invocations, moim.replies TO moim_app;

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

-- Number an utterance as the fold does (`context.meeting.Meeting`), and keep it. Not counted: what
-- fell into a pause, what comes after the end, and a known key.
CREATE FUNCTION moim.keep_utterance(m moim.meetings, p_seq bigint, e jsonb) RETURNS void
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
                                 end_ms, spoken_at, confidence, language, source_first, source_last)
    SELECT m.tenant, m.id,
           1 + coalesce((SELECT max(u.id) FROM moim.utterances u
                          WHERE u.tenant = m.tenant AND u.meeting_id = m.id), 0),
           p_seq, e->>'key', e->>'speaker_id', name, e->>'text', since, (e->>'end_ms')::bigint,
           -- what no calendar holds stays at the start, as in the fold
           CASE WHEN since BETWEEN -50000000000000 AND 200000000000000
                THEN zero + since * interval '1 millisecond' ELSE zero END,
           (e->>'confidence')::float8, e->>'language',
           (e->'source'->>0)::bigint, (e->'source'->>1)::bigint
    ON CONFLICT (tenant, meeting_id, md5(key)) DO NOTHING;
END $$;

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

-- Write the other projections of one event.
CREATE FUNCTION moim.project(p_tenant text, p_meeting text, p_seq bigint, e jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    CASE e->>'kind'
    WHEN 'participant_joined' THEN
        INSERT INTO moim.participants VALUES (p_tenant, p_meeting, e->>'participant_id',
            coalesce(nullif(e->>'name', ''), e->>'participant_id'))
        ON CONFLICT (tenant, meeting_id, md5(id)) DO UPDATE SET name = excluded.name WHERE e->>'name' <> '';
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
    WHEN 'summary_ready' THEN
        INSERT INTO moim.summaries VALUES (p_tenant, p_meeting, e->>'topic_id', (e->>'version')::int,
            'COMPLETED', p_seq, coalesce(e->'content'->>'text', ''), e->'content',
            (e->>'covered_until')::bigint, e->>'engine', e->>'reason', (e->>'latency_ms')::bigint, NULL)
        ON CONFLICT (tenant, meeting_id, topic_id, version) DO UPDATE
           SET status = excluded.status, seq = excluded.seq, text = excluded.text,
               content = excluded.content, covered_until = excluded.covered_until,
               engine = excluded.engine, reason = excluded.reason,
               latency_ms = excluded.latency_ms, error = NULL
         WHERE moim.summaries.status <> 'COMPLETED';
    WHEN 'summary_failed' THEN
        INSERT INTO moim.summaries (tenant, meeting_id, topic_id, version, status, seq, error)
        VALUES (p_tenant, p_meeting, e->>'topic_id', (e->>'version')::int, 'FAILED', p_seq, e->>'error')
        ON CONFLICT (tenant, meeting_id, topic_id, version) DO UPDATE
           SET status = excluded.status, seq = excluded.seq, error = excluded.error
         WHERE moim.summaries.status <> 'COMPLETED';
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

-- Keep a snapshot unless a newer one is there. `ok` or `fenced`.
CREATE FUNCTION moim.save_snapshot(p_tenant text, p_meeting text, p_epoch bigint, p_seq bigint, p_state json)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
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

-- Take the lease: the new epoch; 0 while another holder's stands or once the meeting is over;
-- NULL for an unknown meeting. `clock_timestamp()`, since `now()` stands still while we wait for the lock.
CREATE FUNCTION moim.acquire_lease(p_tenant text, p_meeting text, p_holder jsonb, p_ttl_s float8)
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
    IF lease.expires_at > clock_timestamp() AND lease.holder IS DISTINCT FROM p_holder THEN
        RETURN 0;
    END IF;
    PERFORM FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting AND status IN ('wanted', 'live');
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    UPDATE moim.leases
       SET epoch = lease.epoch + 1, holder = p_holder,
           expires_at = clock_timestamp() + make_interval(secs => p_ttl_s)
     WHERE tenant = p_tenant AND meeting_id = p_meeting RETURNING epoch INTO taken;
    RETURN taken;
END $$;

-- Extend the lease: is the meeting asked to end? NULL: the epoch is not the present one.
CREATE FUNCTION moim.renew_lease(p_tenant text, p_meeting text, p_epoch bigint, p_ttl_s float8)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    ending boolean;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    UPDATE moim.leases SET expires_at = clock_timestamp() + make_interval(secs => p_ttl_s)
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND epoch = p_epoch;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT end_requested INTO ending FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting;
    RETURN ending;
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

-- The open meeting of this room, the meeting of this id, or else a new one.
CREATE FUNCTION moim.want_meeting(p_tenant text, p_room text, p_id text, p_new_id text, p_title text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found_id text;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    LOOP
        SELECT id INTO found_id FROM moim.meetings
         WHERE tenant = p_tenant AND (id = p_id OR (room = p_room AND status IN ('wanted', 'live')))
         ORDER BY (id = p_id) DESC NULLS LAST LIMIT 1;
        IF FOUND THEN
            RETURN found_id;
        END IF;
        INSERT INTO moim.meetings (tenant, id, room, title)
        VALUES (p_tenant, coalesce(p_id, p_new_id), p_room, p_title)
        ON CONFLICT DO NOTHING RETURNING id INTO found_id;
        IF FOUND THEN
            INSERT INTO moim.leases (tenant, meeting_id) VALUES (p_tenant, found_id);
            PERFORM pg_notify('moim_wanted', p_tenant);
            RETURN found_id;
        END IF;
    END LOOP;
END $$;

-- The holder has joined. False: it is not the holder any more, or the meeting is over.
CREATE FUNCTION moim.mark_live(p_tenant text, p_meeting text, p_epoch bigint, p_started_at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN false;
    END IF;
    UPDATE moim.meetings SET status = 'live', started_at = coalesce(started_at, p_started_at)
     WHERE tenant = p_tenant AND id = p_meeting AND status IN ('wanted', 'live');
    RETURN FOUND;
END $$;

-- Over, for good. False: not the holder any more. Once over, it stays as it is.
CREATE FUNCTION moim.mark_ended(
    p_tenant text, p_meeting text, p_epoch bigint, p_ended_at timestamptz, p_failure text
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN false;
    END IF;
    UPDATE moim.meetings
       SET status = CASE WHEN p_failure IS NULL THEN 'ended' ELSE 'failed' END,
           ended_at = p_ended_at, failure = p_failure
     WHERE tenant = p_tenant AND id = p_meeting AND status IN ('wanted', 'live');
    PERFORM pg_notify('moim_wanted', p_tenant);
    RETURN true;
END $$;

-- Ask for the end. What never went live and nobody holds is over at once. False: no open meeting.
CREATE FUNCTION moim.request_end(p_tenant text, p_meeting text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    PERFORM FROM moim.leases WHERE tenant = p_tenant AND meeting_id = p_meeting FOR UPDATE;
    UPDATE moim.meetings m
       SET end_requested = true, next_dispatch_at = '-infinity',
           status = CASE WHEN unheld THEN 'ended' ELSE m.status END,
           ended_at = CASE WHEN unheld THEN clock_timestamp() ELSE m.ended_at END
      FROM (SELECT w.tenant, w.id, w.status = 'wanted' AND l.expires_at <= clock_timestamp() AS unheld
              FROM moim.meetings w JOIN moim.leases l ON l.tenant = w.tenant AND l.meeting_id = w.id
             WHERE w.tenant = p_tenant AND w.id = p_meeting) AS now
     WHERE m.tenant = now.tenant AND m.id = now.id AND m.status IN ('wanted', 'live');
    IF FOUND THEN
        PERFORM pg_notify('moim_wanted', p_tenant);
        RETURN true;
    END IF;
    RETURN false;
END $$;

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA moim TO moim_app;

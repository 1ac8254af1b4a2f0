-- Meetings, and the ways in which one is wanted. Everything lives in the schema `moim`; every row belongs to a tenant.
--
-- The app's role may only see rows of the tenant that its transaction names (`moim.tenant`; 0008 has the rule).
-- The hot paths are functions, so that naming the tenant, checking the lease and writing are one round trip and one
-- transaction. They run with the caller's rights: row-level security holds in them.

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
    next_dispatch_at timestamptz NOT NULL DEFAULT '-infinity', -- 'infinity' while it is held
    -- What the numbering of utterances depends on, kept by the appended events alone:
    zero             timestamptz, -- the first `meeting_started`
    pauses           int8range[]  NOT NULL DEFAULT '{}', -- stretches off the record, the last one may be open
    over             boolean      NOT NULL DEFAULT false, -- `meeting_ended` is on the record
    -- The second job, beside its holder: who stands by, until when, and whether one is asked for.
    standby                jsonb,
    standby_until          timestamptz NOT NULL DEFAULT '-infinity',
    -- What the dispatchers remember, so that any of them goes on where another stopped: how often a job was asked
    -- for since the last lease (`dispatched_epoch` is the epoch that this counts for: a new lease begins anew by
    -- itself), and whether LiveKit may still have a dispatch of ours.
    dispatches             integer     NOT NULL DEFAULT 0,
    dispatched_epoch       bigint      NOT NULL DEFAULT -1,
    dispatch_open          boolean     NOT NULL DEFAULT false,
    standby_wanted         boolean     NOT NULL DEFAULT false,       -- for as long as it is open
    successor_sought_until timestamptz NOT NULL DEFAULT '-infinity', -- its holder wants to go
    next_standby_at        timestamptz NOT NULL DEFAULT '-infinity',
    standby_tries          integer     NOT NULL DEFAULT 0,           -- since one stood by
    dispatched_at          timestamptz,                              -- when a job was asked for last
    crashes                integer     NOT NULL DEFAULT 0, -- jobs in a row that held it for less than 5 seconds
    keep_days              integer     CHECK (keep_days BETWEEN 1 AND 36500), -- null: as the dispatcher is set
    held                   boolean     NOT NULL DEFAULT false,       -- nothing of it is erased meanwhile
    -- When the passages of a meeting that is over are to be completed; null: all its words are in them.
    passages_due_at        timestamptz DEFAULT '-infinity',
    -- How often in a row a lease was taken that its holder had let run out, and when that was last. A lease that was
    -- let go, by its holder or by the worker of a job that died, is taken at once and not counted.
    takeovers              integer     NOT NULL DEFAULT 0,
    taken_over_at          timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (tenant, id)
);

-- One open meeting per room.
CREATE UNIQUE INDEX meetings_open_room ON moim.meetings (tenant, room) WHERE status IN ('wanted', 'live');
-- What a dispatcher looks through. A held meeting is due for no dispatch; letting it go, or its end, makes it due.
CREATE INDEX meetings_open ON moim.meetings (tenant, next_dispatch_at) WHERE status IN ('wanted', 'live');
CREATE INDEX meetings_newest ON moim.meetings (tenant, created_at DESC);
-- Few at any time: what has ended and whose dispatch is not withdrawn yet.
CREATE INDEX meetings_to_withdraw ON moim.meetings (tenant, next_dispatch_at)
    WHERE dispatch_open AND status IN ('ended', 'failed');
-- The newest meeting of a room, open or over.
CREATE INDEX meetings_of_room ON moim.meetings (tenant, room, created_at DESC) WHERE room IS NOT NULL;
-- Few at any time: who is asked to have somebody stand by.
CREATE INDEX meetings_guarded ON moim.meetings (tenant, id)
    WHERE status = 'live' AND (standby_wanted OR successor_sought_until > '-infinity');
CREATE INDEX meetings_unfinished ON moim.meetings (tenant, passages_due_at)
    WHERE status = 'ended' AND zero IS NOT NULL AND passages_due_at IS NOT NULL;

-- `context.primitives.undated.dated`: a moment, or null where it is one of a meeting without a date, whose clock begins with 1970.
CREATE FUNCTION moim.dated(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_moment >= timestamptz '1971-01-01 00:00:00+00' THEN p_moment END
$$;

-- Meetings that were read from files may have no date: the list of meetings has no dates but true ones.
CREATE FUNCTION moim.date_meeting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.started_at := moim.dated(NEW.started_at);
    NEW.ended_at := moim.dated(NEW.ended_at);
    RETURN NEW;
END $$;
CREATE TRIGGER date_meeting BEFORE INSERT OR UPDATE OF started_at, ended_at ON moim.meetings
    FOR EACH ROW EXECUTE FUNCTION moim.date_meeting();

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

-- Keys of end-to-end encrypted rooms, as whoever wants a meeting there gives them.
--
-- A table of its own: whoever reads meetings reads no key beside, and the last of a key goes with its row. It is
-- kept for the meeting's next holder, should this one die, and deleted when the meeting is over, however it ends.
CREATE TABLE moim.room_keys (
    tenant     text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    meeting_id text        NOT NULL,
    key        text        NOT NULL CHECK (length(key) BETWEEN 1 AND 1000),
    given_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, meeting_id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id) ON DELETE CASCADE
);

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

CREATE FUNCTION moim.forget_room_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM moim.room_keys WHERE tenant = NEW.tenant AND meeting_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_room_key AFTER UPDATE OF status ON moim.meetings FOR EACH ROW
    WHEN (NEW.status IN ('ended', 'failed')) EXECUTE FUNCTION moim.forget_room_key();

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

-- Over, for good; its dispatch is due to be withdrawn. False: not the holder any more. Once over, it stays as it is.
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
           ended_at = p_ended_at, failure = p_failure, next_dispatch_at = '-infinity'
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

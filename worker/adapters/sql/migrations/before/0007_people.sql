-- People: what they said to being heard, words that they take back, and who did what.

-- Consents as rows: for a standby, which keeps their sound before it holds the meeting, and for later meetings of the
-- same person. Written with its event.
CREATE TABLE moim.consents (
    tenant      text        NOT NULL,
    meeting_id  text        NOT NULL,
    participant text        NOT NULL CHECK (length(participant) BETWEEN 1 AND 1000),
    agreed      boolean     NOT NULL,
    how         text        NOT NULL,
    told_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    told_by     text        CHECK (length(told_by) <= 1000), -- a program's user, an operator; null: they themselves
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);
CREATE UNIQUE INDEX consents_one ON moim.consents (tenant, meeting_id, md5(participant));
CREATE INDEX consents_person ON moim.consents (tenant, md5(participant), told_at DESC);

-- Who did what, without content. Nobody changes or deletes a row: the app's role may only add and read.
CREATE TABLE moim.audit (
    tenant     text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    who        text        NOT NULL CHECK (length(who) <= 400),
    how        text        NOT NULL CHECK (how IN ('http', 'command', 'meeting')),
    action     text        NOT NULL CHECK (length(action) <= 40),
    meeting_id text        CHECK (length(meeting_id) <= 200),
    subject    text        CHECK (length(subject) <= 400)
);
CREATE INDEX audit_newest ON moim.audit (tenant, at DESC);

-- The name of an actor in the audit log (`Actor.known_as`); of older events what they call themselves.
CREATE FUNCTION moim.known_as(p_actor jsonb, p_by text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_actor->>'kind' IS NULL THEN p_by
                WHEN p_actor->>'kind' = p_actor->>'id' THEN p_actor->>'kind'
                ELSE (p_actor->>'kind') || ' ' || (p_actor->>'id') END
$$;

-- A wish to have words erased. `target` names ids and times, never words. Done once every meeting of it is.
CREATE TABLE moim.erasures (
    tenant   text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    id       text        NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    target   jsonb       NOT NULL,
    by       text        NOT NULL,
    why      text        NOT NULL DEFAULT '',
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor    jsonb,      -- `context.events.actors.Actor` as JSON; null: asked for before there were actors
    PRIMARY KEY (tenant, id)
);

-- One meeting of it. `counts`: by kind, how much was emptied.
CREATE TABLE moim.erasure_steps (
    tenant     text        NOT NULL,
    erasure_id text        NOT NULL,
    meeting_id text        NOT NULL,
    done_at    timestamptz,
    counts     jsonb,
    refused    text, -- why nothing was erased here; null: it was, or waits
    PRIMARY KEY (tenant, erasure_id, meeting_id),
    FOREIGN KEY (tenant, erasure_id) REFERENCES moim.erasures (tenant, id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);
CREATE INDEX erasure_steps_open ON moim.erasure_steps (tenant, meeting_id) WHERE done_at IS NULL;
CREATE INDEX erasure_steps_done ON moim.erasure_steps (tenant, done_at);

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

-- Ask for one, once. Its meetings: the named one, or all in which the person was or asked. How many there are;
-- null: the meeting is unknown.
CREATE FUNCTION moim.ask_erasure(p_tenant text, p_id text, p_target jsonb, p_meeting text, p_by text, p_why text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    person text := p_target->>'person';
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF p_meeting IS NOT NULL THEN
        PERFORM FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    INSERT INTO moim.erasures (tenant, id, target, by, why) VALUES (p_tenant, p_id, p_target, p_by, p_why)
    ON CONFLICT DO NOTHING;
    INSERT INTO moim.erasure_steps (tenant, erasure_id, meeting_id)
    SELECT p_tenant, p_id, m.id FROM moim.meetings m
     WHERE m.tenant = p_tenant
       AND (m.id = p_meeting OR p_meeting IS NULL AND (
               EXISTS (SELECT FROM moim.participants p WHERE p.tenant = p_tenant AND p.meeting_id = m.id
                                                         AND md5(p.id) = md5(person) AND p.id = person)
            OR EXISTS (SELECT FROM moim.utterances u WHERE u.tenant = p_tenant AND u.meeting_id = m.id
                                                       AND u.speaker_id = person)
            OR EXISTS (SELECT FROM moim.invocations i WHERE i.tenant = p_tenant AND i.meeting_id = m.id
                                                        AND i.asker = person)))
    ON CONFLICT DO NOTHING;
    IF p_meeting IS NULL THEN -- an id that may read nothing stands in its place: an empty list would let everybody
        UPDATE moim.documents SET access = array_replace(access, person, '(erased)')
         WHERE tenant = p_tenant AND person = ANY(access);
        UPDATE moim.passages SET access = array_replace(access, person, '(erased)')
         WHERE tenant = p_tenant AND person = ANY(access);
    END IF;
    RETURN (SELECT count(*) FROM moim.erasure_steps WHERE tenant = p_tenant AND erasure_id = p_id);
END $$;

-- The same with the actor, and for all ids that were confirmed to be the person's.
CREATE FUNCTION moim.ask_erasure(
    p_tenant text, p_id text, p_target jsonb, p_meeting text, p_by text, p_why text, p_actor jsonb
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    also text;
    steps bigint;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    INSERT INTO moim.erasures (tenant, id, target, by, why, actor)
    SELECT p_tenant, p_id, p_target, p_by, p_why, p_actor
     WHERE p_meeting IS NULL OR EXISTS (SELECT FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting)
    ON CONFLICT DO NOTHING;
    steps := moim.ask_erasure(p_tenant, p_id, p_target, p_meeting, p_by, p_why);
    IF p_meeting IS NULL THEN
        FOR also IN SELECT jsonb_array_elements_text(coalesce(p_target->'people', '[]')) LOOP
            steps := moim.ask_erasure(p_tenant, p_id, jsonb_build_object('what', 'person', 'person', also),
                                      NULL, p_by, p_why);
        END LOOP;
    END IF;
    RETURN steps;
END $$;

-- Close a wish in one meeting, as its actor may not have it. `ok` or `fenced`. With the owner's rights, as
-- `erase_words`.
CREATE FUNCTION moim.refuse_erasure(p_tenant text, p_meeting text, p_epoch bigint, p_erasure text, p_why text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN 'fenced';
    END IF;
    UPDATE moim.erasure_steps
       SET done_at = clock_timestamp(), counts = jsonb_build_object('utterances', 0), refused = p_why
     WHERE tenant = p_tenant AND erasure_id = p_erasure AND meeting_id = p_meeting AND done_at IS NULL;
    RETURN 'ok';
END $$;

-- Put hidden words back, as they stand in the events of their turns. With the owner's rights, as the app may
-- change nothing that is recorded: it shows only what the record itself hides under that number.
CREATE FUNCTION moim.show_words(p_tenant text, p_meeting text, p_words jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    UPDATE moim.utterances u SET text = e.payload->'hidden'->>'text'
      FROM jsonb_array_elements(coalesce(p_words, '[]')) shown, moim.events e
     WHERE u.tenant = p_tenant AND u.meeting_id = p_meeting AND u.id = (shown.value->>0)::bigint
       AND e.tenant = p_tenant AND e.meeting_id = p_meeting AND e.seq = u.seq
       AND e.payload->'hidden'->>'text' = shown.value->1->>'text';
END $$;

-- A text as it is compared: without marks, spaces and case, so that neither Markdown nor a line break counts.
CREATE FUNCTION moim.bare_words(p_text text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT lower(regexp_replace(p_text, '[[:space:][:punct:]‘’“”…·—–、。！？]+', '', 'g'))
$$;

-- Ask for the answers of other meetings to go that quote what is about to be erased of this one: its words as
-- heard, and as people put them right. A line is quoted whole or by its sentences, and may be cut short. A
-- sentence of few letters counts only where it is all that a line quotes. Called by `erase_words` alone, before
-- it empties anything, and with its rights.
CREATE FUNCTION moim.ask_for_answers_that_quote(
    p_tenant text, p_meeting text, p_erasure text, p_events jsonb, p_utterances bigint[], p_by text
) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    spoken text[];
    meant text[];
    heard text;
    fixed text;
    quoting record;
    asked text;
BEGIN
    WITH gone AS ( -- what is only hidden may be shown again
        SELECT u.id, u.seq, u.text FROM moim.utterances u
         WHERE u.tenant = p_tenant AND u.meeting_id = p_meeting AND u.id = ANY(p_utterances)
           AND NOT EXISTS (SELECT FROM jsonb_array_elements(p_events) item
                            WHERE (item.value->>'seq')::bigint = u.seq
                              AND item.value->'payload'->'hidden'->>'text' IS NOT NULL)
    )
    SELECT array_agg(said) INTO spoken FROM (
        SELECT text AS said FROM gone
        UNION SELECT e.payload->'hidden'->>'text' FROM gone JOIN moim.events e
                  ON e.tenant = p_tenant AND e.meeting_id = p_meeting AND e.seq = gone.seq
        UNION SELECT e.payload->'fix'->>'text' FROM gone JOIN moim.events e
                  ON e.tenant = p_tenant AND e.meeting_id = p_meeting AND e.kind = 'corrected'
                 AND e.payload->'fix'->>'of' = 'utterance' AND e.payload->'fix'->>'utterance' = gone.id::text
    ) words WHERE said <> '';
    IF spoken IS NULL THEN
        RETURN;
    END IF;
    meant := spoken;
    FOR heard, fixed IN SELECT e.payload->'fix'->>'heard', e.payload->'fix'->>'meant' FROM moim.events e
         WHERE e.tenant = p_tenant AND e.meeting_id = p_meeting AND e.kind = 'corrected'
           AND e.payload->'fix'->>'of' = 'term' ORDER BY e.seq LOOP
        meant := ARRAY(SELECT replace(word, heard, fixed) FROM unnest(meant) word);
    END LOOP;
    FOR quoting IN
        WITH sentences AS MATERIALIZED (
            SELECT DISTINCT moim.bare_words(part) AS bare
              FROM unnest(spoken || meant) line,
                   LATERAL (SELECT line AS part
                            UNION SELECT regexp_split_to_table(line, '[.!?。！？…]+[[:space:]]+|\n')) parts
        ), answers AS MATERIALIZED (
            SELECT r.meeting_id, r.id, r.reply->>'text' AS text,
                   moim.bare_words((r.reply->>'text') || ' ' || coalesce(r.reply->>'tools', '')) AS bare
              FROM moim.replies r
             WHERE r.tenant = p_tenant AND r.meeting_id <> p_meeting
               AND (r.reply->>'elsewhere' = 'true' OR r.reply->'sources'->>0 IS NOT NULL)
        )
        SELECT a.meeting_id, jsonb_agg(a.id ORDER BY a.id) AS ids FROM answers a
         WHERE EXISTS (SELECT FROM sentences s WHERE octet_length(s.bare) >= 16
                                                 AND position(left(s.bare, 40) IN a.bare) > 0)
            OR EXISTS (SELECT FROM regexp_split_to_table(a.text, '\n') line
                         JOIN sentences s ON s.bare <> ''
                          AND s.bare = moim.bare_words(regexp_replace(line, '^.*\)[^:]*: ', '')))
         GROUP BY a.meeting_id
    LOOP
        asked := 'quoted-' || md5(p_erasure || ' ' || p_meeting || ' ' || quoting.meeting_id);
        INSERT INTO moim.erasures (tenant, id, target, by, why, actor)
        VALUES (p_tenant, asked, jsonb_build_object('what', 'answers', 'answers', quoting.ids), p_by,
                'they quote what was erased in another meeting',
                '{"kind": "retention", "id": "retention", "administrator": true}')
        ON CONFLICT DO NOTHING;
        INSERT INTO moim.erasure_steps (tenant, erasure_id, meeting_id)
        VALUES (p_tenant, asked, quoting.meeting_id) ON CONFLICT DO NOTHING;
    END LOOP;
END $$;

-- Take the words out of one meeting: events as they are without them, and all that was read off these; nothing of a
-- meeting that is on hold (an exception). The snapshot goes, the passages too: both are made again. Of the utterances
-- some may be only hidden: `p_hidden` counts them. Answers of other meetings that quote the others are asked to go as
-- well; a meeting gives up its title with its words, also where nobody ever came to it. `ok` or `fenced`. With the
-- owner's rights, because the app may change nothing that is recorded but here; the tenant's policies hold for the
-- owner as well.
CREATE FUNCTION moim.erase_words(
    p_tenant text, p_meeting text, p_epoch bigint, p_erasure text, p_events jsonb, p_utterances bigint[],
    p_hidden bigint
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    wish moim.erasures;
    item jsonb;
    e jsonb;
    number bigint;
    emptied bigint := 0;
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    IF NOT moim.holds(p_tenant, p_meeting, p_epoch) THEN
        RETURN 'fenced';
    END IF;
    -- Whoever lays a hold on the meeting waits for this, or this for them.
    IF (SELECT held FROM moim.meetings WHERE tenant = p_tenant AND id = p_meeting FOR NO KEY UPDATE) THEN
        RAISE EXCEPTION 'meeting % is on hold: nothing of it is erased', p_meeting;
    END IF;
    SELECT * INTO STRICT wish FROM moim.erasures WHERE tenant = p_tenant AND id = p_erasure;
    PERFORM moim.ask_for_answers_that_quote(p_tenant, p_meeting, p_erasure, p_events, p_utterances, wish."by"); -- quoted: a keyword here
    FOR item IN SELECT value FROM jsonb_array_elements(p_events) LOOP
        e := item->'payload';
        number := (item->>'seq')::bigint;
        UPDATE moim.events SET payload = e
         WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number AND kind = e->>'kind';
        emptied := emptied + 1;
        CASE e->>'kind'
        WHEN 'question_asked' THEN
            UPDATE moim.invocations SET text = e->'invocation'->>'text'
             WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number;
        WHEN 'answer_given' THEN
            UPDATE moim.replies SET reply = e->'reply'
             WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number;
        WHEN 'summary_ready' THEN
            UPDATE moim.summaries SET text = coalesce(e->'content'->>'text', ''), content = e->'content'
             WHERE tenant = p_tenant AND meeting_id = p_meeting AND seq = number AND status = 'COMPLETED';
        WHEN 'thread_summary_ready' THEN
            UPDATE moim.conversation_summaries SET summary_text = coalesce(e->>'text', '')
             WHERE tenant = p_tenant AND conversation_id = p_meeting AND seq = number AND status = 'COMPLETED';
        ELSE
            NULL;
        END CASE;
    END LOOP;
    IF wish.target->>'what' = 'meeting' THEN
        UPDATE moim.meetings SET title = NULL WHERE tenant = p_tenant AND id = p_meeting;
    END IF;
    UPDATE moim.utterances SET text = ''
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND id = ANY(p_utterances);
    DELETE FROM moim.late_events
     WHERE tenant = p_tenant AND meeting_id = p_meeting
       AND (wish.target->>'what' = 'meeting'
            OR wish.target->>'what' = 'person'
               AND (payload->>'speaker_id' = wish.target->>'person'
                    OR wish.target->'people' ? (payload->>'speaker_id')));
    DELETE FROM moim.snapshot_topics WHERE tenant = p_tenant AND meeting_id = p_meeting;
    DELETE FROM moim.snapshots WHERE tenant = p_tenant AND meeting_id = p_meeting;
    DELETE FROM moim.passages WHERE tenant = p_tenant AND corpus = 'meeting' AND source_id = p_meeting;
    -- Receivers hear of it, also where everything had been sent.
    UPDATE moim.pushes SET over = NULL, due_at = '-infinity'
     WHERE tenant = p_tenant AND meeting_id = p_meeting AND over = 'sent' AND jsonb_array_length(p_events) > 0;
    UPDATE moim.erasure_steps
       SET done_at = clock_timestamp(),
           counts = jsonb_build_object('utterances', cardinality(p_utterances) - p_hidden, 'hidden', p_hidden,
                                       'events', emptied)
     WHERE tenant = p_tenant AND erasure_id = p_erasure AND meeting_id = p_meeting;
    RETURN 'ok';
END $$;

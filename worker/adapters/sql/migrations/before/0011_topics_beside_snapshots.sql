-- The topics of a snapshot in rows of their own. They are nine tenths of a long meeting's state, and hardly
-- one changes between two snapshots: each brings those that did, and costs the eighth hour what it cost the first.

ALTER TABLE moim.snapshots ADD COLUMN topics integer;
COMMENT ON COLUMN moim.snapshots.topics IS
    'How many topics it has, the first rows of snapshot_topics. Null: they are in `state`.';

CREATE TABLE moim.snapshot_topics (
    tenant     text    NOT NULL,
    meeting_id text    NOT NULL,
    place      integer NOT NULL CHECK (place >= 0),
    topic      json    NOT NULL,
    PRIMARY KEY (tenant, meeting_id, place),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id)
);

ALTER TABLE moim.snapshot_topics ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.snapshot_topics FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.snapshot_topics USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));

GRANT SELECT, INSERT, UPDATE ON moim.snapshot_topics TO moim_app;

-- As before; what it keeps has its topics in it.
CREATE OR REPLACE FUNCTION moim.save_snapshot(p_tenant text, p_meeting text, p_epoch bigint, p_seq bigint, p_state json)
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

GRANT EXECUTE ON FUNCTION moim.save_changes(text, text, bigint, bigint, bigint, json, json) TO moim_app;

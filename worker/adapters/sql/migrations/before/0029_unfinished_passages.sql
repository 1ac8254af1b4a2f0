-- What a search finds of a meeting that is over is completed later, where its holder had no time for it.
--
-- Safe while the old version still runs: what that completes without a word is looked at once more.

-- When the passages of a meeting that is over are to be completed; null: all its words are in them.
ALTER TABLE moim.meetings ADD COLUMN passages_due_at timestamptz DEFAULT '-infinity';

SET LOCAL lock_timeout = '5s';
ALTER TABLE moim.meetings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE moim.passages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE moim.utterances NO FORCE ROW LEVEL SECURITY;
UPDATE moim.meetings m
   SET passages_due_at = CASE WHEN coalesce((SELECT max(u.id) FROM moim.utterances u
                                              WHERE u.tenant = m.tenant AND u.meeting_id = m.id), 0)
                                   > coalesce((SELECT max(p.last_id) FROM moim.passages p
                                                WHERE p.tenant = m.tenant AND p.corpus = 'meeting'
                                                  AND p.source_id = m.id), 0) THEN m.passages_due_at END
 WHERE m.status IN ('ended', 'failed');
ALTER TABLE moim.meetings FORCE ROW LEVEL SECURITY;
ALTER TABLE moim.passages FORCE ROW LEVEL SECURITY;
ALTER TABLE moim.utterances FORCE ROW LEVEL SECURITY;

CREATE INDEX meetings_unfinished ON moim.meetings (tenant, passages_due_at)
    WHERE status = 'ended' AND zero IS NOT NULL AND passages_due_at IS NOT NULL;

-- A meeting whose passages were deleted, as its words were erased or put right, is due.
CREATE FUNCTION moim.passages_are_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE moim.meetings m SET passages_due_at = clock_timestamp()
     WHERE m.passages_due_at IS NULL
       AND EXISTS (SELECT FROM gone WHERE gone.corpus = 'meeting' AND gone.tenant = m.tenant AND gone.source_id = m.id);
    RETURN NULL;
END $$;
CREATE TRIGGER passages_are_due AFTER DELETE ON moim.passages
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION moim.passages_are_due();

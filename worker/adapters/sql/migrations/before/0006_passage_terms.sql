-- The terms of a passage, as context.retrieval.terms gives them (Korean syllable pairs, English stems):
-- an index of words that is kept with the passages, needs no dictionary and nothing in a worker's memory.

ALTER TABLE moim.passages ADD COLUMN terms text[] NOT NULL DEFAULT '{}';
CREATE INDEX passages_terms ON moim.passages USING gin (terms);

CREATE OR REPLACE FUNCTION moim.keep_passages(p_tenant text, p_passages jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    INSERT INTO moim.passages AS p (tenant, corpus, source_id, position, digest, text, prefix, title, page,
                                    first_id, last_id, said_at, topic, speakers, access, terms)
    SELECT p_tenant, n.corpus, n.source_id, n.position, n.digest, n.text, n.prefix, n.title, n.page,
           n.first_id, n.last_id, n.said_at, n.topic, n.speakers, n.access, coalesce(n.terms, '{}')
      FROM jsonb_to_recordset(p_passages) AS n (
           corpus text, source_id text, position integer, digest text, text text, prefix text, title text,
           page integer, first_id bigint, last_id bigint, said_at timestamptz, topic text, speakers text[],
           access text[], terms text[])
    ON CONFLICT (tenant, corpus, source_id, position) DO UPDATE
       SET digest = excluded.digest, text = excluded.text, prefix = excluded.prefix, title = excluded.title,
           page = excluded.page, first_id = excluded.first_id, last_id = excluded.last_id,
           said_at = excluded.said_at, topic = excluded.topic, speakers = excluded.speakers,
           access = excluded.access, terms = excluded.terms, kept_at = clock_timestamp();
END $$;

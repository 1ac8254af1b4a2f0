-- Passages of meetings and documents, and their vectors: what answers are looked up in.
--
-- All of it is derived: it can be cut and embedded again from the record and the documents. So the app may
-- delete here. Vectors are a table of their own, as pgvector may be missing: then passages are kept without.

CREATE TABLE moim.passages (
    tenant     text    NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    corpus     text    NOT NULL CHECK (corpus IN ('meeting', 'document')),
    source_id  text    NOT NULL CHECK (length(source_id) BETWEEN 1 AND 400), -- a meeting's or a document's id
    position   integer NOT NULL CHECK (position >= 0),
    digest     text    NOT NULL, -- of what is embedded: the prefix and the text
    text       text    NOT NULL,
    prefix     text    NOT NULL DEFAULT '',
    title      text    NOT NULL DEFAULT '',
    page       integer,
    first_id   bigint, -- utterances, of a meeting
    last_id    bigint,
    said_at    timestamptz,
    topic      text    NOT NULL DEFAULT '',
    speakers   text[]  NOT NULL DEFAULT '{}',
    access     text[]  NOT NULL DEFAULT '{}', -- identities that may read it; none: everybody of the tenant
    kept_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, corpus, source_id, position)
);

ALTER TABLE moim.passages ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.passages FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.passages USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.passages TO moim_app;

-- The vectors' table, where pgvector is there: called by every `moim migrate`, as it may be installed later.
-- True: the table is there. The column has no length, as encoders differ: `encoder` and `dim` say whose it is.
-- 384 numbers are 1.5 KB, below what would be moved out of line: a search reads them as they lie.
CREATE FUNCTION moim.make_passage_vectors() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    home text := (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector');
BEGIN
    IF home IS NULL THEN
        RETURN false;
    END IF;
    IF to_regclass('moim.passage_vectors') IS NULL THEN
        EXECUTE format($table$
            CREATE TABLE moim.passage_vectors (
                tenant    text    NOT NULL,
                corpus    text    NOT NULL,
                source_id text    NOT NULL,
                position  integer NOT NULL,
                encoder   text    NOT NULL CHECK (length(encoder) BETWEEN 1 AND 200),
                dim       integer NOT NULL,
                digest    text    NOT NULL, -- what it was made of: counts only beside a passage with the same
                embedding %s.vector NOT NULL,
                PRIMARY KEY (tenant, corpus, source_id, position),
                FOREIGN KEY (tenant, corpus, source_id, position)
                    REFERENCES moim.passages (tenant, corpus, source_id, position) ON DELETE CASCADE
            )$table$, home);
        ALTER TABLE moim.passage_vectors ENABLE ROW LEVEL SECURITY;
        ALTER TABLE moim.passage_vectors FORCE ROW LEVEL SECURITY;
        CREATE POLICY own_tenant ON moim.passage_vectors USING (tenant = current_setting('moim.tenant', true))
            WITH CHECK (tenant = current_setting('moim.tenant', true));
        GRANT SELECT, INSERT, UPDATE, DELETE ON moim.passage_vectors TO moim_app;
        EXECUTE format('GRANT USAGE ON SCHEMA %s TO moim_app', home);
    END IF;
    RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION moim.make_passage_vectors FROM PUBLIC;

-- Keep passages (a JSON array), in place of what stood at their positions.
CREATE FUNCTION moim.keep_passages(p_tenant text, p_passages jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('moim.tenant', p_tenant, true);
    INSERT INTO moim.passages AS p (tenant, corpus, source_id, position, digest, text, prefix, title, page,
                                    first_id, last_id, said_at, topic, speakers, access)
    SELECT p_tenant, n.corpus, n.source_id, n.position, n.digest, n.text, n.prefix, n.title, n.page,
           n.first_id, n.last_id, n.said_at, n.topic, n.speakers, n.access
      FROM jsonb_to_recordset(p_passages) AS n (
           corpus text, source_id text, position integer, digest text, text text, prefix text, title text,
           page integer, first_id bigint, last_id bigint, said_at timestamptz, topic text, speakers text[],
           access text[])
    ON CONFLICT (tenant, corpus, source_id, position) DO UPDATE
       SET digest = excluded.digest, text = excluded.text, prefix = excluded.prefix, title = excluded.title,
           page = excluded.page, first_id = excluded.first_id, last_id = excluded.last_id,
           said_at = excluded.said_at, topic = excluded.topic, speakers = excluded.speakers,
           access = excluded.access, kept_at = clock_timestamp();
END $$;
GRANT EXECUTE ON FUNCTION moim.keep_passages TO moim_app;

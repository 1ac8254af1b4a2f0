-- Passages of meetings and documents, and their vectors: what answers are looked up in.
--
-- All of it is derived: it can be cut and embedded again from the record and the documents. So the app may
-- delete here. Vectors are a table of their own, as pgvector may be missing: then passages are kept without.

-- Documents that a tenant has added; their text stands in moim.passages (corpus 'document', source_id = id).
CREATE TABLE moim.documents (
    tenant   text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    id       text        NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
    title    text        NOT NULL,
    origin   text        NOT NULL, -- the path that it was read from: the same path again is the same document
    kind     text        NOT NULL CHECK (kind IN ('markdown', 'text', 'pdf', 'docx')),
    digest   text        NOT NULL, -- of the file's bytes: the same file from elsewhere is the same document, too
    bytes    bigint      NOT NULL,
    pages    integer,
    passages integer     NOT NULL,
    access   text[]      NOT NULL DEFAULT '{}', -- identities that may read it; none: everybody of the tenant
    added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, id)
);
CREATE INDEX documents_digest ON moim.documents (tenant, digest);
CREATE INDEX documents_origin ON moim.documents (tenant, md5(origin));

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
    -- As context.retrieval.terms gives them (Korean syllable pairs, English stems): an index of words that is kept
    -- with the passages, needs no dictionary and nothing in a worker's memory.
    terms      text[]  NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant, corpus, source_id, position)
);
CREATE INDEX passages_terms ON moim.passages USING gin (terms);

-- Keep passages (a JSON array), in place of what stood at their positions.
CREATE FUNCTION moim.keep_passages(p_tenant text, p_passages jsonb) RETURNS void LANGUAGE plpgsql AS $$
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

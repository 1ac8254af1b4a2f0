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

ALTER TABLE moim.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.documents FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.documents USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.documents TO moim_app;

-- Links that let somebody in to one meeting's page. The secret itself is kept nowhere.

CREATE TABLE moim.links (
    tenant       text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    id           text        NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
    meeting_id   text        NOT NULL,
    digest       bytea       NOT NULL, -- SHA-256 of the secret
    may_edit     boolean     NOT NULL,
    made_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz NOT NULL,
    withdrawn_at timestamptz,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, meeting_id) REFERENCES moim.meetings (tenant, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX links_digest ON moim.links (tenant, digest);
CREATE INDEX links_meeting ON moim.links (tenant, meeting_id);

ALTER TABLE moim.links ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.links FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.links USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.links TO moim_app;

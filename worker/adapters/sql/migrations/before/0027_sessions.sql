-- Sessions of browsers on the pages, and the key that signs their cookies.
--
-- Safe while the old version still runs: it signs its cookies with a key of its own, which the new one does not
-- know. People sign in once more.

-- Drawn by whichever dispatcher needs it first. Nobody changes one: the app's role may only add and read.
CREATE TABLE moim.keys (
    tenant  text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    name    text        NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    key     bytea       NOT NULL CHECK (length(key) >= 32),
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, name)
);

CREATE TABLE moim.sessions (
    tenant        text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    id            text        NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
    kind          text        NOT NULL CHECK (kind IN ('api', 'pages', 'link')), -- what was signed in with
    link_id       text,                                                          -- where that was a link
    administrator boolean     NOT NULL,
    made_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at    timestamptz NOT NULL,
    ended_at      timestamptz,                                                   -- somebody signed out
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, link_id) REFERENCES moim.links (tenant, id) ON DELETE CASCADE,
    CHECK ((kind = 'link') = (link_id IS NOT NULL))
);
CREATE INDEX sessions_link ON moim.sessions (tenant, link_id) WHERE link_id IS NOT NULL;
CREATE INDEX sessions_expired ON moim.sessions (tenant, expires_at);

ALTER TABLE moim.keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.keys FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.keys USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT ON moim.keys TO moim_app;

ALTER TABLE moim.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.sessions USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT, UPDATE, DELETE ON moim.sessions TO moim_app;

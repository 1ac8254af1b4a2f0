-- How long a meeting's words are kept, and who did what with them.
--
-- Safe while the old version still runs: both columns have defaults that keep everything.

ALTER TABLE moim.meetings
    ADD COLUMN keep_days integer CHECK (keep_days BETWEEN 1 AND 36500), -- null: as the dispatcher is set
    ADD COLUMN held      boolean NOT NULL DEFAULT false;                -- nothing of it is erased meanwhile

-- Who did what, without content. Nobody changes or deletes a row: the app's role may only add and read.
CREATE TABLE moim.audit (
    tenant     text        NOT NULL CHECK (length(tenant) BETWEEN 1 AND 200),
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    who        text        NOT NULL CHECK (length(who) <= 400),
    how        text        NOT NULL CHECK (how IN ('http', 'command', 'dispatcher')),
    action     text        NOT NULL CHECK (length(action) <= 40),
    meeting_id text        CHECK (length(meeting_id) <= 200),
    subject    text        CHECK (length(subject) <= 400)
);
CREATE INDEX audit_newest ON moim.audit (tenant, at DESC);

ALTER TABLE moim.audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE moim.audit FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON moim.audit USING (tenant = current_setting('moim.tenant', true))
    WITH CHECK (tenant = current_setting('moim.tenant', true));
GRANT SELECT, INSERT ON moim.audit TO moim_app;

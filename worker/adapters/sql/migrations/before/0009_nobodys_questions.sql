-- Who asked without a name is nobody, with the mark of `context.primitives.askers`. Until 28 November 2026 the name of the
-- way in stood there alone. Events stay as they are: `context.events.older_records` reads them so.
--
-- Safe while the old version still runs: it writes the mark, too.

SET LOCAL lock_timeout = '5s';
ALTER TABLE moim.invocations NO FORCE ROW LEVEL SECURITY; -- the owner's, for this: those of all tenants
UPDATE moim.invocations SET asker = asker || ' ~' WHERE asker = via AND asker IN ('http', 'cli');
ALTER TABLE moim.invocations FORCE ROW LEVEL SECURITY;

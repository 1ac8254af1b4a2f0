-- A second job beside a meeting's holder: who is asked for one, and who stands by.
--
-- Safe while the old version still runs: it knows no standby and leaves these columns alone.

ALTER TABLE moim.meetings
    ADD COLUMN standby_wanted boolean NOT NULL DEFAULT false,                  -- for as long as it is open
    ADD COLUMN successor_sought_until timestamptz NOT NULL DEFAULT '-infinity', -- its holder wants to go
    ADD COLUMN next_standby_at timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN standby_tries integer NOT NULL DEFAULT 0;                        -- since one stood by

-- Do both live in one worker process? Then a death of that worker takes both.
CREATE FUNCTION moim.same_worker(one jsonb, other jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(one->>'host' = other->>'host' AND one->>'worker_pid' = other->>'worker_pid', false) $$;
GRANT EXECUTE ON FUNCTION moim.same_worker(jsonb, jsonb) TO moim_app;

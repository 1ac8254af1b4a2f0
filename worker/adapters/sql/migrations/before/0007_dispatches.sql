-- What the dispatchers remember of a meeting, so that any of them goes on where another stopped.
--
-- How often a job was asked for since the last lease (`dispatched_epoch` is the epoch it counts for: a new
-- lease begins anew by itself), and whether LiveKit may still have a dispatch of ours for it.

ALTER TABLE moim.meetings
    ADD COLUMN dispatches       integer NOT NULL DEFAULT 0,
    ADD COLUMN dispatched_epoch bigint  NOT NULL DEFAULT -1,
    ADD COLUMN dispatch_open    boolean NOT NULL DEFAULT false;

-- Few at any time: what has ended and whose dispatch is not withdrawn yet.
CREATE INDEX meetings_to_withdraw ON moim.meetings (tenant, next_dispatch_at)
    WHERE dispatch_open AND status IN ('ended', 'failed');
-- The newest meeting of a room, open or over.
CREATE INDEX meetings_of_room ON moim.meetings (tenant, room, created_at DESC) WHERE room IS NOT NULL;

-- What the 34 migrations of before the first release made and the eight files of this version do not. With this, a
-- database of that time has the schema that the eight make in an empty one.
--
-- Safe while the old version still runs: the last of that time calls none of these.

DROP FUNCTION moim.renew_lease(text, text, bigint, float8);
DROP FUNCTION moim.erase_words(text, text, bigint, text, jsonb, bigint[]);

-- They have their owner's rights, and are the app's alone.
REVOKE EXECUTE ON FUNCTION moim.erase_words, moim.refuse_erasure, moim.show_words FROM PUBLIC;

-- Snapshots are derived, and may have any shape of that time: the next one to hold such a meeting reads its events, and
-- whoever holds it now keeps the next snapshot whole. Not the tenants' rows one by one: those nobody sees unnamed.
SET LOCAL lock_timeout = '5s';
TRUNCATE moim.snapshots, moim.snapshot_topics;

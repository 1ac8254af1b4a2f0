-- Consents: what people said to being heard. The transaction names the tenant first.

-- of --
-- In one meeting, the newest last. Parameters: tenant, meeting.
SELECT participant, agreed FROM moim.consents WHERE tenant = $1 AND meeting_id = $2 ORDER BY told_at

-- newest --
-- What somebody said last, in any meeting; not what was only carried over. Parameters: tenant, participant.
SELECT agreed FROM moim.consents
 WHERE tenant = $1 AND md5(participant) = md5($2) AND participant = $2 AND how <> 'earlier'
 ORDER BY told_at DESC LIMIT 1

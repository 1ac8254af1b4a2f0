-- Everything of one person. The transaction names the tenant first. Parameters of each: tenant, person.

-- meetings --
SELECT p.meeting_id, p.name, m.room, m.started_at, m.ended_at
  FROM moim.participants p JOIN moim.meetings m ON m.tenant = p.tenant AND m.id = p.meeting_id
 WHERE p.tenant = $1 AND md5(p.id) = md5($2) AND p.id = $2
 ORDER BY coalesce(m.started_at, m.created_at)

-- utterances --
-- What they said on their own track: whom a correction shows as the speaker is not asked.
SELECT u.meeting_id, u.id, u.text, u.start_ms, u.end_ms, moim.dated(u.spoken_at) AS spoken_at
  FROM moim.utterances u JOIN moim.meetings m ON m.tenant = u.tenant AND m.id = u.meeting_id
 WHERE u.tenant = $1 AND u.speaker_id = $2
 ORDER BY coalesce(moim.dated(u.spoken_at), m.created_at), u.meeting_id, u.id

-- questions --
-- Those that they asked under their own id. An id that ends in a mark is nobody's (`context.primitives.askers`).
SELECT i.meeting_id, i.id, i.via, i.text, i.private, r.reply->>'text' AS answer
  FROM moim.invocations i
  LEFT JOIN moim.replies r ON r.tenant = i.tenant AND r.meeting_id = i.meeting_id AND r.invocation_id = i.id
 WHERE i.tenant = $1 AND i.asker = $2 AND i.asker !~ ' ~[0-9a-f]*$'
 ORDER BY i.meeting_id, i.seq

-- consents --
SELECT meeting_id, agreed, how, told_by, told_at FROM moim.consents
 WHERE tenant = $1 AND md5(participant) = md5($2) AND participant = $2 ORDER BY told_at

-- erasures --
SELECT id, by, why, asked_at FROM moim.erasures
 WHERE tenant = $1 AND target->>'person' = $2 ORDER BY asked_at

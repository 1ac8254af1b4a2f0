-- Everything of one person. The transaction names the tenant first. Parameters of each: tenant, person.

-- meetings --
SELECT p.meeting_id, p.name, m.room, m.started_at, m.ended_at
  FROM moim.participants p JOIN moim.meetings m ON m.tenant = p.tenant AND m.id = p.meeting_id
 WHERE p.tenant = $1 AND md5(p.id) = md5($2) AND p.id = $2 ORDER BY m.started_at

-- utterances --
SELECT meeting_id, id, text, start_ms, end_ms, spoken_at FROM moim.utterances
 WHERE tenant = $1 AND speaker_id = $2 ORDER BY spoken_at, meeting_id, id

-- questions --
-- What somebody asked without saying who they are is nobody's (`NOBODY` and `NOBODY_AT_A_TERMINAL`).
SELECT i.meeting_id, i.id, i.via, i.text, i.private, r.reply->>'text' AS answer
  FROM moim.invocations i
  LEFT JOIN moim.replies r ON r.tenant = i.tenant AND r.meeting_id = i.meeting_id AND r.invocation_id = i.id
 WHERE i.tenant = $1 AND i.asker = $2 AND NOT (i.via IN ('http', 'cli') AND i.asker = i.via) ORDER BY i.meeting_id, i.seq

-- consents --
SELECT meeting_id, agreed, how, told_by, told_at FROM moim.consents
 WHERE tenant = $1 AND md5(participant) = md5($2) AND participant = $2 ORDER BY told_at

-- erasures --
SELECT id, by, why, asked_at FROM moim.erasures
 WHERE tenant = $1 AND target->>'person' = $2 ORDER BY asked_at

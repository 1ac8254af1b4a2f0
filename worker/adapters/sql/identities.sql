-- The ids of people. The transaction names the tenant first.

-- known --
-- Does somebody have exactly this id: did they join, speak, ask or say whether they agree, in one meeting or in
-- any, or is a document for them? Parameters: tenant, id, meeting or null.
SELECT EXISTS (SELECT FROM moim.participants
                WHERE tenant = $1 AND md5(id) = md5($2) AND id = $2 AND ($3::text IS NULL OR meeting_id = $3))
    OR EXISTS (SELECT FROM moim.utterances
                WHERE tenant = $1 AND speaker_id = $2 AND ($3::text IS NULL OR meeting_id = $3))
    OR EXISTS (SELECT FROM moim.invocations
                WHERE tenant = $1 AND asker = $2 AND ($3::text IS NULL OR meeting_id = $3))
    OR EXISTS (SELECT FROM moim.consents
                WHERE tenant = $1 AND md5(participant) = md5($2) AND participant = $2
                  AND ($3::text IS NULL OR meeting_id = $3))
    OR $3::text IS NULL AND EXISTS (SELECT FROM moim.documents WHERE tenant = $1 AND $2 = ANY(access))

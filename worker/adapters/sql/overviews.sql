-- What the list of meetings tells of each.

-- overviews --
-- Who was there, how far it went, its topics and what was decided, as last stored; of the first topics that nobody
-- has named, also the words that they are called by. Parameters: tenant, meetings, so many topics, so many turns of each.
SELECT m.id,
       ARRAY(SELECT p.name FROM moim.participants p
              WHERE p.tenant = m.tenant AND p.meeting_id = m.id ORDER BY p.name LIMIT 12) AS people,
       (SELECT u.end_ms FROM moim.utterances u
         WHERE u.tenant = m.tenant AND u.meeting_id = m.id ORDER BY u.id DESC LIMIT 1) AS length_ms,
       (SELECT json_agg(json_build_object('name', t.topic->'name', 'decisions', t.topic->'notes'->'decisions',
                   'said', CASE WHEN t.place < $3 AND t.topic->>'name' ~ '^(Intro|Topic [0-9]+)$' THEN
                       (SELECT json_agg(json_build_array(coalesce(corrected.words #>> ARRAY[u.id::text, '0'], u.text),
                                                         u.speaker_name) ORDER BY u.id)
                          FROM moim.utterances u
                         WHERE u.tenant = m.tenant AND u.meeting_id = m.id
                           AND u.id >= (t.topic->>'start_utterance_id')::bigint
                           AND u.id < (t.topic->>'start_utterance_id')::bigint + $4
                           AND (u.id <= (t.topic->>'end_utterance_id')::bigint OR NOT (t.topic->>'closed')::boolean))
                       END)
                        ORDER BY t.place)::text
          FROM moim.snapshots s JOIN moim.snapshot_topics t
            ON t.tenant = s.tenant AND t.meeting_id = s.meeting_id AND t.place < s.topics,
               LATERAL (SELECT s.state->'corrections'->'words' AS words OFFSET 0) corrected
         WHERE s.tenant = m.tenant AND s.meeting_id = m.id) AS topics
  FROM moim.meetings m
 WHERE m.tenant = $1 AND m.id = ANY ($2)

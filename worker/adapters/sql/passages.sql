-- Passages and their vectors. {vector} is the schema that pgvector lives in.

-- vector_schema --
-- The schema of pgvector, where the vectors' table is there as well; else nothing.
SELECT extnamespace::regnamespace::text FROM pg_extension
 WHERE extname = 'vector' AND to_regclass('moim.passage_vectors') IS NOT NULL

-- keep --
-- Passages as a JSON array. Parameters: tenant, passages.
SELECT moim.keep_passages($1, $2)

-- keep_vector --
-- Once per passage, unless that was cut or changed meanwhile.
-- Parameters: tenant, corpus, source, position, encoder, dim, digest, vector.
INSERT INTO moim.passage_vectors AS v (tenant, corpus, source_id, position, encoder, dim, digest, embedding)
SELECT $1, $2, $3, $4, $5, $6, $7, $8::real[]
 WHERE EXISTS (SELECT FROM moim.passages p
                WHERE p.tenant = $1 AND p.corpus = $2 AND p.source_id = $3 AND p.position = $4 AND p.digest = $7)
ON CONFLICT (tenant, corpus, source_id, position) DO UPDATE
   SET encoder = excluded.encoder, dim = excluded.dim, digest = excluded.digest, embedding = excluded.embedding

-- of_source --
-- Parameters: tenant, corpus, source.
SELECT corpus, source_id, position, text, prefix, title, page, first_id, last_id, said_at, topic, speakers, access
  FROM moim.passages
 WHERE tenant = $1 AND corpus = $2 AND source_id = $3
 ORDER BY position

-- vectors --
-- Parameters: tenant, corpus, source, encoder.
SELECT digest, embedding::real[] AS embedding
  FROM moim.passage_vectors
 WHERE tenant = $1 AND corpus = $2 AND source_id = $3 AND encoder = $4

-- nearest --
-- Exact: the negative inner product of unit vectors orders as their cosine does. The closest are found by
-- their vectors alone, then held against the passages: of one that the reader may not see, or whose text has
-- changed since, all fields are null.
-- Parameters: tenant, vector, encoder, dim, corpora, reader, sources, without, limit, first position, last one, room.
SELECT p.corpus, p.source_id, p.position, p.text, p.prefix, p.title, p.page, p.first_id, p.last_id, p.said_at,
       p.topic, p.speakers, p.access, found.score
  FROM (SELECT v.tenant, v.corpus, v.source_id, v.position, v.digest,
               -(v.embedding OPERATOR({vector}.<#>) $2::real[]::{vector}.vector) AS score
          FROM moim.passage_vectors v
         WHERE v.tenant = $1 AND v.encoder = $3 AND v.dim = $4 AND v.corpus = ANY($5)
           AND ($7::text[] IS NULL OR v.source_id = ANY($7)) AND v.source_id <> ALL($8)
           AND v.position >= $10 AND v.position < $11
           AND ($12::text IS NULL
                OR v.source_id IN (SELECT m.id FROM moim.meetings m WHERE m.tenant = $1 AND m.room = $12))
         ORDER BY v.embedding OPERATOR({vector}.<#>) $2::real[]::{vector}.vector
         LIMIT $9) found
  LEFT JOIN moim.passages p
    ON p.tenant = found.tenant AND p.corpus = found.corpus AND p.source_id = found.source_id
   AND p.position = found.position AND p.digest = found.digest AND (p.access = '{}' OR $6 = ANY(p.access))
 ORDER BY found.score DESC, coalesce(p.said_at, p.kept_at) DESC, p.source_id, p.position

-- readable --
-- Parameters: tenant, corpora, reader, sources, without, limit, first position, last one, room.
SELECT p.corpus, p.source_id, p.position, p.text, p.prefix, p.title, p.page, p.first_id, p.last_id, p.said_at,
       p.topic, p.speakers, p.access
  FROM moim.passages p
 WHERE p.tenant = $1 AND p.corpus = ANY($2) AND (p.access = '{}' OR $3 = ANY(p.access))
   AND ($4::text[] IS NULL OR p.source_id = ANY($4)) AND p.source_id <> ALL($5)
   AND p.position >= $7 AND p.position < $8
   AND ($9::text IS NULL OR p.source_id IN (SELECT m.id FROM moim.meetings m WHERE m.tenant = $1 AND m.room = $9))
 ORDER BY max(coalesce(p.said_at, p.kept_at)) OVER (PARTITION BY p.corpus, p.source_id) DESC, p.source_id, p.position
 LIMIT $6

-- without_vector --
-- Parameters: tenant, encoder, limit.
SELECT p.corpus, p.source_id, p.position, p.text, p.prefix, p.title, p.page, p.first_id, p.last_id, p.said_at,
       p.topic, p.speakers, p.access
  FROM moim.passages p
  LEFT JOIN moim.passage_vectors v
    ON v.tenant = p.tenant AND v.corpus = p.corpus AND v.source_id = p.source_id AND v.position = p.position
   AND v.encoder = $2 AND v.digest = p.digest
 WHERE p.tenant = $1 AND v.tenant IS NULL
 ORDER BY p.kept_at DESC
 LIMIT $3

-- cut --
-- Parameters: tenant, corpus, source, length.
DELETE FROM moim.passages WHERE tenant = $1 AND corpus = $2 AND source_id = $3 AND position >= $4

-- frequencies --
-- In how many passages each term stands, up to a limit; and (null) how many there are.
-- Parameters: tenant, terms, limit.
SELECT t.term, (SELECT count(*) FROM (SELECT FROM moim.passages p
                                       WHERE p.tenant = $1 AND p.terms @> ARRAY[t.term] LIMIT $3) c) AS found
  FROM unnest($2::text[]) AS t (term)
 UNION ALL
SELECT NULL, count(*) FROM moim.passages WHERE tenant = $1

-- matching --
-- Those in which at least one term stands, the most telling first.
-- Parameters: tenant, corpora, reader, sources, without, terms to have, all terms, their weights, limit, first
-- position, last one, room.
SELECT p.corpus, p.source_id, p.position, p.text, p.prefix, p.title, p.page, p.first_id, p.last_id, p.said_at,
       p.topic, p.speakers, p.access
  FROM moim.passages p
 WHERE p.tenant = $1 AND p.corpus = ANY($2) AND (p.access = '{}' OR $3 = ANY(p.access))
   AND ($4::text[] IS NULL OR p.source_id = ANY($4)) AND p.source_id <> ALL($5) AND p.terms && $6
   AND p.position >= $10 AND p.position < $11
   AND ($12::text IS NULL OR p.source_id IN (SELECT m.id FROM moim.meetings m WHERE m.tenant = $1 AND m.room = $12))
 ORDER BY (SELECT sum(q.weight) FROM unnest($7::text[], $8::float8[]) AS q (term, weight)
            WHERE q.term = ANY(p.terms)) DESC, coalesce(p.said_at, p.kept_at) DESC, p.source_id, p.position
 LIMIT $9

-- note_whole --
-- All words of a meeting are in its passages. Parameters: tenant, meeting.
UPDATE moim.meetings SET passages_due_at = NULL WHERE tenant = $1 AND id = $2 AND passages_due_at IS NOT NULL

-- claim_unfinished --
-- Up to $2 meetings that are over, that nobody holds, and whose words are not all in their passages; due again in
-- $3 seconds. Parameters: tenant, limit, retry in seconds.
WITH due AS (
    SELECT m.tenant, m.id FROM moim.meetings m
      JOIN moim.leases l ON l.tenant = m.tenant AND l.meeting_id = m.id
     WHERE m.tenant = $1 AND m.status = 'ended' AND m.zero IS NOT NULL AND m.passages_due_at <= clock_timestamp()
       AND l.expires_at <= clock_timestamp()
     ORDER BY m.passages_due_at
     LIMIT $2
       FOR UPDATE OF m SKIP LOCKED
)
UPDATE moim.meetings m SET passages_due_at = clock_timestamp() + make_interval(secs => $3)
  FROM due WHERE m.tenant = due.tenant AND m.id = due.id
RETURNING m.id

-- The tenant's documents. The transaction names the tenant first.

-- same --
-- The document that a file is: by its path, else by its content, unless it was uploaded.
-- Parameters: tenant, origin, digest or null.
SELECT id, title, origin, kind, digest, bytes, pages, passages, access, added_at
  FROM moim.documents
 WHERE tenant = $1 AND ((md5(origin) = md5($2) AND origin = $2)
        OR (digest = $3::text AND left(origin, 7) <> 'upload:'))
 ORDER BY origin = $2 DESC, added_at, id
 LIMIT 1

-- keep --
-- Parameters: tenant, id, title, origin, kind, digest, bytes, pages, passages, access, moment.
INSERT INTO moim.documents (tenant, id, title, origin, kind, digest, bytes, pages, passages, access, added_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (tenant, id) DO UPDATE
   SET title = excluded.title, origin = excluded.origin, kind = excluded.kind, digest = excluded.digest,
       bytes = excluded.bytes, pages = excluded.pages, passages = excluded.passages,
       access = excluded.access, added_at = excluded.added_at

-- list_all --
-- Newest first. Parameters: tenant.
SELECT id, title, origin, kind, digest, bytes, pages, passages, access, added_at
  FROM moim.documents WHERE tenant = $1 ORDER BY added_at DESC, id

-- remove --
-- Was it there? Parameters: tenant, id.
DELETE FROM moim.documents WHERE tenant = $1 AND id = $2 RETURNING id

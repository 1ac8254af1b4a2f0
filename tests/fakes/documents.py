"""The list of documents, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from worker.documents.library import DocumentRow


@dataclass
class FakeDocumentStore:
    """Those of one tenant."""

    rows: dict[str, DocumentRow] = field(default_factory=dict)

    async def same(self, origin: str, digest: str | None) -> DocumentRow | None:
        rows = self.rows.values()
        by_path = next((row for row in rows if row.origin == origin), None)
        kept_here = (row for row in rows if not row.origin.startswith("upload:"))
        return by_path or next((row for row in kept_here if row.digest == digest), None)

    async def keep(self, row: DocumentRow) -> None:
        self.rows[row.id] = row

    async def list_all(self) -> list[DocumentRow]:
        return sorted(self.rows.values(), key=lambda row: row.added_at, reverse=True)

    async def remove(self, document_id: str) -> bool:
        return self.rows.pop(document_id, None) is not None

"""The library of a tenant: documents are added as passages, listed, removed. Raises as `context.ports`."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from hashlib import sha256
from itertools import count
from typing import Protocol

from pydantic import AwareDatetime

from context.corpora.passage import document_passages
from context.models import Frozen
from context.primitives.text import one_line
from worker.documents.document_reading import ReadDocument
from worker.passages.passage_store import PassageStore


class DocumentRow(Frozen):
    """One document, as `moim docs list` shows it."""

    id: str
    title: str
    origin: str
    """The path that it was read from."""
    kind: str
    """One of the values of `document_reading.KINDS`."""
    digest: str
    """The SHA-256 of the file."""
    bytes: int
    pages: int | None = None
    """How many pages it has; None where its kind has none."""
    passages: int
    """How many passages it was cut into."""
    access: tuple[str, ...] = ()
    """The identities that may read it; empty stands for everybody of the tenant."""
    added_at: AwareDatetime


class DocumentStore(Protocol):
    """Stores the list of one tenant's documents; their passages are in a `PassageStore`."""

    async def same(self, origin: str, digest: str | None) -> DocumentRow | None:
        """The document that a file is stored as, by its path; None for a new one.

        With `digest` it is else the one of this content, among those that were not uploaded.
        """
        ...

    async def keep(self, row: DocumentRow) -> None:
        """Store a document, in place of the one with its id."""
        ...

    async def list_all(self) -> list[DocumentRow]:
        """All documents, newest first."""
        ...

    async def remove(self, document_id: str) -> bool:
        """Remove a document; False where there is none of that id."""
        ...


class Added(Frozen):
    """The result of adding one file."""

    document: DocumentRow
    replaced: bool
    """Whether it was there before, in this or another version."""


class Library:
    """The documents of one tenant and their passages."""

    def __init__(self, documents: DocumentStore, passages: PassageStore) -> None:
        self._documents, self._passages = documents, passages

    async def add(
        self,
        read: ReadDocument,
        origin: str,
        at: AwareDatetime,
        *,
        title: str = "",
        access: Sequence[str] = (),
        moves: bool = False,
    ) -> Added:
        """Store a document that was read from the path `origin`; one of the same path is replaced.

        `moves`: so is one of the same content from another path, as its file was moved. That is for whoever
        keeps all documents: the same bytes of somebody else are another document, which nobody hears of.

        Passages come first, the list last: what broke off half way is repaired by adding it once more.
        Without `access` its readers stay: adding a folder again must not open what was for some. `title`:
        instead of the file's own.
        """
        there = await self._documents.same(origin, read.digest if moves else None)
        access = tuple(access) or (there.access if there else ())
        id_ = there.id if there else await self._new_id(origin)
        name = one_line(title) or read.title
        # Beside the event loop: they may be thousands.
        passages = await asyncio.to_thread(document_passages, read.blocks, id_, name, at, access)
        await self._passages.put(passages)
        await self._passages.cut("document", id_, len(passages))
        row = DocumentRow(
            id=id_,
            title=name,
            origin=origin,
            kind=read.kind,
            digest=read.digest,
            bytes=read.size_bytes,
            pages=read.pages,
            passages=len(passages),
            access=access,
            added_at=at,
        )
        await self._documents.keep(row)
        return Added(document=row, replaced=there is not None)

    async def _new_id(self, origin: str) -> str:
        """Give an id that no other document has: short, the same for the same path, safe in command lines."""
        taken = {row.id for row in await self._documents.list_all()}
        for number in count():
            named = origin if not number else f"{origin}\0{number}"  # of a document that was moved from here
            digest = base64.b32encode(sha256(named.encode("utf-8", "surrogatepass")).digest()).decode()
            if (id_ := f"d-{digest[:10].lower()}") not in taken:
                break
        return id_

    async def list_all(self) -> list[DocumentRow]:
        """All documents, newest first."""
        return await self._documents.list_all()

    async def remove(self, document_id: str) -> bool:
        """Remove a document and its passages; False where there is none of that id."""
        await self._passages.cut("document", document_id)
        return await self._documents.remove(document_id)

"""Where the list of documents is kept. Errors are those of `context.ports`."""

from __future__ import annotations

from typing import Protocol

from pydantic import AwareDatetime

from context.models import Frozen


class DocumentRow(Frozen):
    """One document, as `moim docs list` shows it."""

    id: str
    title: str
    origin: str
    """The path that it was read from."""
    kind: str
    digest: str
    bytes: int
    pages: int | None = None
    passages: int
    access: tuple[str, ...] = ()
    """The identities that may read it; none: everybody of the tenant."""
    added_at: AwareDatetime


class DocumentStore(Protocol):
    """The documents of one tenant; their passages are the `PassageStore`'s."""

    async def same(self, origin: str, digest: str) -> DocumentRow | None:
        """What a file is there already as, by its path or else by its content."""
        ...

    async def keep(self, row: DocumentRow) -> None:
        """Keep it, in place of the one with its id."""
        ...

    async def list_all(self) -> list[DocumentRow]:
        """All of them, newest first."""
        ...

    async def remove(self, document_id: str) -> bool:
        """Forget it; False where there is none."""
        ...

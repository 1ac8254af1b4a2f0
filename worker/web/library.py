"""`/v1/documents`: what answers may look into beside the meetings: add a file, list, remove."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final

from aiohttp import web
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from worker.clock import now_utc
from worker.documents.library import DocumentRow, Library
from worker.documents.reading import read_bytes
from worker.errors import InputError
from worker.messages import printable
from worker.web.bodies import read_query, whole
from worker.web.errors import ApiError, busy
from worker.web.meetings import answered
from worker.web.viewers import Viewer, viewer_of

LARGEST_BYTES: Final = 20 * 1024 * 1024
_READ_AT_ONCE: Final = 1
"""Reading a large PDF takes a core for seconds."""
_UPLOAD: Final = "upload:"


class AddDocument(BaseModel):
    """Which file, of a query string; the body is the file itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(printable)] = Field(
        description="the file's name: its ending tells the kind (.md .txt .pdf .docx)"
    )


class DocumentPages:
    """Handles `/v1/documents`: adding, listing and removing."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._reading = asyncio.Semaphore(_READ_AT_ONCE)

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the routes."""
        router.add_post("/documents", self.add)
        router.add_get("/documents", self.list_some)
        router.add_delete("/documents/{document_id}", self.remove)

    async def add(self, request: web.Request) -> web.Response:
        """Read it, keep it; a file of the same name is replaced, and stays for whom it was."""
        viewer = viewer_of(request)
        viewer.demand_all()
        wish = read_query(request, AddDocument)
        origin = f"{_UPLOAD}{wish.name}"
        there = next((row for row in await self._library.list_all() if row.origin == origin), None)
        if there is not None and not viewer.may_read(there.access):
            raise ApiError(403, "a document of this name is for others: use another name", field="name")
        if self._reading.locked():
            raise busy("documents", _READ_AT_ONCE)
        async with self._reading:
            data = await whole(request.clone(client_max_size=LARGEST_BYTES))
            try:
                read = await asyncio.to_thread(read_bytes, wish.name, data)
            except InputError as error:
                raise ApiError(400, str(error), field="body") from error
            added = await self._library.add(read, origin, now_utc())
        return answered({**shown(added.document), "replaced": added.replaced}, status=201)

    async def list_some(self, request: web.Request) -> web.Response:
        """Those that this viewer may read."""
        viewer = viewer_of(request)
        viewer.demand_all()
        return answered({"documents": [shown(row) for row in await self._readable(viewer)]})

    async def remove(self, request: web.Request) -> web.Response:
        """Forget one and all that was kept of it."""
        viewer = viewer_of(request)
        viewer.demand_all()
        id_ = request.match_info["document_id"]
        there = id_ in {row.id for row in await self._readable(viewer)}
        if not there or not await self._library.remove(id_):
            raise ApiError(
                404, "there is no such document: GET /v1/documents lists them", field="document_id"
            )
        return answered({"removed": id_})

    async def _readable(self, viewer: Viewer) -> list[DocumentRow]:
        return [row for row in await self._library.list_all() if viewer.may_read(row.access)]


def shown(row: DocumentRow) -> dict[str, object]:
    """As JSON; where a file lay on somebody's machine is theirs."""
    return row.model_dump(mode="json", exclude={"origin", "digest"})

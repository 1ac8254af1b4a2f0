"""`/v1/documents`: what answers may look into beside the meetings: add a file, list, remove."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final

from aiohttp import web
from pydantic import AfterValidator, Field

from worker.clock import now_utc
from worker.documents.library import DocumentRow
from worker.documents.reading import read_bytes
from worker.errors import InputError
from worker.messages import printable
from worker.web.backends import api_of, place
from worker.web.bodies import Query, read_query, whole
from worker.web.errors import ApiError, answered
from worker.web.viewers import viewer_of

LARGEST_BYTES: Final = 20 * 1024 * 1024
_READ_AT_ONCE: Final = 1
"""Reading a large PDF takes a core for seconds."""


class AddDocument(Query):
    """Which file, of a query string; the body is the file itself."""

    name: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(printable)] = Field(
        description="the file's name: its ending tells the kind (.md .txt .pdf .docx)"
    )


async def add(request: web.Request) -> web.Response:
    """Read it, keep it; a file of the same name is replaced, and stays for whom it was."""
    library, wish = api_of(request).library, read_query(request, AddDocument)
    origin = f"upload:{wish.name}"
    there = next((row for row in await library.list_all() if row.origin == origin), None)
    if there is not None and not viewer_of(request).may_read(there.access):
        raise ApiError(403, "a document of this name is for others: use another name", field="name")
    async with place(request, "documents", _READ_AT_ONCE):
        data = await whole(request.clone(client_max_size=LARGEST_BYTES))
        try:
            read = await asyncio.to_thread(read_bytes, wish.name, data)
        except InputError as error:
            raise ApiError(400, str(error), field="body") from error
        added = await library.add(read, origin, now_utc())
    return answered({**_shown(added.document), "replaced": added.replaced}, status=201)


async def list_some(request: web.Request) -> web.Response:
    """Those that this viewer may read."""
    return answered({"documents": [_shown(row) for row in await _readable(request)]})


async def remove(request: web.Request) -> web.Response:
    """Forget one and all that was kept of it."""
    id_ = request.match_info["document_id"]
    there = id_ in {row.id for row in await _readable(request)}
    if not there or not await api_of(request).library.remove(id_):
        raise ApiError(404, "there is no such document: GET /v1/documents lists them", field="document_id")
    return answered({"removed": id_})


async def _readable(request: web.Request) -> list[DocumentRow]:
    viewer, rows = viewer_of(request), await api_of(request).library.list_all()
    return [row for row in rows if viewer.may_read(row.access)]


def _shown(row: DocumentRow) -> dict[str, Any]:
    """As JSON; where a file lay on somebody's machine is theirs."""
    return row.model_dump(mode="json", exclude={"origin", "digest"})

"""`/v1/documents`: the documents that answers may cite beside the meetings: add a file, list, remove."""

from __future__ import annotations

from typing import Annotated, Any, Final

from aiohttp import web
from pydantic import AfterValidator, Field

from context.primitives.text import one_line
from worker.clock import now_utc
from worker.documents.document_reading import read_bytes
from worker.documents.library import DocumentRow
from worker.errors import InputError
from worker.messages import printable
from worker.web.backends import api_of
from worker.web.bodies import QueryString, body_bytes, read_query
from worker.web.json_answers import ApiError, json_response
from worker.web.viewers import viewer_of

LARGEST_BYTES: Final = 20 * 1024 * 1024
_READ_AT_ONCE: Final = 2
"""Reading a large PDF takes a core for seconds; one place is left to others, whoever sends it."""
_RECEIVED_AT_ONCE: Final = 8
_READ_WITHIN_S: Final = 20.0


class AddDocument(QueryString):
    """The query string of an upload: the file's name. The body is the file itself."""

    name: Annotated[
        str, Field(min_length=1, max_length=200), AfterValidator(printable), AfterValidator(one_line)
    ] = Field(description="the file's name: its ending tells the kind (.md .txt .pdf .docx)")


async def add(request: web.Request) -> web.Response:
    """Handle `POST /v1/documents`: keep a file; one of the same name is replaced, with the readers it had."""
    library, body = api_of(request).library, read_query(request, AddDocument)
    origin = f"upload:{body.name}"
    there = next((row for row in await library.list_all() if row.origin == origin), None)
    if there is not None and not viewer_of(request).may_read(there.access):
        raise ApiError(403, "a document of this name is for others: use another name", field="name")
    quotas = api_of(request).quotas
    with quotas.place(request, "uploads", _RECEIVED_AT_ONCE):  # a slow sender keeps no reader
        data = await _received(request)
    with quotas.place(request, "documents", _READ_AT_ONCE):
        try:
            read = await read_bytes(body.name, data, within_s=_READ_WITHIN_S)
        except InputError as error:
            raise ApiError(400, str(error), field="body") from error
        added = await library.add(read, origin, now_utc())
    return json_response({**_row_fields(added.document), "replaced": added.replaced}, status=201)


async def _received(request: web.Request) -> bytes:
    """Read the file that is sent, counted in the sender's quota: as it is told before, and unpacked."""
    quotas, announced = api_of(request).quotas, min(request.content_length or 0, LARGEST_BYTES)
    await quotas.spend_upload(request, announced)
    data = await body_bytes(request.clone(client_max_size=LARGEST_BYTES))
    await quotas.spend_upload(request, max(0, len(data) - announced))
    return data


async def list_some(request: web.Request) -> web.Response:
    """Handle `GET /v1/documents`: list the documents that this viewer may read, newest first."""
    return json_response({"documents": [_row_fields(row) for row in await _readable(request)]})


async def remove(request: web.Request) -> web.Response:
    """Handle `DELETE /v1/documents/{id}`: forget a document, its passages and their vectors (404: none)."""
    id_ = request.match_info["document_id"]
    there = id_ in {row.id for row in await _readable(request)}
    if not there or not await api_of(request).library.remove(id_):
        raise ApiError(404, "there is no such document: GET /v1/documents lists them", field="document_id")
    return json_response({"removed": id_})


async def _readable(request: web.Request) -> list[DocumentRow]:
    viewer, rows = viewer_of(request), await api_of(request).library.list_all()
    return [row for row in rows if viewer.may_read(row.access)]


def _row_fields(row: DocumentRow) -> dict[str, Any]:
    """A document as JSON, without its path on the machine of whoever added it."""
    return row.model_dump(mode="json", exclude={"origin", "digest"})

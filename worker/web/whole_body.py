"""The bytes of a request's body; whatever is wrong with them is the sender's, and an answer of 4xx.

aiohttp is told to leave bodies packed: what claims to be gzip and is not would end in its parser, with a
traceback and no answer.
"""

from __future__ import annotations

import asyncio
import zlib
from typing import Final

import aiohttp
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from worker.web.errors import ApiError

MAX_BODY: Final = 1024 * 1024
"""Bytes, unpacked: a thread to summarise; all else is far smaller."""
_ZLIB_OR_GZIP: Final = 47
"""zlib's window bits that take either head."""


async def whole_body(request: web.Request) -> bytes:
    """All of it, unpacked. Raises `ApiError` (400, 413, 415), and as aiohttp where it is too late."""
    try:
        raw = await request.read()
    except web.HTTPException:
        raise
    except (aiohttp.ClientPayloadError, web.RequestPayloadError, HttpProcessingError, ConnectionError):
        raise ApiError(400, "the body broke off: send all of it", field="body") from None
    except asyncio.IncompleteReadError:
        raise ApiError(400, "the body broke off: send all of it", field="body") from None
    packed = request.headers.get("Content-Encoding", "").strip().lower()
    if packed in ("", "identity"):
        return raw
    if packed not in ("gzip", "deflate"):
        raise ApiError(415, "send gzip, deflate or no encoding", field="Content-Encoding", value=packed)
    return _unpacked(raw, packed)


def _unpacked(raw: bytes, packed: str) -> bytes:
    unpacker = zlib.decompressobj(_ZLIB_OR_GZIP)
    try:
        body = unpacker.decompress(raw, MAX_BODY + 1)
    except zlib.error:
        body = b""
    if len(body) > MAX_BODY:
        raise ApiError(413, "the body is too large: send less", field="body")
    if not unpacker.eof:
        mend = f"the body is no {packed}: send what it says, or no Content-Encoding"
        raise ApiError(400, mend, field="Content-Encoding", value=packed)
    return body

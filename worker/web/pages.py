"""The pages for people: static files out of the wheel, and the addresses that show them.

One document serves every address; its script looks at the path. Nothing comes from another server, and a
strict Content-Security-Policy sees to it that nothing can.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from aiohttp import web

_FOLDER: Final = Path(__file__).with_name("static")
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class _File:
    body: bytes
    kind: str
    etag: str


def page_routes(livekit_url: str = "") -> list[web.RouteDef]:
    """Give the routes of the pages, for the root of an application.

    `livekit_url` is the one other server that the browser may reach from them; empty for none.
    """
    headers = _headers(livekit_url)

    async def show(request: web.Request) -> web.StreamResponse:
        file = _files().get(request.match_info.get("name", "index.html"))
        if file is None:
            raise web.HTTPNotFound
        if request.headers.get("If-None-Match") == file.etag:
            response = web.Response(status=304)
        else:
            response = web.Response(body=file.body, content_type=file.kind, charset="utf-8")
            response.enable_compression()
        response.headers.update({**headers, "ETag": file.etag})
        return response

    addresses = (
        "/",
        "/m/{meeting_id}",
        "/m/{meeting_id}/{part}",
        "/meetings/{meeting_id}/captions",
        "/static/{name:.+}",
    )
    return [web.get(address, show) for address in addresses]


def _headers(livekit_url: str) -> Mapping[str, str]:
    others = f" {livekit_url} {livekit_url.replace('ws', 'http', 1)}" if livekit_url else ""
    policy = (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "media-src 'self' blob:",
        "worker-src 'self' blob:",
        f"connect-src 'self'{others}",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
        "Cache-Control": "no-cache",
    }


@cache
def _files() -> Mapping[str, _File]:
    """The files by their paths below `static/`, read once: they are few and small."""
    files: dict[str, _File] = {}
    for path in sorted(_FOLDER.rglob("*")):
        if path.suffix in _TYPES:
            body = path.read_bytes()
            etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
            files[path.relative_to(_FOLDER).as_posix()] = _File(body, _TYPES[path.suffix], etag)
    return files

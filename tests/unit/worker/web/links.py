"""Links to a meeting: made by its owner, and opened by whoever has one."""

from __future__ import annotations

from typing import Any

from tests.unit.worker.web.server import ID, Site
from worker.web.viewers import COOKIE


async def opened(site: Site, path: str) -> tuple[int, dict[str, str]]:
    """The status of signing in by a link, and the headers of whoever came by it."""
    own = site.own
    secret = path.partition("#link=")[2]
    status, _ = await site.call("POST", "/v1/session", {"link": secret}, token=None, headers=own)
    kept = site.headers.get("Set-Cookie", "=;")
    return status, {"Cookie": f"{COOKIE}={kept.split('=', 1)[1].split(';')[0]}", **own}


async def made(site: Site, **wish: Any) -> dict[str, Any]:
    status, link = await site.call("POST", f"/v1/meetings/{ID}/links", wish)
    assert status == 201, link
    found: dict[str, Any] = link
    return found

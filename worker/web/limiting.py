"""How often somebody who is not a program may ask for something: a page, a script in it, a guesser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from aiohttp import web
from limits import parse
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from worker.web.errors import ApiError, Handler
from worker.web.viewers import COOKIE, VIEWER

CHANGES_A_MINUTE: Final = 120
LOOKS_A_MINUTE: Final = 1_200
_LOOKING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def limited() -> Callable[..., object]:
    """429 for who goes beyond, counted by person or session, else by address; programs are not counted."""
    limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
    looks, changes = parse(f"{LOOKS_A_MINUTE}/minute"), parse(f"{CHANGES_A_MINUTE}/minute")

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        viewer = request.get(VIEWER)
        if viewer is None or not viewer.program:
            looking = request.method in _LOOKING
            signature = request.cookies.get(COOKIE, "")[-43:] if viewer is not None else ""
            whose = (viewer and viewer.person) or signature or request.remote or ""
            if not await limiter.hit(looks if looking else changes, "look" if looking else "change", whose):
                raise ApiError(
                    429, "too many requests in a minute: wait a little", headers={"Retry-After": "10"}
                )
        return await handler(request)

    return middleware

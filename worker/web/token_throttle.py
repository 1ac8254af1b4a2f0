"""Wrong tokens and links: each is answered late, a few at a time; the right one never waits.

Whether a token is right is looked at first, so that no flood of wrong ones keeps out whoever has it, from
whichever address. A wrong one is answered after a second. So few of these seconds run at once, for one
address, for one token and in all, that a flood holds no sockets: the others are told at once to come later.
"""

from __future__ import annotations

import hashlib
from asyncio import sleep
from collections import Counter
from typing import Final

from aiohttp import web

from worker.web.addresses import place_of
from worker.web.json_answers import ApiError

WRONG_S: Final = 1.0
_GUESSES_OF_AN_ADDRESS: Final = 4
_GUESSES_OF_A_TOKEN: Final = 2
_GUESSES_AT_ONCE: Final = 64
_RETRY: Final = {"Retry-After": "5"}


class TokenThrottle:
    """The throttle of wrong tokens: those that are being answered."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()

    async def slow(self, request: web.Request, offered: str) -> None:
        """Wait before a wrong token or link is refused. Raises `ApiError` (429) where too many wait."""
        token = hashlib.sha256(offered.encode("utf-8", "surrogatepass")).hexdigest()
        bounds = {
            f"address {place_of(request.remote)}": _GUESSES_OF_AN_ADDRESS,
            f"token {token}": _GUESSES_OF_A_TOKEN,
            "all": _GUESSES_AT_ONCE,
        }
        if any(self._waiting[key] >= most for key, most in bounds.items()):
            mend = "too many wrong tokens: wait a little; the right one is let in at any time"
            raise ApiError(429, mend, headers=_RETRY)
        self._waiting.update(bounds.keys())
        try:
            await sleep(WRONG_S)
        finally:
            self._waiting.subtract(bounds.keys())
            for key in bounds:
                if not self._waiting[key]:
                    del self._waiting[key]

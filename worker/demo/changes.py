"""Waiting for something to become true, without asking again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Changes:
    """Whoever changes something says so; whoever waits looks again."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def note(self) -> None:
        """Something has changed."""
        event, self._event = self._event, asyncio.Event()
        event.set()

    async def wait_for(self, look: Callable[[], T | None], timeout_s: float, what: str = "") -> T:
        """The first true value of `look()`. Raises `TimeoutError`, naming `what` was waited for."""
        try:
            async with asyncio.timeout(timeout_s):
                while not (found := look()):
                    await self._event.wait()
        except TimeoutError:
            raise TimeoutError(
                f"{what or 'what was waited for'} did not come within {timeout_s:g} s"
            ) from None
        return found

"""What the agent is doing with an open question, shown to those who watch while they wait for its answer.

It is passing news like words under way, and on no record. Most answers are there before anybody would have
read it, so nothing is told of the first moment; then it is told again while it lasts, because somebody may
have come since, and because what is not told any more is shown no longer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog

from context.ports import PortError
from worker.outlets import Outlet, Stage

log = structlog.get_logger(__name__)

FIRST_S: Final = 0.4
"""An answer that takes no longer tells nothing."""
AGAIN_S: Final = 1.0
"""How often it is told; a page forgets what it has not heard for three times as long."""


class AnswerProgress:
    """What one answer under way is doing; of one to a private question nothing is told to anybody."""

    def __init__(self, outlet: Outlet, *, private: bool) -> None:
        self._outlet, self._private = outlet, private
        self._stage: Stage | None = None

    def at(self, stage: Stage) -> None:
        """Note what the answer is doing from now on; waits for nobody."""
        self._stage = stage

    @asynccontextmanager
    async def told(self) -> AsyncIterator[None]:
        """Tell it while the block runs."""
        telling = None if self._private else asyncio.ensure_future(self._tell())
        try:
            yield
        finally:
            if telling is not None:
                telling.cancel()
                (outcome,) = await asyncio.gather(telling, return_exceptions=True)
                if isinstance(outcome, Exception):
                    log.error("doing_not_told", error=repr(outcome))

    async def _tell(self) -> None:
        await asyncio.sleep(FIRST_S)
        while True:
            if self._stage is not None:
                with suppress(PortError):  # the next time, perhaps
                    await self._outlet.doing(self._stage)
            await asyncio.sleep(AGAIN_S)

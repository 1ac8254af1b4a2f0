"""Late or only behind? An engine that works through others' requests is given more time, within a bound.

A stretch that waits in the queue of an overloaded engine is no worse off than its neighbours, and a
fresh attempt would only send it to the back: better late than lost. An engine that has finished
nothing for anybody since the last look is taken for hung, as ever.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol, runtime_checkable

from stt.segment import SpeechEngine

_STEP_S: Final = 5.0
"""More time for each sign of life; also how often one is asked for."""
_ASK_S: Final = 1.0
"""A sign of life has to come by then."""


@runtime_checkable
class Progressing(Protocol):
    """An engine that tells how far it is."""

    async def done(self) -> int | None:
        """Requests finished so far, anybody's; None where it does not say."""
        ...


class Standing:
    """What one stretch knows of its engine's progress, over all its attempts."""

    def __init__(self, engine: SpeechEngine, most_s: float) -> None:
        """`most_s`: what may be added to the stretch's deadline, altogether."""
        self._engine = engine if isinstance(engine, Progressing) else None
        self._left_s = most_s
        self._seen: int | None = None
        self.gets_on = False
        """Had it finished something of anybody's when it was last looked at?"""

    async def prolong(self, limit: asyncio.Timeout) -> None:
        """Move `limit` as long as the engine gets on. Runs beside the attempt; returns where it may end."""
        loop = asyncio.get_running_loop()
        while self._engine is not None and self._left_s > 0 and (at_s := limit.when()) is not None:
            if (early_s := at_s - _STEP_S - loop.time()) > 0:
                await asyncio.sleep(early_s)
                await self._gets_on()  # what is compared with
            await asyncio.sleep(max(0.0, at_s - _ASK_S - loop.time()))
            if not await self._gets_on():
                return
            step_s = min(_STEP_S, self._left_s)
            self._left_s -= step_s
            limit.reschedule(at_s + step_s)

    async def _gets_on(self) -> bool:
        """Has the engine finished anything since the last look?"""
        assert self._engine is not None
        before = self._seen
        self.gets_on = False
        try:
            async with asyncio.timeout(_ASK_S / 2):
                self._seen = await self._engine.done()
        except Exception:  # noqa: BLE001 - an engine may raise anything, and so tells nothing
            return False
        self.gets_on = self._seen is not None and before is not None and self._seen > before
        return self.gets_on

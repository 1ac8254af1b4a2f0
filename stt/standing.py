"""Late or only behind? An engine that works through others' requests is given more time, within a bound.

A stretch that waits in the queue of an overloaded engine is no worse off than its neighbours, and a
fresh attempt would only send it to the back: better late than lost. An engine that has finished
nothing for anybody for a while is taken for hung, as ever.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import Final, Protocol, runtime_checkable

from stt.segment import SpeechEngine

_STEP_S: Final = 5.0
"""More time for each sign of life; also how often one is asked for."""
_HUNG_AFTER_S: Final = 15.0
"""Without any sign of life. One stretch alone takes so long where the machine has no time for its engine."""
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
        self._moved_s = -inf
        """When it was last seen to have finished something."""
        self.gets_on = False
        """When it was last looked at, had it finished something of anybody's within `_HUNG_AFTER_S`?"""

    async def prolong(self, limit: asyncio.Timeout) -> None:
        """Move `limit` as long as the engine gets on. Runs beside the attempt; returns where it may end."""
        loop = asyncio.get_running_loop()
        while self._engine is not None and self._left_s > 0 and (at_s := limit.when()) is not None:
            while (ahead_s := at_s - _ASK_S - loop.time()) > 0:
                await asyncio.sleep(min(_STEP_S, ahead_s))
                if ahead_s > _STEP_S:
                    await self._gets_on()  # what is compared with
            if not await self._gets_on():
                return
            step_s = min(_STEP_S, self._left_s)
            self._left_s -= step_s
            limit.reschedule(at_s + step_s)

    async def _gets_on(self) -> bool:
        """Has the engine just been finishing things?"""
        assert self._engine is not None
        before, now_s = self._seen, asyncio.get_running_loop().time()
        self.gets_on = False
        try:
            async with asyncio.timeout(_ASK_S / 2):
                self._seen = await self._engine.done()
        except Exception:  # noqa: BLE001 - an engine may raise anything, and so tells nothing
            return False
        if self._seen is None:
            return False
        if before is not None and self._seen > before:
            self._moved_s = now_s
        self.gets_on = now_s - self._moved_s <= _HUNG_AFTER_S
        return self.gets_on

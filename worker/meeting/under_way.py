"""What was set off in a session and is not done yet, so that one can wait for it."""

from __future__ import annotations

import asyncio


class UnderWay:
    """Events to be folded, effects to be shown, jobs that run."""

    def __init__(self) -> None:
        self.events = self.effects = self.jobs = 0
        self._none = asyncio.Event()
        self._none.set()

    def posted(self) -> None:
        """One more event waits."""
        self.events += 1
        self._none.clear()

    def folded(self) -> None:
        """One fewer does."""
        self.events -= 1
        self._look()

    def showing(self, waiting: int) -> None:
        """So many effects wait."""
        self.effects = waiting
        self._look()

    def working(self, jobs: int) -> None:
        """So many jobs run."""
        self.jobs = jobs
        self._look()

    async def done(self) -> None:
        """Wait until nothing is under way."""
        await self._none.wait()

    async def done_within(self, deadline_s: float) -> bool:
        """The same, up to the deadline; False where that came first."""
        try:
            async with asyncio.timeout(deadline_s):
                await self._none.wait()
        except TimeoutError:
            return False
        return True

    def _look(self) -> None:
        if self.events or self.effects or self.jobs:
            self._none.clear()
        else:
            self._none.set()

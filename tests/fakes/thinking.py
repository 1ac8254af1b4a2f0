"""A model that takes its time to summarise."""

from __future__ import annotations

import asyncio

from context.events import effects
from context.events.topic_events import SummaryFailed, SummaryReady
from context.fold.window import RoughTokenizer
from tests.fakes.meeting import SETTINGS
from worker.bootstrap.thinking import Thinking


class SlowThinking(Thinking):
    """Its model takes its time."""

    def __init__(self, takes_s: float) -> None:
        super().__init__(None, RoughTokenizer(), SETTINGS)
        self._takes_s = takes_s

    async def summarise(
        self, effect: effects.Summarise, *, by_rules: bool = False
    ) -> SummaryReady | SummaryFailed:
        if not by_rules:
            await asyncio.sleep(self._takes_s)
        return await super().summarise(effect, by_rules=by_rules)

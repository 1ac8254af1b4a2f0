"""Vectors for passages left without one: the model was away when their meeting ended, or was another."""

from __future__ import annotations

import asyncio
from typing import Final

import numpy as np
import structlog

from context.ports import PortError, Refused
from worker.passages.store import PassageStore, TextEmbedder

log = structlog.get_logger(__name__)

SWEEP_EVERY_S: Final = 60.0
_BATCH: Final = 8
"""Passages at a time: some 0.3 s of the engine, so that live meetings get their turn between them."""
_PAUSE_S: Final = 1.0


class Sweeper:
    """One per worker process; several at once do the same work twice and no harm."""

    def __init__(
        self,
        store: PassageStore,
        embedder: TextEmbedder,
        *,
        every_s: float = SWEEP_EVERY_S,
        pause_s: float = _PAUSE_S,
    ) -> None:
        self._store, self._embedder = store, embedder
        self._every_s, self._pause_s = every_s, pause_s

    async def run(self) -> None:
        """Until cancelled, or until the embedder refuses for good."""
        while True:
            pause_s = self._every_s
            try:
                if await self.step():
                    pause_s = self._pause_s
            except Refused as error:
                log.warning("sweeping_given_up", error=str(error))
                return
            except PortError as error:
                log.info("sweeping_waits", error=str(error))
            except Exception:
                log.exception("sweeping_failed")
            await asyncio.sleep(pause_s)

    async def step(self) -> int:
        """Embed some; how many it were. Raises `PortError` where a part is away."""
        bare = await self._store.without_vector(self._embedder.name, limit=_BATCH)
        if not bare:
            return 0
        rows = np.asarray(await self._embedder.embed([passage.searched for passage in bare]))
        await self._store.put(bare, rows, self._embedder.name)
        return len(bare)

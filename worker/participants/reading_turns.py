"""How much of what one sender writes is read at once: a flood of one is no flood for the others."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final

_LINES_AT_ONCE: Final = 4
_MAX_WAITING_TEXTS: Final = 64


class ReadingTurns:
    """The texts of each sender that are being read, or wait for it."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._told: set[str] = set()

    def admit(self, sender: str) -> bool:
        """Give one more text of a sender a place, which `done` gives back; False where they have too many."""
        if self._held.get(sender, 0) >= _MAX_WAITING_TEXTS:
            return False
        self._held[sender] += 1
        self._turns.setdefault(sender, asyncio.Semaphore(_LINES_AT_ONCE))
        return True

    def is_news(self, sender: str) -> bool:
        """Tell whether a sender is to be told that they have too many: once, until they have none."""
        if sender in self._told:
            return False
        self._told.add(sender)
        return True

    def turn(self, sender: str) -> asyncio.Semaphore:
        """Give what is held while one of the sender's texts is read."""
        return self._turns[sender]

    def done(self, sender: str) -> None:
        """Give the place of a text back, which was read or is not wanted any more."""
        self._held[sender] -= 1
        if not self._held[sender]:
            del self._held[sender], self._turns[sender]
            self._told.discard(sender)

"""The sound of one meeting that waits for its engine: of all its tracks together, within a bound of memory.

Sound that cannot be recognised now is recognised later; so it is kept, however long the engine takes or is
away. What bounds it is memory: where more than so much is held, the oldest stretch that waits is given up.
What the engine is working on counts, but is not given up: it is about to be text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import structlog

_log = structlog.get_logger(__name__)

KEPT_MB: Final = 128
"""It is about an hour of speech: a minute is 1.9 MB."""
_MB: Final = 1_000_000


class Held(Protocol):
    """A stretch whose sound is held until its outcome is known."""

    key: str

    @property
    def waits(self) -> bool:
        """Whether it is not with the engine now, and not given up."""


class Backlog:
    """What a meeting's tracks hold; shared by their queues, which say what comes, grows and goes."""

    def __init__(self, most_mb: float = KEPT_MB) -> None:
        self._most_bytes = most_mb * _MB
        self._held: dict[Held, tuple[int, Callable[[], None]]] = {}
        """Each stretch with its bytes and what gives it up, in the order in which they began."""
        self.size_bytes = 0
        """Bytes of sound that are held."""

    def add(self, stretch: Held, give_up: Callable[[], None]) -> None:
        """Hold the sound of a stretch that begins; `give_up` is called where there is no room for it."""
        self._held[stretch] = 0, give_up

    def grow(self, stretch: Held, size: int) -> None:
        """Count `size` more bytes of a stretch, and give up the oldest that wait where that is too much."""
        before, give_up = self._held[stretch]
        self._held[stretch] = before + size, give_up
        self.size_bytes += size
        if self.size_bytes <= self._most_bytes:
            return
        for oldest, (_, give_up) in list(self._held.items()):
            if self.size_bytes <= self._most_bytes:
                return
            if oldest.waits:
                self.drop(oldest)
                _log.warning("stretch_given_up", key=oldest.key, held_mb=round(self.size_bytes / _MB, 1))
                give_up()

    def drop(self, stretch: Held) -> None:
        """Count a stretch no more, once its sound is forgotten; one that is not held changes nothing."""
        size, _ = self._held.pop(stretch, (0, None))
        self.size_bytes -= size

"""Requests that wait for a model: bounded, and fair between connections.

Each connection has a line of its own, and the lines are served in turn, so that a meeting with much to say
delays another by one request at most. Where the queue is full, the connection with the longest line loses its
newest request, which is answered `busy`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from threading import Event
from typing import Generic, TypeVar

from stt.spoken_language import FIRST_SHARES, Shares

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class EngineRequest(Generic[K]):
    """One request to a model."""

    owner: K
    """The connection that it came by."""
    id: str
    """The client's number for it, unique on its connection."""
    kind: str
    """Its kind or its language, as the subclass of `ModelServer` understands it."""
    body: bytes
    """What the model is to work on; PCM for speech."""
    expected: Shares = field(default_factory=lambda: FIRST_SHARES)
    """Which languages are expected of speech."""
    terms: tuple[str, ...] = ()
    """Which terms are expected of speech: see `Stretch.terms`."""
    gives_way: bool = False
    """Whether it is dropped as soon as others wait."""
    withdrawn: Event = field(default_factory=Event)
    """Set when its client has taken it back, or is gone, while it was worked on."""


class FairQueue(Generic[K]):
    """Requests that wait. None is lost: each is taken, cancelled, or handed back by `put`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: dict[K, deque[EngineRequest[K]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def put(self, request: EngineRequest[K]) -> EngineRequest[K] | None:
        """Queue a request. Returns one that finds no room (this or another's), which is to be refused."""
        loser = None
        if len(self) >= self._limit:
            longest = max(self._lines.values(), key=len, default=deque[EngineRequest[K]]())
            if len(longest) <= len(self._lines.get(request.owner, ())) + 1:
                return request
            loser = longest.pop()
        self._lines.setdefault(request.owner, deque()).append(request)
        return loser

    def take(self) -> EngineRequest[K] | None:
        """Take the next request: the oldest of the connection whose turn it is. None: there is none."""
        owner = next(iter(self._lines), None)
        if owner is None:
            return None
        line = self._lines.pop(owner)
        request = line.popleft()
        if line:
            self._lines[owner] = line  # behind the others
        return request

    def cancel(self, owner: K, request_id: str) -> None:
        """Drop one request, if it still waits."""
        left = deque(request for request in self._lines.get(owner, ()) if request.id != request_id)
        if left:
            self._lines[owner] = left
        else:
            self.forget(owner)

    def forget(self, owner: K) -> None:
        """Drop all requests of a connection that is gone."""
        self._lines.pop(owner, None)

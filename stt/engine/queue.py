"""Whose turn it is: a bounded queue that is fair between connections.

Each connection has its own line, and the lines are served in turn, so that a meeting with much
to say delays another by one request at most. Where the queue is full, room is made at the expense
of whoever has most in it: the loser's newest request is answered `busy`, not the newcomer's.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Request(Generic[K]):
    """One stretch of sound that somebody wants as text."""

    owner: K
    id: str
    language: str
    pcm: bytes


class FairQueue(Generic[K]):
    """Requests in line. No request is lost: it is taken, cancelled, or handed back by `put`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: OrderedDict[K, deque[Request[K]]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def pcm_bytes(self) -> int:
        """How much sound waits."""
        return sum(len(request.pcm) for line in self._lines.values() for request in line)

    def put(self, request: Request[K]) -> Request[K] | None:
        """Queue a request; what finds no room is handed back (the same request, or another's)."""
        loser = None
        if self._count >= self._limit:
            longest = max(self._lines, key=lambda owner: len(self._lines[owner]), default=None)
            mine = len(self._lines.get(request.owner, ()))
            if longest is None or len(self._lines[longest]) <= mine + 1:
                return request
            loser = self._lines[longest].pop()
            self._count -= 1
        self._lines.setdefault(request.owner, deque()).append(request)
        self._count += 1
        return loser

    def take(self) -> Request[K] | None:
        """The next request: the oldest of the connection that has waited longest for its turn."""
        if not self._lines:
            return None
        owner, line = self._lines.popitem(last=False)
        request = line.popleft()
        self._count -= 1
        if line:
            self._lines[owner] = line
        return request

    def cancel(self, owner: K, request_id: str) -> None:
        """Take one request out of the line, where it still stands there."""
        kept = deque(request for request in self._lines.get(owner, ()) if request.id != request_id)
        self._replace(owner, kept)

    def forget(self, owner: K) -> None:
        """The connection is gone and so is its line."""
        self._replace(owner, deque())

    def _replace(self, owner: K, line: deque[Request[K]]) -> None:
        self._count += len(line) - len(self._lines.get(owner, ()))
        if line:
            self._lines[owner] = line
        else:
            self._lines.pop(owner, None)

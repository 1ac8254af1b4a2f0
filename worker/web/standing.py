"""Whether a viewer's session still stands, and its link: asked for once, however many streams ask."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, Protocol

from context.ports import PortError
from worker.clock import monotonic_s
from worker.web.viewers import Viewer

_ASKED_FOR_S: Final = 2.0
"""How long the database's word on a session counts before it is asked again."""
_REMEMBERED: Final = 10_000


class StandingSessions(Protocol):
    """The database's word on sessions."""

    async def stands(self, session_id: str) -> bool:
        """Tell whether a session stands, and its link where it is by one. Raises `PortError`."""


@dataclass(slots=True)
class _Known:
    """What is known of one session: the last answer or fault, and when it was asked for."""

    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked_s: float = -_ASKED_FOR_S
    stood: bool = False
    fault: PortError | None = None


class LinkStanding:
    """Remembers for two seconds whether a session and its link stand, instead of asking at every request."""

    def __init__(self, sessions: StandingSessions) -> None:
        self._sessions = sessions
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def of(self, viewer: Viewer) -> bool:
        """Tell whether the viewer's session still stands; True without one. Raises `PortError`.

        Who comes while it is being asked for waits for that answer. So a database that is slow, or away, gets
        one question for a session, and not one from each of its streams.
        """
        if not viewer.session_id:
            return True
        since_s = monotonic_s() - _ASKED_FOR_S
        known = self._of_session(viewer.session_id)
        async with known.asking:
            if known.asked_s <= since_s:
                known.asked_s = monotonic_s()
                try:
                    known.stood, known.fault = await self._sessions.stands(viewer.session_id), None
                except PortError as error:
                    known.fault = error
                except BaseException:
                    known.asked_s = -_ASKED_FOR_S  # nobody was answered: the next one asks
                    raise
        if known.fault is not None:
            raise known.fault
        return known.stood

    def _of_session(self, session_id: str) -> _Known:
        known = self._known.setdefault(session_id, _Known())
        self._known.move_to_end(session_id)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return known

"""Whether viewers' sessions still stand, and their links: asked for once, however many streams ask."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Protocol

from context.ports import PortError
from worker.clock import monotonic_s
from worker.web.viewers import Viewer

_ASKED_FOR_S: Final = 2.0
"""How long the database's word on a session counts before it is asked again."""
_REMEMBERED_COUNT: Final = 10_000


class StandingSessions(Protocol):
    """The database's word on sessions."""

    async def standing(self, session_ids: Collection[str]) -> frozenset[str]:
        """Give those of these that stand, and their link where they are by one. Raises `PortError`."""


@dataclass(slots=True)
class _Known:
    """The last answers about the sessions of one link, or about one session without a link."""

    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked_s: float = -_ASKED_FOR_S
    stood: dict[str, bool] = field(default_factory=dict)
    """The last answer on each session that it was asked for."""
    wanted: set[str] = field(default_factory=set)
    """The sessions that somebody has wanted to know of since all were last asked for."""
    fault: PortError | None = None


class SessionValidity:
    """Remembers for two seconds which sessions stand, instead of asking at every request.

    All sessions by one link are asked for together, so that a link costs one question in two seconds, however
    many guests came by it and however many streams each of them has.
    """

    def __init__(self, sessions: StandingSessions) -> None:
        self._sessions = sessions
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def of(self, viewer: Viewer) -> bool:
        """Tell whether the viewer's session still stands; True without one. Raises `PortError`.

        Who comes while it is being asked for waits for that answer. So a database that is slow, or away, gets
        one question for a link, and not one from each of its streams.
        """
        if not viewer.session_id:
            return True
        since_s = monotonic_s() - _ASKED_FOR_S
        known = self._of(f"link {viewer.link_id}" if viewer.link_id is not None else viewer.session_id)
        known.wanted.add(viewer.session_id)
        async with known.asking:
            if known.asked_s <= since_s:
                await self._ask_again(known)
            elif known.fault is None and viewer.session_id not in known.stood:
                await self._ask(known, known.wanted - known.stood.keys())
        if known.fault is not None:
            raise known.fault
        return known.stood[viewer.session_id]

    async def _ask_again(self, known: _Known) -> None:
        """Ask for all who wanted to know of late; who did not is forgotten."""
        wanted, known.wanted = known.wanted, set()
        known.asked_s, known.fault, known.stood = monotonic_s(), None, {}
        try:
            await self._ask(known, wanted)
        except BaseException:
            known.asked_s = -_ASKED_FOR_S  # nobody was answered: the next one asks
            known.wanted |= wanted
            raise

    async def _ask(self, known: _Known, session_ids: Collection[str]) -> None:
        try:
            stand = await self._sessions.standing(session_ids)
        except PortError as error:
            known.fault = error
        else:
            known.stood |= {id_: id_ in stand for id_ in session_ids}

    def _of(self, link_or_session: str) -> _Known:
        known = self._known.setdefault(link_or_session, _Known())
        self._known.move_to_end(link_or_session)
        if len(self._known) > _REMEMBERED_COUNT:
            self._known.popitem(last=False)
        return known

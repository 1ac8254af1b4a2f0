"""Whether the link that a viewer came by still stands: looked up once, however many requests and streams ask."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from context.ports import PortError
from worker.clock import monotonic_s
from worker.ports import Links
from worker.web.viewers import Viewer

_ASKED_FOR_S: Final = 2.0
"""How long the database's word on a link counts before it is asked again."""
_REMEMBERED: Final = 10_000


@dataclass(slots=True)
class _Known:
    """What is known of one link: the last answer or fault, and when it was asked for."""

    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked_s: float = -_ASKED_FOR_S
    stood: bool = False
    fault: PortError | None = None


class LinkStanding:
    """Remembers for two seconds whether a link still stands, instead of asking at every request."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def of(self, viewer: Viewer) -> bool:
        """Tell whether the viewer's link still stands; True without a link. Raises `PortError`.

        Who comes while it is being asked for waits for that answer. So a database that is slow, or away, gets
        one question for a link, and not one from each of its guests' streams.
        """
        if viewer.link_id is None:
            return True
        since_s = monotonic_s() - _ASKED_FOR_S
        known = self._of_link(viewer.link_id)
        async with known.asking:
            if known.asked_s <= since_s:
                known.asked_s = monotonic_s()
                try:
                    known.stood, known.fault = await self._links.stands(viewer.link_id), None
                except PortError as error:
                    known.fault = error
                except BaseException:
                    known.asked_s = -_ASKED_FOR_S  # nobody was answered: the next one asks
                    raise
        if known.fault is not None:
            raise known.fault
        return known.stood

    def _of_link(self, link_id: str) -> _Known:
        known = self._known.setdefault(link_id, _Known())
        self._known.move_to_end(link_id)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return known

"""Guests who joined a room from the page that a link opened to them: who they are, and whether they may stay.

A link that is withdrawn or expires ends its guests' presence in the room, too: they are heard no more, and
removed. Their tokens would let them in again for some minutes, so each is looked up on joining. Where that
cannot be looked up nobody is removed: those who were here go on being heard, and who comes new is heard once
it is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog

from context.ports import PortError
from context.primitives.guest_identity import link_of

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 2.0
"""How often it is looked whether the links of those who are here stand."""


class StandingLinks(Protocol):
    """The database's word on links."""

    async def stands(self, link_id: str) -> bool:
        """Tell whether a link has neither expired nor been withdrawn. Raises `PortError`."""


class MakeGuests(Protocol):
    """Makes the `Guests` of one meeting; its arguments are theirs."""

    def __call__(self, *, run: Callable[..., object], changed: Callable[[str], None]) -> Guests:
        """Make the guests of a meeting, with these of its parts."""


class Guests:
    """The guests in one meeting's room. Everybody else is passed over."""

    def __init__(
        self,
        links: StandingLinks,
        remove: Callable[[str], Awaitable[None]],
        *,
        run: Callable[..., object],
        changed: Callable[[str], None],
        was_here: Callable[[str], bool] = lambda _identity: False,
    ) -> None:
        """`remove(identity)` has somebody leave the room, and raises `PortError` where that fails.

        `run(work, name=…)` runs a coroutine beside. `changed` is called with each identity whose `may_hear`
        may have changed; the room then (un)subscribes. `was_here` tells whether the holder before us had let
        somebody in, whom nothing is missed of while they are looked up.
        """
        self._links, self._remove, self._run, self._changed = links, remove, run, changed
        self._was_here = was_here
        self._present: dict[str, str] = {}
        """The links of those who are here, by identity."""
        self._stood: set[str] = set()
        self._fallen: set[str] = set()
        """Links that stand no more, for good."""

    def joined(self, identity: str) -> None:
        """Look at somebody's link, since they have come in."""
        if (link_id := link_of(identity)) is None:
            return
        if self.may_hear(identity):
            self._stood.add(link_id)
        self._present[identity] = link_id
        self._run(self._look(link_id), name=f"guest:{identity}")

    def left(self, identity: str) -> None:
        """Note that somebody has left; by a link that nobody here has, the next one is looked up first."""
        link_id = self._present.pop(identity, None)
        if link_id is not None and link_id not in self._present.values():
            self._stood.discard(link_id)

    def may_hear(self, identity: str) -> bool:
        """Whether the room may subscribe to somebody's sound now."""
        link_id = link_of(identity)
        if link_id is None or link_id in self._stood:
            return True
        return link_id not in self._fallen and identity not in self._present and self._was_here(identity)

    def is_out(self, identity: str) -> bool:
        """Tell whether somebody is a guest whose link is known to stand no more: they have no say here."""
        return link_of(identity) in self._fallen

    async def run(self) -> None:
        """Look at all links every two seconds, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for link_id in sorted(set(self._present.values())):
                await self._look(link_id)

    async def _look(self, link_id: str) -> None:
        try:
            stands = link_id not in self._fallen and await self._links.stands(link_id)
            if link_id not in self._present.values():  # they have left meanwhile
                return
            if stands != (link_id in self._stood):
                (self._stood.add if stands else self._stood.discard)(link_id)
                self._tell(link_id)
            if not stands:
                self._fallen.add(link_id)
                await self._remove_all(link_id)
        except PortError as error:
            log.warning("guests_not_looked_up", link=link_id, error=str(error))

    def _tell(self, link_id: str) -> None:
        for identity in self._of(link_id):
            self._changed(identity)

    async def _remove_all(self, link_id: str) -> None:
        """Have its guests leave; those whom LiveKit does not remove now are tried again at the next look."""
        for identity in self._of(link_id):
            log.info("guest_removed", participant=identity, link=link_id)
            await self._remove(identity)

    def _of(self, link_id: str) -> list[str]:
        return [identity for identity, theirs in self._present.items() if theirs == link_id]

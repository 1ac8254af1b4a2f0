"""Whose sound a standby may keep: what the holder has on the record, looked up now and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from context.ports import PortError
from worker.audit import Consents
from worker.room.consent import ConsentRule

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 1.0


class StandbyConsent:
    """One meeting's, as far as a standby knows it. Before its first look nobody is heard."""

    def __init__(self, consents: Consents | None, rule: ConsentRule, meeting_id: str) -> None:
        """`consents` None: nobody can say no."""
        self._consents, self._rule, self._meeting_id = consents, rule, meeting_id
        self._told: dict[str, bool] | None = {} if consents is None else None
        self._earlier: dict[str, bool | None] = {}
        self._asked: set[str] = set()
        self.changed: Callable[[str], None] = lambda _identity: None
        """Told whose sound is wanted from now on, or not wanted any more."""

    def may_hear(self, identity: str) -> bool:
        """Whether somebody's sound may be asked for."""
        self._asked.add(identity)
        if self._told is None:
            return False
        agreed = self._told.get(identity)
        if agreed is None and self._rule.lasting and self._consents is not None:
            if identity not in self._earlier:
                return False
            agreed = self._earlier[identity]
        return self._rule.allows(agreed)

    async def follow(self) -> None:
        """Look until cancelled. While the database is away, what was known last counts."""
        if self._consents is None:
            return
        while True:
            try:
                await self._look(self._consents)
            except PortError as error:
                log.info("consent_not_looked_up", error=str(error))
            await asyncio.sleep(LOOK_EVERY_S)

    async def _look(self, consents: Consents) -> None:
        """Raises `PortError`."""
        heard = {identity: self.may_hear(identity) for identity in tuple(self._asked)}
        try:
            self._told = await consents.of(self._meeting_id)
            if self._rule.lasting:
                for identity in heard.keys() - self._told.keys() - self._earlier.keys():
                    self._earlier[identity] = await consents.newest(identity)
        finally:
            for identity in tuple(self._asked):
                if self.may_hear(identity) != heard.get(identity, False):
                    self.changed(identity)

"""Links to one meeting's page, in memory."""

from __future__ import annotations

from datetime import datetime, timedelta

from context.ports import Refused
from tests.fakes.record import Record
from worker.links import EndedLink, Link


class FakeLinks:
    """Those of one tenant."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._links: dict[str, Link] = {}
        self._withdrawn: dict[str, datetime] = {}

    async def make(self, meeting_id: str, *, may_edit: bool, lasting: timedelta) -> tuple[Link, str]:
        self._record.demand_available()
        if meeting_id not in self._record.meetings:
            raise Refused(f"no meeting {meeting_id!r}")
        now = self._record.clock.now_utc()
        id_ = f"l{len(self._links) + 1}"
        link = Link(id=id_, meeting_id=meeting_id, may_edit=may_edit, made_at=now, expires_at=now + lasting)
        secret = f"secret-of-{id_}"
        self._links[secret] = link
        return link, secret

    async def opened(self, secret: str) -> Link | None:
        link = self._links.get(secret)
        return link if link is not None and self._open(link) else None

    async def standing(self, meeting_id: str) -> list[Link]:
        return [
            each
            for each in reversed(self._links.values())
            if each.meeting_id == meeting_id and self._open(each)
        ]

    async def stands(self, link_id: str) -> bool:
        self._record.demand_available()
        return any(each.id == link_id and self._open(each) for each in self._links.values())

    async def withdraw(self, meeting_id: str, link_id: str) -> bool:
        if "\0" in link_id:
            raise Refused("no text of Postgres holds NUL")
        for link in self._links.values():
            if (link.meeting_id, link.id) == (meeting_id, link_id) and self._open(link):
                self._withdrawn[link.id] = self._record.clock.now_utc()
                return True
        return False

    async def ended(self, within: timedelta) -> list[EndedLink]:
        self._record.demand_available()
        now, found = self._record.clock.now_utc(), []
        for link in self._links.values():
            room = self._record.meetings[link.meeting_id].room
            at = self._withdrawn.get(link.id, link.expires_at)
            if room is not None and now - within <= at <= now:
                found.append(EndedLink(id=link.id, room=room))
        return found

    def _open(self, link: Link) -> bool:
        return link.id not in self._withdrawn and link.expires_at > self._record.clock.now_utc()

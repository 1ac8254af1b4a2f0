"""Who is in a meeting's room, and by which name."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from context.events import events
from context.primitives.person_names import identity_meant
from context.primitives.text import clean_name
from worker.meeting.session import Session
from worker.participants.tracks import Own

log = structlog.get_logger(__name__)

RENAMED_EVERY_S: Final = 1.0
"""How often at most somebody's new name goes to the record: a client may change it with each keystroke."""


def name_of(identity: str, name: str | None) -> str:
    """What a participant is called: their name, or their id where nothing of the name is to be seen."""
    return clean_name(name or "") or clean_name(identity, identity)


class RoomPeople:
    """The humans in a room, as the session is told of them."""

    def __init__(self, session: Session, own: Own) -> None:
        """`own` runs work in a task."""
        self._session, self._own = session, own
        self._present: dict[str, str] = {}
        self._renaming: set[str] = set()
        """Whose new name went to the record a moment ago; a newer one waits."""
        self._gone: set[str] = set()
        """Who has left and not come back: a line that they wrote last may arrive after that."""

    def __contains__(self, identity: str) -> bool:
        """Whether somebody is in the room."""
        return identity in self._present

    def __len__(self) -> int:
        """How many are in the room."""
        return len(self._present)

    def has_left(self, identity: str) -> bool:
        """Whether somebody was in the room, and is not any more."""
        return identity in self._gone

    def joined(self, identity: str, name: str) -> bool:
        """Take somebody in, by their name; False: they were here, and may only be called otherwise now."""
        name = name_of(identity, name)
        if identity in self._present:
            self._called(identity, name)
            return False
        self._present[identity] = name
        self._gone.discard(identity)
        self._session.human_seen(identity, name)
        log.info("participant_joined", participant=identity)
        return True

    def left(self, identity: str) -> None:
        """Let somebody who was here go."""
        del self._present[identity]
        self._gone.add(identity)
        self._note_left(identity)
        log.info("participant_left", participant=identity)

    def note_absent(self) -> None:
        """Record that those who are present on the record and not in the room have left."""
        for person in self._session.manager.meeting.attendance.people.values():
            if person.present and person.user_id not in self._present:
                self._note_left(person.user_id)

    def name(self, identity: str) -> str:
        """What somebody is called, told apart from others where the record knows them."""
        attendance = self._session.manager.meeting.attendance
        if identity in attendance.people:
            return attendance.name_of(identity)
        return self._present.get(identity, identity)

    def others(self, identity: str) -> list[str]:
        """The names of everybody else in the room."""
        return [name for who, name in self._present.items() if who != identity]

    def identity_of(self, named: str) -> str:
        """The id whom a program names; see `identity_meant`."""
        return identity_meant(named, self._present.keys() | self._session.manager.meeting.attendance.people)

    def _note_left(self, identity: str) -> None:
        self._session.post(events.ParticipantLeft(participant_id=identity, at_ms=self._session.now_ms()))

    def _called(self, identity: str, name: str) -> None:
        """Have somebody who is here go by another name; what they said about consent stays theirs."""
        if name == self._present[identity]:
            return
        self._present[identity] = name
        if identity not in self._renaming:
            self._renaming.add(identity)
            self._session.human_seen(identity, name)
            self._own(self._settle_name(identity, name), name="renamed")

    async def _settle_name(self, identity: str, name: str) -> None:
        await asyncio.sleep(RENAMED_EVERY_S)
        self._renaming.discard(identity)
        if (newest := self._present.get(identity, name)) != name:
            self._present[identity] = name
            self._called(identity, newest)

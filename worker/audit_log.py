"""The ports of the audit log, and of what is on record of people: all of it, their consents."""

from __future__ import annotations

import pwd
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Protocol, get_args

from pydantic import AwareDatetime

from context.events.actors import Actor, ActorKind
from context.models import Frozen


class Deed(Frozen):
    """Something that somebody did with a tenant's meetings, without a word of what was said there."""

    who: str
    """Who was authenticated (`Actor.known_as`): `link 5c1d09ab`, `user minji`, `program`."""
    how: Literal["http", "command", "meeting"]
    """The way that it was done: over HTTP, by a command of `moim`, or in the meeting itself."""
    action: str
    """What was done: `export`, `erasure`, …; see `OPERATIONS` of `worker.web.operations`.

    Over HTTP it is written before it is done; `export_refused` behind it says that nothing came of it.
    """
    meeting_id: str | None = None
    subject: str | None = None
    """The id of the person or thing that it was about."""


class AuditEntry(Deed):
    """A row of the audit log: a deed, and when it was done."""

    at: AwareDatetime


class Audit(Protocol):
    """The audit log: added to and read, never changed. Errors are the ports'."""

    async def note(self, deed: Deed) -> None:
        """Add a row for what was done just now."""

    async def newest(
        self,
        *,
        meeting_id: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """Give up to `limit` rows, the newest first: of one meeting, of one actor, from `since` on.

        `who` is a name as it stands in the log, or an id alone; see `names_of`.
        """


def names_of(who: str) -> list[str]:
    """Give the names in the log that mean `who`: itself, and each kind of actor with it as the id.

    So `minji` finds what `user minji` and `participant minji` did, and `user minji` finds the user alone.
    """
    return [who, *(Actor(kind=kind, id=who).known_as for kind in get_args(ActorKind))]


def login(user: int) -> str:
    """The login of a user of this machine; `uid N` in a container that knows only a number."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"uid {user}"


class People(Protocol):
    """Port of a tenant's people: all that is on record of one, in all meetings. Errors are the ports'."""

    async def everything(self, person: str) -> dict[str, Any]:
        """Give all that is kept of a person, in lists of rows that JSON can hold; see `PostgresPeople`."""

    async def meant(self, named: str) -> str:
        """Give the id of the person whom somebody names; see `identity_meant`."""


class Consents(Protocol):
    """Port of people's answers to the question whether they may be heard. Errors are the ports'."""

    async def of(self, meeting_id: str) -> dict[str, bool]:
        """Give the answers in a meeting, by participant, the newest last: True where they agreed."""

    async def newest(self, participant: str) -> bool | None:
        """Give a participant's last answer in any meeting; None where there is none."""

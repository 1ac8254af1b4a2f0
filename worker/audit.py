"""Who did what with a tenant's meetings, without content; and what people said to being heard."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from pydantic import AwareDatetime

from context.models import Frozen


class Deed(Frozen):
    """Something that somebody did with a meeting, without content."""

    who: str
    how: Literal["http", "command", "meeting"]
    action: str
    meeting_id: str | None = None
    subject: str | None = None
    """Whom or what it was about, by id."""


class AuditEntry(Deed):
    """A row of the audit log."""

    at: AwareDatetime


class Audit(Protocol):
    """The audit log: added to and read, never changed. Errors are the ports'."""

    async def note(self, deed: Deed) -> None:
        """Add a row."""

    async def newest(
        self,
        *,
        meeting_id: str | None = None,
        who: str | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> Sequence[AuditEntry]:
        """What was done last, the newest first."""


class Consents(Protocol):
    """What people said to being heard. Errors are the ports'."""

    async def of(self, meeting_id: str) -> dict[str, bool]:
        """Who agreed in a meeting (True), or did not."""

    async def newest(self, participant: str) -> bool | None:
        """What somebody said last, in any meeting; None: nothing."""

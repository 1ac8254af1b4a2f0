"""What a dispatch carries to the job: which meeting it is for."""

from __future__ import annotations

from pydantic import ValidationError

from context.models import Frozen


class Ticket(Frozen):
    """The metadata of a LiveKit dispatch."""

    meeting_id: str | None = None
    """None: somebody dispatched the agent by hand; the room's open meeting is meant, or a new one."""
    tenant: str | None = None
    standby: bool = False
    """Not to hold it: to listen beside its holder, and to take over when that one is gone."""
    apart: bool = False
    """Of a standby: a worker that has the holder declines, so that another one gets it."""

    relief: bool = False
    """Of a standby: sent because the holder is late with its lease; where that one is well, it leaves."""

    def is_of(self, tenant: str) -> bool:
        """Is it this tenant's? Who dispatches by hand names none."""
        return self.tenant in {None, tenant}

    def encode(self) -> str:
        """Encode the ticket as dispatch metadata."""
        return self.model_dump_json(exclude_none=True, exclude_defaults=True)

    @classmethod
    def decode(cls, metadata: str) -> Ticket:
        """From dispatch metadata; what somebody else put there says nothing about a meeting."""
        try:
            return cls.model_validate_json(metadata)
        except ValidationError:
            return cls()

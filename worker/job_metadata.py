"""The metadata of a job: which meeting a dispatch wants it for, and as what it comes."""

from __future__ import annotations

from pydantic import ValidationError

from context.models import Frozen


class JobMetadata(Frozen):
    """The metadata of a LiveKit dispatch, as JSON."""

    meeting_id: str | None = None
    """None: somebody dispatched the agent by hand; the room's open meeting is meant, or a new one."""
    tenant: str | None = None
    """The tenant of the meeting; None where somebody dispatched by hand."""
    standby: bool = False
    """The job is to stand by: to listen beside the holder, and to take over when that one is gone."""
    apart: bool = False
    """A worker that has the holder is to decline this standby's job, so that another one gets it."""
    relief: bool = False
    """The standby was sent because the holder is late with its lease, and leaves if that one is well."""

    def is_of(self, tenant: str) -> bool:
        """Tell whether it is for a worker of `tenant`: it names this tenant, or none."""
        return self.tenant in {None, tenant}

    def encode(self) -> str:
        """Encode it as the metadata of a dispatch."""
        return self.model_dump_json(exclude_none=True, exclude_defaults=True)

    @classmethod
    def decode(cls, metadata: str) -> JobMetadata:
        """Read the metadata of a dispatch; those that others wrote are read as empty ones."""
        try:
            return cls.model_validate_json(metadata)
        except ValidationError:
            return cls()

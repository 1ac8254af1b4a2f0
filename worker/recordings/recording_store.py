"""The port of files that wait to become meetings, and what is known of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from pydantic import AwareDatetime

from context.models import Frozen

Kind = Literal["transcript", "sound"]
"""transcript: what a child process has read of it, as JSON · sound: the file as it was sent."""
PART_BYTES: Final = 1 << 20
"""The size of the largest part in which a file is kept."""
CLAIMED_S: Final = 20.0
"""A claim that nobody renews for so long is over: its process has died."""
STARTED_WITHIN_S: Final = 60.0
"""The first claim lasts so long: on a busy machine a process may need it until it can renew anything."""


class RecordingRow(Frozen):
    """A file that waits, is read, or was given up; one that has become a meeting has no row any more."""

    meeting_id: str
    """The meeting that it becomes."""
    name: str
    kind: Kind
    bytes: int
    total: int
    """Lines of a transcript, or milliseconds of sound as the file tells its length; 0: it does not."""
    done: int = 0
    state: Literal["waiting", "reading", "failed"] = "waiting"
    tries: int = 0
    """How often a worker has claimed it since it last got any further."""
    fault: str | None = None
    """Why it failed, as a word (`worker.recordings.faults`), and the value that this is about."""
    fault_value: str | None = None
    added_at: AwareDatetime


class Recordings(Protocol):
    """The tenant's files that wait to become meetings. Errors are the ports'."""

    async def want(self, name: str, kind: Kind, title: str, *, size_bytes: int, total: int) -> str:
        """Want a new meeting that is read from this file, whose parts come next; its id."""

    async def put(self, meeting_id: str, number: int, part: bytes) -> None:
        """Keep a part of the file, `PART_BYTES` at most; numbers count from 0."""

    async def complete(self, meeting_id: str) -> None:
        """Note that all parts have come: a worker may claim it."""

    async def part(self, meeting_id: str, number: int) -> bytes | None:
        """Give a part; None behind the last one, and once the file is gone."""

    async def get(self, meeting_id: str) -> RecordingRow | None:
        """Give what is known of a file; None where it is none, or has become a meeting."""

    async def list_all(self) -> Sequence[RecordingRow]:
        """Give those that wait or are read, and those that failed within a day, the newest first.

        A file of which not all parts are there yet is none of them.
        """

    async def waiting(self) -> tuple[int, int]:
        """Tell how many files wait or are read, and how many bytes they have."""

    async def claim(self, kinds: Sequence[Kind], for_s: float) -> RecordingRow | None:
        """Take the file that has waited longest, for `for_s` from now; None where none waits."""

    async def tell(self, meeting_id: str, done: int, for_s: float) -> bool:
        """Note how far its reader is, who has it for `for_s` from now; False: the file is gone."""

    async def let_go(self, meeting_id: str, after_s: float) -> None:
        """Note that nobody reads it any more, through no fault of the file; it is due in `after_s`."""

    async def fail(self, meeting_id: str, code: str, value: str, why: str) -> None:
        """Give a file up and delete it; its meeting has failed, as `why` says, unless somebody holds it."""

    async def abandoned(self, limit: int) -> Sequence[str]:
        """Give meetings whose file is not all there ten minutes after it began to come, `limit` at most."""

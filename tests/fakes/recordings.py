"""Files that wait to become meetings, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from worker.clock import now_utc
from worker.recordings.recording_store import Kind, RecordingRow


@dataclass
class FakeRecordings:
    """Those of one tenant, which no worker reads."""

    rows: dict[str, RecordingRow] = field(default_factory=dict)
    parts: dict[str, list[bytes]] = field(default_factory=dict)
    complete_: set[str] = field(default_factory=set)

    async def want(self, name: str, kind: Kind, title: str, *, size_bytes: int, total: int) -> str:
        del title
        id_ = f"m-{len(self.rows) + 1}"
        self.rows[id_] = RecordingRow(
            meeting_id=id_, name=name, kind=kind, bytes=size_bytes, total=total, added_at=now_utc()
        )
        self.parts[id_] = []
        return id_

    async def put(self, meeting_id: str, number: int, part: bytes) -> None:
        assert number == len(self.parts[meeting_id])
        self.parts[meeting_id].append(part)

    async def complete(self, meeting_id: str) -> None:
        self.complete_.add(meeting_id)

    async def part(self, meeting_id: str, number: int) -> bytes | None:
        parts = self.parts.get(meeting_id, [])
        return parts[number] if number < len(parts) else None

    async def get(self, meeting_id: str) -> RecordingRow | None:
        return self.rows.get(meeting_id)

    async def list_all(self) -> list[RecordingRow]:
        rows = reversed(self.rows.values())
        return [row for row in rows if row.state == "failed" or row.meeting_id in self.complete_]

    async def waiting(self) -> tuple[int, int]:
        waiting = [row for row in self.rows.values() if row.state != "failed"]
        return len(waiting), sum(row.bytes for row in waiting)

    async def claim(self, kinds: Sequence[Kind], for_s: float) -> RecordingRow | None:
        raise NotImplementedError

    async def tell(self, meeting_id: str, done: int, for_s: float) -> bool:
        raise NotImplementedError

    async def let_go(self, meeting_id: str, after_s: float) -> None:
        raise NotImplementedError

    async def fail(self, meeting_id: str, code: str, value: str, why: str) -> None:
        row = self.rows[meeting_id]
        self.rows[meeting_id] = row.model_copy(
            update={"state": "failed", "fault": code, "fault_value": value}
        )
        self.parts[meeting_id] = []

    async def abandoned(self, limit: int) -> list[str]:
        """Nothing comes slowly here."""
        del limit
        return []

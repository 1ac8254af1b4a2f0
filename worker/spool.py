"""Events that Postgres could not take yet, on the local disk, one JSON line each.

The spool is what a restart on this machine finds when the job died while the database was away.
It is bounded; a full or unwritable disk is reported and the meeting goes on from memory alone.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from context.events import VERSION, decode, encode
from context.ports import RecordedEvent

MAX_BYTES: Final = 64 * 1024 * 1024


class SpoolFullError(OSError):
    """The spool has reached its bound."""


class Spool:
    """The spool file of one meeting. Blocking: call it from a thread."""

    def __init__(self, folder: Path, meeting_id: str) -> None:
        # Ids are free text: a file name keeps the harmless part and a digest-free hex of the rest.
        safe = re.sub(r"[^\w.-]", lambda m: f"%{ord(m[0]):x}", meeting_id)[:180]
        self.path = folder / f"{safe}.jsonl"

    def append(self, events: Sequence[RecordedEvent]) -> None:
        """Add events and have them on the disk when this returns. Raises `OSError`."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(
            json.dumps({"seq": r.seq, "version": VERSION, "event": encode(r.event)}, ensure_ascii=False)
            + "\n"
            for r in events
        ).encode()
        with self.path.open("ab") as file:
            if file.tell() + len(lines) > MAX_BYTES:
                raise SpoolFullError(f"{self.path} is full ({MAX_BYTES} bytes)")
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> list[RecordedEvent]:
        """What is in it, in order; a line cut short by a crash ends the reading."""
        if not self.path.exists():
            return []
        events: list[RecordedEvent] = []
        with self.path.open("rb") as file:
            for line in file:
                try:
                    row = json.loads(line)
                    event = decode(row["event"], row["version"])
                except (ValueError, KeyError):
                    break
                events.append(RecordedEvent(seq=row["seq"], event=event))
        return events

    def clear(self) -> None:
        """Everything in it is on the record."""
        self.path.unlink(missing_ok=True)

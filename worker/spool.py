"""Events that Postgres could not take yet, on the local disk, one JSON line each.

The spool is what a restart on this machine finds when the job died while the database was away.
It is bounded; a full or unwritable disk is reported and the meeting goes on from memory alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from context.events import VERSION, decode, encode
from context.ports import RecordedEvent

MAX_BYTES: Final = 64 * 1024 * 1024


_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")


def file_name(meeting_id: str) -> str:
    """A file's name for any id, of which no other id has the same; at most some 100 bytes.

    Ids are free text, a path or 200 Korean letters: what is not plain is told by a digest.
    """
    plain = _UNSAFE.sub("-", meeting_id)[:60]
    if plain == meeting_id:
        return plain
    return f"{plain}.{hashlib.sha256(meeting_id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


class SpoolFullError(OSError):
    """The spool has reached its bound."""


class Spool:
    """The spool file of one meeting. Blocking: call it from a thread."""

    def __init__(self, folder: Path, meeting_id: str) -> None:
        self.path = folder / f"{file_name(meeting_id)}.jsonl"

    def append(self, events: Sequence[RecordedEvent]) -> None:
        """Add events and have them on the disk when this returns. Raises `OSError`."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = "".join(
            json.dumps({"seq": r.seq, "version": VERSION, "event": encode(r.event)}, ensure_ascii=False)
            + "\n"
            for r in events
        ).encode()
        with self.path.open("ab", buffering=0) as file:
            before = file.tell()
            if before + len(lines) > MAX_BYTES:
                raise SpoolFullError(f"{self.path} is full ({MAX_BYTES} bytes)")
            try:
                rest = memoryview(lines)
                while rest:
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
            except OSError:
                # Half a line would hide all that is written behind it, once there is room again.
                with suppress(OSError):
                    os.truncate(self.path, before)
                raise

    def read(self) -> list[RecordedEvent]:
        """What is in it, in order; a line cut short by a crash ends the reading."""
        events: list[RecordedEvent] = []
        try:
            file = self.path.open("rb")
        except FileNotFoundError:  # also: cleared this moment, all is on the record
            return events
        with file:
            for line in file:
                try:
                    row = json.loads(line)
                    event = decode(row["event"], row["version"])
                except (ValueError, LookupError, TypeError):
                    break
                events.append(RecordedEvent(seq=row["seq"], event=event))
        return events

    def clear(self) -> None:
        """Everything in it is on the record."""
        self.path.unlink(missing_ok=True)

"""The spool: a file on the local disk with events that Postgres could not take yet, one JSON line each.

A job that takes over on this machine finds in it what a job wrote that died while the database was away.
It is bounded; a full or unwritable disk is reported and the meeting goes on from memory alone.

Whoever works with a meeting's spool holds a lock on its file, which ends with its process: so whoever finds
one that nobody holds (`holder.orphaned_spools`) knows that its job is dead. The first line names its meeting.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from context.events.events import VERSION, decode, encode
from context.ports import RecordedEvent
from worker.file_names import file_name

MAX_BYTES: Final = 64 * 1024 * 1024
"""The bound of one spool."""


class SpoolFullError(OSError):
    """The spool has reached its bound."""


@dataclass(frozen=True, slots=True)
class SpoolOwner:
    """The meeting whose events a spool holds, and its tenant."""

    meeting_id: str
    tenant: str


class Spool:
    """The spool file of one meeting. Its methods block; several threads may call them.

    After `let_go` nothing is written or removed any more: the file may be another job's by then.
    """

    def __init__(self, folder: Path, meeting_id: str, tenant: str = "default") -> None:
        """Nothing is made before the first `append`. Meetings of other tenants may have the same ids."""
        name = meeting_id if tenant == "default" else f"{tenant}\0{meeting_id}"  # no id holds NUL
        self.path = folder / f"{file_name(name)}.jsonl"
        self._owner = SpoolOwner(meeting_id, tenant)
        self._held: BinaryIO | None = None
        self._turn = threading.Lock()
        self._gone = False

    def append(self, events: Sequence[RecordedEvent]) -> None:
        """Add events; they are on the disk when this returns. Raises `OSError`, and has added none then."""
        with self._turn:
            if self._gone:
                raise OSError(f"{self.path} was let go of")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lines = _lines(events)
            file = self._held or self._hold_for_writing()
            before = file.seek(0, os.SEEK_END)
            if before == 0:
                lines = _header(self._owner) + lines
            elif os.pread(file.fileno(), 1, before - 1) != b"\n":
                lines = b"\n" + lines  # a crash cut the last line short: not ours, too
            if before + len(lines) > MAX_BYTES:
                raise SpoolFullError(f"{self.path} is full ({MAX_BYTES} bytes)")
            try:
                rest = memoryview(lines)
                while rest:
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
                if before == 0:
                    _sync_name(self.path)
            except OSError:
                # Half a line would hide all that is written behind it, once there is room again.
                with suppress(OSError):
                    os.truncate(self.path, before)
                raise

    def read(self) -> list[RecordedEvent]:
        """Read all events in order, but for lines that a crash cut short; none where there is no spool."""
        try:
            with self.path.open("rb") as file:
                return _read(file)[1]
        except FileNotFoundError:  # also: cleared this moment, all is on the record
            return []

    def claim(self) -> bool:
        """Lock the spool that a dead job may have left, so that nobody else offers its events.

        True: it is ours, or there is none. False: somebody else holds it. Raises `OSError`.
        """
        with self._turn:
            try:
                self._held = self._held or hold(self.path)
            except FileNotFoundError:
                return True
            except BlockingIOError:
                return False
            return True

    def clear(self) -> None:
        """Remove the file: everything in it is on the record. Raises `OSError`."""
        with self._turn:
            if not self._gone:
                self.path.unlink(missing_ok=True)
                self._close()

    def let_go(self) -> None:
        """Unlock the file for good, since we hold the meeting no longer; anybody may offer what is in it."""
        with self._turn:
            self._gone = True
            self._close()

    def _close(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    def _hold_for_writing(self) -> BinaryIO:
        try:
            self._held = hold(self.path, "a+b")
        except BlockingIOError:
            # A job before us that stands still (SIGSTOP) has it: ours is another file, with its owner in it.
            self.path = self.path.with_name(f"{self.path.stem}.{os.getpid()}.jsonl")
            self._held = hold(self.path, "a+b")
        return self._held


def hold(path: Path, mode: str = "r+b") -> BinaryIO:
    """Open a spool and lock it until it is closed. Raises `BlockingIOError` where somebody holds it."""
    while True:
        file: Any = path.open(mode, buffering=0)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with suppress(FileNotFoundError):  # removed between opening and locking
                if os.path.samestat(path.stat(), os.fstat(file.fileno())):
                    return file  # type: ignore[no-any-return] # unbuffered: a FileIO, which is one
        except BaseException:
            file.close()
            raise
        file.close()


def write_spool(path: Path, owner: SpoolOwner, events: Sequence[RecordedEvent]) -> None:
    """Write a whole spool at once or not at all; it is on the disk when this returns. Raises `OSError`."""
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        file.write(_header(owner) + _lines(events))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    _sync_name(path)


def read_orphan(file: BinaryIO) -> tuple[SpoolOwner | None, list[RecordedEvent]]:
    """Read an open spool: its owner and its events. No owner: a version wrote it that did not name one."""
    file.seek(0)
    buffered = io.BufferedReader(file)  # type: ignore[type-var] # unbuffered it would be read byte by byte
    try:
        return _read(buffered)
    finally:
        buffered.detach()


def _read(file: BinaryIO) -> tuple[SpoolOwner | None, list[RecordedEvent]]:
    owner: SpoolOwner | None = None
    events: list[RecordedEvent] = []
    for number, line in enumerate(file):
        try:
            row = json.loads(line)
            if number == 0 and "spool" in row:
                owner = SpoolOwner(row["spool"]["meeting_id"], row["spool"]["tenant"])
                continue
            event = decode(row["event"], row["version"])
            events.append(RecordedEvent(seq=row["seq"], event=event))
        except (ValueError, LookupError, TypeError):
            continue
    return owner, events


def _sync_name(path: Path) -> None:
    """Sync the folder of a new file: the file is on the disk only when its name is."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _lines(events: Sequence[RecordedEvent]) -> bytes:
    rows = ({"seq": r.seq, "version": VERSION, "event": encode(r.event)} for r in events)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _header(owner: SpoolOwner) -> bytes:
    spool = {"meeting_id": owner.meeting_id, "tenant": owner.tenant}
    return (json.dumps({"spool": spool}) + "\n").encode()

"""A holder's last sound: what it keeps on this machine for its successor, and finds of its predecessor."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import structlog

from worker.bootstrap import Parts
from worker.holder.sound_log import KeptTrack, SoundLog, folder_of, forget_sound, kept_sound, private, root_of
from worker.meeting.session import Session
from worker.ports import MeetingRow
from worker.room.attendant import Attendant

log = structlog.get_logger(__name__)


class LastSound:
    """One holder's side of it. Where nothing is to be kept, or can be, it does nothing."""

    def __init__(self, parts: Parts, row: MeetingRow, epoch: int) -> None:
        self._clock, self._epoch = parts.clock, epoch
        self.log: SoundLog | None = None
        """Where this holder's tracks keep what they hear."""
        self._folder: Path | None = None
        process = parts.settings.process
        root = root_of(process.sound_dir, process.state_dir)
        if row.room is None or parts.engine is None or root is None or not private(root):
            return
        record = urlsplit(parts.settings.database.url.get_secret_value())
        where = f"{record.hostname}:{record.port}{record.path}"  # other records may have the same ids
        self._folder = folder_of(root, where, parts.settings.agent.tenant, row.id)
        self.log = SoundLog(self._folder, epoch)

    async def before_us(self) -> Sequence[KeptTrack]:
        """What a holder that died on this machine had heard."""
        if self._folder is None:
            return ()
        heard = await asyncio.to_thread(kept_sound, self._folder, self._epoch, self._clock.monotonic_s())
        if heard:
            seconds = sum(len(frame.pcm) for track in heard for frame in track.frames) / 32_000
            log.info("sound_found", tracks=len(heard), seconds=round(seconds, 1))
        return heard

    def serve(self, session: Session, attendant: Attendant) -> None:
        """From now on what has become text isn't kept for long."""
        if self.log is None:
            return

        def needed_from_s() -> float | None:
            from_ms = min(attendant.unwritten.values(), default=None)
            return None if from_ms is None else session.zero_s + from_ms / 1000

        self.log.needed_from_s = needed_from_s

    async def taken_up(self) -> None:
        """What was found has been heard again, and is kept by us now."""
        if self._folder is not None:
            await asyncio.to_thread(forget_sound, self._folder, self._epoch)

    def remove(self) -> None:
        """We stop in good order: what we heard is text, or a standby has it."""
        if self.log is not None:
            self.log.remove()

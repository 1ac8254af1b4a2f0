"""The sound logs of killed jobs that nobody takes up: cut into stretches that wait for their text.

A successor on the same machine hears again what a dead job had heard (`takeover`). Once the meeting is over,
or is held elsewhere, no successor comes. Then a worker of the machine has the voice detector find the
stretches, as the job would have, and leaves them as a job does that stops (`worker.record.left_speech`).
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from typing import Final

import structlog

from context.config import ContextConfig
from context.ports import MeetingStore
from stt.backlog import Backlog
from stt.segment import SpeechEngine
from stt.track import Track
from stt.track_events import TrackEvent, Waits
from stt.turn_queue import TurnQueueOptions
from stt.vad import SileroVad, Vad
from worker.clock import Clock
from worker.holder.late_words import UNWRITTEN_TRACK, never_found
from worker.holder.overlap import TAKEOVER_OVERLAP_MS
from worker.participants.tracks import languages_of
from worker.participants.turns import speech_waits
from worker.ports import MeetingRegistry, MeetingRow
from worker.record.late_word_store import LateEvent, LateWordStore
from worker.record.left_speech import Whose
from worker.record.restoring import restore
from worker.record.sound_log import KeptTrack, SoundLog, abandoned

log = structlog.get_logger(__name__)

TAKEN_UP_S: Final = 15.0
"""How long a dead job's log is left to a successor on this machine."""
_OVER_STATUSES: Final = frozenset({"ended", "failed"})
_ANY_EPOCH: Final = 1 << 31
"""Higher than that of any holder: all of them are predecessors."""


class OrphanedSoundLogs:
    """Cuts the sound logs of dead jobs of this machine, for one record and tenant."""

    def __init__(
        self,
        root: Path,
        whose: Callable[[str], Whose],
        engine: SpeechEngine,
        late: LateWordStore,
        *,
        registry: MeetingRegistry,
        record: MeetingStore,
        clock: Clock,
        config: ContextConfig,
        make_vad: Callable[[], Vad] = SileroVad,
    ) -> None:
        """`root`: of all sound logs. `whose` names a meeting of ours, by its id; `engine` is not asked."""
        self._root, self._whose, self._engine = root, whose, engine
        self._store, self._registry, self._record = late, registry, record
        self._clock, self._config, self._make_vad = clock, config, make_vad

    async def cut(self) -> None:
        """Look once, and cut what is ours. Raises `PortError`: the next look goes on."""
        before_s = self._clock.now_utc().timestamp() - TAKEN_UP_S
        for folder, whose in (await asyncio.to_thread(abandoned, self._root, before_s)).items():
            if whose == self._whose(whose.meeting_id):
                await self._cut(folder, whose)

    async def _cut(self, folder: Path, whose: Whose) -> None:
        """Make left speech of a dead job's sound, unless a holder here takes it up or is waited for."""
        row = await self._registry.get(whose.meeting_id)
        if row is not None and not _nobody_here_takes_it_up(row):
            return
        sound = SoundLog(folder, _ANY_EPOCH, whose=whose)
        tracks = await asyncio.to_thread(sound.left_by_predecessors, self._clock.monotonic_s())
        late_events = await self._late_events(whose.meeting_id, tracks, sound) if row is not None else []
        if late_events:
            await self._store.offer(whose.meeting_id, late_events)
        await asyncio.to_thread(sound.remove_predecessors_sound)
        log.info("sound_cut", meeting_id=whose.meeting_id, tracks=len(tracks), found=len(late_events))

    async def _late_events(
        self, meeting_id: str, tracks: Sequence[KeptTrack], sound: SoundLog
    ) -> list[LateEvent]:
        """Leave what the voice detector finds behind the place where each track is on record.

        What was told to wait when the meeting was closed, and is not here, is lost.
        """
        restored = await restore(self._record, meeting_id, self._config)
        meeting = restored.manager.meeting
        if meeting.started_at is None:
            return []
        elapsed_s = (self._clock.now_utc() - meeting.started_at).total_seconds()
        zero_s, coverage = self._clock.monotonic_s() - elapsed_s, meeting.coverage
        track_events: list[TrackEvent] = []
        languages = languages_of(meeting.utterances)
        for kept_track in tracks:
            from_ms = coverage.heard_until.get(kept_track.track_id, TAKEOVER_OVERLAP_MS) - TAKEOVER_OVERLAP_MS
            track = Track(
                kept_track.participant,
                kept_track.track_id,
                self._engine,
                self._make_vad(),
                track_events.append,
                origin_s=zero_s,
                options=TurnQueueOptions(in_flight=0),  # nothing is recognised yet
                backlog=Backlog(inf),
                languages=languages,
                keeper=_Keeper(sound),
            )
            for number, frame in enumerate(kept_track.frames):
                at_ms = round((frame.arrived_s - zero_s) * 1000)
                if at_ms > from_ms:
                    hidden = coverage.off_record(at_ms)
                    track.push(bytes(len(frame.pcm)) if hidden else frame.pcm, frame.arrived_s)
                if number % 20 == 0:
                    await asyncio.sleep(0)
            await track.finish(0)
            await track.aclose()
        late_events: list[LateEvent] = [
            speech_waits(event) for event in track_events if isinstance(event, Waits)
        ]
        for unseen in await self._store.unseen_of(meeting_id, 0):
            if unseen.track_id == UNWRITTEN_TRACK:
                own_s = min(
                    (
                        kept_track.from_s
                        for kept_track in tracks
                        if kept_track.participant == unseen.participant_id
                    ),
                    default=inf,
                )
                from_ms = unseen.end_ms if own_s == inf else round((own_s - zero_s) * 1000)
                late_events.append(never_found(unseen, meeting, from_ms))
        return late_events


class _Keeper:
    """A `SoundKeeper` of sound that is kept already: it only leaves stretches."""

    def __init__(self, sound: SoundLog) -> None:
        self.leave = sound.leave

    def keep(self, participant: str, track_id: str, pcm: bytes, arrived_s: float) -> None:
        """See `SoundKeeper.keep`."""


def _nobody_here_takes_it_up(row: MeetingRow) -> bool:
    here = row.holder is None or row.holder.host == socket.gethostname()
    return row.status in _OVER_STATUSES or not here

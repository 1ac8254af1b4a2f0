"""How a session of this process hears a track."""

from __future__ import annotations

from collections.abc import Callable

from stt.heard import TrackEvent
from stt.segment import SpeechEngine
from stt.track import Track
from stt.vad import SileroVad
from worker.attendant import MakeTrack
from worker.session import Session


def track_maker(engine: SpeechEngine | None, language: str) -> Callable[[Session], MakeTrack] | None:
    """A maker of tracks for any session; None where text comes from elsewhere."""
    if engine is None:
        return None

    def for_session(session: Session) -> MakeTrack:
        def make(participant: str, track_id: str, on_event: Callable[[TrackEvent], None]) -> Track:
            return Track(
                participant,
                track_id,
                engine,
                SileroVad(),
                on_event,
                language=language,
                origin_s=session.zero_s,
            )

        return make

    return for_session

"""How a session of this process hears a track."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stt.heard import TrackEvent
from stt.outage import Outage
from stt.segment import Expectant, SpeechEngine
from stt.track import SoundKeeper, Track
from stt.vad import SileroVad, Vad
from worker.meeting.session import Session
from worker.room.tracks import MakeTrack


def track_maker(
    engine: SpeechEngine | None,
    language: str,
    *,
    make_vad: Callable[[], Vad] = SileroVad,
    keeper: SoundKeeper | None = None,
) -> Callable[[Session], MakeTrack] | None:
    """A maker of tracks for any session; None where text comes from elsewhere.

    `keeper`: keeps what they hear, should this process die before it is text.
    """
    if engine is None:
        return None

    def for_session(session: Session) -> MakeTrack:
        if isinstance(engine, Expectant):
            engine.expect(lambda: (*session.manager.meeting.corrections.terms, *spoken_names(session)))
        outage = Outage()

        def make(participant: str, track_id: str, on_event: Callable[[TrackEvent], None]) -> Track:
            return Track(
                participant,
                track_id,
                engine,
                make_vad(),
                on_event,
                language=language,
                origin_s=session.zero_s,
                on_speech=session.observer.spoke,
                outage=outage,
                keeper=keeper,
            )

        return make

    return for_session


def spoken_names(session: Session) -> Iterator[str]:
    """What the people of a meeting are called: by their whole names, and by the parts of them."""
    for person in session.manager.meeting.attendance.people.values():
        name = person.name.strip()
        yield name
        yield from name.split()
        if len(name) == 3 and all("가" <= letter <= "힣" for letter in name):
            yield name[1:]  # 김민수 is spoken to as 민수

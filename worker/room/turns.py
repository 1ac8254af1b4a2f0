"""Turns the events of tracks into events of the meeting, and shows their interim texts."""

from __future__ import annotations

from collections.abc import Callable

from context import events
from context.speech_ledger import HEARD_LOST
from context.text import one_line
from stt.heard import Heard, Interim, Missed, TrackEvent, Waits, Wordless
from stt.track import Track
from worker.meeting.session import Session
from worker.monitoring.labels import SpeechState
from worker.room.tracks import Own


class Turns:
    """Posts what tracks tell to the session, and keeps count of the interim texts that are shown."""

    def __init__(
        self,
        session: Session,
        own: Own,
        *,
        name_of: Callable[[str], str],
        on_said: Callable[[events.UtteranceSpoken], None],
    ) -> None:
        """`name_of` gives the name of an identity; `on_said` is called with each final, after the session."""
        self._session, self._own = session, own
        self._name_of, self._on_said = name_of, on_said
        self._shown: set[str] = set()
        """Keys of turns whose interim text is shown and not replaced yet."""

    def interim(self, speaker_id: str, key: str, text: str) -> None:
        """Show the text so far of a turn that is being said; without a text: show it no more."""
        session, text = self._session, one_line(text)
        if text:
            self._shown.add(key)
        else:
            self._shown.discard(key)
        self._own(session.outlet.interim(speaker_id, session.segment_id(key), text), name="interim")

    def track_ended(self, track: Track) -> None:
        """Record that a track has told its last words."""
        self._session.post(
            events.TrackEnded(
                participant_id=track.participant, track_id=track.track_id, sound_ms=track.sound_ms
            )
        )

    def from_track(self, event: TrackEvent) -> None:
        """Post an event of a track to the session, or show its interim text."""
        observer = self._session.observer
        match event:
            case Heard() as heard:
                observer.heard(heard.delay_s)
                observer.settled("transcribed", heard.speech_ms)
                self._session.trails.heard(heard.key, heard.moments)
                self.replaced(heard.key)
                spoken = events.UtteranceSpoken(
                    key=heard.key,
                    speaker_id=heard.participant,
                    speaker_name=self._name_of(heard.participant),
                    text=heard.text,
                    start_ms=heard.start_ms,
                    end_ms=heard.end_ms,
                    confidence=heard.confidence,
                    language=heard.language,
                    track_id=heard.track_id,
                    track_end_ms=heard.track_end_ms,
                    speech_ms=heard.speech_ms,
                )
                self._session.post(spoken)
                self._on_said(spoken)
            case Interim(key=key, participant=participant, text=text):
                self.interim(participant, key, text)
            case Missed() as missed:
                self.take_back(missed.participant, missed.key)
                observer.missed(missed.reason)
                state: SpeechState = "lost" if missed.reason in HEARD_LOST else "unheard"
                observer.settled(state, missed.end_ms - missed.start_ms, missed.reason)
                gap = events.GapNoted(
                    participant_id=missed.participant,
                    start_ms=missed.start_ms,
                    end_ms=missed.end_ms,
                    reason=missed.reason,
                    track_id=missed.track_id,
                    track_end_ms=missed.track_end_ms,
                )
                self._session.post(gap)
            case Waits() as waits:
                self.take_back(waits.participant, waits.key)
                self._session.post(speech_waits(waits))
            case Wordless() as wordless:
                self.take_back(wordless.participant, wordless.key)
                observer.settled("wordless", wordless.end_ms - wordless.start_ms)
                noted = events.SpeechWordless(
                    participant_id=wordless.participant,
                    start_ms=wordless.start_ms,
                    end_ms=wordless.end_ms,
                    track_id=wordless.track_id,
                    track_end_ms=wordless.track_end_ms,
                )
                self._session.post(noted)

    def replaced(self, key: str) -> None:
        """Note that a turn's final has come, which replaces its interim text."""
        self._shown.discard(key)

    def take_back(self, speaker_id: str, key: str | None) -> None:
        """Show a turn's interim text no more, since no final will come; `key` None: there is none."""
        if key is not None and key in self._shown:
            self.interim(speaker_id, key, "")


def speech_waits(event: Waits) -> events.SpeechWaits:
    """Make the event of the meeting that a stretch waits for its text."""
    return events.SpeechWaits(
        key=event.key,
        participant_id=event.participant,
        start_ms=event.start_ms,
        end_ms=event.end_ms,
        track_id=event.track_id,
        track_end_ms=event.track_end_ms,
    )

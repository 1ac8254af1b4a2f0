"""Turns the events of tracks into events of the meeting, and shows their interim texts."""

from __future__ import annotations

from collections.abc import Callable

from context.erasure.erased_record import withheld
from context.events import events
from context.people.speech_ledger import HEARD_LOST
from context.primitives.text import one_line
from stt.track import Track
from stt.track_events import Heard, Interim, Missed, TrackEvent, Waits, Wordless
from worker.meeting.session import Session
from worker.monitoring.metric_labels import SpeechState
from worker.participants.tracks import Own


class Turns:
    """Posts what tracks tell to the session, and keeps count of the interim texts that are shown."""

    def __init__(
        self,
        session: Session,
        own: Own,
        *,
        name_of: Callable[[str], str],
        may_show: Callable[[str], bool],
        on_said: Callable[[events.UtteranceSpoken], None],
    ) -> None:
        """`name_of` gives the name of an identity; `on_said` is called with each final, after the session.

        `may_show`: whether somebody's words under way may be shown. Not if they refuse, nor off the record.
        """
        self._session, self._own = session, own
        self._name_of, self._on_said, self._may_show = name_of, on_said, may_show
        self._shown: dict[str, str] = {}
        """Keys of turns whose interim text is shown and not replaced yet → their speakers."""
        self._newest: dict[str, tuple[str, int]] = {}
        """Keys of turns of which an interim is being sent → what is to be shown after it, if anything."""
        self._sending: set[str] = set()

    def interim(self, speaker_id: str, key: str, text: str, firm: int = 0) -> None:
        """Show the text so far of a turn that is being said; without a text: show it no more.

        One follows the other. What is outrun by a newer one, or by the turn's final, is not shown.
        """
        whole_text = text
        text, firm = self._session.as_shown(whole_text, firm)
        if one_line(whole_text) and not (text and self._may_show(speaker_id)):
            self.take_back(speaker_id, key)
            return
        if text:
            self._shown[key] = speaker_id
        else:
            self._shown.pop(key, None)
        if key in self._sending:
            self._newest[key] = (text, firm)
        else:
            self._sending.add(key)
            self._own(self._send(speaker_id, key, text, firm), name="interim")

    async def _send(self, speaker_id: str, key: str, text: str, firm: int) -> None:
        segment_id = self._session.segment_id(key)
        try:
            await self._session.outlet.interim(speaker_id, segment_id, text, firm)
            while (newest := self._newest.pop(key, None)) is not None:
                await self._session.outlet.interim(speaker_id, segment_id, *newest)
        finally:
            self._sending.discard(key)
            self._newest.pop(key, None)

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
                observer.transcribed(heard.delay_s)
                observer.settled("transcribed", heard.speech_ms)
                self._session.latencies.heard(heard.key, heard.moments)
                spoken = utterance_of(heard, self._name_of(heard.participant))
                if withheld(self._session.manager.meeting, spoken).text:
                    self.replaced(heard.key)
                else:
                    self.take_back(heard.participant, heard.key)
                self._session.post(spoken)
                self._on_said(spoken)
            case Interim(key=key, participant=participant, text=text, firm=firm, after_s=after_s):
                if after_s is not None:
                    observer.first_text(after_s)
                self.interim(participant, key, text, firm)
            case Missed() as missed:
                self.take_back(missed.participant, missed.key)
                observer.missed(missed.reason)
                state: SpeechState = "lost" if missed.reason in HEARD_LOST else "unheard"
                observer.settled(state, missed.end_ms - missed.start_ms, missed.reason)
                self._session.post(gap_of(missed))
            case Waits() as waits:
                self.take_back(waits.participant, waits.key)
                self._session.post(speech_waits(waits))
            case Wordless() as wordless:
                self.take_back(wordless.participant, wordless.key)
                observer.settled("wordless", wordless.end_ms - wordless.start_ms)
                self._session.post(wordless_of(wordless))

    def replaced(self, key: str) -> None:
        """Note that a turn's final has come, which replaces its interim text."""
        self._shown.pop(key, None)
        self._newest.pop(key, None)

    def take_back_of(self, speaker_id: str) -> None:
        """Show no words under way of somebody any more."""
        for key in [key for key, who in self._shown.items() if who == speaker_id]:
            self.take_back(speaker_id, key)

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


def utterance_of(heard: Heard, name: str) -> events.UtteranceSpoken:
    """The event of a stretch that has become text; `name`: its speaker's, "" for the one that is known."""
    return events.UtteranceSpoken(
        key=heard.key,
        speaker_id=heard.participant,
        speaker_name=name,
        text=heard.text,
        start_ms=heard.start_ms,
        end_ms=heard.end_ms,
        confidence=heard.confidence,
        language=heard.language,
        track_id=heard.track_id,
        track_end_ms=heard.track_end_ms,
        speech_ms=heard.speech_ms,
        doubtful=heard.doubtful,
    )


def gap_of(missed: Missed, key: str | None = None) -> events.GapNoted:
    """The event of sound that will never become text; `key`: of the stretch, where that was told to wait."""
    return events.GapNoted(
        participant_id=missed.participant,
        start_ms=missed.start_ms,
        end_ms=missed.end_ms,
        reason=missed.reason,
        track_id=missed.track_id,
        track_end_ms=missed.track_end_ms,
        key=key,
    )


def wordless_of(wordless: Wordless, key: str | None = None) -> events.SpeechWordless:
    """The event of a stretch without words; `key`: as of `gap_of`."""
    return events.SpeechWordless(
        participant_id=wordless.participant,
        start_ms=wordless.start_ms,
        end_ms=wordless.end_ms,
        track_id=wordless.track_id,
        track_end_ms=wordless.track_end_ms,
        key=key,
    )

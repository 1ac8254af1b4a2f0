"""Holders of a meeting of words, one after the other, and what is on its record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context.events import events
from context.events.privacy_events import RecordingPaused, RecordingResumed
from stt.track import SoundKeeper, Track
from stt.track_events import Heard, Missed, TrackEvent
from tests.fakes.meeting import World
from tests.fakes.speech import LevelVad
from tests.unit.worker.holder.word_sound import WordEngine, speak
from worker.holder.overlap import TAKEOVER_OVERLAP_MS, TakeoverOverlap
from worker.holder.standby_listener import OnRecord, StandbyListener
from worker.meeting.session import Session
from worker.participants.listener import Sink
from worker.participants.tracks import MakeTrack, track_maker
from worker.ports import MeetingRow
from worker.record.sound_log import KeptTrack

ROW = MeetingRow(id="m-test", room="회의실", status="live")


class Holder:
    """What an attendant does with a track, and nothing else. Implements `Listener` as far as it goes."""

    def __init__(self, session: Session, make: MakeTrack) -> None:
        self._session, self._make = session, make
        self.tracks: dict[str, Track] = {}
        self.people: list[str] = []
        self.log: list[tuple[str, ...]] = []
        self.alive = True

    def joined(self, identity: str, _name: str) -> None:
        self.people.append(identity)

    def left(self, identity: str) -> None:
        self.people.remove(identity)

    def may_hear(self, _identity: str) -> bool:
        return True

    async def consent_known(self, _identity: str) -> None:
        """Everybody may be heard."""

    def track_opened(self, identity: str, track_id: str) -> Sink:
        if track_id not in self.tracks:
            self.tracks[track_id] = self._make(identity, track_id, self._tell)
        return self.tracks[track_id]

    def track_muted(self, track_id: str) -> None:
        self.tracks[track_id].flush()

    def track_closed(self, track_id: str) -> None:
        self.tracks[track_id].flush()

    def chat(self, message_id: str, identity: str, _name: str, text: str, **_how: object) -> None:
        self.log.append(("chat", message_id, identity, text))

    def agent_text(self, message_id: str, *_: Any, **__: Any) -> None:
        self.log.append(("agent", message_id))

    def chat_left_out(self, identity: str) -> None:
        self.log.append(("left out", identity))

    def outranked(self, epoch: int) -> None:
        self.log.append(("outranked", str(epoch)))

    def connection(self, *, up: bool) -> None:
        self.log.append(("connection", str(up)))

    def closed(self, reason: str) -> None:
        self.log.append(("closed", reason))

    def _tell(self, event: TrackEvent) -> None:
        if not self.alive or not isinstance(event, Heard | Missed):
            return
        place = {name: getattr(event, name) for name in ("start_ms", "end_ms", "track_id", "track_end_ms")}
        match event:
            case Heard(key=key, participant=who, text=text):
                said = events.UtteranceSpoken(key=key, speaker_id=who, speaker_name=who, text=text, **place)
                self._session.post(said)
            case Missed(participant=who, reason=reason):
                self._session.post(events.GapNoted(participant_id=who, reason=reason, **place))

    async def die(self) -> None:
        self.alive = False
        for track in self.tracks.values():
            await track.aclose()


def maker(
    session: Session,
    words: list[str],
    delay_s: float,
    *,
    overlap: TakeoverOverlap | None = None,
    keeper: SoundKeeper | None = None,
) -> MakeTrack:
    """Tracks as a job makes them."""
    made = track_maker(
        session,
        WordEngine(words, delay_s),
        "auto",
        make_vad=LevelVad,
        keeper=keeper,
        cut=(overlap or TakeoverOverlap(session, ROW, fresh=True)).cut,
    )
    assert made is not None
    return made


def on_record(world: World) -> OnRecord:
    meeting = world.session.manager.meeting
    return OnRecord(
        zero_s=world.session.zero_s,
        resume_ms={
            track: until - TAKEOVER_OVERLAP_MS for track, until in meeting.coverage.heard_until.items()
        },
        off_record=meeting.coverage.off_record,
        holder_until_s=0.0,
    )


async def off_the_record(world: World, sink: Sink, track: Track | None = None) -> None:
    """Two words are said, two off the record, and two again."""
    await speak(sink, 0, 1)
    world.session.post(RecordingPaused(by="ben", at_ms=world.session.now_ms()))
    if track is not None:
        track.pause()
    await speak(sink, 2, 3)
    world.session.post(RecordingResumed(by="ben", at_ms=world.session.now_ms()))
    if track is not None:
        track.resume()
    await speak(sink, 4, 5)


async def followed(
    world: World,
    standby: StandbyListener,
    words: list[str],
    kept: Sequence[KeptTrack] = (),
    keeper: SoundKeeper | None = None,
) -> Holder:
    """The standby's successor, which has transcribed all that it took over."""
    successor = Holder(world.session, maker(world.session, words, 0.0, keeper=keeper))
    await standby.hand_to(successor, on_record(world), kept)
    await successor.tracks["TR_1"].finish(30)
    await world.settle()
    return successor


def said_in(world: World) -> list[str]:
    return " ".join(u.text for u in world.session.manager.meeting.utterances).split()

"""The audio tracks of a meeting's room: a `Track` for each, from its first sound to its last words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import cache
from math import inf
from typing import Any, Final, Protocol

from context.models import Utterance
from stt.backlog import KEPT_MB, Backlog
from stt.outage import Outage
from stt.segment import SpeechEngine
from stt.spoken_language import SpokenLanguages, evidence_of
from stt.spoken_terms import Terms, no_terms
from stt.track import SoundKeeper, Track
from stt.track_events import TrackEvent
from stt.turn_queue import Means
from stt.vad import SileroVad, Vad
from worker.meeting.session import Session
from worker.participants.encrypted_tracks import EncryptedTracks
from worker.participants.listener import Sink

_FOLLOWED_UTTERANCES: Final = 200
"""How many utterances say which languages a meeting speaks; older ones have faded."""
LAST_WORDS_DEADLINE_S: Final = 8.0
"""How long the words of a meeting's last tracks are waited for at its end."""

Tell = Callable[[TrackEvent], None]
"""Takes the events of a track."""
MakeTrack = Callable[[str, str, Tell], Track]
"""(participant, track id, what takes its events) -> a new track."""
Cut = Callable[[str, str, Tell], Tell]
"""(participant, track id, what takes its events) -> the same, without what is on record since a takeover."""


class Own(Protocol):
    """Port that runs work in a task of its own, which ends with the meeting."""

    def __call__(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[None]:
        """Start the work; returns its task."""


class _Deaf:
    """A `Sink` that drops all sound."""

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """See `Sink.push`."""


DEAF_LISTENER: Final = _Deaf()
"""A sink for sound that nobody is to hear: no consent, or a meeting that transcribes nothing."""


class Tracks:
    """The tracks of a room: those that are open, and those that have ended and wait for their last words."""

    def __init__(
        self,
        make: MakeTrack | None,
        *,
        on_event: Tell,
        on_end: Callable[[Track], None],
        own: Own,
        encrypted: EncryptedTracks | None = None,
    ) -> None:
        """`make` None: nothing is transcribed here. `on_end` gets each track after its last words.

        `encrypted`: those that cannot be understood (None: there are none); they end as others do.
        """
        self._make, self._on_event, self._on_end, self._own = make, on_event, on_end, own
        self.encrypted = encrypted
        self._open: dict[str, Track] = {}
        self._ending: dict[Track, asyncio.Task[None]] = {}
        self.forget_sound: Callable[[Means], None] = lambda _means: None
        """Has sound gone that is kept elsewhere, should this process die."""

    # ---- how far they are ---------------------------------------------------------------------

    @property
    def backlog_s(self) -> float:
        """Seconds of speech that wait for their text."""
        return sum(track.queue.backlog_s for track in self._all())

    @property
    def trouble(self) -> str:
        """What keeps the engine from transcribing now; empty where nothing does."""
        return next((track.queue.trouble for track in self._all() if track.queue.trouble), "")

    @property
    def behind_ms(self) -> int:
        """How long ago the oldest speech on an open track began that is no text yet; 0: there is none."""
        return max((track.behind_ms for track in self._open.values()), default=0)

    @property
    def unwritten(self) -> dict[str, int]:
        """Where each participant's oldest speech begins that is neither text nor a gap yet, in ms."""
        from_ms_of: dict[str, int] = {}
        for track in self._all():
            if track.behind_ms:
                from_ms = track.heard_until_ms
                from_ms_of[track.participant] = min(from_ms_of.get(track.participant, from_ms), from_ms)
        for who, from_ms in self.encrypted.unwritten if self.encrypted is not None else ():
            from_ms_of[who] = min(from_ms_of.get(who, from_ms), from_ms)
        return from_ms_of

    # ---- their life ---------------------------------------------------------------------------

    def opened(self, participant: str, track_id: str, *, paused: bool) -> Sink:
        """Open a track, unless it is open; returns what takes its sound. `paused`: off the record for now."""
        if self._make is None:
            return DEAF_LISTENER
        if track_id not in self._open:
            track = self._make(participant, track_id, self._on_event)
            if paused:
                track.pause()
            self._open[track_id] = track
        return self._open[track_id]

    def participant_of(self, track_id: str) -> str | None:
        """Give the identity of whose open track this is; None: it is not open."""
        track = self._open.get(track_id)
        return None if track is None else track.participant

    def muted(self, track_id: str) -> None:
        """End what is being said on a track: its microphone was muted."""
        if (track := self._open.get(track_id)) is not None:
            track.flush()

    def closed(self, track_id: str) -> None:
        """Take no more sound of a track; its last words are waited for in a task."""
        if self.encrypted is not None:
            self.encrypted.closed(track_id)
        if (track := self._open.pop(track_id, None)) is not None:
            task = self._ending[track] = self._own(self._finish(track), name=f"finish:{track_id}")
            task.add_done_callback(lambda _: self._ending.pop(track))

    def close_of(self, participant: str) -> None:
        """Close all tracks of somebody who has left."""
        if self.encrypted is not None:
            self.encrypted.left(participant)
        for track_id in [id_ for id_, track in self._open.items() if track.participant == participant]:
            self.closed(track_id)

    def pause(self) -> None:
        """Hear nothing on any open track until `resume`."""
        for track in self._open.values():
            track.pause()

    def resume(self) -> None:
        """Hear again what is said from now on."""
        for track in self._open.values():
            track.resume()

    async def last_words(self, within_s: float = LAST_WORDS_DEADLINE_S) -> None:
        """Close all tracks and wait until what was said is text or a gap, `within_s` seconds at most."""
        if self.encrypted is not None:
            self.encrypted.note()
        for track_id in list(self._open):
            self.closed(track_id)
        await asyncio.sleep(0)  # those closed just now have begun to finish
        for track in self._ending:
            track.queue.hurry(within_s)
        if self._ending:
            await asyncio.wait(list(self._ending.values()), timeout=within_s + 1)

    def leave(self) -> None:
        """Leave what has no text to whoever finds it kept, and tell nothing; `aclose` follows."""
        for track in self._all():
            track.leave()

    def forget(self, means: Means) -> None:
        """Have nothing more recognised of what is meant, and its sound gone."""
        for track in self._all():
            track.forget(means)
        self.forget_sound(means)

    async def aclose(self) -> None:
        """Drop all tracks, without waiting for their words."""
        for track in self._open.values():
            await track.aclose()
        self._open.clear()

    async def _finish(self, track: Track) -> None:
        try:
            await track.finish(inf)  # until the meeting ends, which hurries it
            self._on_end(track)
        finally:
            await track.aclose()

    def _all(self) -> Iterator[Track]:
        yield from self._open.values()
        yield from self._ending


def track_maker(
    session: Session,
    engine: SpeechEngine | None,
    language: str,
    *,
    make_vad: Callable[[], Vad] = SileroVad,
    keeper: SoundKeeper | None = None,
    kept_mb: float = KEPT_MB,
    cut: Cut = lambda _participant, _track_id, tell: tell,
    terms: Terms = no_terms,
) -> MakeTrack | None:
    """Make what makes a session's tracks; None without an engine, where text comes from elsewhere.

    `keeper` keeps what is heard, should this process die before it is text; `kept_mb` is how much sound may
    wait for its text. `cut`: see `worker.holder.overlap.TakeoverOverlap.cut`. `terms`: see
    `stt.spoken_terms.Terms`.
    """
    if engine is None:
        return None
    outage, backlog = Outage(), Backlog(kept_mb)
    languages = cache(
        lambda: languages_of(session.manager.meeting.utterances)
    )  # all is folded by its first track

    def make(participant: str, track_id: str, tell: Tell) -> Track:
        return Track(
            participant,
            track_id,
            engine,
            make_vad(),
            cut(participant, track_id, tell),
            language=language,
            origin_s=session.zero_s,
            on_speech=session.observer.spoke,
            outage=outage,
            backlog=backlog,
            languages=languages(),
            keeper=keeper,
            terms=terms,
        )

    return make


def languages_of(utterances: Sequence[Utterance]) -> SpokenLanguages:
    """Follow the languages of a meeting on from its newest utterances, as a successor does."""
    languages = SpokenLanguages()
    for utterance in utterances[-_FOLLOWED_UTTERANCES:]:
        if utterance.language is not None:
            voice_ms = utterance.end_ms - utterance.start_ms
            languages.hear(
                utterance.speaker_id, evidence_of(utterance.language, voice_ms, utterance.confidence)
            )
    return languages

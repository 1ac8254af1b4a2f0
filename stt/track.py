"""One participant's track: frames of sound in, turns of text out, in order, whatever the engine does.

Theory of operation. `push` is synchronous and cheap: a frame gets its place on the timeline, and the
`SpeechDetector` says where somebody speaks. The stretches it finds wait in a `TurnQueue` for the engine.
Times of sound are data (`arrived_s`); only the deadlines of the queue run on the event loop's clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from context.models import GapReason
from stt.backlog import Backlog
from stt.endpointer import Endpointer, SpeechEnded, SpeechSound, SpeechStarted, StretchEvent
from stt.outage import Outage
from stt.segment import SAMPLE_RATE_HZ, SpeechEngine
from stt.spoken_language import SpokenLanguages
from stt.spoken_terms import Terms, no_terms
from stt.timeline import Arrivals, TrackTimeline
from stt.track_events import LeftStretch, TrackEvent
from stt.turn_queue import Means, QueuedTurn, TurnQueue, TurnQueueOptions
from stt.vad import SpeechDetector, Vad


class SoundKeeper(Protocol):
    """Port of a place where sound outlives its process, so that a successor can hear it again."""

    def keep(self, participant: str, track_id: str, pcm: bytes, arrived_s: float) -> None:
        """Keep one frame as `Track.push` got it; what is off the record comes as silence of its length.

        Never raises and never waits.
        """

    def leave(self, left: LeftStretch) -> bool:
        """Keep a stretch that has no text when its holder stops; False where that cannot be. Never raises."""


class Track:
    """Turns one audio track into turns. Owns its tasks: `finish` waits for them, `aclose` ends them."""

    def __init__(
        self,
        participant: str,
        track_id: str,
        engine: SpeechEngine,
        vad: Vad,
        on_event: Callable[[TrackEvent], None],
        *,
        language: str = "auto",
        origin_s: float = 0.0,
        endpointer: Endpointer | None = None,
        options: TurnQueueOptions | None = None,
        on_speech: Callable[[int], None] = lambda _speech_ms: None,
        outage: Outage | None = None,
        backlog: Backlog | None = None,
        languages: SpokenLanguages | None = None,
        keeper: SoundKeeper | None = None,
        terms: Terms = no_terms,
    ) -> None:
        """`origin_s` is the meeting's zero, on the clock of `push`'s `arrived_s`.

        `on_event` is called on the event loop: outcomes (`Heard`, `Missed`, `Wordless`) in the order
        of the sound, interims in between. `vad` is this track's own; `keeper` gets each frame.
        `language`, `options`, `on_speech`, `outage`, `backlog`, `languages`, `terms`: see `TurnQueue`.
        """
        self.participant = participant
        self.track_id = track_id
        self.queue = TurnQueue(
            participant,
            track_id,
            engine,
            on_event,
            language=language,
            options=options,
            on_speech=on_speech,
            outage=outage,
            backlog=backlog,
            languages=languages,
            leave=keeper.leave if keeper is not None else None,
            terms=terms,
        )
        self._keeper = keeper
        self._origin_s = origin_s
        self._timeline = TrackTimeline()
        self._arrivals = Arrivals()
        self._detector = SpeechDetector(vad, endpointer)
        self._growing: QueuedTurn | None = None
        self._last_start_ms = -1
        self._paused = False
        self._paused_from_ms: int | None = None
        """Where the sound begins that the pause has dropped; None: no pause, or no sound since it began."""
        self._closed = False
        self._sound_samples = 0

    @property
    def sound_ms(self) -> int:
        """How much sound came while the record was on; digital silence (a muted microphone) doesn't count."""
        return self._sound_samples * 1000 // SAMPLE_RATE_HZ

    @property
    def heard_until_ms(self) -> int:
        """The ms of the meeting up to which everything has become text or a gap, or was silence."""
        outstanding_ms = self.queue.outstanding_from_ms
        return self._timeline.now_ms if outstanding_ms is None else outstanding_ms

    @property
    def behind_ms(self) -> int:
        """How long ago the oldest speech began that is no text yet; 0 where there is none."""
        return max(0, self._timeline.now_ms - self.heard_until_ms)

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """Take one frame of PCM, of any length, whose last sample arrived at `arrived_s`.

        Ignored after `finish` or `aclose`.
        """
        if self._closed:
            return
        if self._keeper is not None:
            sound = bytes(len(pcm)) if self._paused else pcm
            self._keeper.keep(self.participant, self.track_id, sound, arrived_s)
        sample = self._timeline.samples
        hole = self._timeline.observe(len(pcm) // 2, (arrived_s - self._origin_s) * 1000)
        if hole is not None:
            self.flush()
            if not self._paused:
                self._miss(hole.start_ms, hole.end_ms, "track_lost")
        if self._paused:
            if self._paused_from_ms is None:
                self._paused_from_ms = self._timeline.ms_at(sample)
            return
        if pcm.count(0) < len(pcm):  # a muted microphone is not one that nobody hears
            self._sound_samples += len(pcm) // 2
        self._arrivals.note(self._timeline.samples, arrived_s)
        self._fold(self._detector.push(sample, pcm))

    def flush(self) -> None:
        """End the growing stretch now (its speaker was muted, or left), with all its sound."""
        self._fold(self._detector.flush())

    def pause(self) -> None:
        """Go off the record: sound from here on is dropped unheard. What was said before becomes text."""
        if not self._paused:
            self.flush()
            self._paused = True

    def resume(self) -> None:
        """Go on the record again; what `pause` dropped is told as a gap (`off_record`)."""
        self._paused = False
        if self._paused_from_ms is not None:
            start_ms, self._paused_from_ms = self._paused_from_ms, None
            self._miss(start_ms, self._timeline.now_ms, "off_record")

    async def finish(self, deadline_s: float = 20.0) -> None:
        """End the track and wait for the text of its last words; what is late is left, or told as a gap."""
        if self._closed:
            return
        self.flush()
        self.resume()
        self._closed = True
        await self.queue.finish(deadline_s)

    def leave(self) -> None:
        """Leave what has no text to whoever finds it kept, and tell nothing; `aclose` follows."""
        self.flush()
        self._closed = True
        self.queue.leave()

    def forget(self, means: Means) -> None:
        """Have nothing more recognised of what is meant, which becomes a gap."""
        if self._growing is not None and means(
            self.participant, self._growing.start_ms, self._timeline.now_ms
        ):
            self.flush()
        self.queue.forget(means)

    async def aclose(self) -> None:
        """Stop at once and tell no more: what waits for text becomes neither text nor gap."""
        self._closed = True
        self._growing = None
        await self.queue.aclose()

    def _miss(self, start_ms: int, end_ms: int, reason: GapReason) -> None:
        if end_ms > start_ms:
            self.queue.note_gap(start_ms, end_ms, reason)

    def _fold(self, events: list[StretchEvent]) -> None:
        ms_at, arrived_s = self._timeline.ms_at, self._arrivals.of
        for event in events:
            match event:
                case SpeechStarted(sample, voiced_sample):
                    start_ms = max(ms_at(voiced_sample), self._last_start_ms + 1)  # keys are made of it
                    self._last_start_ms = start_ms
                    sound_ms, began_s = min(start_ms, ms_at(sample)), arrived_s(voiced_sample)
                    self._growing = self.queue.join(sound_ms, start_ms, began_s=began_s)
                case SpeechSound(pcm) if self._growing is not None:
                    self.queue.grow(self._growing, pcm)
                case SpeechEnded(sample, voiced_sample) if self._growing is not None:
                    turn, self._growing = self._growing, None
                    turn.voice_s, turn.frame_s = arrived_s(voiced_sample), arrived_s(sample)
                    self.queue.end(turn, ms_at(voiced_sample), ms_at(sample))

"""One participant's track: frames in, turns out, in order, whatever the engine does.

Theory of operation. `push` is synchronous and cheap: a frame gets its place on the timeline, and the
`SpeechDetector` says where somebody speaks. The stretches it finds stand in a `TurnQueue` for the engine.
Times of sound are data (`arrived_s`); only the deadlines of the line run on the event loop's clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from context.models import GapReason
from stt.heard import TrackEvent
from stt.outage import Outage
from stt.segment import SAMPLE_RATE_HZ, SpeechEngine
from stt.segmenter import Segmenter, SpeechEnded, SpeechEvent, SpeechSound, SpeechStarted
from stt.timeline import Arrivals, TrackTimeline
from stt.turn_queue import LineOptions, QueuedTurn, TurnQueue
from stt.vad import SpeechDetector, Vad


class SoundKeeper(Protocol):
    """Where sound outlives its process: whoever goes on hears again what was no text yet."""

    def keep(self, participant: str, track_id: str, pcm: bytes, arrived_s: float) -> None:
        """One frame, as `Track.push` got it; of what is off the record the length alone, as silence.

        Never raises and never waits.
        """


class Track:
    """Hears one track. Owns its tasks: `finish` waits for them, `aclose` ends them."""

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
        segmenter: Segmenter | None = None,
        options: LineOptions | None = None,
        on_speech: Callable[[int], None] = lambda _speech_ms: None,
        outage: Outage | None = None,
        keeper: SoundKeeper | None = None,
    ) -> None:
        """`origin_s`: the meeting's zero, on the clock of `push`'s `arrived_s`.

        `on_event` is called on the event loop: outcomes (`Heard`, `Missed`, `Nothing`) in the order
        of the sound, interims in between. `vad` is this track's own. `on_speech`, `outage`: see `TurnQueue`.
        """
        self.participant = participant
        self.track_id = track_id
        self.line = TurnQueue(
            participant,
            track_id,
            engine,
            on_event,
            language=language,
            options=options,
            on_speech=on_speech,
            outage=outage,
        )
        self._keeper = keeper
        self._origin_s = origin_s
        self._timeline = TrackTimeline()
        self._arrivals = Arrivals()
        self._detector = SpeechDetector(vad, segmenter)
        self._growing: QueuedTurn | None = None
        self._last_start_ms = -1
        self._paused = False
        self._paused_from_ms: int | None = None
        """None also where nothing has come since the pause began."""
        self._closed = False
        self._sound_samples = 0

    @property
    def sound_ms(self) -> int:
        """Sound that came while the record was on, digital silence apart."""
        return self._sound_samples * 1000 // SAMPLE_RATE_HZ

    @property
    def heard_until_ms(self) -> int:
        """Everything before this has become text or a gap, or was silence."""
        outstanding_ms = self.line.outstanding_from_ms
        return self._timeline.now_ms if outstanding_ms is None else outstanding_ms

    @property
    def behind_ms(self) -> int:
        """How old the oldest sound is that is no text yet; 0 where none waits and nobody speaks."""
        return max(0, self._timeline.now_ms - self.heard_until_ms)

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """One frame (16 kHz mono s16le, of any length) whose last sample arrived at `arrived_s`.

        After `finish` or `aclose`: ignored.
        """
        if self._closed:
            return
        if self._keeper is not None:
            kept = bytes(len(pcm)) if self._paused else pcm
            self._keeper.keep(self.participant, self.track_id, kept, arrived_s)
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
        """End the growing stretch now (muted, left): nothing of its sound is lost."""
        self._fold(self._detector.flush())

    def pause(self) -> None:
        """Off the record from here: what comes is dropped unheard. What was said before counts."""
        if not self._paused:
            self.flush()
            self._paused = True

    def resume(self) -> None:
        """The record goes on; what was dropped is a gap."""
        self._paused = False
        if self._paused_from_ms is not None:
            start_ms, self._paused_from_ms = self._paused_from_ms, None
            self._miss(start_ms, self._timeline.now_ms, "off_record")

    async def finish(self, deadline_s: float = 20.0) -> None:
        """No more sound comes: flush the last words and wait for them; what is late is a gap."""
        if self._closed:
            return
        self.flush()
        self.resume()
        self._closed = True
        await self.line.finish(deadline_s)

    async def aclose(self) -> None:
        """Stop at once and say no more: what is outstanding is neither text nor gap."""
        self._closed = True
        self._growing = None
        await self.line.aclose()

    def _miss(self, start_ms: int, end_ms: int, reason: GapReason) -> None:
        if end_ms > start_ms:
            self.line.note_gap(start_ms, end_ms, reason)

    def _fold(self, events: list[SpeechEvent]) -> None:
        ms_at, arrived_s = self._timeline.ms_at, self._arrivals.of
        for event in events:
            match event:
                case SpeechStarted(sample, voiced_sample):
                    start_ms = max(ms_at(voiced_sample), self._last_start_ms + 1)  # keys are made of it
                    self._last_start_ms = start_ms
                    self._growing = self.line.join(min(start_ms, ms_at(sample)), start_ms)
                case SpeechSound(pcm) if self._growing is not None:
                    self.line.grow(self._growing, pcm)
                case SpeechEnded(sample, voiced_sample) if self._growing is not None:
                    turn, self._growing = self._growing, None
                    turn.voice_s, turn.frame_s = arrived_s(voiced_sample), arrived_s(sample)
                    self.line.end(turn, ms_at(voiced_sample), ms_at(sample))

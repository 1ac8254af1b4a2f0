"""The queue in which a track's stretches wait for text: begun in order, done in any order, told in order.

The first few that have no outcome are with the engine (they may still grow); the rest wait. A
stretch leaves only from the head of the queue, once its outcome is known: text, no words, or a gap.
So a stretch that fails or hangs costs itself alone, and nobody's words change places. One that is in
trouble waits again, and others go meanwhile. Sound that waits is bounded for the meeting as a whole
(`stt.backlog`): beyond the bound the oldest waiting stretch becomes a gap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log10

import structlog

from context.models import GapReason
from stt.assembler import TurnSpan, assemble
from stt.backlog import Backlog
from stt.loudness import power
from stt.outage import Outage
from stt.segment import Segment, SpeechEngine
from stt.sound import Sound
from stt.spoken_language import SpokenLanguages, evidence_of
from stt.spoken_terms import Terms, no_terms
from stt.track_events import Heard, Interim, LeftStretch, Missed, Moments, TrackEvent, Waits, Wordless
from stt.transcription import GaveUp, Patience, Transcription, TryLater

_log = structlog.get_logger(__name__)
_SILENCE_DBFS = -96.0
_LOOK_S = 0.5
"""How often `finish` looks whether `hurry` has moved its deadline."""
_CANCEL_GRACE_S = 2.0
"""An engine that swallows its cancellation must not hold up the end of a meeting."""


Means = Callable[[str, int, int], bool]
"""(participant, start, end in ms of the meeting) -> whether what was said then is meant."""


@dataclass(frozen=True, slots=True)
class TurnQueueOptions:
    """How much of a track is transcribed at once, and how long that may take."""

    in_flight: int = 2
    """Stretches with the engine at once."""
    patience: Patience = field(default_factory=Patience)


@dataclass(eq=False, slots=True)
class QueuedTurn:
    """One place in the queue: a stretch, or a hole in the sound. Times in ms of the meeting."""

    key: str
    """`participant:track@start_ms` of a stretch; empty for a hole."""
    sound_ms: int
    """Where its sound begins, pre-roll included."""
    start_ms: int
    """Where the voice begins."""
    end_ms: int
    """Where the voice ends; `start_ms` while the stretch grows."""
    track_end_ms: int
    """Where its sound ends."""
    began_s: float | None = None
    """When its first voice arrived, on the event loop's clock; None: not known, or text is shown already."""
    voice_s: float | None = None
    """See `Moments`."""
    frame_s: float | None = None
    """See `Moments`."""
    sound: Sound = field(default_factory=Sound)
    transcription: Transcription | None = None
    """Its attempts so far; None before its turn has come."""
    task: asyncio.Task[None] | None = None
    """What transcribes it now; None before its turn has come, and between two attempts."""
    pauses: bool = False
    """Whether it is in trouble, and not to be tried again yet."""
    given_up: GapReason | None = None
    """Why it will not be transcribed; None: it will."""
    outcome: TrackEvent | None = None
    """What became of it; None until that is known."""

    @property
    def speech_ms(self) -> int:
        """How long its voice was; 0 until the stretch has ended, and for a hole."""
        return self.end_ms - self.start_ms if self.key and self.sound.ended else 0

    @property
    def waits(self) -> bool:
        """Whether it still has to be transcribed and is not with the engine yet."""
        return self.task is None and self.outcome is None and self.given_up is None


class TurnQueue:
    """One track's queue. Owns the tasks that transcribe: `finish` waits for them, `aclose` ends them."""

    def __init__(
        self,
        participant: str,
        track_id: str,
        engine: SpeechEngine,
        on_event: Callable[[TrackEvent], None],
        *,
        language: str = "auto",
        options: TurnQueueOptions | None = None,
        on_speech: Callable[[int], None] = lambda _speech_ms: None,
        outage: Outage | None = None,
        backlog: Backlog | None = None,
        languages: SpokenLanguages | None = None,
        leave: Callable[[LeftStretch], bool] | None = None,
        terms: Terms = no_terms,
    ) -> None:
        """`on_event` gets each outcome, and interims; `language` is `ko`, `en` or `auto`; `terms`: see there.

        `on_speech` is told the length of each stretch's voice in ms, once that has ended.
        `outage`, `backlog` and `languages` are shared by all queues of a meeting. `leave` keeps a stretch
        that has no text when the queue ends; False: it cannot be kept, and becomes a gap.
        """
        self._participant, self._track_id = participant, track_id
        self._engine, self._language, self._terms = engine, language, terms
        self._on_event, self._on_speech = on_event, on_speech
        self._options = options or TurnQueueOptions()
        self._outage, self._backlog, self._leave = outage or Outage(), backlog or Backlog(), leave
        self._languages = languages or SpokenLanguages()
        self._until_s = inf
        """When `finish` gives up, on the event loop's clock."""
        self._turns: list[QueuedTurn] = []
        self._closed = False

    @property
    def backlog_s(self) -> float:
        """Seconds of sound without an outcome, apart from a stretch that grows and is with the engine."""
        return sum(
            turn.sound.duration_s
            for turn in self._turns
            if turn.outcome is None and (turn.sound.ended or turn.task is None)
        )

    @property
    def trouble(self) -> str:
        """What keeps the engine from transcribing now; empty where nothing does."""
        return self._outage.trouble

    @property
    def waiting_speech_ms(self) -> int:
        """How much voice the stretches have that have ended and whose outcome is not told yet."""
        return sum(turn.speech_ms for turn in self._turns)

    @property
    def outstanding_from_ms(self) -> int | None:
        """Where the oldest sound begins whose outcome is not told yet, in ms; None: all are told."""
        return self._turns[0].sound_ms if self._turns else None

    def join(self, sound_ms: int, start_ms: int, *, began_s: float | None = None) -> QueuedTurn:
        """Queue a stretch that begins, its sound at `sound_ms`, its voice at `start_ms`; then `grow` it.

        `began_s`: see `QueuedTurn`.
        """
        key = f"{self._participant}:{self._track_id}@{start_ms}"  # one person may share a screen's sound, too
        turn = QueuedTurn(key, sound_ms, start_ms, start_ms, start_ms, began_s)
        self._turns.append(turn)
        self._backlog.add(turn, lambda: self._give_up(turn))
        self._start()
        return turn

    def grow(self, turn: QueuedTurn, pcm: bytes) -> None:
        """Append the next PCM of a stretch."""
        if turn.given_up is None:
            turn.sound.append(pcm)
            self._backlog.grow(turn, len(pcm))

    def end(self, turn: QueuedTurn, end_ms: int, track_end_ms: int) -> None:
        """Mark a stretch as complete: its voice ends at `end_ms`, its sound at `track_end_ms`."""
        turn.end_ms = max(turn.start_ms, end_ms)
        turn.track_end_ms = max(turn.end_ms, track_end_ms)
        turn.sound.end()
        self._on_speech(turn.speech_ms)
        if turn.given_up is not None:
            self._settle(turn, self._missed(turn, turn.given_up))

    def note_gap(self, start_ms: int, end_ms: int, reason: GapReason) -> None:
        """Queue a gap for sound that never came to the queue; it is told after what was queued before it."""
        turn = QueuedTurn("", start_ms, start_ms, end_ms, end_ms)
        self._turns.append(turn)
        self._settle(turn, self._missed(turn, reason))

    async def finish(self, deadline_s: float) -> None:
        """Take no more sound, wait for all outcomes; a stretch that is late is left, or becomes a gap."""
        loop = asyncio.get_running_loop()
        self._until_s = loop.time() + deadline_s
        while self._turns and (left_s := self._until_s - loop.time()) > 0:
            pause_s = min(left_s, _LOOK_S)
            if tasks := self._tasks():
                await asyncio.wait(tasks, timeout=pause_s, return_when=asyncio.FIRST_COMPLETED)
            else:  # what is in trouble is tried again later
                await asyncio.sleep(pause_s)
        await self._cancel()
        for turn in self._turns:
            turn.outcome = turn.outcome or self._left(turn) or self._missed(turn, "stt_timeout")
        self._tell()

    def leave(self) -> None:
        """Leave what has no text to whoever finds it kept, and tell nothing: `aclose` follows."""
        for turn in self._turns:
            if turn.outcome is None:
                self._left(turn)

    def forget(self, means: Means) -> None:
        """Have nothing more recognised of what is meant and has ended: it becomes a gap without sound."""
        for turn in [turn for turn in self._turns if turn.outcome is None and turn.sound.ended]:
            if means(self._participant, turn.start_ms, turn.end_ms):
                turn.given_up = "off_record"
                if turn.task is not None:
                    turn.task.cancel()
                self._settle(turn, self._missed(turn, "off_record"))

    def hurry(self, deadline_s: float) -> None:
        """Give a `finish` that is under way at most `deadline_s` from now."""
        self._until_s = min(self._until_s, asyncio.get_running_loop().time() + deadline_s)

    async def aclose(self) -> None:
        """Stop at once and tell no more."""
        await self._cancel()
        for turn in self._turns:
            self._backlog.drop(turn)
        self._turns.clear()

    def _start(self) -> None:
        """Begin to transcribe the next stretches, as many as `in_flight` allows."""
        loop = asyncio.get_running_loop()
        busy = sum(1 for turn in self._turns if turn.task is not None and turn.outcome is None)
        for turn in self._turns:
            if self._closed or busy >= self._options.in_flight:
                return
            if turn.waits and not turn.pauses:
                busy += 1
                turn.task = loop.create_task(self._transcribe(turn), name=turn.key)

    async def _transcribe(self, turn: QueuedTurn) -> None:
        outcome: TrackEvent
        try:
            turn.transcription = turn.transcription or self._transcription(turn)
            outcome = self._said(turn, await turn.transcription.run())
        except TryLater as later:
            self._try_later(turn, later.pause_s)
            return
        except GaveUp as gave_up:
            _log.warning("stretch_lost", key=turn.key, reason=gave_up.reason, error=str(gave_up))
            outcome = self._missed(turn, gave_up.reason)
        except Exception:  # noqa: BLE001 — whatever broke, it costs this stretch and not the track
            _log.exception("stretch_broke", key=turn.key)
            await turn.sound.completion()
            outcome = self._missed(turn, "stt_error")
        if not self._closed and turn.given_up is None:
            self._settle(turn, outcome)

    def _transcription(self, turn: QueuedTurn) -> Transcription:
        return Transcription(
            self._engine,
            turn.sound,
            key=turn.key,
            language=self._language,
            patience=self._options.patience,
            on_segment=lambda segments: self._show(turn, segments),
            outage=self._outage,
            expected=lambda: self._languages.expected(self._participant),
            terms=self._terms,
        )

    def _try_later(self, turn: QueuedTurn, pause_s: float) -> None:
        """Have a stretch in trouble wait again; others go before it meanwhile."""
        turn.task, turn.pauses = None, True

        def go_on() -> None:
            turn.pauses = False
            self._start()

        asyncio.get_running_loop().call_later(pause_s, go_on)
        self._start()

    def _said(self, turn: QueuedTurn, segments: list[Segment]) -> TrackEvent:
        ended_s = turn.sound.ended_at_s
        assert ended_s is not None, "an attempt that returns has read to the end"
        share = power(b"".join(turn.sound.chunks)) / 32768**2
        level_dbfs = 10 * log10(share) if share > 0 else _SILENCE_DBFS
        text = assemble(segments, TurnSpan(turn.sound_ms, turn.start_ms, turn.end_ms, level_dbfs))
        text_s = asyncio.get_running_loop().time()
        if text is None:
            end_ms = turn.track_end_ms
            return Wordless(turn.key, self._participant, self._track_id, end_ms, turn.start_ms, turn.end_ms)
        self._note_language(segments, turn.speech_ms)
        return Heard(
            key=turn.key,
            participant=self._participant,
            text=text.text,
            start_ms=text.start_ms,
            end_ms=text.end_ms,
            confidence=text.confidence,
            language=text.language,
            track_id=self._track_id,
            track_end_ms=turn.track_end_ms,
            delay_s=text_s - ended_s,
            moments=Moments(turn.voice_s, turn.frame_s, ended_s, text_s),
            speech_ms=turn.speech_ms,
            doubtful=text.doubtful,
        )

    def _note_language(self, segments: list[Segment], speech_ms: int) -> None:
        for segment in segments:
            voice_ms = min(speech_ms, segment.end_ms - segment.start_ms)
            sounded = segment.sounded
            if sounded is None and segment.language is not None:
                sounded = evidence_of(segment.language, voice_ms, segment.confidence)
            if sounded is not None:
                self._languages.hear(self._participant, sounded)

    def _left(self, turn: QueuedTurn) -> Waits | None:
        """Leave a stretch to be recognised later; None where that cannot be."""
        if self._leave is None or not turn.speech_ms or turn.given_up is not None:
            return None
        waits = Waits(
            turn.key, self._participant, self._track_id, turn.start_ms, turn.end_ms, turn.track_end_ms
        )
        pcm, expected = b"".join(turn.sound.chunks), self._languages.expected(self._participant)
        left = LeftStretch(waits, turn.sound_ms, self._language, pcm, expected)
        return waits if self._leave(left) else None

    def _missed(self, turn: QueuedTurn, reason: GapReason) -> Missed:
        start_ms, end_ms, track_end_ms = turn.start_ms, turn.end_ms, turn.track_end_ms
        key = turn.key or None
        return Missed(self._participant, start_ms, end_ms, reason, self._track_id, track_end_ms, key)

    def _show(self, turn: QueuedTurn, segments: list[Segment]) -> None:
        """Tell the text so far. A final after the end of the sound needs no interim: the outcome is next."""
        if not self._engine.gives_interims or (turn.sound.ended and segments[-1].final):
            return
        *before, newest = segments
        texts = [text for segment in before if (text := segment.text.strip())]
        firm = len(" ".join([*texts, newest.text if newest.final else newest.text[: newest.firm]]).strip())
        if text := " ".join([*texts, newest.text.strip()]).strip():
            after_s = None if turn.began_s is None else asyncio.get_running_loop().time() - turn.began_s
            turn.began_s = None
            self._emit(Interim(turn.key, self._participant, text, firm, after_s, turn.start_ms))

    def _give_up(self, turn: QueuedTurn) -> None:
        """Give up a stretch that waits, as there is no room for its sound any more."""
        turn.given_up = "overload"
        turn.sound.forget()
        if turn.sound.ended:
            self._settle(turn, self._missed(turn, "overload"))

    def _settle(self, turn: QueuedTurn, outcome: TrackEvent) -> None:
        turn.outcome = outcome
        turn.sound.forget()
        self._backlog.drop(turn)
        self._tell()
        self._start()

    def _tell(self) -> None:
        """Tell the outcomes that are known at the head of the queue."""
        while self._turns and (outcome := self._turns[0].outcome) is not None:
            self._backlog.drop(self._turns.pop(0))
            self._emit(outcome)

    def _emit(self, event: TrackEvent) -> None:
        try:
            self._on_event(event)
        except Exception:  # noqa: BLE001 — the listener's trouble must not stop the queue behind this event
            _log.exception("track_event_refused", track_id=self._track_id, event_type=type(event).__name__)

    def _tasks(self) -> set[asyncio.Task[None]]:
        return {turn.task for turn in self._turns if turn.task is not None and not turn.task.done()}

    async def _cancel(self) -> None:
        """Stop all transcribing; no task settles a turn any more."""
        self._closed = True
        tasks = self._tasks()
        for task in tasks:
            task.cancel()
        if tasks:
            _, stubborn = await asyncio.wait(tasks, timeout=_CANCEL_GRACE_S)
            if stubborn:
                _log.error("stt_ignores_cancel", engine=self._engine.name, stretches=len(stubborn))

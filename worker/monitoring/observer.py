"""What a meeting's session tells about itself while it works, and counting it for Prometheus."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from context.events import effects, events
from context.events.topic_events import SummaryReady
from context.fold.meeting import Meeting
from context.models import GapReason, Reply, Utterance
from worker.monitoring.instruments import LOST_REASONS
from worker.monitoring.metric_labels import SpeechState
from worker.monitoring.metrics import Metrics
from worker.monitoring.turn_latency import TurnLatency
from worker.ports import MeetingRow

log = structlog.get_logger(__name__)


class Observer:
    """Hooks that a session calls; here they do nothing. They must be quick and must not raise."""

    def folded(self, event: events.Event, wanted: Sequence[effects.Effect]) -> None:
        """An event was folded; `wanted` are the effects that it gave."""

    def transcribed(self, delay_s: float) -> None:
        """A stretch of speech became text, `delay_s` after its sound ended."""

    def first_text(self, after_s: float) -> None:
        """The first text of a stretch that grows is shown, `after_s` after its first voice."""

    def spoke(self, speech_ms: int) -> None:
        """A stretch of speech has ended, `speech_ms` long."""

    def settled(self, state: SpeechState, speech_ms: int, reason: str = "") -> None:
        """A stretch ended in `state`; `reason` is why it was lost, else empty."""

    def missed(self, reason: GapReason) -> None:
        """A stretch became no text, for `reason`."""

    def entered(self, row: MeetingRow, won_s: float, restored_s: float) -> None:
        """This holder works: it won the lease at `won_s`, and had the meeting restored at `restored_s`.

        `row`: the meeting just before the lease was won.
        """

    def published(self, utterance: Utterance, now_ms: int, latency: TurnLatency | None = None) -> None:
        """A turn was published at `now_ms` of the meeting; `latency` is its way."""

    def answering(self, question_id: str, step: str) -> None:
        """The answer to a question has begun a step (`worker.monitoring.metric_labels.STEPS`)."""

    def replied(self, reply: Reply, latency: TurnLatency) -> None:
        """An answer on the record was shown to the followers; `latency` is its way from the fold on."""


class MeetingObserver(Observer):
    """An observer that counts in the process's metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def folded(self, event: events.Event, wanted: Sequence[effects.Effect]) -> None:  # noqa: ARG002 - the base class's signature
        """Count summaries, gaps and answers."""
        instruments = self._metrics.instruments
        match event:
            case SummaryReady(reason=reason, latency_ms=latency_ms):
                instruments.l1_updates.labels(reason=reason).inc()
                instruments.summary_latency.observe(max(0, latency_ms) / 1000)
            case events.GapNoted(reason=reason, start_ms=start_ms, end_ms=end_ms):
                instruments.gap_seconds.labels(reason=reason).inc(max(0, end_ms - start_ms) / 1000)
            case events.AnswerGiven(reply=reply):
                instruments.call_types.labels(call_type=reply.call_type).inc()
            case _:
                pass

    def transcribed(self, delay_s: float) -> None:
        """Count how long the engine took."""
        self._metrics.instruments.stt_latency.observe(max(0.0, delay_s))

    def first_text(self, after_s: float) -> None:
        """Count how long people waited for the first words."""
        self._metrics.instruments.first_text.observe(max(0.0, after_s))

    def spoke(self, speech_ms: int) -> None:
        """Count the speech as heard."""
        self.settled("heard", speech_ms)

    def settled(self, state: SpeechState, speech_ms: int, reason: str = "") -> None:
        """Count the speech by what became of it."""
        self._metrics.instruments.speech.labels(state=state, reason=reason).inc(max(0, speech_ms) / 1000)

    def missed(self, reason: GapReason) -> None:
        """Count a stretch that the engine gave nothing for."""
        if reason in LOST_REASONS:
            self._metrics.instruments.stt_errors.labels(reason=reason).inc()

    def published(self, utterance: Utterance, now_ms: int, latency: TurnLatency | None = None) -> None:
        """Count a turn, and how long after its last sound it went out, hop by hop."""
        instruments = self._metrics.instruments
        instruments.utterances.inc()
        instruments.ingest_lag.observe(max(0, now_ms - utterance.end_ms) / 1000)
        if latency is not None and latency.heard is not None:
            for hop, seconds in latency.hops_s().items():
                instruments.turn_hops.labels(hop=hop).observe(max(0.0, seconds))
            log.debug("turn_shown", key=utterance.key, **latency.moments())


def tell_if_empty(meeting: Meeting, metrics: Metrics) -> None:
    """Log an error, and count it, where a meeting has just ended with sound and without a word."""
    why = meeting.speech.emptiness(meeting.utterances)
    if why is None:
        return
    metrics.instruments.empty_meetings.inc()
    log.error(
        "meeting_ended_empty",
        meeting_id=meeting.meeting_id,
        why=why,
        heard_s=round(meeting.speech.everybody.heard_ms / 1000, 1),
        sound_s=round(meeting.speech.everybody.sound_ms / 1000, 1),
        lost_ms={who: dict(count.lost_ms) for who, count in meeting.speech.people.items() if count.lost_ms},
    )

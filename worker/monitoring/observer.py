"""What a session tells about itself, and its counting.

A meeting that ends complete but empty is told to whoever runs Moim: all worked, and nothing is there.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from context import effects, events
from context.meeting import Meeting
from context.models import GapReason, Utterance
from worker.monitoring.labels import SpeechState
from worker.monitoring.metrics import Metrics
from worker.monitoring.trail import Trail

log = structlog.get_logger(__name__)


class Observer:
    """Hooks on a session's path, of which nobody hears here. They must be quick and must not raise."""

    def folded(self, event: events.Event, wanted: Sequence[effects.Effect]) -> None:
        """An event was folded, which wanted these effects."""

    def heard(self, delay_s: float) -> None:
        """A stretch became text, `delay_s` after its sound ended."""

    def spoke(self, speech_ms: int) -> None:
        """The voice detector has heard a stretch of speech to its end."""

    def settled(self, state: SpeechState, speech_ms: int, reason: str = "") -> None:
        """What became of such a stretch."""

    def missed(self, reason: GapReason) -> None:
        """A stretch became none."""

    def published(self, utterance: Utterance, now_ms: int, trail: Trail | None = None) -> None:
        """A final turn went out; `trail`: its way, where it was sound."""


class MeetingObserver(Observer):
    """Counts in the process's metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def folded(self, event: events.Event, wanted: Sequence[effects.Effect]) -> None:  # noqa: ARG002 - the base class's signature
        """Count what came back to the meeting."""
        match event:
            case events.SummaryReady(reason=reason, latency_ms=latency_ms):
                self._metrics.summary(reason, latency_ms / 1000)
            case events.GapNoted(reason=reason, start_ms=start_ms, end_ms=end_ms):
                self._metrics.gap(reason, (end_ms - start_ms) / 1000)
            case events.AnswerGiven(reply=reply):
                self._metrics.agent_call(reply.call_type)
            case _:
                pass

    def heard(self, delay_s: float) -> None:
        """The engine's part of the way of a word."""
        self._metrics.stt_result(delay_s)

    def spoke(self, speech_ms: int) -> None:
        """Count it as heard."""
        self._metrics.speech("heard", speech_ms)

    def settled(self, state: SpeechState, speech_ms: int, reason: str = "") -> None:
        """Count it by its end."""
        self._metrics.speech(state, speech_ms, reason)

    def missed(self, reason: GapReason) -> None:
        """Count what an engine gave nothing for."""
        if reason in {"stt_error", "stt_timeout", "overload"}:
            self._metrics.stt_error(reason)

    def published(self, utterance: Utterance, now_ms: int, trail: Trail | None = None) -> None:
        """Count a turn, and how long after its last sound it went out, hop by hop."""
        self._metrics.utterance(lag_s=(now_ms - utterance.end_ms) / 1000)
        if trail is not None:
            self._metrics.turn_hops(trail.hops_s())
            log.debug("turn_shown", key=utterance.key, **trail.moments())


def tell_if_empty(meeting: Meeting, metrics: Metrics) -> None:
    """Raise the alert for a meeting that has just ended with sound and without a word."""
    why = meeting.speech.emptiness(meeting.utterances)
    if why is None:
        return
    metrics.meeting_empty()
    log.error(
        "meeting_ended_empty",
        meeting_id=meeting.meeting_id,
        why=why,
        heard_s=round(meeting.speech.heard_ms / 1000, 1),
        sound_s=round(meeting.speech.sound_ms / 1000, 1),
        lost_ms={who: count.lost_ms for who, count in meeting.speech.people.items() if count.lost_ms},
    )

"""Counts what a session does."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from context import effects, events
from context.models import GapReason, Utterance
from worker.meeting.observer import Observer
from worker.monitoring.labels import SpeechState
from worker.monitoring.metrics import Metrics
from worker.monitoring.trail import Trail

log = structlog.get_logger(__name__)


class MeetingObserver(Observer):
    """Counts what a session does."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def folded(self, event: events.Event, wanted: Sequence[effects.Effect], took_s: float) -> None:  # noqa: ARG002 - the base class's signature
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
        """An engine that gave nothing."""
        if reason in {"stt_error", "stt_timeout", "overload"}:
            self._metrics.stt_error(reason)

    def published(self, utterance: Utterance, now_ms: int, trail: Trail | None = None) -> None:
        """Count a turn, and how long after its last sound it went out, hop by hop."""
        self._metrics.utterance(lag_s=(now_ms - utterance.end_ms) / 1000)
        if trail is not None:
            self._metrics.turn_hops(trail.hops_s())
            log.debug("turn_shown", key=utterance.key, **trail.moments())

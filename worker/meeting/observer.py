"""What a session tells about itself. The base class tells nobody; `worker.monitoring.metrics` counts."""

from __future__ import annotations

from collections.abc import Sequence

from context.effects import Effect
from context.events import Event
from context.models import GapReason, Utterance
from worker.monitoring.labels import SpeechState
from worker.monitoring.trail import Trail


class Observer:
    """Hooks on a session's path. They must be quick and must not raise."""

    def folded(self, event: Event, wanted: Sequence[Effect], took_s: float) -> None:
        """An event was folded."""

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

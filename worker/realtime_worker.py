"""Seed 000's `RealtimeWorker` (§10.3.1): STT results go straight into a `StandaloneManager`.

For those who bring their own speech recognition and want the memory alone. The running product does
the same through `worker.meeting.session`, with a record, deadlines and takeover around it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from context.models import Utterance
from context.seeds import StandaloneManager
from stt.segment import Segment


class RealtimeWorker:
    """Adds the STT results of one meeting to its context as they come."""

    def __init__(self, context_manager: StandaloneManager, started_at: datetime) -> None:
        """Segments' times count from `started_at`. Raises `ValueError` where that has no time zone."""
        if started_at.tzinfo is None:
            raise ValueError(f"started_at {started_at} has no time zone: pass e.g. datetime.now(UTC)")
        self.context_manager = context_manager
        self._started_at = started_at

    async def _on_stt_result(self, user_id: str, participant_name: str, segment: Segment) -> None:
        """Add one final segment as an utterance; interims and silence are dropped.

        Where the manager is to write to its store now, this raises what `MeetingStore` does; the utterance is
        kept all the same.
        """
        if not segment.final or not segment.text.strip():
            return
        await self.context_manager.add_utterance(
            Utterance(
                id=0,
                speaker_id=user_id,
                speaker_name=participant_name,
                text=segment.text,
                start_ms=segment.start_ms,
                end_ms=segment.end_ms,
                confidence=segment.confidence,
                language=segment.language,
                doubtful=segment.doubtful,
                absolute_timestamp=self._started_at + timedelta(milliseconds=segment.start_ms),
            )
        )

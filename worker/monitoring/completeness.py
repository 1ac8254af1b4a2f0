"""A meeting that ends complete but empty is told to whoever runs Moim: all worked, and nothing is there."""

from __future__ import annotations

import structlog

from context.meeting import Meeting
from worker.monitoring.metrics import Metrics

log = structlog.get_logger(__name__)


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

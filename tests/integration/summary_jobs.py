"""What the record says of a summary job."""

from __future__ import annotations

from context.events.topic_events import SummaryReady, SummaryStarted
from context.models import Summary


def begun(version: int, until: int, topic: str = "t1") -> SummaryStarted:
    return SummaryStarted(
        topic_id=topic,
        version=version,
        reason="turn_limit",
        covered_until=until,
        turns=25,
        tokens=400,
        at_ms=0,
    )


def done(version: int, until: int, text: str, topic: str = "t1") -> SummaryReady:
    return SummaryReady(
        topic_id=topic,
        version=version,
        reason="turn_limit",
        covered_until=until,
        content=Summary(text=text),
        engine="extractive",
        latency_ms=40,
        tokens=12,
    )

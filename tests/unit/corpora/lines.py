"""Short meetings from lines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from context.models import Utterance

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def said(lines: Sequence[tuple[str, str]], topic: str | None = None) -> list[Utterance]:
    """Utterances from 1, five seconds each."""
    return [
        Utterance(
            id=number,
            speaker_id=speaker,
            speaker_name=speaker,
            text=text,
            start_ms=5000 * (number - 1),
            end_ms=5000 * number,
            absolute_timestamp=START + timedelta(seconds=5 * (number - 1)),
            topic_id=topic,
        )
        for number, (speaker, text) in enumerate(lines, 1)
    ]

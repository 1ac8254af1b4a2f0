"""An utterance as it stands on the record."""

from __future__ import annotations

from context.events import events
from context.ports import RecordedEvent


def spoken(seq: int, text: str = "안녕하세요") -> RecordedEvent:
    event = events.UtteranceSpoken(
        key=f"k{seq}", speaker_id="minji", speaker_name="김민지", text=text, start_ms=seq, end_ms=seq
    )
    return RecordedEvent(seq=seq, event=event)

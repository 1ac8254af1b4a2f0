"""Lines as a dead job leaves them in its spool, in both languages."""

from __future__ import annotations

from typing import Any

from context.events import events
from context.ports import RecordedEvent

KO, EN = "두 번째 서버는 금요일에 켭니다.", "The second server goes live on Friday."


def said(key: str, text: str, start_ms: int, speaker: str = "minji", **more: Any) -> events.UtteranceSpoken:
    return events.UtteranceSpoken(
        key=key,
        speaker_id=speaker,
        speaker_name=speaker,
        text=text,
        start_ms=start_ms,
        end_ms=start_ms + 1500,
        track_id=f"TR_{speaker}",
        track_end_ms=start_ms + 2000,
        speech_ms=1500,
        **more,
    )


def recorded(*happened: events.Event, after: int = 0) -> list[RecordedEvent]:
    return [RecordedEvent(seq=seq, event=event) for seq, event in enumerate(happened, after + 1)]

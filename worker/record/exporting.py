"""A meeting's document from its record."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, tzinfo
from typing import Any, Final, Literal, get_args
from urllib.parse import quote
from zoneinfo import ZoneInfo

from context.export.document import document
from context.export.minutes import to_markdown
from context.export.subtitles import to_srt, to_vtt
from context.meeting import Meeting
from context.ports import MeetingStore
from worker.configuration.settings import Settings
from worker.ports import MeetingRow
from worker.record.restoring import rebuilt

Format = Literal["json", "md", "vtt", "srt"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


async def recorded(store: MeetingStore, meeting_id: str, settings: Settings) -> Meeting | None:
    """The meeting up to its last durable event, None where there is nothing on record.

    Rebuilt beside the loop: a long meeting takes seconds of computing.
    """
    stored = await store.load(meeting_id)
    if stored is None:
        return None
    meeting, _ = await asyncio.to_thread(rebuilt, stored, meeting_id, settings.context)
    return meeting


async def exported(store: MeetingStore, row: MeetingRow, settings: Settings) -> dict[str, Any] | None:
    """The document of `CONTRACT.md`, None where nothing is on record."""
    meeting = await recorded(store, row.id, settings)
    if meeting is None:
        return None
    return await asyncio.to_thread(described, meeting, row, settings)


async def minutes_of(store: MeetingStore, row: MeetingRow, settings: Settings) -> dict[str, Any] | None:
    """The minutes as they are pushed: their place on the pages, and their Markdown without the transcript."""
    shape = await exported(store, row, settings)
    if shape is None:
        return None
    zone = ZoneInfo(settings.agent.time_zone)
    markdown = await asyncio.to_thread(to_markdown, shape, transcript=False, zone=zone)
    return {"url": minutes_url(settings, row.id), "markdown": markdown}


def minutes_url(settings: Settings, meeting_id: str) -> str | None:
    """Where a meeting's minutes are, for people; None without `MOIM_PAGES_URL`."""
    pages = settings.pages.url.rstrip("/")
    return f"{pages}/m/{quote(meeting_id, safe='')}/minutes" if pages else None


def unspoken(row: MeetingRow, settings: Settings) -> dict[str, Any]:
    """The document of a meeting that nothing is on record of: it is wanted, or nobody came."""
    return described(Meeting(row.id, settings.context), row, settings)


def described(meeting: Meeting, row: MeetingRow, settings: Settings) -> dict[str, Any]:
    """The document of a meeting that is at hand, with what the registry knows of it."""
    return document(
        meeting,
        title=row.title,
        room=row.room,
        status=row.status,
        started_at=row.started_at,
        ended_at=row.ended_at,
        engines={
            "stt": settings.stt.engine if _by_sound(meeting, row) else "none",
            "llm": settings.llm.model or settings.llm.engine,
            "embeddings": settings.embed.encoder_name,
        },
        zone=ZoneInfo(settings.agent.time_zone),
    )


def _by_sound(meeting: Meeting, row: MeetingRow) -> bool:
    """Whether an engine of speech had a part in the words; of a room without any, it has had the chance."""
    return meeting.speech.heard_ms > 0 or (row.room is not None and not meeting.utterances)


def written(shape: dict[str, Any], form: str, *, zone: tzinfo = UTC) -> str:
    """The document in one of the formats, with its closing newline. `zone`: of the minutes' date."""
    match form:
        case "json":
            return json.dumps(shape, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
        case "md":
            return to_markdown(shape, zone=zone)
        case "vtt":
            return to_vtt(shape)
        case _:
            return to_srt(shape)

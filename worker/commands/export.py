"""`moim export`: a meeting from its record."""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from context.document import document
from context.export import to_markdown, to_srt, to_vtt
from worker import bootstrap
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.embedders import encoder_name
from worker.errors import DONE, InputError
from worker.settings import Settings

DESCRIPTION = "Print a meeting from its record, up to the last durable event, the open topic included."
EXAMPLES = """\
  moim export m-7f3a --format json > meeting.json
  moim export m-7f3a --format md
  moim export m-7f3a --format vtt > meeting.vtt"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("meeting", metavar="MEETING", help="the meeting's id (see `moim meetings`)")
    parser.add_argument("--format", choices=("json", "md", "vtt", "srt"), required=True, help="what to print")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print it; exit 2 for an unknown meeting."""
    print(written(asyncio.run(_read(args.meeting, settings)), args.format), end="")
    return DONE


def written(shape: dict[str, Any], form: str) -> str:
    """The document in one of the formats, with its closing newline."""
    match form:
        case "json":
            return json.dumps(shape, ensure_ascii=False, indent=1) + "\n"
        case "md":
            return to_markdown(shape)
        case "vtt":
            return to_vtt(shape)
        case _:
            return to_srt(shape)


async def _read(meeting_id: str, settings: Settings) -> dict[str, Any]:
    async with bootstrap.database(settings) as pool:
        row = await PostgresRegistry(pool).get(meeting_id)
        if row is None:
            raise InputError(f"there is no meeting {meeting_id!r}: `moim meetings` lists them")
        meeting = await bootstrap.load_meeting(PostgresStore(pool), meeting_id, settings)
    return document(
        meeting,
        title=row.title,
        room=row.room,
        status=row.status,
        started_at=row.started_at,
        ended_at=row.ended_at,
        engines={
            "stt": settings.stt.engine,
            "llm": settings.llm.model or settings.llm.engine,
            "embeddings": encoder_name(settings),
        },
    )

"""Where erased words are looked for, and how a meeting is told from what its record makes of it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import asyncpg
import redis.asyncio as redis

from context.fold.meeting import Meeting
from tests.conftest import Database
from worker.adapters.postgres_erasures import PostgresErasures
from worker.bootstrap.parts import Parts
from worker.erasures import Receipt
from worker.record.restoring import rebuild


async def kept(database: Database, redis_url: str, folder: Path) -> dict[str, str]:
    """All that is stored, as text: tables, streams, files."""
    places = {}
    owner = await asyncpg.connect(database.admin_url)
    try:
        tables = await owner.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'moim'")
        for (table,) in tables:
            rows = await owner.fetch(f"SELECT t::text FROM moim.{table} AS t")
            places[table] = "\n".join(row[0] for row in rows)
    finally:
        await owner.close()
    client = redis.from_url(redis_url)
    async for key in client.scan_iter():
        if await client.type(key) == b"stream":
            entries = await client.xrange(key)
            places[key.decode()] = "\n".join(v.decode() for _, fields in entries for v in fields.values())
    await client.aclose()
    for path in folder.rglob("*"):
        if path.is_file():
            places[str(path)] = path.read_bytes().decode(errors="replace")
    return places


async def found(word: str, database: Database, redis_url: str, folder: Path) -> list[str]:
    """Where the word stands."""
    return [place for place, text in (await kept(database, redis_url, folder)).items() if word in text]


async def done(erasures: PostgresErasures, id_: str) -> Receipt:
    receipt = await erasures.receipt(id_)
    assert receipt is not None
    return receipt


def differing(one: Meeting, other: Meeting) -> dict[str, Any]:
    mine, theirs = one.snapshot(), other.snapshot()
    beside = {"boundaries"}  # what finds topics beside the fold has heard more, or less, at any moment
    return {name: (mine[name], theirs[name]) for name in mine.keys() - beside if mine[name] != theirs[name]}


async def folded_from_events(shared: Parts, meeting: Meeting) -> Meeting:
    stored = await shared.store.load(meeting.meeting_id, use_snapshot=False)
    again, _ = rebuild(stored, meeting.meeting_id, meeting.config, tokenizer=shared.thinker.tokenizer)
    return again


async def moim(database: Database, redis_url: str, folder: Path, *arguments: str) -> tuple[int, Any, str]:
    """Exit code, what it printed, and what it said."""
    settings = {
        "DATABASE_URL": database.url,
        "REDIS_URL": redis_url,
        "MOIM_STATE_DIR": str(folder / "state"),
        "STT_ENGINE": "none",
        "EMBED_ENGINE": "none",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "worker", *arguments),
        env={**os.environ, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode or 0, json.loads(out) if out else None, err.decode()

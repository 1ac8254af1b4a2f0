"""Erased words are in no table, no stream and no file; what is left goes on."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import redis.asyncio as redis

from context.erasure.target import Target
from context.meeting import Meeting
from tests.conftest import Database
from tests.integration.test_degradation import held, until
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_store import PostgresStore
from worker.bootstrap import Parts, load_meeting
from worker.ports import Receipt
from worker.record.restoring import rebuilt
from worker.web.wiring import correcting

pytestmark = pytest.mark.postgres

_LINES = {
    "ko": ("예산은 이억 원으로 하기로 했습니다.", "보안 감사는 두루미재단에 맡기기로 결정했습니다.", "감사 결과는 금요일까지 제가 정리할게요."),
    "en": ("We decided that the budget is two million.", "We agreed to give the audit to Heronwood.", "I will write up the audit by Friday."),
}  # fmt: skip
_WORD = {"ko": "두루미재단", "en": "Heronwood"}


async def found(word: str, database: Database, redis_url: str, folder: Path) -> list[str]:
    """Where the word stands: tables, streams, files."""
    places = []
    owner = await asyncpg.connect(database.admin_url)
    try:
        tables = await owner.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'moim'")
        for (table,) in tables:
            if await owner.fetchval(
                f"SELECT count(*) FROM moim.{table} AS t WHERE t::text LIKE $1", f"%{word}%"
            ):
                places.append(table)
    finally:
        await owner.close()
    client = redis.from_url(redis_url)
    async for key in client.scan_iter():
        if await client.type(key) == b"stream":
            for _, fields in await client.xrange(key):
                if any(word in value.decode() for value in fields.values()):
                    places.append(f"{key.decode()}: {fields}")
    await client.aclose()
    places += [
        str(path) for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()
    ]
    return places


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
    again, _ = rebuilt(stored, meeting.meeting_id, meeting.config, tokenizer=shared.tokenizer)
    return again


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_person_of_a_live_meeting(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path, language: str
) -> None:
    lines, word = _LINES[language], _WORD[language]
    erasures, id_ = PostgresErasures(pool), uuid.uuid4().hex
    async with held(database.url, redis_url, tmp_path) as world:
        await world.say(*lines)
        await until(lambda: len(world.shown) == 3)
        question = (
            "보안 감사는 어디에 맡기기로 결정했나요?"
            if language == "ko"
            else "Whom did we agree to give the audit to?"
        )
        await world.ask(question)
        assert await found(word, database, redis_url, tmp_path)
        assert (
            await erasures.ask(
                Target(what="utterances", utterances=(2,)), id_=id_, by="민지", meeting_id=world.id
            )
            == 1
        )
        await until(lambda: world.shown[-1] == "", within_s=10)
        while not (await done(erasures, id_)).done:
            await until(lambda: True)
        assert await found(word, database, redis_url, tmp_path) == []
        assert word not in (await world.ask(question, "q2"))["text"]
        await world.say("그럼 이만 마치죠.")
        await until(lambda: world.shown[-1] == "그럼 이만 마치죠.")
    assert await found(word, database, redis_url, tmp_path) == []
    receipt = await done(erasures, id_)
    assert [(step.meeting_id, step.counts["utterances"]) for step in receipt.steps] == [(world.id, 1)]
    meeting = await load_meeting(PostgresStore(pool), world.id, world.shared.settings)
    assert [u.text for u in meeting.utterances] == [lines[0], "", lines[2], "그럼 이만 마치죠."]
    assert differing(await folded_from_events(world.shared, meeting), meeting) == {}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("whole", [False, True])
async def test_a_meeting_that_is_over(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path, *, language: str, whole: bool
) -> None:
    lines, word = _LINES[language], _WORD[language]
    async with held(database.url, redis_url, tmp_path) as world:
        await world.say(*lines)
        await until(lambda: len(world.shown) == 3)
    erasures, id_ = PostgresErasures(pool), uuid.uuid4().hex
    person = world.out[-1].get("speaker") or next(e["speaker"] for e in world.out if e["kind"] == "utterance")
    target = Target(what="meeting") if whole else Target(what="person", person=person)
    assert await erasures.preview(target, world.id) == {world.id: 3}
    assert await erasures.ask(target, id_=id_, by="dpo", meeting_id=world.id if whole else None) == 1
    assert list(await erasures.meetings(5)) == [world.id]
    await correcting(world.shared, pool).erase(world.id)
    assert list(await erasures.meetings(5)) == []
    receipt = await done(erasures, id_)
    assert receipt.done
    assert await found(word, database, redis_url, tmp_path) == []
    meeting = await load_meeting(PostgresStore(pool), world.id, world.shared.settings)
    assert [u.text for u in meeting.utterances] == ["", "", ""]
    assert differing(await folded_from_events(world.shared, meeting), meeting) == {}

"""Erased words are in no table, no stream and no file; what is left goes on."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from pathlib import Path
from random import Random
from typing import Any

import asyncpg
import pytest
import redis.asyncio as redis

from context.erasure.target import Target
from context.meeting import Meeting
from tests.conftest import Database
from tests.integration.test_degradation import held, until
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_store import PostgresStore
from worker.bootstrap import Parts, load_meeting
from worker.meeting.correcting import Correcting
from worker.ports import Holder, Receipt
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


async def test_the_command_erases_a_person_here_and_there(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    word = _WORD["ko"]
    async with held(database.url, redis_url, tmp_path) as world:
        await world.say(*_LINES["ko"])
        await until(lambda: len(world.shown) == 3)
        code, told, _ = await moim(database, redis_url, tmp_path, "erase", "--person", "minji", "--dry-run")
        assert (code, told) == (0, {"target": "person", "meetings": {world.id: 3}})
        assert len(await found(word, database, redis_url, tmp_path)) > 1
        code, told, said = await moim(
            database, redis_url, tmp_path, "erase", "--person", "minji", "--by", "민지"
        )
        assert (code, told["by"], told["done"]) == (0, "민지", True), said
        assert await found(word, database, redis_url, tmp_path) == []
    code, _, said = await moim(database, redis_url, tmp_path, "erase", "--utterance", "3")
    assert code == 2
    assert "--meeting" in said
    code, _, said = await moim(database, redis_url, tmp_path, "erase", "--meeting", "m-none")
    assert code == 2
    assert "m-none" in said


class Dying:
    """Leases that a process takes along when it dies: nobody lets go of them."""

    def __init__(self, pool: PostgresPool, database: Database) -> None:
        self._leases, self._database = PostgresLeases(pool), database

    async def reopen(self, meeting_id: str, holder: Holder, ttl_s: float) -> int | None:
        return await self._leases.reopen(meeting_id, holder, ttl_s)

    async def release(self, meeting_id: str, epoch: int) -> None:
        pass

    async def run_out(self) -> None:
        owner = await asyncpg.connect(self._database.admin_url)
        await owner.execute("UPDATE moim.leases SET expires_at = '-infinity'")
        await owner.close()


async def test_killed_in_the_middle_it_is_gone_on_with(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    """At any moment, again and again; a kill is a lease that runs out, and nothing that is tidied up."""
    dice, erasures, kills = Random(21), PostgresErasures(pool), int(os.environ.get("MOIM_TEST_KILLS", "30"))
    async with held(database.url, redis_url, tmp_path) as world:
        await world.say(
            *(f"{word} 이야기를 해 보죠. {number}번째입니다." for number in range(30) for word in ["서버"])
        )
        await world.say(*(f"영업비밀{number} 결정했습니다." for number in range(kills)), who="ben")
        await until(lambda: len(world.shown) == 30 + kills)
    leases, shared = Dying(pool, database), world.shared
    kept = [
        u.text for u in (await load_meeting(PostgresStore(pool), world.id, shared.settings)).utterances[:30]
    ]
    dead: list[asyncio.Future[None]] = []
    for number in range(kills):
        id_ = f"e{number}"
        await erasures.ask(
            Target(what="utterances", utterances=(31 + number,)), id_=id_, by="ben", meeting_id=world.id
        )
        while not (await done(erasures, id_)).done:
            rewriting = Correcting(
                PostgresStore(pool), leases, shared.thinker, shared.settings, passages=shared.indexers,
                bus=None, clock=shared.clock, erasures=erasures, shown=None,
            )  # fmt: skip
            erasing = asyncio.ensure_future(rewriting.erase(world.id))
            await asyncio.wait({erasing}, timeout=dice.uniform(0.0, 0.06))
            if (
                not erasing.done()
            ):  # what it still does on its way out comes too late, as of a process that hangs
                erasing.cancel()
                dead.append(erasing)
            await leases.run_out()
    await asyncio.gather(*dead, return_exceptions=True)
    meeting = await load_meeting(PostgresStore(pool), world.id, shared.settings)
    assert [u.text for u in meeting.utterances] == [*kept, *[""] * kills]
    assert differing(await folded_from_events(shared, meeting), meeting) == {}
    assert len(dead) > kills // 4

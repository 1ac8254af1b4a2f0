"""On real Postgres and Redis: whose words go, whose are hidden and wait, and that a hold keeps all."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path

import pytest

from context.events.actors import Actor, operator, participant
from context.events.corrections import Fix, PersonFix, UtteranceFix
from context.events.erasure_target import Target
from tests.conftest import Database
from tests.fakes.waiting import until
from tests.integration.erasing import differing, done, folded_from_events, found, moim
from tests.integration.text_meetings import World, held
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_people import PostgresAudit
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_store import PostgresStore
from worker.embedded.postgres import EmbeddedPostgres
from worker.messages import AskMessage, CorrectionMessage, SegmentMessage
from worker.record.restoring import load_meeting

pytestmark = pytest.mark.postgres

SECRETS = pytest.mark.parametrize(
    ("secret", "word"),
    [
        ("보안 감사는 두루미재단에 맡기기로 결정했습니다.", "두루미재단"),
        ("We agreed to give it to Heronwood.", "Heronwood"),
    ],
)


async def order(world: World, by: str, text: str) -> None:
    await world.bus.ask(world.id, AskMessage(id=uuid.uuid4().hex, by=by, text=text))


async def correct(world: World, fix: Fix) -> None:
    await world.bus.correct(world.id, CorrectionMessage(id=uuid.uuid4().hex, by="edit", fix=fix))


async def texts(world: World, pool: PostgresPool) -> list[str]:
    meeting = await load_meeting(PostgresStore(pool), world.id, world.shared.settings)
    if meeting.ended is not None:
        assert differing(await folded_from_events(world.shared, meeting), meeting) == {}
    return [each.text for each in meeting.utterances]


async def said(world: World, *lines: tuple[str, str]) -> None:
    for number, (who, text) in enumerate(lines, 1):
        await world.say(text, who=who)
        await until(lambda number=number: len(world.shown) == number)


async def carried_out(erasures: PostgresErasures, id_: str) -> None:
    async with asyncio.timeout(30):
        while not (await done(erasures, id_)).done:
            await asyncio.sleep(0.05)


@SECRETS
async def test_others_words_are_hidden_from_everybody_until_they_decide(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path, *, secret: str, word: str
) -> None:
    erasures = PostgresErasures(pool)
    async with held(database.url, redis_url, tmp_path) as world:
        await said(world, ("minji", "시작합시다."), ("ben", secret))
        await order(world, "minji", "/off 5m")
        await until(lambda: world.shown.count("") == 2)
        async with asyncio.timeout(30):
            while await found(word, database, redis_url, tmp_path) != ["events"]:
                await asyncio.sleep(0.05)
        assert await texts(world, pool) == ["", ""]
        await order(world, "minji", "/me show")
        await order(world, "minji", "/on")
        assert await texts(world, pool) == ["", ""], "they are not hers to show"
        await order(world, "ben", "/me show")
        await until(lambda: world.shown[-1] == secret)
        async with asyncio.timeout(30):
            while await texts(world, pool) != ["", secret]:
                await asyncio.sleep(0.05)
        await order(world, "minji", "/off 5m")
        await until(lambda: world.shown[-1] == "")
        async with asyncio.timeout(30):
            while await found(word, database, redis_url, tmp_path) != ["events"]:
                await asyncio.sleep(0.05)
        await order(world, "ben", "/me erase")
        async with asyncio.timeout(30):
            while await found(word, database, redis_url, tmp_path):
                await asyncio.sleep(0.05)
    assert await texts(world, pool) == ["", ""]
    rows = await PostgresAudit(pool).newest(meeting_id=world.id)
    told = [(row.who, row.action) for row in reversed(rows) if row.action in {"erased", "shown"}]
    minji, ben = "participant minji", "participant ben"
    assert told == [(minji, "erased"), (ben, "shown"), (minji, "erased"), (ben, "erased")]
    assert list(await erasures.waiting(world.id)) == []


async def test_a_hold_keeps_all_whoever_wishes_in_the_room(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    erasures = PostgresErasures(pool)
    lines = ["출시일은 십이월로 하겠습니다.", "I will write it up."]
    async with held(database.url, redis_url, tmp_path) as world:
        await said(world, ("minji", lines[0]), ("ben", lines[1]))
        await erasures.hold(world.id, held=True)
        await order(world, "ben", "/off 240m")
        await order(world, "minji", "/me no erase")
        await asyncio.sleep(3)
        assert await texts(world, pool) == lines
        assert world.shown == lines
        await erasures.hold(world.id, held=False)
        await until(lambda: world.shown.count("") >= 2, within_s=15)
        async with asyncio.timeout(30):
            while await erasures.waiting(world.id):
                await asyncio.sleep(0.1)
    assert await texts(world, pool) == ["", ""]


@SECRETS
async def test_a_line_that_was_moved_goes_with_who_spoke_it(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path, *, secret: str, word: str
) -> None:
    erasures = PostgresErasures(pool)
    async with held(database.url, redis_url, tmp_path) as world:
        await said(world, ("alice", secret), ("ben", "좋습니다."))
        await correct(world, UtteranceFix(of="utterance", utterance=1, text=secret, speaker="ben"))
        await until(lambda: len(world.shown) == 3)
        (beside,) = await erasures.beside("alice", world.id)
        assert (beside.utterances, beside.moved_away, beside.moved_here) == (1, (1,), ())
        (beside,) = await erasures.beside("ben", world.id)
        assert (beside.utterances, beside.moved_away, beside.moved_here) == (1, (), (1,))
        assert await erasures.owners(world.id, [1, 2, 99]) == {"alice", "ben"}
        await erasures.ask(
            Target(what="person", person="ben"), id_="b", actor=operator("ops"), meeting_id=world.id
        )
        await carried_out(erasures, "b")
        assert await texts(world, pool) == [secret, ""]
    code, told, _ = await moim(database, redis_url, tmp_path, "erase", "--person", "alice")
    assert (code, told["done"], told["steps"][0]["counts"]["utterances"]) == (0, True, 1)
    assert await found(word, database, redis_url, tmp_path) == []


async def test_merged_ids_are_listed_and_taken_once_confirmed(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    erasures = PostgresErasures(pool)
    async with held(database.url, redis_url, tmp_path) as world:
        await said(world, ("minji", "하나"), ("alice", "둘"))
        await correct(world, PersonFix(of="person", person="minji", name="Alice", into="alice"))
        async with asyncio.timeout(10):
            while not (await erasures.beside("alice", world.id))[0].merged:
                await asyncio.sleep(0.05)
        await order(world, "alice", "/me no erase")
        await until(lambda: world.shown[-1] == "")
        assert await texts(world, pool) == ["하나", ""]
    code, _, said_ = await moim(database, redis_url, tmp_path, "erase", "--person", "alice")
    assert (code, "minji (--also confirms)" in said_) == (0, True), said_
    assert await texts(world, pool) == ["하나", ""]
    code, _, said_ = await moim(
        database, redis_url, tmp_path, "erase", "--person", "alice", "--also", "minji"
    )
    assert code == 0, said_
    assert await texts(world, pool) == ["", ""]


@pytest.mark.parametrize(
    "actor", [Actor(kind="link", id="5c1d", own=("guest",)), participant("ben"), Actor(kind="token", id="t")]
)
async def test_who_may_not_have_it_is_refused_where_it_is_carried_out(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path, actor: Actor
) -> None:
    erasures = PostgresErasures(pool)
    async with held(database.url, redis_url, tmp_path) as world:
        await said(world, ("minji", "하나"), ("alice", "둘"))
        for number, target in enumerate(
            (
                Target(what="meeting"),
                Target(what="utterances", utterances=(1, 2)),
                Target(what="person", person="minji"),
                Target(what="stretch"),
            )
        ):
            await erasures.ask(target, id_=f"e{number}", actor=actor, meeting_id=world.id)
            await carried_out(erasures, f"e{number}")
            (step,) = (await done(erasures, f"e{number}")).steps
            assert (step.counts["utterances"], "words of others" in (step.refused or "")) == (0, True)
        assert await texts(world, pool) == ["하나", "둘"]


async def test_a_hold_keeps_all_also_while_postgres_is_away(
    own_postgres: EmbeddedPostgres, redis_url: str, tmp_path: Path
) -> None:
    """It was laid before; the wish is not lost either, and is carried out once the hold is lifted."""
    lines = ["출시일은 십이월로 하겠습니다.", "I will write it up."]
    async with held(own_postgres.url, redis_url, tmp_path) as world:
        await said(world, ("minji", lines[0]), ("ben", lines[1]))
        async with asyncio.timeout(30):
            while await world.recorded() != lines:
                await asyncio.sleep(0.05)
        await _hold(own_postgres.url, world.id, held=True)
        await asyncio.sleep(3)  # its holder looks every two seconds
        await own_postgres.stop()
        await order(world, "minji", "/off 5m")
        await asyncio.sleep(3)
        assert world.shown == lines
        await own_postgres.start()
        await asyncio.sleep(5)
        assert await world.recorded() == lines
        await _hold(own_postgres.url, world.id, held=False)
        async with asyncio.timeout(30):
            while await world.recorded() != ["", ""]:
                await asyncio.sleep(0.1)


async def _hold(url: str, meeting_id: str, *, held: bool) -> None:
    pool = PostgresPool(url)
    await PostgresErasures(pool).hold(meeting_id, held=held)
    await pool.aclose()


async def test_a_line_that_came_after_its_erasure_gets_no_words_by_a_correction(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    erasures = PostgresErasures(pool)
    async with held(database.url, redis_url, tmp_path) as world:
        await said(world, ("ben", "시작합시다."), ("minji", "저는 반대합니다."))
        await erasures.ask(
            Target(what="person", person="minji"), id_="e", actor=operator("ops"), meeting_id=world.id
        )
        await carried_out(erasures, "e")
        late = SegmentMessage(id="late", speaker="minji", text="나중에 온 말.", start_ms=100, end_ms=900)
        await world.bus.send_segment(world.id, late)
        for number in (2, 3):
            await correct(world, UtteranceFix(of="utterance", utterance=number, text="저는 사임합니다."))
        await correct(world, UtteranceFix(of="utterance", utterance=1, text="시작하죠."))
        await until(lambda: world.shown[-1] == "시작하죠.")
    assert await texts(world, pool) == ["시작하죠.", "", ""]

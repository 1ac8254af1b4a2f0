"""Erased words are in no table, no stream and no file; what is left goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import asyncpg
import pytest

from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import (
    Event,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    UtteranceSpoken,
)
from context.events.topic_events import SummaryReady
from context.models import Statement, Summary
from context.ports import RecordedEvent
from tests.conftest import Database
from tests.contracts.world import World as RecordWorld
from tests.contracts.world import world_in_postgres
from tests.fakes.waiting import until
from tests.fakes.webhook import Webhook
from tests.integration.conftest import say, text_worker
from tests.integration.erasing import differing, done, folded_from_events, found, kept, moim
from tests.integration.text_meetings import held
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresLateWords, PostgresStore
from worker.adapters.redis_bus import RedisBus
from worker.bootstrap.database import Database as AppDatabase
from worker.bootstrap.parts import correcting
from worker.embedded.postgres import EmbeddedPostgres
from worker.meeting.correcting import Correcting
from worker.messages import AskMessage
from worker.ports import Holder
from worker.record.restoring import load_meeting

pytestmark = pytest.mark.postgres

_LINES = {
    "ko": ("예산은 이억 원으로 하기로 했습니다.", "보안 감사는 두루미재단에 맡기기로 결정했습니다.", "감사 결과는 금요일까지 제가 정리할게요."),
    "en": ("We decided that the budget is two million.", "We agreed to give the audit to Heronwood.", "I will write up the audit by Friday."),
}  # fmt: skip
_WORD = {"ko": "두루미재단", "en": "Heronwood"}


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
                Target(what="utterances", utterances=(2,)),
                id_=id_,
                actor=operator("ops"),
                by="민지",
                meeting_id=world.id,
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
    assert (
        await erasures.ask(
            target, id_=id_, actor=operator("ops"), by="dpo", meeting_id=world.id if whole else None
        )
        == 1
    )
    assert list(await erasures.meetings(5)) == [world.id]
    await correcting(world.shared, AppDatabase(pool)).erase(world.id)
    assert list(await erasures.meetings(5)) == []
    receipt = await done(erasures, id_)
    assert receipt.done
    assert await found(word, database, redis_url, tmp_path) == []
    meeting = await load_meeting(PostgresStore(pool), world.id, world.shared.settings)
    assert [u.text for u in meeting.utterances] == ["", "", ""]
    assert differing(await folded_from_events(world.shared, meeting), meeting) == {}


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
        assert (code, told["done"]) == (0, True), said
        assert told["by"].endswith(" (“민지”)"), "nobody has checked that name"
        assert await found(word, database, redis_url, tmp_path) == []
        code, _, said = await moim(database, redis_url, tmp_path, "consent", world.id, "minji", "no")
        assert code == 0, said
        await world.say("이 말은 듣지 않습니다.", who="minji")
        await world.say("저는 괜찮습니다.", who="ben")
        await until(lambda: world.shown[-1] == "저는 괜찮습니다.")
        assert "이 말은 듣지 않습니다." not in world.shown
        meeting = await load_meeting(PostgresStore(pool), world.id, world.shared.settings)
        assert meeting.attendance.people["minji"].agreed is False
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
    dice, erasures, kills = Random(21), PostgresErasures(pool), int(os.environ.get("MOIM_TEST_KILLS", "12"))
    async with held(database.url, redis_url, tmp_path) as world:
        await world.say(*(f"서버 이야기를 해 보죠. {number}번째입니다." for number in range(30)))
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
            Target(what="utterances", utterances=(31 + number,)),
            id_=id_,
            actor=operator("ops"),
            by="ben",
            meeting_id=world.id,
        )
        patience_s = 0.06
        while not (await done(erasures, id_)).done:
            rewriting = Correcting(
                PostgresStore(pool), leases, shared.thinker, shared.settings, passages=shared.indexers,
                bus=None, clock=shared.clock, erasures=erasures, shown=None,
            )  # fmt: skip
            erasing = asyncio.ensure_future(rewriting.erase(world.id))
            await asyncio.wait({erasing}, timeout=dice.uniform(0.0, patience_s))
            patience_s *= 1.1  # on a busy machine no attempt would ever be over otherwise
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


MARKED = 25
"""Words of the person in each of twenty meetings, each of them said nowhere else."""


def words_of(meeting: int) -> list[str]:
    return [f"두루{meeting:02}미{number:02}" for number in range(MARKED)]


def recorded(meeting: int) -> list[Event]:
    """A meeting of two with a summary: statements that rest on Ben's words alone, and on Minji's as well."""
    happened: list[Event] = [
        MeetingOpened(meeting_id=f"m-{meeting}", topics_beside=True),
        MeetingStarted(at=datetime(2026, 1, 5, 5, tzinfo=UTC)),
        ParticipantJoined(participant_id="minji", name="김민지", at_ms=0),
        ParticipantJoined(participant_id="ben", name="Ben", at_ms=0),
    ]
    alone, both = [], []
    for number, word in enumerate(words_of(meeting)):
        for who, text in (
            ("minji", f"{number}번 자료는 괜찮습니다."),
            ("ben", f"{word} 건은 제가 맡겠습니다."),
        ):
            spoken_before = sum(isinstance(event, UtteranceSpoken) for event in happened)
            happened.append(
                UtteranceSpoken(
                    key=f"{who}{number}", speaker_id=who, speaker_name=who, text=text,
                    start_ms=spoken_before * 2_000, end_ms=spoken_before * 2_000 + 1_500,
                )
            )  # fmt: skip
        hers, his = 2 * number + 1, 2 * number + 2
        alone.append(
            Statement(text=f"{word} 건은 Ben이 맡는다.", evidence=(his,), kind="action", status="open")
        )
        both.append(Statement(text=f"{number}번 자료: {word}", evidence=(hers, his), status="decided"))
    summary = Summary(
        text=" ".join(s.text for s in both),
        sentences=tuple(both),
        decisions=tuple(both),
        pending=tuple(alone),
    )
    happened.append(
        SummaryReady(
            topic_id="t1", version=1, reason="closing", covered_until=2 * MARKED, content=summary, engine="model",
            topic_name=words_of(meeting)[0],
        )
    )  # fmt: skip
    return [*happened, MeetingEnded(at_ms=200_000, reason="over")]


async def over(world: RecordWorld, meeting: int) -> None:
    epoch = await world.hold(f"m-{meeting}")
    events = [RecordedEvent(seq=seq, event=event) for seq, event in enumerate(recorded(meeting), 1)]
    await world.store.append(f"m-{meeting}", epoch, events)
    await world.registry.mark_ended(f"m-{meeting}", epoch, datetime(2026, 1, 5, 6, tzinfo=UTC))
    await world.leases.release(f"m-{meeting}", epoch)


async def test_one_person_of_twenty_meetings_is_nowhere_and_the_others_are_unharmed(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    """Eighteen are over, two go on, and of one a dead machine brings words after the erasure."""
    erasures, world = PostgresErasures(pool), world_in_postgres(pool, database)
    for meeting in range(18):
        await over(world, meeting)
    marked = [word for meeting in range(20) for word in words_of(meeting)]
    first_of_each = [words_of(meeting)[0] for meeting in range(18)]
    async with (
        held(database.url, redis_url, tmp_path / "a", meeting_id="live-1") as one,
        held(database.url, redis_url, tmp_path / "b", meeting_id="live-2") as other,
    ):
        for meeting, live in ((18, one), (19, other)):
            await live.say("시작합시다.")
            await live.say(*(f"{word} 건은 제가 맡겠습니다." for word in words_of(meeting)), who="ben")
            await until(lambda live=live: len(live.shown) == MARKED + 1)
        for word in (*first_of_each, marked[-1]):
            assert await found(word, database, redis_url, tmp_path)
        assert (
            await erasures.ask(
                Target(what="person", person="ben"), id_="gone", actor=operator("ops"), by="Ben"
            )
            == 20
        )
        rewriting = correcting(one.shared, AppDatabase(pool))
        for meeting_id in await erasures.meetings(100):
            await rewriting.erase(meeting_id)
        async with asyncio.timeout(60):
            while not (await done(erasures, "gone")).done:
                await asyncio.sleep(0.1)
        await one.say("그럼 이만 마치죠.")
        await until(lambda: one.shown[-1] == "그럼 이만 마치죠.")
        late = UtteranceSpoken(
            key="late",
            speaker_id="ben",
            speaker_name="ben",
            text=f"{marked[0]} 늦은 말",
            start_ms=0,
            end_ms=900,
        )
        assert await PostgresLateWords(pool).offer("m-0", [late]) == 0, "nobody would leave it out there"
    everything = await kept(database, redis_url, tmp_path)
    assert [(word, place) for place, text in everything.items() for word in marked if word in text] == []
    for meeting in range(18):
        whole = await load_meeting(PostgresStore(pool), f"m-{meeting}", one.shared.settings)
        assert [u.text for u in whole.utterances[::2]] == [f"{n}번 자료는 괜찮습니다." for n in range(MARKED)]
        (topic,) = whole.segments
        assert [(s.text, s.evidence) for s in topic.notes.decisions] == [
            (f"{n}번 자료는 괜찮습니다.", (2 * n + 1,)) for n in range(MARKED)
        ], "in others' words, where those support it too"
        assert topic.notes.pending == ()
        assert differing(await folded_from_events(one.shared, whole), whole) == {}


async def test_what_is_taken_back_while_postgres_is_away_is_gone_once_it_is_there(
    own_postgres: EmbeddedPostgres, redis_url: str, tmp_path: Path
) -> None:
    """Nobody sees it any more at once; the disk that holds the record meanwhile gives it up with the record."""
    word = _WORD["ko"]
    async with held(own_postgres.url, redis_url, tmp_path) as world:
        await world.say(_LINES["ko"][0])
        await until(lambda: len(world.shown) == 1)
        await own_postgres.stop()
        await world.say(_LINES["ko"][1])
        await until(lambda: len(world.shown) == 2)
        await world.bus.ask(world.id, AskMessage(id="off", by="minji", text="/off 5m"))
        await until(lambda: world.shown[-1] == "")
        await own_postgres.start()
        database = Database(url=own_postgres.url, admin_url=own_postgres.admin_url)
        async with asyncio.timeout(60):
            while await found(word, database, redis_url, tmp_path):
                await asyncio.sleep(0.2)
    meeting = await load_meeting(world.shared.store, world.id, world.shared.settings)
    assert [u.text for u in meeting.utterances] == ["", ""]


async def test_of_a_meeting_whose_holder_was_killed_the_next_one_erases(
    database: Database, pool: PostgresPool, redis_url: str, tmp_path: Path
) -> None:
    word, erasures, registry = _WORD["ko"], PostgresErasures(pool), PostgresRegistry(pool)
    await registry.want(None, meeting_id="m-1")
    bus = RedisBus(redis_url)
    async with Webhook().running() as hook:
        pushing = {"MOIM_WEBHOOK_URL": hook.url, "MOIM_WEBHOOK_SECRET": hook.secret}
        first = await text_worker(database, redis_url, tmp_path / "a", **pushing)
        await say(bus, "m-1", _LINES["ko"], who="ben")
        async with asyncio.timeout(60):
            while word not in (await kept(database, redis_url, tmp_path))["utterances"]:
                await asyncio.sleep(0.05)
        first.kill()
        await first.wait()
        await erasures.ask(Target(what="person", person="ben"), id_="gone", actor=operator("ops"), by="Ben")
        second = await text_worker(database, redis_url, tmp_path / "b", **pushing)
        async with asyncio.timeout(60):
            while not (await done(erasures, "gone")).done:
                await asyncio.sleep(0.1)
        assert await found(word, database, redis_url, tmp_path) == []
        async with asyncio.timeout(30):
            while "erased" not in [body["kind"] for body in hook.taken]:
                await asyncio.sleep(0.1)
        second.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(second.wait(), 30) == 0
    await bus.aclose()
    told = next(body["erased"] for body in hook.taken if body["kind"] == "erased")
    assert (told["by"], told["utterances"]) == ("Ben", [1, 2, 3])

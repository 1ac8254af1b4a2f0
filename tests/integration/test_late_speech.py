"""What is no text when its meeting ends is recognised afterwards: by its worker, into the record, once."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.privacy_events import ConsentTold
from tests.conftest import Database
from tests.fakes.outlet import FakeOutlet
from tests.integration.late_speech import WORDS, world_of
from worker.bootstrap.parts import correcting
from worker.configuration.settings import Settings
from worker.fleet.closing_from_record import close_from_record
from worker.holder import late_words, orphaned_sound_logs
from worker.holder.late_words import LateWords
from worker.holder.presence import Presence

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.participants.closing.LAST_WORDS_DEADLINE_S", 0.3)
    monkeypatch.setattr(orphaned_sound_logs, "TAKEN_UP_S", -1.0)


async def test_what_is_no_text_at_the_end_comes_late_and_once(database: Database, tmp_path: Path) -> None:
    async with world_of(database, tmp_path) as world:
        await world.hold_and_end()
        row = await world.shared.tables.registry.get("m-1")
        assert row is not None
        assert row.status == "ended"
        before = await world.document()
        assert before["utterances"] == before["gaps"] == []
        assert 3_900 <= await world.waiting_ms() == before["meeting"]["waiting_ms"] <= 4_400
        for person in before["participants"]:
            assert person["speech"]["heard_ms"] == person["speech"]["waiting_ms"] > 0
        assert [path.suffix for path in world.kept] == [".speech"] * 4
        killed = world.late()
        await killed.step()
        for track in killed._tracks.values():  # SIGKILL: what was under way is forgotten, and not the sound
            await track.aclose()
        world.engine.away = False
        left = {path: path.read_bytes() for path in world.kept}
        await world.work_off(world.late())
        assert world.kept == []
        some = list(left.items())[:2]
        for path, data in some:  # it had offered these, and died before it deleted them
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        await world.fold()
        await world.work_off(world.late())
        await world.fold()
        after = await world.document()
        assert [line["text"] for line in after["utterances"]] == WORDS
        assert all(line["late"] for line in after["utterances"])
        assert "waiting_ms" not in after["meeting"]
        assert await world.waiting_ms() == 0
        assert after["meeting"]["status"] == "ended"
        assert after["gaps"] == []
        for person, earlier in zip(after["participants"], before["participants"], strict=True):
            assert person["speech"]["transcribed_ms"] == earlier["speech"]["heard_ms"]
            assert person["speech"]["heard_ms"] == earlier["speech"]["heard_ms"]
        (topic,) = after["topics"]
        assert topic["last_utterance"] == topic["covered_until"] == 4
        assert topic["summary"]


async def test_words_that_come_in_pieces_count_down(database: Database, tmp_path: Path) -> None:
    async with world_of(database, tmp_path) as world:
        await world.hold_and_end()
        whole_ms = await world.waiting_ms()
        last = [path for path in world.kept if b'"ben"' in path.read_bytes()]
        aside = {path: path.read_bytes() for path in last}
        for path in last:
            path.unlink()
        world.engine.away = False
        await world.work_off(world.late())
        await world.fold()
        assert 0 < await world.waiting_ms() < whole_ms
        assert (await world.document())["meeting"]["waiting_ms"] == await world.waiting_ms()
        for path, data in aside.items():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        await world.work_off(world.late())
        await world.fold()
        assert await world.waiting_ms() == 0
        assert [line["text"] for line in (await world.document())["utterances"]] == WORDS


@pytest.mark.parametrize("how", ["erased", "refuses"])
async def test_who_is_erased_or_refuses_meanwhile_is_heard_no_more(
    database: Database, tmp_path: Path, how: str
) -> None:
    async with world_of(database, tmp_path) as world:
        await world.hold_and_end()
        late = world.late()
        await late.step()  # both are under way
        await asyncio.sleep(0.1)
        if how == "erased":
            await world.tables.erasures.ask(
                Target(what="person", person="minji"),
                id_="e1",
                actor=operator("root"),
                by="root",
                meeting_id="m-1",
            )
        else:
            told = ConsentTold(participant_id="minji", agreed=False, how="command", at_ms=10_000)
            assert await world.tables.late.refused("m-1", told)
        await late.step()
        assert len(world.kept) == 2
        assert not any(b"minji" in path.read_bytes() for path in world.kept)
        world.engine.away = False
        await world.work_off(late)
        await world.fold()
        shape = await world.document()
        assert [line["text"] for line in shape["utterances"]] == WORDS[2:]
        assert {gap["participant"] for gap in shape["gaps"]} == {"minji"}
        assert {gap["reason"] for gap in shape["gaps"]} == {"off_record"}
        assert await world.waiting_ms() == 0


async def test_a_job_that_is_killed_with_sound_that_waits_loses_none_of_it_though_nobody_goes_on(
    database: Database, tmp_path: Path
) -> None:
    async with world_of(database, tmp_path) as world:
        job = await world.job()

        async def enter(presence: Presence) -> None:
            world.enter(job, presence)
            await presence.session.settle()
            await presence.session.recorder.settled(presence.session.seq)
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await job.run(FakeOutlet(), enter, engine=world.engine)
        for piece in world.kept:
            piece.rename(piece.with_name(piece.name.replace(str(os.getpid()), "999999999")))
        await close_from_record(world.shared, "m-1")
        await asyncio.sleep(8.5)  # then it has all been said
        world.engine.away = False
        late = world.late()
        assert await late.step() == 4
        await world.fold()
        assert await world.waiting_ms() > 0
        assert [path.suffix for path in world.kept] == [".speech"] * 4
        await world.work_off(late)
        await world.fold()
        shape = await world.document()
        assert [line["text"] for line in shape["utterances"]] == WORDS
        assert await world.waiting_ms() == 0
        assert world.kept == []


async def test_sound_that_is_gone_with_its_machine_becomes_a_gap(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world_of(database, tmp_path) as world:
        await world.hold_and_end()
        assert await world.tables.late.unseen(600, 10) == []
        assert list(await world.tables.late.unseen(0, 10)) == ["m-1"]
        await world.late().step()  # it is still there
        await asyncio.sleep(0.2)
        assert await world.tables.late.unseen(0.19, 10) == ["m-1"]
        monkeypatch.setattr(late_words, "GONE_AFTER_S", 0.19)
        await correcting(world.shared, world.tables).add_late(
            "m-1", lambda session: LateWords(world.tables.late, session, world.shared.metrics).give_up()
        )
        shape = await world.document()
        assert [gap["reason"] for gap in shape["gaps"]] == ["stt_timeout"] * 4
        assert await world.waiting_ms() == 0
        for person in shape["participants"]:
            assert person["speech"]["heard_ms"] == person["speech"]["lost_ms"]["stt_timeout"] > 0


async def test_what_others_left_on_this_machine_is_let_alone_and_of_a_meeting_that_is_gone_deleted(
    database: Database, tmp_path: Path
) -> None:
    async with world_of(database, tmp_path) as world:
        await world.hold_and_end()
        others = replace(world, settings=world.settings.model_copy(deep=True))
        database_url = world.settings.database.url.get_secret_value().replace("127.0.0.1", "localhost")
        other = Settings.from_env({"DATABASE_URL": database_url, "MOIM_STATE_DIR": str(tmp_path)})
        others.settings = other
        assert await others.late().step() == 0
        assert len(world.kept) == 4
        for path in world.kept:
            path.write_bytes(path.read_bytes().replace(b'"m-1"', b'"m-9"'))
        assert await world.late().step() == 0
        assert world.kept == []


@pytest.mark.parametrize("away", [False, True])
async def test_a_worker_that_stops_writes_what_waits_within_its_deadline(
    database: Database, tmp_path: Path, *, away: bool
) -> None:
    async with world_of(database, tmp_path) as world:
        await world.hold_and_end()
        stop = asyncio.Event()
        world.engine.away = away
        # While the engine is away this ends at the deadline alone; else it ends long before it.
        async with world.late().working(stop, 3.0 if away else 3600.0):
            stop.set()
            await asyncio.sleep(0)
        assert len(world.kept) == (4 if away else 0)

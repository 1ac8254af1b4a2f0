"""Spools of dead jobs: what they heard reaches the record through whoever holds the meeting now, once."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from context.erasure.erased_record import erased
from context.events import events
from context.events.actors import operator, participant
from context.events.erasure_target import Target
from context.events.privacy_events import ConsentTold, Erased, RecordingPaused, RecordingResumed
from context.fold.meeting import Meeting
from tests.conftest import Database
from tests.contracts.events import NINE
from tests.contracts.world import OTHER, World
from tests.fakes.bus import FakeBus
from tests.fakes.meeting import SETTINGS
from tests.fakes.waiting import until
from tests.integration.spooled_lines import EN, KO, recorded, said
from tests.integration.text_meetings import held
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_people import PostgresConsents
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_store import PostgresLateWords
from worker.adapters.redis_bus import RedisBus
from worker.bootstrap.parts import parts
from worker.configuration.settings import Settings
from worker.fleet.closing_from_record import close_from_record
from worker.holder import late_words
from worker.holder.orphaned_spools import OrphanedSpools
from worker.monitoring.metrics import Metrics
from worker.record.spool import Spool

pytestmark = pytest.mark.postgres


def left_behind(folder: Path, meeting_id: str, said: Sequence[events.Event], tenant: str = "default") -> Path:
    """The spool of a job that is dead."""
    spool = Spool(folder, meeting_id, tenant)
    spool.append(recorded(*said, after=7))
    spool.let_go()
    return spool.path


def carrier(
    pool: PostgresPool,
    world: World,
    folder: Path,
    metrics: Metrics | None = None,
    commands: FakeBus | RedisBus | None = None,
) -> OrphanedSpools:
    late, erasures, metrics = PostgresLateWords(pool), PostgresErasures(pool), metrics or Metrics()
    return OrphanedSpools(
        folder, pool.tenant, world.registry, late, erasures, metrics=metrics, commands=commands
    )


def outcomes(metrics: Metrics) -> dict[str, float]:
    found = {}
    for outcome in ("offered", "folded", "kept"):
        labels = {"outcome": outcome}
        found[outcome] = metrics.registry.get_sample_value("moim_late_words_total", labels) or 0
    return {outcome: count for outcome, count in found.items() if count}


async def test_what_a_dead_job_heard_is_folded_by_the_present_holder_once(  # noqa: PLR0917 - fixtures
    database: Database,
    pool: PostgresPool,
    redis_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    world: World,
) -> None:
    monkeypatch.setattr(late_words, "LOOK_EVERY_S", 0.1)
    folder = tmp_path / "machine-a" / "spool"
    async with held(database.url, redis_url, tmp_path) as meeting:
        await meeting.say("첫 번째 말입니다.", "And this is on record.")
        await until(lambda: len(meeting.shown) == 2)
        heard_again = said("minji@2100", "첫 번째 말이요.", 2100)  # 2000 to 3500 is on record
        path = left_behind(folder, meeting.id, [said("s2", "other text", 4000), heard_again])
        spool = Spool(folder, meeting.id)
        spool.append(recorded(said("ben@9000", EN, 9000, "ben"), said("minji@7000", KO, 7000), after=9))
        spool.let_go()
        metrics = Metrics()
        orphans = carrier(pool, world, folder, metrics)
        assert await orphans.step() == {path: "left"}, "its holder, on this machine, may be about to read it"
        assert await orphans.step() == {path: "offered"}
        assert not path.exists()
        await until(lambda: len(meeting.shown) == 4)
        assert meeting.shown[2:] == [KO, EN], "in the order in which it was spoken"
        for entry in meeting.out:
            if entry["kind"] == "utterance" and entry["text"] == KO:
                assert entry["durable"]
        late = PostgresLateWords(pool)
        async with asyncio.timeout(30):
            while await late.waiting(meeting.id, 10):
                await asyncio.sleep(0.05)
        # The same spool again, from a backup or another machine: everything but the covered turn is known.
        left_behind(folder, meeting.id, [said("ben@9000", EN, 9000, "ben"), said("minji@7000", KO, 7000)])
        assert await orphans.step() == {path: "left"}
        assert await orphans.step() == {path: "known"}
        assert await meeting.recorded() == ["첫 번째 말입니다.", "And this is on record.", KO, EN]
        assert outcomes(metrics) == {"offered": 3}
    assert meeting.shown == ["첫 번째 말입니다.", "And this is on record.", KO, EN]


async def test_an_open_meeting_that_nobody_holds_is_left_to_its_next_holder(
    pool: PostgresPool, tmp_path: Path, world: World
) -> None:
    await world.registry.want("room-1", meeting_id="m-1")
    path = left_behind(tmp_path, "m-1", [said("k1", KO, 0)])
    for _ in range(3):
        assert await carrier(pool, world, tmp_path).step() == {path: "left"}
    assert [r.event for r in Spool(tmp_path, "m-1").read()] == [said("k1", KO, 0)]


async def test_a_meeting_whose_room_went_while_the_record_was_away_ends_with_what_was_heard_last(
    pool: PostgresPool, database: Database, tmp_path: Path, world: World
) -> None:
    """Its job spooled the last words and is gone, on a machine that the dispatcher is not on."""
    epoch = await world.hold()
    at_first = said("k1", "첫 번째 말입니다.", 0)
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE), at_first))
    await world.leases.release("m-1", epoch)
    path = left_behind(tmp_path / "machine-a", "m-1", [said("k2", KO, 4000), said("k3", EN, 8000)])
    metrics = Metrics()
    orphans = carrier(pool, world, path.parent, metrics)
    assert await orphans.step() == {path: "left"}
    assert await orphans.step() == {path: "left"}
    assert await closed_texts(database, world, tmp_path / "machine-b") == [at_first.text, KO, EN]
    assert await orphans.step() == {path: "known"}
    assert outcomes(metrics) == {"offered": 2}


async def closed_texts(database: Database, world: World, state_dir: Path) -> list[str]:
    """What was said in a meeting, once it has been closed from its record."""
    settings = Settings.from_env(
        {"DATABASE_URL": database.url, "MOIM_STATE_DIR": str(state_dir), "REDIS_URL": ""}
    )
    async with parts(settings) as shared:
        await close_from_record(shared, "m-1")
    assert (await world.row()).status == "ended"
    stored = await world.store.load("m-1", use_snapshot=False)
    assert stored is not None
    return [one.event.text for one in stored.events if isinstance(one.event, events.UtteranceSpoken)]


async def test_late_words_that_add_nothing_hide_none_that_wait_behind_them(
    pool: PostgresPool, database: Database, tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_words, "_TURNS_AT_ONCE", 1)
    epoch = await world.hold()
    at_first = said("k1", "첫 번째 말입니다.", 0)
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE), at_first))
    await world.leases.release("m-1", epoch)
    late, heard_again = PostgresLateWords(pool), said("minji@100", "첫 번째 말이요.", 100)
    await late.offer("m-1", [heard_again, said("k2", KO, 4000), said("k3", EN, 8000)])
    assert await closed_texts(database, world, tmp_path) == [at_first.text, KO, EN]
    assert await late.over(10) == []


async def test_nothing_is_added_to_a_meeting_that_has_ended_and_that_is_told(
    pool: PostgresPool, tmp_path: Path, world: World
) -> None:
    epoch = await world.hold()
    on_record = said("k1", KO, 0)
    over = events.MeetingEnded(at_ms=5000, reason="left")
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE), on_record, over))
    await world.registry.mark_ended("m-1", epoch, NINE)
    metrics = Metrics()
    orphans = carrier(pool, world, tmp_path, metrics)
    path = left_behind(tmp_path, "m-1", [on_record])
    assert await orphans.step() == {path: "known"}
    assert not path.exists(), "nothing of it is missing"
    path = left_behind(tmp_path, "m-1", [on_record, said("k2", EN, 2000)])
    with capture_logs() as logs:
        assert await orphans.step() == {path: "kept"}
        assert await orphans.step() == {}, "told once"
    kept = path.with_suffix(".kept")
    assert EN in kept.read_text(encoding="utf-8")
    assert outcomes(metrics) == {"kept": 1}
    assert [entry["event"] for entry in logs].count("spool_of_ended_meeting") == 1


async def test_what_is_kept_of_an_ended_meeting_is_not_lost_to_a_later_spool_by_its_name(
    pool: PostgresPool, tmp_path: Path, world: World
) -> None:
    epoch = await world.hold()
    over = events.MeetingEnded(at_ms=5000, reason="left")
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE), over))
    await world.registry.mark_ended("m-1", epoch, NINE)
    path = left_behind(tmp_path, "m-1", [said("k1", KO, 0)])
    assert await carrier(pool, world, tmp_path).step() == {path: "kept"}
    erasures = PostgresErasures(pool)
    await erasures.ask(
        Target(what="utterances", utterances=(99,)),
        id_="e1",
        actor=operator("ops"),
        by="ben",
        meeting_id="m-1",
    )
    await erasures.erase("m-1", epoch, "e1", events=(), utterances=())
    assert left_behind(tmp_path, "m-1", [said("k2", EN, 2000)]) == path
    orphans = carrier(pool, world, tmp_path)
    for _ in range(3):  # the later one, both of them anew, nothing more
        await orphans.step()
    kept = path.with_suffix(".kept").read_text(encoding="utf-8")
    assert [words for words in (KO, EN) if words in kept] == [KO, EN]
    assert [each.suffix for each in tmp_path.iterdir() if each.is_file()] == [".kept"]


async def test_another_holder_gets_it_at_once_and_an_end_that_comes_first_is_told(
    pool: PostgresPool, tmp_path: Path, world: World
) -> None:
    await world.registry.want("room-1", meeting_id="m-1")
    epoch = await world.taken(ttl_s=60)
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE)))
    path = left_behind(tmp_path, "m-1", [said("k1", KO, 4000), said("k2", EN, 2000)])
    orphans = carrier(pool, world, tmp_path)
    assert await orphans.step() == {path: "offered"}
    late = PostgresLateWords(pool)
    assert [one.text for one in await late.waiting("m-1", 10)] == [EN, KO]
    await late.offer("m-1", [said("k1", KO, 4000)])
    assert len(await late.waiting("m-1", 10)) == 2, "offered twice counts once"
    await world.registry.mark_ended("m-1", epoch, NINE)
    assert await late.over(10) == [], "its holder may take it yet"
    await world.leases.release("m-1", epoch)
    assert await late.over(10) == ["m-1"], "a dispatcher folds it in"
    await late.taken("m-1", ["k1", "k2"])
    assert await late.over(10) == []


async def test_whose_job_lives_keeps_its_spool_and_a_killed_one_does_not(
    pool: PostgresPool, tmp_path: Path, world: World
) -> None:
    """The lock is the kernel's: SIGKILL ends it."""
    await world.registry.want("room-1", meeting_id="m-1")
    assert await world.leases.acquire("m-1", OTHER, 60)
    script = f"""
import sys, time
from pathlib import Path
from tests.integration.spooled_lines import KO, recorded, said
from worker.record.spool import Spool
spool = Spool(Path({str(tmp_path)!r}), "m-1")
spool.append(recorded(said("k1", KO, 0)))
print("written", flush=True)
time.sleep(600)
"""
    job = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    try:
        assert job.stdout is not None
        assert await asyncio.to_thread(job.stdout.readline) == b"written\n"
        orphans = carrier(pool, world, tmp_path)
        path = Spool(tmp_path, "m-1").path
        assert await orphans.step() == {path: "owned"}
        # A job beside it, e.g. while this one stands still, writes a file of its own.
        beside = Spool(tmp_path, "m-1")
        assert not beside.claim()
        beside.append(recorded(said("k2", EN, 2000)))
        assert beside.path != path
        assert await orphans.step() == {path: "owned", beside.path: "owned"}
        beside.let_go()
        job.send_signal(signal.SIGKILL)
        job.wait(30)
        assert await orphans.step() == {path: "offered", beside.path: "offered"}
        assert [one.text for one in await PostgresLateWords(pool).waiting("m-1", 10)] == [KO, EN]
    finally:
        job.kill()
        job.wait(30)
        assert job.stdout is not None
        job.stdout.close()


async def test_other_tenants_spools_and_broken_ones_are_nobodys(
    pool: PostgresPool, database: Database, tmp_path: Path, world: World
) -> None:
    await world.registry.want("room-1", meeting_id="m-1")
    assert await world.leases.acquire("m-1", OTHER, 60)
    foreign = left_behind(tmp_path, "m-1", [said("k1", KO, 0)], tenant="other")
    unknown = left_behind(tmp_path, "m-2", [said("k1", KO, 0)])
    mine = left_behind(tmp_path, "m-1", [said("k2", EN, 0)])
    assert mine != foreign
    fates = {foreign: "unknown", unknown: "unknown", mine: "offered"}
    assert await carrier(pool, world, tmp_path).step() == fates
    assert [one.text for one in await PostgresLateWords(pool).waiting("m-1", 10)] == [EN]
    other = PostgresPool(database.url, tenant="other")
    try:
        assert await PostgresLateWords(other).waiting("m-1", 10) == []
    finally:
        await other.aclose()


async def test_a_spool_that_is_cleared_while_it_is_looked_for_is_no_trouble(
    pool: PostgresPool, world: World, tmp_path: Path
) -> None:
    ghost = tmp_path / "m-1.jsonl"
    ghost.symlink_to(tmp_path / "cleared")  # a name in the folder, and no file when it is opened
    with capture_logs() as logs:
        assert await carrier(pool, world, tmp_path).step() == {ghost: "owned"}
    assert [entry for entry in logs if entry["log_level"] in {"warning", "error"}] == []


async def test_of_an_ended_meeting_a_spool_keeps_no_word_that_was_taken_back(
    pool: PostgresPool, tmp_path: Path, world: World
) -> None:
    erasures = PostgresErasures(pool)
    epoch = await world.hold()
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE), said("k1", KO, 0)))
    await world.registry.mark_ended("m-1", epoch, NINE)
    path = left_behind(tmp_path, "m-1", [said("k2", KO, 4000), said("k3", EN, 8000, "ben")])
    orphans = carrier(pool, world, tmp_path)
    assert await orphans.step() == {path: "kept"}
    kept = path.with_suffix(".kept")
    assert EN in kept.read_text("utf-8")
    await erasures.ask(
        Target(what="person", person="ben"), id_="e1", actor=operator("ops"), by="ben", meeting_id="m-1"
    )
    await erasures.erase("m-1", epoch, "e1", events=(), utterances=())
    assert await orphans.step() == {path: "kept"}
    assert EN not in kept.read_text("utf-8")
    assert KO in kept.read_text("utf-8")
    await erasures.ask(
        Target(what="meeting"), id_="e2", actor=operator("ops"), by="retention", meeting_id="m-1"
    )
    await erasures.erase("m-1", epoch, "e2", events=(), utterances=())
    assert await orphans.step() == {path: "known"}
    assert not path.exists()
    assert not kept.exists()


@pytest.mark.parametrize("why", ["on hold", "refused"])
async def test_of_an_ended_meeting_a_spool_keeps_what_was_not_taken_back(
    pool: PostgresPool, tmp_path: Path, world: World, why: str
) -> None:
    erasures = PostgresErasures(pool)
    epoch = await world.hold()
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE), said("k1", KO, 0)))
    await world.registry.mark_ended("m-1", epoch, NINE)
    actor = operator("ops") if why == "on hold" else participant("eve")
    await erasures.hold("m-1", held=why == "on hold")
    await erasures.ask(Target(what="person", person="ben"), id_="e1", actor=actor, meeting_id="m-1")
    if why == "refused":
        await erasures.refuse("m-1", epoch, "e1", "words of others")
    path = left_behind(tmp_path, "m-1", [said("k2", KO, 4000), said("k3", EN, 8000, "ben")])
    assert await carrier(pool, world, tmp_path).step() == {path: "kept"}
    assert EN in path.with_suffix(".kept").read_text("utf-8")


@pytest.mark.parametrize("ended", [False, True])
async def test_on_hold_a_spool_keeps_what_its_own_job_took_out(
    pool: PostgresPool, tmp_path: Path, world: World, *, ended: bool
) -> None:
    erasures = PostgresErasures(pool)
    epoch = await world.hold()
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE), said("k1", KO, 0)))
    if ended:
        await world.registry.mark_ended("m-1", epoch, NINE)
    await erasures.hold("m-1", held=True)
    mine = Target(what="person", person="ben")
    taken = {"target": mine, "people": ("ben",), "utterances": (2,), "keys": ("k2",)}
    gone = Erased(id="e", by="ben", actor=participant("ben"), at_ms=20_000, state={"utterances": 2}, **taken)
    path = left_behind(tmp_path, "m-1", [said("k2", EN, 8000, "ben"), gone])
    orphans = carrier(pool, world, tmp_path)
    for _ in range(3):
        assert await orphans.step() == {path: "left"}
    assert EN in path.read_text("utf-8")
    await erasures.hold("m-1", held=False)
    assert [wish.id for wish in await erasures.waiting("m-1")] == ["e"]
    assert await orphans.step() == {path: "known"}


async def test_what_a_dead_job_could_not_have_erased_is_asked_for_by_who_finds_its_spool(
    pool: PostgresPool, tmp_path: Path, world: World
) -> None:
    erasures = PostgresErasures(pool)
    await world.registry.want("room-1", meeting_id="m-1")
    taken = Erased(id="off", by="ben", at_ms=9_000, target=Target(what="stretch"), state={"x": 1})
    left_behind(tmp_path, "m-1", [said("k1", KO, 0), taken])
    await carrier(pool, world, tmp_path).step()
    (wish,) = await erasures.waiting("m-1")
    assert (wish.id, wish.target.what) == ("off", "stretch")


async def test_of_an_ended_meeting_a_spool_keeps_no_stretch_that_was_taken_back(
    pool: PostgresPool, world: World, tmp_path: Path
) -> None:
    """Nor what single turns said that their job had emptied; what was said before and after stays."""
    erasures = PostgresErasures(pool)
    epoch = await world.hold()
    off = Erased(id="off", by="ben", at_ms=200_000, target=Target(what="stretch", since_ms=100_000))
    mine = Target(what="person", person="ben")
    me = Erased(id="me", by="ben", at_ms=200_000, target=mine, people=("ben", "phone"))
    at_first = said("k1", KO, 0)
    await world.store.append("m-1", epoch, recorded(events.MeetingStarted(at=NINE), at_first, off, me))
    await world.registry.mark_ended("m-1", epoch, NINE)
    turns = (1, 4)
    taken = {
        "target": Target(what="utterances", utterances=turns),
        "utterances": turns,
        "keys": ("k1", "emptied"),
    }
    emptied = Erased(id="x", by="ben", at_ms=160_000, state={"utterances": 4}, **taken)
    spooled = [
        said("before", "before", 50_000),
        said("merged", "merged", 55_000, "phone"),
        said("emptied", "emptied", 60_000),
        emptied,
        said("within", "within", 120_000),
        said("after", "after", 250_000),
    ]
    path = left_behind(tmp_path, "m-1", spooled)
    orphans = carrier(pool, world, tmp_path)
    assert await orphans.step() == {path: "kept"}
    kept = path.with_suffix(".kept").read_text("utf-8")
    words = ("before", "merged", "emptied", "within", "after")
    assert [word for word in words if word in kept] == ["before", "after"]
    asked = {wish.id: wish.target.utterances for wish in await erasures.waiting("m-1")}
    assert asked["x"] == (1,), "what is not on the record has no number there"


@pytest.mark.parametrize("older", [False, True], ids=["with its keys", "of a job that wrote no keys"])
async def test_a_turn_that_a_dead_job_emptied_is_offered_to_nobody_whatever_else_its_spool_holds(
    pool: PostgresPool, world: World, tmp_path: Path, *, older: bool
) -> None:
    """A turn that was on the record before stands there once more, and some fell into a pause: no numbers."""
    erasures, epoch, meeting = PostgresErasures(pool), await world.hold(), Meeting("m-1", SETTINGS.context)
    before = [events.MeetingStarted(at=NINE), said("k1", "on record", 0)]
    await world.store.append("m-1", epoch, recorded(*before))
    spooled = [
        said("k1", "on record", 0),
        said("secret", "secret", 2_000),
        RecordingPaused(by="ben", at_ms=10_000),
        *(said(f"paused {number}", "paused", 12_000 + number * 2_000) for number in range(2)),
        RecordingResumed(by="ben", at_ms=20_000),
        said("plain", "plain", 22_000),
    ]
    for event in (*before, *spooled):
        meeting.receive(event)
    target = Target(what="utterances", utterances=(1, 2))
    made = erased(meeting, target, id_="e1", actor=operator("ops"), by="ben", at_ms=30_000)
    assert made is not None
    taken_out = made[0].model_copy(update={"keys": ()}) if older else made[0]
    left_behind(tmp_path, "m-1", [*spooled, taken_out, said("later", "later", 40_000)])
    await carrier(pool, world, tmp_path).step()
    offered = {turn.text for turn in await PostgresLateWords(pool).waiting("m-1", 10)}
    assert "secret" not in offered
    assert {"plain", "later"} - offered == ({"plain"} if older else set()), "rather one too many is withheld"
    asked = {wish.id: wish.target.utterances for wish in await erasures.waiting("m-1")}
    assert asked == ({} if older else {"e1": (1,)}), "what is not on the record has no number there"


async def test_a_wish_that_no_message_can_tell_keeps_no_other_spool_waiting(
    pool: PostgresPool, world: World, tmp_path: Path
) -> None:
    for number in (1, 2):
        await world.registry.want(f"room-{number}", meeting_id=f"m-{number}")
        assert await world.leases.acquire(f"m-{number}", OTHER, 60)
    odd = ConsentTold(participant_id="a\nb", agreed=False, how="chat", at_ms=1_000)
    too_long = odd.model_copy(update={"participant_id": "x" * 1_001})
    pause = RecordingPaused(by=" ", at_ms=1_000)
    first = left_behind(tmp_path, "m-1", [odd, too_long, pause, said("k1", KO, 0)])
    second = left_behind(tmp_path, "m-2", [said("k1", EN, 0)])
    with capture_logs() as logs:
        assert await carrier(pool, world, tmp_path).step() == {first: "left", second: "offered"}
    late = PostgresLateWords(pool)
    assert [[turn.text for turn in await late.waiting(f"m-{n}", 10)] for n in (1, 2)] == [[KO], [EN]]
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["wish_untellable"], "once"


async def test_a_no_and_a_pause_that_a_dead_job_could_not_record_reach_the_present_holder(
    database: Database, pool: PostgresPool, world: World, redis_url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "machine-a" / "spool"
    async with held(database.url, redis_url, tmp_path) as meeting:

        def told() -> list[str]:
            return [entry["status"] for entry in meeting.out if entry["kind"] == "status"]

        await meeting.say("첫 번째 말입니다.", who="ben")
        await until(lambda: len(meeting.shown) == 1)
        no = ConsentTold(participant_id="ben", agreed=False, how="chat", at_ms=1_000)
        path = left_behind(folder, meeting.id, [no])
        orphans = carrier(pool, world, folder, commands=meeting.bus)
        assert [await orphans.step(), await orphans.step()] == [{path: "left"}, {path: "offered"}]
        assert not path.exists()
        await until(lambda: "consent" in told())
        await meeting.say("이 말은 듣지 않습니다.", who="ben")
        await meeting.say(KO, who="minji")
        await until(lambda: meeting.shown[-1] == KO)
        left_behind(folder, meeting.id, [RecordingPaused(by="ben", at_ms=1_000, off_the_record=True)])
        assert [await orphans.step(), await orphans.step()] == [{path: "left"}, {path: "offered"}]
        await until(lambda: "off_the_record" in told())
        await meeting.say("이 말은 적지 않습니다.", who="minji")
    assert meeting.shown == ["첫 번째 말입니다.", KO]


async def test_what_people_have_said_since_stands_and_without_redis_a_no_waits(
    pool: PostgresPool, world: World, tmp_path: Path
) -> None:
    await world.registry.want("room-1", meeting_id="m-1")
    epoch = await world.taken(ttl_s=60)
    yes = ConsentTold(participant_id="ben", agreed=True, how="chat", at_ms=9_000)
    course = [
        events.MeetingStarted(at=NINE),
        yes,
        RecordingPaused(by="ben", at_ms=7_000),
        RecordingResumed(by="ben", at_ms=9_000),
    ]
    await world.store.append("m-1", epoch, recorded(*course))
    earlier = [
        ConsentTold(participant_id="ben", agreed=False, how="chat", at_ms=8_000),
        RecordingPaused(by="ben", at_ms=8_000),
    ]
    path = left_behind(tmp_path, "m-1", earlier)
    orphans = carrier(pool, world, tmp_path)
    assert await orphans.step() == {path: "known"}
    minjis = ConsentTold(participant_id="minji", agreed=False, how="chat", at_ms=8_000)
    left_behind(
        tmp_path, "m-1", [minjis, minjis.model_copy(update={"participant_id": "ben", "agreed": True})]
    )
    assert await orphans.step() == {path: "left"}
    consents = PostgresConsents(pool)
    await world.registry.mark_ended("m-1", epoch, NINE)
    assert await orphans.step() == {path: "known"}
    assert [await consents.newest(who) for who in ("ben", "minji")] == [True, False], "for later meetings"

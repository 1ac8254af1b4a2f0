"""However a job ends, its lease is let go, nothing of it runs on, and the meeting can be had again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from context.events import events
from context.events.privacy_events import RecordingPaused
from context.ports import Fenced, PortError, Refused, Unavailable
from tests.fakes.meeting import LoopClock
from tests.fakes.outlet import FakeOutlet
from tests.fakes.spans import KeptSpans
from tests.fakes.waiting import until
from tests.unit.worker.meeting_jobs import HOLDER, World
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Enter, Presence
from worker.job_metadata import JobMetadata
from worker.messages import SegmentMessage
from worker.monitoring import jobs
from worker.monitoring.metrics import process_metrics
from worker.passages.passage_store import Scope
from worker.pressure import Pressure
from worker.process.entrypoint import _meeting
from worker.record.spool import Spool

LINES = ["출시일은 11월 20일로 결정하겠습니다.", "We decided to buy the second server."]


@pytest.fixture
async def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def speak(presence: Presence) -> None:
    presence.session.human_seen("minji", "김민지")
    for number, text in enumerate(LINES):
        who, start_ms = {"speaker_id": "minji", "speaker_name": "김민지"}, number * 1000
        said = events.UtteranceSpoken(
            key=f"k{number}", text=text, start_ms=start_ms, end_ms=start_ms + 900, **who
        )
        presence.session.post(said)
    await presence.session.settle()


async def speak_and_end(presence: Presence) -> None:
    await speak(presence)
    await presence.session.end("requested")


def looking_on(look: Callable[[Presence], Awaitable[None]]) -> Enter:
    """Enter, and look on beside the job."""

    async def enter(presence: Presence) -> None:
        presence.tasks.create_task(look(presence))

    return enter


async def nobody_enters(_presence: Presence) -> None:
    """Nothing to join."""


async def only_me() -> None:
    """Nothing of the job runs on."""
    await asyncio.sleep(0)
    left = {t for t in asyncio.all_tasks() if t is not asyncio.current_task()}
    assert not left, left


@pytest.mark.parametrize("error", [Unavailable("room '회의실' could not be joined"), ZeroDivisionError()])
async def test_a_room_that_cannot_be_joined_lets_the_meeting_go(world: World, error: Exception) -> None:
    closed: list[str] = []

    async def close() -> None:
        closed.append("room")

    async def enter(presence: Presence) -> None:
        presence.closers.append(close)
        raise error

    with pytest.raises(type(error)):
        await world.hold(enter)
    await only_me()
    assert closed == ["room"]
    assert not world.held
    assert (await world.row()).status != "ended"


async def test_a_record_that_cannot_be_read_lets_the_meeting_go(world: World) -> None:
    job = await world.job()

    async def broken(*_: object, **__: object) -> None:
        raise Refused("event 3 cannot be read")

    world.store.load = broken  # type: ignore[method-assign]  # a damaged record
    with pytest.raises(Refused):
        await job.restore()
    assert not world.held


async def test_a_job_that_lost_the_record_leaves_without_a_trace(world: World) -> None:

    async def enter(presence: Presence) -> None:
        await speak(presence)
        world.record.open_meeting("m-1")  # somebody else took it
        presence.session.human_seen("junho", "박준호")

    outcome = await world.hold(enter)
    await only_me()
    assert outcome == ("left", "fenced")
    assert world.record.meetings["m-1"].epoch == 2
    assert world.held, "the other one's lease is not ours to let go"


async def test_a_cancelled_job_lets_go(world: World) -> None:
    job = await world.job()
    entered = asyncio.Event()

    async def enter(_presence: Presence) -> None:
        entered.set()

    task = asyncio.ensure_future(job.run(world.outlet, enter))
    await entered.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    await only_me()
    assert not world.held


async def test_an_end_that_was_not_marked_is_marked_by_the_next_job(world: World) -> None:
    mark_ended = world.registry.mark_ended

    async def away(*_: object, **__: object) -> None:
        raise Unavailable("Postgres cannot be reached")

    world.registry.mark_ended = away  # type: ignore[method-assign]  # Postgres went just now
    job = await world.job(None)

    assert await job.run(world.outlet, speak_and_end) == ("ended", "requested")
    assert (await world.row(None)).status != "ended"
    world.registry.mark_ended = mark_ended  # type: ignore[method-assign]  # the fault

    async def never(_presence: Presence) -> None:
        raise AssertionError("an ended meeting is not entered")

    again = await world.job(None)
    assert await again.run(world.outlet, never) == ("ended", "requested")
    assert world.record.meetings["m-1"].status == "ended"
    assert not world.held


@pytest.mark.parametrize("error", [Unavailable("away"), Refused("the password was changed")])
async def test_a_lease_that_cannot_be_renewed_now_is_renewed_later(
    world: World, error: PortError, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.holder.lease_keeper.RENEW_EVERY_S", 0.02)
    renew, tries = world.leases.renew, 0

    async def moody(*args: object, **more: object) -> object:
        nonlocal tries
        tries += 1
        if tries < 4:
            raise error
        return await renew(*args, **more)  # type: ignore[arg-type]  # passed on as it came

    world.leases.renew = moody  # type: ignore[method-assign, assignment]  # the fault

    async def enter(presence: Presence) -> None:
        await until(lambda: tries >= 6)
        await speak(presence)
        await presence.session.end("requested")

    assert (await world.hold(enter))[0] == "ended"
    assert world.outlet.texts == LINES


async def test_a_lease_taken_by_another_ends_the_job(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.holder.lease_keeper.RENEW_EVERY_S", 0.02)

    async def taken(*_: object, **__: object) -> None:
        raise Fenced("a higher epoch")

    world.leases.renew = taken  # type: ignore[method-assign, assignment]  # the fault

    assert await world.hold(speak) == ("left", "lease_lost")
    await only_me()


async def test_the_lease_is_renewed_while_the_closing_that_was_asked_for_takes_its_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.holder.lease_keeper.RENEW_EVERY_S", 0.01)
    renew, renewed = world.leases.renew, asyncio.Semaphore(0)

    async def counted(*args: object, **more: object) -> object:
        renewed.release()
        return await renew(*args, **more)  # type: ignore[arg-type]  # passed on as it came

    world.leases.renew = counted  # type: ignore[method-assign, assignment]  # the fault
    said: list[str] = []

    async def slow(text: str, *, to: str | None = None) -> None:
        async with asyncio.timeout(60):
            for _ in range(5):  # renewals in the middle of it
                await renewed.acquire()
        said.append(text)

    world.outlet.say = slow  # type: ignore[method-assign]  # the fault

    async def enter(presence: Presence) -> None:
        await speak(presence)
        world.record.meetings["m-1"].end_requested = True

    assert await world.hold(enter) == ("ended", "requested")
    assert len(said) == 1
    await only_me()


async def test_the_lease_is_renewed_while_a_long_past_is_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else another takes the meeting meanwhile, reads as long, and so on."""
    monkeypatch.setattr("worker.holder.lease_keeper.RENEW_EVERY_S", 0.01)
    load = world.store.load

    async def slow(*args: object, **more: object) -> object:
        async with asyncio.timeout(60):
            for _ in range(5):
                world.record.clock.advance(2)
                late = world.record.clock.now + timedelta(seconds=4)
                await until(lambda late=late: world.record.meetings["m-1"].expires_at > late)
        return await load(*args, **more)  # type: ignore[arg-type]  # passed on as it came

    world.store.load = slow  # type: ignore[method-assign, assignment]  # the fault

    assert await world.hold(speak_and_end) == ("ended", "requested")
    await only_me()


async def test_a_closing_that_fails_still_ends_the_meeting(world: World) -> None:

    async def mute(*_: object, **__: object) -> None:
        raise RuntimeError("the mouth is broken")

    world.outlet.say = mute  # type: ignore[method-assign]  # the fault
    await world.bus.end("m-1")

    outcome = await world.hold(speak, None)
    assert outcome == ("ended", "input_ended")
    assert world.record.meetings["m-1"].status == "ended"
    assert world.bus.forgotten == ["m-1"], "nobody reads its input any more"


@pytest.mark.parametrize(
    "payload",
    [None, b"", b"not json", b"[]", b'"x"', b"\xff\xfe", b'{"id":1}', b"[" * 100_000, b"9" * 5000, b"{}"]
    + [
        b'{"id":"x","speaker":"a","text":"b","end_ms":2,"start_ms":' + n.encode() + b"}"
        for n in ("-1", "1e999", "NaN", "99999999999999999999", '"x"', "null", "[]")
    ],
)
async def test_a_malformed_entry_is_passed(world: World, payload: bytes | None) -> None:
    await world.bus.add("moim:default:in:m-1", payload)
    await world.bus.add("moim:default:ask:m-1", payload)
    await world.bus.add(
        "moim:default:in:m-1",
        '{"id":"ok","speaker":"민지","text":"안녕\\u0000 \\ud83c hi","start_ms":1,"end_ms":2}'.encode(),
    )
    await world.bus.end("m-1")
    assert (await world.hold(nobody_enters, None))[0] == "ended"
    assert world.outlet.texts == ["안녕 \ufffd hi"]


@pytest.mark.parametrize(
    ("pause", "resume"),
    [
        ("모임아, 녹음 중지해줘", "모임아, 녹음 다시 시작해줘"),
        ("Moim, stop recording", "Moim, resume recording"),
        ("Moim, stop recording", "/resume"),
    ],
)
async def test_a_meeting_without_a_room_that_was_paused_goes_on_when_told(
    world: World, pause: str, resume: str
) -> None:
    lines = [LINES[0], pause, "off the record", "Moim, what did we decide?", resume, LINES[1]]
    for number, text in enumerate(lines):
        segment = SegmentMessage(
            id=f"s{number}", speaker="minji", text=text, start_ms=number * 1000, end_ms=number * 1000 + 900
        )
        await world.bus.send_segment("m-1", segment)

    async def enter(presence: Presence) -> None:
        await until(lambda: LINES[1] in world.outlet.texts)
        await presence.session.end("requested")

    assert (await world.hold(enter, None))[0] == "ended"
    assert world.outlet.texts == [LINES[0], pause, LINES[1]]
    assert world.outlet.replies == []


async def test_who_left_between_two_holders_is_not_present_any_more(world: World) -> None:

    async def with_both(presence: Presence) -> None:
        presence.attendant.joined("minji", "김민지")
        presence.attendant.joined("ben", "Ben")
        await speak(presence)
        await presence.session.leave("handed_over")

    absent: list[bool] = []

    async def with_one(presence: Presence) -> None:
        presence.attendant.joined("ben", "Ben")
        people = presence.session.manager.meeting.attendance.people
        try:
            await until(lambda: not people["minji"].present)
            absent.append(people["ben"].present)
        finally:
            await presence.session.leave("test over")

    await world.hold(with_both)
    await world.hold(looking_on(with_one))
    assert absent == [True]
    await only_me()


async def test_a_spool_is_used_once(world: World) -> None:
    """What a dead job left is recorded, and does not come again with every later takeover."""
    job = await world.job()

    async def leave(presence: Presence) -> None:
        world.record.available = False
        await speak(presence)
        await presence.session.leave("killed")

    await job.run(world.outlet, leave)
    assert [durable for _, _, durable in world.outlet.finals] == [False, False]
    world.record.available = True
    spool = next((world.tmp_path / "spool").iterdir())

    async def go_on(presence: Presence) -> None:
        await until(lambda: not spool.exists())
        await presence.session.leave("done")

    second = await world.job()
    assert (await second.restore()).spooled
    await second.run(world.outlet, go_on)
    third = await world.job()
    again = await third.restore()
    assert again.spooled == ()
    assert [u.text for u in again.manager.meeting.utterances] == LINES


class _Later(LoopClock):
    """A minute after the meeting began."""

    def now_utc(self) -> datetime:
        return super().now_utc() + timedelta(seconds=60)


async def test_the_gap_of_a_takeover_begins_where_the_dead_holder_had_not_written_yet(world: World) -> None:
    """Somebody had been speaking for long when it died: what it had heard of that is lost as well."""

    async def die(presence: Presence) -> None:
        await speak(presence)
        for name in ("ben", "jihun"):
            presence.session.human_seen(name, name)
        typed = {"key": "t", "speaker_id": "ben", "speaker_name": "ben", "text": "네"}
        presence.session.fold_now(events.UtteranceSpoken(**typed, start_ms=30_000, end_ms=30_000))
        await presence.session.settle()
        await presence.session.leave("killed")

    await world.hold(die)
    world.record.meetings["m-1"].unwritten = {"minji": 1200, "ben": 20_000, "somebody who left": 5}
    world.parts = replace(world.parts, clock=_Later())
    starts: dict[str, int] = {}

    async def look(presence: Presence) -> None:
        meeting = presence.session.manager.meeting
        await until(lambda: meeting.gaps)
        await presence.session.settle()
        starts.update({gap.participant: gap.start_ms for gap in meeting.gaps})
        assert all(gap.end_ms >= 59_000 for gap in meeting.gaps)
        await presence.session.leave("done")

    await world.hold(looking_on(look))
    silent_ms = starts.pop("jihun")
    assert 56_000 <= silent_ms <= 60_000, "its last sign of life"
    assert starts == {"minji": 1900, "ben": 20_000}, "minji's words are on record up to 1.9 s; ben only typed"


async def test_the_gap_of_a_takeover_begins_behind_what_is_on_record_as_not_heard(world: World) -> None:
    """Somebody's microphone was encrypted up to now: no moment of it is counted twice."""

    async def die(presence: Presence) -> None:
        await speak(presence)
        place = {"participant_id": "minji", "start_ms": 2_000, "end_ms": 59_500}
        presence.session.fold_now(events.GapNoted(reason="encrypted", **place))
        await presence.session.settle()
        await presence.session.leave("killed")

    await world.hold(die)
    world.record.meetings["m-1"].unwritten = {"minji": 1200}
    world.parts = replace(world.parts, clock=_Later())

    async def look(presence: Presence) -> None:
        meeting = presence.session.manager.meeting
        await until(lambda: len(meeting.gaps) >= 2)
        before, takeover = meeting.gaps
        assert (before.reason, takeover.reason) == ("encrypted", "takeover")
        assert takeover.start_ms == before.end_ms
        await presence.session.leave("done")

    await world.hold(looking_on(look))


async def test_what_a_pause_refused_is_marked_also_where_its_holder_died_before_the_end_of_it(
    world: World,
) -> None:

    async def die(presence: Presence) -> None:
        await speak(presence)
        presence.session.fold_now(RecordingPaused(by="minji", at_ms=4_000))
        await presence.session.leave("killed")

    await world.hold(die)
    world.parts = replace(world.parts, clock=_Later())
    gaps: list[tuple[str, str, int]] = []

    async def look(presence: Presence) -> None:
        meeting = presence.session.manager.meeting
        await until(lambda: len(meeting.gaps) >= 2)
        gaps.extend((gap.participant, gap.reason, gap.start_ms) for gap in meeting.gaps)
        off, takeover = meeting.gaps
        assert off.end_ms == takeover.start_ms
        await presence.session.leave("done")

    await world.hold(looking_on(look))
    assert gaps[0] == ("minji", "off_record", 4_000)
    assert gaps[1][:2] == ("minji", "takeover")


async def test_an_ended_meeting_leaves_its_passages_with_vectors_to_later_ones(world: World) -> None:

    await world.hold(speak_and_end, None)
    passage, *notes = await world.passages.of_source("meeting", "m-1")
    assert all(note.is_note for note in notes)
    assert all(line in passage.text for line in LINES)
    assert len(world.passages.embedded) == 1


def _empty_meetings() -> float:
    return process_metrics().registry.get_sample_value("moim_meetings_empty_total") or 0


@pytest.mark.parametrize(
    ("lost_ms", "words", "alarm"), [(12_000, False, True), (12_000, True, False), (1000, False, False)]
)
async def test_a_meeting_that_ends_complete_but_empty_raises_an_alert(
    world: World, lost_ms: int, words: bool, alarm: bool
) -> None:
    before = _empty_meetings()

    async def enter(presence: Presence) -> None:
        presence.session.human_seen("minji", "김민지")
        presence.session.post(
            events.GapNoted(participant_id="minji", start_ms=0, end_ms=lost_ms, reason="stt_error")
        )
        if words:
            await speak(presence)
        await presence.session.settle()
        await presence.attendant.closing.say()
        presence.tasks.create_task(presence.session.end("everybody_left"))

    with capture_logs() as told:
        assert await world.hold(enter) == ("ended", "everybody_left")
    assert _empty_meetings() - before == alarm
    assert ("meeting_ended_empty" in [line["event"] for line in told]) == alarm
    said = "".join(text for text, _ in world.outlet.said)
    assert ("글로 옮기지 못했습니다" in said) == alarm


async def test_what_is_degraded_is_named_in_the_status_and_counted_by_part(world: World) -> None:
    job = await world.job()
    registry = process_metrics().registry

    def degraded(part: str) -> float | None:
        return registry.get_sample_value("moim_degraded", {"part": part})

    async def watch(presence: Presence) -> None:
        presence.attendant.joined("minji", "김민지")
        await presence.session.settle()
        recorder = presence.session.recorder
        recorder.away, recorder.spool_trouble = True, "No space left on device"
        await until(lambda: degraded("postgres"))
        (status,) = jobs.read_statuses(world.tmp_path / "jobs")
        assert [part.partition(":")[0] for part in status.degraded] == ["postgres", "spool"]
        assert (degraded("spool"), degraded("redis"), degraded("stt")) == (1, 0, 0)
        recorder.away = False
        await presence.session.end("over")

    board = MeetingJob(
        world.parts, await world.row(), job._epoch, run_dir=world.tmp_path / "jobs", pid=os.getpid()
    )
    await board.run(world.outlet, looking_on(watch))
    assert degraded("postgres") == degraded("spool") == 0, "a meeting that is over is no longer counted"


async def test_what_gives_way_is_in_the_status_counted_and_told_to_who_watches(world: World) -> None:
    told: list[tuple[str, Mapping[str, Any]]] = []

    async def pass_on(_meeting_id: str, kind: str, fields: Mapping[str, Any]) -> None:
        told.append((kind, fields))

    world.bus.pass_on = pass_on  # type: ignore[method-assign]  # who watches
    late_s = iter((0.0, 2.0))
    world.parts.pressure = Pressure(lambda: next(late_s, 2.0))  # two moments
    world.parts.pressure.lagged(0.6)
    world.parts.pressure.lagged(0.6)
    registry = process_metrics().registry

    def giving_way(what: str) -> float | None:
        return registry.get_sample_value("moim_giving_way", {"what": what})

    async def watch(presence: Presence) -> None:
        await until(lambda: giving_way("embeddings"))
        await until(lambda: told)
        (status,) = jobs.read_statuses(world.tmp_path / "jobs")
        assert status.giving_way == ("interims", "embeddings")
        assert status.lag_s == 0.6
        assert giving_way("summaries") == 0
        assert told[0] == ("degraded", {"parts": [], "giving_way": ["interims", "embeddings"]})
        await presence.session.end("over")

    row = await world.row()
    epoch = await world.leases.acquire("m-1", HOLDER, 5)
    assert epoch is not None
    job = MeetingJob(world.parts, row, epoch, run_dir=world.tmp_path / "jobs", pid=os.getpid())
    with capture_logs() as logs:
        await job.run(world.outlet, looking_on(watch))
    (line,) = [log for log in logs if log["event"] == "giving_way"]
    assert (line["what"], line["cause"]) == (["interims", "embeddings"], "it comes 0.6 s late to what is due")
    assert giving_way("embeddings") == 0, "a meeting that is over is no longer counted"


async def test_a_job_that_has_to_stop_leaves_a_summary_of_what_was_said_so_far(world: World) -> None:
    """Its worker drains and nobody takes the meeting over: it is saved, let go, and not over."""
    job = await world.job()

    async def enter(presence: Presence) -> None:
        await speak(presence)
        world.record.meetings["m-1"].unwritten = {"minji": 5}  # told in the middle of its last words
        jobs.request_drain(world.tmp_path / "jobs")

    assert await job.run(world.outlet, enter) == ("left", "drained")
    assert world.record.meetings["m-1"].unwritten == {}, "whoever closes it has nothing to look for"
    await only_me()
    assert not world.held
    assert (await world.row()).status != "ended"
    successor = await world.job()
    meeting = (await successor.restore()).manager.meeting
    assert [u.text for u in meeting.utterances] == LINES
    assert meeting.segments[-1].summary, "the open topic is summarised"
    assert meeting.ended is None
    jobs.announce_worker(world.tmp_path / "jobs", 1)

    async def go_on(presence: Presence) -> None:
        presence.session.human_seen("minji", "김민지")
        await presence.session.settle()
        assert not presence.session.manager.meeting.closing
        await presence.session.leave("test over")

    await successor.run(world.outlet, go_on)


@pytest.mark.parametrize("tenant", [None, "default", "acme"])
async def test_a_job_that_is_sent_for_another_tenant_holds_no_meeting_of_ours(
    world: World, tenant: str | None
) -> None:
    ours = await world.row()
    metadata = JobMetadata(meeting_id=ours.id, tenant=tenant)
    if tenant == "acme":
        with pytest.raises(Refused, match="acme"):
            await _meeting(world.parts, metadata, "회의실")
    else:
        assert (await _meeting(world.parts, metadata, "회의실")).id == ours.id


def test_no_two_tenants_share_a_spool(tmp_path: Path) -> None:
    paths = [
        Spool(tmp_path, meeting_id, tenant).path
        for tenant in ("default", "acme", "acme/m")
        for meeting_id in ("m-1", "acme/m-1", "acme/m/m-1")
    ]
    assert len(set(paths)) == len(paths)


async def test_a_meeting_that_ended_leaves_its_topics_to_later_ones(world: World) -> None:
    async def enter(presence: Presence) -> None:
        await speak(presence)
        await presence.session.close_topics()
        await presence.session.end("everybody_left")

    await world.hold(enter)
    await only_me()
    (note, *_) = await world.passages.readable(Scope(kinds=("meeting",), notes="alone"))
    assert LINES[0].rstrip(".") in note.text
    assert note.source_id == "m-1"


@pytest.mark.parametrize(
    "text", ["출시일은 11월 20일로 결정하겠습니다.", "We decided to buy the second server."]
)
async def test_who_takes_over_in_the_middle_of_the_closing_ends_the_meeting(
    tmp_path: Path, text: str
) -> None:
    world = World(tmp_path)
    await world.row(None)
    await world.bus.send_segment(
        "m-1", SegmentMessage(id="s1", speaker="minji", text=text, start_ms=0, end_ms=900)
    )
    await world.bus.end("m-1")
    closing = asyncio.Event()

    async def hang(_text: str, *, to: str | None = None) -> None:
        del to
        closing.set()
        await asyncio.Event().wait()

    world.outlet.say = hang  # type: ignore[assignment, method-assign]  # its death finds it saying the closing summary
    first = await world.job(None)
    dying = asyncio.ensure_future(first.run(world.outlet, nobody_enters))
    async with asyncio.timeout(60):
        await closing.wait()
        dying.cancel()
        await asyncio.wait({dying})
        second, outlet = await world.job(None), FakeOutlet()
        outcome = await second.run(outlet, nobody_enters)
    assert outcome == ("ended", "input_ended")
    assert outlet.said, "the closing summary"
    stored = await world.store.load("m-1", use_snapshot=False)
    assert [r.event.kind for r in stored.events].count("utterance_spoken") == 1


async def test_who_takes_a_meeting_over_tells_how_long_it_took(world: World) -> None:
    spans = world.parts.spans = KeptSpans()

    async def leave(presence: Presence) -> None:
        await speak(presence)
        await presence.session.leave("drained")

    await world.hold(leave)
    assert [span.trace.kind for span in spans.kept] == ["turn", "turn"], "who is first takes nothing over"
    await world.hold(speak_and_end)
    (takeover,) = spans.of("takeover")
    assert takeover.trace.of == "2"
    assert takeover.attributes["moim.epoch"] == 2
    assert [part.name for part in takeover.parts] == ["restore", "enter"]
    assert takeover.began_ns <= takeover.parts[0].ended_ns == takeover.parts[1].began_ns <= takeover.ended_ns

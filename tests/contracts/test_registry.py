"""Which meetings are wanted, live, ended; and who is sent to them."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from context.events.events import MeetingStarted
from context.ports import Fenced, RecordedEvent, Refused
from context.primitives.undated import EPOCH
from tests.contracts.world import HOLDER, OTHER, World
from worker.ports import Holder, MeetingRow

NINE = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


async def test_an_open_room_has_one_meeting(world: World) -> None:
    first = await world.registry.want("주간 회의 🚀", title="출시 계획")
    again = await world.registry.want("주간 회의 🚀", title="another title")
    assert again == first
    assert first.status == "wanted"
    assert first.title == "출시 계획"
    assert re.fullmatch(r"m-[a-z2-7]{12}|m-\d{12}", first.id)
    assert (await world.registry.want("another room")).id != first.id


async def test_asked_for_at_once_by_many_it_is_still_one(world: World) -> None:
    rows = await asyncio.gather(*(world.registry.want("room") for _ in range(8)))
    assert len({row.id for row in rows}) == 1
    assert len(await world.registry.list_all()) == 1


async def test_an_id_names_one_meeting(world: World) -> None:
    first = await world.registry.want("room", meeting_id="m-1")
    assert await world.registry.want("room", meeting_id="m-1") == first
    assert (await world.registry.want("room", meeting_id="m-2")).id == "m-1", "the room's open one"
    with pytest.raises(Refused, match="m-1"):
        await world.registry.want("elsewhere", meeting_id="m-1")


async def test_text_meetings_are_told_apart_by_id_alone(world: World) -> None:
    one = await world.registry.want(None, meeting_id="m-1")
    two = await world.registry.want(None)
    assert one.room is None
    assert two.id != one.id


async def test_a_meeting_is_renamed_whatever_its_status(world: World) -> None:
    epoch = await world.hold("m-1", "room")
    assert await world.registry.rename("m-1", "출시 회의")
    await world.registry.mark_ended("m-1", epoch, NINE)
    assert await world.registry.rename("m-1", "Launch 🚀")
    row = await world.registry.get("m-1")
    assert row is not None
    assert (row.title, row.status) == ("Launch 🚀", "ended")
    assert not await world.registry.rename("m-9", "nowhere")


async def test_an_ended_meeting_is_never_opened_again_but_its_room_gets_a_new_one(world: World) -> None:
    epoch = await world.hold("m-1", "room")
    await world.registry.mark_live("m-1", epoch, NINE)
    await world.registry.mark_ended("m-1", epoch, NINE + timedelta(hours=1))
    with pytest.raises(Refused, match="over"):
        await world.registry.want("room", meeting_id="m-1")
    assert (await world.registry.want("room")).id != "m-1"
    await world.leases.release("m-1", epoch)
    assert await world.leases.acquire("m-1", OTHER, 5) is None
    assert "m-1" not in await world.claimed(1)


async def test_a_wish_with_an_id_is_one_meeting_for_ever(world: World) -> None:
    rows = await asyncio.gather(
        *(world.registry.want("room", request_id="w-1", title="출시") for _ in range(8))
    )
    assert len({row.id for row in rows}) == 1
    one = rows[0]
    assert (await world.registry.want("another room", request_id="w-1")).id == one.id, "whatever it says now"
    joined = await world.registry.want("room", request_id="w-2")
    assert joined.id == one.id, "a request_id of its own for a room that has its meeting"
    await world.registry.request_end(one.id)
    for copy in ("w-1", "w-2"):
        with pytest.raises(Refused, match="over"):
            await world.registry.want("room", request_id=copy)
    assert (await world.registry.want("room", request_id="w-3")).id != one.id


@pytest.mark.parametrize("bad", ["", "   ", "a\x00b", "a\nb", ".", "..", " .. ", "%2e%2E"])
async def test_names_that_nobody_could_use_are_refused(world: World, bad: str) -> None:
    with pytest.raises(Refused, match="room"):
        await world.registry.want(bad)
    with pytest.raises(Refused, match="meeting id"):
        await world.registry.want("room", meeting_id=bad)


async def test_a_room_may_have_the_name_that_livekit_takes_and_no_longer_one(world: World) -> None:
    for longest in ("x" * 256, "회" * 85):
        assert (await world.registry.want(longest)).room == longest
    for longer in ("x" * 257, "회" * 86):
        with pytest.raises(Refused, match="256 bytes"):
            await world.registry.want(longer)


async def test_the_first_start_is_kept(world: World) -> None:
    epoch = await world.hold()
    await world.registry.mark_live("m-1", epoch, None)
    row = await world.row()
    assert (row.status, row.started_at) == ("live", None)
    seoul = NINE.astimezone(timezone(timedelta(hours=9)))
    await world.registry.mark_live("m-1", epoch, seoul)
    await world.registry.mark_live("m-1", epoch, NINE + timedelta(minutes=5))
    assert (await world.row()).started_at == NINE


async def test_what_was_read_from_a_file_without_a_date_has_none(world: World) -> None:
    """Its clock began with 1970: nobody is shown that, nor told that nothing was said."""
    epoch = await world.hold("m-1", None)
    await world.registry.mark_live("m-1", epoch, EPOCH + timedelta(seconds=3))
    await world.store.append("m-1", epoch, [RecordedEvent(seq=1, event=MeetingStarted(at=EPOCH))])
    assert (await world.row()).started_at is None
    await world.registry.mark_ended("m-1", epoch, EPOCH + timedelta(hours=1))
    row = await world.row()
    assert (row.status, row.started_at, row.ended_at, row.reason) == ("ended", None, None, None)


async def test_once_over_it_stays_as_it_is(world: World) -> None:
    epoch = await world.hold()
    await world.registry.mark_ended("m-1", epoch, NINE, failure="디스크가 가득 찼습니다")
    await world.registry.mark_ended("m-1", epoch, NINE + timedelta(hours=1))
    with pytest.raises(Fenced):
        await world.registry.mark_live("m-1", epoch, NINE)
    row = await world.row()
    assert (row.status, row.ended_at, row.failure) == ("failed", NINE, "디스크가 가득 찼습니다")
    assert not await world.registry.request_end("m-1")


async def test_only_the_present_holder_marks(world: World) -> None:
    stale = await world.hold()
    await world.pass_time(6)
    assert await world.leases.acquire("m-1", OTHER, 5)
    for epoch in (stale, 0, 99):
        with pytest.raises(Fenced):
            await world.registry.mark_live("m-1", epoch, NINE)
        with pytest.raises(Fenced):
            await world.registry.mark_ended("m-1", epoch, NINE)
    assert (await world.row()).status == "wanted"


async def test_the_list_is_newest_first(world: World) -> None:
    for number in range(4):
        await world.registry.want(f"room {number}", meeting_id=f"m-{number}")
    assert [row.id for row in await world.registry.list_all()] == ["m-3", "m-2", "m-1", "m-0"]
    assert await world.registry.get("m-nowhere") is None


async def test_what_nobody_ever_joined_ends_at_once(world: World) -> None:
    await world.registry.want("room", meeting_id="m-1")
    assert await world.registry.request_end("m-1")
    row = await world.row()
    assert row.status == "ended"
    assert row.ended_at is not None
    assert not await world.registry.request_end("m-1")
    assert not await world.registry.request_end("m-nowhere")


async def test_a_live_meeting_without_holder_gets_one_to_end_it(world: World) -> None:
    epoch = await world.hold("m-1", "room")
    await world.registry.mark_live("m-1", epoch, NINE)
    await world.pass_time(6)
    assert await world.registry.request_end("m-1")
    assert await world.claimed(60) == ["m-1"]
    successor = await world.taken()
    assert (await world.leases.renew("m-1", successor, 5)).end_requested


async def test_a_claim_is_good_until_the_retry(world: World) -> None:
    await world.registry.want("room", meeting_id="m-1")
    assert await world.claimed(10) == ["m-1"]
    await world.pass_time(9)
    assert await world.claimed(10) == []
    await world.pass_time(2)
    assert await world.claimed(10) == ["m-1"]


async def test_a_held_meeting_is_claimed_when_its_lease_runs_out_or_is_let_go(world: World) -> None:
    epoch = await world.hold("m-1", "room")
    await world.pass_time(4)
    assert await world.claimed(60) == []
    await world.pass_time(2)
    assert await world.claimed(60) == ["m-1"]
    successor = await world.taken()
    assert successor > epoch
    await world.leases.release("m-1", successor)
    assert await world.claimed(60) == ["m-1"]


async def test_how_long_nobody_held_it_is_known_after_expiry_and_after_letting_go(world: World) -> None:
    epoch = await world.hold("m-1", "room")
    await world.pass_time(7)
    expired = await world.row()
    assert expired.lease_over_s == pytest.approx(2, abs=1)
    epoch = await world.taken()
    await world.leases.release("m-1", epoch)
    let_go = await world.row()
    assert let_go.lease_over_s == pytest.approx(0, abs=2), "a moment ago, not for ever"


async def test_rooms_and_text_have_their_own_claims(world: World) -> None:
    await world.registry.want("room", meeting_id="m-room")
    await world.registry.want(None, meeting_id="m-text")
    with_text = await world.registry.claim_unheld(limit=9, retry_after_s=60, text=True)
    with_room = await world.registry.claim_unheld(limit=9, retry_after_s=60)
    assert ([row.id for row in with_text], [row.id for row in with_room]) == (["m-text"], ["m-room"])


async def test_claimers_at_once_share_the_work(world: World) -> None:
    for number in range(20):
        await world.registry.want(f"room {number}")
    claims = await asyncio.gather(*(world.registry.claim_unheld(limit=6, retry_after_s=60) for _ in range(6)))
    ids = [row.id for claim in claims for row in claim]
    assert len(ids) == len(set(ids))
    assert all(len(claim) <= 6 for claim in claims)
    rest = await world.registry.claim_unheld(limit=99, retry_after_s=60)
    assert len(ids) + len(rest) == 20


async def test_what_was_dispatched_in_vain_is_counted_until_a_lease_comes_of_it(world: World) -> None:
    await world.registry.want("회의실", meeting_id="m-1")
    for before in range(3):
        (row,) = await world.registry.claim_unheld(limit=9, retry_after_s=5)
        assert row.dispatches == before
        await world.registry.note_dispatch("m-1", 20)
        await world.pass_time(18)
        assert await world.claimed(5) == [], "not before its time"
        await world.pass_time(3)
    (row,) = await world.registry.claim_unheld(limit=9, retry_after_s=5)
    await world.registry.note_dispatch("m-1", 600)
    assert await world.leases.acquire("m-1", HOLDER, 5)
    assert await world.claimed(5) == []
    await world.pass_time(6)
    (row,) = await world.registry.claim_unheld(limit=9, retry_after_s=5)
    assert row.dispatches == 0, "its holder died: at once, and counted anew"
    assert await world.claimed(5) == [], "by one dispatcher"


async def test_a_job_that_dies_as_soon_as_it_begins_is_asked_for_ever_less_often(world: World) -> None:
    """Not at first: a takeover is not to wait. One that lives begins the count anew."""
    await world.registry.want("회의실", meeting_id="m-1")

    async def waited_s(*, lives_s: float = 1, renewed: bool = True) -> int:
        """Until the next claim, in seconds after the last job's death."""
        seconds = 0
        while not (rows := await world.registry.claim_unheld(limit=9, retry_after_s=5)):
            await world.pass_time(1)
            seconds += 1
        assert [row.id for row in rows] == ["m-1"]
        await world.registry.note_dispatch("m-1", 20)
        epoch = await world.leases.acquire("m-1", HOLDER, 5)
        assert epoch
        await world.pass_time(lives_s)
        if renewed:
            await world.leases.renew("m-1", epoch, 5)
            await world.leases.release("m-1", epoch)
        return seconds

    # The last number: 5, 10, 20, then 25 s, up to a fifth more, but for the second that the job lived.
    waits = [await waited_s() for _ in range(9)]
    assert waits[:4] == [0, 0, 0, 0]
    bounds = [(4, 5), (9, 11), (19, 23), (24, 29), (24, 29)]
    assert all(least <= wait <= most for wait, (least, most) in zip(waits[4:], bounds, strict=True)), waits
    row = await world.row()
    assert row.crashes == 8
    assert row.reason == f"its last {row.crashes} jobs ended as soon as they began: see the worker's log"
    assert row.shown()["reason"] == row.reason
    await waited_s(lives_s=60)
    assert await waited_s() == 0, "it lived"
    row = await world.row()
    assert (row.crashes, row.reason) == (0, None)


async def test_a_meeting_whose_holders_fall_behind_is_taken_over_ever_later(world: World) -> None:
    """Not at first: who is dead is replaced at once. And a holder that was only slow may come back meanwhile."""
    await world.registry.want("회의실", meeting_id="m-1")
    assert await world.claimed(5) == ["m-1"]
    await world.taken(by=HOLDER)

    async def waited_s() -> int:
        """From the end of the lease, which nobody renews, to the next holder."""
        await world.pass_time(5.5)
        seconds = 0
        while not (rows := await world.claimed(1)):
            assert await world.leases.acquire("m-1", OTHER, 5) is None, "nor does a standby get it before"
            await world.pass_time(1)
            seconds += 1
        assert rows == ["m-1"]
        await world.taken(by=Holder(host="next", worker_pid=1, job_pid=waits_s[-1] + len(waits_s)))
        return seconds

    waits_s = [0]
    for _ in range(6):
        waits_s += [await waited_s()]
    assert waits_s[1:3] == [0, 0]
    bounds = [(4, 5), (9, 10), (19, 20), (19, 20)]
    assert all(least <= wait <= most for wait, (least, most) in zip(waits_s[3:], bounds, strict=True)), (
        waits_s
    )
    epoch = (await world.row()).epoch
    await world.pass_time(6)
    row = await world.row()
    assert row.takeovers == 6
    assert row.reason == "taken over 6 times in five minutes: the next takeover waits a little"
    assert "takeovers" not in row.shown()
    await world.leases.renew("m-1", epoch, 5)
    await world.leases.release("m-1", epoch)
    assert await world.claimed(5) == ["m-1"], "who lets it go in order is replaced at once"
    await world.taken(by=HOLDER, ttl_s=400)
    await world.pass_time(401)
    assert await world.claimed(5) == ["m-1"], "after a while in peace all begins anew"


async def test_a_new_worker_is_asked_at_once_whatever_befell_others(world: World) -> None:
    await world.registry.want("회의실", meeting_id="m-1")
    for number in range(4):
        await world.taken(by=Holder(host="slow", worker_pid=number, job_pid=number), ttl_s=0.01)
        await world.pass_time(11)
    await world.taken(by=HOLDER, ttl_s=0.01)
    await world.pass_time(1)
    assert await world.claimed(5) == []
    await world.registry.hurry()
    assert await world.claimed(5) == ["m-1"]


async def test_workers_at_their_limit_are_why_a_meeting_waits(world: World) -> None:
    await world.registry.want("회의실", meeting_id="m-1")
    await world.registry.want("room", meeting_id="m-2")
    await world.taken("m-2", ttl_s=600)
    one, other = Holder(host="a", worker_pid=1, job_pid=1), Holder(host="b", worker_pid=2, job_pid=2)
    await world.registry.note_full(one, "4 of 4 places are taken", 10)
    await world.registry.note_full(other, "31 s of speech wait for their text", 10)
    told = "a: 4 of 4 places are taken; b: 31 s of speech wait for their text"
    rows = {row.id: row for row in await world.registry.list_all()}
    assert rows["m-1"].full == told
    assert rows["m-1"].shown()["reason"] == f"waits for a worker; at their limit: {told}"
    assert rows["m-2"].full is None
    assert (await world.registry.list_page(limit=9))[-1].full == told
    await world.registry.note_full(one, "", 10)
    assert (await world.row()).full == "b: 31 s of speech wait for their text"
    await world.pass_time(11)
    assert (await world.row()).full is None, "it may have died"


async def crashed(world: World) -> MeetingRow:
    """A meeting whose jobs ended as soon as they began, four times, claimed for the next one."""
    await world.registry.want("회의실", meeting_id="m-1")
    for _ in range(4):
        await world.claimed(5)
        await world.registry.note_dispatch("m-1", 20)
        await world.leases.release("m-1", await world.taken(by=HOLDER))
        await world.pass_time(7)
    (row,) = await world.registry.claim_unheld(limit=9, retry_after_s=5)
    return row


async def test_a_worker_that_comes_new_is_asked_at_once_also_for_what_crashed(world: World) -> None:
    row = await crashed(world)
    assert row.crashes == 4
    assert await world.claimed(5) == []
    await world.registry.hurry()
    assert await world.claimed(5) == ["m-1"]


async def test_a_dispatch_that_was_already_let_go_again_is_not_put_off(world: World) -> None:
    await world.registry.want("room", meeting_id="m-1")
    await world.registry.claim_unheld(limit=9, retry_after_s=5)
    epoch = await world.taken(by=HOLDER)
    await world.leases.release("m-1", epoch)  # the job could not enter the room
    await world.registry.note_dispatch("m-1", 600)
    assert await world.claimed(5) == ["m-1"]


async def test_who_took_it_before_its_dispatch_was_noted_and_died_is_replaced_at_once(world: World) -> None:
    await world.registry.want("회의실", meeting_id="m-1")
    await world.registry.claim_unheld(limit=9, retry_after_s=5)
    assert await world.leases.acquire("m-1", HOLDER, 5)
    await world.registry.note_dispatch("m-1", 600)
    assert await world.claimed(5) == []
    await world.pass_time(6)
    assert await world.claimed(5) == ["m-1"]


async def test_who_holds_on_though_its_lease_ran_out_is_replaced_when_it_dies(world: World) -> None:
    """Frozen, asked for anew, and awake again before anybody came."""
    epoch = await world.hold("m-1", "회의실")
    await world.pass_time(6)
    assert await world.claimed(20) == ["m-1"]
    await world.leases.renew("m-1", epoch, 60)
    await world.pass_time(30)
    assert await world.claimed(20) == []
    await world.pass_time(31)
    assert await world.claimed(20) == ["m-1"]


async def test_a_worker_that_comes_makes_all_due_or_those_of_a_room(world: World) -> None:
    for number in (1, 2):
        await world.registry.want(f"회의실 {number}", meeting_id=f"m-{number}")
        await world.registry.claim_unheld(limit=9, retry_after_s=5)
        await world.registry.note_dispatch(f"m-{number}", 600)
    await world.registry.hurry("회의실 2")
    assert await world.claimed(600) == ["m-2"]
    await world.registry.hurry()
    assert sorted(await world.claimed(600)) == ["m-1", "m-2"]
    await world.taken("m-1", HOLDER, 60)
    await world.registry.request_end("m-2")
    await world.registry.hurry()
    assert await world.claimed(600) == [], "one is held, the other over"


async def test_a_place_that_came_free_goes_to_who_waits_longest(world: World) -> None:
    for number in (1, 2, 3):
        await world.registry.want(f"회의실 {number}", meeting_id=f"m-{number}")
    await world.registry.want(None, meeting_id="m-text")
    await world.registry.want("held", meeting_id="m-held")
    for row in await world.registry.claim_unheld(limit=9, retry_after_s=5):
        await world.registry.note_dispatch(row.id, 600)
    assert await world.leases.acquire("m-held", HOLDER, 3600)

    async def due() -> list[str]:
        return await world.claimed(600)

    await world.registry.offer(1)
    assert await due() == [], "a worker may still take what was dispatched a moment ago"
    await world.pass_time(2.1)
    assert await due() == ["m-1"]
    await world.registry.note_dispatch("m-1", 600)
    await world.pass_time(6)
    await asyncio.gather(world.registry.offer(1), world.registry.offer(1))
    rows = await world.registry.claim_unheld(limit=9, retry_after_s=600)
    assert sorted((row.id, row.dispatches) for row in rows) == [("m-1", 2), ("m-2", 1)], "a place each"


async def test_who_crashes_is_offered_no_place_before_its_time(world: World) -> None:
    row = await crashed(world)
    await world.registry.note_dispatch("m-1", 600)
    await world.pass_time(6)
    await world.registry.offer(9)
    assert (row.crashes, await world.registry.claim_unheld(limit=9, retry_after_s=5)) == (4, [])


async def test_what_is_over_has_its_dispatch_withdrawn_once_its_holder_is_gone(world: World) -> None:
    finished = {"limit": 9, "retry_after_s": 30.0, "grace_s": 15.0}
    for number in (1, 2, 3):
        await world.registry.want(f"room {number}", meeting_id=f"m-{number}")
    for row in await world.registry.claim_unheld(limit=2, retry_after_s=5):
        await world.registry.note_dispatch(row.id, 5)
    epoch = await world.taken(by=HOLDER)
    await world.registry.mark_ended("m-1", epoch, NINE)
    await world.leases.release("m-1", epoch)
    await world.registry.request_end("m-2")
    await world.registry.request_end("m-3")
    assert [row.id for row in await world.registry.claim_finished(**finished)] == ["m-2"], "nobody held it"
    await world.pass_time(16)
    assert [row.id for row in await world.registry.claim_finished(**finished)] == ["m-1"]
    assert await world.registry.claim_finished(**finished) == []
    await world.registry.note_withdrawn("m-1")
    await world.pass_time(31)
    assert [(row.id, row.room) for row in await world.registry.claim_finished(**finished)] == [
        ("m-2", "room 2")
    ]


async def test_a_room_knows_its_newest_meeting(world: World) -> None:
    epoch = await world.hold("m-1", "회의실")
    await world.registry.mark_ended("m-1", epoch, NINE)
    await world.registry.want("회의실", meeting_id="m-2")
    await world.registry.want("elsewhere", meeting_id="m-3")
    await world.registry.want(None, meeting_id="m-4")
    newest = await world.registry.newest_in_rooms(["회의실", "nowhere", "elsewhere"])
    assert {room: row.id for room, row in newest.items()} == {"회의실": "m-2", "elsewhere": "m-3"}
    assert await world.registry.newest_in_rooms([]) == {}


async def test_the_list_comes_in_pages(world: World) -> None:
    for number in range(5):
        await world.registry.want(f"room {number}", meeting_id=f"m-{number}")
    await world.registry.request_end("m-3")
    first = await world.registry.list_page(limit=2)
    assert [row.id for row in first] == ["m-4", "m-3"]
    assert [row.id for row in await world.registry.list_page(limit=9, after="m-3")] == ["m-2", "m-1", "m-0"]
    assert [row.id for row in await world.registry.list_page(limit=1, statuses=("ended",))] == ["m-3"]
    assert await world.registry.list_page(limit=9, after="m-0") == []
    assert await world.registry.list_page(limit=9, after="m-nowhere") == []

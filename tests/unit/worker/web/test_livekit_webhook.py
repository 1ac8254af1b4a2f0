"""What LiveKit tells of its rooms: believed once, where LiveKit signed it, and only for rooms that fit."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import aiohttp
import pytest
from livekit import api
from pydantic import SecretStr

from tests.fakes.addresses import LOOPBACK
from tests.fakes.leases import FakeLeases
from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from worker.fleet.room_requests import RoomRequests
from worker.monitoring.health import serving
from worker.monitoring.metrics import Metrics
from worker.ports import Holder, RoomSeen
from worker.web.json_answers import ApiError
from worker.web.livekit_webhook import HOOK_PREFIX, Deliveries, webhook

_NUMBERS = itertools.count(1)
KEY, SECRET = "devkey", "s" * 40
HOLDER = Holder(host="a", worker_pid=1, job_pid=2)


@dataclass
class World:
    registry: FakeRegistry
    room_requests: RoomRequests
    port: int = 0
    woken: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def now(self) -> datetime:
        return self.registry.record.clock.now

    async def open_rooms(self) -> list[str | None]:
        return [row.room for row in await self.registry.list_all() if row.status in {"wanted", "live"}]

    async def hold(self, room: str) -> tuple[str, int]:
        row = await self.registry.want(room)
        epoch = await FakeLeases(self.registry.record).acquire(row.id, HOLDER, 5)
        assert epoch is not None
        await self.registry.mark_live(row.id, epoch, self.now)
        return row.id, epoch

    async def post(self, body: bytes, token: str, more: dict[str, str] | None = None) -> int:
        url = f"http://127.0.0.1:{self.port}/livekit/webhook"
        headers = {"Authorization": token, "Content-Type": "application/webhook+json", **(more or {})}
        async with (
            aiohttp.ClientSession() as client,
            client.post(url, data=body, headers=headers) as response,
        ):
            assert response.content_type == "application/json"
            return response.status

    async def tell(self, event: str, room: str, created_at: datetime | None = None) -> int:
        body = told(event, room, created_at or self.now)
        return await self.post(body, signed(body))

    async def tell_of_room(self, **room: Any) -> int:
        body = json.dumps({"event": "room_started", "id": "EV_x", "room": room}).encode()
        return await self.post(body, signed(body))


def told(event: str, room: str, created_at: datetime) -> bytes:
    described = {"sid": "RM_1", "name": room, "creationTime": str(int(created_at.timestamp()))}
    return json.dumps({"event": event, "id": f"EV_{next(_NUMBERS)}", "room": described}).encode()


def signed(body: bytes, *, secret: str = SECRET, **more: Any) -> str:
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    token = api.AccessToken(KEY, secret).with_sha256(digest).with_ttl(more.get("ttl", timedelta(minutes=5)))
    return token.to_jwt()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    registry = FakeRegistry(Record())
    room_requests = RoomRequests(registry, ("standup-*", "회의-?"))
    made = World(registry, room_requests)
    app = webhook(
        room_requests,
        KEY,
        SecretStr(SECRET),
        on_wanted=lambda: made.woken.append(1),
        on_refused=made.refused.append,
    )
    mounts = {HOOK_PREFIX: app}
    async with serving(Metrics(), lambda: ([], []), LOOPBACK, mounts=mounts) as made.port:
        yield made


async def test_a_room_that_fits_is_wanted_once(world: World) -> None:
    for room in ("standup-web", "회의-3", "lunch", "Standup-web"):
        assert await world.tell("room_started", room) == 200
        assert await world.tell("room_started", room) == 200, "LiveKit may tell it again, as another event"
    assert sorted(await world.open_rooms(), key=str) == ["standup-web", "회의-3"]
    assert len(world.woken) == 2
    assert await world.tell("participant_joined", "standup-x") == 200
    assert len(await world.open_rooms()) == 2


async def test_what_livekit_did_not_sign_is_refused(world: World) -> None:
    body = told("room_started", "standup-web", world.now)
    other = told("room_started", "standup-evil", world.now)
    for sent, token in (
        (body, ""),
        (body, "Bearer nonsense"),
        (body, signed(body, secret="x" * 40)),
        (other, signed(body)),
        (body, signed(body, ttl=timedelta(hours=-1))),
        (body, api.AccessToken(KEY, SECRET).to_jwt()),
        (body, signed(body, ttl=timedelta(seconds=-30))),
        (b"\xff\xfe", "x"),
    ):
        assert await world.post(sent, token) == 401
    assert await world.open_rooms() == []
    assert world.refused == ["webhook"] * 8


async def test_a_body_whose_token_is_none_is_not_read(world: World) -> None:
    assert await world.post(b"not gzip" * 9_000, "x", {"Content-Encoding": "gzip"}) == 401


async def test_what_is_signed_and_no_event_is_400(world: World) -> None:
    for sent in (b"\xff\xfe", b"no json", b"[]", b"", b"[" * 100_000, b'{"room": 1}'):
        assert await world.post(sent, signed(sent)) == 400


@pytest.mark.parametrize("created", [-1, "-1", 10**15, "9" * 18, 253402300800, -62135596801, "NaN", 1.5])
async def test_a_time_that_is_none_is_400(world: World, created: Any) -> None:
    assert await world.tell_of_room(name="standup-web", creationTime=created) == 400
    assert await world.tell_of_room(name="standup-web", creationTimeMs=str(10**18)) == 400
    assert await world.open_rooms() == []


@pytest.mark.parametrize(
    "name", ["standup-\0", "standup-\n", "", "standup-" + "x" * 249, "회의-" + "회" * 84]
)
async def test_a_name_that_no_room_can_have_is_400(world: World, name: str) -> None:
    assert await world.tell_of_room(name=name, creationTime="1") == 400
    assert not world.room_requests.fits(name), "nor is it looked up when rooms are polled"


async def test_the_same_webhook_counts_once(world: World) -> None:
    body = told("room_started", "standup-web", world.now)
    token = signed(body)
    at_once = await asyncio.gather(*(world.post(body, token) for _ in range(3)))
    assert sorted(at_once) == [200, 409, 409]
    assert await world.post(body, signed(body, ttl=timedelta(minutes=4))) == 409, (
        "the event counts, not its token"
    )
    assert len(world.woken) == 1


async def test_what_failed_here_is_carried_out_when_it_comes_again(world: World) -> None:
    body = told("room_started", "standup-web", world.now)
    token = signed(body)
    world.registry.record.available = False
    assert await world.post(body, token) == 503
    world.registry.record.available = True
    assert [await world.post(body, token) for _ in range(2)] == [200, 409]
    assert await world.open_rooms() == ["standup-web"]


async def test_a_meeting_that_was_ended_is_not_begun_again_in_the_same_life_of_its_room(world: World) -> None:
    created_at = world.now
    world.registry.record.clock.advance(5)
    meeting, epoch = await world.hold("회의-1")
    world.registry.record.clock.advance(60)
    await world.registry.mark_ended(meeting, epoch, world.now)
    await world.tell("room_started", "회의-1", created_at)
    assert await world.open_rooms() == [], "told late"
    world.registry.record.clock.advance(60)
    await world.tell("room_started", "회의-1", world.now)
    assert await world.open_rooms() == ["회의-1"], "its next life"


async def test_people_who_are_back_before_the_minutes_are_written_get_their_meeting(world: World) -> None:
    meeting, epoch = await world.hold("회의-1")
    world.registry.record.clock.advance(60)
    born_again_at = world.now
    world.registry.record.clock.advance(8)
    await world.registry.mark_ended(meeting, epoch, world.now)  # of the life before
    assert [row.room for row in await world.room_requests.seen([RoomSeen("회의-1", born_again_at)])] == [
        "회의-1"
    ]


async def test_a_room_that_is_gone_withdraws_a_wish_that_came_of_it(world: World) -> None:
    await world.tell("room_started", "standup-web")
    await world.registry.want("by-hand")
    for room in ("standup-web", "by-hand", "never-seen"):
        assert await world.tell("room_finished", room) == 200
    assert await world.open_rooms() == ["by-hand"], "what somebody asked for waits for its people"


async def test_a_room_that_is_gone_makes_a_dead_holders_meeting_due(world: World) -> None:
    held, _ = await world.hold("회의-1")
    await world.tell("room_finished", "회의-1")
    assert await world.open_rooms() == ["회의-1"], "its holder sees it by itself"
    world.registry.record.clock.advance(6)
    (row,) = await world.registry.claim_unheld(limit=9, retry_after_s=5)
    await world.registry.note_dispatch(row.id, 600)
    assert await world.registry.claim_unheld(limit=9, retry_after_s=5) == []
    await world.tell("room_finished", "회의-1")
    assert [row.id for row in await world.registry.claim_unheld(limit=9, retry_after_s=5)] == [held]


async def deliver(deliveries: Deliveries, digest: bytes, until_s: float = 1_300.0) -> bool:
    try:
        async with deliveries.once(digest, until_s):
            return True
    except ApiError:
        return False


async def test_each_counts_once_until_its_token_is_over_and_the_memory_is_bounded() -> None:
    now_s = [1_000.0]
    deliveries = Deliveries(lambda: now_s[0], most=100)
    for number in range(1_000):
        assert await deliver(deliveries, number.to_bytes(4, "big"))
    assert len(deliveries) == 100
    assert not await deliver(deliveries, (999).to_bytes(4, "big"))
    now_s[0] = 1_301.0
    assert await deliver(deliveries, b"c", 1_600.0)
    assert len(deliveries) == 1, "what is over is forgotten"


async def test_a_second_one_waits_for_the_first_and_takes_over_where_that_fails() -> None:
    deliveries, go = Deliveries(lambda: 1_000.0), asyncio.Event()

    async def failing() -> None:
        async with deliveries.once(b"a", 1_300.0):
            await go.wait()
            raise OSError("away")

    first = asyncio.ensure_future(failing())
    second = asyncio.ensure_future(deliver(deliveries, b"a"))
    await asyncio.sleep(0)
    assert not second.done()
    go.set()
    assert await second
    with pytest.raises(OSError, match="away"):
        await first
    assert not await deliver(deliveries, b"a")

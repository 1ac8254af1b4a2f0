"""A real LiveKit server: of who has not agreed not one frame is heard, however they come and whoever listens."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from livekit import api, rtc

from tests.integration.test_livekit_rooms import World, world  # noqa: F401 - the fixture
from worker.adapters.livekit_room import CONSENT_ATTRIBUTE, LiveKitRoom
from worker.adapters.livekit_tokens import participant_token
from worker.clock import SystemClock
from worker.ports import Holder
from worker.room.consent import ConsentRule

pytestmark = [pytest.mark.room, pytest.mark.timeout(240)]
JOINS = int(os.environ.get("MOIM_TEST_JOINS", "3"))


class Ears:
    """Counts the frames of each; hears who has agreed."""

    def __init__(self) -> None:
        self.agreed: dict[str, bool] = {}
        self.frames: Counter[str] = Counter()
        self.rule = ConsentRule("ask")

    def may_hear(self, identity: str) -> bool:
        return self.rule.allows(self.agreed.get(identity))

    def told_consent(self, identity: str, *, agreed: bool, standing: bool = False) -> None:
        if standing and identity in self.agreed:
            return
        self.agreed[identity] = agreed
        self.room.subscribe_as_agreed(identity)

    room: LiveKitRoom

    def track_opened(self, identity: str, _track_id: str) -> Any:
        ears = self

        class Sink:
            def push(self, _pcm: bytes, _arrived_s: float) -> None:
                ears.frames[identity] += 1

        return Sink()

    def __getattr__(self, _name: str) -> Any:
        return lambda *_arguments, **_more: None


@asynccontextmanager
async def speaking(world: World, identity: str) -> AsyncIterator[rtc.Room]:  # noqa: F811 - its type
    """Somebody whose microphone is on."""
    room, source = rtc.Room(), rtc.AudioSource(16_000, 1)
    key, secret = world.server.api_key, world.server.api_secret
    await room.connect(
        world.server.url, participant_token(key, secret, "회의", identity, identity, kind="standard")
    )
    track = rtc.LocalAudioTrack.create_audio_track("mic", source)
    options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
    await room.local_participant.publish_track(track, options)

    async def talk() -> None:
        frame = rtc.AudioFrame(b"\x10\x20" * 160, 16_000, 1, 160)
        while True:
            await source.capture_frame(frame)

    talking = asyncio.ensure_future(talk())
    try:
        yield room
    finally:
        talking.cancel()
        await room.disconnect()
        await source.aclose()


ME = Holder(host="here", worker_pid=1, job_pid=2)


@asynccontextmanager
async def listening(world: World, ears: Ears, epoch: int) -> AsyncIterator[LiveKitRoom]:  # noqa: F811 - its type
    """A holder in the room."""
    key, secret = world.server.api_key, world.server.api_secret
    me = rtc.Room()
    async with asyncio.TaskGroup() as tasks:
        room = ears.room = LiveKitRoom(me, ears, tasks, clock=SystemClock(), epoch=epoch, me=ME)
        room.listen()
        token = participant_token(key, secret, "회의", f"moim-{epoch}", "moim", kind="agent")
        await me.connect(world.server.url, token, rtc.RoomOptions(auto_subscribe=False))
        await room.arrive()
        try:
            yield room
        finally:
            await room.aclose()
            await me.disconnect()


async def heard(ears: Ears, identity: str, more_than: int) -> None:
    async with asyncio.timeout(20):
        while ears.frames[identity] <= more_than:
            await asyncio.sleep(0.05)


async def test_of_who_has_not_agreed_no_frame_is_heard(world: World) -> None:  # noqa: F811 - the fixture
    ears = Ears()
    ears.agreed["yes"] = True
    ears.agreed["no"] = False
    async with speaking(world, "yes"):
        for number in range(JOINS):  # a new holder, and they join and rejoin
            async with listening(world, ears, number + 1):
                before = ears.frames["yes"]
                async with speaking(world, "no"), speaking(world, f"silent-{number}"):
                    await heard(ears, "yes", before + 5)
                async with speaking(world, "no"):
                    await heard(ears, "yes", ears.frames["yes"] + 5)
        assert {who for who, count in ears.frames.items() if count} == {"yes"}


async def test_a_yes_and_a_no_count_at_once(world: World) -> None:  # noqa: F811 - the fixture
    ears = Ears()
    async with listening(world, ears, 1) as room, speaking(world, "ben"):
        await asyncio.sleep(0.5)
        assert ears.frames["ben"] == 0
        said = api.UpdateParticipantRequest(
            room="회의", identity="ben", attributes={CONSENT_ATTRIBUTE: "yes"}
        )
        await world.livekit._livekit.room.update_participant(said)
        await heard(ears, "ben", 5)
        ears.agreed["ben"] = False
        room.subscribe_as_agreed("ben")
        stopped = ears.frames["ben"]
        await asyncio.sleep(0.7)
        assert ears.frames["ben"] == stopped


@pytest.mark.parametrize("text", ["/me no", "누가 뭘 하기로 했지?"])
async def test_what_somebody_writes_as_they_come_in_is_read(world: World, text: str) -> None:  # noqa: F811 - the fixture
    ears, written = Ears(), list[tuple[str, str]]()
    ears.chat = lambda _id, who, _name, text, **_how: written.append((who, text))  # type: ignore[attr-defined]  # one more
    async with listening(world, ears, 1):
        for number in range(3):  # it may overtake the news that they came in
            async with speaking(world, f"ben-{number}") as room:
                await room.local_participant.send_text(text, topic="lk.chat")
                async with asyncio.timeout(20):
                    while written[number:] != [(f"ben-{number}", text)]:
                        await asyncio.sleep(0.05)

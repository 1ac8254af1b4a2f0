"""A real LiveKit server with end-to-end encrypted people: with their key, without it, with another, and mixed."""

from __future__ import annotations

import asyncio
import math
import struct
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from livekit import api, rtc
from pydantic import SecretStr

from tests.fakes.waiting import until
from tests.integration.rooms import World, world  # noqa: F401 - the fixture
from worker.adapters.livekit_encryption import encryption, plain_writer
from worker.adapters.livekit_outlet import CHAT_TOPIC
from worker.adapters.livekit_room import LiveKitRoom
from worker.adapters.livekit_tokens import participant_token
from worker.clock import SystemClock
from worker.participants.listener import Sealed
from worker.ports import Holder

pytestmark = [pytest.mark.room]
ROOM = "회의"
KEY = SecretStr("열려라 참깨")
TONE_HZ = 440


class Listener:
    """Keeps what it is told: names, who is not understood, and the sound of each."""

    def __init__(self) -> None:
        self.names: list[tuple[str, str]] = []
        self.encrypted: dict[str, tuple[str, Sealed]] = {}
        self.sound: defaultdict[str, bytearray] = defaultdict(bytearray)
        self.chats: list[tuple[str, str]] = []

    def may_hear(self, _identity: str) -> bool:
        return True

    def joined(self, identity: str, name: str) -> None:
        if (identity, name) not in self.names:
            self.names.append((identity, name))

    def track_encrypted(self, identity: str, track_id: str, *, why: Sealed) -> None:
        self.encrypted[track_id] = identity, why

    def track_closed(self, track_id: str) -> None:
        self.encrypted.pop(track_id, None)

    def track_opened(self, identity: str, _track_id: str) -> Any:
        listener = self

        class Sink:
            def push(self, pcm: bytes, _arrived_s: float) -> None:
                listener.sound[identity] += pcm

        return Sink()

    def chat(self, _id: str, identity: str, _name: str, text: str, **_more: object) -> None:
        self.chats.append((identity, text))

    def whom(self) -> dict[str, Sealed]:
        """Who is not understood, and why."""
        return dict(self.encrypted.values())

    def is_heard(self, identity: str) -> bool:
        """Whether the last half second of somebody's sound is the tone that they send."""
        pcm = memoryview(bytes(self.sound[identity][-16_000:])).cast("h")
        if len(pcm) < 8_000:
            return False
        crossings = sum((a < 0) != (b < 0) for a, b in pairwise(pcm))
        return abs(crossings - TONE_HZ) < 20

    def __getattr__(self, _name: str) -> Any:
        return lambda *_arguments, **_more: None


class Person:
    """Somebody in the room, whose microphone sends a tone."""

    def __init__(self, room: rtc.Room, publication: rtc.LocalTrackPublication) -> None:
        self.room, self.publication = room, publication
        self.read: list[str] = []
        self._reading: set[asyncio.Task[None]] = set()
        room.register_text_stream_handler(CHAT_TOPIC, self._chat)

    def _chat(self, reader: rtc.TextStreamReader, _identity: str) -> None:
        async def read() -> None:
            self.read.append(await reader.read_all())

        self._reading.add(asyncio.ensure_future(read()))


@asynccontextmanager
async def speaking(
    world: World,  # noqa: F811 - its type
    identity: str,
    key: SecretStr | None,
    name: str = "",
) -> AsyncIterator[Person]:
    room, source = rtc.Room(), rtc.AudioSource(16_000, 1)
    token = participant_token(
        world.server.api_key, world.server.api_secret, ROOM, identity, name or identity, kind="standard"
    )
    await room.connect(world.server.url, token, rtc.RoomOptions(encryption=encryption(key)))
    track = rtc.LocalAudioTrack.create_audio_track("mic", source)
    options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
    publication = await room.local_participant.publish_track(track, options)

    async def talk() -> None:
        at = 0
        while True:
            tone = (int(8000 * math.sin(2 * math.pi * TONE_HZ * (at + i) / 16_000)) for i in range(160))
            await source.capture_frame(rtc.AudioFrame(struct.pack("<160h", *tone), 16_000, 1, 160))
            at += 160

    talking = asyncio.ensure_future(talk())
    try:
        yield Person(room, publication)
    finally:
        talking.cancel()
        await room.disconnect()
        await source.aclose()


@asynccontextmanager
async def listening(
    world: World,  # noqa: F811 - its type
    listener: Listener,
    key: SecretStr | None,
) -> AsyncIterator[LiveKitRoom]:
    server, me = world.server, rtc.Room()
    plainly = plain_writer(server.url, server.api_key, server.api_secret, me) if key is not None else None
    async with asyncio.TaskGroup() as tasks:
        holder = Holder(host="here", worker_pid=1, job_pid=2)
        room = LiveKitRoom(
            me, listener, tasks, clock=SystemClock(), epoch=1, me=holder, key=key, write_plainly=plainly
        )
        room.listen()
        token = participant_token(server.api_key, server.api_secret, ROOM, "moim", "moim", kind="agent")
        options = rtc.RoomOptions(auto_subscribe=False, encryption=encryption(key))
        await me.connect(server.url, token, options)
        await room.arrive()
        try:
            yield room
        finally:
            await room.aclose()
            await me.disconnect()


async def test_with_the_key_all_are_heard_whether_they_encrypt_or_not(world: World) -> None:  # noqa: F811
    listener = Listener()
    async with (
        speaking(world, "minji", KEY) as minji,
        speaking(world, "ben", None) as ben,
        listening(world, listener, KEY) as room,
        speaking(world, "late", KEY),
    ):
        for who in ("minji", "ben", "late"):
            await until(lambda who=who: listener.is_heard(who))
        assert listener.whom() == {}
        await minji.room.local_participant.send_text("모임아, 요약해 줘", topic=CHAT_TOPIC)
        await ben.room.local_participant.send_text("in plain", topic=CHAT_TOPIC)
        await until(lambda: len(listener.chats) == 2)
        await room.outlet.say("결정: 목요일 출시")
        await until(lambda: minji.read[-1:] == ["결정: 목요일 출시"])
        await asyncio.sleep(0.5)
        assert "결정: 목요일 출시" not in ben.read, "what Moim says goes encrypted, too"


async def test_without_a_key_noise_is_not_even_asked_for(world: World) -> None:  # noqa: F811
    listener = Listener()
    async with speaking(world, "minji", KEY) as minji, speaking(world, "ben", None):
        async with listening(world, listener, None) as room:
            async with speaking(world, "late", KEY):
                await until(lambda: listener.is_heard("ben"))
                await until(lambda: listener.whom() == {"minji": "no_key", "late": "no_key"})
            await until(lambda: listener.whom() == {"minji": "no_key"})
            await room.outlet.say("못 듣습니다")
            await until(lambda: minji.read == ["못 듣습니다"])
            assert isinstance(minji.publication.track, rtc.LocalAudioTrack)
            minji.publication.track.mute()
            await until(lambda: listener.whom() == {})
            minji.publication.track.unmute()
            await until(lambda: listener.whom() == {"minji": "no_key"})
        assert set(listener.sound) == {"ben"}


async def test_with_another_key_nothing_is_heard_until_it_is_the_speakers(world: World) -> None:  # noqa: F811
    listener, other = Listener(), SecretStr("another")
    async with (
        speaking(world, "minji", KEY) as minji,
        speaking(world, "ben", None) as ben,
        listening(world, listener, other) as room,
    ):
        await until(lambda: listener.is_heard("ben"))
        await until(lambda: listener.whom() == {"minji": "other_key"})
        await room.outlet.say("못 듣습니다")
        await until(lambda: minji.read == ["못 듣습니다"] and ben.read == ["못 듣습니다"])
        assert not listener.sound["minji"]
        provider = minji.room.e2ee_manager.key_provider
        assert provider is not None
        provider.set_shared_key(other.get_secret_value().encode(), 0)
        await until(lambda: listener.is_heard("minji"))
        assert listener.whom() == {}
        provider.set_shared_key(KEY.get_secret_value().encode(), 0)
        await until(lambda: listener.whom() == {"minji": "other_key"})


async def test_a_name_counts_from_the_moment_it_changes(world: World) -> None:  # noqa: F811
    listener = Listener()
    async with listening(world, listener, None), speaking(world, "g1", None, "Guest"):
        await until(lambda: listener.names == [("g1", "Guest")])
        renamed = api.UpdateParticipantRequest(room=ROOM, identity="g1", name="Hana Lee")
        await world.livekit._livekit.room.update_participant(renamed)
        await until(lambda: listener.names == [("g1", "Guest"), ("g1", "Hana Lee")])


async def test_a_caller_without_a_name_is_called_by_number(world: World) -> None:  # noqa: F811
    listener = Listener()
    token = (
        api.AccessToken(world.server.api_key, world.server.api_secret)
        .with_identity("sip_x1")
        .with_kind("sip")
        .with_attributes({"sip.phoneNumber": "+82 10-1234-5678"})
        .with_grants(api.VideoGrants(room_join=True, room=ROOM))
        .to_jwt()
    )
    async with listening(world, listener, None):
        caller = rtc.Room()
        await caller.connect(world.server.url, token)
        await until(lambda: listener.names == [("sip_x1", "+82 10-1234-5678")])
        await caller.disconnect()

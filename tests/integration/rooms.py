"""Rooms on a real LiveKit server, who speaks in them, and who counts what is heard."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from livekit import rtc
from pydantic import SecretStr

from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from worker.adapters.livekit_dispatch import LiveKitDispatch
from worker.adapters.livekit_room import LiveKitRoom
from worker.adapters.livekit_tokens import participant_token
from worker.configuration.setting_groups import ProcessSettings
from worker.configuration.settings import Settings
from worker.embedded import livekit_server
from worker.embedded.child import free_port
from worker.embedded.livekit import LiveKitServer, drawn_keys
from worker.fleet.room_requests import RoomRequests
from worker.job_metadata import JobMetadata
from worker.monitoring.health import serving
from worker.monitoring.metrics import Metrics
from worker.participants.consent import ConsentRule
from worker.ports import Holder
from worker.web.livekit_webhook import HOOK_PREFIX, webhook


@dataclass
class World:
    server: LiveKitServer
    livekit: LiveKitDispatch
    registry: FakeRegistry
    room_requests: RoomRequests

    async def dispatches(self, room: str) -> list[str | None]:
        """The meetings that LiveKit has a dispatch of ours for."""
        listed = await self.livekit._livekit.agent_dispatch.list_dispatch(room_name=room)
        return [JobMetadata.decode(one.metadata).meeting_id for one in listed if one.agent_name == "moim"]

    @asynccontextmanager
    async def joined(self, room: str, identity: str, *, agent: bool = False) -> AsyncIterator[None]:
        person = rtc.Room()
        kind = "agent" if agent else "standard"
        key, secret = self.server.api_key, self.server.api_secret
        await person.connect(
            self.server.url, participant_token(key, secret, room, identity, identity, kind=kind)
        )
        try:
            yield
        finally:
            await person.disconnect()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    binary = livekit_server.find(Settings.load())
    if binary is None:
        pytest.skip("no LiveKit server: `make livekit` builds one (needs a network)")
    keys, port = drawn_keys(), free_port()
    registry = FakeRegistry(Record())
    room_requests = RoomRequests(registry, ("standup-*", "회의-*"))
    hook = webhook(room_requests, keys[0], SecretStr(keys[1]))
    server = LiveKitServer(
        binary, tmp_path / "livekit", keys=keys, webhook=f"http://127.0.0.1:{port}/livekit/webhook"
    )
    async with serving(
        Metrics(),
        lambda: ([], []),
        ProcessSettings(http_host="127.0.0.1", http_port=port),
        mounts={HOOK_PREFIX: hook},
    ):
        await server.start()
        async with LiveKitDispatch(server.url, keys[0], SecretStr(keys[1]), agent_name="moim") as livekit:
            yield World(server, livekit, registry, room_requests)
        await server.stop()


class FrameCounter:
    """A listener that counts the frames of each; what else it is told it passes over."""

    room: LiveKitRoom

    def __init__(self) -> None:
        self.frames: Counter[str] = Counter()

    def track_opened(self, identity: str, _track_id: str) -> Any:
        listener = self

        class Sink:
            def push(self, _pcm: bytes, _arrived_s: float) -> None:
                listener.frames[identity] += 1

        return Sink()

    def __getattr__(self, _name: str) -> Any:
        return lambda *_arguments, **_more: None


class Listener(FrameCounter):
    """Hears who has agreed."""

    def __init__(self) -> None:
        super().__init__()
        self.agreed: dict[str, bool] = {}
        self.rule = ConsentRule("ask")

    def may_hear(self, identity: str) -> bool:
        return self.rule.allows(self.agreed.get(identity))

    def told_consent(self, identity: str, *, agreed: bool, standing: bool = False) -> None:
        if standing and identity in self.agreed:
            return
        self.agreed[identity] = agreed
        self.room.subscribe_as_agreed(identity)


@asynccontextmanager
async def speaking(world: World, identity: str) -> AsyncIterator[rtc.Room]:
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


async def heard(listener: Listener, identity: str, more_than: int) -> None:
    async with asyncio.timeout(20):
        while listener.frames[identity] <= more_than:
            await asyncio.sleep(0.05)

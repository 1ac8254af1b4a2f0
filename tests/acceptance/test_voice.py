"""With a voice configured, public answers are heard in the room, private ones are not."""

from __future__ import annotations

import uuid
from array import array
from typing import Any

import pytest
from livekit import rtc

from tests.acceptance.stack import Stack, moim_in, said_by, until
from tests.fakes.players import Player

pytestmark = [pytest.mark.room]
LOUD = 3000


async def test_answers_are_spoken(stack: Stack) -> None:
    other: Any = {"MOIM_TENANT": "voice", "MOIM_AGENT_NAME": "moim-voice"}
    voice = {"STT_ENGINE": "none", "TTS_ENGINE": "livekit:tests.fakes.livekit_tts:ToneTTS"}
    room = f"voice-{uuid.uuid4().hex[:6]}"
    async with (
        stack.running("worker", **voice, **other) as worker,
        stack.running("dispatcher", **other),
        stack.stage(room) as stage,
    ):
        await stack.moim("dispatch", room, **other)
        alice = stage.player("alice", "Alice Moreau", hears=True)
        await alice.join()
        moim = await moim_in(alice)
        stage.begin()

        await _ask(alice, "/me What did we decide about the server?")
        await until(lambda: _chats(alice, 1), "the private answer")
        assert not _tracks(alice, moim), "a private answer is not spoken"

        await _ask(alice, "What did we decide about the server?")
        await until(lambda: _chats(alice, 2), "the public answer")
        try:
            track = await until(lambda: _track(alice, moim), "the agent's voice")
        except TimeoutError as error:
            told = [line for line in said_by(worker) if "voice" in line["event"]]
            raise AssertionError(f"{error}: {_tracks(alice, moim)}, {alice.chats}, {told}") from error
        stream = rtc.AudioStream(track)
        try:
            async for event in stream:
                if max(array("h", bytes(event.frame.data)), default=0) > LOUD:
                    break
        finally:
            await stream.aclose()


async def _ask(player: Player, text: str) -> None:
    await player.room.local_participant.send_text(text, topic="lk.chat")


async def _chats(player: Player, count: int) -> bool:
    return len(player.chats) >= count


def _tracks(player: Player, identity: str) -> list[rtc.RemoteTrackPublication]:
    return list(player.room.remote_participants[identity].track_publications.values())


async def _track(player: Player, identity: str) -> rtc.Track | None:
    return next((p.track for p in _tracks(player, identity) if p.track is not None), None)

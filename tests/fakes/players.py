"""The demo's people with what tests do to them: microphones that come and go, private words, other roles."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from livekit import rtc

from stt.files.audio import read_pcm
from stt.files.folder import read_folder
from stt.segment import BYTES_PER_MS
from worker.adapters.livekit_tokens import participant_token
from worker.demo import players, stage
from worker.demo.players import CHAT_TOPIC
from worker.demo.room_texts import ChatStream

T = TypeVar("T")


class Player(players.Player):
    """`hears`: subscribe to the others' audio."""

    hears = False

    @property
    def joined(self) -> bool:
        """Is it in the room?"""
        return self._room is not None and self._room.isconnected()

    async def join(self, *, microphone: bool = True) -> None:
        """Enter, and open the microphone. A second time: after `leave`, with the same identity."""
        await self.enter(rtc.RoomOptions(auto_subscribe=self.hears))
        if microphone:
            await self.publish()

    @property
    def track_id(self) -> str:
        """The track id of the published microphone; empty where there is none."""
        return self.publication.sid if self.publication is not None else ""

    async def unpublish(self) -> None:
        """Take the microphone's track away."""
        if self.publication is not None:
            await self.room.local_participant.unpublish_track(self.publication.sid)
        await self.close_microphone()

    async def republish(self) -> None:
        """The same microphone as a new track, as after a change of device."""
        await self.unpublish()
        await self.publish()

    def mute(self) -> None:
        """Nothing of what is said now is heard."""
        if self.track is not None:
            self.track.mute()

    def unmute(self) -> None:
        """Open the microphone again."""
        if self.track is not None:
            self.track.unmute()

    def say(self, pcm: bytes, at_s: float) -> None:
        """Put PCM (16 kHz mono) onto the track at a second of the play that is still to come."""
        start = int(at_s * 1000) * BYTES_PER_MS
        self.sound += bytes(max(0, start - len(self.sound)))
        self.sound[start : start + len(pcm)] = pcm

    async def chat(self, text: str, *, to_agent: str | None = None, markdown: bool = False) -> str:
        """Write into the chat; the message's id. `to_agent`: its identity, where it alone may read it."""
        attributes = {"moim.markdown": "true"} if markdown else {}
        info = await self.room.local_participant.send_text(
            text,
            topic=CHAT_TOPIC,
            destination_identities=[to_agent] if to_agent else None,
            attributes=attributes | ({"moim.private": "true"} if to_agent else {}),
        )
        return str(info.stream_id)

    async def ask(self, text: str, timeout_s: float = 40.0) -> ChatStream:
        """Write a question and wait for its answer. Raises `TimeoutError`."""
        question_id = await self.chat(text)
        return await self.wait_for(
            lambda player: player.answer_to(question_id), timeout_s, f"an answer to {text!r}"
        )


class Stage(stage.Stage):
    """A stage of such players."""

    players: dict[str, Player]

    def __init__(self, url: str, api_key: str, api_secret: str, room: str) -> None:
        self._mint = partial(participant_token, api_key, api_secret)
        super().__init__(url, room, self._mint)

    def access(self, identity: str, name: str = "", **more: Any) -> str:
        """A token for this room. `more`: the kind of participant, attributes."""
        return self._mint(self.room, identity, name or identity, **more)

    def player(
        self,
        identity: str,
        name: str = "",
        sound: bytes = b"",
        *,
        hears: bool = False,
        kind: Literal["standard", "agent"] = "standard",
        attributes: Mapping[str, str] | None = None,
    ) -> Player:
        """Somebody who may `join`, now or later. `attributes`: what their token says of them."""
        token = self.access(identity, name, kind=kind, attributes=attributes)
        beside = {"own": self._own, "changes": self._changes, "sound": sound}
        player = Player(self.url, token, identity, name or identity, **beside)
        player.hears = hears
        return self._on_stage(player)

    async def cast(self, folder: Path, *, only: Collection[str] = (), join: bool = True) -> dict[str, Player]:
        """The participants of a meeting's folder with their tracks, in the room unless `join` is False."""
        cast: dict[str, Player] = {}
        for track in read_folder(folder).tracks:
            if not only or track.participant in only:
                sound = await asyncio.to_thread(b"".join, read_pcm(track.path))
                cast[track.participant] = self.player(track.participant, track.name, sound)
        if join:
            for player in cast.values():
                await player.join()
        return cast

    async def wait_for(self, look: Callable[[], T | None], timeout_s: float, what: str = "") -> T:
        """The first true value of `look()`, looked at whenever a player gets something to read.

        Raises `TimeoutError`, naming `what`.
        """
        return await self._changes.wait_for(look, timeout_s, what)

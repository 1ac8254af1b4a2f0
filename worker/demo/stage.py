"""A room with scripted people in it, all on one clock.

async with Stage(url, api_key, api_secret, "planning") as stage:
    players = await stage.cast(Path("tests/data/audio/ko-release-planning"))
    stage.begin()
    await stage.until(45)
    answer = await players["seoyeon"].ask("출시일이 언제로 결정됐지?")
    await stage.until(stage.length_s)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from stt.files.audio import read_pcm
from stt.files.folder import read_folder
from worker.adapters.livekit_tokens import participant_token
from worker.clock import monotonic_s
from worker.demo.players import Changes, Player

T = TypeVar("T")


class Stage:
    """An async context manager: who is still in the room at its end is taken out."""

    def __init__(self, url: str, api_key: str, api_secret: str, room: str) -> None:
        self.url, self.room = url, room
        self.players: dict[str, Player] = {}
        self._keys = (api_key, api_secret)
        self._changes = Changes()
        self._tasks = asyncio.TaskGroup()
        self._owned: set[asyncio.Task[None]] = set()
        self.started_s: float | None = None
        """Monotonic moment of second 0; None before `begin`."""

    async def __aenter__(self) -> Self:
        """Open it; nobody is in the room yet."""
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Everybody leaves, the microphones end."""
        for player in self.players.values():
            await player.leave()
        for task in self._owned:
            task.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def _own(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._tasks.create_task(work)
        self._owned.add(task)
        task.add_done_callback(self._owned.discard)

    # ---- who plays ----------------------------------------------------------------------------

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
        """Somebody who may `join`, now or later. `sound`: PCM, 16 kHz mono, on the stage's clock.

        `attributes`: what their token says of them.
        """
        player = Player(
            self.url,
            self.access(identity, name, kind=kind, attributes=attributes),
            identity,
            name or identity,
            own=self._own,
            changes=self._changes,
            sound=sound,
            hears=hears,
        )
        self.players[identity] = player
        if self.started_s is not None:
            player.start(self.started_s)
        return player

    def access(
        self,
        identity: str,
        name: str = "",
        *,
        kind: Literal["standard", "agent"] = "standard",
        attributes: Mapping[str, str] | None = None,
    ) -> str:
        """A token for this room."""
        key, secret = self._keys
        return participant_token(
            key, secret, self.room, identity, name or identity, kind=kind, attributes=attributes
        )

    async def cast(self, folder: Path, *, only: Collection[str] = (), join: bool = True) -> dict[str, Player]:
        """The participants of a meeting's folder with their tracks, in the room unless `join` is False.

        `only` some of them. Raises `BadInput` for a folder that is none.
        """
        meeting = read_folder(folder)
        cast: dict[str, Player] = {}
        for track in meeting.tracks:
            if not only or track.participant in only:
                sound = await asyncio.to_thread(b"".join, read_pcm(track.path))
                cast[track.participant] = self.player(track.participant, track.name, sound)
        if join:
            for player in cast.values():
                await player.join()
        return cast

    # ---- the clock ----------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin: second 0 is now."""
        self.started_s = monotonic_s()
        for player in self.players.values():
            player.start(self.started_s)

    @property
    def now_s(self) -> float:
        """The present second of the play."""
        assert self.started_s is not None, "begin first"
        return monotonic_s() - self.started_s

    @property
    def length_s(self) -> float:
        """When the last of the sound has been played."""
        return max((player.sound_s for player in self.players.values()), default=0.0)

    async def until(self, second: float) -> None:
        """Wait for a second of the play; at once where it has passed."""
        await asyncio.sleep(max(0.0, second - self.now_s))

    async def wait_for(self, look: Callable[[], T | None], timeout_s: float, what: str = "") -> T:
        """The first true value of `look()`, looked at whenever a player gets something to read.

        Raises `TimeoutError`, naming `what`.
        """
        return await self._changes.wait_for(look, timeout_s, what)

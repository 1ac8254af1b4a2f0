"""A LiveKit room with scripted people in it, who all follow one clock. For example:

async with Stage(url, "planning", room_token(settings)) as stage:
    players = await stage.cast(Path("tests/data/audio/ko-release-planning"))
    stage.begin()
    await stage.until(45)
    question_id = await players["seoyeon"].chat("출시일이 언제로 결정됐지?")
    await stage.until(stage.length_s)
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from stt.files.audio import read_pcm
from stt.files.folder import read_folder
from worker.clock import monotonic_s
from worker.demo.players import Changes, Player
from worker.ports import RoomToken

P = TypeVar("P", bound=Player)


class Stage:
    """A room and its players, as an async context manager; at its end all players leave the room."""

    def __init__(self, url: str, room: str, token: RoomToken) -> None:
        """`url`: of the LiveKit server. `token` lets players into the room."""
        self.url, self.room, self._token = url, room, token
        self.players: dict[str, Player] = {}
        self._changes = Changes()
        self._tasks = asyncio.TaskGroup()
        self._owned: set[asyncio.Task[None]] = set()
        self.started_s: float | None = None
        """The monotonic moment of the play's second 0; None before `begin`."""

    async def __aenter__(self) -> Self:
        """Open the stage; nobody is in the room yet."""
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Have all players leave the room, and end their microphones."""
        for player in self.players.values():
            await player.leave()
        for task in self._owned:
            task.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def _own(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._tasks.create_task(work)
        self._owned.add(task)
        task.add_done_callback(self._owned.discard)

    def player(self, identity: str, name: str = "", sound: bytes = b"") -> Player:
        """A new player, who is in the room from `join` on. `sound`: PCM, as for `Player`."""
        token = self._token(self.room, identity, name or identity)
        return self._on_stage(
            Player(
                self.url,
                token,
                identity,
                name or identity,
                own=self._own,
                changes=self._changes,
                sound=sound,
            )
        )

    def _on_stage(self, player: P) -> P:
        self.players[player.identity] = player
        if self.started_s is not None:
            player.start(self.started_s)
        return player

    async def cast(self, folder: Path) -> dict[str, Player]:
        """Make a player of each participant in a meeting's folder, with their sound, and have all join.

        Returns all players by identity. Raises `BadInput` if `folder` is no meeting's folder.
        """
        for track in read_folder(folder).tracks:
            sound = await asyncio.to_thread(b"".join, read_pcm(track.path))
            self.player(track.participant, track.name, sound)
        for player in self.players.values():
            await player.join()
        return dict(self.players)

    def begin(self) -> None:
        """Begin the play: second 0 is now."""
        self.started_s = monotonic_s()
        for player in self.players.values():
            player.start(self.started_s)

    @property
    def now_s(self) -> float:
        """The present second of the play, which has to have begun."""
        assert self.started_s is not None, "begin first"
        return monotonic_s() - self.started_s

    @property
    def length_s(self) -> float:
        """The second of the play at which the last player's sound ends; 0 without players."""
        return max((player.sound_s for player in self.players.values()), default=0.0)

    async def until(self, second: float) -> None:
        """Wait for a second of the play; return at once if it has passed."""
        await asyncio.sleep(max(0.0, second - self.now_s))

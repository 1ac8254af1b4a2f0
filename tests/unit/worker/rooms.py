"""A room whose tracks say what they are told to, and the attendant in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from stt.track_events import Heard, TrackEvent
from stt.turn_queue import Means
from tests.fakes.meeting import World, meeting_at_work
from worker.meeting.session import Session
from worker.participants.attendant import Attendant
from worker.participants.guests import MakeGuests


class FakeTrack:
    """A track that says what it is told to say."""

    def __init__(self, participant: str, track_id: str, on_event: object) -> None:
        self.participant, self.track_id, self.on_event = participant, track_id, on_event
        self.paused = self.flushed = self.finished = False
        self.backlog_s, self.sound_ms, self.trouble = 0.0, 0, ""
        self.pushed = 0
        self.queue = self
        self.hurried_s: float | None = None
        self.forgotten = False

    def hurry(self, deadline_s: float) -> None:
        self.hurried_s = deadline_s

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """Sound is not what these tests are about: frames are counted."""
        self.pushed += 1

    def flush(self) -> None:
        self.flushed = True

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False

    async def finish(self, deadline_s: float) -> None:
        self.finished = True

    def forget(self, means: Means) -> None:
        self.forgotten |= means(self.participant, 1_000, 2_000)

    def leave(self) -> None:
        """Nothing waits."""

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def hears(self, text: str, start_ms: int) -> None:
        self.tell(
            Heard(
                f"{self.participant}@{start_ms}",
                self.participant,
                text,
                start_ms,
                start_ms + 900,
                0.9,
                None,
                self.track_id,
                start_ms + 1000,
            )
        )

    def tell(self, event: TrackEvent) -> None:
        self.on_event(event)  # type: ignore[operator]  # given as the attendant gave it


class Room:
    def __init__(self, world: World, attendant: Attendant, tracks: dict[str, FakeTrack]) -> None:
        self.world, self.attendant, self.tracks = world, attendant, tracks

    @property
    def session(self) -> Session:
        return self.world.session

    def enter(self, who: str, name: str = "") -> FakeTrack:
        self.attendant.joined(who, name or who)
        self.attendant.track_opened(who, f"TR_{who}")
        return self.tracks[f"TR_{who}"]


@asynccontextmanager
async def room(
    language: str = "ko",
    guests: MakeGuests | None = None,
    mask_growing: Callable[[str], str] = lambda text: text,
) -> AsyncIterator[Room]:
    tracks: dict[str, FakeTrack] = {}

    def make(participant: str, track_id: str, on_event: object) -> FakeTrack:
        tracks[track_id] = FakeTrack(participant, track_id, on_event)
        return tracks[track_id]

    async with (
        meeting_at_work(language=language, mask_growing=mask_growing) as world,
        asyncio.TaskGroup() as tasks,
    ):
        attendant = Attendant(
            world.session,
            tasks,
            make_track=make,  # type: ignore[arg-type]  # a track for all that matters here
            wake_words=("모임", "Moim"),
            chat="questions",
            guests=guests,
        )
        yield Room(world, attendant, tracks)
        await world.session.settle()
        await attendant.aclose()

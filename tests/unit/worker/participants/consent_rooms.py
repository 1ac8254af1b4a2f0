"""A room in which people say whether they may be heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from context.events.actors import Actor
from context.events.erasure_target import Target
from context.ports import Unavailable
from tests.fakes.meeting import World, meeting_at_work
from tests.unit.worker.rooms import FakeTrack
from worker.meeting.erasing import TakenOut
from worker.participants.attendant import Attendant
from worker.participants.consent import ConsentRule
from worker.participants.tracks import DEAF_LISTENER


class Room:
    """A room whose sound is asked for as the attendant says."""

    def __init__(self, world: World, attendant: Attendant) -> None:
        self.world, self.attendant = world, attendant
        self.considered: list[str] = []
        self.erased: list[tuple[Target, str]] = []
        self.actors: list[Actor] = []
        attendant.consent.changed = self.considered.append

    def hears(self, who: str) -> bool:
        return (
            self.attendant.may_hear(who)
            and self.attendant.track_opened(who, f"TR_{who}") is not DEAF_LISTENER
        )

    async def writes(self, who: str, text: str) -> None:
        self.attendant.chat(f"c{len(self.world.outlet.said)}-{text}", who, who, text)
        await self.world.settle()

    def told(self, who: str) -> list[str]:
        return [text for text, to in self.world.outlet.said if to == who]


@asynccontextmanager
async def room(
    rule: ConsentRule,
    before: dict[str, bool] | None = None,
    *,
    away: asyncio.Event | None = None,
    hears: bool = True,
    taken: TakenOut = "done",
) -> AsyncIterator[Room]:
    """`before`: what people said in earlier meetings, which can't be looked up while `away` is set.

    `hears`: whether it transcribes; else another agent does. `taken`: what comes of taking words out.
    """
    async with meeting_at_work() as world, asyncio.TaskGroup() as tasks:
        erased: list[tuple[Target, str]] = []
        actors: list[Actor] = []

        async def take_out(target: Target, actor: Actor, by: str) -> TakenOut:
            erased.append((target, by))
            actors.append(actor)
            return taken

        async def told_before(person: str) -> bool | None:
            await asyncio.sleep(0.005)
            if away is not None and away.is_set():
                raise Unavailable("the database is away")
            return (before or {}).get(person)

        attendant = Attendant(
            world.session,
            tasks,
            make_track=FakeTrack if hears else None,  # type: ignore[arg-type,return-value]  # a track for all that matters here
            wake_words=("모임", "Moim"),
            chat="questions",
            consent=rule,
            told_before=told_before if before else None,
            take_out=take_out,
        )
        it = Room(world, attendant)
        it.erased, it.actors = erased, actors
        yield it
        await world.session.settle()
        await attendant.aclose()
